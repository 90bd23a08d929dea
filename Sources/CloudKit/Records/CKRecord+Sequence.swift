import Foundation
import Synchronization

// On Apple's platforms a record is iterated over as its keys and values.
extension CKRecord: Sequence {
    public func makeIterator() -> CKRecordKeyValueIterator {
        CKRecordKeyValueIterator(state.withLock { $0.plain.values })
    }
}

/// The keys and plain values that a record held when the iteration began, in the order of the keys.
public struct CKRecordKeyValueIterator: IteratorProtocol {
    private var rest: ArraySlice<(key: String, value: RecordValue)>

    init(_ values: [String: RecordValue]) {
        rest = values.sorted { $0.key < $1.key }[...]
    }

    public mutating func next() -> (CKRecord.FieldKey, any CKRecordValueProtocol)? {
        while let (key, value) = rest.popFirst() {
            if let object = value.object as? any CKRecordValueProtocol { return (key, object) }
        }
        return nil
    }
}
