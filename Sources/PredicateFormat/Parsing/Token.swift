/// One word, sign, literal or placeholder of a format string.
struct Token: Equatable {
    enum Kind: Equatable {
        /// A key, or an operator of collections such as `@count`.
        case identifier(String)
        case keyword(Keyword)
        /// The name before an opening parenthesis, if it has colons in it.
        case selector(String)
        /// `$name`, without its sign.
        case variable(String)
        indirect case literal(PredicateValue)
        case placeholder(Placeholder)
        case sign(Sign)
        case end
    }

    var kind: Kind
    /// The scalars of the format that make the token.
    var range: Range<Int>
}

/// The words with a meaning, in any case. A key of the same name is written with a number sign before it.
enum Keyword: String, CaseIterable {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case all = "ALL"
    case any = "ANY"
    case some = "SOME"
    case none = "NONE"
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
    case between = "BETWEEN"
    case tokenMatches = "TOKENMATCHES"
    case conformsToType = "UTI-CONFORMS-TO"
    case equalsType = "UTI-EQUALS"
    case null = "NULL"
    case `nil` = "NIL"
    case `self` = "SELF"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    // These have their meaning in one place only and are keys everywhere else.
    case subquery = "SUBQUERY"
    case function = "FUNCTION"
    case cast = "CAST"
    case ternary = "TERNARY"
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"

    private static let words: [String: Keyword] = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    init?(word: String) {
        guard let keyword = Self.words[word.uppercased()] else { return nil }
        self = keyword
    }

    /// Whether the word is a key where its meaning cannot be meant.
    var isContextual: Bool {
        switch self {
        case .subquery, .function, .cast, .ternary, .first, .last, .size: true
        default: false
        }
    }

    /// The comparison that the word stands for.
    var comparison: ParsedPredicate.Operator? {
        switch self {
        case .in: .in
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .like: .like
        case .matches: .matches
        case .between: .between
        case .tokenMatches: .tokenMatches
        case .conformsToType: .conformsToType
        case .equalsType: .equalsType
        default: nil
        }
    }
}

enum Sign: String, CaseIterable {
    case equal = "="
    case doubleEqual = "=="
    case notEqual = "!="
    case lessOrGreater = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case equalOrLess = "=<"
    case greater = ">"
    case greaterOrEqual = ">="
    case equalOrGreater = "=>"
    case and = "&&"
    case or = "||"
    case not = "!"
    case plus = "+"
    case minus = "-"
    case asterisk = "*"
    case power = "**"
    case slash = "/"
    case ampersand = "&"
    case bar = "|"
    case caret = "^"
    case tilde = "~"
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBracket = "["
    case closeBracket = "]"
    case openBrace = "{"
    case closeBrace = "}"
    case comma = ","
    case dot = "."

    var comparison: ParsedPredicate.Operator? {
        switch self {
        case .equal, .doubleEqual: .equalTo
        case .notEqual, .lessOrGreater: .notEqualTo
        case .less: .lessThan
        case .lessOrEqual, .equalOrLess: .lessThanOrEqualTo
        case .greater: .greaterThan
        case .greaterOrEqual, .equalOrGreater: .greaterThanOrEqualTo
        default: nil
        }
    }

    var arithmetic: ParsedExpression.BinaryOperator? {
        switch self {
        case .plus: .add
        case .minus: .subtract
        case .asterisk: .multiply
        case .slash: .divide
        case .power: .power
        case .ampersand: .bitwiseAnd
        case .bar: .bitwiseOr
        case .caret: .bitwiseXor
        case .shiftLeft: .shiftLeft
        case .shiftRight: .shiftRight
        default: nil
        }
    }
}

/// What a placeholder takes from the arguments.
enum Placeholder: Equatable {
    /// `%@`: any value.
    case value
    /// `%K`: a key path.
    case keyPath
    /// `%d`, `%ld`, `%u`, `%x`, `%c` …
    case integer
    /// `%f`, `%g`, `%e` …
    case double
    /// `%s`
    case text
}
