import Foundation

extension NSSortDescriptor {
    /// Creates a descriptor that orders by the values for a key path: nil first, then by their natural order.
    ///
    /// [Apple:NSSortDescriptor, init(key:ascending:)]
    public convenience init(key: String?, ascending: Bool) {
        self.init(made: KeySortDescriptor(path: key, ascending: ascending, comparator: nil))
    }

    /// Creates a descriptor that orders by the values for a key path, as the comparator says.
    ///
    /// [Apple:NSSortDescriptor, init(key:ascending:comparator:)]
    public convenience init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self.init(made: KeySortDescriptor(path: key, ascending: ascending, comparator: cmptr))
    }

    /// The key path that the descriptor orders by; `nil` if it was made from a Swift key path.
    ///
    /// [Apple:NSSortDescriptor, key]
    public var key: String? {
        (keyPath as? KeyPath<SortKeyRoot, SortKey>).flatMap { SortKeyRoot()[keyPath: $0].key }
    }

    /// The Swift key path that stands for a key: what a subclass hands to Foundation's designated initializer, so that
    /// `key` finds it. Such a subclass overrides `compare(_:to:)`, since no object is a `SortKeyRoot`.
    package static func keyPath(for key: String?) -> KeyPath<SortKeyRoot, SortKey> {
        \SortKeyRoot[key]
    }

    /// Does nothing: a descriptor here is never an archive's, whose evaluation would have to be allowed first.
    public func allowEvaluation() {}
}

/// Carries a key within a Swift key path, where Foundation has room for it.
package struct SortKeyRoot {
    package init() {}

    package subscript(key: String?) -> SortKey { SortKey(key: key) }
}

package struct SortKey: Comparable {
    package let key: String?

    package static func < (left: SortKey, right: SortKey) -> Bool { (left.key ?? "") < (right.key ?? "") }
}

/// A descriptor that reads keys as predicates do.
final class KeySortDescriptor: NSSortDescriptor {
    private var path = ParsedExpression.evaluatedObject
    /// Whether values are in their natural order, not in a comparator's.
    private var isNatural = true

    convenience init(path key: String?, ascending: Bool, comparator: Comparator?) {
        self.init(
            keyPath: NSSortDescriptor.keyPath(for: key), ascending: ascending,
            comparator: comparator ?? { PredicateValue($0).sortOrder(PredicateValue($1)) })
        if let key { path = .key(key) }
        isNatural = comparator == nil
    }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let first = value(of: object1)
        let second = value(of: object2)
        let order: ComparisonResult =
            switch (first, second) {
            case (.null, .null): .orderedSame
            case (.null, _): .orderedAscending
            case (_, .null): .orderedDescending
            case _ where isNatural: first.sortOrder(second)
            default: comparator(first.any ?? NSNull(), second.any ?? NSNull())
            }
        return ascending ? order : order.reversed
    }

    /// As predicates do, a release build takes an object without the key as one whose value is nil.
    private func value(of object: Any) -> PredicateValue {
        do throws(PredicateEvaluationError) {
            return try path.evaluate(with: object)
        } catch {
            assertionFailure("Cannot sort by \(path): \(error)")
            return .null
        }
    }

    override var reversedSortDescriptor: Any {
        KeySortDescriptor(path: key, ascending: !ascending, comparator: isNatural ? nil : comparator)
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor else { return false }
        return other === self
            || (isNatural && other.isNatural && other.key == key && other.ascending == ascending)
    }

    override var hash: Int { key.hashValue }

    override var description: String {
        "(\(key ?? "self"), \(ascending ? "ascending" : "descending"))"
    }
}

extension PredicateValue {
    /// The order for sorting; values that have none stay as they are.
    fileprivate func sortOrder(_ other: PredicateValue) -> ComparisonResult {
        compared(to: other) ?? .orderedSame
    }
}

extension ComparisonResult {
    var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedDescending: .orderedAscending
        case .orderedSame: .orderedSame
        }
    }
}

/// Lets an initializer hand out an instance of a subclass, which only a protocol's initializer may.
/// (It is not bound to classes: only then may the initializer assign `self`.)
protocol SortDescriptorMaking {}

extension SortDescriptorMaking where Self: NSSortDescriptor {
    init(made descriptor: NSSortDescriptor) {
        guard let made = descriptor as? Self else {
            preconditionFailure("A subclass of NSSortDescriptor calls init(keyPath:ascending:comparator:) instead.")
        }
        self = made
    }
}

extension NSSortDescriptor: SortDescriptorMaking {}
