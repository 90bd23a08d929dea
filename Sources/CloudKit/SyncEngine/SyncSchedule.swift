/// When an engine that syncs by itself fetches and sends next. A plain value: time is handed in, in seconds.
package struct SyncSchedule: Sendable, Equatable {
    package private(set) var wantsFetch = false
    package private(set) var wantsSend = false
    /// Nothing happens before, whatever is asked for: after a failure.
    private var notBefore = 0.0
    /// Nothing is sent before: a full account can be read all the same.
    private var sendNotBefore = 0.0
    /// What the pause is for that does not pass with time: no network, no account.
    private var lack: Lack?
    /// When the oldest wish was made, a moment later so that others join it.
    private var due = 0.0
    private var fetchFailures = 0
    private var sendFailures = 0
    private var random: UInt64

    package enum Lack: Sendable {
        case network, account
    }

    /// Several changes in a row are sent together.
    package static let coalescing = 0.1
    private static let longestPause = 600.0
    /// A network that is back is found within a minute.
    private static let longestPauseOfNetwork = 60.0
    /// A full account is not emptied in seconds.
    private static let quotaPause = 60.0

    /// - Parameter seed: Spreads the retries of many devices.
    package init(seed: UInt64) {
        random = seed
    }

    package mutating func askForFetch(now: Double) {
        ask(now)
        wantsFetch = true
    }

    /// A push came, and somebody may be waiting for what it tells of. What comes while that is fetched is fetched after it.
    package mutating func askForFetchAtOnce(now: Double) {
        due = min(wantsFetch || wantsSend ? due : now, now)
        wantsFetch = true
    }

    package mutating func askForSend(now: Double) {
        ask(now)
        wantsSend = true
    }

    /// Account or network are others than before: what was waited for may have come.
    package mutating func forgetFailures() {
        notBefore = 0
        sendNotBefore = 0
        lack = nil
        fetchFailures = 0
        sendFailures = 0
    }

    /// The server was heard of.
    package mutating func networkIsBack() {
        if lack == .network { forgetFailures() }
    }

    private mutating func ask(_ now: Double) {
        if !wantsFetch && !wantsSend { due = now + Self.coalescing }
    }

    /// Seconds to the next sync; nil when there is nothing to do.
    package func delay(now: Double) -> Double? {
        let times = [wantsFetch ? max(due, notBefore) : nil, wantsSend ? timeToSend : nil]
        return times.compactMap { $0 }.min().map { max(0, $0 - now) }
    }

    private var timeToSend: Double { max(due, notBefore, sendNotBefore) }

    /// Whether there is something to do that time alone lets it do, not network, account or room in the account.
    package func canGoOn(now: Double) -> Bool {
        lack == nil && (wantsFetch || wantsSend && sendNotBefore <= now)
    }

    /// Takes what is due, which counts as begun.
    package mutating func begin(now: Double) -> (fetches: Bool, sends: Bool) {
        let isDue = { (time: Double) in time - now <= 0.001 }
        let wishes = (
            fetches: wantsFetch && isDue(max(due, notBefore)), sends: wantsSend && isDue(timeToSend)
        )
        if wishes.fetches { wantsFetch = false }
        if wishes.sends { wantsSend = false }
        return wishes
    }

    package mutating func fetchEnded(_ error: CKError?, now: Double) {
        fetchFailures = error == nil ? 0 : fetchFailures + 1
        guard let error else { return succeeded() }
        if error.deservesRetry { wantsFetch = true }
        postpone(error, fetchFailures, now)
    }

    package mutating func sendEnded(_ error: CKError?, now: Double) {
        sendFailures = error == nil ? 0 : sendFailures + 1
        guard let error else { return succeeded() }
        if error.deservesRetry { wantsSend = true }
        postpone(error, sendFailures, now)
    }

    private mutating func succeeded() {
        if lack != nil { forgetFailures() }
    }

    /// Twice as long after each failure in a row, with a random part; as long as the server says, if it does.
    private mutating func postpone(_ error: CKError, _ failures: Int, _ now: Double) {
        lack = error.lack
        // A first conflict is resolved at once. An app that resolves it wrongly, again and again, must not spin.
        guard error.deservesRetry || failures > 1 else { return }
        let longest = lack == .network ? Self.longestPauseOfNetwork : Self.longestPause
        let isFull = error.all.contains { $0.syncTreatment == .stop }
        var pause = min(longest, Double(1 << min(failures, 12)) * 0.5)
        if isFull { pause = max(pause, Self.quotaPause) }
        pause *= 0.5 + 0.5 * nextRandom()
        // Never sooner than the server wants.
        let wanted = error.all.compactMap(\.retryAfterSeconds).max()
        if let wanted { pause = max(wanted, pause * 0.1) }
        if isFull && wanted == nil {
            sendNotBefore = max(sendNotBefore, now + pause)
        } else {
            notBefore = max(notBefore, now + pause)
        }
    }

    /// Between 0 and 1. SplitMix64.
    private mutating func nextRandom() -> Double {
        random &+= 0x9E37_79B9_7F4A_7C15
        var word = random
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((word ^ (word >> 31)) >> 11) / Double(1 << 53)
    }
}

extension CKError {
    /// The error, or those of its items.
    fileprivate var all: [CKError] {
        guard code == .partialFailure, let errors = partialErrorsByItemID else { return [self] }
        return errors.values.compactMap { $0 as? CKError }
    }

    /// What is missing, where that is why it failed.
    fileprivate var lack: SyncSchedule.Lack? {
        switch code {
        case .networkUnavailable: .network
        case .notAuthenticated, .accountTemporarilyUnavailable: .account
        default: nil
        }
    }

    /// Whether something stayed pending that may succeed by itself.
    fileprivate var deservesRetry: Bool {
        all.contains { $0.syncTreatment == .retry || $0.syncTreatment == .keep || $0.syncTreatment == .stop }
    }
}
