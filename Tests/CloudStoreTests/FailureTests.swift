import CCrashVFS
import CloudStore
import Foundation
import SQL
import Synchronization
import Testing

/// What the store says and does when its files are not as they should be.
@Suite("Failures are typed, say what to do, and pass", .serialized)
struct FailureTests {
    private let key = ZoneKey(scope: .private, owner: "_u", name: "Z")

    @Test("A foreign file is refused by name")
    func foreign() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("control.sqlite")
            let other = try SQLiteConnection(path: file.path)
            try other.execute("CREATE TABLE groceries (name TEXT)")
            other.close()
            let error = #expect(throws: StoreError.self) { try CloudStore(directory: folder) }
            #expect(error?.kind == .invalid)
            #expect(error?.message.contains(file.path) == true)
        }
    }

    @Test("A file that is no database is refused as damaged")
    func damaged() throws {
        try withFolder { folder in
            try Data(repeating: 0x41, count: 10_000).write(to: folder.appendingPathComponent("control.sqlite"))
            let error = #expect(throws: StoreError.self) { try CloudStore(directory: folder) }
            #expect(error?.kind == .corrupt)
            #expect(error?.message.contains("control.sqlite") == true)
            #expect(error?.message.contains("backup") == true)
        }
    }

    @Test("A layout of a newer version is refused")
    func newer() throws {
        try withFolder { folder in
            try CloudStore(directory: folder).close()
            let connection = try SQLiteConnection(path: folder.appendingPathComponent("control.sqlite").path)
            try connection.execute("PRAGMA user_version = 99")
            connection.close()
            let error = #expect(throws: StoreError.self) { try CloudStore(directory: folder) }
            #expect(error?.kind == .invalid)
            #expect(error?.message.contains("newer") == true)
        }
    }

    @Test("A container's file of the layout before subscriptions is brought up to date, and keeps what it has")
    func upgrade() throws {
        try withFolder { folder in
            func open(_ body: (ContainerStore) throws -> Void) throws {
                let store = try CloudStore(directory: folder)
                defer { store.close() }
                try body(try #require(try store.container("iCloud.old", "development", create: true)))
            }
            let key = ZoneKey(scope: .private, owner: "_a", name: "Notes")
            try open { container in _ = try container.writeAndWait { try $0.insertZone(key: key, created: 1) } }
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            let file = try #require(
                files.compactMap { $0 as? URL }.first {
                    $0.pathExtension == "sqlite" && $0.path.contains("iCloud.old")
                })
            let connection = try SQLiteConnection(path: file.path)
            try connection.execute(
                "DROP TABLE subscription; DROP TABLE push_token; DROP TABLE zone_key;"
                    + "DROP TABLE security_role; DROP TABLE role_member; DROP TABLE asset; DROP TABLE asset_reference;"
                    + "ALTER TABLE record_type DROP COLUMN grants;"
                    + "ALTER TABLE record DROP COLUMN sealed; PRAGMA user_version = 1")
            connection.close()
            let row = SubscriptionRow(scope: .private, owner: "_a", name: "s", content: [1])
            for _ in 0..<2 {
                try open { container in
                    #expect(try container.read { try $0.zone(key) } != nil)
                    try container.writeAndWait { try $0.saveSubscription(row) }
                    #expect(try container.read { try $0.subscriptions(scope: .private, owner: "_a") } == [row])
                }
            }
        }
    }

    @Test("A full disk fails the requests in the commit, keeps nothing of them, and passes")
    func fullDisk() throws {
        #expect(crash_vfs_register() == 0)
        defer { crash_vfs_set_room(-1) }
        try withFolder { folder in
            var options = StoreOptions()
            options.fileSystem = "crash"
            options.groupRequests = 8
            let store = try CloudStore(directory: folder, options: options)
            defer { store.close() }
            let container = try #require(try store.container("iCloud.full", "development", create: true))
            let zone = try container.writeAndWait { [key] in try $0.insertZone(key: key, created: 1) }
            let outcomes = Mutex<[String: Bool]>([:])
            @Sendable func save(_ name: String) {
                container.write(
                    { writer in
                        let locked = try #require(try writer.lockZone(zone.id))
                        _ = try writer.insertRecord(
                            RecordRow(
                                zone: zone.id, name: name, type: 1, sequence: locked.sequence + 1,
                                body: Array(repeating: 7, count: 5_000)))
                        try writer.updateZone(
                            id: zone.id, sequence: locked.sequence + 1, addRecords: 1, addBytes: 5_000)
                    },
                    completion: { result in
                        outcomes.withLock {
                            if case .failure(let error) = result {
                                #expect((error as? StoreError)?.kind == .full)
                                $0[name] = false
                            } else {
                                $0[name] = true
                            }
                        }
                    })
            }
            crash_vfs_set_room(300_000)
            for number in 0..<200 { save("a\(number)") }
            let whileFull = Result { try container.writeAndWait { _ = try $0.insertType(name: "T") } }
            #expect(throws: StoreError.self) { try whileFull.get() }
            crash_vfs_set_room(-1)
            for number in 0..<50 { save("b\(number)") }
            try container.writeAndWait { _ = try $0.insertType(name: "U") }
            let expected = outcomes.withLock { Set($0.filter(\.value).keys) }
            #expect(expected.contains { $0.hasPrefix("a") } && expected.contains { $0.hasPrefix("b") })
            #expect(expected.count < 250)
            let (found, row, types) = try container.read { [key] reader in
                var found: Set<String> = []
                try reader.changes(zone: zone.id, after: 0, limit: 1000) {
                    found.insert($0.name)
                    return true
                }
                return (found, try reader.zone(key), try reader.types().map(\.name))
            }
            #expect(found == expected)
            #expect(row?.recordCount == Int64(expected.count))
            #expect(types == ["U"])
        }
    }

    @Test("A request that passes over a full disk is not kept by half")
    func swallowedFullDisk() throws {
        #expect(crash_vfs_register() == 0)
        defer { crash_vfs_set_room(-1) }
        try withFolder { folder in
            var options = StoreOptions()
            options.fileSystem = "crash"
            let store = try CloudStore(directory: folder, options: options)
            defer { store.close() }
            let container = try #require(try store.container("iCloud.half", "development", create: true))
            let zone = try container.writeAndWait { [key] in try $0.insertZone(key: key, created: 1) }
            let large = RecordRow(zone: zone.id, name: "large", type: 1, body: Array(repeating: 7, count: 30_000_000))
            let outcome = Result {
                try container.writeAndWait { writer in
                    // More than the cache holds, so that pages are written before the commit.
                    crash_vfs_set_room(100_000)
                    _ = try? writer.insertRecord(large)
                    crash_vfs_set_room(-1)
                    _ = try? writer.savepoint { try writer.insertType(name: "InSavepoint") }
                    _ = try? writer.insertType(name: "Bare")
                }
            }
            #expect(throws: StoreError.self) { try outcome.get() }
            let types = try container.read { try $0.types() }
            #expect(types.isEmpty)
            try container.writeAndWait { _ = try $0.insertType(name: "Later") }
        }
    }

    @Test("No more files stay open than allowed, and those that were closed open again")
    func openFiles() throws {
        try withFolder { folder in
            var options = StoreOptions()
            options.openFiles = 3
            let store = try CloudStore(directory: folder, options: options)
            defer { store.close() }
            let containers = try (0..<12).map {
                try #require(try store.container("c\($0)", "development", create: true))
            }
            for round in 0..<3 {
                for container in containers {
                    try container.writeAndWait { [key] writer in
                        if round == 0 { _ = try writer.insertZone(key: key, created: 1) }
                        let zone = try #require(try writer.zone(key))
                        try writer.updateZone(id: zone.id, sequence: zone.sequence + 1, addRecords: 0, addBytes: 0)
                    }
                }
            }
            for container in containers {
                let sequence = try container.read { [key] in try $0.zone(key)?.sequence }
                #expect(sequence == 3)
            }
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                return target?.hasPrefix(folder.path + "/containers") == true && target?.hasSuffix(".sqlite") == true
            }
            // A writer's and a reader's handle for each open file.
            #expect(open.count <= 3 * 2)
        }
    }

    @Test("After closing, requests are refused rather than lost")
    func closed() throws {
        try withFolder { folder in
            let store = try CloudStore(directory: folder)
            let container = try #require(try store.container("c", "development", create: true))
            store.close()
            #expect(throws: StoreError.self) { try container.read { _ in } }
            #expect(throws: StoreError.self) { try container.writeAndWait { _ in } }
            #expect(throws: StoreError.self) { try store.control.accounts() }
        }
    }

    @Test(
        "Names of containers cannot leave their folder", arguments: ["../../etc/passwd", "a/b", ".hidden", "ü %41", ""])
    func names(identifier: String) throws {
        try withFolder { folder in
            let store = try CloudStore(directory: folder)
            defer { store.close() }
            _ = try store.container(identifier, "a.b/..", create: true)
            #expect(try store.containers().map(\.identifier) == [identifier])
            #expect(try store.containers().map(\.environment) == ["a.b/.."])
            let files = try FileManager.default.contentsOfDirectory(
                atPath: folder.appendingPathComponent("containers").path)
            #expect(files.contains { $0.hasSuffix(".sqlite") })
        }
    }
}
