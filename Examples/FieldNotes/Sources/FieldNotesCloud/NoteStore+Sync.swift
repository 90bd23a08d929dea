import CloudKit
import FieldNotesModel
import FieldNotesStore
import Foundation

/// Why notes cannot be exchanged.
public enum SyncError: Error, Equatable, LocalizedError {
    case noAccount
    /// The notes on this device belong to somebody else than the person who is signed in.
    case otherAccount
    /// Other devices keep changing the same notes faster than this one can merge.
    case tooManyConflicts
    /// Another process syncs this device's notes already.
    case alreadyWatching

    public var errorDescription: String? {
        switch self {
        case .noAccount: "Nobody is signed in, or the cloud refuses who is."
        case .otherAccount: "The notes on this device belong to another account."
        case .alreadyWatching: "Another fieldnotes watches these notes already."
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
                try await update { try $0.forgetCloud() }
                try await exchange(&report)
            }
            try await update { try $0.removeUnusedPhotos() }
        } catch let error as CKError where error.isAboutNetwork {
            report.isOffline = true
        }
        return report
    }

    /// - Throws: `SyncError`, or the `CKError` of a cloud that cannot be asked.
    func checkAccount() async throws {
        switch try await container.accountStatus() {
        case .available: break
        // The cloud did not say: tried again with the next sync.
        case .temporarilyUnavailable, .couldNotDetermine: throw CKError(.serviceUnavailable)
        default: throw SyncError.noAccount
        }
        let user = try await container.userRecordID().recordName
        try await update { try $0.claim(for: user) }
    }

    private func exchange(_ report: inout SyncReport) async throws {
        if try await !read({ try $0.progress().hasZone }) {
            _ = try await database.save(CKRecordZone(zoneID: NoteRecord.zoneID))
            try await update { try $0.progress().hasZone = true }
        }
        try await receiveChanges(&report)
        // Each round sends what the one before had to merge; a second device that syncs at the same time costs one more.
        for _ in 0..<10 {
            let pending = try await read { try $0.pending() }
            if pending.isEmpty { return }
            try await send(pending, &report)
        }
        if try await pendingCount > 0 { throw SyncError.tooManyConflicts }
    }

    // MARK: Receiving

    private func receiveChanges(_ report: inout SyncReport) async throws {
        do {
            try await receivePages(&report)
        } catch let error as CKError where error.code == .changeTokenExpired {
            try await update { try $0.progress().serverChangeToken = nil }
            try await receivePages(&report)
        }
    }

    private func receivePages(_ report: inout SyncReport) async throws {
        // Kept back until the last page where the whole zone is read, so that a break in the middle starts over and
        // does not forget what was seen.
        var token = try await read { try $0.progress().serverChangeToken }
        var present: Set<Note.ID>? = token == nil ? [] : nil
        var isMoreComing = true
        while isMoreComing {
            let page = try await database.recordZoneChanges(inZoneWith: NoteRecord.zoneID, since: token)
            let records = try page.modificationResultsByID.values.map { try $0.get().record }
            token = page.changeToken
            isMoreComing = page.moreComing
            present?.formUnion(records.compactMap { NoteRecord.noteID(of: $0.recordID) })
            present?.subtract(page.deletions.compactMap { NoteRecord.noteID(of: $0.recordID) })
            let newToken = present == nil ? token : nil
            let outcomes = try await update { local in
                if let newToken { try local.progress().serverChangeToken = newToken }
                return try records.map { try local.receive($0) }
                    + page.deletions.map { try local.receiveDeletion(of: $0.recordID) }
            }
            for outcome in outcomes { report.count(outcome) }
        }
        if let present {
            let newToken = token
            report.removed += try await update { local in
                try local.progress().serverChangeToken = newToken
                return try local.receiveAbsence(ofAllBut: present).count
            }
        }
    }

    // MARK: Sending

    private func send(_ pending: [OutgoingNote], _ report: inout SyncReport) async throws {
        var rest = pending[...]
        var size = 200
        while !rest.isEmpty {
            do {
                try await sendBatch(Array(rest.prefix(size)), &report)
                rest = rest.dropFirst(size)
            } catch let error as CKError where error.code == .limitExceeded && size > 1 {
                size /= 2
            }
        }
    }

    private func sendBatch(_ batch: [OutgoingNote], _ report: inout SyncReport) async throws {
        let edited = batch.filter { !$0.isDeletion }
        let (saves, deletes) = try await database.modifyRecords(
            saving: edited.map(\.record), deleting: batch.filter(\.isDeletion).map(\.recordID),
            savePolicy: .ifServerRecordUnchanged, atomically: false)
        try await fetchPhotos(
            of: saves.values.compactMap { result in
                if case .failure(let error as CKError) = result { error.serverRecord } else { nil }
            })
        let (done, failure) = try await update { local in
            var done = SyncReport()
            var failure: (any Error)?
            for outgoing in edited {
                switch saves[outgoing.recordID] {
                case .success(let record):
                    try local.confirm(outgoing.note, as: record)
                    done.sent += 1
                case .failure(let error): failure = try local.resolve(error, for: outgoing.recordID, &done) ?? failure
                case nil: break  // not said: it stays pending
                }
            }
            for (recordID, result) in deletes {
                switch result {
                case .success:
                    if try local.confirmDeletion(of: recordID) != nil { done.deleted += 1 }
                case .failure(let error as CKError) where error.code == .unknownItem:
                    _ = try local.confirmDeletion(of: recordID)
                case .failure(let error):
                    failure = error
                }
            }
            return (done, failure)
        }
        report.sent += done.sent
        report.deleted += done.deleted
        report.merged += done.merged
        if let failure { throw failure }
    }
}

extension NoteStore {
    /// Fetches the photos of records that came with conflicts: those come without files, and a merged note is sent with them.
    func fetchPhotos(of records: [CKRecord]) async throws {
        let incomplete = records.filter { record in
            record.photos.contains { $0.file == nil && !persistence.photos.contains($0.photo) }
        }
        guard !incomplete.isEmpty else { return }
        for (_, result) in try await database.records(for: incomplete.map(\.recordID)) {
            guard let record = try? result.get() else { continue }
            for case (let photo, let file?) in record.photos { try persistence.photos.keep(file, as: photo) }
        }
    }
}

extension LocalNotes {
    /// Mends what can be mended, so that the next round can send the note again; else returns the error.
    fileprivate func resolve(
        _ error: any Error, for recordID: CKRecord.ID, _ report: inout SyncReport
    ) throws -> (any Error)? {
        guard let error = error as? CKError else { return error }
        switch error.code {
        case .serverRecordChanged:
            guard let record = error.serverRecord else { return error }
            _ = try receive(record)
            report.merged += 1
            return nil
        case .unknownItem:
            _ = try receiveDeletion(of: recordID)
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
