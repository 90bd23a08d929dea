import Synchronization
import WebServices

/// The server's side of a sync engine: what the machine asks for, done by the requests of the database.
///
/// The account that `bindAccount()` found holds until it is asked again: whoever signs in meanwhile, nothing of one account
/// is sent to, or fetched from, another.
final class SyncRequests: Sendable {
    private let database: CKDatabase
    private let accountRevision = Mutex<UInt64?>(nil)

    init(database: CKDatabase) {
        self.database = database
    }

    /// Whoever is signed in at one time.
    struct Account: Sendable {
        var userRecordName: String
        /// To hand to requests that may reach no other account.
        var revision: UInt64
    }

    /// nil where nobody is signed in.
    ///
    /// An account that cannot be used for a time, or whose token has run out, is an error and no sign-out: nothing of it
    /// may be thrown away.
    func account() async -> Result<Account?, CKError> {
        await result { () async throws(CKError) in
            let revision = try database.core.connection().account.revision
            let name = try await userRecordName(in: session(of: revision))
            return name.map { Account(userRecordName: $0, revision: revision) }
        }
    }

    /// The signed-in user's record name; what is asked for from now on is asked for this account only.
    func bindAccount() async -> Result<String?, CKError> {
        await result { () async throws(CKError) in
            let revision = try database.core.connection().account.revision
            accountRevision.withLock { $0 = revision }
            return try await userRecordName(in: session())
        }
    }

    private func userRecordName(in session: DatabaseSession) async throws(CKError) -> String? {
        let account = try session.core.connection().account
        switch account.status {
        case .available: break
        case .noAccount where !account.hasRunOut: return nil
        case .temporarilyUnavailable:
            throw CKError(.accountTemporarilyUnavailable, reason: "The account needs attention first")
        case .noAccount, .restricted, .couldNotDetermine:
            throw CKError(.notAuthenticated, reason: "The account cannot be used")
        }
        return try await session.userRecordName()
    }

    private func session() throws(CKError) -> DatabaseSession {
        try session(of: accountRevision.withLock { $0 })
    }

    private func session(of revision: UInt64?) throws(CKError) -> DatabaseSession {
        var session = try database.session()
        session.options.accountRevision = revision
        return session
    }

    /// - Parameters:
    ///   - zoneTokens: How far the zones have been read whose first page may come along.
    ///   - pageCame: Called for each that did.
    func databaseChanges(
        since token: String?, zoneTokens: [CKRecordZone.ID: String] = [:],
        pageCame: @Sendable (CKRecordZone.ID, String?, Result<SyncMachine.ZonePage, CKError>) -> Void = { _, _, _ in }
    ) async -> Result<SyncMachine.DatabasePage, CKError> {
        await result { () async throws(CKError) in
            var request = DatabaseChanges(
                token: token.map { CKServerChangeToken(syncToken: $0) }, resultsLimit: 0, fetchesAll: false)
            // With many zones most of it would be sent in vain.
            if zoneTokens.count <= ChangesDatabase.zonePageLimit {
                request.zonePages = zoneTokens.map { zoneID, token in
                    ZoneChanges.Zone(zoneID: zoneID, token: CKServerChangeToken(syncToken: token))
                }
            }
            let (events, outcome) = try await request.collect(in: session())
            var page = SyncMachine.DatabasePage(
                changed: [], deleted: [], token: outcome.token.syncToken, moreComing: outcome.moreComing)
            for event in events {
                switch event {
                case .changed(let zoneID): page.changed.append(zoneID)
                case .deleted(let zoneID, let reason):
                    page.deleted.append(CKDatabase.DatabaseChange.Deletion(zoneID: zoneID, reason: reason))
                case .tokenUpdated: break
                case .page(let zone, let events):
                    pageCame(
                        zone.zoneID, zone.token?.syncToken,
                        await result { () async throws(CKError) in try Self.page(events) })
                }
            }
            return page
        }
    }

    /// - Parameter moreComing: Called with the token of the page after this one, if there is one, as soon as it is known.
    func zoneChanges(
        in zoneID: CKRecordZone.ID, since token: String?, moreComing: @escaping @Sendable (String) -> Void
    ) async -> Result<SyncMachine.ZonePage, CKError> {
        await result { () async throws(CKError) in
            let zone = ZoneChanges.Zone(zoneID: zoneID, token: token.map { CKServerChangeToken(syncToken: $0) })
            let request = ZoneChanges(zones: [zone], fetchesAll: false) { page in
                if page.moreComing && page.syncToken != token { moreComing(page.syncToken) }
            }
            return try Self.page(try await request.collect(in: session()).events)
        }
    }

    private static func page(_ events: [ZoneChanges.Event]) throws(CKError) -> SyncMachine.ZonePage {
        var page = SyncMachine.ZonePage(changed: [], deleted: [], token: "", moreComing: false)
        page.changed.reserveCapacity(events.count)
        var isWhole = false
        for event in events {
            switch event {
            case .changed(_, .success(let record)): page.changed.append(record)
            case .changed(_, .failure(let error)):
                // A file that could not be fetched just now: the page comes again, else the record would never come.
                if error.syncTreatment == .retry { throw error }
                page.error = error
            case .deleted(let recordID, let recordType):
                page.deleted.append(
                    CKDatabase.RecordZoneChange.Deletion(recordID: recordID, recordType: recordType))
            case .tokenUpdated: break
            case .zone(_, .failure(let error)): throw error
            case .zone(_, .success(let end)):
                page.token = end.token.syncToken
                page.moreComing = end.moreComing
                isWhole = true
            }
        }
        guard isWhole else { throw .unexpectedAnswer }
        return page
    }

    func modifyZones(
        saving zones: [CKRecordZone], deleting zoneIDs: [CKRecordZone.ID]
    ) async -> Result<SyncMachine.ZoneOutcome, CKError> {
        await result { () async throws(CKError) in
            var outcome = SyncMachine.ZoneOutcome()
            let request = ZoneModification(saving: zones, deleting: zoneIDs)
            for event in try await request.collect(in: session()).events {
                switch event {
                case .saved(let zoneID, let result): outcome.saved[zoneID] = result
                case .deleted(let zoneID, let result): outcome.deleted[zoneID] = result
                }
            }
            return outcome
        }
    }

    /// The engine saves only what nobody changed meanwhile; `.serverRecordChanged` brings the server's record.
    func modifyRecords(_ request: SyncMachine.RecordRequest) async -> Result<SyncMachine.RecordOutcome, CKError> {
        await result { () async throws(CKError) in
            var outcome = SyncMachine.RecordOutcome()
            let modification = RecordModification(
                saving: request.saves, deleting: request.deletions, policy: .ifServerRecordUnchanged,
                isAtomic: request.isAtomic)
            for event in try await modification.collect(in: session()).events {
                switch event {
                case .saved(let original, let result): outcome.saved[original.recordID] = result
                case .deleted(let recordID, let result): outcome.deleted[recordID] = result
                }
            }
            return outcome
        }
    }

    private func result<Value>(_ body: () async throws(CKError) -> Value) async -> Result<Value, CKError> {
        do throws(CKError) { return .success(try await body()) } catch { return .failure(error) }
    }
}
