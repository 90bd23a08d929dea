import CloudStore
import CloudStoreConformance
import Foundation
import OldLayouts
import SQL
import Testing

/// What earlier programs made is opened, brought up to date, and goes on.
@Suite("Layouts of earlier programs")
struct LayoutTests {
    private static let key = OldStore.key

    // MARK: - Containers

    /// A zone with three records, of which one is a tombstone, and whatever else a layout had.
    private static func containerRows(_ version: Int, _ dialect: Dialect, _ tenant: Int) -> [String] {
        func bytes(_ bytes: UInt8...) -> String { OldLayouts.literal(bytes, dialect) }
        let record = { (id: Int, name: String, sequence: Int, parent: String, deleted: Int, body: String) in
            """
            INSERT INTO record (id, zone, name, type, sequence, tag, created_sequence, created, creator, created_device,
                modified, modifier, modified_device, parent, deleted, body)
            VALUES (\(id), 7, '\(name)', 1, \(sequence), \(sequence), 1, 100, '_a', 'phone', 200, '_a', 'phone', \(parent),
                \(deleted), \(body))
            """
        }
        var rows = [
            "INSERT INTO zone VALUES (7, \(tenant), 2, '_a', 'Notes', 1, 0, 3, 0, 100, 2, 30)",
            "INSERT INTO deleted_zone VALUES (\(tenant), 2, '_a', 6, 'Gone', 1, 90, 1)",
            "INSERT INTO owner_usage VALUES (\(tenant), 2, '_a', 0, 2, 30)",
            "INSERT INTO token_state VALUES (\(tenant), \(bytes(1)), \(bytes(2)), 9000)",
            """
            INSERT INTO meta VALUES (\(tenant), 'zone', 7), (\(tenant), 'type', 1), (\(tenant), 'field', 1),
                (\(tenant), 'schema', 2)
            """,
            record(11, "n1", 1, "NULL", 0, bytes(1, 2, 3)), record(12, "n2", 2, "'n1'", 0, bytes(4)),
            record(13, "n3", 3, "NULL", 1, bytes()), "INSERT INTO index_entry VALUES (7, 1, \(bytes(7)), 11)",
            "INSERT INTO reference VALUES (7, 'n1', 1, 12)",
            "INSERT INTO record_type (container, id, name) VALUES (\(tenant), 1, 'Note')",
            "INSERT INTO field VALUES (\(tenant), 1, 1, 'title', 1, 1)",
        ]
        if version >= 2 {
            rows += [
                "INSERT INTO subscription VALUES (\(tenant), 2, '_a', 's', \(bytes(8)))",
                "INSERT INTO push_token VALUES (\(tenant), 't', '_a', 'c', 'phone', 50)",
            ]
        }
        if version >= 3 {
            rows += [
                "INSERT INTO zone_key VALUES (\(tenant), 7, 'k1', \(bytes(9)))",
                "UPDATE record SET sealed = \(bytes(5)) WHERE name = 'n2'",
            ]
        }
        if version >= 4 {
            rows += [
                "UPDATE record_type SET grants = 'g'", "INSERT INTO security_role VALUES (\(tenant), 'Editor')",
                "INSERT INTO role_member VALUES (\(tenant), '_a', 'Editor')",
            ]
        }
        return rows
    }

    @Test(
        "A container keeps what it has and is counted as before, and takes what is new", arguments: 1...4,
        OldStore.Engine.allCases)
    func container(version: Int, engine: OldStore.Engine) throws {
        try OldStore.with(
            engine, control: 1, container: version, rows: { Self.containerRows(version, $0, $1) }
        ) { old in
            try old.openContainer { container in
                try Self.expectOldRows(container, version)
                try Self.work(container)
            }
            // Opened again it is what it was left as.
            try old.openContainer { container in
                try Self.expectOldRows(container, version, added: ["n4"], usage: 40)
                let (assets, unused) = try container.read {
                    (try $0.assets(after: [], limit: 9), try $0.unusedAssetBytes(scope: .private, owner: "_a"))
                }
                #expect(assets.map(\.referenceCount) == [1, 0])
                #expect(unused == 50)
            }
        }
    }

    private static func expectOldRows(
        _ container: ContainerStore, _ version: Int, added: [String] = [], usage: Int64 = 30
    ) throws {
        try container.read { reader in
            let zone = try #require(try reader.zone(key))
            let count = Int64(added.count)
            #expect(
                zone
                    == ZoneRow(
                        id: 7, key: key, sequence: 3 + count, created: 100, recordCount: 2 + count, byteCount: usage))
            #expect(try reader.ownerUsage(scope: .private, owner: "_a") == usage)
            #expect(try reader.deletedZones(scope: .private, owner: "_a").map(\.key.name) == ["Gone"])
            var rows: [RecordRow] = []
            try reader.changes(zone: 7, after: 0, limit: 10) {
                rows.append($0)
                return true
            }
            #expect(rows.map(\.name) == ["n1", "n2", "n3"] + added)
            #expect(rows.prefix(3).map(\.body) == [[1, 2, 3], [4], []])
            #expect(rows.prefix(3).map(\.deleted) == [false, false, true])
            #expect(rows[1].parent == "n1")
            #expect(rows[1].sealed == (version >= 3 ? [5] : []))
            #expect(rows[0].createdDevice == "phone" && rows[0].modified == 200)
            var found: [String] = []
            try reader.scanIndex(zone: 7, field: 1, from: [7], to: [7]) { _, record in
                found.append(record.name)
                return true
            }
            #expect(found == ["n1"] + added)
            #expect(try reader.references(to: "n1", zone: 7, limit: 9).map(\.source) == [12])
            let types = try reader.types()
            #expect(types.first == TypeRow(id: 1, name: "Note", grants: version >= 4 ? "g" : nil))
            #expect(try reader.fields().first?.name == "title")
            guard version >= 2 else { return }
            #expect(try reader.subscription(scope: .private, owner: "_a", name: "s")?.content == [8])
            #expect(try reader.pushTokens(owner: "_a").map(\.token) == ["t"])
            guard version >= 3 else { return }
            #expect(try reader.zoneKey(zone: 7)?.wrapped == [9])
            guard version >= 4 else { return }
            #expect(try reader.roles(of: "_a").contains("Editor"))
        }
    }

    /// Uses what is old, and everything that any later layout brought.
    private static func work(_ container: ContainerStore) throws {
        try container.writeAndWait { writer in
            let zone = try #require(try writer.lockZone(key))
            let id = try writer.insertRecord(
                RecordRow(zone: zone.id, name: "n4", type: 1, sequence: 4, body: [6], sealed: [7]))
            #expect(id > 13)
            try writer.updateZone(id: zone.id, sequence: 4, addRecords: 1, addBytes: 10)
            try writer.insertIndexEntries(zone: zone.id, record: id, [IndexKey(field: 1, value: [7])])
            for (byte, size) in [(1, 20), (2, 50)] as [(UInt8, Int64)] {
                let name = [UInt8](repeating: byte, count: AssetRow.idLength)
                _ = try writer.insertAsset(
                    AssetRow(id: name, scope: .private, owner: "_a", digest: name + name, size: size, expires: 9000))
                if byte == 1 { try writer.referToAssets(zone: zone.id, record: id, [name]) }
            }
            try writer.saveSubscription(SubscriptionRow(scope: .private, owner: "_a", name: "new", content: [1]))
            try writer.savePushToken(PushTokenRow(token: "new", owner: "_b", created: 1))
            let other = try writer.insertZone(key: ZoneKey(scope: .private, owner: "_b", name: "Z"), created: 1)
            #expect(other.id > 7)
            _ = try writer.insertZoneKey(ZoneKeyRow(zone: other.id, wrappingKey: "k2", wrapped: [3]))
            #expect(try writer.insertType(name: "Page", grants: "w").id > 1)
            try writer.insertRole("Reader")
            try writer.insertRoleMember(RoleMemberRow(owner: "_b", role: "Reader"))
            #expect(try writer.tokenState([1])?.content == [2])
        }
    }

    // MARK: - The control store

    private static func controlRows(_ version: Int, _ dialect: Dialect) -> [String] {
        func bytes(_ bytes: UInt8...) -> String { OldLayouts.literal(bytes, dialect) }
        var rows = [
            "INSERT INTO account VALUES ('1', 'anna', 'hash', 10, 3, 'Anna', NULL)",
            "INSERT INTO session VALUES ('s', '1', 10, 9000, 0)",
            """
            INSERT INTO api_token (token_hash, container, environment, origins, note, created, prefix)
            VALUES (\(bytes(1, 2)), 'iCloud.old', 'development', 'https://a.example', 'mine', 10, 'ab')
            """,
            "INSERT INTO container VALUES ('iCloud.old', 10, 500)",
            "INSERT INTO setting VALUES ('secret', \(bytes(4, 5)))",
        ]
        if version >= 2 {
            rows.append("INSERT INTO server_key VALUES ('k', 'iCloud.old', 'production', \(bytes(6)), 'server', 20)")
        }
        if version >= 3 { rows.append("UPDATE api_token SET callback = 'https://a.example/in'") }
        return rows
    }

    @Test(
        "Accounts, sessions, tokens, keys and settings are kept, and what is new is there", arguments: 1...3,
        OldStore.Engine.allCases)
    func control(version: Int, engine: OldStore.Engine) throws {
        let token = APITokenRow(
            tokenHash: [1, 2], container: "iCloud.old", environment: "development", origins: "https://a.example",
            callback: version >= 3 ? "https://a.example/in" : "", note: "mine", created: 10, prefix: "ab")
        let account = AccountRow(
            id: "1", name: "anna", passwordHash: "hash", created: 10, generation: 3, firstName: "Anna")
        let person = DiscoverabilityRow(
            container: "iCloud.old", userRecordName: "_a", account: "1", isGranted: true)
        try OldStore.with(
            engine, control: version, container: 5,
            rows: { dialect, _ in
                Self.controlRows(version, dialect)
            }
        ) { old in
            for round in 0..<2 {
                try old.open { store in
                    let control = store.control
                    #expect(try control.account(name: "anna") == account)
                    #expect(try control.session(id: "s")?.expires == 9000)
                    #expect(try control.apiTokens() == [token])
                    #expect(
                        try control.containers()
                            == [RegisteredContainerRow(identifier: "iCloud.old", created: 10, requestLogLife: 500)])
                    #expect(try control.setting("secret") == [4, 5])
                    let keys = try control.serverKeys()
                    #expect(keys.map(\.id) == (version >= 2 ? ["k"] : []) + (round == 1 ? ["new"] : []))
                    if round == 0 {
                        try control.setDiscoverability(person, replacing: true)
                        try control.insertServerKey(
                            ServerKeyRow(
                                id: "new", container: "iCloud.old", environment: "production", publicKey: [1],
                                created: 30))
                    }
                    #expect(try control.discoverability(account: "1") == [person])
                }
            }
        }
    }

    // MARK: - All of it

    @Test(
        "What was brought up to date has the tables, columns and indexes of a new one", arguments: 1...4,
        OldStore.Engine.allCases)
    func shape(version: Int, engine: OldStore.Engine) throws {
        func shape(_ control: Int, _ container: Int) throws -> Set<String> {
            var shape: Set<String> = []
            try OldStore.with(engine, control: control, container: container, rows: { _, _ in [] }) { old in
                try old.openContainer { _ = try $0.read { try $0.types() } }
                shape = try old.shape()
            }
            return shape
        }
        let upgraded = try shape(min(version, OldLayouts.present.control), version)
        #expect(upgraded == (try shape(OldLayouts.present.control, OldLayouts.present.container)))
        // And those are what this program makes itself.
        try withFolder { folder in
            guard engine == .sqlite else { return }
            let store = try CloudStore(directory: folder)
            _ = try #require(try store.container(OldStore.container, "development", create: true)).read {
                try $0.types()
            }
            store.close()
            var made: Set<String> = []
            for name in ["control.sqlite", OldStore.containerFile] {
                let connection = try SQLiteConnection(path: folder.appendingPathComponent(name).path)
                defer { connection.close() }
                let statement = try connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
                defer { statement.reset() }
                while try statement.step() {
                    made.insert(statement.text(0).filter { !$0.isWhitespace && $0 != "\"" })
                }
            }
            #expect(made == upgraded)
        }
    }

    @Test("A PostgreSQL database of the first layouts keeps every promise of the store afterwards")
    func conformance() throws {
        try OldStore.with(.postgres, control: 1, container: 1, rows: { Self.containerRows(1, $0, $1) }) { old in
            try old.open { store in
                for promise in ConformanceCase.all {
                    let name = "case" + UUID().uuidString.replacingOccurrences(of: "-", with: "")
                    try promise.run(ConformanceSubject(store: store, name: name))
                }
            }
            try old.openContainer { try Self.expectOldRows($0, 1) }
        }
    }

    @Test("A layout that is newer than the program is refused in plain words and left as it is")
    func newer() throws {
        for file in ["control.sqlite", "requests.sqlite", OldStore.containerFile] {
            try OldStore.with(.sqlite, control: 4, container: 5, rows: { _, _ in [] }) { old in
                try old.openContainer { _ = try $0.read { try $0.types() } }
                try old.run(["PRAGMA user_version = 99"], file)
                try Self.expectRefusal(old)
                #expect(try old.column("PRAGMA user_version", file) == ["99"])
            }
        }
        for name in ["control store", "request log", "container store"] {
            try OldStore.with(.postgres, control: 4, container: 5, rows: { _, _ in [] }) { old in
                try old.open { _ in }
                try old.run(["UPDATE store_version SET version = 99 WHERE name = '\(name)'"])
                try Self.expectRefusal(old)
                #expect(try old.column("SELECT version::text FROM store_version WHERE name = '\(name)'") == ["99"])
            }
        }
    }

    private static func expectRefusal(_ old: OldStore) throws {
        let error = #expect(throws: StoreError.self) {
            try old.openContainer { _ = try $0.read { try $0.types() } }
        }
        #expect(error?.kind == .invalid)
        #expect(error?.message.contains("has layout 99 of a newer Stratus") == true)
        #expect(error?.message.contains("Use the newer one") == true)
    }

    @Test(
        "An upgrade that fails leaves the old layout as it was, to be tried again", arguments: OldStore.Engine.allCases)
    func failing(engine: OldStore.Engine) throws {
        try OldStore.with(engine, control: 1, container: 3, rows: { Self.containerRows(3, $0, $1) }) { old in
            // In the way of the last step; the one before it went well.
            try old.run(["CREATE TABLE asset_reference (x BIGINT)"], OldStore.containerFile)
            #expect(throws: StoreError.self) {
                try old.openContainer { _ = try $0.read { try $0.types() } }
            }
            switch engine {
            case .sqlite: #expect(try old.column("PRAGMA user_version", OldStore.containerFile) == ["3"])
            case .postgres:
                let sql = "SELECT version::text FROM store_version WHERE name = 'container store'"
                #expect(try old.column(sql) == ["3"])
            }
            try old.run(["DROP TABLE asset_reference"], OldStore.containerFile)
            try old.openContainer { try Self.expectOldRows($0, 3) }
        }
    }
}
