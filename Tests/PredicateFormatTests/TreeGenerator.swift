import Foundation
import PredicateFormat

/// Makes trees of every kind, in the one spelling that the parser gives them.
struct TreeGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values.randomElement(using: &random)!
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func some<Value>(_ counts: ClosedRange<Int>, _ make: (inout TreeGenerator) -> Value) -> [Value] {
        (0..<Int.random(in: counts, using: &random)).map { _ in make(&self) }
    }

    mutating func predicate(depth: Int) -> ParsedPredicate {
        guard depth > 0, chance(60) else { return chance(10) ? .always(chance(50)) : comparison(depth: depth) }
        return switch Int.random(in: 0..<3, using: &random) {
        case 0: .and(some(2...4) { $0.predicate(depth: depth - 1) })
        case 1: .or(some(2...4) { $0.predicate(depth: depth - 1) })
        default: .not(predicate(depth: depth - 1))
        }
    }

    private mutating func comparison(depth: Int) -> ParsedPredicate {
        let `operator` = pick(ParsedPredicate.Operator.allCases)
        let right =
            `operator` == .between
            ? ParsedExpression.list(some(2...2) { $0.expression(depth: depth - 1) })
            : expression(depth: depth - 1)
        return .compare(
            expression(depth: depth - 1), `operator`, right,
            options: ParsedPredicate.Options(rawValue: chance(30) ? UInt8.random(in: 0..<16, using: &random) : 0),
            modifier: chance(70) ? .direct : pick([.any, .all]))
    }

    mutating func expression(depth: Int) -> ParsedExpression {
        guard depth > 0, chance(70) else { return leaf() }
        let depth = depth - 1
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return keys(of: expression(depth: depth))
        case 1: return .element(of: expression(depth: depth), at: index(depth: depth))
        case 2: return .list(some(0...3) { $0.expression(depth: depth) })
        case 3:
            let function = pick(PredicateFunction.allCases)
            let count =
                switch function {
                case .now, .random: 0
                case .modulus, .distance, .tokenize: 2
                default: 1
                }
            return .function(function, some(count...count) { $0.expression(depth: depth) })
        case 4:
            return .call(
                on: expression(depth: depth), selector: pick(["length", "valueForKey:"]),
                arguments: some(0...2) { $0.expression(depth: depth) })
        case 5: return .unary(pick(ParsedExpression.UnaryOperator.allCases), expression(depth: depth))
        case 6, 7:
            return .binary(
                pick(ParsedExpression.BinaryOperator.allCases), expression(depth: depth), expression(depth: depth))
        case 8: return .cast(.key("due"), to: pick(["NSDate", "NSNumber"]))
        default:
            return chance(50)
                ? .subquery(
                    collection: expression(depth: depth), variable: pick(["x", "note"]),
                    predicate: predicate(depth: depth))
                : .conditional(
                    predicate(depth: depth), then: expression(depth: depth), else: expression(depth: depth))
        }
    }

    private mutating func index(depth: Int) -> ParsedExpression.ElementIndex {
        chance(50) ? pick([.first, .last, .size]) : .at(expression(depth: depth))
    }

    /// Keys of `base`, spelled as the parser spells them.
    private mutating func keys(of base: ParsedExpression) -> ParsedExpression {
        let path = path()
        return switch base {
        case .evaluatedObject: .keyPath(path)
        case .keyPath(let outer): .keyPath(ParsedKeyPath(keys: outer.keys + path.keys))
        case .keyPathOf(let base, let outer): .keyPathOf(base, ParsedKeyPath(keys: outer.keys + path.keys))
        default: .keyPathOf(base, path)
        }
    }

    private mutating func path() -> ParsedKeyPath {
        ParsedKeyPath(
            keys: some(1...3) {
                $0.pick([
                    "title", "in", "size", "first", "@count", "_x1", "straße", "odd key", "1st", "union", "UTI", "self",
                ])
            })
    }

    private mutating func leaf() -> ParsedExpression {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .evaluatedObject
        case 1: .variable(pick(["x", "note", "in"]))
        case 2, 3, 4: .keyPath(path())
        default: .constant(value())
        }
    }

    private mutating func value() -> PredicateValue {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: .null
        case 1: .bool(chance(50))
        case 2: .integer(pick([0, 1, -1, .min, .max, 42]))
        case 3: .double(pick([0, 3, -2.5, 1e300, 1e-300, .infinity, 0.1]))
        case 4: .decimal(pick([Decimal(string: "1.10")!, Decimal(string: "-12345678901.5")!, 7]))
        case 5: .date(Date(timeIntervalSinceReferenceDate: pick([0, -1.5, 700_000_000, 1e300, 1 / 3])))
        case 6: .data(Data([1, 2]))
        case 7: .uuid(UUID(uuidString: "00000000-0000-0000-0000-00000000000\(Int.random(in: 0...9, using: &random))")!)
        case 8: .object(OpaqueValue(Identifier("a")))
        default: .string(pick(["", "x", "\"", "\\", "a\nb\r\n\t", "'", "%@", "$x", "é\u{301}", "\u{0}", "🙂"]))
        }
    }
}
