import CloudKit
import FieldNotesModel
import Foundation

/// Why notes cannot be exchanged.
public enum SyncError: Error, Equatable, LocalizedError {
    case noAccount
    /// The notes on this device belong to somebody else than the person who is signed in.
    case otherAccount
    /// Other devices keep changing the same notes faster than this one can merge.
    case tooManyConflicts

    public var errorDescription: String? {
        switch self {
        case .noAccount: "Nobody is signed in."
        case .otherAccount: "The notes on this device belong to another account."
        case .tooManyConflicts: "Other devices keep changing the same notes. Try again in a moment."
        }
    }
}

extension NoteStore {
    /// Brings this device and the cloud to the same notes: takes in what changed there, then sends what changed here.
    ///
    /// - Throws: `SyncError`, or the `CKError` of a cloud that answers. One that cannot be reached is no error: the
    ///   report says so and the edits stay pending.
    public func sync() async throws -> SyncReport {
        var report = SyncReport()
        do {
            try await checkAccount()
            do {
                try await exchange(&report)
            } catch let error as CKError where error.isAboutMissingZone {
                // Reset, or deleted from another device: this one brings its notes back.
                local.forgetCloud()
                try persist()
                try await exchange(&report)
            }
        } catch let error as CKError where error.isAboutNetwork {
            report.isOffline = true
        }
        return report
    }

    private func checkAccount() async throws {
        switch try await container.accountStatus() {
        case .available: break
        // The cloud did not say: tried again with the next sync.
        case .temporarilyUnavailable, .couldNotDetermine: throw CKError(.serviceUnavailable)
        default: throw SyncError.noAccount
        }
        let user = try await container.userRecordID().recordName
        if let known = local.userRecordName, known != user { throw SyncError.otherAccount }
        local.userRecordName = user
    }

    private func exchange(_ report: inout SyncReport) async throws {
        if !local.hasZone {
            _ = try await database.save(CKRecordZone(zoneID: NoteRecord.zoneID))
            local.hasZone = true
            try persist()
        }
        try await receiveChanges(&report)
        // Each round sends what the one before had to merge; a second device that syncs at the same time costs one more.
        for _ in 0..<10 where local.pendingCount > 0 {
            try await sendPending(&report)
        }
        if local.pendingCount > 0 { throw SyncError.tooManyConflicts }
    }

    // MARK: Receiving

    private func receiveChanges(_ report: inout SyncReport) async throws {
        do {
            try await receivePages(&report)
        } catch let error as CKError where error.code == .changeTokenExpired {
            local.serverChangeToken = nil
            try await receivePages(&report)
        }
    }

    private func receivePages(_ report: inout SyncReport) async throws {
        var present: Set<Note.ID>? = local.serverChangeToken == nil ? [] : nil
        // Kept back until the last page where the whole zone is read, so that a break in the middle starts over and
        // does not forget what was seen.
        var token = local.serverChangeToken
        var isMoreComing = true
        while isMoreComing {
            let page = try await database.recordZoneChanges(inZoneWith: NoteRecord.zoneID, since: token)
            for result in page.modificationResultsByID.values {
                let record = try result.get().record
                report.count(local.receive(record))
                if let id = NoteRecord.noteID(of: record.recordID) { present?.insert(id) }
            }
            for deletion in page.deletions {
                report.count(local.receiveDeletion(of: deletion.recordID))
                if let id = NoteRecord.noteID(of: deletion.recordID) { present?.remove(id) }
            }
            token = page.changeToken
            isMoreComing = page.moreComing
            if present == nil {
                local.serverChangeToken = token
                try persist()
            }
        }
        if let present {
            report.removed += local.receiveAbsence(ofAllBut: present)
            local.serverChangeToken = token
            try persist()
        }
    }

    // MARK: Sending

    private func sendPending(_ report: inout SyncReport) async throws {
        let pending = local.entries.values.filter { $0.state != .synced }
        var rest = pending.sorted { $0.note.modifiedAt < $1.note.modifiedAt }[...]
        var size = 200
        while !rest.isEmpty {
            do {
                try await send(Array(rest.prefix(size)), &report)
                rest = rest.dropFirst(size)
            } catch let error as CKError where error.code == .limitExceeded && size > 1 {
                size /= 2
            }
        }
    }

    private func send(_ entries: [LocalNotes.Entry], _ report: inout SyncReport) async throws {
        let edited = entries.filter { $0.state == .edited }
        let records = edited.map { entry in
            let record =
                entry.systemFields.flatMap(CKRecord.unarchive(systemFields:))
                ?? CKRecord(recordType: NoteRecord.type, recordID: NoteRecord.id(of: entry.note.id))
            entry.note.write(to: record, since: entry.base)
            return record
        }
        let deletions = entries.filter { $0.state == .deleted }.map { NoteRecord.id(of: $0.note.id) }
        let (saves, deletes) = try await database.modifyRecords(
            saving: records, deleting: deletions, savePolicy: .ifServerRecordUnchanged, atomically: false)

        var failure: (any Error)?
        for entry in edited {
            switch saves[NoteRecord.id(of: entry.note.id)] {
            case .success(let record): confirm(entry.note, as: record, &report)
            case .failure(let error): failure = resolve(error, for: entry.note.id, &report) ?? failure
            case nil: break  // not said: it stays pending
            }
        }
        for (recordID, result) in deletes {
            guard let id = NoteRecord.noteID(of: recordID), local.entries[id]?.state == .deleted else { continue }
            switch result {
            case .success:
                local.entries[id] = nil
                report.deleted += 1
            case .failure(let error as CKError) where error.code == .unknownItem:
                local.entries[id] = nil
            case .failure(let error):
                failure = error
            }
        }
        try persist()
        if let failure { throw failure }
    }

    /// The cloud has taken the note. It may have been edited again while it was on its way: then it stays pending.
    private func confirm(_ sent: Note, as record: CKRecord, _ report: inout SyncReport) {
        report.sent += 1
        guard var entry = local.entries[sent.id] else { return }
        entry.base = sent
        entry.systemFields = record.archivedSystemFields
        if entry.note == sent, entry.state == .edited { entry.state = .synced }
        local.entries[sent.id] = entry
    }

    /// Mends what can be mended, so that the next round can send the note again; else returns the error.
    private func resolve(_ error: any Error, for id: Note.ID, _ report: inout SyncReport) -> (any Error)? {
        guard let error = error as? CKError else { return error }
        switch error.code {
        case .serverRecordChanged:
            guard let record = error.serverRecord else { return error }
            _ = local.receive(record)
            report.merged += 1
            return nil
        case .unknownItem:
            _ = local.receiveDeletion(of: NoteRecord.id(of: id))
            return nil
        default:
            return error
        }
    }
}

extension SyncReport {
    mutating func count(_ outcome: LocalNotes.Outcome) {
        switch outcome {
        case .nothing: break
        case .received: received += 1
        case .merged: merged += 1
        case .removed: removed += 1
        }
    }
}

extension CKError {
    var isAboutMissingZone: Bool {
        code == .zoneNotFound || code == .userDeletedZone
    }

    /// A lost answer is one of these: what was sent stays pending, and is merged with itself the next time.
    var isAboutNetwork: Bool {
        [.networkUnavailable, .networkFailure, .serviceUnavailable, .serverResponseLost].contains(code)
    }
}
