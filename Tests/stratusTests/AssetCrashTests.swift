import CloudStore
import Foundation
import Testing

@Suite("Files, and a server that ends or has no room", .serialized)
struct AssetCrashTests {
    /// The content that belongs to a name: from a few bytes to some hundred kilobytes.
    private static func content(_ name: String) -> Data {
        var state = name.utf8.reduce(UInt64(7)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        let size = Int(state >> 40) % 300_000 >> (Int(state >> 20) % 12)
        return Data(
            (0..<max(size, 1)).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 33)
            })
    }

    private static func files(_ stratus: Stratus) throws -> Set<String> {
        let folder = stratus.path("d/containers/\(FileCloud.container).development.assets")
        return Set(
            try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
                $0.count == 35 || $0.hasPrefix("uploads/")
            })
    }

    private func expectAll(_ names: [String], _ cloud: FileCloud) async throws {
        for name in names {
            let file = try await cloud.fetch(name)
            #expect(file == Self.content(name), "\(name) is not whole")
        }
    }

    @Test(
        "Every file whose record was acknowledged before a SIGKILL is whole afterwards, and what is nobody's goes",
        .timeLimit(.minutes(4)))
    func killed() async throws {
        let stratus = try Stratus()
        let acknowledged = Acknowledged()
        for round in 0..<3 {
            let server = try await stratus.start("dev", "--port", "0", "--data", "d")
            let cloud = try await FileCloud(server)
            try await expectAll(acknowledged.names, cloud)
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        for number in 0... {
                            let name = "r\(round)-\(writer)-\(number)"
                            // No answer: the server is gone, and nothing is known of this one.
                            guard let sent = try? await cloud.send(Self.content(name)), sent.status == 200 else {
                                return
                            }
                            // Some are never referred to.
                            if number % 3 == 2 { continue }
                            guard (try? await cloud.save(name, sent.value)) == true else { return }
                            let count = acknowledged.add(name)
                            if count == (round + 1) * 60 { kill(server.processIdentifier, SIGKILL) }
                        }
                    }
                }
            }
            _ = try await server.stop(SIGKILL)
        }
        let names = acknowledged.names
        #expect(names.count >= 180)
        let doctor = try await stratus("doctor", "--data", "d", "--port", "0")
        #expect(doctor.code == 0, "\(doctor.output)")

        // A day later, what no record refers to is gone, and nothing else.
        try Self.cleanUp(stratus)
        let server = try await stratus.start("dev", "--port", "0", "--data", "d")
        try await expectAll(names, try await FileCloud(server))
        #expect(try await server.stop() == 0)
    }

    private static func cleanUp(_ stratus: Stratus) throws {
        let before = try files(stratus)
        let store = try CloudStore(directory: URL(fileURLWithPath: stratus.path("d")))
        defer { store.close() }
        let container = try #require(try store.container(FileCloud.container, "development", create: false))
        while try container.runAssetStep(now: .max, strayAge: 0) {}
        try container.removeAllStrayFiles(olderThan: -1)
        let rows = try container.read { try $0.assets(after: [], limit: 10_000) }
        #expect(rows.allSatisfy { $0.referenceCount > 0 })
        let referred = Set(
            rows.map { row in
                let name = row.id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                return "\(name.prefix(2))/\(name)"
            })
        let after = try files(stratus)
        #expect(after == referred)
        #expect(before.isSuperset(of: after) && before.count > after.count)
    }

    @Test("Told to end amid uploads it takes those that it began; what they gave is good afterwards")
    func gracefulEnd() async throws {
        let stratus = try Stratus()
        let server = try await stratus.start("dev", "--port", "0", "--data", "d")
        let cloud = try await FileCloud(server)
        var uploads: [HalfUpload] = []
        for _ in 0..<4 {
            let upload = try HalfUpload(try await cloud.address(), size: 2 << 20)
            upload.send(megabytes: 1)
            uploads.append(upload)
        }
        // The last one of them is under way when a later one has been taken.
        #expect(try await cloud.send(Data("whole".utf8)).status == 200)
        kill(server.processIdentifier, SIGTERM)
        // From now on it takes no connections; these it has.
        while (try? HalfUpload(try #require(URL(string: server.url + "/stratus/health")))) != nil {}
        for upload in uploads { upload.send(megabytes: 1) }
        let answers = uploads.map { $0.answer() }
        #expect(try await server.exitCode == 0)

        let restarted = try await stratus.start("dev", "--port", "0", "--data", "d")
        let again = try await FileCloud(restarted)
        for (number, answer) in answers.enumerated() {
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
            let body = answer.firstRange(of: "\r\n\r\n").map { answer[$0.upperBound...] } ?? ""
            #expect(try await again.save("u\(number)", FileCloud.value(Data(body.utf8))))
            #expect(try await again.fetch("u\(number)") == Data(repeating: 7, count: 2 << 20))
        }
        #expect(try await restarted.stop() == 0)
    }

    @Test("At a full disk files are still fetched, new ones are told to come back and leave nothing")
    func fullDisk() async throws {
        let stratus = try Stratus()
        // No file may grow beyond this, which is to a program what a full disk is.
        let server = try await stratus.start("dev", "--port", "0", "--data", "d", fileSizeLimit: 3 << 20)
        let (cloud, other) = (try await FileCloud(server), try await FileCloud(server, account: "ben"))
        let photo = Data(repeating: 5, count: 1 << 20)
        #expect(try await cloud.save("photo", try await cloud.send(photo).value))
        // A file that is too large for the disk; the others notice nothing.
        let refused = try await other.send(Data(repeating: 1, count: 4 << 20))
        #expect(refused.status == 503)
        #expect(try await cloud.fetch("photo") == photo)
        #expect(try await cloud.save("photo2", try await cloud.send(Data([1, 2])).value))
        // Then the database has no room either.
        let filling = String(repeating: "x", count: 50_000)
        var isFull = false
        for number in 0..<200 where !isFull {
            let answer = try await other.call(
                "records/modify",
                #"{"operations":[{"operationType":"create","record":{"recordName":"n\#(number)","recordType":"Note","fields":{"title":{"value":"\#(filling)"}}}}]}"#
            )
            isFull = answer.status == 503
        }
        #expect(isFull)
        let before = try Self.files(stratus)
        for _ in 0..<3 {
            // A record as long as the file's row is what may not fit; whichever it is, it is said.
            let sent = try await cloud.send(Data(repeating: 9, count: 2000))
            #expect([200, 503].contains(sent.status))
            if sent.status == 503 { #expect(try Self.files(stratus) == before) }
            #expect(try await cloud.fetch("photo") == photo)
        }
        #expect(try await server.stop() == 0)

        let roomy = try await stratus.start("dev", "--port", "0", "--data", "d")
        let again = try await FileCloud(roomy)
        #expect(try await again.fetch("photo") == photo)
        #expect(try await again.fetch("photo2") == Data([1, 2]))
        #expect(try await again.save("photo3", try await again.send(photo + photo).value))
        #expect(try await roomy.stop() == 0)
    }
}
