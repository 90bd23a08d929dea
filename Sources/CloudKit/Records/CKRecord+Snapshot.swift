import Foundation
import Synchronization

/// All of a record at one moment: what a save sends, and what tests look at.
package struct RecordSnapshot: Sendable {
    package var recordType: String
    package var recordID: CKRecord.ID
    package var state: RecordState
}

extension CKRecord {
    package var snapshot: RecordSnapshot {
        RecordSnapshot(recordType: recordType, recordID: recordID, state: state.withLock { $0 })
    }

    package convenience init(_ snapshot: RecordSnapshot) {
        self.init(recordType: snapshot.recordType, recordID: snapshot.recordID, state: snapshot.state)
    }

    /// The record in the state that the server had when this one was fetched or saved.
    package var ancestor: CKRecord {
        CKRecord(recordType: recordType, recordID: recordID, state: snapshot.state.unchanged)
    }

    /// Takes over what a save has given the record: tag, dates, users. Changes that were made since `sent` was taken
    /// stay changes.
    package func markSaved(_ saved: RecordSystemFields, sent: RecordState) {
        state.withLock { state in
            let (parent, share) = (state.system.parent, state.system.share)
            let parentChangedSince = parent != sent.system.parent
            state.system = saved
            state.system.share = saved.share ?? share
            if parentChangedSince {
                state.system.previousParent = sent.system.parent
                state.system.hasChangedParent = true
            }
            state.system.parent = parent
            state.plain.markSaved(sent: sent.plain)
            state.encrypted.markSaved(sent: sent.encrypted)
        }
    }
}

extension RecordFields {
    fileprivate mutating func markSaved(sent: RecordFields) {
        for key in changedKeys {
            let sentValue = sent.values[key]
            if sent.changedKeys.contains(key), sentValue == values[key] {
                changedKeys.remove(key)
                originalValues[key] = nil
            } else if sent.changedKeys.contains(key) {
                originalValues[key] = sentValue
            }
        }
    }
}
