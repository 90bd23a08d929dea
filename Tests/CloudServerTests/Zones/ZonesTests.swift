import Testing
import WebServices

@testable import CloudServer

@Suite("Zones")
struct ZonesTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        cloud = try TestCloud()
        device = try cloud.device()
    }

    @Test("A new account has its default zone, not atomic and without a token")
    func defaultZone() throws {
        let zones = try device.zones()
        #expect(zones.map(\.zoneID.zoneName) == ["_defaultZone"])
        #expect(zones.first?.atomic == false && zones.first?.syncToken == nil)
        #expect(zones.first?.zoneID.ownerRecordName == (try device.user().userRecordName))
    }

    @Test("The public database has its default zone and no other; the shared one has none")
    func otherDatabases() throws {
        #expect(try device.zones(in: .public).map(\.zoneID.zoneName) == ["_defaultZone"])
        #expect(try device.zones(in: .shared).isEmpty)
        for database in [DatabaseScope.public, .shared] {
            let error = try device.zones([.init(.create, ZoneID(zoneName: "Mine"))], in: database).first?.error
            #expect(error?.code == .badRequest)
        }
    }

    @Test("A zone that exists can be created again: the answer is the zone")
    func createTwice() throws {
        try device.create("Notes")
        try device.save(.create, .note("a"), in: TestDevice.notes)
        let zone = try device.zones([.init(.create, TestDevice.notes)]).first?.zone
        #expect(zone?.atomic == true)
        #expect(try device.page("Notes", zone?.syncToken).records.isEmpty)
        #expect(try device.record("a", in: TestDevice.notes) != nil)
    }

    @Test("The token of zones/list is where the zone is now")
    func listedToken() throws {
        try device.create("Notes")
        try device.save(.create, .note("before"), in: TestDevice.notes)
        let token = try device.zones().last?.syncToken
        try device.save(.create, .note("after"), in: TestDevice.notes)
        #expect(try device.page("Notes", token).records.map(\.recordName) == ["after"])
    }

    @Test("All operations are attempted, each with its own result")
    func independentOperations() throws {
        try device.create("Old")
        let results = try device.zones([
            .init(.delete, ZoneID(zoneName: "Missing")), .init(.create, ZoneID(zoneName: "New")),
            .init(.delete, .default), .init(.delete, ZoneID(zoneName: "Old")), .init(.create, ZoneID(zoneName: "Old")),
        ])
        #expect(results.map { $0.error?.code } == [.zoneNotFound, nil, .badRequest, nil, .badRequest])
        #expect(results[0].error?.reason == "Zone does not exist")
        #expect(results[3].zone?.deleted == true)
        #expect(try device.zones().map(\.zoneID.zoneName) == ["_defaultZone", "New"])
    }

    @Test(
        "A zone's name is 1 to 255 ASCII characters that do not begin with an underscore",
        arguments: [
            ("", false), ("_mine", false), (String(repeating: "z", count: 256), false), ("Küche", false),
            ("a\u{0}b", false), (String(repeating: "z", count: 255), true), ("com.apple.coredata.cloudkit.zone", true),
        ])
    func names(name: String, isGood: Bool) throws {
        let result = try device.zones([.init(.create, ZoneID(zoneName: name))]).first
        #expect(result?.error?.code == (isGood ? nil : .badRequest))
    }

    @Test("zones/lookup finds each zone or says that it does not exist")
    func lookup() throws {
        try device.create("Notes")
        let request = ZonesLookup.Request(zones: [TestDevice.notes, ZoneID(zoneName: "Missing"), .default])
        guard case .zones(let response) = try device.answer(.zonesLookup(request)) else { throw UnexpectedAnswer() }
        #expect(response.zones.map { $0.error?.code } == [nil, .zoneNotFound, nil])
        #expect(response.zones[2].zone?.atomic == false)
    }

    @Test("Another person's zones are not there")
    func otherAccounts() throws {
        try device.create("Notes")
        let stranger = try cloud.device(of: "berta")
        #expect(try stranger.zones().count == 1)
        #expect(throws: ServerError.zoneNotFound) { try stranger.page("Notes") }
        let owned = ZoneID(zoneName: "Notes", ownerRecordName: try device.user().userRecordName)
        #expect(try stranger.zones([.init(.delete, owned)]).first?.error?.code == .zoneNotFound)
        #expect(try device.zones().count == 2)
    }
}
