import CloudStore
import Dispatch
import Testing
import WebServices

@testable import CloudServer

@Suite("Sign-ins are limited")
struct SignInLimitTests {
    private static let person: [UInt8] = [203, 0, 113, 7]
    private static let stranger: [UInt8] = [198, 51, 100, 9]

    private func cloud(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws -> TestCloud {
        let cloud = try TestCloud {
            $0.createsAccountsOnFirstUse = false
            configure(&$0)
        }
        _ = try cloud.server.identity.createAccount(name: "anna", password: "")
        return cloud
    }

    /// The throttle alone: passwords take their time.
    private func throttle() -> SignInThrottle { SignInThrottle(ServerSecret(key: [1])) }

    private func attempt(_ account: String = "anna", _ network: String = "stranger") -> SignInThrottle.Attempt {
        SignInThrottle.Attempt(account: account, network: network)
    }

    @Test("Who guesses at an account waits longer and longer, and its owner elsewhere does not")
    func pair() {
        let throttle = throttle()
        var waits: [Int64] = []
        for _ in 0..<10 {
            throttle.failed(attempt(), now: 0)
            waits.append(throttle.wait(attempt(), now: 0))
        }
        #expect(waits == [0, 0, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000])
        #expect(throttle.wait(attempt("anna", "home"), now: 0) == 0)
        #expect(throttle.wait(attempt(), now: 60_000) == 0)
        // A quarter of an hour later it begins anew.
        throttle.failed(attempt(), now: 16 * 60_000)
        #expect(throttle.wait(attempt(), now: 16 * 60_000) == 0)
    }

    @Test("Who guesses at many accounts is slowed as well, also with a success of their own in between")
    func network() {
        let throttle = throttle()
        for number in 0..<30 {
            throttle.failed(attempt("person\(number)"), now: 0)
            throttle.succeeded(attempt("mine"), now: 0)
        }
        #expect(throttle.wait(attempt("anna"), now: 0) == 1000)
        #expect(throttle.wait(attempt("anna", "home"), now: 0) == 0)
        #expect(throttle.wait(attempt("mine"), now: 0) == 0, "who is known there is not kept out")
    }

    @Test("Guessing from many networks slows an account down, but never where its owner signed in before")
    func account() {
        let throttle = throttle()
        throttle.succeeded(attempt("anna", "home"), now: 0)
        for number in 0..<120 { throttle.failed(attempt("anna", "network\(number)"), now: 1) }
        #expect(throttle.wait(attempt("anna", "network500"), now: 1) == 60_000)
        #expect(throttle.wait(attempt("anna", "home"), now: 1) == 0)
        #expect(throttle.wait(attempt("ben", "network500"), now: 1) == 0)
    }

    @Test("Failures are remembered over a restart, without names and addresses")
    func restart() throws {
        let store = try CloudStore.inMemory(options: StoreOptions(execution: .inline))
        let first = try TestCloud(store: store) { $0.createsAccountsOnFirstUse = false }
        let now = first.clock.now
        for _ in 0..<5 { first.server.identity.throttle.failed(attempt("anna", "203.0.113.7"), now: now) }
        first.server.stop()
        let kept = String(decoding: try #require(try store.control.setting("sign-in.throttle")), as: UTF8.self)
        #expect(!kept.isEmpty && !kept.contains("anna") && !kept.contains("203"))
        let second = try TestCloud(store: store) { $0.createsAccountsOnFirstUse = false }
        #expect(second.server.identity.throttle.wait(attempt("anna", "203.0.113.7"), now: now) == 4000)
    }

    @Test("Over HTTP failures count for the address; what a proxy on this machine says of it is believed")
    func address() throws {
        let cloud = try cloud()
        let router = Router(server: cloud.server)
        func status(_ address: [UInt8], forwarded: String? = nil) throws -> Int {
            try router.send(
                "POST", "/stratus/session", #"{"account":"anna","password":"guess"}"#,
                headers: forwarded.map { [("X-Forwarded-For", $0)] } ?? [], from: address
            ).status
        }
        for _ in 0..<3 { #expect(try status(Self.stranger) == 401) }
        #expect(try status(Self.stranger) == 429)
        #expect(try status(Self.stranger, forwarded: "192.0.2.1") == 429, "a stranger's word is none")
        #expect(try status(Self.person) == 401)
        let proxy: [UInt8] = [127, 0, 0, 1]
        #expect(try status(proxy, forwarded: "192.0.2.1, 198.51.100.9") == 429)
        #expect(try status(proxy, forwarded: "198.51.100.9, 192.0.2.2") == 401)
        let (home, next) = ([0x20, 1, 0xD, 0xB8, 0, 1, 0, 2] as [UInt8], [0x20, 1, 0xD, 0xB8, 0, 1, 0, 3] as [UInt8])
        for host in 0..<3 { #expect(try status(home + [0, 0, 0, 0, 0, 0, 0, UInt8(host)]) == 401) }
        #expect(try status(home + [9, 9, 9, 9, 9, 9, 9, 9]) == 429, "one network of IPv6")
        #expect(try status(next + [0, 0, 0, 0, 0, 0, 0, 1]) == 401)
    }

    @Test("When too many passwords wait to be checked the next is told to come back, and calls go on")
    func queue() throws {
        let cloud = try cloud { $0.waitingPasswordChecks = 4 }
        let router = Router(server: cloud.server)
        let gate = DispatchSemaphore(value: 0)
        let (session, body) = ("/stratus/session", #"{"account":"anna","password":"x"}"#)
        try cloud.server.passwords.add(from: "198.51.100.9") { gate.wait() }
        let crowded = try router.send("POST", session, body, from: Self.stranger)
        #expect(crowded.status == 503, "one network has a quarter of the line")
        for _ in 0..<3 { try cloud.server.passwords.add(from: "") {} }
        let full = try router.send("POST", session, body, from: Self.person)
        #expect(full.status == 503)
        #expect(full.header("Retry-After") == "2")
        let path = "/database/1/\(TestCloud.container)/development/public/zones/list?ckAPIToken=\(TestCloud.apiToken)"
        #expect(try router.send("GET", path).status == 200)
        gate.signal()
        let emptied = DispatchSemaphore(value: 0)
        while (try? cloud.server.passwords.add(from: "last") { emptied.signal() }) == nil {}
        emptied.wait()
        #expect(try router.send("POST", session, body, from: Self.person).status == 401)
    }
}
