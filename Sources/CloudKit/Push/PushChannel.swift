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
        /// A poll is with the server, or on its way there.
        case polling
        /// A failure or the lack of an account is waited out.
        case waiting
    }

    package typealias Listener = @Sendable (CKNotification) -> Void

    private struct State {
        var listeners: [UUID: Listener] = [:]
        var phase = Phase.working
        var turn: Task<Turn, Never>?
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
    private let state = Mutex(State())

    init(_ core: ContainerCore) {
        self.core = core
    }

    package var phase: Phase { state.withLock { $0.phase } }

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
            return state.turn
        }
        turn?.cancel()
    }

    /// Looks anew at account and network instead of waiting.
    func interrupt() {
        let turn = state.withLock { state in
            state.phase = .working
            return state.turn
        }
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
                let task = Task { await self.turn(known, failures: attempt) }
                state.turn = task
                return task
            }
            guard let turn = await task?.value else { return }
            address = turn.address
            failures = turn.hasFailed ? failures + 1 : 0
            if let notification = turn.notification { handOut(notification) }
        }
    }

    private func handOut(_ notification: PushNotification) {
        let listeners = state.withLock { Array($0.listeners.values) }
        let notification = CKNotification.concrete(NotificationPayload(notification))
        for listener in listeners { listener(notification) }
    }

    private func turn(_ known: Address?, failures: Int) async -> Turn {
        var turn = Turn(address: known)
        do throws(CKError) {
            let connection = try core.connection()
            let address = try await self.address(known, on: connection)
            turn.address = address
            let began = ContinuousClock.now
            enter(.polling)
            turn.notification = try await connection.poll(
                address.webcourierURL, after: address.lastNotificationID, container: core.identifier)
            enter(.working)
            if let notification = turn.notification {
                turn.address?.lastNotificationID = notification.notificationID
            } else if began.duration(to: .now) < .seconds(1) {
                // Whatever answers so fast and says nothing would be asked for ever.
                turn.hasFailed = true
                await pause(Self.delay(after: failures), on: connection)
            }
        } catch {
            // Interrupted: account and network are looked at anew.
            guard error.code != .operationCancelled else { return turn }
            turn.hasFailed = true
            // The server has forgotten the address.
            if error.code == .unknownItem { turn.address = nil }
            let needsAccount = error.code == .notAuthenticated || error.code == .accountTemporarilyUnavailable
            let delay = needsAccount ? Self.longestDelay : error.retryAfterSeconds ?? Self.delay(after: failures)
            if error.code != .unknownItem || failures > 0 { await pause(delay, on: try? core.connection()) }
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
        return Address(
            connection: connection, accountRevision: revision, webcourierURL: response.webcourierURL)
    }

    private func enter(_ phase: Phase) {
        // An interrupted turn says nothing any more.
        guard !Task.isCancelled else { return }
        state.withLock { $0.phase = phase }
    }

    private func pause(_ seconds: Double, on connection: CloudConnection?) async {
        enter(.waiting)
        let sleep = connection?.retryPolicy.sleep ?? RetryPolicy.standard.sleep
        // Sleeping ends early only when the turn was interrupted or stopped.
        try? await sleep(seconds)
        enter(.working)
    }

    private static let longestDelay = 60.0

    /// Doubles from half a second to a minute, and differs by device: a server that comes back must not be asked by all
    /// at once.
    private static func delay(after failures: Int) -> Double {
        min(longestDelay, 0.5 * Double(1 << min(failures, 7))) * Double.random(in: 0.75...1.25)
    }
}
