/// A recursive-descent parser of predicates. Predicates and expressions may both stand in parentheses, and which of them it was
/// is known only at the closing one; so one set of methods parses both, without ever going back in the text.
///
/// A class, and with the rare cases in methods of their own, so that a level of nesting takes little stack.
final class Parser {
    /// A part of the tree, with its height, so that the tree's depth is bounded as well as the parser's.
    struct Node {
        enum Content {
            case predicate(ParsedPredicate)
            case expression(ParsedExpression)
        }

        var content: Content
        var height: Int
    }

    struct Expression {
        var content: ParsedExpression
        var height: Int

        var node: Node { Node(content: .expression(content), height: height) }
    }

    struct Predicate {
        var content: ParsedPredicate
        var height: Int

        var node: Node { Node(content: .predicate(content), height: height) }
    }

    private var lexer: Lexer
    private var arguments: FormatArguments
    /// The next token, not yet consumed.
    private(set) var token: Token
    private var depth = 0

    init(format: String, arguments: [Any?]) throws(PredicateFormatError) {
        lexer = Lexer(format)
        self.arguments = FormatArguments(arguments)
        token = try lexer.next()
    }

    func wholePredicate() throws(PredicateFormatError) -> ParsedPredicate {
        if token.kind == .end {
            throw failure("the format is empty", advice: "Use TRUEPREDICATE for a predicate that is always true.")
        }
        let predicate = try joined()
        try expectEnd()
        return predicate.content
    }

    func wholeExpression() throws(PredicateFormatError) -> ParsedExpression {
        let node = try disjunction()
        let expression = try expression(node)
        try expectEnd()
        return expression.content
    }

    private func expectEnd() throws(PredicateFormatError) {
        guard token.kind == .end else {
            throw failure("unexpected \(found)", advice: "Join predicates with AND or OR, and put text in quotes.")
        }
        guard arguments.used == arguments.count else {
            throw failure(
                .unusedArgument,
                "argument \(arguments.used + 1) of \(arguments.count) has no placeholder",
                advice: "A placeholder within quotes is plain text: write == %@, not == '%@'.")
        }
    }
}

// MARK: - Predicates

extension Parser {
    /// A predicate or expression with all that may be joined to it: the widest rule, for a beginning and for parentheses.
    func disjunction() throws(PredicateFormatError) -> Node {
        let first = try conjunction()
        return isNext(.or, .or) ? try disjunction(from: first) : first
    }

    private func disjunction(from first: Node) throws(PredicateFormatError) -> Node {
        var operands = [try predicate(first)]
        while try accept(.or, .or) {
            operands.append(try predicate(try conjunction()))
        }
        return try grown(.or(operands.map(\.content)), over: operands.map(\.height)).node
    }

    private func conjunction() throws(PredicateFormatError) -> Node {
        let first = try negation()
        return isNext(.and, .and) ? try conjunction(from: first) : first
    }

    private func conjunction(from first: Node) throws(PredicateFormatError) -> Node {
        var operands = [try predicate(first)]
        while try accept(.and, .and) {
            operands.append(try predicate(try negation()))
        }
        return try grown(.and(operands.map(\.content)), over: operands.map(\.height)).node
    }

    private func negation() throws(PredicateFormatError) -> Node {
        guard try accept(.not, .not) else { return try comparison() }
        try descend()
        defer { ascend() }
        let operand = try predicate(try negation())
        return try grown(.not(operand.content), over: [operand.height]).node
    }

    private func comparison() throws(PredicateFormatError) -> Node {
        if let quantifier = try quantifier() { return try quantifiedComparison(quantifier) }
        let node = try binary(atLeast: 0)
        guard case .expression(let left) = node.content, token.comparison != nil else { return node }
        return try comparison(of: Expression(content: left, height: node.height), .direct).node
    }

    private func quantifiedComparison(_ quantifier: Quantifier) throws(PredicateFormatError) -> Node {
        let node = try binary(atLeast: 0)
        guard case .expression(let left) = node.content else {
            throw failure(
                "ANY, ALL and NONE go before a comparison", advice: "Write ANY tags == \"a\", without parentheses.")
        }
        let predicate = try comparison(of: Expression(content: left, height: node.height), quantifier.modifier)
        guard quantifier.isNegated else { return predicate.node }
        return try grown(.not(predicate.content), over: [predicate.height]).node
    }

    /// The operator and the right side, the left one just read.
    private func comparison(
        of left: Expression, _ modifier: ParsedPredicate.Modifier
    ) throws(PredicateFormatError) -> Predicate {
        guard let `operator` = token.comparison else { throw missingComparison() }
        let operatorToken = token
        try advance()
        let options = try options()
        let right = try value()
        if `operator` == .between, !right.content.mayBeBounds {
            throw failure(
                "BETWEEN needs a list of two bounds", at: operatorToken,
                advice: "Write BETWEEN {low, high}, or hand over an array for %@.")
        }
        if token.comparison != nil {
            throw failure("comparisons do not chain", advice: "Write a < b AND b < c.")
        }
        let comparison = ParsedPredicate.Comparison(
            left.content, `operator`, right.content, options: options, modifier: modifier)
        return try grown(.comparison(comparison), over: [left.height, right.height])
    }

    private typealias Quantifier = (modifier: ParsedPredicate.Modifier, isNegated: Bool)

    private func quantifier() throws(PredicateFormatError) -> Quantifier? {
        guard case .keyword(let keyword) = token.kind else { return nil }
        let quantifier: Quantifier
        switch keyword {
        case .any, .some: quantifier = (.any, false)
        case .all: quantifier = (.all, false)
        case .none: quantifier = (.any, true)
        default: return nil
        }
        try advance()
        return quantifier
    }

    /// The letters of `[cd]`, behind an operator.
    private func options() throws(PredicateFormatError) -> ParsedPredicate.Options {
        var options: ParsedPredicate.Options = []
        guard token.kind == .sign(.openBracket) else { return options }
        try advance()
        for letter in text(of: token).lowercased() {
            guard let option = ParsedPredicate.Options.letters.first(where: { $0.letter == letter })?.option else {
                throw failure(
                    "\"\(letter)\" is no option of a comparison",
                    advice:
                        "The options are c (case-insensitive), d (diacritic-insensitive), n (normalized) and l (locale)."
                )
            }
            options.insert(option)
        }
        try advance()
        try expect(.closeBracket, after: "the options of a comparison")
        return options
    }

    /// A predicate of any kind, where nothing else may stand.
    func joined() throws(PredicateFormatError) -> Predicate {
        let node = try disjunction()
        return try predicate(node)
    }

    /// The node as a predicate; the next token is what should have made it one.
    func predicate(_ node: Node) throws(PredicateFormatError) -> Predicate {
        guard case .predicate(let predicate) = node.content else { throw missingComparison() }
        return Predicate(content: predicate, height: node.height)
    }

    private func missingComparison() -> PredicateFormatError {
        let advice =
            switch token.kind {
            case .keyword(.not): "Write NOT (a IN b)."
            case .identifier(let word) where word.uppercased() == "IS": "Write == nil or != nil."
            case .sign(.comma): "A list is written in braces: {1, 2}."
            default: "Write a comparison such as == YES."
            }
        return failure("expected a comparison operator, found \(found)", advice: advice)
    }
}

// MARK: - What all rules share

extension Parser {
    func advance() throws(PredicateFormatError) {
        token = try lexer.next()
    }

    private func isNext(_ keyword: Keyword, _ sign: Sign) -> Bool {
        token.kind == .keyword(keyword) || token.kind == .sign(sign)
    }

    private func accept(_ keyword: Keyword, _ sign: Sign) throws(PredicateFormatError) -> Bool {
        guard isNext(keyword, sign) else { return false }
        try advance()
        return true
    }

    func accept(_ sign: Sign) throws(PredicateFormatError) -> Bool {
        guard token.kind == .sign(sign) else { return false }
        try advance()
        return true
    }

    func expect(_ sign: Sign, after what: String) throws(PredicateFormatError) {
        guard token.kind == .sign(sign) else {
            let isList = sign == .closeParenthesis && token.kind == .sign(.comma)
            throw failure(
                "expected \"\(sign.rawValue)\" after \(what), found \(found)",
                advice: isList ? "A list is written in braces: {1, 2}." : "Close what was opened before.")
        }
        try advance()
    }

    /// Counts one more level of recursion; the caller pairs it with `ascend`.
    func descend() throws(PredicateFormatError) {
        guard depth < PredicateLimits.nesting else { throw nestedTooDeeply() }
        depth += 1
    }

    func ascend() {
        depth -= 1
    }

    func grown(_ expression: ParsedExpression, over heights: [Int]) throws(PredicateFormatError) -> Expression {
        Expression(content: expression, height: try height(over: heights))
    }

    func grown(_ predicate: ParsedPredicate, over heights: [Int]) throws(PredicateFormatError) -> Predicate {
        Predicate(content: predicate, height: try height(over: heights))
    }

    private func height(over heights: [Int]) throws(PredicateFormatError) -> Int {
        let height = (heights.max() ?? 0) + 1
        guard height <= PredicateLimits.nesting else { throw nestedTooDeeply() }
        return height
    }

    private func nestedTooDeeply() -> PredicateFormatError {
        failure(
            .nestedTooDeeply, "nested more than \(PredicateLimits.nesting) levels deep",
            advice: "Use IN for many values, and NSCompoundPredicate for many predicates.")
    }

    /// What the placeholder just met takes from the arguments.
    func argument<Value>(
        _ take: (inout FormatArguments) throws(FormatArguments.Problem) -> Value
    ) throws(PredicateFormatError) -> Value {
        do throws(FormatArguments.Problem) {
            return try take(&arguments)
        } catch {
            switch error {
            case .missing(let number):
                throw failure(
                    .missingArgument, "argument \(number) for \(found) is missing",
                    advice: "Hand over one argument for each placeholder.")
            case .mismatch(let number, let type, let expected, let advice):
                throw failure(
                    .argumentTypeMismatch, "argument \(number) for \(found) is \(type), not \(expected)", advice: advice
                )
            }
        }
    }

    func text(of token: Token) -> String {
        lexer.text(of: token.range)
    }

    /// The next token, for an error.
    var found: String {
        token.kind == .end ? "the end of the format" : "\"\(text(of: token))\""
    }

    func failure(_ problem: String, at place: Token? = nil, advice: String) -> PredicateFormatError {
        failure(.malformedText, problem, at: place, advice: advice)
    }

    func failure(
        _ kind: PredicateFormatError.Kind, _ problem: String, at place: Token? = nil, advice: String
    ) -> PredicateFormatError {
        PredicateFormatError(
            kind, format: lexer.format, position: (place ?? token).range.lowerBound, problem: problem, advice: advice)
    }
}

extension Token {
    /// The comparison operator that the token is.
    var comparison: ParsedPredicate.Operator? {
        switch kind {
        case .keyword(let keyword): keyword.comparison
        case .sign(let sign): sign.comparison
        default: nil
        }
    }
}

extension ParsedExpression {
    /// Whether the expression can be the right side of `BETWEEN`: a list of two, or something that may turn out to be one.
    fileprivate var mayBeBounds: Bool {
        switch self {
        case .constant(.list(let bounds)): bounds.count == 2
        case .constant: false
        case .aggregate(let bounds): bounds.count == 2
        default: true
        }
    }
}
