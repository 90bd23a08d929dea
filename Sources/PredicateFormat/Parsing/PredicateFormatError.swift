/// Why a format string is no predicate: where, what was expected there, and what to do.
package struct PredicateFormatError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Equatable, Sendable {
        /// The text does not follow the language.
        case malformedText
        /// A placeholder has no argument left.
        case missingArgument
        /// There are more arguments than placeholders.
        case unusedArgument
        /// A placeholder's argument is of a type that it does not take.
        case argumentTypeMismatch
        /// A function name that the language does not have.
        case unknownFunction
        /// Nested beyond `PredicateLimits.nesting`.
        case nestedTooDeeply
    }

    package var kind: Kind { details.kind }
    package var format: String { details.format }
    /// Characters (Unicode scalars) from the beginning of the format, 0 being the first.
    package var position: Int { details.position }
    /// What is wrong, as a clause: `expected a value, found ")"`.
    package var problem: String { details.problem }
    /// What to do about it, as a sentence.
    package var advice: String { details.advice }

    /// Apart, since a typed error takes its size of stack in every function that throws it, and the parser is recursive.
    private final class Details: Sendable {
        let kind: Kind
        let format: String
        let position: Int
        let problem: String
        let advice: String

        init(kind: Kind, format: String, position: Int, problem: String, advice: String) {
            self.kind = kind
            self.format = format
            self.position = position
            self.problem = problem
            self.advice = advice
        }
    }

    private let details: Details

    init(_ kind: Kind, format: String, position: Int, problem: String, advice: String) {
        details = Details(kind: kind, format: format, position: position, problem: problem, advice: advice)
    }

    package var description: String {
        "Cannot parse the predicate format \(excerpt) at character \(position): \(problem). \(advice)"
    }

    /// The format, or if it is long the part around the position.
    private var excerpt: String {
        let scalars = Array(format.unicodeScalars)
        let reach = 60
        let range = max(0, position - reach)..<min(scalars.count, position + reach)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: range.isEmpty ? [] : scalars[range])
        return (range.lowerBound > 0 ? "…" : "") + "\"\(String(text))\"" + (range.upperBound < scalars.count ? "…" : "")
    }
}
