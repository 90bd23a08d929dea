import Foundation

extension Parser {
    /// A call, of which the name was read: the next token is its opening parenthesis.
    func call(_ name: Token) throws(PredicateFormatError) -> Node {
        switch name.kind {
        case .keyword(.subquery): return try subquery()
        case .keyword(.ternary): return try conditional()
        default:
            let arguments = try callArguments(of: name)
            return try called(name, with: arguments).node
        }
    }

    private func called(
        _ name: Token, with arguments: [Expression]
    ) throws(PredicateFormatError) -> Expression {
        switch name.kind {
        case .keyword(.cast): return try cast(arguments, at: name)
        case .keyword(.function): return try methodCall(arguments, at: name)
        default: break
        }
        let contents = arguments.map(\.content)
        let heights = arguments.map(\.height)
        let spelling = text(of: name)
        if let `operator` = PredicateFunction.binaryOperator(spelling: spelling) {
            try check(arguments.count, within: 2...2, at: name)
            return try grown(.binary(`operator`, contents[0], contents[1]), over: heights)
        }
        switch spelling.lowercased() {
        case "onescomplement", "onescomplement:":
            try check(arguments.count, within: 1...1, at: name)
            return try grown(.unary(.bitwiseNot, contents[0]), over: heights)
        case "castobject:totype:":
            return try cast(arguments, at: name)
        default:
            break
        }
        guard let function = PredicateFunction(spelling: spelling) else {
            throw failure(
                .unknownFunction, "there is no function \"\(spelling)\"", at: name,
                advice: "The functions are \(PredicateFunction.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        try check(arguments.count, within: function.argumentCounts, at: name)
        return try grown(.function(function, contents), over: heights)
    }

    /// `FUNCTION(target, "selector:", argument)`
    private func methodCall(
        _ arguments: [Expression], at name: Token
    ) throws(PredicateFormatError) -> Expression {
        try check(arguments.count, within: 2...Int.max, at: name)
        guard case .constant(.string(let selector)) = arguments[1].content else {
            throw failure(
                "the second argument of FUNCTION is not a name", at: name,
                advice: "Write FUNCTION(value, \"selector:\", argument).")
        }
        return try grown(
            .call(
                on: arguments[0].content, selector: selector, arguments: arguments.dropFirst(2).map(\.content)),
            over: arguments.map(\.height))
    }

    private func callArguments(of name: Token) throws(PredicateFormatError) -> [Expression] {
        try expect(.openParenthesis, after: "the name of a function")
        try descend()
        defer { ascend() }
        return try list(until: .closeParenthesis, of: "the arguments of \(text(of: name))")
    }

    private func check(
        _ count: Int, within counts: ClosedRange<Int>, at name: Token
    ) throws(PredicateFormatError) {
        guard !counts.contains(count) else { return }
        let expected =
            counts.upperBound == Int.max
            ? "at least \(counts.lowerBound)"
            : counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
        throw failure(
            "\(text(of: name)) has \(count) arguments, not \(expected)", at: name,
            advice: "Separate arguments with commas.")
    }

    /// `SUBQUERY(collection, $variable, predicate)`, from its parenthesis.
    private func subquery() throws(PredicateFormatError) -> Node {
        try advance()
        try descend()
        defer { ascend() }
        let collection = try value()
        try expectComma(in: "SUBQUERY(collection, $x, predicate)")
        guard case .variable(let variable) = token.kind else {
            throw failure(
                "expected the variable of a SUBQUERY, found \(found)",
                advice: "Write SUBQUERY(notes, $note, $note.isPinned == YES).")
        }
        try advance()
        try expectComma(in: "SUBQUERY(collection, $x, predicate)")
        let predicate = try joined()
        try expect(.closeParenthesis, after: "the predicate of a SUBQUERY")
        return try grown(
            .subquery(collection: collection.content, variable: variable, predicate: predicate.content),
            over: [collection.height, predicate.height]
        ).node
    }

    /// `TERNARY(predicate, then, else)`, from its parenthesis.
    private func conditional() throws(PredicateFormatError) -> Node {
        try advance()
        try descend()
        defer { ascend() }
        let predicate = try joined()
        try expectComma(in: "TERNARY(predicate, a, b)")
        let first = try value()
        try expectComma(in: "TERNARY(predicate, a, b)")
        let second = try value()
        try expect(.closeParenthesis, after: "the last argument of TERNARY")
        return try grown(
            .conditional(predicate.content, then: first.content, else: second.content),
            over: [predicate.height, first.height, second.height]
        ).node
    }

    private func expectComma(in shape: String) throws(PredicateFormatError) {
        guard try accept(.comma) else {
            throw failure("expected \",\", found \(found)", advice: "Write \(shape).")
        }
    }

    /// `CAST(value, "type")`
    private func cast(_ arguments: [Expression], at name: Token) throws(PredicateFormatError) -> Expression {
        try check(arguments.count, within: 2...2, at: name)
        let operand = arguments[0]
        guard case .constant(.string(let type)) = arguments[1].content else {
            throw failure(
                "the second argument of CAST is not the name of a type", at: name,
                advice: "Write CAST(value, \"NSDate\").")
        }
        if case .constant(let value) = operand.content, let literal = value.literal(castTo: type) {
            return try grown(.constant(literal), over: [])
        }
        return try grown(.cast(operand.content, to: type), over: [operand.height])
    }
}

extension PredicateValue {
    /// The values that the language can only write as a cast: `CAST(700000000, "NSDate")`.
    fileprivate func literal(castTo type: String) -> PredicateValue? {
        switch (type, self) {
        case ("NSDate", .integer(let seconds)): .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        case ("NSDate", .double(let seconds)) where seconds.isFinite:
            .date(Date(timeIntervalSinceReferenceDate: seconds))
        case ("NSDecimalNumber", .string(let text)): Decimal(string: text).map(PredicateValue.decimal)
        case ("NSUUID", .string(let text)): UUID(uuidString: text).map(PredicateValue.uuid)
        default: nil
        }
    }
}
