import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("Pushes") struct PushTests {
    let cloud: TestCloud
    /// Two devices of one account.
    let phone: TestDevice
    let tablet: TestDevice

    init() throws {
        cloud = try TestCloud()
        phone = try cloud.device().named("phone")
        tablet = try cloud.device().named("tablet")
        try phone.create("Notes", "Other")
    }

    @Test("A zone's subscriber hears of a change on another device, and where to fetch")
    func zone() throws {
        try phone.subscribe(.zone(ZoneID(zoneName: "Notes")), as: "notes")
        let poll = phone.poll(try phone.makeToken(), after: "")
        #expect(poll.isWaiting(cloud))
        try tablet.touch("Other")
        #expect(poll.isWaiting(cloud))
        try tablet.touch("Notes")
        let push = try poll.news()
        #expect(push.subscriptionID == "notes" && push.zones == ["Notes"])
        #expect(push.container == TestCloud.container)
        #expect(try push.subscriptionOwner == phone.user().userRecordName)
        #expect(push.alert.contentAvailable)
        guard case .zone(let zone, _, .private) = push.content else { throw UnexpectedAnswer() }
        #expect(zone.ownerRecordName == push.subscriptionOwner)
    }

    @Test("A database's subscriber hears of records, new zones and deleted ones")
    func database() throws {
        try phone.subscribe()
        let token = try phone.makeToken()
        var last = ""
        for (change, zone) in [
            { try tablet.touch("Notes") }, { try tablet.create("New") }, { try tablet.delete("a", in: "Notes") },
            { try tablet.delete(zone: "Other") },
        ].map({ $0 as () throws -> Void }).enumerated().map({ ($1, ["Notes", "New", "Notes", "Other"][$0]) }) {
            let poll = phone.poll(token, after: last)
            #expect(poll.isWaiting(cloud))
            try change()
            let push = try poll.news()
            #expect(push.zones == [zone])
            last = push.notificationID
        }
    }

    @Test("The device that made a change is not told of it, other clients are")
    func ownChange() throws {
        try phone.subscribe()
        let own = phone.poll(try phone.makeToken(), after: "")
        let other = tablet.poll(try tablet.makeToken(), after: "")
        var web = phone
        web.client = .webServices
        let browser = web.poll(try web.makeToken())
        try phone.touch("Notes")
        #expect(try other.news().zones == ["Notes"])
        #expect(try browser.news().zones == ["Notes"])
        #expect(own.isWaiting(cloud))
        try web.touch("Notes")
        #expect(try own.news().zones == ["Notes"])
    }

    @Test("Nobody else hears of it")
    func isolation() throws {
        let stranger = try cloud.device(of: "bea").named("bea")
        try stranger.create("Notes")
        try stranger.subscribe()
        let poll = stranger.poll(try stranger.makeToken(), after: "")
        try phone.touch("Notes")
        #expect(poll.isWaiting(cloud))
        try stranger.named("other").touch("Notes")
        _ = try poll.news()
    }

    @Test("What changes nothing is not pushed: a failed atomic batch, the default zone, an unknown deletion")
    func noChange() throws {
        try phone.subscribe()
        let poll = phone.poll(try phone.makeToken(), after: "")
        let batch = RecordsModify.Request(
            operations: [
                .init(.create, Record(recordName: "b", recordType: "Note")),
                .init(.update, Record(recordName: "none", recordType: "Note", recordChangeTag: "x")),
            ], zoneID: ZoneID(zoneName: "Notes"))
        _ = try tablet.answer(.recordsModify(batch))
        _ = try tablet.save(.create, Record(recordName: "a", recordType: "Note"), in: .default)
        try tablet.delete("never there", in: "Notes")
        try tablet.create("Notes")
        #expect(poll.isWaiting(cloud))
    }

    @Test("A subscription to one type hears of that type, and of deletions")
    func recordType() throws {
        try phone.subscribe(as: "s", recordType: "Note")
        let token = try phone.makeToken()
        let poll = phone.poll(token, after: "")
        try tablet.touch("Notes", "t", type: "Task")
        #expect(poll.isWaiting(cloud))
        try tablet.touch("Notes", "n", type: "Note")
        let push = try poll.news()
        let next = phone.poll(token, after: push.notificationID)
        #expect(next.isWaiting(cloud))
        try tablet.delete("n", in: "Notes")
        _ = try next.news()
    }

    @Test("What happens while nobody polls is told by one push a subscription")
    func coalesced() throws {
        try phone.subscribe(.database, as: "all")
        try phone.subscribe(.zone(ZoneID(zoneName: "Notes")), as: "notes")
        let token = try phone.makeToken()
        for number in 0..<5 {
            try tablet.touch("Notes", "\(number)")
            try tablet.touch("Other", "\(number)")
        }
        cloud.server.push.settle()
        let first = try phone.poll(token, after: "").news()
        #expect(first.subscriptionID == "all" && first.zones == ["Notes", "Other"])
        let second = try phone.poll(token, after: first.notificationID).news()
        #expect(second.subscriptionID == "notes")
        #expect(phone.poll(token, after: second.notificationID).isWaiting(cloud))
    }

    @Test("More zones than are remembered by name are any zone")
    func manyZones() throws {
        let cloud = try TestCloud { $0.push.zones = 2 }
        let phone = try cloud.device().named("phone")
        try phone.create("A", "B", "C")
        try phone.subscribe()
        let token = try phone.makeToken()
        for zone in ["A", "B", "C"] { try phone.named("tablet").touch(zone) }
        cloud.server.push.settle()
        #expect(try phone.poll(token, after: "").news().zones.isEmpty)
    }

    @Test("An answer that got lost comes again; one that is acknowledged does not")
    func lostAnswer() throws {
        try phone.subscribe()
        let token = try phone.makeToken()
        try tablet.touch("Notes")
        cloud.server.push.settle()
        let lost = try phone.poll(token, after: "").news()
        let again = try phone.poll(token, after: "").news()
        #expect(again.content == lost.content)
        #expect(phone.poll(token, after: again.notificationID).isWaiting(cloud))
        // A client that does not say what it got has got everything.
        try tablet.touch("Notes")
        cloud.server.push.settle()
        #expect(phone.poll(token).isWaiting(cloud))
    }

    @Test("Subscriptions that are saved or deleted while a poll waits count at once")
    func laterSubscription() throws {
        let token = try phone.makeToken()
        let poll = phone.poll(token, after: "")
        try tablet.touch("Notes")
        #expect(poll.isWaiting(cloud))
        try tablet.subscribe()
        try tablet.touch("Notes")
        let push = try poll.news()
        let next = phone.poll(token, after: push.notificationID)
        _ = try tablet.subscriptions([.delete(subscriptionID: "changes")])
        try tablet.touch("Notes")
        #expect(next.isWaiting(cloud))
    }

    @Test("A new server tells old addresses of everything once, and goes on from there")
    func restart() throws {
        try phone.subscribe(.database, as: "all")
        try phone.subscribe(.database, as: "shared", in: .shared)
        let token = try phone.makeToken()
        cloud.server.stop()
        let restarted = try TestCloud(store: cloud.server.store)
        let again = TestDevice(
            cloud: restarted, credentials: phone.credentials, client: phone.client, environment: phone.environment)
        let first = try again.poll(token, after: "").news()
        #expect(first.subscriptionID == "all" && first.zones.isEmpty)
        let second = try again.poll(token, after: first.notificationID).news()
        #expect(second.subscriptionID == "shared")
        let third = again.poll(token, after: second.notificationID)
        #expect(third.isWaiting(restarted))
        try again.named("tablet").touch("Notes")
        #expect(try third.news().zones == ["Notes"])
    }
}
