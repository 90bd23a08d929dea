import Foundation
import PredicateFormat
import Testing

/// A predicate and whether it holds for the object of its test.
struct Case: Sendable, CustomTestStringConvertible {
    var format: String
    var holds: Bool

    init(_ format: String, _ holds: Bool) {
        self.format = format
        self.holds = holds
    }

    var testDescription: String { "\(format) is \(holds)" }
}

@Suite struct EvaluationTests {
    static let day = Date(timeIntervalSinceReferenceDate: 700_000_000)
    static let uuid = UUID(uuidString: "00000000-0000-0000-0000-00000000000A")!

    /// A note as a dictionary, with all kinds of values.
    static func note() -> [String: Any] {
        [
            "title": "Crème brûlée", "path": "a*b", "count": 3, "price": 2.5, "ratio": Float(0.5), "isPinned": true,
            "number": NSNumber(value: 7), "amount": Decimal(string: "1.10")!, "due": day,
            "due2": day.addingTimeInterval(60) as NSDate,
            "data": Data([1, 2]), "id": uuid, "missing": NSNull(), "optional": Optional<String>.none as Any,
            "tags": ["red", "Blue"], "numbers": [1, 2, 3, 3], "set": Set(["x"]), "empty": [String](),
            "folder": ["name": "Recipes", "size": 2] as [String: Any],
            "parts": [
                ["name": "Sugar", "grams": 50, "sizes": [1, 2]], ["name": "Cream", "grams": 200, "sizes": [3]],
                ["name": "Eggs", "grams": NSNull(), "sizes": [Int]()],
            ] as [[String: Any]],
            "shelf": Shelf(["row": 4, "self": "no"]), "spot": Milestone(metres: 100),
        ]
    }

    static let comparisons = [
        // Text
        Case("title == 'Crème brûlée'", true), Case("title == 'crème brûlée'", false),
        Case("title ==[c] 'CRÈME BRÛLÉE'", true), Case("title ==[cd] 'creme brulee'", true),
        Case("title ==[n] 'crème brûlée'", false), Case("title != 'x'", true),
        Case("title !=[cd] 'creme brulee'", false),
        Case("title < 'D'", true), Case("title <[c] 'd'", true), Case("title >= 'Crème brûlée'", true),
        Case("title CONTAINS 'brû'", true), Case("title CONTAINS 'bru'", false), Case("title CONTAINS[cd] 'BRU'", true),
        Case("title CONTAINS ''", true), Case("title BEGINSWITH 'Cr'", true), Case("title BEGINSWITH[c] 'cR'", true),
        Case("title BEGINSWITH 'rè'", false), Case("title ENDSWITH 'lée'", true), Case("title ENDSWITH[d] 'lee'", true),
        Case("'brû' IN title", true), Case("'x' IN title", false), Case("title.length == 12", true),
        Case("lowercase(title) == 'crème brûlée'", true),
        // Numbers of all types
        Case("count == 3", true), Case("count == 3.0", true), Case("count = 3.5", false), Case("count > 2.9", true),
        Case("price > 2", true), Case("price == 2.5", true), Case("ratio == 0.5", true), Case("isPinned == YES", true),
        Case("isPinned == 1", true), Case("isPinned == FALSE", false), Case("isPinned != 0", true),
        Case("number <= 7", true),
        Case("amount == 1.1", true), Case("amount < 2", true), Case("count BETWEEN {1, 3}", true),
        Case("count BETWEEN {4, 5}", false), Case("count BETWEEN {3, 1}", false),
        Case("9007199254740993 == 9007199254740992.0", false),
        Case("9223372036854775807 < 9223372036854775808", true),
        // Dates, data, identifiers
        Case("due == CAST(700000000, 'NSDate')", true), Case("due < due2", true), Case("due2 >= due", true),
        Case("due BETWEEN {CAST(0, 'NSDate'), CAST(700000000, 'NSDate')}", true), Case("due == 700000000", false),
        Case("id == CAST('00000000-0000-0000-0000-00000000000a', 'NSUUID')", true),
        Case("id == '00000000-0000-0000-0000-00000000000A'", false), Case("data == data", true),
        Case("data.length == 2", true),
        // Different kinds are unequal and in no order
        Case("title == 3", false), Case("title != 3", true), Case("title < 3", false), Case("title >= 3", false),
        Case("count LIKE '3'", false), Case("count CONTAINS 3", false),
        // nil
        Case("missing == nil", true), Case("absent == nil", true), Case("optional == nil", true),
        Case("title == nil", false),
        Case("title != nil", true), Case("missing != 'x'", true), Case("missing < 3", false),
        Case("missing >= nil", false),
        Case("missing CONTAINS 'x'", false), Case("missing IN {'x'}", false), Case("nil IN {nil}", true),
        Case("missing.name.more == nil", true), Case("missing == missing", true),
    ]

    static let patterns = [
        Case("title LIKE 'Cr*'", true), Case("title LIKE '*brû*'", true), Case("title LIKE 'Cr?me br*e'", true),
        Case("title LIKE 'Cr'", false), Case("title LIKE[cd] 'creme*'", true), Case("title LIKE '?'", false),
        Case("path LIKE 'a\\\\*b'", true), Case("title LIKE 'C\\\\*'", false), Case("title LIKE '*'", true),
        Case("'' LIKE '*'", true),
        Case("'' LIKE '?'", false), Case("'a?b' LIKE 'a?b'", true), Case("'aXbXc' LIKE '*X*X*'", true),
        Case("title MATCHES 'Cr.*e'", true), Case("title MATCHES 'Cr'", false), Case("title MATCHES[c] 'cr.*'", true),
        Case("title MATCHES[cd] 'creme .*'", true), Case("'ab' MATCHES 'a|ab'", true),
        Case("'a1' MATCHES '\\\\w\\\\d'", true),
        Case("'a\\n' MATCHES 'a'", false), Case("'' MATCHES ''", true), Case("count MATCHES '3'", false),
        Case("title TOKENMATCHES[cd] 'BRULEE'", true), Case("title TOKENMATCHES[cd] 'brulee creme'", true),
        Case("title TOKENMATCHES[cd] 'brul'", false), Case("tags TOKENMATCHES[c] 'blue'", true),
        Case("'Red' IN tokenize:using:('red, blue', 'c')", false), Case("'red' IN tokenize('Red, blue', 'c')", true),
        Case("ALL tokenize('brûlée', 'cd') IN tokenize(title, 'cd')", true),
        Case("'public.text' UTI-EQUALS 'Public.Text'", true),
    ]

    static let collections = [
        Case("tags CONTAINS 'red'", true), Case("tags CONTAINS 'blue'", false), Case("tags CONTAINS[c] 'blue'", true),
        Case("'red' IN tags", true), Case("title IN {'x', 'Crème brûlée'}", true), Case("count IN {1, 3.0}", true),
        Case("count IN {}", false), Case("set CONTAINS 'x'", true), Case("tags == {'red', 'Blue'}", true),
        Case("tags == 'red'", false),
        Case("ANY tags == 'red'", true), Case("ANY tags == 'x'", false), Case("SOME numbers > 2", true),
        Case("ALL numbers > 0", true),
        Case("ALL numbers > 1", false), Case("NONE numbers > 3", true), Case("NONE numbers > 2", false),
        Case("ANY empty == 1", false),
        Case("ALL empty == 1", true), Case("ANY missing == 1", false), Case("ANY numbers IN {3, 9}", true),
        Case("ANY tags BEGINSWITH[c] 'b'", true), Case("ANY {1, 2} == count", false), Case("ANY {1, 3} == count", true),
        Case("ANY parts.name == 'Cream'", true), Case("ALL parts.grams > 10", false),
        Case("ANY parts.sizes == 3", true),
        Case("ANY parts.name CONTAINS[c] 'SUG'", true), Case("parts.name CONTAINS 'Eggs'", true),
        Case("parts.@count == 3", true), Case("parts.@sum.grams == 250", true), Case("parts.@avg.grams == 125", true),
        Case("parts.@min.grams == 50", true), Case("parts.@max.name == 'Sugar'", true), Case("empty.@count == 0", true),
        Case("empty.@max.self == nil", true), Case("empty.@sum.self == 0", true), Case("numbers.@sum.self == 9", true),
        Case("numbers.@distinctUnionOfObjects.self == {1, 2, 3}", true),
        Case("parts.@unionOfArrays.sizes == {1, 2, 3}", true),
        Case("tags[0] == 'red'", true), Case("tags[FIRST] == 'red'", true),
        Case("tags[LAST] == 'Blue'", true), Case("tags[SIZE] == 2", true), Case("tags[7] == nil", true),
        Case("tags[-1] == nil", true),
        Case("parts[1].grams == 200", true), Case("folder['name'] == 'Recipes'", true),
        Case("parts[count - 1].name == 'Eggs'", true),
        Case("SUBQUERY(parts, $p, $p.grams > 100).@count == 1", true),
        Case("SUBQUERY(parts, $p, $p.grams > 100 AND $p.name == title).@count == 0", true),
        Case("SUBQUERY(parts, $p, ANY $p.sizes == count).@count == 1", true),
        Case("SUBQUERY(parts, $p, SUBQUERY($p.sizes, $s, $s == SELF.count).@count > 0)[FIRST].name == 'Cream'", true),
        Case("SUBQUERY(missing, $p, TRUEPREDICATE).@count == 0", true), Case("(numbers UNION {9}).@count == 4", true),
        Case("numbers INTERSECT {3, 9} == {3, 3}", true), Case("numbers MINUS {3.0} == {1, 2}", true),
    ]

    static let functions = [
        Case("count + 1 == 4", true), Case("count - 5 = -2", true), Case("2 * count + 1 == 7", true),
        Case("5 / 2 == 2", true),
        Case("5.0 / 2 == 2.5", true), Case("1 / 0 == nil", true), Case("2 ** 10 == 1024", true),
        Case("2 ** 0.5 > 1.41", true),
        Case("2 ** -1 == 0.5", true), Case("-count == -3", true),
        Case("(6 & 3) == 2 AND (6 | 3) == 7 AND (6 ^ 3) == 5", true),
        Case("1 << 4 == 16 AND 16 >> 2 == 4", true), Case("~0 == -1", true), Case("1 << 70 == 0", true),
        Case("9223372036854775807 + 1 == 9223372036854775808", true), Case("amount + 1 == 2.1", true),
        Case("title + 1 == nil", true),
        Case("missing + 1 == nil", true), Case("due2 - due == 60", true), Case("due + 60 == due2", true),
        Case("sum(numbers) == 9", true), Case("sum:({1, 2}) == 3", true), Case("sum(1, 2, 3) == 6", true),
        Case("average(numbers) == 2.25", true), Case("count(numbers) == 4", true), Case("min(numbers) == 1", true),
        Case("max(tags) == 'red'", true), Case("median(numbers) == 2.5", true), Case("mode(numbers) == {3}", true),
        Case("stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2", true), Case("abs(-3) == 3 AND abs(-2.5) == 2.5", true),
        Case("ceiling(2.1) == 3 AND floor(-2.1) == -3 AND trunc(-2.9) == -2", true), Case("sqrt(16) == 4", true),
        Case("exp(0) == 1 AND ln(1) == 0 AND log(100) == 2", true), Case("modulus:by:(7, 3) == 1", true),
        Case("modulus:by:(7, 0) == nil", true), Case("uppercase('é') == 'É'", true), Case("length(title) == 12", true),
        Case("now() == CAST(1000, 'NSDate')", true), Case("random() >= 0 AND randomn(5) < 5", true),
        Case("noindex:(count) == 3", true),
        Case("distanceToLocation:fromLocation:(spot, spot) < 1", true),
        Case("distanceToLocation:fromLocation:(spot, title) < 1", false),
        Case("CAST('12', 'NSNumber') == 12", true), Case("CAST(due, 'NSNumber') == 700000000", true),
        Case("CAST(count, 'NSString') == '3'", true),
        Case("TERNARY(count == 3, 'a', 'b') == 'a'", true), Case("FUNCTION(title, 'length') == 12", true),
        Case("FUNCTION(SELF, 'valueForKeyPath:', 'folder.name') == 'Recipes'", true),
        Case("FUNCTION(due, 'dateByAddingTimeInterval:', 60) == due2", true), Case("shelf.row == 4", true),
        Case("folder.name == 'Recipes'", true),
        Case("TRUEPREDICATE AND NOT FALSEPREDICATE", true), Case("count == 1 OR (count == 3 AND NOT price == 1)", true),
    ]

    @Test(
        "Predicates hold as Apple's do", arguments: comparisons + patterns + collections + functions)
    func holds(test: Case) throws {
        let environment = PredicateEnvironment(
            now: { Date(timeIntervalSinceReferenceDate: 1000) }, randomFraction: { 0.999 })
        let predicate = try parse(test.format)
        #expect(try predicate.evaluate(with: Self.note(), environment: environment) == test.holds)
        let dictionary = NSDictionary(dictionary: Self.note())
        #expect(try predicate.evaluate(with: dictionary, environment: environment) == test.holds)
        #expect(try predicate.evaluate(with: Shelf(Self.note()), environment: environment) == test.holds)
    }

    @Test("SELF is the object itself")
    func evaluatedObject() throws {
        #expect(try parse("SELF == 3").evaluate(with: 3))
        #expect(try parse("SELF CONTAINS 'b'").evaluate(with: "abc"))
        #expect(try parse("SELF BETWEEN {1, 5}").evaluate(with: NSNumber(value: 2)))
        #expect(try parse("SELF == nil").evaluate(with: nil))
        #expect(try parse("@count == 2").evaluate(with: [1, 2]))
        #expect(try parse("SELF == %@", Identifier("a")).evaluate(with: Identifier("a")))
        #expect(try parse("ANY SELF.name == 'x'").evaluate(with: [["name": "x"]]))
    }

    @Test("Opaque values are equal when their type says so, within lists too")
    func opaqueValues() throws {
        let object = ["owner": Identifier("a"), "owners": [Identifier("a"), Identifier("b")]] as [String: Any]
        #expect(try parse("owner == %@", Identifier("a")).evaluate(with: object))
        #expect(try !parse("owner == %@", Identifier("b")).evaluate(with: object))
        #expect(try parse("owners CONTAINS %@", Identifier("b")).evaluate(with: object))
        #expect(try parse("owner IN %@", [Identifier("b"), Identifier("a")]).evaluate(with: object))
        #expect(try parse("spot == %@", Milestone(metres: 1)).evaluate(with: ["spot": Milestone(metres: 1)]))
    }

    @Test("A variable takes the value it is bound to, and a subquery's hides it")
    func variables() throws {
        let predicate = try parse("count == $n AND SUBQUERY(numbers, $n, $n == 1).@count == 1")
        #expect(try predicate.evaluate(with: Self.note(), variables: ["n": 3]))
        let afterwards = try parse("SUBQUERY(numbers, $n, $n == 1).@count == 1 AND count == $n")
        #expect(try afterwards.evaluate(with: Self.note(), variables: ["n": 3]))
        #expect(throws: PredicateEvaluationError.unboundVariable("n")) { try afterwards.evaluate(with: Self.note()) }
        let bound = predicate.substituting(["n": .integer(3)])
        #expect(bound.predicateFormat == "count == 3 AND SUBQUERY(numbers, $n, $n == 1).@count == 1")
        #expect(try bound.evaluate(with: Self.note()))
    }

    @Test("What has no answer is a typed error")
    func errors() throws {
        func error(_ format: String, _ object: Any? = EvaluationTests.note()) -> PredicateEvaluationError? {
            #expect(throws: PredicateEvaluationError.self) { try parse(format).evaluate(with: object) }
        }
        #expect(error("count == $n") == .unboundVariable("n"))
        #expect(error("title MATCHES '('") == .invalidRegularExpression("("))
        #expect(error("title MATCHES 'a)(b'") == .invalidRegularExpression("a)(b"))
        #expect(error("title.nonsense == 1") == .notKeyValueCoding(type: "String", key: "nonsense"))
        #expect(error("title == 1", Milestone(metres: 1)) == .notKeyValueCoding(type: "Milestone", key: "title"))
        #expect(error("tags.@nonsense == 1") == .notKeyValueCoding(type: "A collection", key: "@nonsense"))
        #expect(error("FUNCTION(title, 'launch:', 1) == 1") == .unsupportedSelector("launch:"))
        #expect(error("CAST(title, 'NSImage') == 1") == .unsupportedCast("NSImage"))
        #expect(error("title UTI-CONFORMS-TO 'public.text'") == .unsupportedOperator("UTI-CONFORMS-TO"))
    }

    @Test("A tree that code built without end is refused, not followed")
    func bottomlessTree() throws {
        var predicate = ParsedPredicate.always(true)
        for _ in 0..<1000 { predicate = .not(predicate) }
        #expect(throws: PredicateEvaluationError.nestedTooDeeply) { try predicate.evaluate(with: nil) }
    }

    @Test("Odd numbers go through every operator and function")
    func oddNumbers() throws {
        let numbers: [Any?] = [
            Int64.max, Int64.min, UInt64.max, 0, -1, Double.infinity, -Double.infinity, Double.nan, 1e300, -0.0,
            Double.leastNonzeroMagnitude,
            Decimal.greatestFiniteMagnitude, Decimal.leastNonzeroMagnitude, Decimal.nan, Decimal(Int64.min), true, nil,
            "x",
            Date.distantPast, Date(timeIntervalSinceReferenceDate: .nan), [1], [] as [Int],
        ]
        for left in numbers {
            for right in numbers {
                for `operator` in ParsedExpression.BinaryOperator.allCases {
                    _ = try expression("%@ \(`operator`.rawValue) %@", left, right).evaluate()
                }
                for comparison in ParsedPredicate.Operator.allCases
                where comparison != .conformsToType && comparison != .matches {
                    _ = try ParsedPredicate.compare(
                        .constant(PredicateValue(left)), comparison, .constant(PredicateValue(right))
                    ).evaluate(with: nil)
                }
                _ = try expression("modulus:by:(%@, %@)", left, right).evaluate()
            }
            for function in PredicateFunction.allCases {
                let arguments = [ParsedExpression](repeating: .constant(PredicateValue(left)), count: 2)
                _ = try ParsedExpression.function(function, arguments).evaluate()
                _ = try ParsedExpression.function(function, []).evaluate()
            }
            _ = try expression("-(%@)", left).evaluate()
            _ = try expression("~(%@)", left).evaluate()
            _ = try ParsedExpression.element(of: .constant(.list([.null])), at: .at(.constant(PredicateValue(left))))
                .evaluate()
        }
    }
}
