import Foundation
import Synchronization
import Testing
import WebServices

@testable import CloudKit

@Suite("The long poll for pushes")
struct PushChannelTests {
    /// Plays the server: `tokens/create` gives numbered addresses, each poll is answered by the test.
    private final class Courier: Sendable {
        typealias Polling =
            @Sendable (CourierPoll.Request, Int) async throws(TransportError) -> Result<
                PushNotification?, ServerError
            >
        let polls = Mutex<[CourierPoll.Request]>([])
        let addresses = Mutex(0)
        let answering: Polling

        init(_ answering: @escaping Polling) {
            self.answering = answering
        }

        func answer(_ call: Call) async throws(TransportError) -> Result<Answer, ServerError> {
            switch call.operation {
            case .tokensCreate(let request):
                let number = addresses.withLock { count in
                    count += 1
                    return count
                }
                return .success(
                    .tokensCreate(
                        TokensCreate.Response(
                            apnsEnvironment: request.apnsEnvironment, apnsToken: "token",
                            webcourierURL: "http://server/stratus/courier/c/development/address-\(number)")))
            case .courierPoll(let request):
                let number = polls.withLock { polls in
                    polls.append(request)
                    return polls.count
                }
                return try await answering(request, number).map { .courierPoll($0) }
            default:
                return .failure(ServerError(.badRequest, "not expected"))
            }
        }

        func container(account: StratusCloud.Account = .webAuthToken("token")) -> CKContainer {
            let sleeps = RetryPolicy(delay: { _, _, _ in nil }, sleep: { _ in await Task.yield() })
            return StubTransport { call, _ throws(TransportError) in try await self.answer(call) }
                .container(account: account, retryPolicy: sleeps)
        }
    }

    private static func push(_ name: String) -> PushNotification {
        PushNotification(
            notificationID: name, container: "iCloud.test",
            content: .database(subscriptionID: "s", database: .private, zones: []))
    }

    /// Until the test ends.
    private static func wait() async throws(TransportError) -> Result<PushNotification?, ServerError> {
        do {
            try await Task.sleep(for: .seconds(3600))
        } catch {
            throw .cancelled
        }
        return .success(nil)
    }

    @Test("Each poll names the notification that came last, so that a lost one comes again")
    func acknowledges() async throws {
        let courier = Courier { _, number throws(TransportError) in
            switch number {
            case 1: return .success(Self.push("n1"))
            case 2: throw .answerLost("")
            case 3: return .success(Self.push("n2"))
            default: return try await Self.wait()
            }
        }
        var notifications = PushListener.listen(courier.container()).makeAsyncIterator()
        let first = try #require(await notifications.next())
        #expect(first.notificationID?.name == "n1" && first is CKDatabaseNotification)
        #expect(await notifications.next()?.notificationID?.name == "n2")
        #expect(courier.polls.withLock { $0.prefix(3).map(\.after) } == ["", "n1", "n1"])
        #expect(courier.polls.withLock { Set($0.map(\.courierToken)) } == ["address-1"])
    }

    @Test("An address that the server has forgotten is made anew")
    func forgotten() async throws {
        let courier = Courier { request, _ throws(TransportError) in
            guard request.courierToken == "address-2" else {
                return .failure(ServerError(.notFound, "There is no such address"))
            }
            return request.after == "n" ? try await Self.wait() : .success(Self.push("n"))
        }
        var notifications = PushListener.listen(courier.container()).makeAsyncIterator()
        #expect(await notifications.next()?.notificationID?.name == "n")
    }

    @Test("Another account gets an address of its own, and signing in ends the waiting for one")
    func accountChanges() async throws {
        let courier = Courier { request, _ throws(TransportError) in
            request.after == "" ? .success(Self.push("of \(request.courierToken)")) : try await Self.wait()
        }
        let container = courier.container(account: .none)
        var notifications = PushListener.listen(container).makeAsyncIterator()
        let account = try container.core.connection().account
        account.replace(with: .webAuthToken("one"))
        #expect(await notifications.next()?.notificationID?.name == "of address-1")
        account.replace(with: .webAuthToken("two"))
        #expect(await notifications.next()?.notificationID?.name == "of address-2")
    }

    @Test("All that listen to a container share one poll, which ends with the last of them")
    func shared() async throws {
        let cancelled = AsyncStream.makeStream(of: Void.self)
        let courier = Courier { request, _ throws(TransportError) in
            guard request.after != "" else { return .success(Self.push("n")) }
            defer { cancelled.continuation.yield() }
            return try await Self.wait()
        }
        let container = courier.container()
        let heard = Mutex(0)
        let first = PushListener.observe(container.core) { _ in heard.withLock { $0 += 1 } }
        let second = PushListener.observe(container.core) { _ in heard.withLock { $0 += 1 } }
        let channels = try container.core.connection().pushChannels
        #expect(channels.phases.count == 1)
        first.cancel()
        #expect(channels.phases.count == 1)
        second.cancel()
        #expect(channels.phases.isEmpty)
        // A third begins a poll of its own.
        var notifications = PushListener.listen(container).makeAsyncIterator()
        #expect(await notifications.next() != nil)
    }

    @Test("A poll ends when nobody listens any more")
    func ends() async throws {
        let waiting = AsyncStream.makeStream(of: Bool.self)
        let courier = Courier { _, _ throws(TransportError) in
            waiting.continuation.yield(true)
            defer { waiting.continuation.yield(false) }
            return try await Self.wait()
        }
        let observation = PushListener.observe(courier.container().core) { _ in }
        var states = waiting.stream.makeAsyncIterator()
        #expect(await states.next() == true)
        observation.cancel()
        #expect(await states.next() == false)
    }
}
