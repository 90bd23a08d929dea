import WebServices

/// Saves and deletes records of any number of zones, a call a zone. [Apple:ModifyRecords]
struct RecordModification: DatabaseRequest {
    enum Event: Sendable {
        /// `original` is the instance that the caller wanted to save.
        case saved(original: CKRecord, Result<CKRecord, CKError>)
        case deleted(CKRecord.ID, Result<Void, CKError>)
    }

    /// One record of the request. The copy is taken when the request is made: what the app does to its instance
    /// afterwards belongs to the next save.
    private struct Save: Sendable {
        var original: CKRecord
        var copy: CKRecord
    }

    private let saves: [Save]
    private let deletions: [CKRecord.ID]
    private let policy: CKModifyRecordsOperation.RecordSavePolicy
    private let isAtomic: Bool
    /// Told of the part of a record's files that has gone out.
    private let progress: (@Sendable (_ original: CKRecord, Double) -> Void)?

    init(
        saving records: [CKRecord], deleting recordIDs: [CKRecord.ID],
        policy: CKModifyRecordsOperation.RecordSavePolicy, isAtomic: Bool,
        progress: (@Sendable (_ original: CKRecord, Double) -> Void)? = nil
    ) {
        saves = records.map { Save(original: $0, copy: $0.snapshot()) }
        deletions = recordIDs
        self.policy = policy
        self.isAtomic = isAtomic
        self.progress = progress
    }

    func perform(
        in session: DatabaseSession, report: @Sendable (Event) -> Void
    ) async throws(CKError) {
        try refuseRepetitions()
        let batches = makeBatches()
        var isFirst = true
        for batch in batches {
            do throws(CKError) {
                try await perform(batch, in: session, report: report)
            } catch {
                // Nothing has been saved yet, or there is only this zone: the call as a whole failed. Otherwise the
                // caller keeps what it learned of the other zones.
                let isZoneFailure = error.code == .zoneNotFound || error.code == .userDeletedZone
                if isFirst && !isZoneFailure { throw error }
                for save in batch.saves { report(.saved(original: save.original, .failure(error))) }
                for recordID in batch.deletions { report(.deleted(recordID, .failure(error))) }
            }
            isFirst = false
        }
    }

    /// What one record name is asked for twice the server could not answer. Apple's framework refuses it unsent.
    private func refuseRepetitions() throws(CKError) {
        var saved: Set<CKRecord.ID> = []
        for save in saves where !saved.insert(save.copy.recordID).inserted {
            throw CKError(.invalidArguments, reason: "You can't save the same record twice: \(save.copy.recordID)")
        }
        var deleted: Set<CKRecord.ID> = []
        for recordID in deletions {
            if saved.contains(recordID) {
                throw CKError(.invalidArguments, reason: "You can't save and delete the same record: \(recordID)")
            }
            if !deleted.insert(recordID).inserted {
                throw CKError(.invalidArguments, reason: "You can't delete the same record twice: \(recordID)")
            }
        }
    }

    // MARK: One zone

    private struct Batch {
        var zoneID: CKRecordZone.ID
        var saves: [Save] = []
        var deletions: [CKRecord.ID] = []
    }

    /// Zones in the order in which they are first met.
    private func makeBatches() -> [Batch] {
        var batches: [Batch] = []
        var positions: [CKRecordZone.ID: Int] = [:]
        func position(of zoneID: CKRecordZone.ID) -> Int {
            if let position = positions[zoneID] { return position }
            positions[zoneID] = batches.count
            batches.append(Batch(zoneID: zoneID))
            return batches.count - 1
        }
        for save in saves { batches[position(of: save.copy.recordID.zoneID)].saves.append(save) }
        for recordID in deletions { batches[position(of: recordID.zoneID)].deletions.append(recordID) }
        return batches
    }

    private func perform(
        _ batch: Batch, in session: DatabaseSession, report: @Sendable (Event) -> Void
    ) async throws(CKError) {
        let failures = try await uploadFiles(of: batch, session)
        guard let operations = try makeOperations(batch, failures, report: report), !operations.isEmpty else { return }
        let zone = WebServices.ZoneID(batch.zoneID)
        // The default zone knows no atomic batches and refuses the word; there, each operation stands alone.
        let atomic = zone.isDefault ? nil : isAtomic
        let request = RecordsModify.Request(operations: operations.map(\.operation), zoneID: zone, atomic: atomic)
        guard case .recordsModify(let response) = try await session.answer(to: .recordsModify(request)),
            response.records.count == operations.count
        else { throw CKError.unexpectedAnswer }
        let user = await session.currentUser(in: response.records)
        for (sent, result) in zip(operations, response.records) {
            switch sent.purpose {
            case .save(let save):
                report(.saved(original: save.original, await outcome(of: save, result, batch.zoneID, user, session)))
            case .delete(let recordID):
                report(.deleted(recordID, outcome(ofDeleting: recordID, result)))
            }
        }
    }

    private enum Purpose {
        case save(Save)
        case delete(CKRecord.ID)
    }

    /// Sends the files of the zone's records, unless one that is not there fails them all anyway.
    ///
    /// - Returns: What is wrong with single records, by their position.
    private func uploadFiles(of batch: Batch, _ session: DatabaseSession) async throws(CKError) -> [Int: CKError] {
        var failures: [Int: CKError] = [:]
        let keys: KeysToSend = policy == .allKeys ? .allKeys : .changedKeys
        let saves = batch.saves
        let uploads = AssetUploads(saves.enumerated().map { ($0, $1.copy) }, keys, failures: &failures)
        if uploads.isEmpty || (isAtomic && !failures.isEmpty) { return failures }
        let refused = try await uploads.perform(in: batch.zoneID, session) { [progress] position, part in
            progress?(saves[position].original, part)
        }
        return failures.merging(refused) { first, _ in first }
    }

    /// The zone's operations as they travel; nil when a record that cannot be sent has failed the whole batch.
    private func makeOperations(
        _ batch: Batch, _ withoutFiles: [Int: CKError], report: @Sendable (Event) -> Void
    ) throws(CKError) -> [(operation: RecordsModify.Operation, purpose: Purpose)]? {
        var operations: [(operation: RecordsModify.Operation, purpose: Purpose)] = []
        var failures: [CKRecord.ID: CKError] = [:]
        for (position, save) in batch.saves.enumerated() {
            do throws(CKError) {
                if let error = withoutFiles[position] { throw error }
                // The others' files stayed here.
                if isAtomic && !withoutFiles.isEmpty { continue }
                operations.append((try operation(saving: save.copy), .save(save)))
            } catch {
                failures[save.copy.recordID] = error
            }
        }
        guard isAtomic && !failures.isEmpty else {
            for save in batch.saves {
                guard let error = failures[save.copy.recordID] else { continue }
                report(.saved(original: save.original, .failure(error)))
            }
            for recordID in batch.deletions {
                operations.append((Self.operation(deleting: recordID), .delete(recordID)))
            }
            return operations
        }
        // A check on this side fails the zone's batch whatever the zone can do, the default zone's too.
        for save in batch.saves {
            let error = failures[save.copy.recordID] ?? .otherInBatchFailed
            report(.saved(original: save.original, .failure(error)))
        }
        for recordID in batch.deletions { report(.deleted(recordID, .failure(.otherInBatchFailed))) }
        return nil
    }

    private func operation(saving record: CKRecord) throws(CKError) -> RecordsModify.Operation {
        switch policy {
        case .ifServerRecordUnchanged:
            let wire = try record.webServicesRecord(.changedKeys)
            return RecordsModify.Operation(wire.recordChangeTag == nil ? .create : .update, wire)
        case .changedKeys:
            return RecordsModify.Operation(.forceUpdate, try record.webServicesRecord(.changedKeys).withoutTag)
        case .allKeys:
            return RecordsModify.Operation(.forceUpdate, try record.webServicesRecord(.allKeys).withoutTag)
        }
    }

    /// A native delete carries no change tag and succeeds for a record that is not there.
    private static func operation(deleting recordID: CKRecord.ID) -> RecordsModify.Operation {
        RecordsModify.Operation(
            .forceDelete, Record(recordName: recordID.recordName, zoneID: ZoneID(recordID.zoneID)))
    }

    // MARK: What became of it

    private func outcome(
        of save: Save, _ result: RecordResult, _ zoneID: CKRecordZone.ID, _ user: String?,
        _ session: DatabaseSession
    ) async -> Result<CKRecord, CKError> {
        do throws(CKError) {
            switch result {
            case .record(let record):
                let saved = try CKRecord(record, zoneID: zoneID, currentUser: user)
                // Their files are where the app has them.
                saved.takeFiles(from: save.copy)
                return .success(saved)
            case .failure(_, let error, let conflict):
                let mapped = CKError(error)
                guard mapped.code == .serverRecordChanged else { throw mapped }
                let serverRecord: CKRecord
                if case .record(let record) = conflict {
                    serverRecord = try CKRecord(record, zoneID: zoneID, currentUser: user)
                    serverRecord.takeFiles(from: save.copy)
                    // The conflict is what the app has to hear of, with or without files.
                    try? await session.fetchFiles(of: serverRecord) { _ in }
                } else {
                    // A server that does not send its record beside the conflict is asked for it.
                    let lookup = RecordLookup(recordIDs: [save.copy.recordID], desiredKeys: nil)
                    let (events, _) = try await lookup.collect(in: session)
                    guard case .success(let found)? = events.first?.result else { throw mapped }
                    serverRecord = found
                }
                throw CKError(conflict: error, client: save.original, server: serverRecord)
            }
        } catch {
            return .failure(error)
        }
    }

    private func outcome(ofDeleting recordID: CKRecord.ID, _ result: RecordResult) -> Result<Void, CKError> {
        guard case .failure(_, let error, _) = result else { return .success(()) }
        let mapped = CKError(error)
        return mapped.code == .unknownItem ? .success(()) : .failure(mapped)
    }
}

extension Record {
    /// The force operations compare no tags.
    fileprivate var withoutTag: Record {
        var record = self
        record.recordChangeTag = nil
        return record
    }
}
