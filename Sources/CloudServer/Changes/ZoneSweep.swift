/// One page of one zone's changes in the making: decides for each row of the change index whether it is sent, and what
/// the page's token and `moreComing` are. It reads nothing itself.
///
/// Directions. Forward, the order of the protocol, is oldest change first. A request with `reverse` begins a sweep that
/// sends the changes since its token newest first, for clients that want to show the latest before the rest; its tokens
/// go on in that direction whatever later requests say, and when it ends the token is that of a client which was caught
/// up when the sweep began. What changed meanwhile comes after it, so `moreComing` may then still be true.
/// [Apple:FetchingRecordZoneChanges names `reverse` and says no more]
package struct ZoneSweep: Sendable {
    /// What a row of the change index means to the sweep.
    package struct Row: Sendable {
        package var sequence: Int64
        package var deleted: Bool
        /// The asking device made or changed the record itself, so that it may have it without ever having fetched it.
        package var knownToDevice: Bool
        /// Its type is among those asked for.
        package var wanted: Bool
        package var bytes: Int

        package init(sequence: Int64, deleted: Bool, knownToDevice: Bool = false, wanted: Bool = true, bytes: Int) {
            self.sequence = sequence
            self.deleted = deleted
            self.knownToDevice = knownToDevice
            self.wanted = wanted
            self.bytes = bytes
        }
    }

    package enum Step: Sendable {
        case send, skip
        /// The page is complete; the row is not part of it.
        case stop
    }

    package private(set) var token: ZoneToken
    package private(set) var moreComing: Bool
    package private(set) var isFinished: Bool
    private let history: ZoneHistory
    private var limit: Int

    /// - Parameters:
    ///   - token: of the present incarnation, as `ZoneToken.validated(against:)` gives it.
    ///   - limit: the most records of this page.
    package init(from token: ZoneToken, reverse: Bool, in history: ZoneHistory, limit: Int) {
        self.token = token
        self.history = history
        self.limit = limit
        isFinished = token.reverse == nil && token.position >= history.sequence
        moreComing = !isFinished
        if isFinished { self.token = token.advanced(to: history.sequence) }
        if reverse, token.reverse == nil, !isFinished {
            self.token.reverse = ZoneToken.Reverse(ceiling: history.sequence, next: history.sequence &+ 1)
        }
    }

    /// Where to read on: forward, the rows after this sequence; in reverse, those before it.
    package var cursor: Int64 { token.reverse?.next ?? token.position }
    package var isReverse: Bool { token.reverse != nil }
    /// How many rows are worth asking for at once: what the page still takes and one to know whether more is coming.
    package var chunk: Int { max(limit, 0) + 1 }

    /// Takes the next row in the sweep's direction.
    package mutating func offer(_ row: Row, budget: inout PageBudget) -> Step {
        if isReverse, row.sequence <= token.position {
            finish()
            return .stop
        }
        let neverHad = row.deleted && row.sequence <= (token.skipThrough ?? 0) && !row.knownToDevice
        let sends = row.wanted && !neverHad
        if sends, limit <= 0 || !budget.admits(bytes: row.bytes) { return stop() }
        if budget.rows <= 0 { return stop() }
        budget.rows -= 1
        move(past: row.sequence)
        guard sends else { return .skip }
        limit -= 1
        budget.take(bytes: row.bytes)
        return .send
    }

    /// There are no more rows in the sweep's direction.
    package mutating func finish() {
        if let reverse = token.reverse {
            token = token.advanced(to: reverse.ceiling)
            moreComing = history.sequence > reverse.ceiling
        } else {
            token = token.advanced(to: history.sequence)
            moreComing = false
        }
        isFinished = true
    }

    private mutating func stop() -> Step {
        isFinished = true
        moreComing = true
        return .stop
    }

    private mutating func move(past sequence: Int64) {
        if token.reverse != nil { token.reverse?.next = sequence } else { token = token.advanced(to: sequence) }
    }
}
