import Behaviours
import CloudKit
import CloudKitTesting
import CloudServer
import CoreLocation
import Foundation
import Synchronization
import Testing
import WebServices

@Suite("CloudKit: Apple's own service, and others that speak its protocol alone", .timeLimit(.minutes(5)))
struct DocumentedServiceTests {
    private let notes = CKRecordZone.ID(zoneName: "Notes")

    // MARK: - People

    @Test("A person signs in by the address that the service names", .behaviour("foreign.sign-in"))
    func signIn() async throws {
        let service = try DocumentedService()
        let container = try service.container()
        #expect(try await container.accountStatus() == .noAccount)
        let failure = await error { try await container.privateCloudDatabase.allRecordZones() }
        #expect(failure?.code == .notAuthenticated)
        let url = try #require(try await container.signInURL())
        #expect(url.path == "/stratus/sign-in", "what the 421 says")

        let changes = Mutex(0)
        let observer = NotificationCenter.default.addObserver(forName: .CKAccountChanged, object: nil, queue: nil) {
            _ in
            changes.withLock { $0 += 1 }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try container.signIn(webAuthToken: service.webAuthToken("alice"))
        #expect(changes.withLock { $0 } >= 1)
        #expect(try await container.accountStatus() == .available)
        #expect(try await container.signInURL() == nil)
        #expect(try await container.userRecordID().recordName.hasPrefix("_"))
        try container.signOut()
        #expect(try await container.accountStatus() == .noAccount)
        #expect(try container.webAuthToken == nil)
        #expect(service.violations == [])
    }

    @Test("An API token that the service does not know is notAuthenticated", .behaviour("foreign.sign-in"))
    func unknownToken() async throws {
        let service = try DocumentedService()
        let container = try service.container(apiToken: String(repeating: "0f", count: 32))
        #expect(await error { try await container.signInURL() }?.code == .notAuthenticated)
    }

    @Test("Each answer's token takes the place of the one before", .behaviour("foreign.web-token"))
    func rotation() async throws {
        let service = try DocumentedService { $0.tokenLife.renewal = 0 }
        let first = try service.webAuthToken("alice")
        let container = try service.container(.webAuthToken(first))
        service.cloud.clock.advance(by: .seconds(1))
        _ = try await container.privateCloudDatabase.allRecordZones()
        let second = try #require(try container.webAuthToken)
        #expect(second != first)
        #expect(try await service.container(.webAuthToken(second)).accountStatus() == .available)
    }

    @Test("Records of every kind of value, conflicts, queries and changes", .behaviour("foreign.round-trip"))
    func roundTrip() async throws {
        let service = try DocumentedService()
        let files = try Files()
        let database = try service.container(.webAuthToken(service.webAuthToken("alice"))).privateCloudDatabase
        let other = try service.container(.webAuthToken(service.webAuthToken("alice"))).privateCloudDatabase
        _ = try await database.save(CKRecordZone(zoneID: notes))
        let parent = note("tree", notes)
        let record = note("oak", notes)
        record["count"] = 3
        record["height"] = 17.5
        record["seen"] = Date(timeIntervalSinceReferenceDate: 700_000_000.123)
        record["seenAlso"] = [Date(timeIntervalSinceReferenceDate: 1.5)]
        record["tags"] = ["old", "tall"]
        record["bytes"] = Data([1, 2, 3])
        record["place"] = CLLocation(latitude: 47.4, longitude: 8.5)
        record["tree"] = CKRecord.Reference(recordID: parent.recordID, action: .deleteSelf)
        record["photo"] = try files.asset("a heron")
        record.encryptedValues["secret"] = "hush"
        _ = try await database.modifyRecords(saving: [parent, record], deleting: [])

        let found = try await other.record(for: record.recordID)
        let seen = try #require(found["seen"] as? Date)
        #expect(abs(seen.timeIntervalSinceReferenceDate - 700_000_000.123) < 0.001, "the protocol counts milliseconds")
        #expect(found["tags"] == ["old", "tall"])
        #expect((found["place"] as? CLLocation)?.coordinate.latitude == 47.4)
        #expect(found.text(of: "photo") == "a heron")
        #expect(found.encryptedValues["secret"] == "hush")

        found["title"] = "theirs"
        try await other.save(found)
        record["title"] = "mine"
        let conflict = await error { try await database.save(record) }
        #expect(conflict?.code == .serverRecordChanged)
        #expect(conflict?.serverRecord?["title"] == "theirs")

        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "tags CONTAINS %@ AND count > 1", "old"))
        query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let (matches, _) = try await database.records(matching: query, inZoneWith: notes, resultsLimit: 1000)
        #expect(matches.map(\.0.recordName) == ["oak"])

        let changes = try await other.recordZoneChanges(inZoneWith: notes, since: nil, resultsLimit: 1000)
        #expect(Set(changes.modificationResultsByID.keys.map(\.recordName)) == ["tree", "oak"])
        try await database.deleteRecord(withID: parent.recordID)
        let later = try await other.recordZoneChanges(inZoneWith: notes, since: changes.changeToken)
        #expect(Set(later.deletions.map(\.recordID.recordName)) == ["tree", "oak"])

        let start = try await other.databaseChanges(since: nil)
        try await database.deleteRecordZone(withID: notes)
        let end = try await other.databaseChanges(since: start.changeToken)
        #expect(end.deletions.map(\.zoneID) == [notes])
        #expect(service.violations == [])
    }

    @Test(
        "More than 200 records are limitExceeded before anything is sent, and 200 are not",
        .behaviour("foreign.limits"))
    func limits() async throws {
        let service = try DocumentedService()
        let database = try service.container(.webAuthToken(service.webAuthToken("alice"))).privateCloudDatabase
        let records = (0..<201).map { note("n\($0)") }
        let before = service.requests.count
        let failure = await error { try await database.modifyRecords(saving: records, deleting: []) }
        #expect(failure?.code == .limitExceeded)
        #expect(service.requests.count == before)
        let saved = try await database.modifyRecords(saving: Array(records.prefix(200)), deleting: [])
        #expect(saved.saveResults.count == 200)
        #expect(await error { try await database.records(for: records.map(\.recordID)) }?.code == .limitExceeded)
        #expect(service.violations == [])
    }

    @Test("Two sync engines keep in step", .behaviour("foreign.engine"))
    func engines() async throws {
        let service = try DocumentedService()
        let (phone, laptop) = (SyncedNotes(), SyncedNotes())
        let sender = try phone.engine(
            service.container(.webAuthToken(service.webAuthToken("alice"))).privateCloudDatabase)
        let receiver = try laptop.engine(
            service.container(.webAuthToken(service.webAuthToken("alice"))).privateCloudDatabase)
        let titles = Dictionary(uniqueKeysWithValues: (0..<444).map { ("note \($0)", "first") })
        phone.write(titles, sender)
        try await sender.sendChanges()
        try await receiver.fetchChanges()
        #expect(laptop.titles == titles)
        laptop.write(["note 1": "second"], receiver)
        try await receiver.sendChanges()
        try await sender.fetchChanges()
        #expect(phone.titles["note 1"] == "second")
        #expect(service.violations == [])
    }

    @Test(
        "A subscription is made, listed and removed, and permissions are nothing it knows", .behaviour("foreign.limits")
    )
    func rest() async throws {
        let service = try DocumentedService()
        let container = try service.container(.webAuthToken(service.webAuthToken("alice")))
        let database = container.privateCloudDatabase
        _ = try await database.save(CKRecordZone(zoneID: notes))
        let subscription = CKRecordZoneSubscription(zoneID: notes, subscriptionID: "changes")
        subscription.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        subscription.notificationInfo?.title = "A title, which the protocol does not have"
        subscription.notificationInfo?.collapseIDKey = "key"
        _ = try await database.save(subscription)
        #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["changes"])
        _ = try await database.deleteSubscription(withID: "changes")
        let refused = await error { try await container.requestApplicationPermission(.userDiscoverability) }
        #expect(refused?.code == .serverRejectedRequest)
        #expect(service.violations == [])
    }

    // MARK: - Servers

    private static let privateKey = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIJy6N/lr/wAbjGidPa81jQXVOu8odUGw8LytQAtPhcuaoAoGCCqGSM49
        AwEHoUQDQgAE8IGbZQL8UjwL6mJ/gvmEo7tYiAweoE7czVPKJA5R6YMTgYakrhSI
        nelKZtGR4k+Dm+1+rDFOaAqZcECGKaT8ug==
        -----END EC PRIVATE KEY-----
        """
    private static let sameKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnLo3+Wv/ABuMaJ09
        rzWNBdU67yh1QbDwvK1AC0+Fy5qhRANCAATwgZtlAvxSPAvqYn+C+YSju1iIDB6g
        TtzNU8okDlHpgxOBhqSuFIid6Upm0ZHiT4Ob7X6sMU5oCplwQIYppPy6
        -----END PRIVATE KEY-----
        """
    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8IGbZQL8UjwL6mJ/gvmEo7tYiAwe
        oE7czVPKJA5R6YMTgYakrhSInelKZtGR4k+Dm+1+rDFOaAqZcECGKaT8ug==
        -----END PUBLIC KEY-----
        """
    private static let otherCurve = """
        -----BEGIN EC PRIVATE KEY-----
        MIGkAgEBBDDxPbSeIHqOqkZAQrpmOG29sspZoAc7U//FH1tY/ZjjjNv0PdDgDjsI
        VikCthCudlGgBwYFK4EEACKhZANiAARPhXHYjByFmodpZaoFDRwr/ol7zk+H3fPX
        DLFlSTE12GYNoHN8kRN8gM7FC26g0I2cPHxgSW/YTQAyU4IhhKkVBRYMoFcj7ztE
        /0Qwl1goO4Ajuo1SdFnURL/Ar8FBz9Y=
        -----END EC PRIVATE KEY-----
        """
    private static let withPassphrase = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,48880CF4988A73D8DB45C478494D51CE

        QXaF0Ghf+tQvahyw1+rXTKcqw72KzzwSawi/Cz6OhicQWe5fxQu+5Q9bYQrHJZ1w
        7bfXpK2qrE85aBO57yI7O1DbnIRmqvjS3Zz7urJx5BOm1b72t0QRnUFAOOVm4kJ9
        3E0hBlosQKo/kos8blG7t+5FhaaUx/bCStRSz0pJvLQ=
        -----END EC PRIVATE KEY-----
        """

    @Test(
        "A server's key signs what reads and writes the public database, and nothing else",
        .behaviour("foreign.server-key"), arguments: [privateKey, sameKey])
    func serverKey(_ key: String) async throws {
        let service = try DocumentedService()
        service.setClock()
        let keyID = try service.addServerKey(Self.publicKey)
        let container = try service.container(.serverKey(id: keyID, privateKey: key))
        let database = container.publicCloudDatabase
        let files = try Files()
        let guide = note("guide")
        guide["cover"] = try files.asset("a cover")
        _ = try await database.modifyRecords(saving: [guide, note("other")], deleting: [])
        #expect(try await database.record(for: guide.recordID).text(of: "cover") == "a cover")
        let all = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        #expect(try await database.records(matching: all).matchResults.count == 2)
        try await database.deleteRecord(withID: CKRecord.ID("other"))
        #expect(await error { try await database.record(for: CKRecord.ID("other")) }?.code == .unknownItem)
        #expect(try await container.accountStatus() == .noAccount)
        let own = container.privateCloudDatabase
        #expect(await error { try await own.save(note("mine")) }?.code == .notAuthenticated)
        #expect(service.violations == [])

        try service.administration.deleteServerKey(keyID)
        service.cloud.clock.advance(by: .seconds(6))
        #expect(await error { try await database.save(note("late")) }?.code == .notAuthenticated)
    }

    @Test("Another server's key is refused by the service", .behaviour("foreign.server-key"))
    func unknownKey() async throws {
        let service = try DocumentedService()
        service.setClock()
        let container = try service.container(
            .serverKey(id: String(repeating: "ab", count: 32), privateKey: Self.privateKey))
        #expect(await error { try await container.publicCloudDatabase.save(note("a")) }?.code == .notAuthenticated)
    }

    @Test(
        "What is no key of the right kind is said before anything is sent", .behaviour("foreign.server-key"),
        arguments: [
            ("", "no key"), ("nonsense", "no key"), (publicKey, "no key"), (withPassphrase, "passphrase"),
            (otherCurve, "prime256v1"),
        ])
    func badKeys(_ key: String, _ reason: String) async throws {
        let service = try DocumentedService()
        let failure = await error { try service.container(.serverKey(id: "k", privateKey: key)) }
        #expect(failure?.code == .notAuthenticated)
        #expect(failure?.localizedDescription.contains(reason) == true)
        let cloud = StratusCloud(url: try service.address(), account: .serverKey(id: "k", privateKey: key))
        let container = CKContainer(identifier: DocumentedService.container, cloud: cloud)
        #expect(await error { try await container.publicCloudDatabase.save(note("a")) }?.code == .notAuthenticated)
        #expect(service.requests.isEmpty)
    }
}
