import Foundation

extension Parser {
    /// Operands joined by operators that bind at least as tightly as `precedence`; or a predicate in parentheses.
    func binary(atLeast precedence: Int) throws(PredicateFormatError) -> Node {
        let first = try unary()
        guard case .expression(let left) = first.content, token.binaryOperator != nil else { return first }
        return try binary(from: Expression(content: left, height: first.height), atLeast: precedence).node
    }

    private func binary(
        from first: Expression, atLeast precedence: Int
    ) throws(PredicateFormatError) -> Expression {
        var left = first
        while let `operator` = token.binaryOperator, `operator`.precedence >= precedence {
            try advance()
            // Others recurse once for each level of precedence at most.
            if `operator`.groupsFromTheRight { try descend() }
            defer { if `operator`.groupsFromTheRight { ascend() } }
            let tighter = `operator`.precedence + (`operator`.groupsFromTheRight ? 0 : 1)
            let right = try expression(try binary(atLeast: tighter))
            left = try grown(.binary(`operator`, left.content, right.content), over: [left.height, right.height])
        }
        return left
    }

    /// An expression of any kind, where nothing else may stand.
    func value() throws(PredicateFormatError) -> Expression {
        try expression(try binary(atLeast: 0))
    }

    private func unary() throws(PredicateFormatError) -> Node {
        switch token.kind {
        case .sign(.minus): return try unary(.minus)
        case .sign(.tilde): return try unary(.bitwiseNot)
        case .sign(.openParenthesis): return try postfix(try parenthesized())
        default: return try postfix(try primary())
        }
    }

    private func unary(_ operator: ParsedExpression.UnaryOperator) throws(PredicateFormatError) -> Node {
        try advance()
        if `operator` == .minus, case .literal(let number) = token.kind, let negative = number.negated {
            try advance()
            return try grown(.constant(negative), over: []).node
        }
        try descend()
        defer { ascend() }
        let operand = try expression(try unary())
        return try grown(.unary(`operator`, operand.content), over: [operand.height]).node
    }

    private func parenthesized() throws(PredicateFormatError) -> Node {
        try advance()
        try descend()
        defer { ascend() }
        let inner = try disjunction()
        try expect(.closeParenthesis, after: "what is in parentheses")
        return inner
    }

    /// Keys and subscripts behind an expression.
    private func postfix(_ node: Node) throws(PredicateFormatError) -> Node {
        guard case .expression(let content) = node.content,
            token.kind == .sign(.dot) || token.kind == .sign(.openBracket)
        else { return node }
        var base = Expression(content: content, height: node.height)
        while true {
            if try accept(.dot) {
                let content = base.content.appending(try keys())
                base =
                    switch base.content {
                    case .evaluatedObject, .keyPath, .keyPathOf: Expression(content: content, height: base.height)
                    default: try grown(content, over: [base.height])
                    }
            } else if try accept(.openBracket) {
                let (index, height) = try elementIndex()
                try expect(.closeBracket, after: "a subscript")
                base = try grown(.element(of: base.content, at: index), over: [base.height, height])
            } else {
                return base.node
            }
        }
    }

    /// What follows a dot. A word with a meaning elsewhere is a key here.
    private func keys() throws(PredicateFormatError) -> ParsedKeyPath {
        let keys: ParsedKeyPath
        switch token.kind {
        case .identifier(let key): keys = ParsedKeyPath(keys: [key])
        case .keyword: keys = ParsedKeyPath(keys: [text(of: token)])
        case .placeholder(.keyPath):
            keys = try argument { arguments throws(FormatArguments.Problem) in try arguments.keyPath() }
        default: throw failure("expected a key after \".\", found \(found)", advice: "Hand an unusual key over for %K.")
        }
        try advance()
        return keys
    }

    private func elementIndex() throws(PredicateFormatError) -> (ParsedExpression.ElementIndex, height: Int) {
        let index: ParsedExpression.ElementIndex
        switch token.kind {
        case .keyword(.first): index = .first
        case .keyword(.last): index = .last
        case .keyword(.size): index = .size
        default:
            try descend()
            defer { ascend() }
            let position = try value()
            return (.at(position.content), position.height)
        }
        try advance()
        return (index, 0)
    }

    private func primary() throws(PredicateFormatError) -> Node {
        switch token.kind {
        case .identifier, .selector: try keyOrCall()
        case .keyword(let keyword): try word(keyword)
        case .sign(.openBrace): try aggregate()
        default: try atom()
        }
    }

    private func atom() throws(PredicateFormatError) -> Node {
        switch token.kind {
        case .literal(let value): return try constant(value)
        case .variable(let name): return try leaf(.variable(name))
        case .placeholder(let placeholder): return try substituted(placeholder)
        default:
            throw failure(
                "expected a value or a key, found \(found)", advice: "Complete the comparison, as in title == \"a\".")
        }
    }

    private func keyOrCall() throws(PredicateFormatError) -> Node {
        let first = token
        try advance()
        guard token.kind != .sign(.openParenthesis) else { return try call(first) }
        let key = if case .identifier(let key) = first.kind { key } else { text(of: first) }
        return try grown(.keyPath(ParsedKeyPath(keys: [key])), over: []).node
    }

    private func constant(_ value: PredicateValue) throws(PredicateFormatError) -> Node {
        try leaf(.constant(value))
    }

    private func leaf(_ expression: ParsedExpression) throws(PredicateFormatError) -> Node {
        try advance()
        return try grown(expression, over: []).node
    }

    private func substituted(_ placeholder: Placeholder) throws(PredicateFormatError) -> Node {
        typealias Problem = FormatArguments.Problem
        let expression: ParsedExpression =
            switch placeholder {
            case .value: .constant(try argument { arguments throws(Problem) in try arguments.value() })
            case .keyPath: .keyPath(try argument { arguments throws(Problem) in try arguments.keyPath() })
            case .integer: .constant(try argument { arguments throws(Problem) in try arguments.integer() })
            case .double: .constant(try argument { arguments throws(Problem) in try arguments.double() })
            case .text: .constant(try argument { arguments throws(Problem) in try arguments.text() })
            }
        return try leaf(expression)
    }

    private func word(_ keyword: Keyword) throws(PredicateFormatError) -> Node {
        switch keyword {
        case .null, .nil: return try constant(.null)
        case .true, .yes: return try constant(.bool(true))
        case .false, .no: return try constant(.bool(false))
        case .self: return try leaf(.evaluatedObject)
        case .truePredicate, .falsePredicate:
            try advance()
            return try grown(.always(keyword == .truePredicate), over: []).node
        case _ where keyword.isContextual: return try keyOrCall()
        default:
            throw failure(
                "expected a value or a key, found the reserved word \(found)",
                advice: "If it is a key, write #\(text(of: token)) or hand it over for %K.")
        }
    }

    /// The node as an expression.
    func expression(_ node: Node) throws(PredicateFormatError) -> Expression {
        guard case .expression(let expression) = node.content else {
            throw failure(
                "expected a value, found a predicate before \(found)",
                advice: "A predicate is no value; use TERNARY(predicate, a, b) for a value that depends on one.")
        }
        return Expression(content: expression, height: node.height)
    }

    /// `{a, b}`
    private func aggregate() throws(PredicateFormatError) -> Node {
        try advance()
        try descend()
        defer { ascend() }
        let elements = try list(until: .closeBrace, of: "a list")
        return try grown(.list(elements.map(\.content)), over: elements.map(\.height)).node
    }

    /// Expressions separated by commas, and the sign that ends them.
    func list(until end: Sign, of what: String) throws(PredicateFormatError) -> [Expression] {
        var elements = [Expression]()
        if try accept(end) { return elements }
        repeat {
            elements.append(try value())
        } while try accept(.comma)
        guard try accept(end) else {
            throw failure(
                "expected \",\" or \"\(end.rawValue)\" in \(what), found \(found)",
                advice: "Separate elements with commas and close the list.")
        }
        return elements
    }
}

extension Token {
    fileprivate var binaryOperator: ParsedExpression.BinaryOperator? {
        switch kind {
        case .sign(let sign): sign.arithmetic
        // No reserved words: they are keys everywhere but between two operands.
        case .identifier(let word): setOperator(word)
        default: nil
        }
    }

    private func setOperator(_ word: String) -> ParsedExpression.BinaryOperator? {
        switch word.uppercased() {
        case "UNION": .union
        case "INTERSECT": .intersect
        case "MINUS": .minus
        default: nil
        }
    }
}

extension PredicateValue {
    /// A number literal behind a minus sign.
    fileprivate var negated: PredicateValue? {
        switch self {
        case .integer(let value): .integer(-value)  // Literals are not negative, so this cannot overflow.
        case .double(let value): .double(-value)
        case .decimal(let value): value == -Decimal(Int64.min) ? .integer(.min) : .decimal(-value)
        default: nil
        }
    }
}
