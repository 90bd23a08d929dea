import Foundation

extension PredicateValue {
    /// Whether two values are equal as a predicate sees them: numbers by their value, whatever their type.
    func isEqual(to other: PredicateValue, _ options: ParsedPredicate.Options = []) -> Bool {
        switch (self, other) {
        case (.string(let left), .string(let right)):
            return options.isEmpty ? left == right : options.folded(left) == options.folded(right)
        case (.list(let left), .list(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.isEqual(to: $1, options) }
        case _ where isNumeric && other.isNumeric:
            return compared(to: other) == .orderedSame
        default:
            return self == other
        }
    }

    /// The order of two values; nil if there is none: values of different kinds, nil, and lists.
    package func compared(
        to other: PredicateValue, _ options: ParsedPredicate.Options = []
    ) -> ComparisonResult? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): return Self.order(left, right)
        case (.string(let left), .string(let right)):
            let left = options.folded(left)
            let right = options.folded(right)
            return options.contains(.localeSensitive)
                ? left.compare(right, locale: .current) : Self.order(left, right)
        case (.date(let left), .date(let right)):
            return PredicateValue.double(left.timeIntervalSinceReferenceDate)
                .numericOrder(.double(right.timeIntervalSinceReferenceDate))
        case (.uuid(let left), .uuid(let right)): return Self.order(left.uuidString, right.uuidString)
        case (.data(let left), .data(let right)):
            if left == right { return .orderedSame }
            return left.lexicographicallyPrecedes(right) ? .orderedAscending : .orderedDescending
        case _ where isNumeric && other.isNumeric: return numericOrder(other)
        default: return nil
        }
    }

    private func numericOrder(_ other: PredicateValue) -> ComparisonResult? {
        switch (normalizedNumber, other.normalizedNumber) {
        case (.integer(let left), .integer(let right)): return Self.order(left, right)
        case (.double(let left), .double(let right)):
            return left.isNaN || right.isNaN ? nil : Self.order(left, right)
        case (.integer(let left), .double(let right)): return Self.order(left, right)
        case (.double(let left), .integer(let right)): return Self.order(right, left)?.reversed
        case (let left, let right):
            if let left = left.decimalValue, let right = right.decimalValue { return Self.order(left, right) }
            guard let left = left.doubleValue, let right = right.doubleValue, !left.isNaN, !right.isNaN else {
                return nil
            }
            return Self.order(left, right)
        }
    }

    /// Without the rounding that a conversion to Double would bring: 2⁵³ + 1 is not 2⁵³.
    private static func order(_ left: Int64, _ right: Double) -> ComparisonResult? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return .orderedAscending }
        if right < -0x1p63 { return .orderedDescending }
        let floor = right.rounded(.down)
        let order = order(left, Int64(floor))
        return order == .orderedSame && right > floor ? .orderedAscending : order
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> ComparisonResult {
        left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
    }
}

// MARK: - Numbers

extension PredicateValue {
    /// The number as an integer, if it is one.
    var exactInteger: Int64? {
        switch self {
        case .bool(let value): return value ? 1 : 0
        case .integer(let value): return value
        case .double(let value): return Int64(exactly: value)
        case .decimal(let value):
            guard value >= Decimal(Int64.min), value <= Decimal(Int64.max) else { return nil }
            let integer = NSDecimalNumber(decimal: value).int64Value
            return Decimal(integer) == value ? integer : nil
        default: return nil
        }
    }

    /// The nearest Double of a number.
    var doubleValue: Double? {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .integer(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: nil
        }
    }

    /// A number as Decimal, if its magnitude allows (Foundation's conversion of an infinite Double traps).
    var decimalValue: Decimal? {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .integer(let value): Decimal(value)
        case .double(let value) where value.magnitude < 1e60 && (value == 0 || value.magnitude > 1e-60): Decimal(value)
        case .decimal(let value): value.isNaN ? nil : value
        default: nil
        }
    }

    /// One case for each number: an integer wherever it is one.
    var normalizedNumber: PredicateValue {
        switch self {
        case .bool, .double, .decimal: exactInteger.map(PredicateValue.integer) ?? self
        default: self
        }
    }
}
