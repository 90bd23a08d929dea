import Foundation
import PredicateFormat
import Testing

@Suite struct FuzzTests {
    static let formats = [
        "title == 'x' AND (count > 3 OR NOT ANY tags CONTAINS[cd] \"y\")", "%K == %@ AND %K BETWEEN {%d, %f}",
        "SUBQUERY(notes, $n, $n.status == 1 AND $n.@count > 0).@count > 0",
        "distanceToLocation:fromLocation:(%K, %@) < 5e3",
        "CAST(700000000.5, 'NSDate') <= due && !(a[FIRST].b[2 + c] != -0x1F ** ~2)",
        "#in IN {'a', {1, nil}, SELF, $x} || TRUEPREDICATE",
        "FUNCTION(a.b, 'length') << 3 == TERNARY(a == 1, b, {c}) UNION d", "self MATCHES '\\\\w+' AND name LIKE 'a*?'",
        "NONE a.@distinctUnionOfObjects.b UTI-CONFORMS-TO 'x' or sum:(a) + avg / 2 = (b - c) * d",
    ]
    static let fragments = [
        "(", ")", "{", "}", "[", "]", "'", "\"", "\\", ".", ",", "@", "#", "$", "%", "%@", "%K", "%d", "%", " AND ",
        " OR ", "NOT ",
        "ANY ", "==", "<", "-", "**", "!", "&", ":", "SUBQUERY(", "CAST(", "FUNCTION(", "SELF", "nil", "0x", "1e",
        "99999999999999999999",
        "[cd]", "BETWEEN", "IN", "é", "\u{0}", "\u{301}", "🙂", "\r\n", "“", "UTI-", "%ld", "@count", "a:b:(",
    ]
    static var arguments: [Any?] { ["key", 1, 2.5, nil, ["a"], Identifier("x"), Date.distantPast, "odd key", Data()] }

    /// What parses is also printed, parsed again and evaluated: nothing may trap, and the second tree is the first.
    @Test("No text makes the parser, the printer or the evaluator trap", arguments: 0..<16)
    func mutations(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for round in 0..<150 {
            var format = Array((Self.formats.randomElement(using: &random) ?? "").unicodeScalars)
            for _ in 0..<Int.random(in: 0...4, using: &random) { mutate(&format, &random) }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: format)
            let text = String(view)
            // As many arguments as the text asks for, so that the rest of it is reached.
            for count in 0...6 {
                let arguments = Array(Self.arguments.shuffled(using: &random).prefix(count))
                guard let predicate = try? ParsedPredicate.parse(format: text, arguments: arguments) else { continue }
                let (printed, printedArguments) = predicate.formatAndArguments
                let again = try ParsedPredicate.parse(format: printed, arguments: printedArguments)
                #expect(again == predicate, "seed \(seed), round \(round): \(text)")
                _ = predicate.predicateFormat
                _ = try? predicate.evaluate(with: EvaluationTests.note())
            }
        }
    }

    private func mutate(_ format: inout [Unicode.Scalar], _ random: inout SeededGenerator) {
        let position = Int.random(in: 0...format.count, using: &random)
        let end = min(format.count, position + Int.random(in: 0...5, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: format.removeSubrange(position..<end)
        case 1:
            format.insert(contentsOf: (Self.fragments.randomElement(using: &random) ?? "").unicodeScalars, at: position)
        case 2: format.insert(contentsOf: Array(format[position..<end]), at: 0)
        default: if position < end { format[position] = Unicode.Scalar(UInt8.random(in: 0..<128, using: &random)) }
        }
    }
}
