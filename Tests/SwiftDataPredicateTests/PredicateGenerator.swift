import Foundation
@testable import SwiftData

/// Predicates from a seed, built as `#Predicate` builds them. Nothing in them traps in Foundation's evaluation, which is their judge.
struct PredicateGenerator {
    typealias P = PredicateExpressions
    typealias Condition = any StandardPredicateExpression<Bool>
    typealias Number = any StandardPredicateExpression<Int>
    typealias MaybeNumber = any StandardPredicateExpression<Int?>
    typealias Text = any StandardPredicateExpression<String>
    typealias MaybeText = any StandardPredicateExpression<String?>

    var random: SeededRandom
    /// Objects to ask for by identity.
    var notes: [PersistentIdentifier] = []
    var notebooks: [PersistentIdentifier] = []

    mutating func pick<Value>(_ choices: [Value]) -> Value { choices.randomElement(using: &random)! }

    mutating func predicate() -> Predicate<Note> {
        Predicate<Note> { condition(3, $0) }
    }

    mutating func condition(_ depth: Int, _ note: P.Variable<Note>) -> Condition {
        guard depth > 0 else { return leaf(note) }
        switch random.next() % 9 {
        case 0, 1: return and(condition(depth - 1, note), condition(depth - 1, note))
        case 2, 3: return or(condition(depth - 1, note), condition(depth - 1, note))
        case 4: return not(condition(depth - 1, note))
        case 5: return choice(condition(depth - 1, note), condition(depth - 1, note), condition(depth - 1, note))
        case 6: return equal(condition(depth - 1, note), condition(depth - 1, note))
        case 7: return random.next() % 2 == 0 ? quantifier(depth - 1, note) : through(depth - 1, note)
        default: return leaf(note)
        }
    }

    private mutating func quantifier(_ depth: Int, _ note: P.Variable<Note>) -> Condition {
        let tags = P.build_KeyPath(root: P.build_Arg(note), keyPath: \.tags)
        switch random.next() % 4 {
        case 0:
            func exists(_ test: (P.Variable<Tag>) -> Condition) -> Condition {
                let variable = P.Variable<Tag>()
                func build(_ body: some StandardPredicateExpression<Bool>) -> Condition {
                    P.SequenceContainsWhere(tags) {
                        P.build_Conjunction(lhs: P.build_KeyPath(root: $0, keyPath: \.isHot), rhs: body)
                    }
                }
                return build(test(variable))
            }
            return exists { _ in condition(depth, note) }
        case 1: return P.build_allSatisfy(tags) { P.build_KeyPath(root: P.build_Arg($0), keyPath: \.isHot) }
        case 2:
            return P.build_KeyPath(
                root: P.build_filter(tags) {
                    P.build_Equal(
                        lhs: P.build_KeyPath(root: P.build_Arg($0), keyPath: \.heat), rhs: P.build_Arg(3 as Int?))
                },
                keyPath: \.isEmpty)
        default: return compare(P.build_KeyPath(root: tags, keyPath: \.count), P.build_Arg(pick([0, 1, 2])))
        }
    }

    mutating func leaf(_ note: P.Variable<Note>) -> Condition {
        switch random.next() % 22 {
        case 0: return P.build_KeyPath(root: note, keyPath: \.pinned)
        case 1:
            return P.build_Equal(
                lhs: P.build_KeyPath(root: note, keyPath: \.flagged),
                rhs: P.build_Arg(pick([true, false, nil] as [Bool?])))
        case 2, 3: return compare(number(2, note), number(1, note))
        case 4: return equal(maybeNumber(note), maybeNumber(note))
        case 5: return equal(text(note), text(note))
        case 6: return equal(maybeText(note), maybeText(note))
        case 7: return contains(text(note), text(note))
        case 8: return compare(text(note), text(note))
        case 9:
            return P.build_contains(
                P.build_Arg((0..<3).map { _ in pick([0, 1, 2, 3, -5, 10]) }),
                P.build_KeyPath(root: note, keyPath: \.rating))
        case 10:
            return P.build_Equal(
                lhs: P.build_KeyPath(root: note, keyPath: \.kind),
                rhs: P.build_Arg(pick([Kind.plain, .secret, .shared])))
        case 11:
            let city = P.build_flatMap(P.build_KeyPath(root: note, keyPath: \.place)) {
                P.build_KeyPath(root: P.build_Arg($0), keyPath: \.city)
            }
            return P.build_NotEqual(lhs: city, rhs: P.build_Arg(pick(["Rome", "Oslo", nil] as [String?])))
        case 12: return identity(note)
        case 13: return relationship(note)
        case 14: return range(note)
        case 15: return encoded(note)
        case 16: return array(note)
        case 17: return ordered(note)
        case 18: return subclass(note)
        case 19: return weighed(note)
        case 20: return constant()
        default:
            let due = P.build_KeyPath(root: note, keyPath: \.dueAt)
            let limit = Date(timeIntervalSinceReferenceDate: pick([0, 5, 50]))
            if random.next() % 2 == 0 {
                return compare(P.build_NilCoalesce(lhs: due, rhs: P.build_Arg(Date.distantPast)), P.build_Arg(limit))
            }
            return P.build_Comparison(
                lhs: P.build_ForcedUnwrap(due), rhs: P.build_Arg(limit), op: pick([.lessThan, .greaterThanOrEqual]))
        }
    }

    mutating func number(_ depth: Int, _ note: P.Variable<Note>) -> Number {
        guard depth > 0 else { return P.build_Arg(pick([0, 1, 2, 3, -1, 10])) }
        switch random.next() % 7 {
        case 6: return choice(leaf(note), number(depth - 1, note), number(depth - 1, note))
        case 0: return P.build_KeyPath(root: note, keyPath: \.rating)
        case 1: return coalesce(maybeNumber(note), number(depth - 1, note))
        case 2: return P.build_ForcedUnwrap(P.build_KeyPath(root: note, keyPath: \.stars))
        case 3: return arithmetic(number(depth - 1, note), number(depth - 1, note))
        case 4: return count(text(note))
        default: return negated(number(depth - 1, note))
        }
    }

    mutating func maybeNumber(_ note: P.Variable<Note>) -> MaybeNumber {
        switch random.next() % 3 {
        case 0: P.build_KeyPath(root: note, keyPath: \.stars)
        case 1:
            P.build_flatMap(P.build_KeyPath(root: note, keyPath: \.notebook)) {
                P.build_KeyPath(root: P.build_Arg($0), keyPath: \.shelf)
            }
        default: P.build_Arg(pick([nil, 0, 1, 3] as [Int?]))
        }
    }

    mutating func text(_ note: P.Variable<Note>) -> Text {
        switch random.next() % 4 {
        case 0: P.build_KeyPath(root: note, keyPath: \.title)
        case 1: P.build_NilCoalesce(lhs: P.build_KeyPath(root: note, keyPath: \.body), rhs: P.build_Arg("beta"))
        case 2: P.build_ForcedUnwrap(P.build_KeyPath(root: note, keyPath: \.body))
        default: P.build_Arg(pick(["", "a", "Caf\u{E9}", "Cafe", "beta 10", "Home", "Alpha"]))
        }
    }

    mutating func maybeText(_ note: P.Variable<Note>) -> MaybeText {
        switch random.next() % 3 {
        case 0: P.build_KeyPath(root: note, keyPath: \.body)
        case 1:
            P.build_flatMap(P.build_KeyPath(root: note, keyPath: \.notebook)) {
                P.build_KeyPath(root: P.build_Arg($0), keyPath: \.name)
            }
        default: P.build_Arg(pick([nil, "", "Home", "first Cafe\u{301}"] as [String?]))
        }
    }

    // MARK: - Putting parts of unknown types together

    private func and(_ first: some StandardPredicateExpression<Bool>, _ second: some StandardPredicateExpression<Bool>)
        -> Condition
    {
        P.build_Conjunction(lhs: first, rhs: second)
    }

    private func or(_ first: some StandardPredicateExpression<Bool>, _ second: some StandardPredicateExpression<Bool>)
        -> Condition
    {
        P.build_Disjunction(lhs: first, rhs: second)
    }

    func not(_ inner: some StandardPredicateExpression<Bool>) -> Condition { P.build_Negation(inner) }

    func choice(
        _ test: some StandardPredicateExpression<Bool>, _ first: some StandardPredicateExpression<Bool>,
        _ second: some StandardPredicateExpression<Bool>
    ) -> Condition {
        P.build_Conditional(test, first, second)
    }

    mutating func equal<Value: Equatable>(
        _ first: some StandardPredicateExpression<Value>, _ second: some StandardPredicateExpression<Value>
    ) -> Condition {
        random.next() % 2 == 0 ? P.build_Equal(lhs: first, rhs: second) : P.build_NotEqual(lhs: first, rhs: second)
    }

    mutating func compare<Value: Comparable>(
        _ first: some StandardPredicateExpression<Value>, _ second: some StandardPredicateExpression<Value>
    ) -> Condition {
        P.build_Comparison(
            lhs: first, rhs: second, op: pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual]))
    }

    mutating func contains(
        _ first: some StandardPredicateExpression<String>, _ second: some StandardPredicateExpression<String>
    ) -> Condition {
        switch random.next() % 3 {
        case 0: P.build_contains(first, second)
        case 1: P.build_starts(first, with: second)
        default: P.build_localizedStandardContains(first, second)
        }
    }

    private func choice(
        _ test: some StandardPredicateExpression<Bool>, _ first: some StandardPredicateExpression<Int>,
        _ second: some StandardPredicateExpression<Int>
    ) -> Number {
        P.build_Conditional(test, first, second)
    }

    private func coalesce(
        _ first: some StandardPredicateExpression<Int?>, _ second: some StandardPredicateExpression<Int>
    ) -> Number {
        P.build_NilCoalesce(lhs: first, rhs: second)
    }

    private mutating func arithmetic(
        _ first: some StandardPredicateExpression<Int>, _ second: some StandardPredicateExpression<Int>
    ) -> Number {
        switch random.next() % 3 {
        case 0: P.build_Arithmetic(lhs: first, rhs: second, op: pick([.add, .subtract, .multiply]))
        case 1: P.build_Division(lhs: first, rhs: P.build_Arg(pick([2, -3])))
        default: P.build_Remainder(lhs: first, rhs: P.build_Arg(pick([2, -3])))
        }
    }

    private func count(_ text: some StandardPredicateExpression<String>) -> Number {
        P.build_KeyPath(root: text, keyPath: \.count)
    }

    private func negated(_ number: some StandardPredicateExpression<Int>) -> Number { P.build_UnaryMinus(number) }
}
