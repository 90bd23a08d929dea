/// One side of a comparison, or a part of one: a value, a key, a function of them.
///
/// The parser keeps to one spelling where the language has several, so that a translator has one pattern to match:
/// a list of constants is one constant, `SELF.name` is the key path `name`, `add:to:(a, b)` is `a + b`, and a
/// `CAST` of a literal to a date, a decimal number or a UUID is a constant.
package indirect enum ParsedExpression: Hashable, Sendable {
    case constant(PredicateValue)
    /// `SELF`, the object that the predicate is asked about.
    case evaluatedObject
    /// Keys of the evaluated object: `title`, `author.name`, `notes.@count`.
    case keyPath(ParsedKeyPath)
    /// `$name`, bound when the predicate is evaluated, or by a `SUBQUERY` around it.
    case variable(String)
    /// Keys of something else than the evaluated object: `$note.title`, `SUBQUERY(…).@count`.
    case keyPathOf(ParsedExpression, ParsedKeyPath)
    /// `tags[0]`, `tags[LAST]`.
    case element(of: ParsedExpression, at: ElementIndex)
    /// `{a, b}` with at least one element that is not constant.
    case aggregate([ParsedExpression])
    case function(PredicateFunction, [ParsedExpression])
    /// `FUNCTION(target, "selector:", argument)`: a method, by name.
    case call(on: ParsedExpression, selector: String, arguments: [ParsedExpression])
    case unary(UnaryOperator, ParsedExpression)
    case binary(BinaryOperator, ParsedExpression, ParsedExpression)
    /// `CAST(expression, "NSDate")`.
    case cast(ParsedExpression, to: String)
    /// The elements of `collection` for which `predicate` holds, each bound to `$variable` in turn.
    case subquery(collection: ParsedExpression, variable: String, predicate: ParsedPredicate)
    /// `TERNARY(predicate, then, else)`.
    case conditional(ParsedPredicate, then: ParsedExpression, else: ParsedExpression)

    /// A key path from the evaluated object, written with dots.
    package static func key(_ path: String) -> ParsedExpression {
        .keyPath(ParsedKeyPath(path))
    }
}

extension ParsedExpression {
    /// Which element a subscript names.
    package enum ElementIndex: Hashable, Sendable {
        case first
        case last
        /// Not an element but how many there are.
        case size
        /// A position counted from 0, or the key of a dictionary.
        case at(ParsedExpression)
    }

    package enum UnaryOperator: String, Hashable, Sendable, CaseIterable {
        case minus = "-"
        case bitwiseNot = "~"
    }

    /// The raw value is the operator's spelling.
    package enum BinaryOperator: String, Hashable, Sendable, CaseIterable {
        case add = "+"
        case subtract = "-"
        case multiply = "*"
        case divide = "/"
        case power = "**"
        case bitwiseAnd = "&"
        case bitwiseOr = "|"
        case bitwiseXor = "^"
        case shiftLeft = "<<"
        case shiftRight = ">>"
        case union = "UNION"
        case intersect = "INTERSECT"
        case minus = "MINUS"

        /// How tightly the operator binds: the higher the tighter.
        ///
        /// Apple documents no order; this is C's, with the power above the product and set operators below everything.
        var precedence: Int {
            switch self {
            case .union, .intersect, .minus: 1
            case .bitwiseOr: 2
            case .bitwiseXor: 3
            case .bitwiseAnd: 4
            case .shiftLeft, .shiftRight: 5
            case .add, .subtract: 6
            case .multiply, .divide: 7
            case .power: 8
            }
        }

        /// `2 ** 3 ** 2` is `2 ** (3 ** 2)`, as in mathematics (Apple documents nothing); all others group from the left.
        var groupsFromTheRight: Bool { self == .power }
    }

    /// `base` followed by keys, in the one way that the tree spells it.
    func appending(_ keys: ParsedKeyPath) -> ParsedExpression {
        switch self {
        case .evaluatedObject: .keyPath(keys)
        case .keyPath(let path): .keyPath(ParsedKeyPath(keys: path.keys + keys.keys))
        case .keyPathOf(let base, let path): .keyPathOf(base, ParsedKeyPath(keys: path.keys + keys.keys))
        default: .keyPathOf(self, keys)
        }
    }
}
