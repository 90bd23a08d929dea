import CloudStore
import Foundation
import Testing
import WebServices

@testable import CloudServer

@Suite("Tokens after a restore")
struct RestoreTests {
    /// Also one that is older than what the restore took away: its device may have saved something since, and nothing but
    /// reading all of the zone shows that this is gone.
    @Test("A token from before a restore is expired, in every later one as well, and reading anew gives all there is")
    func restores() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stratus-restore-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let options = StoreOptions(execution: .inline)
        func cloud(_ name: String) throws -> TestCloud {
            try TestCloud(store: try CloudStore(directory: folder.appending(path: name), options: options))
        }
        func backUp(_ cloud: TestCloud, as name: String) throws {
            try cloud.server.store.backup(to: folder.appending(path: name + ".backup"))
            try CloudStore.restore(
                from: folder.appending(path: name + ".backup"), to: folder.appending(path: name), options: options)
        }

        let first = try cloud("first")
        var device = try first.device()
        let credentials = device.credentials
        // The session is in the backup too.
        func signedIn(_ cloud: TestCloud) -> TestDevice {
            TestDevice(cloud: cloud, credentials: credentials, client: .webServices, environment: .development)
        }
        try device.create("Notes")
        try device.save(.create, .note("a"), in: TestDevice.notes)
        try device.save(.create, .note("b"), in: TestDevice.notes)
        let before = try device.page("Notes").syncToken
        let database = try device.databaseChanges().syncToken
        try backUp(first, as: "second")
        try device.save(.create, .note("lost"), in: TestDevice.notes)
        let lost = try device.page("Notes").syncToken

        let second = try cloud("second")
        device = signedIn(second)
        try device.save(.create, .note("c"), in: TestDevice.notes)
        for token in [before, lost] {
            #expect(#expect(throws: ServerError.self) { try device.page("Notes", token) }?.code == .changeTokenExpired)
        }
        #expect(try device.databaseChanges(database).zones.count == 1)
        let continued = try device.page("Notes").syncToken
        try backUp(second, as: "third")

        let third = try cloud("third")
        device = signedIn(third)
        try device.save(.create, .note("d"), in: TestDevice.notes)
        for token in [before, lost, continued] {
            #expect(#expect(throws: ServerError.self) { try device.page("Notes", token) }?.code == .changeTokenExpired)
        }
        #expect(Set(try device.page("Notes").records.map(\.recordName)) == ["a", "b", "c", "d"])
        for cloud in [first, second, third] { cloud.server.store.close() }
    }

    /// Its device may have subscribed since the backup, or passed the address to another account: both are undone, and
    /// nobody would tell it.
    @Test("An address for pushes from before a restore is none any more, so that its device subscribes again")
    func addresses() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stratus-restore-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let options = StoreOptions(execution: .inline)
        let first = try TestCloud(store: try CloudStore(directory: folder.appending(path: "first"), options: options))
        var device = try first.device().named("phone")
        let token = try device.makeToken()
        try first.server.store.backup(to: folder.appending(path: "backup"))
        try device.create("Notes")
        try device.subscribe()
        try CloudStore.restore(
            from: folder.appending(path: "backup"), to: folder.appending(path: "second"), options: options)

        let second = try TestCloud(store: try CloudStore(directory: folder.appending(path: "second"), options: options))
        device = TestDevice(
            cloud: second, credentials: device.credentials, client: device.client, environment: .development)
        #expect(try device.poll(token, after: "").error().code == .notFound)
        try device.create("Notes")
        try device.subscribe()
        let poll = device.poll(try device.makeToken(), after: "")
        try device.named("tablet").touch("Notes")
        #expect(try poll.news().zones == ["Notes"])
        for cloud in [first, second] { cloud.server.store.close() }
    }
}
