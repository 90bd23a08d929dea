/// When an engine that syncs by itself fetches and sends next. A plain value: time is handed in, in seconds.
package struct SyncSchedule: Sendable, Equatable {
    package private(set) var wantsFetch = false
    package private(set) var wantsSend = false
    /// Nothing happens before, whatever is asked for: after a failure.
    private var notBefore = 0.0
    /// When the oldest wish was made, a moment later so that others join it.
    private var due = 0.0
    private var fetchFailures = 0
    private var sendFailures = 0
    private var random: UInt64

    /// Several changes in a row are sent together.
    package static let coalescing = 0.1
    private static let longestPause = 600.0
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

    package mutating func askForSend(now: Double) {
        ask(now)
        wantsSend = true
    }

    /// Somebody else is signed in, or the network is back: what was waited for may have come.
    package mutating func forgetFailures() {
        notBefore = 0
        fetchFailures = 0
        sendFailures = 0
    }

    private mutating func ask(_ now: Double) {
        if !wantsFetch && !wantsSend { due = now + Self.coalescing }
    }

    /// Seconds to the next sync; nil when there is nothing to do.
    package func delay(now: Double) -> Double? {
        guard wantsFetch || wantsSend else { return nil }
        return max(0, max(due, notBefore) - now)
    }

    package mutating func beginFetch() { wantsFetch = false }
    package mutating func beginSend() { wantsSend = false }

    package mutating func fetchEnded(_ error: CKError?, now: Double) {
        fetchFailures = error == nil ? 0 : fetchFailures + 1
        guard let error else { return }
        if error.deservesRetry { wantsFetch = true }
        postpone(error, fetchFailures, now)
    }

    package mutating func sendEnded(_ error: CKError?, now: Double) {
        sendFailures = error == nil ? 0 : sendFailures + 1
        guard let error else { return }
        if error.deservesRetry { wantsSend = true }
        postpone(error, sendFailures, now)
    }

    /// Twice as long after each failure in a row, with a random part; as long as the server says, if it does.
    private mutating func postpone(_ error: CKError, _ failures: Int, _ now: Double) {
        // A first conflict is resolved at once. An app that resolves it wrongly, again and again, must not spin.
        guard error.deservesRetry || failures > 1 else { return }
        var pause = min(Self.longestPause, Double(1 << min(failures, 12)) * 0.5)
        if error.all.contains(where: { $0.syncTreatment == .stop }) { pause = max(pause, Self.quotaPause) }
        pause *= 0.5 + 0.5 * nextRandom()
        // Never sooner than the server wants.
        if let seconds = error.all.compactMap(\.retryAfterSeconds).max() { pause = max(seconds, pause * 0.1) }
        notBefore = max(notBefore, now + pause)
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

    /// Whether something stayed pending that may succeed by itself.
    fileprivate var deservesRetry: Bool {
        all.contains { $0.syncTreatment == .retry || $0.syncTreatment == .keep || $0.syncTreatment == .stop }
    }
}
