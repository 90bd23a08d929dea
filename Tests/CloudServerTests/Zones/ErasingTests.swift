import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("An account's data in a container is erased, or its encrypted data reset")
struct ErasingTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        cloud = try TestCloud()
        device = try cloud.device()
        try device.create("Notes", "Secrets")
        try device.touch("Notes")
        try device.save(.create, Record.note("in the default zone"))
        var secret = Record.note("s")
        var fields = FieldsBuilder()
        fields.append("secret", .string("hush"), isEncrypted: true)
        secret.fields = fields.finish()
        try device.save(.create, secret, in: ZoneID(zoneName: "Secrets"))
    }

    private func reasons(since token: String) throws -> [String: Zone.DeletionReason?] {
        // Only native clients are told the reason.
        var phone = device
        phone.client = .native(deviceID: "phone")
        var reasons: [String: Zone.DeletionReason?] = [:]
        for zone in try phone.databaseChanges(token).zones.compactMap(\.zone) where zone.deleted {
            reasons[zone.zoneID.zoneName] = zone.deletionReason
        }
        return reasons
    }

    @Test("Erasing purges every zone of the account, and nothing of another's or of the public database")
    func erase() throws {
        let bea = try cloud.device(of: "bea")
        try bea.create("Notes")
        try bea.touch("Notes")
        try device.save(.create, Record.note("public"), database: .public)
        let token = try device.databaseChanges().syncToken
        let erased = try cloud.server.erase(account: "anna", in: TestCloud.container)
        #expect(erased.map(\.environment) == [.development])
        #expect(erased.flatMap(\.zones) == ["Notes", "Secrets", "_defaultZone"])
        #expect(erased.map(\.records) == [3])
        #expect(erased.allSatisfy { $0.bytes > 0 })
        #expect(try reasons(since: token) == ["Notes": .purged, "Secrets": .purged])
        #expect(try device.zones().map(\.zoneID.zoneName) == ["_defaultZone"])
        let error = #expect(throws: ServerError.self) { try device.page("Notes") }
        #expect(error?.extensionCode == .userDeletedZone)
        #expect(try device.lookup(["in the default zone"]).first?.error?.code == .notFound)
        #expect(try device.lookup(["public"], database: .public).first?.error == nil)
        #expect(try bea.page("Notes").records.count == 1)
        // The account goes on, in a zone of the same name too.
        try device.create("Notes")
        try device.touch("Notes")
        #expect(try device.page("Notes").records.count == 1)
    }

    @Test("Resetting encrypted data takes the zones that hold some, and no other")
    func reset() throws {
        let token = try device.databaseChanges().syncToken
        let erased = try cloud.server.resetEncryptedData(ofAccount: "anna", in: TestCloud.container)
        #expect(erased.flatMap(\.zones) == ["Secrets"])
        #expect(try reasons(since: token) == ["Secrets": .encryptedDataReset])
        #expect(try device.page("Notes").records.count == 1)
        let error = #expect(throws: ServerError.self) { try device.page("Secrets") }
        #expect(error?.extensionCode == .userDidResetEncryptedData)
        #expect(try cloud.server.resetEncryptedData(ofAccount: "anna", in: TestCloud.container).isEmpty)
    }

    @Test("A token of the zone before one of its name says, as it is refused, why that zone went")
    func oldToken() throws {
        func code(_ zone: String, _ token: String) throws -> ServerError.ExtensionCode? {
            try device.create(zone)
            let error = #expect(throws: ServerError.self) { try device.page(zone, token) }
            #expect(error?.code == .changeTokenExpired)
            return error?.extensionCode
        }
        let (notes, secrets) = (try device.page("Notes").syncToken, try device.page("Secrets").syncToken)
        try cloud.server.resetEncryptedData(ofAccount: "anna", in: TestCloud.container)
        #expect(try code("Secrets", secrets) == .userDidResetEncryptedData)
        try cloud.server.erase(account: "anna", in: TestCloud.container)
        #expect(try code("Notes", notes) == .userDeletedZone)
        let again = try device.page("Notes").syncToken
        try device.delete(zone: "Notes")
        #expect(try code("Notes", again) == nil)
    }

    @Test("An environment can be chosen")
    func environment() throws {
        let production = try cloud.device(environment: .production)
        try production.create("Notes")
        let administration = Administration(store: cloud.server.store)
        #expect(try administration.erase(account: "anna", in: TestCloud.container, .production).count == 1)
        #expect(try production.zones().count == 1)
        #expect(try device.zones().count == 3)
        #expect(try administration.erase(account: "anna", in: TestCloud.container).map(\.environment) == [.development])
        #expect(try administration.erase(account: "anna", in: TestCloud.container).isEmpty)
    }

    @Test("Devices that listen are told at once")
    func push() throws {
        let phone = device.named("phone")
        try phone.subscribe()
        let poll = phone.poll(try phone.makeToken(), after: "")
        #expect(poll.isWaiting(cloud))
        try cloud.server.erase(account: "anna", in: TestCloud.container)
        #expect(Set(try poll.news().zones) == ["Notes", "Secrets"])
    }

    @Test("An account or container that nobody made is an error")
    func unknown() throws {
        let administration = Administration(store: cloud.server.store)
        #expect(throws: AdministrationError.noAccount("nobody")) {
            try administration.erase(account: "nobody", in: TestCloud.container)
        }
        #expect(throws: AdministrationError.noContainer("iCloud.example.other")) {
            try administration.resetEncryptedData(ofAccount: "anna", in: "iCloud.example.other")
        }
    }
}
