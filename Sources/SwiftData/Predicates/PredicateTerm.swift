import Foundation
import PersistentStore

/// What a part of a predicate's tree stands for.
enum PredicateTerm {
    /// A value that differs from row to row.
    case value(StoreExpression)
    /// A model object; none when a to-one relationship on the way leads nowhere.
    case object(StoreObjectPath)
    /// The identifier of an object.
    case identifier(StoreObjectPath)
    /// The objects of a to-many relationship. Nil and empty are one thing in a store.
    case many(StoreCollection)
    /// A structure with columns of its own.
    case composite(PredicateComposite)
    /// An array of values kept in one column.
    case array(PredicateArray)
    case range(lower: StoreExpression, upper: StoreExpression, isClosed: Bool, kind: StoreComparisonKind)
    /// What is known before the query: a captured value, or what was computed from such alone.
    case constant(Any)
}

struct PredicateComposite {
    var object: StoreObjectPath
    var path: String
    /// The structure's type, without Optional.
    var type: Any.Type
    var isOptional: Bool
    /// Whether a missing structure fails instead of being nil.
    var isUnwrapped = false

    /// Nil when the structure is.
    var presence: StoreExpression { .attribute(object, path) }
}

struct PredicateArray {
    var attribute: StoreExpression
    var kind: StoreComparisonKind
    /// `?? []`
    var isEmptyWhenNil = false
}

/// Any type of node of a predicate's tree that can be translated.
protocol TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm
}

/// What an optional holds, whatever its type.
func unwrapped(_ value: Any) -> Any? {
    guard let optional = value as? any AnyOptional else { return value }
    return optional.held.flatMap(unwrapped)
}

protocol AnyOptional {
    var held: Any? { get }
    static var wrapped: Any.Type { get }
}

extension Optional: AnyOptional {
    var held: Any? { map { $0 as Any } }
    static var wrapped: Any.Type { Wrapped.self }
}

/// The type without any `Optional` around it.
func withoutOptional(_ type: Any.Type) -> Any.Type {
    (type as? any AnyOptional.Type).map { withoutOptional($0.wrapped) } ?? type
}
