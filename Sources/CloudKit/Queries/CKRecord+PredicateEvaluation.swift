import CoreLocation
import Foundation
import PredicateFormat

// So that an app can filter and sort the records it holds with the predicate and the descriptors of a query.
extension CKRecord: PredicateEvaluatable {
    package func predicateValue(forKey key: String) -> Any? {
        switch key {
        case "recordID", SystemFieldKey.recordID: recordID
        case "recordType": recordType
        case "recordChangeTag": recordChangeTag
        case "creationDate", SystemFieldKey.creationDate: creationDate
        case "modificationDate", SystemFieldKey.modificationDate: modificationDate
        case "creatorUserRecordID", SystemFieldKey.creatorUserRecordID: creatorUserRecordID
        case "lastModifiedUserRecordID", SystemFieldKey.lastModifiedUserRecordID: lastModifiedUserRecordID
        case "parent", SystemFieldKey.parent: parent
        case "share", SystemFieldKey.share: share
        default: object(forKey: key)
        }
    }
}

extension CLLocation: PredicateLocation {
    package func predicateDistance(to other: Any) -> Double? {
        (other as? CLLocation).map { distance(from: $0) }
    }
}
