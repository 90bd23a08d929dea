import Testing
import WebServices

@testable import CloudServer

@Suite("Order and pages of queries")
struct QueryPagingTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        cloud = try TestCloud()
        device = try cloud.device()
    }

    private let all = RecordsQuery.Query(recordType: "Note")

    private func save(_ name: String, _ count: Int64?, in database: DatabaseScope = .private) throws {
        cloud.clock.advance(milliseconds: 1)
        try device.save(
            .create, .note(name, [("text", .string(name)), ("count", count.map { .int64($0) })]), database: database)
    }

    @Test("Without a sort field records come in the order of their creation")
    func creationOrder() throws {
        for name in ["z", "a", "m"] { try save(name, 1) }
        try device.save(.forceUpdate, .note("z", [("count", .int64(2))]))
        #expect(try device.query(all) == ["z", "a", "m"])
        #expect(try device.query([.init("count", .greaterThan, .int64(0))]) == ["z", "a", "m"])
        #expect(try device.query([.init("count", .in, .list([.int64(2), .int64(1)], of: .int64))]) == ["z", "a", "m"])
    }

    @Test("Records without a value come last in either direction, as they were created")
    func nullsLast() throws {
        try save("n2", nil)
        try save("two", 2)
        try save("n1", nil)
        try save("one", 1)
        for limit in [1, 3, 200] {
            func sorted(_ ascending: Bool) throws -> [String] {
                try device.query([], sort: [.init(.user("count"), ascending: ascending)], limit: limit)
            }
            #expect(try sorted(true) == ["one", "two", "n2", "n1"])
            #expect(try sorted(false) == ["two", "one", "n2", "n1"])
        }
    }

    @Test("Several sort fields, each in its own direction")
    func severalFields() throws {
        for (name, count) in [("b", 1), ("a", 1), ("d", 2), ("c", 2)] { try save(name, Int64(count)) }
        let sort = [
            RecordsQuery.Sort(.user("count"), ascending: false), RecordsQuery.Sort(.user("text"), ascending: true),
        ]
        for limit in 1...5 { #expect(try device.query([], sort: sort, limit: limit) == ["c", "d", "a", "b"]) }
    }

    @Test("A sort field without an index is sorted all the same while records are few")
    func sortByName() throws {
        for name in ["b", "c", "a"] { try save(name, 1) }
        #expect(
            try device.query([], sort: [.init(.system(.recordName), ascending: false)], limit: 2) == ["c", "b", "a"])
        #expect(try device.query([], sort: [.init(.system(.modifiedUserRecordName))]) == ["b", "c", "a"])
        let few = try TestCloud { $0.webLimits.queryRows = 2 }.device()
        for name in ["b", "c", "a"] { try few.save(.create, .note(name)) }
        let error = #expect(throws: ServerError.self) {
            try few.query([], sort: [.init(.system(.recordName))])
        }
        #expect(error?.code == .badRequest)
    }

    @Test("A page holds at most 200 records, whatever is asked for")
    func pageSize() throws {
        for start in stride(from: 0, to: 300, by: 150) {
            _ = try device.modify((start..<start + 150).map { .init(.create, .note("r\($0)")) })
        }
        for limit in [nil, 0, -1, 1000] {
            let page = try device.queryPage(all, limit: limit)
            #expect(page.records.count == 200 && page.continuationMarker != nil)
        }
        #expect(try device.query(all, limit: 70).count == 300)
    }

    @Test("A page is bounded by its bytes, but always holds a record")
    func pageBytes() throws {
        let text = String(repeating: "x", count: 900_000)
        for name in ["a", "b", "c", "d", "e"] { try device.save(.create, .note(name, [("text", .string(text))])) }
        #expect(try device.queryPage(all).records.count == 2)
        #expect(try device.query(all) == ["a", "b", "c", "d", "e"])
    }

    @Test("The last page carries no marker when it is exactly full")
    func exactlyFull() throws {
        for name in ["a", "b"] { try save(name, 1) }
        #expect(try device.queryPage(all, limit: 2).continuationMarker == nil)
        #expect(
            try device.queryPage(
                .init(recordType: "Note", filterBy: [.init("count", .equals, .int64(1))]), limit: 2
            ).continuationMarker == nil)
    }

    @Test("desiredKeys limit the fields, and may be none")
    func desiredKeys() throws {
        try save("a", 1)
        let none = try device.queryPage(all, keys: []).records.first?.record
        #expect(none?.recordName == "a" && none?.fields["text"] == nil)
        let one = try device.queryPage(all, keys: ["count"]).records.first?.record
        #expect(one?.fields["count"] == .int64(1) && one?.fields["text"] == nil)
    }

    @Test("The public database is searched by its creators, the private one by its zones")
    func databases() throws {
        try save("mine", 1, in: .public)
        let other = try cloud.device(of: "berta")
        try other.save(.create, .note("theirs", [("count", .int64(1))]), database: .public)
        let me = try device.user().userRecordName
        let mine = RecordsQuery.Query(
            recordType: "Note", filterBy: [.init(.equals, .system(.createdUserRecordName), .untypedString(me))])
        #expect(try other.query(mine, database: .public) == ["mine"])
        #expect(try other.query(all, database: .public) == ["mine", "theirs"])
        try device.create("Notes")
        try device.save(.create, .note("in zone"), in: TestDevice.notes)
        try save("in default", 1)
        #expect(try device.query(all) == ["in default"])
        #expect(try device.query(all, in: TestDevice.notes) == ["in zone"])
        #expect(try device.query(all, in: TestDevice.notes, zoneWide: true) == ["in zone"])
        #expect(try device.query(all, zoneWide: true) == ["in zone", "in default"])
        #expect(try other.query(all, zoneWide: true).isEmpty)
    }

    @Test("A query can return the zone's token, from which its changes go on")
    func syncToken() throws {
        try device.create("Notes")
        try device.save(.create, .note("a"), in: TestDevice.notes)
        let request = RecordsQuery.Request(query: all, zoneID: TestDevice.notes)
        let reply = try device.reply(.recordsQuery(request), wantsSyncToken: true)
        guard case .success(.recordsQuery(let response)) = reply.result else { throw UnexpectedAnswer() }
        #expect(response.syncToken == (try device.page("Notes")).syncToken)
    }

    @Test("A page that may look at few rows is short or empty, and the next goes on")
    func scarceRows() throws {
        let scarce = try TestCloud {
            $0.webLimits.queryRows = 16
            $0.webLimits.queryGathered = 0
        }.device()
        _ = try scarce.modify((0..<60).map { .init(.create, .note("r\($0)", [("count", .int64(Int64($0)))])) })
        let query = RecordsQuery.Query(
            recordType: "Note", filterBy: [.init("count", .in, .list([.int64(20), .int64(59)], of: .int64))],
            sortBy: [.init(.user("count"))])
        let first = try scarce.queryPage(query)
        #expect(first.records.isEmpty && first.continuationMarker != nil)
        #expect(try scarce.query(query) == ["r20", "r59"])
    }
}
