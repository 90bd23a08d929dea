import Foundation
import Synchronization
import WebServices

/// One long poll for a container, as long as anything listens. It outlives failures of the network, restarts of the
/// server and changes of the account, and never polls in vain: it waits longer after each failure, and for an account
/// where there is none.
package final class PushChannel: Sendable {
    /// What the channel is doing, for tests that wait until nothing is going on.
    package enum Phase: Sendable {
        /// Getting an address, or handing a notification out.
        case working
        /// A poll at this address is with the server, or on its way there.
        case polling(courierToken: String)
        /// A failure or the lack of an account is waited out.
        case waiting(CKError)
    }

    package enum Event: Sendable {
        case notification(CKNotification)
        /// The server knows this device from now on. It has not told, and will not tell, what changed before.
        case registered
        /// The server answers again, after it had not.
        case reachedAgain
    }

    package typealias Listener = @Sendable (Event) -> Void

    private struct State {
        var listeners: [UUID: Listener] = [:]
        var phase = Phase.working
        var failure: CKError?
        var turn: Task<Turn, Never>?
        /// What an earlier turn still has to say counts no more.
        var turnNumber: UInt64 = 0
        var isStopped = false
    }

    /// Where the server leaves this device's pushes, and which came last.
    private struct Address: Sendable {
        var connection: CloudConnection
        var accountRevision: UInt64
        var webcourierURL: String
        var lastNotificationID = ""

        /// Addresses belong to an account.
        func isGood(on connection: CloudConnection) -> Bool {
            self.connection === connection && accountRevision == connection.account.revision
        }
    }

    private struct Turn: Sendable {
        var address: Address?
        var notification: PushNotification?
        var hasFailed = false
    }

    private let core: ContainerCore
    private let activities: Activities
    private let state = Mutex(State())

    init(_ core: ContainerCore, _ activities: Activities) {
        self.core = core
        self.activities = activities
    }

    package var phase: Phase { state.withLock { $0.phase } }

    /// What kept the channel from pushes last; nil once the server has answered since.
    package var failure: CKError? { state.withLock { $0.failure } }

    func add(_ id: UUID, _ listener: @escaping Listener) {
        state.withLock { $0.listeners[id] = listener }
    }

    /// - Returns: Whether nobody listens any more.
    func remove(_ id: UUID) -> Bool {
        state.withLock { state in
            state.listeners[id] = nil
            return state.listeners.isEmpty
        }
    }

    func start() {
        Task { await run() }
    }

    /// Ends the poll for good.
    func stop() {
        let turn = state.withLock { state in
            state.isStopped = true
            state.turnNumber += 1
            return state.turn
        }
        turn?.cancel()
    }

    /// Looks anew at account and network instead of waiting.
    func interrupt() {
        let turn = state.withLock { state in
            state.phase = .working
            state.turnNumber += 1
            return state.turn
        }
        activities.changed()
        turn?.cancel()
    }

    // MARK: Turns

    private func run() async {
        var address: Address?
        var failures = 0
        while true {
            let known = address
            let attempt = failures
            let task: Task<Turn, Never>? = state.withLock { state in
                guard !state.isStopped else { return nil }
                state.phase = .working
                state.turnNumber += 1
                let number = state.turnNumber
                let task = Task { await self.turn(number, known, failures: attempt) }
                state.turn = task
                return task
            }
            activities.changed()
            guard let turn = await task?.value else { return }
            address = turn.address
            failures = turn.hasFailed ? failures + 1 : 0
            if let notification = turn.notification {
                tell(.notification(CKNotification.concrete(NotificationPayload(notification))))
            }
        }
    }

    private func tell(_ event: Event) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener(event) }
    }

    private func turn(_ number: UInt64, _ known: Address?, failures: Int) async -> Turn {
        var turn = Turn(address: known)
        do throws(CKError) {
            let connection = try core.connection()
            let address = try await self.address(known, on: connection)
            turn.address = address
            let began = ContinuousClock.now
            let request = CourierPoll.Request(
                webcourierURL: address.webcourierURL, after: address.lastNotificationID)
            enter(.polling(courierToken: request.courierToken), number)
            let notification = try await connection.poll(request, at: address.webcourierURL, container: core.identifier)
            enter(.working, number)
            serverAnswered()
            // Whoever signed out meanwhile hears no more of that account.
            guard address.isGood(on: connection) else { return turn }
            if let notification {
                turn.notification = notification
                turn.address?.lastNotificationID = notification.notificationID
            } else if began.duration(to: .now) < .seconds(1) {
                // Whatever answers so fast and says nothing would be asked for ever.
                turn.hasFailed = true
                await pause(Self.delay(after: failures), .silentCourier, number, on: connection)
            }
        } catch {
            // Interrupted: account and network are looked at anew.
            guard error.code != .operationCancelled else { return turn }
            turn.hasFailed = true
            state.withLock { $0.failure = error }
            // Whatever the server has against this address, another one may please it. That nobody answers says nothing
            // against the address.
            if !error.isOfPassage { turn.address = nil }
            // A forgotten address is made anew at once, but not again and again.
            if error.code == .unknownItem && failures == 0 { return turn }
            let delay = error.isOfAccount ? Self.longestDelay : error.retryAfterSeconds ?? Self.delay(after: failures)
            await pause(delay, error, number, on: try? core.connection())
        }
        return turn
    }

    private func address(_ known: Address?, on connection: CloudConnection) async throws(CKError) -> Address {
        if let known, known.isGood(on: connection) { return known }
        let revision = connection.account.revision
        let request = TokensCreate.Request(
            apnsEnvironment: connection.environment, clientID: connection.deviceID)
        let answer = try await connection.answer(
            to: .tokensCreate(request), container: core.identifier, database: .private, options: RequestOptions())
        guard case .tokensCreate(let response) = answer else { throw CKError.unexpectedAnswer }
        serverAnswered()
        tell(.registered)
        return Address(
            connection: connection, accountRevision: revision, webcourierURL: response.webcourierURL)
    }

    private func serverAnswered() {
        let failure = state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
        if failure != nil { tell(.reachedAgain) }
    }

    private func enter(_ phase: Phase, _ number: UInt64) {
        state.withLock { state in
            if state.turnNumber == number { state.phase = phase }
        }
        activities.changed()
    }

    private func pause(_ seconds: Double, _ cause: CKError, _ number: UInt64, on connection: CloudConnection?) async {
        enter(.waiting(cause), number)
        let sleep = connection?.retryPolicy.sleep ?? RetryPolicy.standard.sleep
        // Sleeping ends early only when the turn was interrupted or stopped.
        try? await sleep(seconds)
        enter(.working, number)
    }

    private static let longestDelay = 60.0

    /// Doubles from half a second to a minute, and differs by device: a server that comes back must not be asked by all
    /// at once.
    private static func delay(after failures: Int) -> Double {
        min(longestDelay, 0.5 * Double(1 << min(failures, 7))) * Double.random(in: 0.75...1.25)
    }
}

extension CKError {
    /// The request or its answer did not get through, or the server has no time for it.
    fileprivate var isOfPassage: Bool {
        switch code {
        case .networkUnavailable, .networkFailure, .serverResponseLost, .requestRateLimited, .serviceUnavailable: true
        default: false
        }
    }

    /// Nothing will change before somebody signs in, which interrupts the waiting.
    fileprivate var isOfAccount: Bool { code == .notAuthenticated || code == .accountTemporarilyUnavailable }

    fileprivate static var silentCourier: CKError {
        CKError(.serviceUnavailable, reason: "The server answers polls for pushes at once, without any")
    }
}
