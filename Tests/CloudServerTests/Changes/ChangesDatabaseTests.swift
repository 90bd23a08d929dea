import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("changes/database")
struct ChangesDatabaseTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        cloud = try TestCloud()
        device = try cloud.device(native: true)
    }

    private func names(_ response: ChangesDatabase.Response) -> [String] {
        response.zones.compactMap(\.zone).map { ($0.deleted ? "-" : "") + $0.zoneID.zoneName }
    }

    @Test("Without a token every zone comes but the default one; with it, those that changed")
    func changes() throws {
        #expect(names(try device.databaseChanges()).isEmpty)
        try device.create("A", "B", "C")
        let first = try device.databaseChanges()
        #expect(names(first) == ["A", "B", "C"] && !first.moreComing)
        let quiet = try device.databaseChanges(first.syncToken)
        #expect(quiet.zones.isEmpty && quiet.syncToken == first.syncToken)
        try device.save(.create, .note("n"), in: ZoneID(zoneName: "B"))
        try device.save(.create, .note("n"))
        let second = try device.databaseChanges(first.syncToken)
        #expect(names(second) == ["B"])
        #expect(names(try device.databaseChanges(first.syncToken)) == ["B"], "a token can be used again")
        #expect(names(try device.databaseChanges("")).isEmpty)
        #expect(try device.databaseChanges("").syncToken == second.syncToken)
    }

    @Test("A deleted zone comes with its reason; one that was made again is gone and then new")
    func deletions() throws {
        try device.create("A", "B")
        let token = try device.databaseChanges().syncToken
        try device.delete(zone: "A")
        try device.delete(zone: "B")
        try device.create("B")
        let changes = try device.databaseChanges(token)
        #expect(names(changes) == ["-A", "-B", "B"])
        #expect(changes.zones.first?.zone?.deletionReason == .deleted)
        #expect(names(try device.databaseChanges()) == ["B"], "a first read needs no deletions")
        let foreign = try cloud.device().databaseChanges(token)
        #expect(foreign.zones.first?.zone?.deletionReason == nil)
    }

    @Test("Pages bring each change once, whatever their size", arguments: [1, 2, 5, 200])
    func pages(limit: Int) throws {
        for number in 0..<7 { try device.create("Z\(number)") }
        let token = try device.databaseChanges().syncToken
        for number in [1, 4] { try device.delete(zone: "Z\(number)") }
        for number in [0, 5, 6] { try device.save(.create, .note("n"), in: ZoneID(zoneName: "Z\(number)")) }
        var seen: [String] = []
        var next = token
        var more = true
        while more {
            let page = try device.databaseChanges(next, limit: limit)
            #expect(page.zones.count <= limit)
            seen += names(page)
            (next, more) = (page.syncToken, page.moreComing)
        }
        #expect(seen == ["-Z1", "-Z4", "Z0", "Z5", "Z6"])
        #expect(next == (try device.databaseChanges("")).syncToken)
    }

    @Test("Hundreds of zones fit into a token; beyond 500 the server keeps its content", arguments: [300, 520])
    func manyZones(count: Int) throws {
        let owner = try device.user().userRecordName
        let now = cloud.clock.now
        try device.create("First")
        try device.store.writeAndWait { writer in
            for number in 1..<count {
                _ = try writer.insertZone(
                    key: ZoneKey(scope: .private, owner: owner, name: "Z\(number)"), created: now)
            }
        }
        var seen = 0
        var token: String?
        var more = true
        while more {
            let page = try device.databaseChanges(token)
            seen += page.zones.count
            (token, more) = (page.syncToken, page.moreComing)
        }
        #expect(seen == count)
        #expect((token?.count ?? 0) < (count > 500 ? 80 : 5_000))
        let quiet = try device.databaseChanges(token)
        #expect(quiet.zones.isEmpty && quiet.syncToken == token)
        try device.save(.create, .note("n"), in: ZoneID(zoneName: "Z7"))
        try device.delete(zone: "Z9")
        #expect(names(try device.databaseChanges(token)) == ["-Z9", "Z7"])
        #expect(try device.databaseChanges("").syncToken == (try device.databaseChanges(token)).syncToken)
        guard count > 500 else { return }
        // Nobody uses it for half a year.
        cloud.clock.advance(milliseconds: 181 * 86_400_000)
        try device.store.writeAndWait { [now = cloud.clock.now] in
            try $0.expireTokenStates(before: now, limit: 1000)
        }
        let later = try cloud.device(native: true)
        let error = #expect(throws: ServerError.self) { try later.databaseChanges(token) }
        #expect(error?.code == .changeTokenExpired)
    }

    @Test("A token of another account is expired, a zone's is a bad request")
    func foreignTokens() throws {
        try device.create("A")
        let token = try device.databaseChanges().syncToken
        let stranger = try cloud.device(of: "berta")
        #expect(#expect(throws: ServerError.self) { try stranger.databaseChanges(token) }?.code == .changeTokenExpired)
        let zone = try device.page("A").syncToken
        #expect(#expect(throws: ServerError.self) { try device.databaseChanges(zone) }?.code == .badRequest)
        #expect(#expect(throws: ServerError.self) { try device.page("A", token) }?.code == .badRequest)
    }

    @Test("A token from before a zone's remains were cleared away is expired")
    func forgottenZones() throws {
        try device.create("A")
        let token = try device.databaseChanges().syncToken
        try device.delete(zone: "A")
        let later = cloud.clock.now + 1000
        while try device.store.runMaintenanceStep(now: later, tombstoneLife: 1) {}
        let error = #expect(throws: ServerError.self) { try device.databaseChanges(token) }
        #expect(error?.code == .changeTokenExpired)
    }

    @Test("zones/changes is the same under an older name")
    func zonesChanges() throws {
        try device.create("A")
        guard case .zonesChanges(let response) = try device.answer(.zonesChanges(.init())) else {
            throw UnexpectedAnswer()
        }
        #expect(response.syncToken == (try device.databaseChanges()).syncToken)
        #expect(response.zones.count == 1)
    }
}
