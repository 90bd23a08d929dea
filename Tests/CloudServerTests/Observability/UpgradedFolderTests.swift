import CloudStore
import Foundation
import OldLayouts
import SQL
import Testing
import WebServices

@testable import CloudServer

/// A folder that an earlier program left: devices go on where they were.
@Suite("A folder of an earlier program")
struct UpgradedFolderTests {
    @Test("Devices, tokens, queries and quotas go on, and files can be saved", arguments: 1...4)
    func upgraded(version: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-old-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        func open(_ body: (TestCloud) throws -> Void) throws {
            let store = try CloudStore(directory: folder, options: StoreOptions(execution: .inline))
            defer { store.close() }
            try body(try TestCloud(store: store) { $0.accountQuota = 20_000 })
        }
        let names = (0..<10).map { "n\($0)" }
        let text = FieldValue.string(String(repeating: "x", count: 1000))
        var credentials = Credentials(apiToken: nil)
        var (usage, token): (Int64, String?) = (0, nil)
        try open { cloud in
            let device = try cloud.device()
            try device.create("Notes")
            _ = try device.modify(
                names.enumerated().map { number, name in
                    .init(.create, .note(name, [("t", text), ("n", .int64(Int64(number)))]))
                }, in: TestDevice.notes)
            try device.delete("n9", in: "Notes")
            credentials = device.credentials
            usage = try Self.usage(device)
            token = try device.page("Notes").syncToken
        }
        let container = "containers/\(TestCloud.container).development.sqlite"
        try Self.takeBack(folder.appendingPathComponent("control.sqlite"), OldLayouts.control(min(version, 3), .sqlite))
        try Self.takeBack(folder.appendingPathComponent(container), OldLayouts.container(version, .sqlite))

        try open { cloud in
            let device = TestDevice(
                cloud: cloud, credentials: credentials, client: .webServices, environment: .development)
            let found = try device.lookup(names, in: TestDevice.notes)
            #expect(found.compactMap(\.record?.recordName) == Array(names.prefix(9)))
            #expect(found.first?.record?.fields["t"] == text)
            let query = RecordsQuery.Query(
                recordType: "Note", filterBy: [.init(.greaterThan, .user("n"), .typed(.int64(5)))],
                sortBy: [.init(.user("n"), ascending: false)])
            #expect(
                try device.queryPage(query, in: TestDevice.notes).records.compactMap(\.record?.recordName)
                    == ["n8", "n7", "n6"])
            // The token of before is good, and nothing has changed since.
            #expect(try device.page("Notes", token).records.isEmpty)
            #expect(try Self.usage(device) == usage)
            let file = [UInt8](repeating: 7, count: 3000)
            let asset = try device.upload(file, in: TestDevice.notes)
            let saved = try device.save(.create, .note("new", [("x", .asset(asset))]), in: TestDevice.notes)
            #expect(try device.fetch(try #require(saved.downloadURL())) == file)
            #expect(try device.page("Notes", token).records.map(\.recordName) == ["new"])
            // What was there before counts to the quota.
            let large = FieldValue.string(String(repeating: "x", count: Int(20_000 - usage) - 3000))
            let refused = try device.failure(.create, .note("large", [("t", large)]), in: TestDevice.notes)
            #expect(refused?.code == .quotaExceeded)
            try device.delete(zone: "Notes")
            #expect(try Self.usage(device) == 0)
        }
    }

    private static func usage(_ device: TestDevice) throws -> Int64 {
        let owner = try device.user().userRecordName
        return try device.store.read { try $0.ownerUsage(scope: .private, owner: owner) }
    }

    /// Puts the rows of a file into the tables of an older layout.
    private static func takeBack(_ file: URL, _ tables: [String]) throws {
        let newer = file.appendingPathExtension("newer")
        try FileManager.default.moveItem(at: file, to: newer)
        let connection = try SQLiteConnection(path: file.path)
        defer { connection.close() }
        for statement in tables { try connection.execute(statement) }
        try connection.execute("ATTACH '\(newer.path)' AS newer")
        func column(_ sql: String) throws -> [String] {
            let statement = try connection.prepare(sql)
            defer { statement.reset() }
            var values: [String] = []
            while try statement.step() { values.append(statement.text(0)) }
            return values
        }
        for table in try column("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            let columns = try column("SELECT name FROM pragma_table_info('\(table)')").joined(separator: ", ")
            try connection.execute("INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM newer.\(table)")
        }
        try connection.execute("DETACH newer")
        try FileManager.default.removeItem(at: newer)
    }
}
