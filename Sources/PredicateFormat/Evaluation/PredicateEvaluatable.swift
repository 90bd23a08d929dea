/// An object whose keys predicates and sort descriptors read, as key-value coding does on Apple's systems.
/// Dictionaries with text keys need no conformance.
package protocol PredicateEvaluatable {
    /// The value for one key (never a path); `nil` if it has none. Collections come as arrays or sets.
    func predicateValue(forKey key: String) -> Any?
}

/// A place, for `distanceToLocation:fromLocation:`.
package protocol PredicateLocation {
    /// Metres to `other`; `nil` if that is no place.
    func predicateDistance(to other: Any) -> Double?
}
