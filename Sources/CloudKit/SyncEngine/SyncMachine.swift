// The decisions of a sync engine, free of concurrency, clock and network: `(state, input) → (state, effects)`.
//
// A driver carries out the effects and answers with the next input. Of the effects of one step, the last one is the one
// that is answered; those before it are carried out at once. CKSyncEngine drives the machine with the queue of its
// `State`; others may drive it with a queue of their own, since the machine never sees one.

/// What one engine does: one fetch or one send at a time, in small steps.
package struct SyncMachine: Sendable {
    package internal(set) var progress: SyncProgress
    /// The most items of one request. Halved when the server finds a request too large. [Apple:CKError.limitExceeded]
    package internal(set) var itemLimit = SyncBatchSize.mostItems
    var activity = Activity.idle

    package init(progress: SyncProgress = SyncProgress()) {
        self.progress = progress
    }

    enum Activity: Sendable {
        case idle
        case fetching(Fetching)
        case sending(Sending)
    }

    package enum Input: Sendable {
        case fetch(CKSyncEngine.FetchChangesContext)
        case send(CKSyncEngine.SendChangesContext)
        /// The signed-in user's record name; nil where nobody is signed in.
        case account(Result<String?, CKError>)
        /// The delegate has handled the event.
        case handled
        case fetchOptions(CKSyncEngine.FetchChangesOptions)
        case databaseChanges(Result<DatabasePage, CKError>)
        case zoneChanges(Result<ZonePage, CKError>)
        case pendingDatabaseChanges([CKSyncEngine.PendingDatabaseChange])
        case recordBatch(CKSyncEngine.RecordZoneChangeBatch?)
        case zonesModified(Result<ZoneOutcome, CKError>)
        case recordsModified(Result<RecordOutcome, CKError>)
    }

    package enum Effect: Sendable {
        // Answered with an input.
        case checkAccount
        case deliver(CKSyncEngine.Event)
        case askForFetchOptions(CKSyncEngine.FetchChangesContext)
        case fetchDatabaseChanges(since: String?)
        case fetchZoneChanges(CKRecordZone.ID, since: String?)
        /// Gives the pending changes of zones in the scope, save those that failed already, no more than a request takes.
        case takePendingDatabaseChanges(CKSyncEngine.SendChangesOptions.Scope, except: Set<CKRecordZone.ID>, limit: Int)
        case askForRecordBatch(CKSyncEngine.SendChangesContext)
        case modifyZones(saving: [CKRecordZone], deleting: [CKRecordZone.ID])
        case modifyRecords(RecordRequest)

        // Carried out at once.
        /// These changes of the last batch leave the queue, unless they were added again since it was taken.
        case settleDatabaseChanges([CKSyncEngine.PendingDatabaseChange])
        /// Likewise; the postponed ones stay, behind those not tried yet.
        case settleRecordChanges(
            [CKSyncEngine.PendingRecordZoneChange], postponed: [CKSyncEngine.PendingRecordZoneChange])
        /// The account changed: nothing of the one before may reach the next.
        case forgetPendingChanges
        /// The delegate had nothing more to send.
        case nothingUntracked
        /// The state may be stored now: the delegate has handled everything that it speaks of.
        case progressChanged
        /// The fetch or send is over.
        case finished(CKError?)
    }

    /// One page of the database's changes.
    package struct DatabasePage: Sendable {
        package var changed: [CKRecordZone.ID]
        package var deleted: [CKDatabase.DatabaseChange.Deletion]
        package var token: String
        package var moreComing: Bool

        package init(
            changed: [CKRecordZone.ID], deleted: [CKDatabase.DatabaseChange.Deletion], token: String, moreComing: Bool
        ) {
            self.changed = changed
            self.deleted = deleted
            self.token = token
            self.moreComing = moreComing
        }
    }

    /// One page of a zone's changes.
    package struct ZonePage: Sendable {
        package var changed: [CKRecord]
        package var deleted: [CKDatabase.RecordZoneChange.Deletion]
        package var token: String
        package var moreComing: Bool
        /// Of a record that could not be read.
        package var error: CKError?

        package init(
            changed: [CKRecord], deleted: [CKDatabase.RecordZoneChange.Deletion], token: String, moreComing: Bool,
            error: CKError? = nil
        ) {
            self.changed = changed
            self.deleted = deleted
            self.token = token
            self.moreComing = moreComing
            self.error = error
        }
    }

    /// What became of each zone of a request.
    package struct ZoneOutcome: Sendable {
        package var saved: [CKRecordZone.ID: Result<CKRecordZone, CKError>]
        package var deleted: [CKRecordZone.ID: Result<Void, CKError>]

        package init(
            saved: [CKRecordZone.ID: Result<CKRecordZone, CKError>] = [:],
            deleted: [CKRecordZone.ID: Result<Void, CKError>] = [:]
        ) {
            self.saved = saved
            self.deleted = deleted
        }
    }

    /// Records of one zone that go in one request.
    package struct RecordRequest: Sendable {
        package var zoneID: CKRecordZone.ID
        package var saves: [CKRecord] = []
        package var deletions: [CKRecord.ID] = []
        package var isAtomic: Bool

        package var count: Int { saves.count + deletions.count }
    }

    /// What became of each record of a request.
    package struct RecordOutcome: Sendable {
        package var saved: [CKRecord.ID: Result<CKRecord, CKError>]
        package var deleted: [CKRecord.ID: Result<Void, CKError>]

        package init(
            saved: [CKRecord.ID: Result<CKRecord, CKError>] = [:], deleted: [CKRecord.ID: Result<Void, CKError>] = [:]
        ) {
            self.saved = saved
            self.deleted = deleted
        }
    }

    /// Takes one step.
    ///
    /// - Returns: What to do. A driver that answers something else than it was asked ends the operation with an error.
    package mutating func advance(_ input: Input) -> [Effect] {
        switch (activity, input) {
        case (.idle, .fetch(let context)):
            activity = .fetching(Fetching(context))
            return [.checkAccount]
        case (.idle, .send(let context)):
            activity = .sending(Sending(context))
            return [.checkAccount]
        case (.fetching(let fetching), _):
            return advance(fetching, input)
        case (.sending(let sending), _):
            return advance(sending, input)
        case (.idle, _):
            return finish(Self.unexpected)
        }
    }

    /// Gives up whatever is going on; the progress stays.
    package mutating func abandon() { activity = .idle }

    mutating func finish(_ error: CKError?) -> [Effect] {
        activity = .idle
        return [.finished(error)]
    }

    static var unexpected: CKError {
        CKError(.internalError, reason: "The sync engine was answered something that it did not ask for")
    }
}

// MARK: - The account

extension SyncMachine {
    enum Admission {
        case goOn
        /// Tell the delegate, then take over the progress and go on, or end with the error.
        case changed([Effect], CKSyncEngine.Event, SyncProgress, CKError?)
        case end(CKError)
    }

    /// Whether the account is the one that the progress belongs to. However often it changed since, that is one change.
    func admit(_ account: Result<String?, CKError>) -> Admission {
        let current: String?
        switch account {
        case .failure(let error): return .end(error)
        case .success(let name): current = name
        }
        guard current != progress.userRecordName else {
            return current == nil ? .end(Self.noAccount) : .goOn
        }
        let change: CKSyncEngine.Event.AccountChange.ChangeType
        switch (
            progress.userRecordName.map { CKRecord.ID(recordName: $0) }, current.map { CKRecord.ID(recordName: $0) }
        ) {
        case (nil, let user?): change = .signIn(currentUser: user)
        case (let previous?, nil): change = .signOut(previousUser: previous)
        case (let previous?, let user?): change = .switchAccounts(previousUser: previous, currentUser: user)
        case (nil, nil): return .end(Self.noAccount)
        }
        // What was added while nobody was signed in belongs to whoever signs in first.
        let effects: [Effect] = progress.userRecordName == nil ? [] : [.forgetPendingChanges]
        return .changed(
            effects, .accountChange(CKSyncEngine.Event.AccountChange(changeType: change)),
            SyncProgress(userRecordName: current), current == nil ? Self.noAccount : nil)
    }

    private static var noAccount: CKError { CKError(.notAuthenticated, reason: "No account is signed in") }
}
