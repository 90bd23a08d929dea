import Foundation

/// Writes a tree in the canonical spelling, with the fewest parentheses that parse to the same tree; nested compounds
/// always have them, as Apple's have.
struct Printer {
    enum Style {
        /// As `predicateFormat` reads on Apple's systems.
        case apple
        /// So that it parses to the same tree.
        case exact
    }

    let style: Style
    private(set) var text = ""
    private(set) var arguments = [Any]()

    init(style: Style) {
        self.style = style
    }

    mutating func print(_ predicate: ParsedPredicate) {
        switch predicate {
        case .always(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): print(comparison)
        case .and(let predicates): print(predicates, joinedBy: " AND ", empty: "TRUEPREDICATE")
        case .or(let predicates): print(predicates, joinedBy: " OR ", empty: "FALSEPREDICATE")
        case .not(let operand):
            text += "NOT "
            printOperand(operand)
        }
    }

    private mutating func print(_ predicates: [ParsedPredicate], joinedBy separator: String, empty: String) {
        if predicates.isEmpty { text += empty }
        for (index, predicate) in predicates.enumerated() {
            if index > 0 { text += separator }
            printOperand(predicate)
        }
    }

    private mutating func printOperand(_ predicate: ParsedPredicate) {
        switch predicate {
        case .and, .or: parenthesized { $0.print(predicate) }
        default: print(predicate)
        }
    }

    private mutating func print(_ comparison: ParsedPredicate.Comparison) {
        if comparison.modifier != .direct { text += comparison.modifier.rawValue + " " }
        print(comparison.left)
        text += " " + comparison.operator.rawValue
        if !comparison.options.isEmpty {
            text += "["
            for (letter, option) in ParsedPredicate.Options.letters where comparison.options.contains(option) {
                text.append(letter)
            }
            text += "]"
        }
        text += " "
        print(comparison.right)
    }

    private mutating func parenthesized(_ body: (inout Printer) -> Void) {
        text += "("
        body(&self)
        text += ")"
    }
}

// MARK: - Expressions

extension Printer {
    mutating func print(_ expression: ParsedExpression) {
        switch expression {
        case .constant(let value): print(value)
        case .evaluatedObject: text += "SELF"
        case .keyPath(let path): print(path)
        case .variable(let name): text += "$" + name
        case .keyPathOf(let base, let path):
            printBase(base)
            text += "."
            print(path)
        case .element(let base, let index):
            printBase(base)
            print(index)
        case .aggregate(let elements): print(elements, between: "{", and: "}")
        case .function(let function, let arguments): print(arguments, between: function.rawValue + "(", and: ")")
        case .call(let target, let selector, let arguments):
            print([target, .constant(.string(selector))] + arguments, between: "FUNCTION(", and: ")")
        case .unary(let `operator`, let operand): print(`operator`, operand)
        case .binary(let `operator`, let left, let right): print(`operator`, left, right)
        case .cast(let operand, let type): print([operand, .constant(.string(type))], between: "CAST(", and: ")")
        case .subquery(let collection, let variable, let predicate):
            text += "SUBQUERY("
            print(collection)
            text += ", $" + variable + ", "
            print(predicate)
            text += ")"
        case .conditional(let predicate, let first, let second):
            text += "TERNARY("
            print(predicate)
            print([first, second], between: ", ", and: ")")
        }
    }

    private mutating func print(_ expressions: [ParsedExpression], between opening: String, and closing: String) {
        text += opening
        for (index, expression) in expressions.enumerated() {
            if index > 0 { text += ", " }
            print(expression)
        }
        text += closing
    }

    private mutating func print(_ index: ParsedExpression.ElementIndex) {
        switch index {
        case .first: text += "[FIRST]"
        case .last: text += "[LAST]"
        case .size: text += "[SIZE]"
        case .at(let position): print([position], between: "[", and: "]")
        }
    }

    /// What keys or a subscript follow.
    private mutating func printBase(_ base: ParsedExpression) {
        switch base {
        case .unary, .binary, .constant: parenthesized { $0.print(base) }
        default: print(base)
        }
    }

    private mutating func print(_ operator: ParsedExpression.UnaryOperator, _ operand: ParsedExpression) {
        text += `operator`.rawValue
        switch operand {
        case .binary: parenthesized { $0.print(operand) }
        // A minus before a literal would become part of it.
        case .constant where `operator` == .minus: parenthesized { $0.print(operand) }
        default: print(operand)
        }
    }

    private mutating func print(
        _ operator: ParsedExpression.BinaryOperator, _ left: ParsedExpression, _ right: ParsedExpression
    ) {
        let fromTheRight = `operator`.groupsFromTheRight
        print(left, tighterThan: `operator`.precedence, orEqual: !fromTheRight)
        text += " " + `operator`.rawValue + " "
        print(right, tighterThan: `operator`.precedence, orEqual: fromTheRight)
    }

    private mutating func print(_ operand: ParsedExpression, tighterThan precedence: Int, orEqual: Bool) {
        if case .binary(let inner, _, _) = operand,
            inner.precedence < precedence || (inner.precedence == precedence && !orEqual)
        {
            parenthesized { $0.print(operand) }
        } else {
            print(operand)
        }
    }

    private mutating func print(_ path: ParsedKeyPath) {
        guard style == .apple || path.keys.allSatisfy(Lexer.isIdentifier) else {
            text += "%K"
            arguments.append(path.description)
            return
        }
        for (index, key) in path.keys.enumerated() {
            if index > 0 { text += "." }
            if Keyword(word: key) != nil { text += "#" }
            text += key
        }
    }
}

// MARK: - Values

extension Printer {
    private mutating func print(_ value: PredicateValue) {
        switch value {
        case .null: text += "nil"
        case .bool(let value) where style == .apple: text += value ? "1" : "0"
        case .bool(let value): text += value ? "YES" : "NO"
        case .integer(let value): text += String(value)
        case .double(let value): print(value)
        case .decimal(let value): print(value)
        case .string(let value): print(quoted: value)
        case .date(let value): print(value)
        case .uuid(let value): text += "CAST(\"\(value.uuidString)\", \"NSUUID\")"
        case .list(let values):
            text += "{"
            for (index, value) in values.enumerated() {
                if index > 0 { text += ", " }
                print(value)
            }
            text += "}"
        case .data(let value) where style == .apple:
            text += "<" + value.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() + ">"
        case .object(let object) where style == .apple: text += String(describing: object.value)
        case .data(let value): print(argument: value)
        case .object(let object): print(argument: object.value)
        }
    }

    private mutating func print(argument: Any) {
        text += "%@"
        arguments.append(argument)
    }

    private mutating func print(_ value: Double) {
        if style == .apple {
            let literal = "\(value)"
            text += literal.hasSuffix(".0") ? String(literal.dropLast(2)) : literal
        } else if value.isFinite {
            text += "\(value)"
        } else {
            print(argument: value)
        }
    }

    private mutating func print(_ value: Decimal) {
        if style == .apple {
            text += value.description
        } else if value.isNaN {
            print(argument: value)
        } else {
            text += "CAST(\"\(value)\", \"NSDecimalNumber\")"
        }
    }

    /// Apple prints six decimals; a date that has more gets as many as it needs.
    private mutating func print(_ value: Date) {
        let seconds = value.timeIntervalSinceReferenceDate
        guard seconds.isFinite else {
            if style == .apple { text += "\(seconds)" } else { print(argument: value) }
            return
        }
        let sixDecimals = String(format: "%.6f", seconds)
        let literal = style == .apple || Double(sixDecimals) == seconds ? sixDecimals : "\(seconds)"
        text += "CAST(\(literal), \"NSDate\")"
    }

    private mutating func print(quoted string: String) {
        var quoted = String.UnicodeScalarView()
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted.append(contentsOf: ["\\", scalar])
            case "\n": quoted.append(contentsOf: ["\\", "n"])
            case "\r": quoted.append(contentsOf: ["\\", "r"])
            case "\t": quoted.append(contentsOf: ["\\", "t"])
            default: quoted.append(scalar)
            }
        }
        text += "\"" + String(quoted) + "\""
    }
}
