/// What a sync has done.
public struct SyncReport: Hashable, Sendable {
    /// Notes that came new or changed from the cloud.
    public var received = 0
    /// Notes that other devices have deleted.
    public var removed = 0
    /// Notes, and deletions of notes, that were sent.
    public var sent = 0
    public var deleted = 0
    /// Notes edited here and elsewhere, now one again.
    public var merged = 0
    /// Whether the cloud could not be reached; the edits wait for the next sync.
    public var isOffline = false

    public init() {}
}
