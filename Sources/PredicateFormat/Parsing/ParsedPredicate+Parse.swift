extension ParsedPredicate {
    /// Parses a predicate.
    ///
    /// - Parameters:
    ///   - format: a predicate in the language of [Apple:Predicate Format String Syntax].
    ///   - arguments: one for each placeholder, from left to right.
    package static func parse(
        format: String, arguments: [Any?] = []
    ) throws(PredicateFormatError) -> ParsedPredicate {
        let parser = try Parser(format: format, arguments: arguments)
        return try parser.wholePredicate()
    }
}

extension ParsedExpression {
    /// Parses an expression, as `NSExpression(format:)` does on Apple's systems.
    package static func parse(
        format: String, arguments: [Any?] = []
    ) throws(PredicateFormatError) -> ParsedExpression {
        let parser = try Parser(format: format, arguments: arguments)
        return try parser.wholeExpression()
    }
}
