import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("Addresses for pushes, and the polls at them") struct PollTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        cloud = try TestCloud()
        device = try cloud.device().named("phone")
        try device.create("Notes")
        try device.subscribe()
    }

    @Test("A poll without news is answered without, and its client polls again")
    func timeIsUp() throws {
        let cloud = try TestCloud { $0.push.pollLife = .milliseconds(10) }
        let device = try cloud.device().named("phone")
        let token = try device.makeToken()
        for _ in 0..<3 { #expect(try device.poll(token, after: "").notification() == nil) }
        #expect(cloud.server.push.pollCount == 0)
    }

    @Test("A text that this server never gave out is no address, wherever it differs")
    func forged() throws {
        let token = try device.makeToken()
        let text = CourierPoll.Request(webcourierURL: token.webcourierURL).courierToken
        let other = text.first == "0" ? "1" : "0"
        for forged in [
            "", "x", String(text.dropLast()), text + "00", other + text.dropFirst(), token.apnsToken,
            String(repeating: "é", count: text.count / 2), String(repeating: "0", count: text.count),
            String(text.dropLast()) + (text.last == "0" ? "1" : "0"),
        ] {
            #expect(try device.poll(.init(courierToken: forged)).error().code == .notFound)
        }
        var elsewhere = device
        elsewhere.environment = .production
        #expect(try elsewhere.poll(token).error().code == .notFound)
        let long = String(repeating: "x", count: 1000)
        #expect(try device.poll(.init(courierToken: text, after: long)).error().code == .notFound)
    }

    @Test("A newer poll takes the place of an older one at its address")
    func replaced() throws {
        let token = try device.makeToken()
        let old = device.poll(token, after: "")
        let new = device.poll(token, after: "")
        let error = try old.error()
        #expect(error.code == .tryAgainLater && error.retryAfter != nil)
        try device.named("tablet").touch("Notes")
        _ = try new.news()
        #expect(cloud.server.push.pollCount == 0)
    }

    @Test("Only so many polls wait, of one account and in all")
    func crowded() throws {
        let cloud = try TestCloud {
            $0.push.polls = 3
            $0.push.pollsPerUser = 2
        }
        func polls(_ account: String, _ count: Int) throws -> [TestPoll] {
            let device = try cloud.device(of: account)
            return try (0..<count).map { _ in device.poll(try device.makeToken(), after: "") }
        }
        let anna = try polls("anna", 3)
        #expect(try anna[2].error().code == .tryAgainLater)
        let bea = try polls("bea", 2)
        #expect(try bea[1].error().retryAfter != nil)
        #expect(anna[0].isWaiting(cloud) && anna[1].isWaiting(cloud) && bea[0].isWaiting(cloud))
        #expect(cloud.server.push.pollCount == 3)
    }

    @Test("A server that stops answers every poll, and takes no more")
    func stop() throws {
        let tokens = try (0..<20).map { try device.makeToken(client: "\($0)") }
        let polls = tokens.map { device.poll($0, after: "") }
        #expect(polls.allSatisfy { $0.isWaiting(cloud) })
        cloud.server.stop()
        for poll in polls { #expect(try poll.error().code == .tryAgainLater) }
        #expect(try device.poll(tokens[0], after: "").error().code == .tryAgainLater)
        #expect(cloud.server.push.pollCount == 0)
    }

    @Test("An address can pass to another account, whose pushes it then gets")
    func register() throws {
        let token = try device.makeToken()
        let bea = try cloud.device(of: "bea").named("phone")
        try bea.create("Notes")
        try bea.subscribe(as: "bea's")
        let old = device.poll(token, after: "")
        let request = TokensRegister.Request(apnsEnvironment: .development, apnsToken: token.apnsToken)
        guard case .tokensRegister = try bea.answer(.tokensRegister(request)) else { throw UnexpectedAnswer() }
        #expect(try old.error().code == .notFound)
        let poll = device.poll(token, after: "")
        try device.named("tablet").touch("Notes")
        #expect(poll.isWaiting(cloud))
        try bea.named("tablet").touch("Notes")
        #expect(try poll.news().subscriptionID == "bea's")
    }

    @Test("A token of another push service is refused", arguments: ["", "ab", String(repeating: "ab", count: 32)])
    func foreignToken(_ text: String) throws {
        let request = TokensRegister.Request(apnsEnvironment: .production, apnsToken: text)
        #expect(try device.error(.tokensRegister(request))?.code == .badRequest)
    }

    @Test("Of one client's addresses the oldest give way")
    func tooManyTokens() throws {
        let tokens = try (0...Limits.pushTokensPerClient).map { _ in
            cloud.clock.advance(milliseconds: 1)
            return try device.makeToken(client: "app")
        }
        let other = try device.makeToken(client: "another")
        #expect(try device.poll(tokens[0], after: "").error().code == .notFound)
        // A device that comes again is told of everything once, since it may have missed something.
        for token in tokens.dropFirst() { _ = try device.poll(token, after: "").news() }
        #expect(device.poll(other, after: "").isWaiting(cloud))
    }

    @Test("Two hundred polls of one account are all answered by one change")
    func many() throws {
        let cloud = try TestCloud { $0.push.pollsPerUser = 200 }
        let device = try cloud.device()
        try device.create("Notes")
        try device.subscribe()
        let polls = try (0..<200).map { _ in device.poll(try device.makeToken()) }
        try device.touch("Notes")
        for poll in polls { #expect(try poll.news().zones == ["Notes"]) }
    }
}
