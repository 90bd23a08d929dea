/// The functions of the language. The raw value is the canonical spelling, which is also how Apple prints them.
///
/// [Apple:NSExpression, init(forFunction:arguments:)]
package enum PredicateFunction: String, Hashable, Sendable, CaseIterable {
    case sum, average, count, min, max, median, mode, stddev
    case sqrt, log, ln, exp, floor, ceiling, abs, trunc
    case modulus = "modulus:by:"
    case uppercase, lowercase, length, canonical
    case random
    /// A random integer from 0 up to, not including, the argument.
    case randomn
    case now
    /// The argument as it is; tells Core Data not to use an index.
    case noindex
    /// Metres between two locations.
    case distance = "distanceToLocation:fromLocation:"
    /// The words of a text; the second argument holds option letters as in `CONTAINS[cdl]`.
    case tokenize = "tokenize:using:"

    /// How many arguments the function takes.
    var argumentCounts: ClosedRange<Int> {
        switch self {
        case .now: 0...0
        case .random: 0...1
        case .sum, .average, .count, .min, .max, .median, .mode, .stddev: 1...Int.max
        case .modulus, .distance, .tokenize: 2...2
        default: 1...1
        }
    }

    /// The function of a name as written: in any case, with or without the colon of its last argument.
    init?(spelling: String) {
        guard let function = Self.spellings[Self.folded(spelling)] else { return nil }
        self = function
    }

    private static let spellings: [String: PredicateFunction] = {
        var spellings = [String: PredicateFunction]()
        for function in allCases {
            spellings[folded(function.rawValue)] = function
        }
        // In public code both appear with plain parentheses too.
        spellings["tokenize"] = .tokenize
        spellings["modulus"] = .modulus
        return spellings
    }()

    private static func folded(_ spelling: String) -> String {
        let lowercased = spelling.lowercased()
        return lowercased.hasSuffix(":") ? String(lowercased.dropLast()) : lowercased
    }

    /// The names by which arithmetic is called as a function: `add:to:(1, 2)`.
    static func binaryOperator(spelling: String) -> ParsedExpression.BinaryOperator? {
        switch spelling.lowercased() {
        case "add:to:": .add
        case "from:subtract:": .subtract
        case "multiply:by:": .multiply
        case "divide:by:": .divide
        case "raise:topower:": .power
        case "bitwiseand:with:": .bitwiseAnd
        case "bitwiseor:with:": .bitwiseOr
        case "bitwisexor:with:": .bitwiseXor
        case "leftshift:by:": .shiftLeft
        case "rightshift:by:": .shiftRight
        default: nil
        }
    }
}
