import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("changes/zone and records/changes")
struct ChangesZoneTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        cloud = try TestCloud()
        device = try cloud.device()
        try device.create("Notes")
    }

    private func save(_ name: String, _ text: String = "x", type: String = "Note", zone: String = "Notes") throws {
        try device.save(
            .forceUpdate, .note(name, type: type, [("text", .string(text)), ("more", .int64(1))]),
            in: ZoneID(zoneName: zone))
    }

    @Test("Every record comes once, in its newest state, and with it the fields")
    func newestState() throws {
        try save("a", "first")
        try save("b")
        try save("a", "second")
        let page = try device.page("Notes")
        #expect(page.records.map(\.recordName) == ["b", "a"])
        #expect(page.records[1].fields["text"] == .string("second"))
        #expect(page.records[1].zoneID?.zoneName == "Notes")
        #expect(!page.moreComing)
        let again = try device.page("Notes", page.syncToken)
        #expect(again.records.isEmpty && !again.moreComing && again.syncToken == page.syncToken)
    }

    @Test("Pages of any size bring the same records and end with the same token", arguments: [1, 2, 3, 7, 200])
    func pageSizes(limit: Int) throws {
        for number in 0..<12 { try save("r\(number)") }
        for number in stride(from: 0, to: 12, by: 3) { try device.delete("r\(number)", in: "Notes") }
        for reverse in [nil, true] {
            var names: [String] = []
            var token: String?
            var more = true
            while more {
                let page = try device.page("Notes", token, limit: limit, reverse: reverse)
                names += page.records.map(\.recordName)
                (token, more) = (page.syncToken, page.moreComing)
            }
            let expected = (0..<12).filter { $0 % 3 != 0 }.map { "r\($0)" }
            #expect(names == (reverse == true ? expected.reversed() : expected))
            #expect(token == (try device.page("Notes", limit: 200)).syncToken)
        }
    }

    @Test("A deleted record carries its name and tag; its type only for our own client")
    func tombstones() throws {
        try save("a")
        let token = try device.page("Notes").syncToken
        try device.delete("a", in: "Notes")
        let record = try #require(try device.page("Notes", token).records.first)
        #expect(record.deleted && record.recordName == "a" && record.recordType == nil)
        #expect(record.recordChangeTag != nil)
        let native = try cloud.device(native: true)
        #expect(try native.page("Notes", token).records.first?.recordType == "Note")
        #expect(try native.page("Notes").records.isEmpty, "a first read needs no tombstones")
    }

    @Test("An empty token means caught up")
    func emptyToken() throws {
        try save("a")
        let page = try device.page("Notes", "")
        #expect(page.records.isEmpty && !page.moreComing)
        #expect(page.syncToken == (try device.page("Notes")).syncToken)
    }

    @Test("desiredKeys and desiredRecordTypes limit what comes")
    func desires() throws {
        try save("a")
        try save("t", type: "Task")
        #expect(try device.page("Notes", keys: ["text"]).records.first?.fields["more"] == nil)
        #expect(try device.page("Notes", keys: []).records.first?.fields["text"] == nil)
        let tasks = try device.page("Notes", types: ["Task"])
        #expect(tasks.records.map(\.recordName) == ["t"])
        #expect(tasks.syncToken == (try device.page("Notes")).syncToken)
        #expect(try device.page("Notes", types: ["Nothing"]).records.isEmpty)
    }

    @Test("A zone that fails does not stop the others")
    func independentZones() throws {
        try device.create("Other")
        try save("a")
        let results = try device.zoneChanges([
            .init(zoneID: ZoneID(zoneName: "Missing")), .init(zoneID: TestDevice.notes), .init(zoneID: .default),
            .init(zoneID: ZoneID(zoneName: "Other"), syncToken: "bm8gdG9rZW4gYXQgYWxs"),
        ])
        let errors = results.map { result -> ServerError? in
            if case .failure(_, let error) = result { error } else { nil }
        }
        #expect(errors.map { $0?.code } == [.zoneNotFound, nil, .badRequest, .badRequest])
        #expect(errors[2]?.reason == "cannot get changes in default zone")
        #expect(errors[3]?.reason == "Unknown sync continuation type")
    }

    @Test("The zones of one request share one budget, and those left out say that more is coming")
    func budget() throws {
        let zones = ["A", "B", "C"]
        for zone in zones {
            try device.create(zone)
            let operations = (0..<150).map { RecordsModify.Operation(.forceUpdate, .note("r\($0)")) }
            _ = try device.modify(operations, in: ZoneID(zoneName: zone))
        }
        var tokens: [String: String] = [:]
        var counts: [String: Int] = [:]
        var rounds = 0
        var open = Set(zones)
        while !open.isEmpty {
            let results = try device.zoneChanges(
                open.sorted().map { .init(zoneID: ZoneID(zoneName: $0), syncToken: tokens[$0]) })
            for case .page(let page) in results {
                counts[page.zoneID.zoneName, default: 0] += page.records.count
                tokens[page.zoneID.zoneName] = page.syncToken
                if !page.moreComing { open.remove(page.zoneID.zoneName) }
            }
            rounds += 1
        }
        #expect(counts == ["A": 150, "B": 150, "C": 150])
        #expect(rounds == 2)
    }

    @Test("A page is bounded by its bytes")
    func bytes() throws {
        let text = String(repeating: "x", count: 900_000)
        for name in ["a", "b", "c", "d", "e"] { try save(name, text) }
        #expect(try device.page("Notes").records.count == 2)
        #expect(try device.page("Notes").moreComing)
    }

    @Test("The token of a zone that was deleted and made again is expired, and so is another zone's")
    func madeAgain() throws {
        try save("a")
        let token = try device.page("Notes").syncToken
        try device.delete(zone: "Notes")
        #expect(throws: ServerError.zoneNotFound) { try device.page("Notes", token) }
        try device.create("Notes", "Other")
        for zone in ["Notes", "Other"] {
            let error = #expect(throws: ServerError.self) { try device.page(zone, token) }
            #expect(error?.code == .changeTokenExpired)
        }
        #expect(try device.page("Notes").records.isEmpty)
    }

    @Test("A token behind the clean-up of tombstones is expired; one read that began before goes on")
    func horizon() throws {
        for name in ["a", "b", "c", "d"] { try save(name) }
        try device.delete("b", in: "Notes")
        let early = try device.page("Notes", limit: 1)
        var old = try device.page("Notes", limit: 200).syncToken
        try device.delete("c", in: "Notes")
        let middle = old
        old = try device.page("Notes", limit: 200).syncToken
        let key = ZoneKey(scope: .private, owner: try device.user().userRecordName, name: "Notes")
        let zone = try #require(try device.store.read { try $0.zone(key) })
        _ = try device.store.writeAndWait { try $0.expireTombstones(zone: zone.id, through: 5, limit: 100) }
        // Reading began when "b" was deleted (5) already.
        #expect(try device.page("Notes", early.syncToken).records.map(\.recordName) == ["d", "c"])
        #expect(try device.page("Notes", middle).records.map(\.recordName) == ["c"])
        _ = try device.store.writeAndWait { try $0.expireTombstones(zone: zone.id, through: 6, limit: 100) }
        for token in [early.syncToken, middle] {
            let error = #expect(throws: ServerError.self) { try device.page("Notes", token) }
            #expect(error?.code == .changeTokenExpired)
        }
        #expect(try device.page("Notes", old).records.isEmpty)
    }

    @Test("records/changes reads one zone; neither call exists in the public database")
    func recordsChanges() throws {
        try save("a")
        let request = RecordsChanges.Request(zoneID: TestDevice.notes)
        guard case .recordsChanges(let response) = try device.answer(.recordsChanges(request)) else {
            throw UnexpectedAnswer()
        }
        #expect(response.records.map(\.recordName) == ["a"] && !response.moreComing && !response.reverse)
        #expect(response.syncToken == (try device.page("Notes")).syncToken)
        let inDefault = try device.error(.recordsChanges(RecordsChanges.Request(zoneID: .default)))
        #expect(inDefault?.reason == "cannot get changes in default zone")
        for operation: ServerOperation in [
            .recordsChanges(request), .changesZone(.init(zones: [.init(zoneID: .default)])),
            .changesDatabase(.init()),
        ] {
            let error = try device.error(operation, in: .public)
            #expect(error?.reason == "endpoint not applicable in the database type 'publicdb'")
        }
    }

    @Test("Two devices that read while others write end with what the server has", arguments: 0..<12)
    func randomHistory(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var token: String?
        var known: [String: String] = [:]
        func read(limit: Int) throws -> Bool {
            let page = try device.page("Notes", token, limit: limit, reverse: Bool.random(using: &random))
            for record in page.records { known[record.recordName] = record.deleted ? nil : record.recordChangeTag }
            token = page.syncToken
            return page.moreComing
        }
        for _ in 0..<60 {
            let name = "r\(Int.random(in: 0..<8, using: &random))"
            switch Int.random(in: 0..<6, using: &random) {
            case 0..<3: try save(name)
            case 3: try device.delete(name, in: "Notes")
            default: _ = try read(limit: Int.random(in: 1...3, using: &random))
            }
        }
        while try read(limit: 2) {}
        let live = try device.lookup((0..<8).map { "r\($0)" }, in: TestDevice.notes).compactMap(\.record)
        #expect(known == Dictionary(uniqueKeysWithValues: live.map { ($0.recordName, $0.recordChangeTag) }))
    }
}
