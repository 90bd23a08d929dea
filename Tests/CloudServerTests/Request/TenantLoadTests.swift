import CloudStore
import Synchronization
import Testing
import WebServices

@testable import CloudServer

@Suite("Tenants share the server")
struct TenantLoadTests {
    private let greedy = Tenant(container: "iCloud.greedy", environment: "production")
    private let modest = Tenant(container: "iCloud.modest", environment: "production")
    private static let second: UInt64 = 1_000_000_000

    /// Two processors of which `greedy` has had all for some seconds, and `modest` a little.
    private func busy() -> (load: TenantLoad, now: UInt64) {
        var load = TenantLoad(processors: 2, waitingWrites: 10)
        var now: UInt64 = 1
        for _ in 0..<50 {
            now += Self.second / 10
            load.spent(Self.second / 10 * 19 / 10, greedy, now: now)
            load.spent(Self.second / 10 / 10, modest, now: now)
        }
        return (load, now)
    }

    @Test("Whoever has more than an equal share of a busy server is told to come back, and nobody else")
    func share() throws {
        let (load, now) = busy()
        #expect(try #require(load.refusal(of: greedy, now: now)) >= 1)
        #expect(load.refusal(of: modest, now: now) == nil)
        #expect(load.refusal(of: Tenant(container: "iCloud.new", environment: "production"), now: now) == nil)
    }

    @Test("One who is alone may have all of it")
    func alone() {
        var load = TenantLoad(processors: 2, waitingWrites: 10)
        for tenth in 1...50 as ClosedRange<UInt64> {
            load.spent(Self.second / 5, greedy, now: tenth * Self.second / 10)
        }
        #expect(load.refusal(of: greedy, now: 5 * Self.second) == nil)
    }

    @Test("A server that is not busy refuses nobody")
    func idle() {
        var load = TenantLoad(processors: 2, waitingWrites: 10)
        for tenth in 1...50 as ClosedRange<UInt64> {
            load.spent(Self.second / 20, greedy, now: tenth * Self.second / 10)
            load.spent(Self.second / 200, modest, now: tenth * Self.second / 10)
        }
        #expect(load.refusal(of: greedy, now: 5 * Self.second) == nil)
    }

    @Test("Who waits as long as it was told is served")
    func waiting() throws {
        var (load, now) = busy()
        let wait = try #require(load.refusal(of: greedy, now: now))
        now += UInt64(wait) * Self.second
        // The others have gone on meanwhile.
        load.spent(Self.second / 10, modest, now: now)
        #expect(load.refusal(of: greedy, now: now) == nil)
    }

    @Test("So many writes of one tenant wait for its writer and no more")
    func writes() {
        var load = TenantLoad(processors: 2, waitingWrites: 10)
        for _ in 0..<9 { load.writeWaits(greedy, now: 1) }
        #expect(load.refusal(of: greedy, now: 1) == nil)
        load.writeWaits(greedy, now: 1)
        #expect(load.refusal(of: greedy, now: 1) == 1)
        #expect(load.refusal(of: modest, now: 1) == nil)
        load.writeEnded(greedy, now: 1)
        #expect(load.refusal(of: greedy, now: 1) == nil)
    }

    @Test("What ten thousand tenants did does not make the table grow")
    func many() {
        var load = TenantLoad(processors: 2, waitingWrites: 10)
        for number in 0..<10_000 as Range<UInt64> {
            load.spent(1000, Tenant(container: "iCloud.\(number)", environment: "production"), now: number * 1_000_000)
        }
        #expect(load.knownTenants <= 1024)
    }

    @Test("A call of a tenant that is too busy is answered 503 with the time to wait; another's is served")
    func call() throws {
        let cloud = try TestCloud { $0.processors = 1 }
        let device = try cloud.device()
        let other = "iCloud.example.other"
        let now = cloud.server.clock.ticks()
        for container in [TestCloud.container, other] {
            let tenant = Tenant(container: container, environment: "development")
            let seconds: UInt64 = container == other ? 1 : 4
            cloud.server.load.withLock { $0.spent(seconds * Self.second / 4, tenant, now: now) }
        }
        let error = try #require(try device.error(.zonesList))
        #expect(error.code == .tryAgainLater)
        #expect(error.code.status == 503)
        #expect(try #require(error.retryAfter) >= 1)
        #expect(try device.error(.zonesList, container: other) == nil)
        cloud.clock.advance(milliseconds: 5000)
        #expect(try device.error(.zonesList) == nil)
    }

    @Test("What calls cost is counted to their container, and its writes no longer wait once they are answered")
    func counted() throws {
        let ticks = Mutex<UInt64>(0)
        // Every look at the clock finds it a tenth of a second later.
        let clock = ServerClock(
            now: { 1_800_000_000_000 },
            ticks: {
                ticks.withLock {
                    $0 += Self.second / 10
                    return $0
                }
            })
        let cloud = try TestCloud(time: clock) { $0.waitingWritesPerContainer = 1 }
        let device = try cloud.device()
        let tenant = Tenant(container: TestCloud.container, environment: "development")
        func seconds() -> Double {
            cloud.server.load.withLock { $0.seconds(of: tenant, now: ticks.withLock { $0 }) }
        }
        _ = try device.zones()
        let afterRead = seconds()
        #expect(afterRead > 0)
        try device.create("Z")
        #expect(seconds() > afterRead * 0.5 + 0.05)
        // With room for one write, the next would be refused if this one still waited.
        try device.create("Y")
    }
}
