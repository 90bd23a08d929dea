import CoreLocation
import Foundation

/// Sorts by how far the location in a field is from a place, the nearest first.
// Sendable on Apple's platforms; here Foundation declares that no NSSortDescriptor is.
open class CKLocationSortDescriptor: NSSortDescriptor {
    /// The field whose location is compared.
    package let fieldKey: String
    public let relativeLocation: CLLocation

    public init(key: String, relativeLocation: CLLocation) {
        fieldKey = key
        self.relativeLocation = relativeLocation
        // Foundation's initializer wants a Swift key path; the field is compared by `compare(_:to:)` instead.
        super.init(keyPath: \CKRecord.recordType, ascending: true)
    }

    /// Records without a location in the field come last.
    open override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        func distance(_ object: Any) -> Double {
            let location = (object as? CKRecord)?.object(forKey: fieldKey) as? CLLocation
            return location?.distance(from: relativeLocation) ?? .infinity
        }
        let (first, second) = (distance(object1), distance(object2))
        return first < second ? .orderedAscending : first > second ? .orderedDescending : .orderedSame
    }
}
