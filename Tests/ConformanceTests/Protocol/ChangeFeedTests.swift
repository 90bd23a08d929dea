import CloudKitTesting
import CloudServer
import Testing
import WebServices

@Suite("Change feeds") struct ChangeFeedTests {
    private func names(_ page: ChangesZone.Page) -> [String] { page.records.map(\.recordName) }

    @Test(
        "From the start, caught up, and each record once in its newest state",
        .behaviour("changes.from-start", "changes.once", "changes.caught-up", "changes.deleted", "changes.empty-token"),
        arguments: Wire.allCases)
    func feed(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        for name in ["a", "b", "c"] { try await caller.save(.create, item(name, ["n": .int64(1)], zone: Caller.zone)) }
        try await caller.save(.forceUpdate, item("a", ["n": .int64(2)], zone: Caller.zone))
        let start = try await caller.changes(.init(zoneID: Caller.zone))
        #expect(names(start) == ["b", "c", "a"])
        #expect(start.records.last?.fields["n"] == .int64(2))
        #expect(!start.moreComing)
        let idle = try await caller.changes(.init(zoneID: Caller.zone, syncToken: start.syncToken))
        #expect(idle.records.isEmpty && idle.syncToken == start.syncToken)
        try await caller.save(.forceDelete, item("b", zone: Caller.zone))
        let next = try await caller.changes(.init(zoneID: Caller.zone, syncToken: start.syncToken))
        #expect(names(next) == ["b"])
        #expect(next.records.first?.deleted == true)
        let empty = try await caller.changes(.init(zoneID: Caller.zone, syncToken: ""))
        #expect(empty.records.isEmpty && !empty.moreComing)
    }

    @Test(
        "Pages of any size lead to the same end; tokens can be used again",
        .behaviour("changes.page-size", "changes.reuse"), arguments: Wire.allCases)
    func pages(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        for half in [0..<150, 150..<300] {
            _ = try await caller.modify(half.map { .init(.create, item("n\($0)")) }, Caller.zone)
        }
        let large = try await caller.changes(.init(zoneID: Caller.zone, resultsLimit: 400))
        #expect(large.records.count == 200)
        #expect(large.moreComing)
        let again = try await caller.changes(.init(zoneID: Caller.zone, resultsLimit: 400))
        #expect(again.syncToken == large.syncToken)
        var seen: [String] = []
        var token: String?
        repeat {
            let page = try await caller.changes(.init(zoneID: Caller.zone, syncToken: token, resultsLimit: 70))
            seen += names(page)
            token = page.syncToken
            if !page.moreComing { break }
        } while seen.count < 1000
        #expect(seen == (0..<300).map { "n\($0)" })
    }

    @Test(
        "Tokens that are none, cut short, of a database or of another zone are refused, each its own way",
        .behaviour("changes.not-a-token", "changes.truncated-token", "changes.database-token", "changes.foreign-token"),
        arguments: Wire.allCases)
    func badTokens(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let other = ZoneID(zoneName: "Other")
        try await caller.makeZone()
        try await caller.makeZone(other)
        try await caller.save(.create, item("a", zone: other))
        let foreign = try await caller.changes(.init(zoneID: other)).syncToken
        guard case .changesDatabase(let database) = try await caller.answer(.changesDatabase(.init())) else {
            throw Caller.UnexpectedAnswer()
        }
        func refusal(_ token: String) async throws -> ServerError? {
            do {
                _ = try await caller.changes(.init(zoneID: Caller.zone, syncToken: token))
                return nil
            } catch let error as ServerError {
                return error
            }
        }
        #expect(try await refusal("bm90IGEgdG9rZW4=")?.reason == "Unknown sync continuation type")
        #expect(try await refusal(String(foreign.dropLast(4)))?.reason == "Invalid continuation format")
        #expect(try await refusal(database.syncToken)?.code == .badRequest)
        #expect(try await refusal(foreign)?.code == .changeTokenExpired)
    }

    @Test(
        "A token older than the clean-up of deletions is expired", .behaviour("changes.expired-token"),
        arguments: Wire.allCases)
    func missingZone(_ wire: Wire) async throws {
        let world = try World(wire) { $0.tombstoneLife = 1000 }
        let caller = try await world.caller()
        try await caller.makeZone()
        try await caller.save(.create, item("a", zone: Caller.zone))
        try await caller.save(.create, item("b", zone: Caller.zone))
        let token = try await caller.changes(.init(zoneID: Caller.zone)).syncToken
        try await caller.save(.forceDelete, item("a", zone: Caller.zone))
        try await caller.save(.forceUpdate, item("b", zone: Caller.zone))
        world.cloud.clock.advance(by: .seconds(3600))
        try world.cloud.runMaintenance()
        await #expect {
            try await caller.changes(.init(zoneID: Caller.zone, syncToken: token))
        } throws: { ($0 as? ServerError)?.code == .changeTokenExpired }
        let fresh = try await caller.changes(.init(zoneID: Caller.zone))
        #expect(names(fresh) == ["b"])
    }

    @Test(
        "A missing zone and the default zone fail alone", .behaviour("changes.zone-missing", "changes.default-zone"),
        arguments: Wire.allCases)
    func failing(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        let request = ChangesZone.Request(zones: [
            .init(zoneID: ZoneID(zoneName: "Nowhere")), .init(zoneID: .default), .init(zoneID: Caller.zone),
        ])
        guard case .changesZone(let response) = try await caller.answer(.changesZone(request)) else {
            throw Caller.UnexpectedAnswer()
        }
        let errors = response.zones.map { result in
            if case .failure(_, let error) = result { error } else { nil as ServerError? }
        }
        #expect(errors.map { $0?.code } == [.zoneNotFound, .badRequest, nil])
        #expect(errors[1]?.reason == "cannot get changes in default zone")
    }

    @Test(
        "changes/database tells new, changed and deleted zones, then nothing",
        .behaviour("changes.database", "changes.database-caught-up", "changes.zones-changes"), arguments: Wire.allCases)
    func database(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        func zones(_ token: String?, older: Bool) async throws -> ChangesDatabase.Response {
            let request = ChangesDatabase.Request(syncToken: token)
            switch try await caller.answer(older ? .zonesChanges(request) : .changesDatabase(request)) {
            case .changesDatabase(let response), .zonesChanges(let response): return response
            default: throw Caller.UnexpectedAnswer()
            }
        }
        for older in [false, true] {
            let start = try await zones(nil, older: older)
            #expect(start.zones.contains { $0.name == "Zone" })
            #expect(try await zones(start.syncToken, older: older).zones.isEmpty)
            try await caller.save(.forceUpdate, item("a", zone: Caller.zone))
            let changed = try await zones(start.syncToken, older: older)
            #expect(changed.zones.map(\.name) == ["Zone"])
            _ = try await caller.zones([.init(.delete, Caller.zone)])
            let deleted = try await zones(changed.syncToken, older: older)
            #expect(deleted.zones.map(\.name) == ["Zone"])
            #expect(deleted.zones.map(\.isDeleted) == [true])
            try await caller.makeZone()
        }
    }

    @Test(
        "The public database has no changes, and no zone but its default zone",
        .behaviour("changes.public", "zone.public"), arguments: Wire.allCases)
    func publicDatabase(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        #expect(try await caller.refusal(.changesDatabase(.init()), .public)?.code == .badRequest)
        let zones = ZonesModify.Request(operations: [.init(.create, Caller.zone)])
        switch try await caller.reply(.zonesModify(zones), .public).result {
        case .failure(let error): #expect(error.code == .badRequest)
        case .success(.zones(let response)): #expect(response.zones.first?.failure?.code == .badRequest)
        case .success: Issue.record("not a zone answer")
        }
    }

    @Test("A zone made again is a new one", .behaviour("zone.recreate"), arguments: Wire.allCases)
    func recreate(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.makeZone()
        try await caller.save(.create, item("a", zone: Caller.zone))
        let token = try await caller.changes(.init(zoneID: Caller.zone)).syncToken
        _ = try await caller.zones([.init(.delete, Caller.zone)])
        try await caller.makeZone()
        #expect(try await caller.changes(.init(zoneID: Caller.zone)).records.isEmpty)
        await #expect {
            try await caller.changes(.init(zoneID: Caller.zone, syncToken: token))
        } throws: { ($0 as? ServerError)?.code == .changeTokenExpired }
    }

    @Test(
        "Zone names follow the rules of names; the default zone is neither made nor deleted",
        .behaviour("zone.names", "zone.default"), arguments: Wire.allCases)
    func names(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        for name in ["_zone", "Zöne", String(repeating: "z", count: 256)] {
            #expect(try await caller.zones([.init(.create, ZoneID(zoneName: name))])[0].failure?.code == .badRequest)
        }
        for type in [ZonesModify.OperationType.create, .delete] {
            #expect(try await caller.zones([.init(type, .default)])[0].failure?.code == .badRequest)
        }
    }
}

extension ZoneResult {
    var name: String {
        switch self {
        case .zone(let zone): zone.zoneID.zoneName
        case .failure(let zoneID, _): zoneID.zoneName
        }
    }

    var isDeleted: Bool {
        guard case .zone(let zone) = self else { return false }
        return zone.deleted
    }

    var failure: ServerError? {
        guard case .failure(_, let error) = self else { return nil }
        return error
    }
}
