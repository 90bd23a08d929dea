extension ParsedPredicate: CustomStringConvertible {
    /// The text that Apple's `predicateFormat` gives: for people and for comparing with it.
    ///
    /// It does not tell `YES` from `1` or `3.0` from `3`, and values that the language cannot write are described only;
    /// to keep a predicate and parse it again, use `formatAndArguments`.
    package var predicateFormat: String {
        var printer = Printer(style: .apple)
        printer.print(self)
        return printer.text
    }

    /// A format and arguments that parse to exactly this predicate: what an archive holds.
    ///
    /// The arguments are those values that the language cannot write, such as record identifiers and binary data, each
    /// with a `%@`, and unusual keys, each with a `%K`.
    package var formatAndArguments: (format: String, arguments: [Any]) {
        var printer = Printer(style: .exact)
        printer.print(self)
        return (printer.text, printer.arguments)
    }

    package var description: String { predicateFormat }
}

extension ParsedExpression: CustomStringConvertible {
    /// The text that Apple's `NSExpression.description` gives; see `ParsedPredicate.predicateFormat`.
    package var expressionFormat: String {
        var printer = Printer(style: .apple)
        printer.print(self)
        return printer.text
    }

    /// A format and arguments that parse to exactly this expression.
    package var formatAndArguments: (format: String, arguments: [Any]) {
        var printer = Printer(style: .exact)
        printer.print(self)
        return (printer.text, printer.arguments)
    }

    package var description: String { expressionFormat }
}
