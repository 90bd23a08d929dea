import Foundation
import PredicateFormat
import Testing

@Suite struct ParseErrorTests {
    struct Failure: Sendable {
        var format: String
        var arguments: [any Sendable] = []
        var kind: PredicateFormatError.Kind = .malformedText
        var position: Int
        var mentions: String
    }

    static let failures: [Failure] = [
        Failure(format: "", position: 0, mentions: "empty"),
        Failure(format: "isPinned", position: 8, mentions: "Write a comparison such as == YES"),
        Failure(format: "NOT isPinned", position: 12, mentions: "expected a comparison operator"),
        Failure(format: "title ==", position: 8, mentions: "the end of the format"),
        Failure(format: "title == AND", position: 9, mentions: "reserved word"),
        Failure(format: "title = 'room", position: 8, mentions: "closing"),
        Failure(format: "title == “room”", position: 9, mentions: "straight quotes"),
        Failure(format: "(title == 1", position: 11, mentions: "expected \")\""),
        Failure(format: "title == 1)", position: 10, mentions: "unexpected \")\""),
        Failure(format: "title == a b", position: 11, mentions: "AND or OR"),
        Failure(format: "1 < a < 3", position: 6, mentions: "do not chain"),
        Failure(format: "a NOT IN {1}", position: 2, mentions: "Write NOT (a IN b)"),
        Failure(format: "a IS NULL", position: 2, mentions: "== nil"),
        Failure(format: "a IN (1, 2)", position: 7, mentions: "braces"),
        Failure(format: "day BETWEEN %@ AND %@", arguments: [1, 2], position: 4, mentions: "{low, high}"),
        Failure(format: "day BETWEEN {1, 2, 3}", position: 4, mentions: "{low, high}"),
        Failure(format: "a CONTAINS[x] 'b'", position: 11, mentions: "no option"),
        Failure(format: "ANY (a == 1)", position: 12, mentions: "without parentheses"),
        Failure(format: "a + (b == 1) == 2", position: 13, mentions: "found a predicate"),
        Failure(format: "a == 12b", position: 5, mentions: "runs into"),
        Failure(format: "a == 0x", position: 5, mentions: "base 16"),
        Failure(format: "a == %", position: 5, mentions: "no placeholder"),
        Failure(format: "a == %.2f", arguments: [1.5], position: 5, mentions: "without width or precision"),
        Failure(format: "a == %%", position: 5, mentions: "within quotes"),
        Failure(format: "$ == 1", position: 0, mentions: "variable"),
        Failure(format: "a. == 1", position: 3, mentions: "expected a key"),
        Failure(format: "a[0 == 1", position: 4, mentions: "\"]\""),
        Failure(format: "SUBQUERY(a, b, c == 1).@count > 0", position: 12, mentions: "$note"),
        Failure(format: "CAST(a, b) == 1", position: 0, mentions: "NSDate"),
        Failure(format: "sqrt(1, 2) == 1", position: 0, mentions: "2 arguments, not 1"),
        Failure(format: "foo:bar:(1, 2) == 1", kind: .unknownFunction, position: 0, mentions: "distanceToLocation"),
        Failure(format: "a == %@", kind: .missingArgument, position: 5, mentions: "argument 1"),
        Failure(format: "%K == %@", arguments: ["a"], kind: .missingArgument, position: 6, mentions: "argument 2"),
        Failure(format: "a == '%@'", arguments: ["x"], kind: .unusedArgument, position: 9, mentions: "within quotes"),
        Failure(
            format: "%K == 1", arguments: [5], kind: .argumentTypeMismatch, position: 0, mentions: "Int, not a key path"
        ),
        Failure(
            format: "a == %d", arguments: ["x"], kind: .argumentTypeMismatch, position: 5,
            mentions: "String, not an integer"),
        Failure(format: "a == %d", arguments: [1.5], kind: .argumentTypeMismatch, position: 5, mentions: "%f"),
        Failure(format: "a == %f", arguments: ["x"], kind: .argumentTypeMismatch, position: 5, mentions: "a number"),
        Failure(format: "é == ?", position: 5, mentions: "optional chaining"),
    ]

    @Test("What is no predicate is refused with place, reason and advice", arguments: failures)
    func refused(failure: Failure) throws {
        let error = try #require(throws: PredicateFormatError.self) {
            try ParsedPredicate.parse(format: failure.format, arguments: failure.arguments)
        }
        #expect(error.kind == failure.kind)
        #expect(error.position == failure.position, "\(error)")
        #expect(error.description.contains(failure.mentions), "\(error)")
    }

    static let bottomless: [String] = {
        func deep(_ opening: String, _ middle: String, _ closing: String) -> String {
            String(repeating: opening, count: 50_000) + middle + String(repeating: closing, count: 50_000)
        }
        return [
            deep("(", "a == 1", ")"), deep("NOT ", "a == 1", ""), "a == " + deep("{", "1", "}"),
            "a == " + deep("- ", "b", ""),
            "a == " + deep("abs(", "1", ")"), "a == " + deep("1 + ", "1", ""), "a == " + deep("2 ** ", "1", ""),
            "a" + deep("[b", "", "]") + " == 1", "a" + deep("[0]", "", "") + " == 1",
            deep("a == 1 AND (b == 1 OR (", "c == 1", "))"), deep("SUBQUERY(a, $x, ", "b == 1", ").@count == 1"),
            deep("TERNARY(a == 1, ", "b", ", c)") + " == 1", deep("(", "", ""), deep("!", "", ""),
        ]
    }()

    @Test("Nesting without end is refused, on a small stack too", arguments: bottomless.indices)
    func nesting(index: Int) throws {
        let outcome = onSmallStack { () -> PredicateFormatError.Kind? in
            do throws(PredicateFormatError) {
                _ = try ParsedPredicate.parse(format: Self.bottomless[index])
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(outcome == .nestedTooDeeply)
    }

    @Test("What is within the limit is parsed, printed and evaluated on a small stack")
    func withinTheLimit() throws {
        let depth = PredicateLimits.nesting - 3
        let formats = [
            String(repeating: "(", count: depth) + "a == 1" + String(repeating: ")", count: depth),
            String(repeating: "NOT ", count: depth) + "a == 1",
            "a == " + String(repeating: "(1 + ", count: depth) + "1" + String(repeating: ")", count: depth),
            "a == " + String(repeating: "abs(", count: depth) + "1" + String(repeating: ")", count: depth),
            Array(repeating: "a == 1", count: 10_000).joined(separator: " OR "),
            "a IN {" + Array(repeating: "1", count: 10_000).joined(separator: ", ") + "}",
        ]
        for format in formats {
            let same = onSmallStack { () -> Bool in
                guard let predicate = try? ParsedPredicate.parse(format: format) else { return false }
                let printed = predicate.formatAndArguments.format
                _ = try? predicate.evaluate(with: ["a": 1])
                return (try? ParsedPredicate.parse(format: printed)) == predicate
            }
            #expect(same, "\(format.prefix(40))")
        }
    }

    /// Runs `body` on a thread with 1 MB of stack, an eighth of what threads have on Linux.
    private func onSmallStack<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
        let result = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            result.value = body()
            done.signal()
        }
        thread.stackSize = 1 << 20
        thread.start()
        done.wait()
        return result.value!
    }

    /// `@unchecked Sendable`: written before the semaphore is signalled, read after it was waited for.
    private final class Box<Value>: @unchecked Sendable {
        var value: Value?
    }
}
