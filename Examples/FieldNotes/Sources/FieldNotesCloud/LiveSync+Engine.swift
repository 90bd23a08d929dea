import CloudKit
import FieldNotesModel
import FieldNotesStore
import Foundation
import SwiftData

extension LiveSync: CKSyncEngineDelegate {
    public func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        guard !hasEnded else { return }
        do {
            switch event {
            case .stateUpdate(let update):
                try await store.update { try $0.progress().engineSerialization = update.stateSerialization }
            case .accountChange(let change):
                try await handle(change, syncEngine)
            case .fetchedDatabaseChanges(let changes):
                try await handle(changes, syncEngine)
            case .fetchedRecordZoneChanges(let changes):
                try await handle(changes, syncEngine)
            case .didFetchRecordZoneChanges(let fetched):
                guard fetched.zoneID == NoteRecord.zoneID else { break }
                if fetched.error == nil { try await zoneIsRead(syncEngine) }
                // It is read anew: what does not come was deleted meanwhile.
                if fetched.error?.code == .changeTokenExpired {
                    try await store.update { try $0.progress().present = [] }
                }
            case .sentDatabaseChanges(let sent):
                guard sent.savedZones.contains(where: { $0.zoneID == NoteRecord.zoneID }) else { break }
                try await store.update { try $0.progress().hasZone = true }
            case .sentRecordZoneChanges(let sent):
                try await handle(sent, syncEngine)
            case .didFetchChanges:
                tell(.upToDate)
            case .willFetchChanges, .willFetchRecordZoneChanges, .willSendChanges, .didSendChanges:
                break
            @unknown default:
                break
            }
        } catch {
            // Nothing may go on as if it had been stored. Not awaited: the engine ends after this event only.
            Task { await end(error) }
        }
    }

    public func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        guard let outgoing = try? await store.read({ try $0.pending() }) else { return nil }
        let wanted = Set(outgoing.map(\.change))
        let pending = syncEngine.state.pendingRecordZoneChanges
        // A merge, or another process, has made them needless.
        syncEngine.state.remove(pendingRecordZoneChanges: pending.filter { !wanted.contains($0) })
        let scope = context.options.scope
        let changes = pending.filter { wanted.contains($0) && scope.contains($0) }
        let notes = Dictionary(outgoing.map { ($0.recordID, $0) }, uniquingKeysWith: { first, _ in first })
        return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { notes[$0]?.record }
    }

    // MARK: The account

    private func handle(_ change: CKSyncEngine.Event.AccountChange, _ engine: CKSyncEngine) async throws {
        switch change.changeType {
        case .signIn(let user), .switchAccounts(_, let user):
            try await store.update { local in
                try local.claim(for: user.recordName)
                // The engine reads everything anew: what does not come was deleted meanwhile.
                let known = FetchDescriptor<StoredNote>(predicate: #Predicate { $0.systemFields != nil })
                if try local.context.fetchCount(known) > 0 { try local.progress().present = [] }
            }
            await addPending(to: engine)
        case .signOut:
            break
        @unknown default:
            break
        }
    }

    // MARK: What came

    private func handle(_ changes: CKSyncEngine.Event.FetchedDatabaseChanges, _ engine: CKSyncEngine) async throws {
        guard let deletion = changes.deletions.first(where: { $0.zoneID == NoteRecord.zoneID }) else { return }
        let removed = try await store.update { local in
            // Deleted in the system's settings, by whoever wants the app's data gone.
            guard deletion.reason == .purged else {
                try local.forgetCloud()
                return [Note]()
            }
            let removed = try local.context.visibleNotes().map(\.note)
            for row in try local.context.fetch(FetchDescriptor<StoredNote>()) { local.context.delete(row) }
            try local.forgetCloud()
            return removed
        }
        for note in removed { tell(.removed(note)) }
        // For any other reason this device brings its notes back.
        await addPending(to: engine)
    }

    private func handle(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges, _ engine: CKSyncEngine) async throws {
        let events = try await store.update { local in
            var events: [Event] = []
            let progress = try local.progress()
            var present = progress.present.map(Set.init)
            for record in changes.modifications.map(\.record) {
                let outcome = try local.receive(record)
                guard let id = NoteRecord.noteID(of: record.recordID) else { continue }
                present?.insert(id)
                guard let note = try local.context.storedNote(id)?.note else { continue }
                if outcome == .received { events.append(.received(note)) }
                if outcome == .merged { events.append(.merged(note)) }
            }
            for deletion in changes.deletions {
                guard let id = NoteRecord.noteID(of: deletion.recordID) else { continue }
                present?.remove(id)
                let note = try local.context.storedNote(id)?.note
                if try local.receiveDeletion(of: deletion.recordID) == .removed, let note {
                    events.append(.removed(note))
                }
            }
            if let present { progress.present = Array(present) }
            return events
        }
        for event in events { tell(event) }
        await addPending(to: engine)
    }

    private func zoneIsRead(_ engine: CKSyncEngine) async throws {
        let removed = try await store.update { local -> [Note] in
            let progress = try local.progress()
            guard let present = progress.present else { return [] }
            progress.present = nil
            guard !present.isEmpty else {
                // The zone was made anew meanwhile: this device brings its notes back.
                try local.forgetCloud()
                return []
            }
            return try local.receiveAbsence(ofAllBut: Set(present))
        }
        for note in removed { tell(.removed(note)) }
        await addPending(to: engine)
    }

    // MARK: What was sent

    private func handle(_ sent: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) async throws {
        // Those the engine sends again by itself; everything else that failed is the app's to mend.
        let kept = Set(engine.state.pendingRecordZoneChanges)
        // Those that do not come now come with the record itself, and the note is sent then.
        try? await store.fetchPhotos(of: sent.failedRecordSaves.compactMap(\.error.serverRecord))
        let (events, failures) = try await store.update { local in
            var events: [Event] = []
            var failures: [(Note, CKError)] = []
            for record in sent.savedRecords {
                guard let note = Note(record: record) else { continue }
                try local.confirm(note, as: record)
                events.append(.sent(note))
            }
            for failure in sent.failedRecordSaves where !kept.contains(.saveRecord(failure.record.recordID)) {
                if let event = try local.mend(failure, &failures) { events.append(event) }
            }
            let gone = sent.failedRecordDeletes.filter { [.unknownItem, .zoneNotFound].contains($0.value.code) }.keys
            for recordID in sent.deletedRecordIDs + gone {
                if let note = try local.confirmDeletion(of: recordID) { events.append(.deleted(note)) }
            }
            return (events, failures)
        }
        for event in events { tell(event) }
        for (note, error) in failures { refuse(note, error) }
        await addPending(to: engine)
    }
}

extension LocalNotes {
    /// Mends what can be mended, so that the note can be sent again; else the note is added to `failures`.
    fileprivate func mend(
        _ failure: CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave, _ failures: inout [(Note, CKError)]
    ) throws -> LiveSync.Event? {
        guard let id = NoteRecord.noteID(of: failure.record.recordID) else { return nil }
        switch failure.error.code {
        case .serverRecordChanged:
            guard let record = failure.error.serverRecord, try receive(record) != .nothing else { return nil }
            return try context.storedNote(id).map { .merged($0.note) }
        case .unknownItem:
            _ = try receiveDeletion(of: failure.record.recordID)
        case .zoneNotFound, .userDeletedZone:
            try forgetCloud()
        default:
            if let note = try context.storedNote(id)?.note { failures.append((note, failure.error)) }
        }
        return nil
    }
}
