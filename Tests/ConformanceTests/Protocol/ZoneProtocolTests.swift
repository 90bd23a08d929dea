import CloudKit
import CloudServer
import Testing
import WebServices

@Suite("Zones and older forms") struct ZoneProtocolTests {
    @Test(
        "A zone that exists stays, one that does not is ZONE_NOT_FOUND, and look-ups say which",
        .behaviour("zone.create-existing", "zone.delete-missing", "zone.lookup"), arguments: Wire.allCases)
    func modify(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        try await caller.save(.create, item("a", zone: Caller.zone))
        #expect(try await caller.zones([.init(.create, Caller.zone)])[0].failure == nil)
        #expect(try await caller.lookup(["a"], Caller.zone)[0].failure == nil)
        let nowhere = ZoneID(zoneName: "Nowhere")
        #expect(try await caller.zones([.init(.delete, nowhere)])[0].failure?.code == .zoneNotFound)
        guard case .zones(let found) = try await caller.answer(.zonesLookup(.init(zones: [nowhere, Caller.zone])))
        else {
            throw Caller.UnexpectedAnswer()
        }
        #expect(found.zones.map { $0.failure?.code } == [.zoneNotFound, nil])
    }

    @Test(
        "A zone's token and a query's token are good starts for its changes",
        .behaviour("zone.token", "changes.query-token"), arguments: Wire.allCases)
    func tokens(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        try await caller.save(.create, item("old", zone: Caller.zone))
        guard case .zones(let list) = try await caller.answer(.zonesList),
            case .zone(let zone)? = list.zones.first(where: { $0.name == "Zone" })
        else { throw Caller.UnexpectedAnswer() }
        let query = RecordsQuery.Request(query: .init(recordType: "Item"), zoneID: Caller.zone)
        let call = Call(
            container: caller.container, database: .private,
            credentials: Credentials(apiToken: caller.apiToken, webAuthToken: caller.webAuthToken),
            operation: .recordsQuery(query), wantsSyncToken: true)
        guard case .recordsQuery(let response) = try await caller.transport.send(call, limits: .init()).result.get()
        else {
            throw Caller.UnexpectedAnswer()
        }
        try await caller.save(.create, item("new", zone: Caller.zone))
        for token in [zone.syncToken, response.syncToken] {
            let start: String = try #require(token)
            let changes = try await caller.changes(.init(zoneID: Caller.zone, syncToken: start))
            #expect(changes.records.map(\.recordName) == ["new"])
        }
    }

    @Test(
        "records/changes is the older form of the same feed", .behaviour("changes.records-changes"),
        arguments: Wire.allCases)
    func recordsChanges(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        for name in ["a", "b", "c"] { try await caller.save(.create, item(name, zone: Caller.zone)) }
        var names: [String] = []
        var token: String?
        for _ in 0..<3 {
            let request = RecordsChanges.Request(zoneID: Caller.zone, syncToken: token, resultsLimit: 2)
            guard case .recordsChanges(let page) = try await caller.answer(.recordsChanges(request)) else {
                throw Caller.UnexpectedAnswer()
            }
            names += page.records.map(\.recordName)
            token = page.syncToken
            if !page.moreComing { break }
        }
        #expect(names == ["a", "b", "c"])
    }

    @Test(
        "desiredKeys and desiredRecordTypes limit a feed", .behaviour("changes.desired-keys"), arguments: Wire.allCases)
    func desired(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        try await caller.save(.create, item("a", ["one": .int64(1), "two": .int64(2)], zone: Caller.zone))
        try await caller.save(.create, Record(recordName: "b", recordType: "Other", zoneID: Caller.zone))
        let page = try await caller.changes(
            .init(zoneID: Caller.zone, desiredKeys: ["two"], desiredRecordTypes: ["Item"]))
        #expect(page.records.map(\.recordName) == ["a"])
        #expect(page.records.first?.fields.count == 1)
    }

    @Test(
        "A reader from the start is not told of the deletion of what it never had", .behaviour("changes.never-seen"),
        arguments: Wire.allCases)
    func neverSeen(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        try await caller.save(.create, item("brief", zone: Caller.zone))
        try await caller.save(.create, item("lasting", zone: Caller.zone))
        try await caller.save(.forceDelete, item("brief", zone: Caller.zone))
        let page = try await caller.changes(.init(zoneID: Caller.zone))
        #expect(page.records.map(\.recordName) == ["lasting"])
    }

    @Test(
        "A parent is there before its child goes in, and stays until it is gone",
        .behaviour("reference.parent-missing", "reference.parent-delete"), arguments: Wire.allCases)
    func parents(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        func child(_ name: String, of parent: String) -> Record {
            var record = item(name, zone: Caller.zone)
            record.parent = .reference(Reference(recordName: parent))
            return record
        }
        let orphan = try await caller.modify([.init(.create, child("c", of: "p"))], Caller.zone)[0]
        #expect(orphan.failure?.code == .validatingReferenceError)
        let family = try await caller.modify(
            [.init(.create, child("c", of: "p")), .init(.create, item("p", zone: Caller.zone))], Caller.zone)
        #expect(family.allSatisfy { $0.failure == nil })
        let refused = try await caller.modify([.init(.forceDelete, item("p"))], Caller.zone)[0]
        #expect(refused.failure?.code == .validatingReferenceError)
    }
}
