import CloudStore
import Foundation
import Testing
import WebServices

@testable import CloudServer

@Suite("Tokens after a restore")
struct RestoreTests {
    @Test("A token from before the backup goes on; one from after it is expired, in every later restore as well")
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
        let early = try device.page("Notes", limit: 1).syncToken
        let before = try device.page("Notes").syncToken
        let database = try device.databaseChanges().syncToken
        try backUp(first, as: "second")
        try device.save(.create, .note("lost"), in: TestDevice.notes)
        let lost = try device.page("Notes").syncToken

        let second = try cloud("second")
        device = signedIn(second)
        try device.save(.create, .note("c"), in: TestDevice.notes)
        #expect(try device.page("Notes", early).records.map(\.recordName) == ["b", "c"])
        #expect(try device.page("Notes", before).records.map(\.recordName) == ["c"])
        #expect(#expect(throws: ServerError.self) { try device.page("Notes", lost) }?.code == .changeTokenExpired)
        #expect(try device.databaseChanges(database).zones.count == 1)
        let continued = try device.page("Notes").syncToken
        try backUp(second, as: "third")

        let third = try cloud("third")
        device = signedIn(third)
        try device.save(.create, .note("d"), in: TestDevice.notes)
        #expect(try device.page("Notes", continued).records.map(\.recordName) == ["d"])
        #expect(#expect(throws: ServerError.self) { try device.page("Notes", lost) }?.code == .changeTokenExpired)
        #expect(Set(try device.page("Notes").records.map(\.recordName)) == ["a", "b", "c", "d"])
        for cloud in [first, second, third] { cloud.server.store.close() }
    }
}
