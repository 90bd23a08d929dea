import Foundation

extension Evaluator {
    /// The parser has checked how many arguments there are; a tree built by code may hold fewer, which are null then.
    func call(
        _ function: PredicateFunction, with arguments: [PredicateValue]
    ) throws(PredicateEvaluationError) -> PredicateValue {
        let first = arguments.first ?? .null
        let second = arguments.count > 1 ? arguments[1] : .null
        switch function {
        case .sum, .average, .count, .min, .max, .median, .mode, .stddev:
            // One collection, or its elements one by one.
            return arguments.count == 1 ? first.elements.aggregate(function) : arguments.aggregate(function)
        case .sqrt: return first.mapDouble { $0.squareRoot() }
        case .log: return first.mapDouble(log10)
        case .ln: return first.mapDouble(Foundation.log)
        case .exp: return first.mapDouble(Foundation.exp)
        case .floor: return first.rounded(.down)
        case .ceiling: return first.rounded(.up)
        case .trunc: return first.rounded(.towardZero)
        case .abs: return first.magnitude
        case .modulus: return first.modulus(second)
        case .uppercase: return first.mapText { .string($0.uppercased()) }
        case .lowercase: return first.mapText { .string($0.lowercased()) }
        case .canonical:
            let options: ParsedPredicate.Options = [.caseInsensitive, .diacriticInsensitive]
            return first.mapText { .string(options.folded($0)) }
        case .length: return first.property("length") ?? .null
        case .random where arguments.isEmpty:
            return .integer(Int64(environment.randomFraction() * Double(Int32.max)))
        case .random, .randomn:
            guard let bound = first.exactInteger, bound > 0 else { return .null }
            return .integer(min(Int64(environment.randomFraction() * Double(min(bound, 1 << 53))), bound - 1))
        case .now: return .date(environment.now())
        case .noindex: return first
        case .distance: return distance(first, second)
        case .tokenize:
            guard case .string(let letters) = second else { return .null }
            return .list(first.tokens(ParsedPredicate.Options(letters: letters)).map(PredicateValue.string))
        }
    }

    private func distance(_ left: PredicateValue, _ right: PredicateValue) -> PredicateValue {
        guard case .object(let left) = left, case .object(let right) = right,
            let location = left.value as? any PredicateLocation,
            let metres = location.predicateDistance(to: right.value)
        else { return .null }
        return .double(metres)
    }

    /// `FUNCTION(target, "selector:", argument)`, for the methods that public code calls so.
    func call(
        _ selector: String, on target: PredicateValue, with arguments: [PredicateValue]
    ) throws(PredicateEvaluationError) -> PredicateValue {
        switch (selector, arguments.count) {
        case ("valueForKey:", 1), ("objectForKey:", 1):
            guard case .string(let key) = arguments[0] else { return .null }
            return try value(for: [key], of: target)
        case ("valueForKeyPath:", 1):
            guard case .string(let path) = arguments[0] else { return .null }
            return try value(for: ParsedKeyPath(path).keys[...], of: target)
        case ("dateByAddingTimeInterval:", 1):
            return target.applying(.add, arguments[0])
        case ("count", 0):
            return .integer(Int64(target.elements.count))
        case (_, 0):
            guard let value = target == .null ? .null : target.property(selector) else {
                throw .unsupportedSelector(selector)
            }
            return value
        default:
            throw .unsupportedSelector(selector)
        }
    }
}

extension [PredicateValue] {
    fileprivate func aggregate(_ function: PredicateFunction) -> PredicateValue {
        switch function {
        case .sum: sum
        case .average: average ?? .null
        case .count: .integer(Int64(count))
        case .min: minimum
        case .max: maximum
        case .median: median
        case .mode: mode
        case .stddev: standardDeviation
        default: .null
        }
    }

    /// The sum of the numbers, others left out: 0 of none.
    var sum: PredicateValue {
        reduce(.integer(0)) { sum, value in value.isNumeric ? sum.applying(.add, value) : sum }
    }

    /// The mean of the numbers, others left out.
    var average: PredicateValue? {
        let numbers = filter(\.isNumeric)
        guard !numbers.isEmpty, let sum = numbers.sum.fractional else { return nil }
        return sum.applying(.divide, .integer(Int64(numbers.count)))
    }

    var minimum: PredicateValue {
        extreme(.orderedAscending)
    }

    var maximum: PredicateValue {
        extreme(.orderedDescending)
    }

    private func extreme(_ order: ComparisonResult) -> PredicateValue {
        var extreme = PredicateValue.null
        for value in self where value != .null {
            if extreme == .null || value.compared(to: extreme) == order { extreme = value }
        }
        return extreme
    }

    private var median: PredicateValue {
        let numbers = compactMap(\.doubleValue).sorted()
        guard !numbers.isEmpty else { return .null }
        let middle = numbers.count / 2
        return .double(numbers.count % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2)
    }

    /// The values that occur most often.
    private var mode: PredicateValue {
        var counts = [PredicateValue: Int]()
        for value in self where value != .null { counts[value.normalizedNumber, default: 0] += 1 }
        guard let most = counts.values.max() else { return .null }
        return .list(map(\.normalizedNumber).distinct.filter { counts[$0] == most })
    }

    /// Of the whole population (Apple does not say which it takes).
    private var standardDeviation: PredicateValue {
        let numbers = compactMap(\.doubleValue)
        guard !numbers.isEmpty else { return .null }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(numbers.count)
        return .double(variance.squareRoot())
    }

    /// The values without repetitions, in order of their first appearance.
    var distinct: [PredicateValue] {
        var seen = Set<PredicateValue>()
        return filter { seen.insert($0.normalizedNumber).inserted }
    }
}
