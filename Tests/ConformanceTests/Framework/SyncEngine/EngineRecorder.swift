import CloudKit
import CloudKitTesting
import Foundation
import Synchronization

/// An app that keeps nothing: it sends the records that a test gives it and notes what it is told.
final class EngineRecorder: CKSyncEngineDelegate {
    typealias Handler = @Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void
    typealias Provider =
        @Sendable (CKSyncEngine.SendChangesContext, CKSyncEngine) async -> CKSyncEngine.RecordZoneChangeBatch?

    private struct State {
        var records: [CKRecord.ID: CKRecord] = [:]
        var events: [CKSyncEngine.Event] = []
        var batchRequests = 0
        var fetchRequests = 0
        var isAtomic = false
        var handler: Handler?
        var provider: Provider?
        var fetchOptions: (@Sendable (Int, CKSyncEngine.FetchChangesOptions) async -> CKSyncEngine.FetchChangesOptions)?
    }

    private let state = Mutex(State())

    var events: [CKSyncEngine.Event] { state.withLock { $0.events } }
    /// How often the engine asked for a batch, and for what to fetch.
    var batchRequests: Int { state.withLock { $0.batchRequests } }
    var fetchRequests: Int { state.withLock { $0.fetchRequests } }

    /// The events by name, without the updates of the state, which may come at any time.
    var names: [String] {
        events.map { String($0.description.prefix { $0 != "(" }) }.filter { $0 != "stateUpdate" }
    }
    var sent: [CKSyncEngine.Event.SentRecordZoneChanges] {
        events.compactMap { if case .sentRecordZoneChanges(let sent) = $0 { sent } else { nil } }
    }
    var fetched: [CKSyncEngine.Event.FetchedRecordZoneChanges] {
        events.compactMap { if case .fetchedRecordZoneChanges(let fetched) = $0 { fetched } else { nil } }
    }
    var zoneDeletions: [CKDatabase.DatabaseChange.Deletion] {
        events.flatMap { event -> [CKDatabase.DatabaseChange.Deletion] in
            if case .fetchedDatabaseChanges(let changes) = event { changes.deletions } else { [] }
        }
    }
    var fetchedRecords: [CKRecord] { fetched.flatMap { $0.modifications.map(\.record) } }
    var lastState: CKSyncEngine.State.Serialization? {
        events.compactMap { if case .stateUpdate(let update) = $0 { update.stateSerialization } else { nil } }.last
    }
    /// The error of each record that was not saved.
    var failures: [String: CKError.Code] {
        var failures: [String: CKError.Code] = [:]
        for failure in sent.flatMap(\.failedRecordSaves) {
            failures[failure.record.recordID.recordName] = failure.error.code
        }
        return failures
    }

    func forgetEvents() { state.withLock { $0.events = [] } }
    func beAtomic() { state.withLock { $0.isAtomic = true } }
    func handle(_ handler: @escaping Handler) { state.withLock { $0.handler = handler } }
    func provide(_ provider: @escaping Provider) { state.withLock { $0.provider = provider } }

    /// Decides what to fetch; counts the requests from 1.
    func chooseFetches(
        _ options: @escaping @Sendable (Int, CKSyncEngine.FetchChangesOptions) async -> CKSyncEngine.FetchChangesOptions
    ) {
        state.withLock { $0.fetchOptions = options }
    }

    func engine(
        _ database: CKDatabase, state: CKSyncEngine.State.Serialization? = nil, automatically: Bool = false,
        subscriptionID: CKSubscription.ID? = nil
    ) -> CKSyncEngine {
        var configuration = CKSyncEngine.Configuration(database: database, stateSerialization: state, delegate: self)
        configuration.automaticallySync = automatically
        configuration.subscriptionID = subscriptionID
        return CKSyncEngine(configuration)
    }

    /// Has records sent in their present state.
    func send(_ records: [CKRecord], _ engine: CKSyncEngine) {
        state.withLock { state in
            for record in records { state.records[record.recordID] = record }
        }
        engine.state.add(pendingRecordZoneChanges: records.map { .saveRecord($0.recordID) })
    }

    // MARK: The delegate

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        let handler = state.withLock { state in
            state.events.append(event)
            if case .sentRecordZoneChanges(let sent) = event {
                for record in sent.savedRecords { state.records[record.recordID] = record }
            }
            return state.handler
        }
        await handler?(event, syncEngine)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let (provider, records, isAtomic) = state.withLock { state in
            state.batchRequests += 1
            return (state.provider, state.records, state.isAtomic)
        }
        if let provider { return await provider(context, syncEngine) }
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        var batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { records[$0] }
        batch?.atomicByZone = isAtomic
        return batch
    }

    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        let (number, options) = state.withLock { state in
            state.fetchRequests += 1
            return (state.fetchRequests, state.fetchOptions)
        }
        return await options?(number, context.options) ?? context.options
    }
}
