import Foundation

// What a query asks of each row, in the terms of the model: entities, properties, values. It knows neither Foundation's
// predicates, which SwiftData and Core Data translate into it, nor columns, which `QuerySQL` finds in the layout.
//
// The meaning is Swift's: nil equals nil, an ordering never meets nil, and a step that would trap in Swift (a forced unwrap of
// nil, an overflow, a division by zero, an index out of range) *fails*. A row for which the whole fails does not match. `&&`, `||`,
// `??` and conditionals do not look at the side that Swift would not evaluate; a quantifier over a to-many relationship is decided
// by the elements that do not fail, if they decide it.

/// A value or a condition that is computed for a row. Conditions are values of the type Bool.
package indirect enum StoreExpression: Sendable, Hashable {
    case constant(StoreValue)
    /// An attribute, or the leaf of a composite by its path (`place.city`).
    case attribute(StoreObjectPath, String)

    // Nil
    case isNil(StoreExpression)
    /// The first, or the second when the first is nil.
    case coalesced(StoreExpression, StoreExpression)
    /// Fails when the value is nil.
    case unwrapped(StoreExpression)
    /// The second, in which the first stands where its unwrapped value is needed, when the first is not nil; else nil.
    case mapped(StoreExpression, StoreExpression)
    /// The same for an object.
    case mappedObject(StoreObjectPath, StoreExpression)
    case conditional(StoreExpression, then: StoreExpression, else: StoreExpression)

    // Conditions
    case and([StoreExpression])
    case or([StoreExpression])
    case not(StoreExpression)
    case comparison(StoreComparison, StoreExpression, StoreExpression, as: StoreComparisonKind)
    case isAmong(StoreExpression, [StoreValue], as: StoreComparisonKind)

    // Objects
    case isNoObject(StoreObjectPath)
    case isSameObject(StoreObjectPath, StoreObjectPath)
    /// Whether the object is one of these rows. Rows of other entities never are.
    case isOneOf(StoreObjectPath, [RowID])
    /// Whether the object is of this entity or one below it.
    case isKind(StoreObjectPath, entity: String)

    // To-many relationships
    case exists(StoreCollection)
    case count(StoreCollection)

    // Numbers
    case arithmetic(StoreArithmetic, StoreExpression, StoreExpression, StoreNumberType)
    case negated(StoreExpression, StoreNumberType)

    // Text, by Swift's characters
    case text(StoreTextTest, StoreExpression, StoreExpression)
    /// -1, 0 or 1.
    case textOrder(StoreTextOrder, StoreExpression, StoreExpression)
    case characterCount(StoreExpression)

    // Arrays and dictionaries of values, kept as bytes in one column
    case array(StoreArrayFunction, StoreExpression, argument: StoreExpression?)

    package static let `true` = StoreExpression.constant(.boolean(true))
    package static let `false` = StoreExpression.constant(.boolean(false))
}

/// How to reach an object from a row.
package indirect enum StoreObjectPath: Sendable, Hashable {
    /// 0 is the row that is asked about; others are bound by a collection.
    case variable(Int)
    /// The destination of a to-one relationship; no object when there is none.
    case related(StoreObjectPath, String)
    /// The object when it is of the entity or one below it; else no object.
    case cast(StoreObjectPath, entity: String)
    /// Fails when there is no object.
    case unwrapped(StoreObjectPath)

    /// The variable at which the path begins.
    package var variable: Int {
        switch self {
        case .variable(let number): number
        case .related(let base, _), .cast(let base, _), .unwrapped(let base): base.variable
        }
    }
}

/// The objects of a to-many relationship for which a condition holds.
package struct StoreCollection: Sendable, Hashable {
    package var owner: StoreObjectPath
    package var relationship: String
    /// The number by which `filter` names each object. Every collection of an expression has its own.
    package var variable: Int
    package var filter: StoreExpression?

    package init(owner: StoreObjectPath, relationship: String, variable: Int, filter: StoreExpression? = nil) {
        self.owner = owner
        self.relationship = relationship
        self.variable = variable
        self.filter = filter
    }

    package func filtered(by condition: StoreExpression) -> StoreCollection {
        var copy = self
        copy.filter = filter.map { .and([$0, condition]) } ?? condition
        return copy
    }
}

package enum StoreComparison: Sendable, Hashable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

    /// The same with the sides exchanged.
    var mirrored: StoreComparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    var opposite: StoreComparison {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        }
    }
}

/// What two values are compared as.
package enum StoreComparisonKind: Sendable, Hashable {
    /// Numbers, dates and truth values.
    case number
    /// Integers of 64 bits without a sign, which are kept as those with one.
    case unsigned
    case decimal
    /// Swift's strings: equal when canonically equivalent.
    case text
    /// Byte by byte: identifiers, addresses, data.
    case exact
}

package enum StoreArithmetic: Int32, Sendable, Hashable {
    case add, subtract, multiply, divide, remainder
}

/// The type in which numbers are computed, which decides what overflows.
package enum StoreNumberType: Sendable, Hashable {
    case integer(bits: Int, isSigned: Bool)
    case double
    case float
}

package enum StoreTextTest: String, Sendable, Hashable {
    case contains
    case startsWith = "starts_with"
    /// Without regard to case, diacritics and width.
    case localizedStandardContains = "search"
}

package enum StoreTextOrder: Int32, Sendable, Hashable {
    case caseInsensitive
    case localized
    /// As a list of files is sorted: without case, and numbers in it by their value.
    case localizedStandard
}

package enum StoreArrayFunction: Int32, Sendable, Hashable {
    case count
    case contains
    case minimum
    case maximum
    /// The element at an index; fails when there is none.
    case element
}

/// One key of an order.
package struct StoreSort: Sendable, Hashable {
    package enum Order: Sendable, Hashable {
        /// By the values: numbers, dates, bytes.
        case value(StoreComparisonKind)
        case text(StoreTextOrder)
    }

    package var expression: StoreExpression
    /// Nil comes first when ascending, and last when not.
    package var isAscending: Bool
    package var order: Order

    package init(_ expression: StoreExpression, ascending: Bool = true, order: Order = .value(.number)) {
        self.expression = expression
        self.isAscending = ascending
        self.order = order
    }
}
