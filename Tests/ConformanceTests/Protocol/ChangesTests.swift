import Behaviours
import CloudKitTesting
import Testing
import WebServices

@Suite("Changes of a zone")
struct ZoneChangesTests {
    /// A client with a zone of so many records, `n0`, `n1` and so on.
    private func client(_ wire: Wire, records count: Int = 0) throws -> Client {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        for start in stride(from: 0, to: count, by: 200) {
            let part = (start..<min(start + 200, count)).map { number in
                RecordsModify.Operation(.create, .note("n\(number)", ["n": .int64(Int64(number))]))
            }
            _ = try client.modify(part, in: .notes, desiredKeys: [])
        }
        return client
    }

    @Test("Without a token everything comes", .behaviour("changes.from-start"), arguments: Wire.allCases)
    func fromStart(_ wire: Wire) throws {
        let client = try client(wire, records: 3)
        let page = try client.changes()
        #expect(page.records.map(\.recordName) == ["n0", "n1", "n2"])
        #expect(page.records[2].fields["n"] == 2)
        #expect(page.moreComing == false)
        #expect(page.zoneID.zoneName == "Notes")
        #expect(page.zoneID.ownerRecordName == (try client.user().userRecordName))
    }

    @Test("An empty token is caught up", .behaviour("changes.empty-token"), arguments: Wire.allCases)
    func emptyToken(_ wire: Wire) throws {
        let client = try client(wire, records: 3)
        let page = try client.changes(since: "")
        #expect(page.records.isEmpty)
        #expect(!page.moreComing)
        try client.create("new", in: .notes)
        #expect(try client.changes(since: page.syncToken).records.map(\.recordName) == ["new"])
    }

    @Test("Each record comes once, in its newest state", .behaviour("changes.once"), arguments: Wire.allCases)
    func once(_ wire: Wire) throws {
        let client = try client(wire, records: 2)
        let token = try client.changes().syncToken
        for number in 10..<Int64(15) { try client.change("n0", ["n": .int64(number)], in: .notes) }
        try client.create("short", in: .notes)
        try client.delete("short", in: .notes)
        let records = try client.changes(since: token).records
        #expect(records.map(\.recordName) == ["n0", "short"])
        #expect(records[0].fields["n"] == 14)
        #expect(records[1].deleted)
    }

    @Test(
        "A page has at most 200 records, whatever is asked", .behaviour("changes.page-size"),
        arguments: Wire.allCases)
    func pageSize(_ wire: Wire) throws {
        let client = try client(wire, records: 230)
        for limit in [nil, 1000, 0, -5] {
            let page = try client.changes(limit: limit)
            #expect(page.records.count == 200)
            #expect(page.moreComing)
            let rest = try client.changes(since: page.syncToken, limit: limit)
            #expect(rest.records.count == 30)
            #expect(!rest.moreComing)
        }
        #expect(try client.changes(limit: 7).records.count == 7)
    }

    @Test(
        "A device of the framework has pages of up to 1,000 records", .behaviour("changes.page-size"),
        arguments: Wire.allCases)
    func nativePageSize(_ wire: Wire) throws {
        let device = try client(wire, records: 1_030).native
        let page = try device.changes(limit: 5_000)
        #expect(page.records.count == 1_000)
        #expect(page.moreComing)
        #expect(try device.changes(since: page.syncToken).records.count == 30)
    }

    @Test("Caught up: no records, the same token", .behaviour("changes.caught-up"), arguments: Wire.allCases)
    func caughtUp(_ wire: Wire) throws {
        let client = try client(wire, records: 3)
        let token = try client.allChanges().token
        for _ in 0..<3 {
            let page = try client.changes(since: token)
            #expect(page.records.isEmpty)
            #expect(page.syncToken == token)
            #expect(!page.moreComing)
        }
    }

    @Test(
        "Tokens are reusable, deterministic and independent of the page size", .behaviour("changes.reuse"),
        arguments: Wire.allCases)
    func reuse(_ wire: Wire) throws {
        let client = try client(wire, records: 17)
        let whole = try client.allChanges()
        for limit in [1, 2, 5, 16, 17, 100] {
            let pages = try client.allChanges(limit: limit)
            #expect(pages.token == whole.token)
            #expect(pages.records.map(\.recordName) == whole.records.map(\.recordName))
        }
        let middle = try client.changes(limit: 5).syncToken
        let first = try client.changes(since: middle, limit: 4)
        let again = try client.changes(since: middle, limit: 4)
        #expect(first.syncToken == again.syncToken)
        #expect(first.records.map(\.recordName) == again.records.map(\.recordName))
    }

    @Test(
        "What is no token, or a damaged one, is refused in the service's words",
        .behaviour("changes.not-a-token", "changes.truncated-token"), arguments: Wire.allCases)
    func notAToken(_ wire: Wire) throws {
        let client = try client(wire, records: 1)
        let token = try client.changes().syncToken
        let unknown = ServerError.Said(.badRequest, "Unknown sync continuation type")
        let invalid = ServerError.Said(.badRequest, "Invalid continuation format")
        for text in ["aGVsbG8=", "AAAA", "c3luYyB0b2tlbg=="] {
            #expect(try client.changesFailure(since: text).said == unknown, "\(text)")
        }
        for text in ["not base64!", String(token.dropLast(4)), String(token.dropLast(1)), "ä"] {
            #expect(try client.changesFailure(since: text).said == invalid, "\(text)")
        }
        var changed = Array(token)
        changed[changed.count - 6] = changed[changed.count - 6] == "A" ? "B" : "A"
        #expect(try client.changesFailure(since: String(changed)).said == invalid)
    }

    @Test(
        "A token of the database or of a query's continuation is none of a zone",
        .behaviour("changes.database-token"), arguments: Wire.allCases)
    func databaseToken(_ wire: Wire) throws {
        let client = try client(wire, records: 3)
        let database = try client.databaseChanges().syncToken
        #expect(try client.changesFailure(since: database).code == .badRequest)
        let marker = try client.page(in: .notes, limit: 1).continuationMarker
        #expect(try client.changesFailure(since: marker).code == .badRequest)
        let zone = try client.changes().syncToken
        #expect(try client.refusal(.changesDatabase(.init(syncToken: zone))).code == .badRequest)
    }

    @Test(
        "A token of another zone, container or person has expired", .behaviour("changes.foreign-token"),
        arguments: Wire.allCases)
    func foreignToken(_ wire: Wire) throws {
        let client = try client(wire, records: 1)
        try client.zone(.create, .trips)
        let token = try client.changes().syncToken
        #expect(try client.changesFailure(in: .trips, since: token).code == .changeTokenExpired)
        let other = client.with { $0.container = "iCloud.com.example.other" }
        try other.zone(.create)
        #expect(try other.changesFailure(since: token).code == .changeTokenExpired)
        let ben = try client.service.signIn("ben")
        try ben.zone(.create)
        #expect(try ben.changesFailure(since: token).code == .changeTokenExpired)
    }

    @Test(
        "A token older than what the server remembers of deletions has expired, and a read from the start is whole",
        .behaviour("changes.expired-token"), arguments: Wire.allCases)
    func expiredToken(_ wire: Wire) throws {
        let client = try client(wire, records: 3)
        let old = try client.changes().syncToken
        try client.delete("n1", in: .notes)
        let newer = try client.changes().syncToken
        client.service.clock.advance(by: .seconds(31 * 24 * 3600))
        try client.service.forgetOldDeletions()
        let later = try client.service.signIn()
        #expect(try later.changesFailure(since: old).code == .changeTokenExpired)
        #expect(try later.changes(since: newer).records.isEmpty)
        #expect(try later.changes().records.map(\.recordName) == ["n0", "n2"])
    }

    @Test(
        "A zone that is missing fails alone, inside a 200", .behaviour("changes.zone-missing"),
        arguments: Wire.allCases)
    func zoneMissing(_ wire: Wire) throws {
        let client = try client(wire, records: 1)
        let results = try client.changes([
            .init(zoneID: .trips), .init(zoneID: .notes), .init(zoneID: .notes, syncToken: "x"),
        ])
        #expect(results[0].error?.said == .init(.zoneNotFound, "Zone does not exist"))
        #expect(results[1].page?.records.count == 1)
        #expect(results[2].error?.code == .badRequest)
    }

    @Test(
        "A deleted record is a tombstone with its name; its type is told to the framework only",
        .behaviour("changes.deleted"), arguments: Wire.allCases)
    func deleted(_ wire: Wire) throws {
        let client = try client(wire, records: 2)
        let token = try client.changes().syncToken
        try client.delete("n0", in: .notes)
        let body = #"{"zones":[{"zoneID":{"zoneName":"Notes"},"syncToken":"\#(token)"}]}"#
        let tombstone = try #require(try client.send("changes/zone", body)["zones"]?[0]?["records"]?[0])
        #expect(tombstone["recordName"]?.string == "n0")
        #expect(tombstone["deleted"]?.bool == true)
        #expect(tombstone["recordType"]?.isNull == true)
        #expect(tombstone["recordChangeTag"]?.string?.isEmpty == false)
        #expect(tombstone["fields"] == nil)
        #expect(try client.native.changes(since: token).records.map(\.recordType) == ["Note"])
    }

    @Test(
        "A reader that never had a record is not told of its deletion", .behaviour("changes.never-seen"),
        arguments: Wire.allCases)
    func neverSeen(_ wire: Wire) throws {
        let client = try client(wire, records: 5)
        for name in ["n1", "n3"] { try client.delete(name, in: .notes) }
        #expect(try client.allChanges().records.map(\.recordName) == ["n0", "n2", "n4"])
        #expect(try client.allChanges(limit: 1).records.map(\.recordName) == ["n0", "n2", "n4"])
        let begun = try client.changes(limit: 1)
        try client.delete("n0", in: .notes)
        let rest = try client.allChanges(since: begun.syncToken).records
        #expect(rest.contains { $0.recordName == "n0" && $0.deleted }, "what it had is told")
    }

    @Test(
        "The default zone keeps no history", .behaviour("changes.default-zone"), arguments: Wire.allCases)
    func defaultZone(_ wire: Wire) throws {
        let client = try client(wire)
        let said = ServerError.Said(.badRequest, "cannot get changes in default zone")
        #expect(try client.changesFailure(in: .default).said == said)
        #expect(try client.refusal(.recordsChanges(.init(zoneID: .default))).said == said)
    }

    @Test(
        "desiredKeys and desiredRecordTypes limit what comes, and the token moves past the rest",
        .behaviour("changes.desired-keys"), arguments: Wire.allCases)
    func desiredKeys(_ wire: Wire) throws {
        let client = try client(wire)
        try client.create("a", ["title": "x", "count": 1], in: .notes)
        try client.create("b", ["title": "y"], type: "Trip", in: .notes)
        let all = try client.changes()
        #expect(try client.changes(desiredKeys: ["count"]).records.map(\.fields.names) == [["count"], []])
        #expect(try client.changes(desiredKeys: []).records.map(\.fields.count) == [0, 0])
        let trips = try client.changes(types: ["Trip"])
        #expect(trips.records.map(\.recordName) == ["b"])
        #expect(trips.syncToken == all.syncToken)
        #expect(try client.changes(types: ["None"]).records.isEmpty)
        #expect(try client.changes(types: []).records.isEmpty)
    }

    @Test("records/changes, the older form", .behaviour("changes.records-changes"), arguments: Wire.allCases)
    func recordsChanges(_ wire: Wire) throws {
        let client = try client(wire, records: 3)
        func changes(since token: String? = nil, limit: Int? = nil) throws -> RecordsChanges.Response {
            let request = RecordsChanges.Request(zoneID: .notes, syncToken: token, resultsLimit: limit)
            guard case .recordsChanges(let response) = try client.answer(.recordsChanges(request)) else {
                throw UnexpectedAnswer()
            }
            return response
        }
        let first = try changes(limit: 2)
        #expect(first.records.map(\.recordName) == ["n0", "n1"])
        #expect(first.moreComing)
        #expect(first.reverse == false)
        let second = try changes(since: first.syncToken)
        #expect(second.records.map(\.recordName) == ["n2"])
        #expect(try client.changes(since: first.syncToken).syncToken == second.syncToken, "one kind of token")
        let missing = try client.refusal(.recordsChanges(.init(zoneID: .trips)))
        #expect(missing.said == .init(.zoneNotFound, "Zone does not exist"))
    }

    @Test("The token of a query is good for changes", .behaviour("changes.query-token"), arguments: Wire.allCases)
    func queryToken(_ wire: Wire) throws {
        let client = try client(wire, records: 3)
        let token = try client.with { $0.wantsSyncToken = true }.page(in: .notes, limit: 2).syncToken
        #expect(try client.changes(since: token).records.isEmpty)
        try client.create("new", in: .notes)
        #expect(try client.changes(since: token).records.map(\.recordName) == ["new"])
    }

    @Test(
        "reverse gives the newest first, and leads to the same token", .behaviour("changes.reverse"),
        arguments: Wire.allCases)
    func reverse(_ wire: Wire) throws {
        let client = try client(wire, records: 5)
        var names: [String] = []
        var token: String?
        while true {
            let result = try client.changes([.init(zoneID: .notes, syncToken: token, reverse: true, resultsLimit: 2)])[
                0]
            let page = try #require(result.page)
            names += page.records.map(\.recordName)
            token = page.syncToken
            if !page.moreComing { break }
        }
        #expect(names == ["n4", "n3", "n2", "n1", "n0"])
        #expect(try client.changes(since: token).records.isEmpty)
    }

    @Test(
        "Both spellings of numbersAsStrings are read, in the zone and in the request",
        .behaviour("changes.numbers-as-strings"), arguments: Wire.allCases)
    func numbersAsStrings(_ wire: Wire) throws {
        let client = try client(wire, records: 1)
        let bodies = [
            #"{"zones":[{"zoneID":{"zoneName":"Notes"},"numberAsStrings":true}]}"#,
            #"{"zones":[{"zoneID":{"zoneName":"Notes"},"numbersAsStrings":true}]}"#,
            #"{"zones":[{"zoneID":{"zoneName":"Notes"}}],"numbersAsStrings":true}"#,
        ]
        for body in bodies {
            let answer = try client.send("changes/zone", body)
            #expect(answer["zones"]?[0]?["records"]?[0]?["fields"]?["n"]?["value"]?.string == "0", "\(body)")
        }
    }
}

@Suite("Changes of a database")
struct DatabaseChangesTests {
    @Test(
        "changes/database tells new, changed and deleted zones", .behaviour("changes.database"),
        arguments: Wire.allCases)
    func database(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let empty = try client.databaseChanges()
        #expect(empty.zones.isEmpty)
        try client.zone(.create, .notes)
        try client.zone(.create, .trips)
        let made = try client.databaseChanges(since: empty.syncToken)
        #expect(made.zones.map(\.name).sorted() == ["Notes", "Trips"])
        try client.create("a", in: .trips)
        try client.create("default")
        let changed = try client.databaseChanges(since: made.syncToken)
        #expect(changed.zones.map(\.name) == ["Trips"])
        try client.zone(.delete, .notes)
        let deleted = try client.databaseChanges(since: changed.syncToken)
        #expect(deleted.zones.map(\.name) == ["Notes"])
        #expect(deleted.zones[0].zone?.deleted == true)
        #expect(try client.databaseChanges().zones.map(\.name) == ["Trips"], "a new reader hears of no deletions")
    }

    @Test("Caught up: no zones", .behaviour("changes.database-caught-up"), arguments: Wire.allCases)
    func caughtUp(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        var token = try client.databaseChanges().syncToken
        for _ in 0..<3 {
            let changes = try client.databaseChanges(since: token)
            #expect(changes.zones.isEmpty)
            #expect(!changes.moreComing)
            token = changes.syncToken
        }
    }

    @Test("Zones come in pages, each once", .behaviour("changes.database-pages"), arguments: Wire.allCases)
    func pages(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        for number in 0..<7 { try client.zone(.create, ZoneID(zoneName: "Zone\(number)")) }
        var names: [String] = []
        var token: String?
        while true {
            let page = try client.databaseChanges(since: token, limit: 3)
            names += page.zones.map(\.name)
            #expect(page.syncToken != token)
            token = page.syncToken
            if !page.moreComing { break }
        }
        #expect(names.sorted() == (0..<7).map { "Zone\($0)" })
    }

    @Test(
        "zones/changes takes and gives its token under both names", .behaviour("changes.zones-changes"),
        arguments: Wire.allCases)
    func zonesChanges(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        let first = try client.send("zones/changes", "{}")
        #expect(first["zones"]?[0]?["zoneID"]?["zoneName"]?.string == "Notes")
        let token = try #require(first["metaSyncToken"]?.string)
        #expect(first["syncToken"]?.string == token)
        #expect(first["moreComing"]?.bool == false)
        for name in ["metaSyncToken", "syncToken"] {
            let next = try client.send("zones/changes", #"{"\#(name)":"\#(token)"}"#)
            #expect(next["zones"]?.array?.isEmpty == true, "\(name)")
        }
        #expect(try client.databaseChanges(since: token).zones.isEmpty)
    }

    @Test(
        "The public database has no changes", .behaviour("changes.public"), arguments: Wire.allCases)
    func publicDatabase(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let calls: [ServerOperation] = [
            .changesDatabase(.init()), .changesZone(.init(zones: [.init(zoneID: .default)])),
            .recordsChanges(.init(zoneID: .default)), .zonesChanges(.init()),
        ]
        for operation in calls {
            #expect(
                try client.refusal(operation, in: .public).said
                    == .init(.badRequest, "endpoint not applicable in the database type 'publicdb'"))
        }
    }

    @Test(
        "A database token of somebody else has expired, and one that is none is refused",
        .behaviour("changes.database-foreign-token"), arguments: Wire.allCases)
    func foreignToken(_ wire: Wire) throws {
        let service = try Service(wire)
        let (anna, ben) = (try service.signIn("anna"), try service.signIn("ben"))
        let token = try anna.databaseChanges().syncToken
        #expect(try ben.refusal(.changesDatabase(.init(syncToken: token))).code == .changeTokenExpired)
        #expect(try ben.refusal(.changesDatabase(.init(syncToken: "x"))).code == .badRequest)
        #expect(
            try ben.refusal(.changesDatabase(.init(syncToken: "aGVsbG8="))).said
                == .init(.badRequest, "Unknown sync continuation type"))
    }
}
