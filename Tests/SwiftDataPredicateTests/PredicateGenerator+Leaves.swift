import Foundation

@testable import SwiftData

// Conditions of every kind that apps write; what they need that can trap in Foundation's evaluation is left out.
extension PredicateGenerator {
    mutating func identity(_ note: P.Variable<Note>) -> Condition {
        let own = P.build_KeyPath(root: note, keyPath: \.persistentModelID)
        let notebook = P.build_flatMap(P.build_KeyPath(root: note, keyPath: \.notebook)) {
            P.build_KeyPath(root: P.build_Arg($0), keyPath: \.persistentModelID)
        }
        switch random.next() % 4 {
        case 0: return equal(own, P.build_Arg(pick(notes)))
        case 1: return P.build_contains(P.build_Arg(Array(notes.prefix(pick([0, 3, 9])))), own)
        case 2: return equal(notebook, P.build_Arg(pick(notebooks.map { $0 } + [nil])))
        default: return P.build_Equal(lhs: P.build_KeyPath(root: note, keyPath: \.notebook), rhs: P.build_NilLiteral())
        }
    }

    /// To-ones of to-ones, and to-manys that may be nil.
    mutating func relationship(_ note: P.Variable<Note>) -> Condition {
        let links = P.build_KeyPath(root: note, keyPath: \.links)
        switch random.next() % 5 {
        case 0:
            let owner = P.build_flatMap(P.build_KeyPath(root: note, keyPath: \.notebook)) {
                P.build_KeyPath(root: P.build_Arg($0), keyPath: \.owner)
            }
            let name = P.build_flatMap(owner) { P.build_KeyPath(root: P.build_Arg($0), keyPath: \.name) }
            return equal(name, P.build_Arg(pick(["a", "Home", nil] as [String?])))
        case 1:
            let isEmpty = P.build_flatMap(links) { P.build_KeyPath(root: P.build_Arg($0), keyPath: \.isEmpty) }
            return P.build_Equal(lhs: isEmpty, rhs: P.build_Arg(pick([true, false]) as Bool?))
        case 2:
            let limit = pick([0, 2])
            return P.build_NilCoalesce(
                lhs: P.build_flatMap(links) { links in
                    P.build_contains(P.build_Arg(links)) {
                        P.build_Comparison(
                            lhs: P.build_KeyPath(root: P.build_Arg($0), keyPath: \.rating), rhs: P.build_Arg(limit),
                            op: .greaterThan)
                    }
                }, rhs: P.build_Arg(false))
        case 3:
            let title = P.build_flatMap(P.build_KeyPath(root: note, keyPath: \.parent)) {
                P.build_KeyPath(root: P.build_Arg($0), keyPath: \.title)
            }
            return equal(title, maybeText(note))
        default:
            let parent = P.build_flatMap(P.build_KeyPath(root: note, keyPath: \.parent)) {
                P.build_KeyPath(root: P.build_Arg($0), keyPath: \.notebook)
            }
            return equal(
                P.build_flatMap(parent) { P.build_KeyPath(root: P.build_Arg($0), keyPath: \.shelf) }, maybeNumber(note))
        }
    }

    /// The notes beside one in its notebook.
    mutating func through(_ depth: Int, _ note: P.Variable<Note>) -> Condition {
        let limit = pick([0, 1, 3, 10])
        return P.build_NilCoalesce(
            lhs: P.build_flatMap(P.build_KeyPath(root: note, keyPath: \.notebook)) { notebook in
                P.build_contains(P.build_KeyPath(root: P.build_Arg(notebook), keyPath: \.notes)) {
                    P.build_Comparison(
                        lhs: P.build_KeyPath(root: P.build_Arg($0), keyPath: \.rating), rhs: P.build_Arg(limit),
                        op: .lessThan)
                }
            }, rhs: P.build_Arg(pick([true, false])))
    }

    mutating func range(_ note: P.Variable<Note>) -> Condition {
        let rating = P.build_KeyPath(root: note, keyPath: \.rating)
        switch random.next() % 3 {
        case 0: return P.build_contains(P.build_Arg(pick([0...2, -5...10])), rating)
        case 1: return P.build_contains(P.build_Arg(pick([0..<2, 3..<3])), rating)
        default:
            return P.build_contains(
                P.build_ClosedRange(lower: P.build_Arg(0), upper: P.build_Arg(pick([1, 3]))), rating)
        }
    }

    /// Enumerations and structures.
    mutating func encoded(_ note: P.Variable<Note>) -> Condition {
        let kind = P.build_KeyPath(root: note, keyPath: \.kind)
        switch random.next() % 4 {
        case 0:
            return equal(
                P.build_KeyPath(root: kind, keyPath: \.rawValue), P.build_Arg(pick(["plain", "secret", "no"])))
        case 1: return P.build_contains(P.build_Arg(pick([[], [Kind.plain], [.secret, .shared]])), kind)
        case 2:
            return equal(
                P.build_KeyPath(root: note, keyPath: \.priority), P.build_Arg(pick([.low, .high, nil] as [Priority?])))
        default:
            let zip = P.build_flatMap(P.build_KeyPath(root: note, keyPath: \.place)) {
                P.build_KeyPath(root: P.build_Arg($0), keyPath: \.zip)
            }
            return equal(zip, maybeNumber(note))
        }
    }

    mutating func array(_ note: P.Variable<Note>) -> Condition {
        let scores = P.build_KeyPath(root: note, keyPath: \.scores)
        switch random.next() % 6 {
        case 0: return P.build_contains(scores, P.build_Arg(pick([1, 3])))
        case 1: return compare(P.build_KeyPath(root: scores, keyPath: \.count), P.build_Arg(pick([0, 1, 2])))
        case 2: return P.build_KeyPath(root: scores, keyPath: \.isEmpty)
        case 3: return equal(P.build_max(scores), maybeNumber(note))
        case 4: return equal(P.build_min(scores), maybeNumber(note))
        default: return equal(P.build_KeyPath(root: scores, keyPath: \.first), maybeNumber(note))
        }
    }

    /// Texts by an order that is not of their characters, and empty ones.
    mutating func ordered(_ note: P.Variable<Note>) -> Condition {
        let title = P.build_KeyPath(root: note, keyPath: \.title)
        let other = P.build_Arg(pick(["", "CAFE", "beta 10", "HOME"]))
        switch random.next() % 3 {
        case 0:
            return equal(
                P.build_KeyPath(root: P.build_caseInsensitiveCompare(title, other), keyPath: \.rawValue),
                P.build_Arg(pick([-1, 0, 1])))
        case 1:
            return equal(
                P.build_KeyPath(root: P.build_localizedCompare(title, other), keyPath: \.rawValue),
                P.build_Arg(pick([-1, 0, 1])))
        default: return P.build_KeyPath(root: title, keyPath: \.isEmpty)
        }
    }

    mutating func subclass(_ note: P.Variable<Note>) -> Condition {
        if random.next() % 2 == 0 { return P.TypeCheck<P.Variable<Note>, Memo>(note) }
        let reason = P.build_flatMap(P.ConditionalCast<P.Variable<Note>, Memo>(note)) {
            P.build_KeyPath(root: P.build_Arg($0), keyPath: \.reason)
        }
        return equal(reason, maybeText(note))
    }

    mutating func weighed(_ note: P.Variable<Note>) -> Condition {
        let weight = P.build_KeyPath(root: note, keyPath: \.weight)
        switch random.next() % 3 {
        case 0: return compare(weight, P.build_Arg(pick([0, 0.5, -2])))
        case 1:
            return compare(
                P.build_Arithmetic(lhs: weight, rhs: P.build_Arg(2.0), op: pick([.add, .subtract, .multiply])),
                P.build_Arg(pick([0, 2.5, -4])))
        default: return compare(P.build_Division(lhs: weight, rhs: P.build_Arg(4.0)), P.build_UnaryMinus(weight))
        }
    }

    /// What needs no row, and a predicate within the predicate.
    mutating func constant() -> Condition { P.build_Arg(pick([true, false])) }
}
