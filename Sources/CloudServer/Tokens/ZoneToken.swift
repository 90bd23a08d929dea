import WebServices

/// What a zone's row says of its history.
package struct ZoneHistory: Sendable, Hashable {
    /// Unique for ever: a zone that was deleted and made again has another.
    package var id: Int64
    /// Raised by a restore or an import.
    package var incarnation: Int64
    /// The newest change.
    package var sequence: Int64
    /// Tombstones up to here are gone.
    package var horizon: Int64

    package init(id: Int64, incarnation: Int64, sequence: Int64, horizon: Int64) {
        self.id = id
        self.incarnation = incarnation
        self.sequence = sequence
        self.horizon = horizon
    }
}

/// A place in one zone's history: all that `changes/zone` remembers between two pages.
///
/// Three shapes. *Caught up to `position`*: the client has every change up to it. *In a first read*: as before, and
/// tombstones up to `skipThrough` need not be sent. *In a reverse sweep*: the changes after `position` and up to
/// `ceiling` are sent newest first, and those from `next` on have been. Nothing depends on page sizes; the same state
/// always has the same text.
package struct ZoneToken: Sendable, Hashable {
    package var zone: Int64
    package var incarnation: Int64
    package var position: Int64
    /// The zone's sequence when a read without a token began. A tombstone up to here was one already then, so this
    /// client never had the record, and a new device is spared the deletions of years. Above it they are sent.
    ///
    /// A read that begins with a token sends all of them, even those of records made after the token: the device may
    /// have made such a record itself.
    package var skipThrough: Int64?
    package var reverse: Reverse?

    package struct Reverse: Sendable, Hashable {
        package var ceiling: Int64
        package var next: Int64
    }

    package init(
        zone: Int64, incarnation: Int64, position: Int64, skipThrough: Int64? = nil, reverse: Reverse? = nil
    ) {
        self.zone = zone
        self.incarnation = incarnation
        self.position = position
        self.skipThrough = skipThrough.flatMap { $0 > position ? $0 : nil }
        self.reverse = reverse
    }

    /// This token moved on to `position`.
    package func advanced(to position: Int64) -> ZoneToken {
        ZoneToken(zone: zone, incarnation: incarnation, position: position, skipThrough: skipThrough)
    }

    /// The token of a client that has everything.
    package static func caughtUp(_ zone: ZoneHistory) -> ZoneToken {
        ZoneToken(zone: zone.id, incarnation: zone.incarnation, position: zone.sequence)
    }

    /// Where a client without a token begins.
    package static func start(_ zone: ZoneHistory) -> ZoneToken {
        ZoneToken(zone: zone.id, incarnation: zone.incarnation, position: 0, skipThrough: zone.sequence)
    }

    /// Reads a request's token: none is the start, an empty one means "caught up" as it does at Apple.
    package init(request text: String?, _ zone: ZoneHistory, _ key: TokenKey) throws(ServerError) {
        switch text {
        case nil: self = .start(zone)
        case "": self = .caughtUp(zone)
        case let text?: self = try ZoneToken(text, key).validated(against: zone)
        }
    }

    /// This token as one of the zone's present incarnation.
    /// - Throws: `CHANGE_TOKEN_EXPIRED` when the zone can no longer tell what has changed since.
    package func validated(against zone: ZoneHistory) throws(ServerError) -> ZoneToken {
        guard self.zone == zone.id else {
            throw .changeTokenExpired("The token belongs to another zone, or to one that was deleted and made again")
        }
        // Also where the token is older than what the restore took away: its client may have saved something since, and
        // nothing but reading all of the zone shows that this is gone.
        guard incarnation == zone.incarnation else {
            throw .changeTokenExpired("The zone was restored since the token")
        }
        guard position <= zone.sequence, (reverse?.ceiling ?? 0) <= zone.sequence else {
            throw .changeTokenExpired("The zone was restored to a point before the token")
        }
        // A first read outlives a clean-up of tombstones that it would have skipped anyway.
        guard position >= zone.horizon || (skipThrough ?? 0) >= zone.horizon else {
            throw .changeTokenExpired("Deletions since the token are no longer known")
        }
        return self
    }
}

// MARK: - Text

extension ZoneToken {
    package func text(_ key: TokenKey) -> String {
        var bytes = TokenBytes()
        bytes.append((skipThrough == nil ? 0 : 1) | (reverse == nil ? 0 : 2))
        bytes.append(zone)
        bytes.append(incarnation)
        bytes.append(position)
        if let skipThrough { bytes.append(skipThrough &- position) }
        if let reverse {
            bytes.append(reverse.ceiling)
            bytes.append(reverse.next)
        }
        return key.seal(.zone, bytes.bytes)
    }

    package init(_ text: String, _ key: TokenKey) throws(ServerError) {
        var reader = TokenBytesReader(try key.open(text, [.zone]).1)
        guard let flags = reader.count(), flags < 4, let zone = reader.count(), let incarnation = reader.count(),
            let position = reader.count()
        else { throw .invalidContinuationFormat }
        var skipThrough: Int64?
        if flags & 1 != 0 {
            guard let distance = reader.count(), distance <= Int64.max - position else {
                throw .invalidContinuationFormat
            }
            skipThrough = position + distance
        }
        var reverse: Reverse?
        if flags & 2 != 0 {
            guard let ceiling = reader.count(), let next = reader.count() else { throw .invalidContinuationFormat }
            reverse = Reverse(ceiling: ceiling, next: next)
        }
        guard reader.isAtEnd else { throw .invalidContinuationFormat }
        self.init(
            zone: zone, incarnation: incarnation, position: position, skipThrough: skipThrough, reverse: reverse)
    }
}
