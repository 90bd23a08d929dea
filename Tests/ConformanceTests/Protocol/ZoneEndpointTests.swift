import Behaviours
import Testing
import WebServices

@Suite("Zones")
struct ZoneEndpointTests {
    private let missing = ServerError.Said(.zoneNotFound, "Zone does not exist")

    @Test("A zone is created and listed", .behaviour("zone.create"), arguments: Wire.allCases)
    func create(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let made = try client.zone(.create)
        #expect(made.zoneID.zoneName == "Notes")
        #expect(made.zoneID.ownerRecordName == (try client.user().userRecordName))
        #expect(made.atomic)
        #expect(made.syncToken != nil)
        let answer = try client.send("zones/list", "{}")
        let zones = try #require(answer["zones"]?.array.map { Array($0) })
        #expect(zones.map { $0["zoneID"]?["zoneName"]?.string } == ["_defaultZone", "Notes"])
        #expect(zones.map { $0["zoneID"]?["zoneType"]?.string } == ["DEFAULT_ZONE", "REGULAR_CUSTOM_ZONE"])
        #expect(zones.map { $0["atomic"]?.bool } == [false, true])
        #expect(zones[1]["syncToken"]?.string == made.syncToken)
    }

    @Test(
        "Creating a zone that exists is a success, and its records stay", .behaviour("zone.create-existing"),
        arguments: Wire.allCases)
    func createExisting(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        try client.create("a", in: .notes)
        let token = try client.changes().syncToken
        #expect(try client.zone(.create).syncToken == token)
        #expect(try client.record("a", in: .notes) != nil)
        #expect(try client.changes(since: token).records.isEmpty)
    }

    @Test(
        "The default zone is listed, and is neither created nor deleted", .behaviour("zone.default"),
        arguments: Wire.allCases, [ZonesModify.OperationType.create, .delete])
    func defaultZone(_ wire: Wire, _ type: ZonesModify.OperationType) throws {
        let client = try Service(wire).signIn()
        try client.create("a")
        #expect(try client.zoneFailure(type, .default).code == .badRequest)
        #expect(try client.zones(.zonesList).map(\.name) == ["_defaultZone"])
        #expect(try client.record("a") != nil)
    }

    @Test("Deleting a zone deletes its records", .behaviour("zone.delete"), arguments: Wire.allCases)
    func delete(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        try client.create("a", in: .notes)
        #expect(try client.zone(.delete).deleted)
        #expect(try client.lookup(["a"], in: .notes)[0].error?.said == missing)
        #expect(try client.failure(.create, .note("b"), in: .notes).said == missing)
        #expect(try client.find(zoneWide: true) == [])
        #expect(try client.zones(.zonesList).map(\.name) == ["_defaultZone"])
    }

    @Test(
        "Deleting a zone that does not exist is ZONE_NOT_FOUND for that zone", .behaviour("zone.delete-missing"),
        arguments: Wire.allCases)
    func deleteMissing(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        #expect(try client.zoneFailure(.delete, .trips).said == missing)
    }

    @Test(
        "A zone made again is a new one: empty, and old tokens are refused", .behaviour("zone.recreate"),
        arguments: Wire.allCases)
    func recreate(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        try client.create("a", in: .notes)
        let token = try client.changes().syncToken
        try client.zone(.delete)
        try client.zone(.create)
        #expect(try client.changes().records.isEmpty)
        #expect(try client.changesFailure(since: token).code == .changeTokenExpired)
    }

    @Test(
        "A change tag of the zone before is no tag of a zone made again, however few records either had",
        .behaviour("zone.recreate-tags"), arguments: Wire.allCases)
    func recreateTags(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        for changes in 0..<3 {
            try client.zone(.create)
            let old = try client.create("a", ["title": "Before"], in: .notes)
            for _ in 0..<changes { try client.change("a", ["title": "Before"], in: .notes) }
            let older = try #require(try client.record("a", in: .notes))
            try client.zone(.delete)
            try client.zone(.create)
            try client.create("a", ["title": "After"], in: .notes)
            for _ in 0..<changes { try client.change("a", ["title": "After"], in: .notes) }
            for tag in [old.recordChangeTag, older.recordChangeTag] {
                let error = try client.failure(.update, .note("a", tag: tag, ["title": "Stale"]), in: .notes)
                #expect(error.said == .init(.conflict, "client oplock error updating record"))
            }
            #expect(try client.record("a", in: .notes)?.fields["title"] == "After")
            try client.zone(.delete)
        }
    }

    @Test(
        "The public and the shared database have no zones to create or delete", .behaviour("zone.public"),
        arguments: Wire.allCases)
    func publicDatabase(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        for database in [DatabaseScope.public, .shared] {
            #expect(try client.zoneFailure(.create, .notes, in: database).code == .badRequest)
            #expect(try client.zoneFailure(.delete, .notes, in: database).code == .badRequest)
        }
        #expect(try client.zones(.zonesList, in: .public).map(\.name) == ["_defaultZone"])
        #expect(try client.zones(.zonesList, in: .shared).isEmpty)
        #expect(
            try client.failure(.create, .note("a"), in: .notes, database: .public).said == missing)
    }

    @Test(
        "Zones are looked up, bare and wrapped; a missing one is ZONE_NOT_FOUND", .behaviour("zone.lookup"),
        arguments: Wire.allCases)
    func lookup(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let made = try client.zone(.create)
        let results = try client.zones(.zonesLookup(.init(zones: [.trips, .notes, .default])))
        #expect(results.map(\.name) == ["Trips", "Notes", "_defaultZone"])
        #expect(results[0].error?.said == missing)
        #expect(results[1].zone?.syncToken == made.syncToken)
        let answer = try client.send(
            "zones/lookup", #"{"zones":[{"zoneID":{"zoneName":"Notes"}},{"zoneName":"Notes"},{}]}"#)
        #expect(answer["zones"]?[0]?["atomic"]?.bool == true)
        #expect(answer["zones"]?[1]?["atomic"]?.bool == true)
        #expect(answer["zones"]?[2]?["zoneID"]?["zoneName"]?.string == "_defaultZone")
    }

    @Test(
        "Zone names: up to 255 ASCII characters that do not begin with _", .behaviour("zone.names"),
        arguments: Wire.allCases)
    func names(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let longest = String(repeating: "z", count: 255)
        for name in [longest, "com.apple.coredata.cloudkit.zone", "a b/c", "%2F"] {
            #expect(try client.zone(.create, ZoneID(zoneName: name)).zoneID.zoneName == name)
            try client.create("a", in: ZoneID(zoneName: name))
        }
        for name in [longest + "z", "_x", "zöne", "", "a\n"] {
            #expect(try client.zoneFailure(.create, ZoneID(zoneName: name)).code == .badRequest, "\(name)")
        }
    }

    @Test(
        "A zone's syncToken is a good start for its changes", .behaviour("zone.token"), arguments: Wire.allCases)
    func token(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let made = try client.zone(.create)
        try client.create("a", in: .notes)
        #expect(try client.changes(since: made.syncToken).records.map(\.recordName) == ["a"])
        let listed = try client.zones(.zonesList)[1].zone?.syncToken
        #expect(try client.changes(since: listed).records.isEmpty)
        #expect(try client.changes(since: listed).syncToken == listed)
    }

    @Test(
        "All operations of a request are attempted, one for each zone", .behaviour("zone.all-attempted"),
        arguments: Wire.allCases)
    func allAttempted(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let results = try client.zones(
            .zonesModify(
                .init(operations: [
                    .init(.delete, .trips), .init(.create, .default), .init(.create, .notes), .init(.delete, .notes),
                    .init(.create, ZoneID(zoneName: "Last")),
                ])))
        #expect(results.map(\.name) == ["Trips", "_defaultZone", "Notes", "Notes", "Last"])
        #expect(results.map { $0.error?.code } == [.zoneNotFound, .badRequest, nil, .badRequest, nil])
        #expect(try client.zones(.zonesList).map(\.name) == ["_defaultZone", "Last", "Notes"])
    }

    @Test(
        "The owner may be the caller's name, the framework's alias, or be spelled ownerName",
        .behaviour("zone.owner"), arguments: Wire.allCases)
    func owner(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let user = try client.user().userRecordName
        try client.zone(.create, ZoneID(zoneName: "Notes", ownerRecordName: user))
        for owner in [user, "__defaultOwner__", ""] {
            let zone = ZoneID(zoneName: "Notes", ownerRecordName: owner)
            #expect(try client.change("a", ["n": 1], in: zone).zoneID?.ownerRecordName == user)
        }
        let alias = try client.send(
            "records/lookup",
            #"{"zoneID":{"zoneName":"Notes","ownerName":"\#(user)"},"records":[{"recordName":"a"}]}"#)
        #expect(alias["records"]?[0]?["recordType"]?.string == "Note")
        let stranger = ZoneID(zoneName: "Notes", ownerRecordName: "_" + String(repeating: "0", count: 32))
        #expect(try client.failure(.forceUpdate, .note("a"), in: stranger).said == missing)
    }
}
