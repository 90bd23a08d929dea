import CloudStore
import Foundation
import Testing
import ThrowawayPostgres

@Suite("A backup is whole, and a restore starts another timeline")
struct BackupTests {
    private let key = ZoneKey(scope: .private, owner: "_u", name: "Z")

    private func save(_ names: [String], in container: ContainerStore) throws {
        try container.writeAndWait { [key] writer in
            let zone = try writer.zone(key) ?? writer.insertZone(key: key, created: 1)
            var sequence = zone.sequence
            for name in names {
                sequence += 1
                _ = try writer.insertRecord(RecordRow(zone: zone.id, name: name, type: 1, sequence: sequence))
            }
            try writer.updateZone(id: zone.id, sequence: sequence, addRecords: Int64(names.count), addBytes: 0)
        }
    }

    private func zone(in container: ContainerStore) throws -> ZoneRow {
        let zone = try container.read { [key] in try $0.zone(key) }
        return try #require(zone)
    }

    private func names(in container: ContainerStore, after: Int64 = 0) throws -> [String] {
        try container.read { [key] reader in
            let zone = try #require(try reader.zone(key))
            var names: [String] = []
            try reader.changes(zone: zone.id, after: after, limit: 100_000) {
                names.append($0.name)
                return true
            }
            return names
        }
    }

    @Test("A restored store has what the backup had, and never uses a sequence of the lost timeline again")
    func restores() throws {
        try withFolder { folder in
            let store = try CloudStore(directory: folder.appendingPathComponent("live"))
            defer { store.close() }
            let live = try #require(try store.container("iCloud.a/b", "development", create: true))
            try store.control.insertAccount(AccountRow(id: "A", name: "ada", created: 1))
            try save(["one", "two"], in: live)
            let backup = folder.appendingPathComponent("backup")
            try store.backup(to: backup)
            try save(["lost"], in: live)
            let restored = folder.appendingPathComponent("restored")
            try CloudStore.restore(from: backup, to: restored)
            let second = try CloudStore(directory: restored)
            defer { second.close() }
            #expect(try second.control.account(id: "A")?.name == "ada")
            let container = try #require(try second.container("iCloud.a/b", "development", create: false))
            #expect(try names(in: container) == ["one", "two"])
            let zone = try self.zone(in: container)
            let before = try self.zone(in: live)
            #expect(zone.id == before.id)
            #expect(zone.incarnation > before.incarnation)
            #expect(zone.incarnationStart == 2)
            #expect(zone.sequence > before.sequence)
            #expect(zone.sequence >= zone.incarnation << 32)
            // Its history goes on where it was.
            try save(["new"], in: container)
            #expect(try names(in: container, after: 1) == ["two", "new"])
            // A zone that is made now is none of those that were lost.
            let made = try container.writeAndWait {
                try $0.insertZone(key: ZoneKey(scope: .private, owner: "_u", name: "Y"), created: 2)
            }
            #expect(made.id > 1 << 20)
            #expect(made.incarnation == zone.incarnation)
            #expect(made.incarnationStart == 0)
            #expect(made.sequence == zone.incarnation << 32)
        }
    }

    @Test("Two restores of one backup are two timelines")
    func restoresTwice() throws {
        try withFolder { folder in
            let store = try CloudStore(directory: folder.appendingPathComponent("live"))
            try save(["one"], in: try #require(try store.container("c", "development", create: true)))
            try store.backup(to: folder.appendingPathComponent("backup"))
            store.close()
            let zones = try [Int64(1_800_000_000_000), 1_800_000_002_000].map { now in
                var options = StoreOptions()
                options.now = { now }
                let target = folder.appendingPathComponent("restored\(now)")
                try CloudStore.restore(from: folder.appendingPathComponent("backup"), to: target, options: options)
                let restored = try CloudStore(directory: target)
                defer { restored.close() }
                return try zone(in: #require(try restored.container("c", "development", create: false)))
            }
            #expect(zones[0].incarnation != zones[1].incarnation)
            #expect(zones[0].sequence != zones[1].sequence)
        }
    }

    @Test("A backup is taken while writing goes on, and is consistent")
    func hot() throws {
        try withFolder { folder in
            let store = try CloudStore(directory: folder.appendingPathComponent("live"))
            defer { store.close() }
            let live = try #require(try store.container("c", "development", create: true))
            try save(["first"], in: live)
            let writer = StoreThread {
                for number in 0..<400 { try? save(["n\(number)"], in: live) }
            }
            for round in 0..<4 { try store.backup(to: folder.appendingPathComponent("backup\(round)")) }
            writer.join()
            for round in 0..<4 {
                let target = folder.appendingPathComponent("restored\(round)")
                try CloudStore.restore(from: folder.appendingPathComponent("backup\(round)"), to: target)
                let restored = try CloudStore(directory: target)
                defer { restored.close() }
                let container = try #require(try restored.container("c", "development", create: false))
                let found = try names(in: container)
                #expect(found == ["first"] + (0..<(found.count - 1)).map { "n\($0)" })
                #expect(try zone(in: container).recordCount == Int64(found.count))
            }
        }
    }

    @Test("A target with contents and a folder that is no backup are refused, and leave nothing behind")
    func refuses() throws {
        try withFolder { folder in
            let store = try CloudStore(directory: folder.appendingPathComponent("live"))
            defer { store.close() }
            let backup = folder.appendingPathComponent("backup")
            try store.backup(to: backup)
            #expect(throws: StoreError.self) { try store.backup(to: backup) }
            #expect(throws: StoreError.self) {
                try CloudStore.restore(from: backup, to: folder.appendingPathComponent("live"))
            }
            let nothing = folder.appendingPathComponent("nothing")
            #expect(throws: StoreError.self) {
                try CloudStore.restore(from: nothing, to: folder.appendingPathComponent("restored"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["backup", "live"])
        }
    }

    @Test("A damaged backup is not restored")
    func damaged() throws {
        try withFolder { folder in
            let store = try CloudStore(directory: folder.appendingPathComponent("live"))
            let live = try #require(try store.container("c", "development", create: true))
            try save((0..<500).map { "n\($0)" }, in: live)
            let backup = folder.appendingPathComponent("backup")
            try store.backup(to: backup)
            store.close()
            let file = backup.appendingPathComponent("containers/c.development.sqlite")
            var bytes = try Data(contentsOf: file)
            for offset in stride(from: 8_192, to: bytes.count, by: 1_000) { bytes[offset] ^= 0xFF }
            try bytes.write(to: file)
            let target = folder.appendingPathComponent("restored")
            let error = #expect(throws: StoreError.self) { try CloudStore.restore(from: backup, to: target) }
            #expect(error?.kind == .corrupt)
            #expect(!FileManager.default.fileExists(atPath: target.path))
        }
    }

    @Test("PostgreSQL is told to be copied with its own tools, and can start another timeline")
    func postgres() throws {
        let store = try CloudStore.postgres(connection: ThrowawayPostgres.shared().makeDatabase())
        defer { store.close() }
        let error = #expect(throws: StoreError.self) {
            try store.backup(to: FileManager.default.temporaryDirectory.appendingPathComponent("never"))
        }
        #expect(error?.message.contains("pg_dump") == true)
        let container = try #require(try store.container("c", "development", create: true))
        try save(["one"], in: container)
        try container.raiseIncarnation()
        let zone = try self.zone(in: container)
        #expect(zone.incarnationStart == 1)
        #expect(zone.sequence == zone.incarnation << 32)
    }
}
