/// The app's side of a sync engine.
///
/// One call comes at a time: the next waits until this one has returned. So awaiting `fetchChanges` or `sendChanges` of
/// the same engine inside a call would wait for ever.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
    /// Something happened; store what it brings.
    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

    /// The next records to send, out of those in the context's scope.
    ///
    /// - Returns: nil when there are none left.
    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch?

    /// What to fetch, asked before each request to the server.
    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
    /// What was asked for.
    public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        context.options
    }
}
