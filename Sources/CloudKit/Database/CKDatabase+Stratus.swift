import Foundation

extension CKDatabase {
    /// Whether the records of a custom zone are saved all together. Not part of Apple's framework, whose calls say
    /// `atomically: true`; articles about it spell it so.
    public enum AtomicityType: Sendable {
        case full, nonAtomic
    }

    /// `modifyRecords(saving:deleting:savePolicy:atomically:)` in another spelling.
    @discardableResult
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomicityType: AtomicityType
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        try await modifyRecords(
            saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy,
            atomically: atomicityType == .full)
    }
}
