import CloudStore
import Foundation

extension ConformanceCase {
    static let assets: [ConformanceCase] = [
        ConformanceCase("An owner's files of one content are one asset, another owner's another") { subject in
            let container = try subject.container()
            let row = AssetRow(
                id: id(1), scope: .private, owner: "_a", digest: id(9) + id(9), size: 5, expires: 100)
            var again = row
            again.id = id(2)
            again.expires = 300
            var others = row
            others.id = id(3)
            others.owner = "_b"
            let (first, second, third) = try container.writeAndWait { [again, others] writer in
                (try writer.insertAsset(row), try writer.insertAsset(again), try writer.insertAsset(others))
            }
            try expectEqual(first, row)
            try expectEqual(second.id, id(1))
            try expectEqual(second.expires, 300)
            try expectEqual(third.id, id(3))
            try container.read { reader in
                try expectEqual(try reader.asset(id(1))?.expires, 300)
                try expectEqual(try reader.asset(id(2)), nil)
                try expectEqual(try reader.unusedAssetBytes(scope: .private, owner: "_a"), 5)
                try expectEqual(try reader.unusedAssetBytes(scope: .public, owner: "_a"), 0)
            }
        },
        ConformanceCase("References are counted once a record, and the last one lets an asset expire") { subject in
            let garden = try Garden(subject.container())
            let (zone, container) = (garden.zone.id, garden.container)
            try container.add(1, expires: 100)
            try container.writeAndWait { writer in
                try writer.referToAssets(zone: zone, record: 7, [id(1), id(1)])
                try writer.referToAssets(zone: zone, record: 7, [id(1)])
                try writer.referToAssets(zone: zone, record: 8, [id(1)])
            }
            try expectEqual(try container.asset(1)?.referenceCount, 2)
            try expectEqual(try container.expire(before: 1_000), [])
            try container.writeAndWait { writer in
                try writer.letGoOfAssets(zone: zone, record: 7, [id(1), id(2)], keptUntil: 400)
                try writer.letGoOfAssets(zone: zone, record: 7, [id(1)], keptUntil: 900)
            }
            try expectEqual(try container.asset(1)?.referenceCount, 1)
            try container.writeAndWait { try $0.letGoOfAssets(zone: zone, record: 8, [id(1)], keptUntil: 500) }
            try expectEqual(try container.asset(1)?.expires, 500)
            try expectEqual(try container.expire(before: 500), [])
            try expectEqual(try container.expire(before: 501), [id(1)])
            try expectEqual(try container.asset(1), nil)
            try expectStoreError(.constraint) {
                try container.writeAndWait { try $0.referToAssets(zone: zone, record: 7, [id(1)]) }
            }
        },
        ConformanceCase("What is undone leaves no reference") { subject in
            let garden = try Garden(subject.container())
            let (zone, container) = (garden.zone.id, garden.container)
            try container.add(1, expires: 100)
            struct Undo: Error {}
            try container.writeAndWait { writer in
                do {
                    try writer.savepoint {
                        try writer.referToAssets(zone: zone, record: 7, [id(1)])
                        throw Undo()
                    }
                } catch is Undo {}
            }
            try expectEqual(try container.asset(1)?.referenceCount, 0)
        },
        ConformanceCase("A deleted zone lets go of its assets in steps, and expired ones go in steps") { subject in
            let container = try subject.container()
            let garden = try Garden(container)
            let other = try Garden(container, zone: "Pots")
            for number in 0..<30 { try container.add(UInt8(number), expires: 100) }
            try container.writeAndWait { writer in
                for number in 0..<30 {
                    try writer.referToAssets(zone: garden.zone.id, record: Int64(number), [id(UInt8(number))])
                }
                try writer.referToAssets(zone: other.zone.id, record: 1, [id(0)])
                try writer.deleteZone(garden.zone, reason: 1, at: 5)
            }
            var steps = 1
            while try container.writeAndWait({ try $0.purgeDeletedZones(limit: 8) }) { steps += 1 }
            try expect(steps >= 4, "at least 4 steps of 8 rows for 30, took \(steps)")
            try expectEqual(try container.asset(0)?.referenceCount, 1)
            try expectEqual(try container.asset(1)?.referenceCount, 0)
            try expectEqual(try container.expire(before: 200, limit: 20).count, 20)
            try expectEqual(try container.expire(before: 200, limit: 20).count, 9)
            try expect(try container.asset(0) != nil, "the asset that another zone refers to")
        },
        ConformanceCase("A file is kept whole, found by its id, and goes after its row") { subject in
            let container = try subject.container()
            let file = try container.assets.stage()
            for part in ["some", "thing"] { try Array(part.utf8).withUnsafeBytes { try file.append($0) } }
            try expectEqual(file.size, 9)
            try container.assets.keep(file, as: id(5))
            try container.add(5, expires: 100)
            try expectEqual(try container.contents(5), "something")
            try expect(try !container.runAssetStep(now: 99), "nothing more to do")
            try expect(try container.assets.contains(id(5)), "a file that has not expired")
            while try container.runAssetStep(now: 101, limit: 1) {}
            try expectEqual(try container.asset(5), nil)
            try expect(try !container.assets.contains(id(5)), "no file")
            try expectEqual(try container.contents(5), nil)
        },
        ConformanceCase("Files without a row go, those with one stay") { subject in
            let container = try subject.container()
            try container.keep("stray", as: 1)
            try container.keep("mine", as: 2)
            try container.add(2, expires: 100)
            let underway = try container.assets.stage()
            try container.removeAllStrayFiles(olderThan: 3600)
            try expectEqual(container.assets.uploadCount, 1)
            try expect(try container.assets.contains(id(1)), "a file that is too young to be a stray")
            // As though hours had passed: uploads that nobody went on with go too.
            try container.removeAllStrayFiles(olderThan: -2)
            try expect(try !container.assets.contains(id(1)), "no stray file")
            try expectEqual(try container.contents(2), "mine")
            try expectEqual(container.assets.uploadCount, 0)
            try expectEqual(underway.size, 0)
        },
        ConformanceCase("An examination finds files that are missing or cut") { subject in
            let garden = try Garden(subject.container())
            let (zone, container) = (garden.zone.id, garden.container)
            for number in 1...3 as ClosedRange<UInt8> {
                try container.keep(number == 3 ? "cut" : "0123456789", as: number)
                try container.add(number, expires: 100)
            }
            try expectEqual(try container.examineAssets(), .init())
            try container.writeAndWait { try $0.referToAssets(zone: zone, record: 1, [id(1), id(2), id(3)]) }
            try expectEqual(try container.examineAssets(), .init(count: 3, bytes: 30, damaged: 1))
            container.assets.remove([id(1)])
            try expectEqual(try container.examineAssets().damaged, 2)
        },
        ConformanceCase("A file that nobody kept is gone") { subject in
            let container = try subject.container()
            do {
                let file = try container.assets.stage()
                try [1, 2, 3].withUnsafeBytes { try file.append($0) }
            }
            let kept = try container.assets.stage()
            try container.assets.keep(kept, as: id(1))
            try expect(try container.assets.contains(id(1)), "the file that was kept")
            try expectEqual(container.assets.uploadCount, 0)
        },
    ]
}

/// An id of 16 equal bytes.
private func id(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: AssetRow.idLength) }

extension ContainerStore {
    fileprivate func add(_ number: UInt8, expires: Int64) throws {
        let row = AssetRow(
            id: id(number), scope: .private, owner: Garden.owner, digest: id(number) + id(number), size: 10,
            expires: expires)
        _ = try writeAndWait { try $0.insertAsset(row) }
    }

    fileprivate func asset(_ number: UInt8) throws -> AssetRow? { try read { try $0.asset(id(number)) } }

    fileprivate func expire(before time: Int64, limit: Int = 100) throws -> [[UInt8]] {
        try writeAndWait { try $0.expireAssets(before: time, limit: limit) }
    }

    fileprivate func keep(_ text: String, as number: UInt8) throws {
        let file = try assets.stage()
        try Array(text.utf8).withUnsafeBytes { try file.append($0) }
        try assets.keep(file, as: id(number))
    }

    fileprivate func contents(_ number: UInt8) throws -> String? {
        guard let descriptor = try assets.open(id(number)) else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    }
}
