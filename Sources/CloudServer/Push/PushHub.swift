import CloudStore
import Dispatch
import Synchronization
import WebServices

/// Tells those who wait for pushes what changed, after each commit.
///
/// For each address that polls or polled lately the hub remembers what it has not been told of, as names of zones: no rows
/// are read, and a commit whose owner has no address costs a look-up. All of it lies in memory. An address that the hub
/// does not remember (the server was started anew, or another process served it) is told of everything once: a push may
/// be late or repeated, and is never needed for correctness.
///
/// Several changes make one push a subscription. What an answer carried counts as told when the next poll says so; a poll
/// that names another notification gets it again (`CourierPoll.Request.after`).
package final class PushHub: Sendable {
    typealias Responder = @Sendable (Result<PushNotification?, ServerError>) -> Void

    let limits: ServerConfiguration.PushLimits
    private let random: RandomSource
    let state = Mutex(State())
    /// Changes are told here, so that a save never waits for a thousand answers.
    private let queue = DispatchQueue(label: "stratus.push")
    private let observer = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ limits: ServerConfiguration.PushLimits, random: RandomSource) {
        self.limits = limits
        self.random = random
    }

    deinit { stop() }

    struct State {
        var addresses: [PushAddressKey: Address] = [:]
        var owners: [PushOwner: Owner] = [:]
        var pollCount = 0
        var lastPoll: UInt64 = 0
        /// The polls in the order of their ends, with those that have been answered since.
        var deadlines = Deadlines()
        var isTimerSet = false
        var lastSweep: UInt64 = 0
        var isStopped = false
    }

    /// What is known of an address.
    struct Address {
        var owner: PushOwner
        var device: String
        var untold = UntoldZones()
        /// What waits to be told, in order.
        var outbox: [Telling] = []
        /// The last answer, until a poll acknowledges it.
        var unacknowledged: (notificationID: String, Telling)?
        var poll: (id: UInt64, respond: Responder)?
        /// Uptime in nanoseconds.
        var lastSeen: UInt64
    }

    struct SubscriptionKey: Hashable {
        var database: DatabaseScope
        var name: String
    }

    /// A subscription and the zones that it tells of; none for any.
    struct Telling {
        var subscription: SubscriptionKey
        var zones: Set<String>
    }

    /// Whose subscriptions are kept ready.
    struct Owner {
        var tokens: Set<String> = []
        var pollCount = 0
        /// nil until they have been read.
        var subscriptions: [SubscriptionKey: Subscription]?
        /// Changes that came while they were read.
        var changesWhileReading: [SubscriptionChange] = []
        var readerCount = 0

        mutating func apply(_ change: SubscriptionChange) {
            switch change {
            case .saved(let subscription, let database):
                subscriptions?[SubscriptionKey(database: database, name: subscription.subscriptionID)] = subscription
            case .deleted(let name, let database):
                subscriptions?[SubscriptionKey(database: database, name: name)] = nil
            }
        }
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    static let stopping = ServerError(.tryAgainLater, "The server is about to stop.", retryAfter: 1)
    private static let crowded = ServerError(.tryAgainLater, "Too many polls wait for pushes.", retryAfter: 30)
    private static let replaced = ServerError(
        .tryAgainLater, "Another poll at this address took the place of this one.", retryAfter: 30)
}

// MARK: - What happens

extension PushHub {
    /// Something of an owner's private database was committed.
    ///
    /// - Parameter device: the native device that did it, which is not told.
    func zonesChanged(_ zones: [ChangedZone], of owner: PushOwner, by device: String?) {
        guard state.withLock({ $0.owners[owner] != nil }) else { return }
        observer.withLock { $0 }?()
        queue.async { self.tell(zones, of: owner, by: device) }
    }

    func subscriptionChanged(_ change: SubscriptionChange, of owner: PushOwner) {
        state.withLock { state in
            guard var known = state.owners[owner] else { return }
            known.apply(change)
            if known.readerCount > 0 { known.changesWhileReading.append(change) }
            state.owners[owner] = known
        }
    }

    /// An address was made for, or passed on to, its owner: what changes from now on is news to it.
    ///
    /// - Parameter inDoubt: Whether it is told of everything once, since it may have missed something.
    func remember(_ address: PushAddress, _ realm: PushRealm, inDoubt: Bool) {
        let key = PushAddressKey(realm: realm, token: address.token)
        forget(key)
        state.withLock { state in
            guard !state.isStopped else { return }
            state.sweep(Self.now, limits)
            state.add(address, key, inDoubt: inDoubt, now: Self.now)
        }
    }

    /// An address is no more.
    func forget(_ key: PushAddressKey) {
        let poll = state.withLock { state in
            let poll = state.takePoll(key)
            state.removeAddress(key)
            return poll
        }
        poll?(.failure(.unknownPushAddress))
    }

    /// Returns when everything committed before has been told to whoever waits for it.
    package func settle() { queue.sync {} }

    /// Answers every poll and takes no more.
    package func stop() {
        let waiting = state.withLock { state -> [Responder] in
            state.isStopped = true
            let keys = state.addresses.filter { $0.value.poll != nil }.map(\.key)
            return keys.compactMap { state.takePoll($0) }
        }
        for respond in waiting { respond(.failure(Self.stopping)) }
    }

    /// Has something called when a change is about to be told and when a poll begins to wait, for tests that wait until
    /// nothing goes on.
    package func observe(_ observer: @escaping @Sendable () -> Void) {
        self.observer.withLock { $0 = observer }
    }

    /// Whether a poll waits at the address: then all that was told so far has been answered.
    func isWaiting(_ key: PushAddressKey) -> Bool {
        state.withLock { $0.addresses[key]?.poll != nil }
    }

    /// How many polls wait.
    package var pollCount: Int { state.withLock(\.pollCount) }

    private func tell(_ zones: [ChangedZone], of owner: PushOwner, by device: String?) {
        let answers = state.withLock { state -> [(Responder, PushNotification)] in
            guard let known = state.owners[owner] else { return [] }
            var answers: [(Responder, PushNotification)] = []
            for token in known.tokens {
                let key = PushAddressKey(realm: owner.realm, token: token)
                guard var address = state.addresses[key] else { continue }
                // A device knows what it saved itself; as Apple's are, it is not told.
                if let device, !address.device.isEmpty, address.device == device { continue }
                for zone in zones { address.untold.add(zone, limit: limits.zones) }
                state.addresses[key] = address
                guard address.poll != nil, let notification = state.nextNotification(key, random) else { continue }
                if let respond = state.takePoll(key) { answers.append((respond, notification)) }
            }
            return answers
        }
        for (respond, notification) in answers { respond(.success(notification)) }
    }
}

// MARK: - Polls

extension PushHub {
    /// Makes sure that the address and its owner's subscriptions are known.
    ///
    /// - Throws: `NOT_FOUND` for an address that is not in the store, and what the store throws.
    func open(_ key: PushAddressKey, _ container: ContainerStore) throws {
        var owner = state.withLock { $0.addresses[key]?.owner }
        var read: PushAddress?
        if owner == nil {
            guard let row = try container.read({ try $0.pushToken(key.token) }) else {
                throw ServerError.unknownPushAddress
            }
            read = PushAddress(row)
            owner = PushOwner(realm: key.realm, userRecordName: row.owner)
        }
        guard let owner else { throw ServerError.unknownPushAddress }
        let isReady = state.withLock { state in
            if state.owners[owner]?.subscriptions != nil { return true }
            state.owners[owner, default: Owner()].readerCount += 1
            return false
        }
        let subscriptions = isReady ? nil : Result { try Self.subscriptions(of: owner, container) }
        try state.withLock { state in
            if let subscriptions { state.finishReading(owner, try? subscriptions.get()) }
            _ = try subscriptions?.get()
            state.addresses[key]?.lastSeen = Self.now
            state.sweep(Self.now, limits)
            if let read, state.addresses[key] == nil { state.add(read, key, inDoubt: true, now: Self.now) }
        }
    }

    private static func subscriptions(
        of owner: PushOwner, _ container: ContainerStore
    ) throws -> [SubscriptionKey: Subscription] {
        try container.read { reader in
            var subscriptions: [SubscriptionKey: Subscription] = [:]
            for (scope, database) in [(SubscriptionScope.private, DatabaseScope.private), (.shared, .shared)] {
                for row in try reader.subscriptions(scope: scope, owner: owner.userRecordName) {
                    subscriptions[SubscriptionKey(database: database, name: row.name)] = try row.subscription()
                }
            }
            return subscriptions
        }
    }

    /// Takes a poll of an address that is open.
    func poll(_ key: PushAddressKey, after: String?, _ respond: @escaping Responder) {
        let (old, answer) = state.withLock { state -> (Responder?, Result<PushNotification?, ServerError>?) in
            if state.isStopped { return (nil, .failure(Self.stopping)) }
            guard state.addresses[key] != nil else { return (nil, .failure(.unknownPushAddress)) }
            // Its client has left it, or there are two, of which the older gives way for a while.
            let old = state.takePoll(key)
            state.acknowledge(key, after: after)
            if let notification = state.nextNotification(key, random) { return (old, .success(notification)) }
            guard state.hold(key, respond, Self.now, limits) else { return (old, .failure(Self.crowded)) }
            setTimer(&state)
            return (old, nil)
        }
        old?(.failure(Self.replaced))
        if let answer { respond(answer) } else { observer.withLock { $0 }?() }
    }

    /// Wakes up when the oldest poll has waited long enough. All wait equally long, so one timer is enough.
    private func setTimer(_ state: inout State) {
        guard !state.isTimerSet, let first = state.deadlines.first else { return }
        state.isTimerSet = true
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: first.time)) { [weak self] in self?.endOldPolls() }
    }

    private func endOldPolls() {
        let ended = state.withLock { state -> [Responder] in
            let now = Self.now
            var ended: [Responder] = []
            while let first = state.deadlines.first, first.time <= now {
                state.deadlines.removeFirst()
                guard state.addresses[first.key]?.poll?.id == first.poll else { continue }
                if let respond = state.takePoll(first.key) { ended.append(respond) }
            }
            state.isTimerSet = false
            setTimer(&state)
            return ended
        }
        for respond in ended { respond(.success(nil)) }
    }
}
