import CloudStore

extension ConformanceCase {
    static let tokenStates: [ConformanceCase] = [
        ConformanceCase("The content of a long token is found by its digest until it expires") { subject in
            let container = try subject.container()
            let (digest, content) = ([UInt8](0..<16), [UInt8](repeating: 0xFE, count: 5000))
            try expect(try container.read { try $0.tokenState(digest) } == nil, "nothing under a new digest")
            try container.writeAndWait { writer in
                try writer.saveTokenState(digest, content, expires: 1000)
                try writer.saveTokenState([7], [], expires: 1000)
            }
            try expectEqual(try container.read { try $0.tokenState(digest) }?.content, content)
            try expectEqual(try container.read { try $0.tokenState([7]) }?.content, [])
            try container.writeAndWait { try $0.saveTokenState(digest, content, expires: 2000) }
            try container.writeAndWait { try $0.expireTokenStates(before: 1500, limit: 10) }
            try expectEqual(try container.read { try $0.tokenState(digest) }?.expires, 2000)
            try expect(try container.read { try $0.tokenState([7]) } == nil, "an expired content to be gone")
            let other = try subject.container("-other")
            try expect(try other.read { try $0.tokenState(digest) } == nil, "another container to know nothing of it")
        }
    ]
}
