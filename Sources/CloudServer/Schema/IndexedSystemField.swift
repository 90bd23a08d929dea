import CloudStore
import WebServices

/// The system fields that every record is indexed by. Their index entries have field identifiers of their own, one set a
/// record type, so that a scan for one type never meets another's records.
///
/// `recordName` needs no entry: a record is found by its name.
package enum IndexedSystemField: Int64, Sendable, CaseIterable {
    case createdTimestamp = 1
    case modifiedTimestamp = 2
    /// Only in the public database: in a private one all records are the owner's.
    case createdUserRecordName = 3

    /// Identifiers of the schema's own fields are positive; these are negative. Stored: never renumber.
    package func id(type: Int64) -> Int64 { -(type &* 16 &+ rawValue) }

    package init?(_ field: RecordsQuery.SystemField) {
        switch field {
        case .createdTimestamp: self = .createdTimestamp
        case .modifiedTimestamp: self = .modifiedTimestamp
        case .createdUserRecordName: self = .createdUserRecordName
        case .recordName, .share, .parent, .modifiedUserRecordName: return nil
        }
    }
}
