/// A predicate as a tree: what `NSPredicate(format:)` says, without the text.
///
/// [Apple:Predicate Format String Syntax]
package indirect enum ParsedPredicate: Hashable, Sendable {
    /// `TRUEPREDICATE` or `FALSEPREDICATE`.
    case always(Bool)
    case comparison(Comparison)
    /// Two or more predicates joined by `AND`, in the order written. Parentheses stay as a nested case.
    case and([ParsedPredicate])
    /// Two or more predicates joined by `OR`, in the order written. Parentheses stay as a nested case.
    case or([ParsedPredicate])
    case not(ParsedPredicate)

    /// All of `predicates`: none of them is `TRUEPREDICATE`, one is itself.
    package static func conjunction(of predicates: [ParsedPredicate]) -> ParsedPredicate {
        switch predicates.count {
        case 0: .always(true)
        case 1: predicates[0]
        default: .and(predicates)
        }
    }

    /// Any of `predicates`: none of them is `FALSEPREDICATE`, one is itself.
    package static func disjunction(of predicates: [ParsedPredicate]) -> ParsedPredicate {
        switch predicates.count {
        case 0: .always(false)
        case 1: predicates[0]
        default: .or(predicates)
        }
    }
}

extension ParsedPredicate {
    /// One comparison of two expressions: `ANY tags BEGINSWITH[cd] "s"`.
    package struct Comparison: Hashable, Sendable {
        package var left: ParsedExpression
        package var `operator`: Operator
        package var right: ParsedExpression
        package var options: Options
        package var modifier: Modifier

        package init(
            _ left: ParsedExpression, _ operator: Operator, _ right: ParsedExpression,
            options: Options = [], modifier: Modifier = .direct
        ) {
            self.left = left
            self.operator = `operator`
            self.right = right
            self.options = options
            self.modifier = modifier
        }
    }

    /// Which elements of a collection on the left have to satisfy a comparison.
    /// `SOME` is `ANY`; `NONE` is parsed as `NOT ANY`, as Apple does.
    package enum Modifier: String, Hashable, Sendable, CaseIterable {
        case direct = ""
        case any = "ANY"
        case all = "ALL"
    }

    /// The raw value is the operator's canonical spelling.
    package enum Operator: String, Hashable, Sendable, CaseIterable {
        case equalTo = "=="
        case notEqualTo = "!="
        case lessThan = "<"
        case lessThanOrEqualTo = "<="
        case greaterThan = ">"
        case greaterThanOrEqualTo = ">="
        /// The right side is a list of two: both bounds are included.
        case between = "BETWEEN"
        case `in` = "IN"
        case contains = "CONTAINS"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        /// `*` stands for any text, `?` for one character.
        case like = "LIKE"
        /// A regular expression (ICU's syntax) that has to match the whole text.
        case matches = "MATCHES"
        /// Every token of the right side is a token of the left: CloudKit's full-text search.
        case tokenMatches = "TOKENMATCHES"
        case conformsToType = "UTI-CONFORMS-TO"
        case equalsType = "UTI-EQUALS"
    }

    /// How text is compared: the letters within the brackets of `CONTAINS[cd]`.
    package struct Options: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// `c`
        package static let caseInsensitive = Options(rawValue: 1)
        /// `d`
        package static let diacriticInsensitive = Options(rawValue: 2)
        /// `n`: the texts are compared as they are, which supersedes `c` and `d`.
        package static let normalized = Options(rawValue: 4)
        /// `l`
        package static let localeSensitive = Options(rawValue: 8)

        static let letters: [(letter: Character, option: Options)] = [
            ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localeSensitive),
        ]
    }
}
