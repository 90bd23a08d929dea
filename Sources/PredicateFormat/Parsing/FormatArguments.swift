/// The arguments of a format, handed to its placeholders from left to right.
struct FormatArguments {
    private let arguments: [Any?]
    private(set) var used = 0

    init(_ arguments: [Any?]) {
        self.arguments = arguments
    }

    var count: Int { arguments.count }

    /// What is wrong with an argument, for an error that knows the placeholder's place.
    enum Problem: Error {
        case missing(number: Int)
        case mismatch(number: Int, found: String, expected: String, advice: String)
    }

    mutating func value() throws(Problem) -> PredicateValue {
        PredicateValue(try next())
    }

    mutating func keyPath() throws(Problem) -> ParsedKeyPath {
        let argument = try next()
        guard case .string(let path) = PredicateValue(argument), !path.isEmpty else {
            throw mismatch(argument, expected: "a key path as a String", advice: "Use %@ for a value.")
        }
        return ParsedKeyPath(path)
    }

    mutating func integer() throws(Problem) -> PredicateValue {
        let argument = try next()
        switch PredicateValue(argument) {
        case .integer(let value): return .integer(value)
        case .bool(let value): return .integer(value ? 1 : 0)
        case .decimal(let value): return .decimal(value)
        case .double(let value):
            if let integer = Int64(exactly: value) { return .integer(integer) }
            throw mismatch(argument, expected: "an integer", advice: "Use %f for numbers with a fraction.")
        default: throw mismatch(argument, expected: "an integer", advice: "Use %@ for a value that is no number.")
        }
    }

    mutating func double() throws(Problem) -> PredicateValue {
        let argument = try next()
        switch PredicateValue(argument) {
        case .integer(let value): return .double(Double(value))
        case .bool(let value): return .double(value ? 1 : 0)
        case .double(let value): return .double(value)
        case .decimal(let value): return .decimal(value)
        default: throw mismatch(argument, expected: "a number", advice: "Use %@ for a value that is no number.")
        }
    }

    mutating func text() throws(Problem) -> PredicateValue {
        let argument = try next()
        let value = PredicateValue(argument)
        guard case .string = value else {
            throw mismatch(argument, expected: "a String", advice: "Use %@ for other values.")
        }
        return value
    }

    private mutating func next() throws(Problem) -> Any? {
        guard used < arguments.count else { throw .missing(number: used + 1) }
        used += 1
        return arguments[used - 1]
    }

    private func mismatch(_ argument: Any?, expected: String, advice: String) -> Problem {
        let found = argument.map { String(describing: type(of: $0)) } ?? "nil"
        return .mismatch(number: used, found: found, expected: expected, advice: advice)
    }
}
