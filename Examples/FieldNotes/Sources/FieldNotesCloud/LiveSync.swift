import CloudKit
import FieldNotesModel
import FieldNotesStore
import Foundation

/// Keeps the notes of this device and of the cloud in step as long as it runs, through CKSyncEngine: edits made here are
/// sent within a moment, edits made elsewhere come by push.
///
/// The engine's state is kept in the notes' own store. What came is stored before the state that says so, and what is to
/// be sent is told by the notes themselves, so the app may be killed at any point: at worst something comes or goes twice,
/// which changes nothing.
public actor LiveSync {
    public enum Event: Sendable, Equatable {
        /// The cloud cannot be reached; the edits wait.
        case offline
        /// Everything that the cloud had has come.
        case upToDate
        case received(Note)
        /// Edited here and elsewhere, now one again.
        case merged(Note)
        /// Deleted on another device.
        case removed(Note)
        case sent(Note)
        /// The deletion was sent.
        case deleted(Note)
        /// Nobody is signed in any more. The notes stay; it goes on when their owner is back.
        case signedOut
        /// The cloud does not take the note as it is.
        case refused(Note, CKError)
    }

    /// What happens, until `stop`. It ends with an error where nothing can go on: `SyncError.otherAccount`, or what
    /// keeps the notes from being stored.
    public nonisolated let events: AsyncThrowingStream<Event, any Error>
    private nonisolated let continuation: AsyncThrowingStream<Event, any Error>.Continuation

    let store: NoteStore
    private var engine: CKSyncEngine?
    private var doorbell: Doorbell?
    private var lock: FileLock?
    private var accountObserver: (any NSObjectProtocol)?
    private var isSignedOut = false
    private(set) var hasEnded = false
    /// Notes that the cloud did not take, as they were: sent again only when they are edited again.
    private var refused: [Note.ID: Note] = [:]

    public init(_ store: NoteStore) {
        self.store = store
        (events, continuation) = AsyncThrowingStream.makeStream()
    }

    /// - Throws: `SyncError` without an account, with another one or while another process does the same; the `CKError`
    ///   of a cloud that refuses. One that cannot be reached is waited for.
    public func start() async throws {
        guard let lock = try FileLock(ifFree: store.persistence.directory.appendingPathComponent("watch.lock")) else {
            throw SyncError.alreadyWatching
        }
        self.lock = lock
        do {
            try await store.checkAccount()
        } catch let error as CKError where error.isAboutNetwork {
            tell(.offline)
        } catch {
            lock.release()
            self.lock = nil
            throw error
        }
        doorbell = try store.persistence.observe { [weak self] in
            Task { await self?.notesChanged() }
        }
        observeAccount()
        let configuration = await CKSyncEngine.Configuration(
            database: store.database, stateSerialization: try store.read { try $0.progress().engineSerialization },
            delegate: self)
        let engine = CKSyncEngine(configuration)
        self.engine = engine
        await notesChanged()
    }

    /// Ends it and `events`. Edits that were not sent wait for the next time.
    public func stop() async {
        await end(nil)
    }

    func end(_ error: (any Error)?) async {
        guard !hasEnded else { return }
        hasEnded = true
        doorbell = nil
        if let accountObserver { NotificationCenter.default.removeObserver(accountObserver) }
        accountObserver = nil
        await engine?.cancelOperations()
        engine = nil
        lock?.release()
        continuation.finish(throwing: error)
    }

    func tell(_ event: Event) {
        continuation.yield(event)
    }

    // MARK: What is to be sent

    /// The user has edited something, here or in another process of the app.
    private func notesChanged() async {
        guard let engine else { return }
        await addPending(to: engine)
    }

    /// Tells the engine of everything that the cloud does not have. What the engine knows already it is not told again.
    func addPending(to engine: CKSyncEngine) async {
        let hasZone: Bool
        let pending: [OutgoingNote]
        do {
            (hasZone, pending) = try await store.read { try ($0.progress().hasZone, $0.pending()) }
        } catch {
            return await end(error)
        }
        if !hasZone, engine.state.pendingDatabaseChanges.isEmpty {
            engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: NoteRecord.zoneID))])
        }
        let known = Set(engine.state.pendingRecordZoneChanges)
        let changes = pending.filter { refused[$0.note.id] != $0.note }.map(\.change)
        engine.state.add(pendingRecordZoneChanges: changes.filter { !known.contains($0) })
    }

    func refuse(_ note: Note, _ error: CKError) {
        refused[note.id] = note
        tell(.refused(note, error))
    }

    // MARK: The account

    private func observeAccount() {
        accountObserver = NotificationCenter.default.addObserver(
            forName: .CKAccountChanged, object: nil, queue: nil
        ) { [weak self] _ in
            Task { await self?.accountMayHaveChanged() }
        }
    }

    private func accountMayHaveChanged() async {
        guard let status = try? await store.container.accountStatus(), status == .noAccount || status == .available
        else { return }
        if status == .noAccount, !isSignedOut { tell(.signedOut) }
        isSignedOut = status == .noAccount
    }
}
