import Foundation

extension PredicateValue {
    /// The result of an operator; null if it has none for these values.
    ///
    /// As with Apple's, integers divide to an integer (`5 / 2` is 2); an integer result beyond 64 bits is a Double.
    func applying(_ operator: ParsedExpression.BinaryOperator, _ right: PredicateValue) -> PredicateValue {
        switch `operator` {
        case .add, .subtract, .multiply, .divide, .power: return arithmetic(`operator`, right)
        case .bitwiseAnd: return bitwise(right) { $0 & $1 }
        case .bitwiseOr: return bitwise(right) { $0 | $1 }
        case .bitwiseXor: return bitwise(right) { $0 ^ $1 }
        case .shiftLeft: return bitwise(right) { $0 << $1 }
        case .shiftRight: return bitwise(right) { $0 >> $1 }
        case .union: return .list((elements + right.elements).distinct)
        case .intersect:
            let others = Set(right.elements.map(\.normalizedNumber))
            return .list(elements.filter { others.contains($0.normalizedNumber) })
        case .minus:
            let others = Set(right.elements.map(\.normalizedNumber))
            return .list(elements.filter { !others.contains($0.normalizedNumber) })
        }
    }

    func applying(_ operator: ParsedExpression.UnaryOperator) -> PredicateValue {
        switch `operator` {
        case .minus: PredicateValue.integer(0).applying(.subtract, self)
        case .bitwiseNot: exactInteger.map { .integer(~$0) } ?? .null
        }
    }

    private func bitwise(_ right: PredicateValue, _ combine: (Int64, Int64) -> Int64) -> PredicateValue {
        guard let left = exactInteger, let right = right.exactInteger else { return .null }
        return .integer(combine(left, right))
    }

    private func arithmetic(
        _ operator: ParsedExpression.BinaryOperator, _ right: PredicateValue
    ) -> PredicateValue {
        switch (self, right) {
        case (.date(let date), _) where right.isNumeric: return date.applying(`operator`, seconds: right.doubleValue)
        case (_, .date(let date)) where isNumeric && `operator` == .add:
            return date.applying(.add, seconds: doubleValue)
        case (.date(let left), .date(let right)) where `operator` == .subtract:
            return .double(left.timeIntervalSince(right))
        case _ where !isNumeric || !right.isNumeric: return .null
        case (.decimal, _), (_, .decimal):
            guard let left = decimalValue, let right = right.decimalValue, left.multipliesSafely, right.multipliesSafely
            else { break }
            return Self.decimal(left, `operator`, right)
        case (.double, _), (_, .double): break
        default:
            if let left = exactInteger, let right = right.exactInteger,
                let integer = Self.integer(left, `operator`, right)
            {
                return integer
            }
        }
        guard let left = doubleValue, let right = right.doubleValue else { return .null }
        return .double(Self.double(left, `operator`, right))
    }

    /// nil if the result is no 64-bit integer.
    private static func integer(
        _ left: Int64, _ operator: ParsedExpression.BinaryOperator, _ right: Int64
    ) -> PredicateValue? {
        let (result, overflow): (Int64, Bool)
        switch `operator` {
        case .add: (result, overflow) = left.addingReportingOverflow(right)
        case .subtract: (result, overflow) = left.subtractingReportingOverflow(right)
        case .multiply: (result, overflow) = left.multipliedReportingOverflow(by: right)
        case .divide:
            if right == 0 { return .null }
            (result, overflow) = left.dividedReportingOverflow(by: right)
        default:
            let power = pow(Double(left), Double(right))
            return power.magnitude < 0x1p53 ? Int64(exactly: power).map(PredicateValue.integer) : nil
        }
        return overflow ? nil : .integer(result)
    }

    private static func double(
        _ left: Double, _ operator: ParsedExpression.BinaryOperator, _ right: Double
    ) -> Double {
        switch `operator` {
        case .add: left + right
        case .subtract: left - right
        case .multiply: left * right
        case .divide: left / right
        default: pow(left, right)
        }
    }

    private static func decimal(
        _ left: Decimal, _ operator: ParsedExpression.BinaryOperator, _ right: Decimal
    ) -> PredicateValue {
        let result: Decimal
        switch `operator` {
        case .add: result = left + right
        case .subtract: result = left - right
        case .multiply: result = left * right
        case .divide: result = right == 0 ? .nan : left / right
        default:
            let power = pow(
                NSDecimalNumber(decimal: left).doubleValue, NSDecimalNumber(decimal: right).doubleValue)
            return .double(power)
        }
        return result.isNaN ? .null : .decimal(result)
    }
}

extension PredicateValue {
    func mapDouble(_ transform: (Double) -> Double) -> PredicateValue {
        doubleValue.map { .double(transform($0)) } ?? .null
    }

    func mapText(_ transform: (String) -> PredicateValue) -> PredicateValue {
        guard case .string(let text) = self else { return .null }
        return transform(text)
    }

    func rounded(_ rule: FloatingPointRoundingRule) -> PredicateValue {
        exactInteger.map(PredicateValue.integer) ?? mapDouble { $0.rounded(rule) }
    }

    var magnitude: PredicateValue {
        switch self {
        case .integer(let value): value == .min ? .double(0x1p63) : .integer(Swift.abs(value))
        case .decimal(let value): .decimal(value.magnitude)
        case .bool(let value): .integer(value ? 1 : 0)
        default: mapDouble(\.magnitude)
        }
    }

    func modulus(_ divisor: PredicateValue) -> PredicateValue {
        if let left = exactInteger, let right = divisor.exactInteger {
            return right == 0 ? .null : .integer(left.remainderReportingOverflow(dividingBy: right).partialValue)
        }
        guard let left = doubleValue, let right = divisor.doubleValue else { return .null }
        return .double(left.truncatingRemainder(dividingBy: right))
    }

    /// A number whose division does not drop the fraction.
    var fractional: PredicateValue? {
        if case .decimal = self { return self }
        return doubleValue.map(PredicateValue.double)
    }

    /// [Apple:Predicate Format String Syntax, CAST]
    func cast(to type: String) throws(PredicateEvaluationError) -> PredicateValue {
        switch (type, self) {
        case (_, .null): return .null
        case ("NSDate", .date), ("NSUUID", .uuid), ("NSString", .string): return self
        case ("NSDate", _) where isNumeric:
            return doubleValue.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
        case ("NSNumber", .date(let date)): return .double(date.timeIntervalSinceReferenceDate)
        case ("NSNumber", .string(let text)):
            return Int64(text).map(PredicateValue.integer) ?? Double(text).map(PredicateValue.double) ?? .null
        case ("NSNumber", _) where isNumeric: return self
        case ("NSDecimalNumber", .string(let text)): return Decimal(string: text).map(PredicateValue.decimal) ?? .null
        case ("NSDecimalNumber", _) where isNumeric: return decimalValue.map(PredicateValue.decimal) ?? .null
        case ("NSUUID", .string(let text)): return UUID(uuidString: text).map(PredicateValue.uuid) ?? .null
        case ("NSString", _) where isNumeric: return any.map { .string(String(describing: $0)) } ?? .null
        case ("NSString", .uuid(let uuid)): return .string(uuid.uuidString)
        default: throw .unsupportedCast(type)
        }
    }
}

extension Decimal {
    /// Foundation's product traps when the exponents of its factors add up to less than a Decimal can have.
    fileprivate var multipliesSafely: Bool { (-60...60).contains(exponent) }
}

extension Date {
    fileprivate func applying(
        _ operator: ParsedExpression.BinaryOperator, seconds: Double?
    ) -> PredicateValue {
        guard let seconds else { return .null }
        return switch `operator` {
        case .add: .date(addingTimeInterval(seconds))
        case .subtract: .date(addingTimeInterval(-seconds))
        default: .null
        }
    }
}
