import WebServices

extension PushHub.State {
    // MARK: - Addresses

    mutating func add(_ address: PushAddress, _ key: PushAddressKey, inDoubt: Bool, now: UInt64) {
        let owner = PushOwner(realm: key.realm, userRecordName: address.owner)
        owners[owner, default: PushHub.Owner()].tokens.insert(key.token)
        addresses[key] = PushHub.Address(
            owner: owner, device: address.device, untold: inDoubt ? .any : UntoldZones(), lastSeen: now)
    }

    /// Only without a poll.
    mutating func removeAddress(_ key: PushAddressKey) {
        guard let address = addresses.removeValue(forKey: key) else { return }
        owners[address.owner]?.tokens.remove(key.token)
        forgetIdleOwner(address.owner)
    }

    private mutating func forgetIdleOwner(_ owner: PushOwner) {
        guard let known = owners[owner], known.tokens.isEmpty, known.readerCount == 0 else { return }
        owners[owner] = nil
    }

    /// The subscriptions were read; what changed meanwhile is newer.
    mutating func finishReading(
        _ owner: PushOwner, _ subscriptions: [PushHub.SubscriptionKey: Subscription]?
    ) {
        guard var known = owners[owner] else { return }
        known.readerCount -= 1
        if known.subscriptions == nil, let subscriptions {
            known.subscriptions = subscriptions
            for change in known.changesWhileReading { known.apply(change) }
        }
        if known.readerCount == 0 { known.changesWhileReading = [] }
        owners[owner] = known
        // A failure leaves nobody.
        if subscriptions == nil { forgetIdleOwner(owner) }
    }

    /// Forgets, once a minute at most, the addresses that have not polled for long.
    mutating func sweep(_ now: UInt64, _ limits: ServerConfiguration.PushLimits) {
        guard now >= lastSweep &+ 60_000_000_000 else { return }
        lastSweep = now
        let life = limits.memory.nanoseconds
        for (key, address) in addresses where address.poll == nil && now > address.lastSeen &+ life {
            removeAddress(key)
        }
    }

    // MARK: - Polls

    /// Lets a poll wait; false when too many do.
    mutating func hold(
        _ key: PushAddressKey, _ respond: @escaping PushHub.Responder, _ now: UInt64,
        _ limits: ServerConfiguration.PushLimits
    ) -> Bool {
        guard let owner = addresses[key]?.owner, pollCount < limits.polls,
            owners[owner]?.pollCount ?? 0 < limits.pollsPerUser
        else { return false }
        lastPoll += 1
        pollCount += 1
        owners[owner]?.pollCount += 1
        addresses[key]?.poll = (lastPoll, respond)
        addresses[key]?.lastSeen = now
        deadlines.append(
            PushHub.Deadlines.Element(time: now &+ limits.pollLife.nanoseconds, key: key, poll: lastPoll))
        return true
    }

    /// The waiting poll, which waits no longer.
    mutating func takePoll(_ key: PushAddressKey) -> PushHub.Responder? {
        guard let address = addresses[key], let poll = address.poll else { return nil }
        addresses[key]?.poll = nil
        pollCount -= 1
        owners[address.owner]?.pollCount -= 1
        return poll.respond
    }

    /// Notes which notification came last; another one than was sent last means that the latter got lost.
    mutating func acknowledge(_ key: PushAddressKey, after: String?) {
        guard let (notificationID, telling) = addresses[key]?.unacknowledged else { return }
        addresses[key]?.unacknowledged = nil
        if let after, after != notificationID { addresses[key]?.outbox.insert(telling, at: 0) }
    }

    // MARK: - What to tell

    /// The next notification of an address; from then on it counts as sent.
    mutating func nextNotification(_ key: PushAddressKey, _ random: RandomSource) -> PushNotification? {
        guard var address = addresses[key], let subscriptions = owners[address.owner]?.subscriptions else { return nil }
        if !address.untold.isEmpty {
            // In the order of their names, so that a run repeats.
            for (name, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) {
                // Nothing is shared yet: only a doubt concerns the shared database.
                guard name.database == .private || address.untold.isAny,
                    let zones = address.untold.zones(for: subscription)
                else { continue }
                address.add(name, zones)
            }
            address.untold = UntoldZones()
        }
        defer { addresses[key] = address }
        while !address.outbox.isEmpty {
            let telling = address.outbox.removeFirst()
            // Deleted since.
            guard let subscription = subscriptions[telling.subscription] else { continue }
            let notificationID = random.uuid()
            address.unacknowledged = (notificationID, telling)
            return PushNotification(
                notificationID: notificationID, container: key.realm.container,
                subscriptionOwner: address.owner.userRecordName,
                alert: PushNotification.Alert(subscription.notificationInfo),
                content: telling.content(subscription, address.owner))
        }
        return nil
    }
}

extension PushHub.Address {
    /// A subscription that waits already tells of both.
    fileprivate mutating func add(_ name: PushHub.SubscriptionKey, _ zones: Set<String>) {
        guard let waiting = outbox.firstIndex(where: { $0.subscription == name }) else {
            outbox.append(PushHub.Telling(subscription: name, zones: zones))
            return
        }
        let known = outbox[waiting].zones
        let together = known.union(zones)
        outbox[waiting].zones = known.isEmpty || zones.isEmpty || together.count > Self.namedZones ? [] : together
    }

    /// So many at most in one push.
    private static let namedZones = 256
}

extension PushHub.Telling {
    fileprivate func content(_ subscription: Subscription, _ owner: PushOwner) -> PushNotification.Content {
        switch subscription.kind {
        case .zone(let zoneID):
            return .zone(zoneID, subscriptionID: self.subscription.name, database: self.subscription.database)
        case .database, .query:
            let named = zones.sorted().map { ZoneID(zoneName: $0, ownerRecordName: owner.userRecordName) }
            return .database(
                subscriptionID: self.subscription.name, database: self.subscription.database, zones: named)
        }
    }
}

extension PushHub.SubscriptionKey: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        (left.database.rawValue, left.name) < (right.database.rawValue, right.name)
    }
}

extension PushHub {
    /// A queue of times that only grow.
    struct Deadlines {
        struct Element {
            /// Uptime in nanoseconds.
            var time: UInt64
            var key: PushAddressKey
            var poll: UInt64
        }

        private var elements: [Element] = []
        private var start = 0

        var first: Element? { start < elements.count ? elements[start] : nil }

        mutating func append(_ element: Element) { elements.append(element) }

        mutating func removeFirst() {
            start += 1
            // Now and then, so that it costs nothing on the whole.
            if start > 64, start * 2 > elements.count {
                elements.removeFirst(start)
                start = 0
            }
        }
    }
}

extension Duration {
    /// Whole nanoseconds; none for a negative duration.
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) &* 1_000_000_000 &+ UInt64(attoseconds / 1_000_000_000)
    }
}
