import CoreLocation
import Foundation
import PredicateFormat

/// Sorts by how far the location in a field is from a place, the nearest first.
// Sendable on Apple's platforms; here Foundation declares that no NSSortDescriptor is.
open class CKLocationSortDescriptor: NSSortDescriptor {
    public let relativeLocation: CLLocation

    public init(key: String, relativeLocation: CLLocation) {
        self.relativeLocation = relativeLocation
        super.init(keyPath: NSSortDescriptor.keyPath(for: key), ascending: true)
    }

    /// Records without a location in the field come last.
    open override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        func distance(_ object: Any) -> Double {
            let location = key.flatMap { (object as? CKRecord)?.object(forKey: $0) } as? CLLocation
            return location?.distance(from: relativeLocation) ?? .infinity
        }
        let (first, second) = (distance(object1), distance(object2))
        return first < second ? .orderedAscending : first > second ? .orderedDescending : .orderedSame
    }
}
