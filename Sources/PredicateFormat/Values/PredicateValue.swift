import Foundation

/// A value that a predicate holds or meets: a literal, an argument, or what an object answered for a key.
///
/// Foundation's classes and Swift's types of the same meaning become one case each, so that a translator and the evaluator
/// have a closed list to switch over.
package enum PredicateValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    /// Decimal numbers, and integers beyond `Int64`.
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    /// Arrays, sets (in no particular order) and ordered sets.
    case list([PredicateValue])
    /// Anything else: a record identifier, a location, a dictionary, a managed object.
    case object(OpaqueValue)

    /// Whether the value is a number or a truth value, which compare with each other.
    package var isNumeric: Bool {
        switch self {
        case .bool, .integer, .double, .decimal: true
        default: false
        }
    }
}

/// A value of a type that the language does not know.
///
/// `@unchecked Sendable`: the value is what an app handed to `NSPredicate`, which on Apple's systems is shared between threads
/// under the same condition, that nobody changes it afterwards. Nothing in this module changes it.
package struct OpaqueValue: Hashable, @unchecked Sendable {
    package let value: Any

    package init(_ value: Any) {
        self.value = value
    }

    package static func == (left: OpaqueValue, right: OpaqueValue) -> Bool {
        if let object = left.value as? NSObject, type(of: left.value) is AnyClass { return object.isEqual(right.value) }
        if let equatable = left.value as? any Equatable { return equatable.isEqual(to: right.value) }
        return false
    }

    package func hash(into hasher: inout Hasher) {
        if let object = value as? NSObject, type(of: value) is AnyClass {
            hasher.combine(object.hash)
        } else if let hashable = value as? any Hashable {
            hasher.combine(hashable)
        }
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool {
        (other as? Self) == self
    }
}
