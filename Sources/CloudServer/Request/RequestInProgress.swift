import WebServices

/// One call between its arrival and its answer.
struct RequestInProgress: Sendable {
    let call: Call
    /// Milliseconds since 1970-01-01 UTC.
    let now: Int64
    /// Ticks of the server's monotonic clock.
    let started: UInt64
    var caller: Caller?
    /// Goes into the answer whatever else happens, once authentication has succeeded.
    var freshToken: String?

    init(_ call: Call, now: Int64, started: UInt64) {
        self.call = call
        self.now = now
        self.started = started
    }
}
