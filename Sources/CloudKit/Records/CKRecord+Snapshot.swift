import Foundation
import Synchronization

extension CKRecord {
    /// A record of the same state for a request to work on, whatever the app does to its own meanwhile. Of a subclass
    /// too, only what a record is made of is taken.
    package func snapshot() -> CKRecord {
        CKRecord(recordType: recordType, recordID: recordID, state: state.withLock { $0 })
    }

    /// The record in the state that the server had when this one was fetched or saved.
    package var ancestor: CKRecord {
        CKRecord(recordType: recordType, recordID: recordID, state: state.withLock { $0.unchanged })
    }
}
