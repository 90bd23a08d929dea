import Foundation
import PredicateFormat
import Testing

/// The shapes of predicate that apps ask CloudKit for.
@Suite struct ShapesTests {
    static let identifier = Identifier("a")
    static let day = Date(timeIntervalSinceReferenceDate: 700_000_000)

    @Test("A truth value is no comparison")
    func truthValues() throws {
        #expect(try parse("TRUEPREDICATE") == .always(true))
        #expect(try parse("falsepredicate") == .always(false))
        #expect(NSPredicate(value: true).syntax == .always(true))
        #expect(NSPredicate(value: false).syntax == .always(false))
    }

    @Test(
        "A key and a value compare however the operator is spelled and spaced",
        arguments: [
            ("city == %@", ParsedPredicate.Operator.equalTo), ("city = %@", .equalTo), ("city==%@", .equalTo),
            ("city ==%@", .equalTo), ("city != %@", .notEqualTo), ("city <> %@", .notEqualTo),
            ("city > %@", .greaterThan),
            ("city >= %@", .greaterThanOrEqualTo), ("city => %@", .greaterThanOrEqualTo), ("city < %@", .lessThan),
            ("city <= %@", .lessThanOrEqualTo), ("city =< %@", .lessThanOrEqualTo), ("city CONTAINS %@", .contains),
            ("city contains %@", .contains), ("city BEGINSWITH %@", .beginsWith), ("city ENDSWITH %@", .endsWith),
            ("city LIKE %@", .like), ("city MATCHES %@", .matches), ("city IN %@", .in), ("city in %@", .in),
            ("city TOKENMATCHES %@", .tokenMatches), ("city UTI-CONFORMS-TO %@", .conformsToType),
            ("city uti-equals %@", .equalsType),
        ])
    func operators(format: String, operator: ParsedPredicate.Operator) throws {
        #expect(try parse(format, "Ulm") == .compare(.key("city"), `operator`, .string("Ulm")))
    }

    @Test("Arguments of any type become constants")
    func argumentTypes() throws {
        let list: [Any] = [Self.identifier, Identifier("b")]
        let cases: [(argument: Any?, value: PredicateValue)] = [
            ("x", .string("x")), (NSString("x"), .string("x")), (3, .integer(3)), (Int8(3), .integer(3)),
            (NSNumber(value: 3), .integer(3)), (2.5, .double(2.5)), (Float(2.5), .double(2.5)), (true, .bool(true)),
            (NSNumber(value: true), .bool(true)), (Self.day, .date(Self.day)), (Self.day as NSDate, .date(Self.day)),
            (Data([1]), .data(Data([1]))), (UInt64.max, .decimal(Decimal(UInt64.max))),
            (Self.identifier, .object(OpaqueValue(Self.identifier))), (nil, .null), (NSNull(), .null),
            (["a", "b"], .list([.string("a"), .string("b")])), (NSArray(array: [1]), .list([.integer(1)])),
            (Set([1]), .list([.integer(1)])), ([] as [String], .list([])),
            (list, .list([.object(OpaqueValue(list[0])), .object(OpaqueValue(list[1]))])),
            (Milestone(metres: 1), .object(OpaqueValue(Milestone(metres: 1)))),
            (Optional(Optional("x")) as Any, .string("x")),
        ]
        for (argument, value) in cases {
            #expect(try parse("field == %@", argument) == .compare(.key("field"), .equalTo, .constant(value)))
        }
    }

    @Test("Literals are typed by how they are written")
    func literals() throws {
        let cases: [(text: String, value: PredicateValue)] = [
            ("\"1\"", .string("1")), ("'1'", .string("1")), ("1", .integer(1)), ("true", .bool(true)),
            ("YES", .bool(true)),
            ("no", .bool(false)), ("nil", .null), ("NULL", .null), ("0x1F", .integer(31)), ("0o17", .integer(15)),
            ("0b101", .integer(5)), ("1.5", .double(1.5)), (".5", .double(0.5)), ("1e3", .double(1000)),
            ("2.5E-1", .double(0.25)), ("-4", .integer(-4)), ("-9223372036854775808", .integer(.min)),
            ("18446744073709551616", .decimal(Decimal(string: "18446744073709551616")!)), ("''", .string("")),
            (#"'it\'s'"#, .string("it's")), (#""a\"b\\c\n""#, .string("a\"b\\c\n")), ("'%@'", .string("%@")),
            ("'100%%'", .string("100%%")), ("{'A', 'B'}", .list([.string("A"), .string("B")])), ("{}", .list([])),
            ("{1, {2}}", .list([.integer(1), .list([.integer(2)])])), ("CAST(700000000, 'NSDate')", .date(Self.day)),
        ]
        for (text, value) in cases {
            #expect(try parse("field == \(text)") == .compare(.key("field"), .equalTo, .constant(value)), "\(text)")
        }
    }

    @Test("Keys and values of several placeholders come in their order")
    func severalPlaceholders() throws {
        let both = ParsedPredicate.and([
            .compare(.key("city"), .equalTo, .string("Ulm")), .compare(.key("zip"), .equalTo, .integer(89073)),
        ])
        #expect(try parse("%K = %@ AND %K = %@", "city", "Ulm", "zip", 89073) == both)
        #expect(try parse("city = %@ && zip == %d", "Ulm", 89073) == both)
        #expect(try parse("%K == %@ and zip = %ld", "city", "Ulm", 89073) == both)
        #expect(
            try ParsedPredicate.parse(format: "%K = %@ AND %K = %lu", arguments: ["city", "Ulm", "zip", UInt(89073)])
                == both)
        #expect(
            try parse("city == %@ OR city == %@", "Ulm", "Bonn")
                == .or([
                    .compare(.key("city"), .equalTo, .string("Ulm")), .compare(.key("city"), .equalTo, .string("Bonn")),
                ]))
    }

    @Test("NOT takes the comparison or the parentheses behind it, and no more")
    func negations() throws {
        let isIn = ParsedPredicate.compare(.key("recordID"), .in, .constant(PredicateValue([Self.identifier])))
        let flag = ParsedPredicate.compare(.key("flag"), .equalTo, .integer(1))
        #expect(try parse("NOT (recordID IN %@) AND flag == 1", [Self.identifier]) == .and([.not(isIn), flag]))
        #expect(try parse("NOT recordID IN %@ AND flag == 1", [Self.identifier]) == .and([.not(isIn), flag]))
        #expect(try parse("NOT (%K IN %@)", "recordID", [Self.identifier]) == .not(isIn))
        #expect(try parse("!(recordID IN %@)", [Self.identifier]) == .not(isIn))
        #expect(try parse("NOT NOT flag == 1") == .not(.not(flag)))
    }

    @Test("The list may stand on either side, with or without a modifier")
    func collections() throws {
        let value = ParsedExpression.constant(PredicateValue(Self.identifier))
        let list = ParsedExpression.constant(PredicateValue([Self.identifier]))
        #expect(try parse("%@ IN tags", Self.identifier) == .compare(value, .in, .key("tags")))
        #expect(try parse("%K CONTAINS %@", "tags", Self.identifier) == .compare(.key("tags"), .contains, value))
        #expect(
            try parse("ANY %@ = recordID", [Self.identifier])
                == .compare(list, .equalTo, .key("recordID"), modifier: .any))
        #expect(try parse("SOME tags = 1") == .compare(.key("tags"), .equalTo, .integer(1), modifier: .any))
        #expect(try parse("ALL tags = 1") == .compare(.key("tags"), .equalTo, .integer(1), modifier: .all))
        #expect(try parse("NONE tags = 1") == .not(.compare(.key("tags"), .equalTo, .integer(1), modifier: .any)))
    }

    @Test("Full-text search: self, tokens and options")
    func fullText() throws {
        #expect(try parse("self CONTAINS %@", "word") == .compare(.evaluatedObject, .contains, .string("word")))
        #expect(
            try parse("allTokens TOKENMATCHES[cdl] %@", "word")
                == .compare(
                    .key("allTokens"), .tokenMatches, .string("word"),
                    options: [.caseInsensitive, .diacriticInsensitive, .localeSensitive]))
        #expect(
            try parse("ALL tokenize(%@, 'Cdl') IN allTokens", "word")
                == .compare(
                    .function(.tokenize, [.string("word"), .string("Cdl")]), .in, .key("allTokens"), modifier: .all))
        #expect(
            try parse("title CONTAINS[CD] %@", "word")
                == .compare(
                    .key("title"), .contains, .string("word"), options: [.caseInsensitive, .diacriticInsensitive]))
    }

    @Test("Distance to a place, with the key and the place handed over or not")
    func distances() throws {
        let place = Milestone(metres: 5)
        let distance = ParsedExpression.function(.distance, [.key("spot"), .constant(PredicateValue(place))])
        let near = ParsedPredicate.compare(distance, .lessThan, .constant(.double(100)))
        #expect(try parse("distanceToLocation:fromLocation:(%K,%@) < %f", "spot", place, 100.0) == near)
        #expect(try parse("distanceToLocation:fromLocation:(spot, %@) < %f", place, 100) == near)
        #expect(
            try ParsedPredicate.parse(
                format: "distanceToLocation:fromLocation:(%K, %@) < %@",
                arguments: ["spot", place, NSNumber(value: 100.0)])
                == near)
        #expect(
            try parse("distanceToLocation:fromLocation: (spot, %@) < 100 and recordID != %@", place, Self.identifier)
                == .and([
                    .compare(distance, .lessThan, .integer(100)),
                    .compare(.key("recordID"), .notEqualTo, .constant(PredicateValue(Self.identifier))),
                ]))
    }

    @Test("BETWEEN takes two bounds in braces or one array")
    func between() throws {
        let bounds = ParsedExpression.constant(.list([.date(.distantPast), .date(Self.day)]))
        let expected = ParsedPredicate.compare(.key("day"), .between, bounds)
        #expect(try parse("%K BETWEEN {%@, %@}", "day", Date.distantPast, Self.day) == expected)
        #expect(try parse("day between %@", [Date.distantPast, Self.day]) == expected)
        #expect(
            try parse("day BETWEEN {%@, other}", Self.day)
                == .compare(.key("day"), .between, .aggregate([.constant(.date(Self.day)), .key("other")])))
    }

    @Test("Key paths, key against key, and keys of system fields")
    func keyPaths() throws {
        #expect(
            try parse("note.folder.recordID = %@", Self.identifier)
                == .compare(
                    .keyPath(ParsedKeyPath(keys: ["note", "folder", "recordID"])), .equalTo,
                    .constant(PredicateValue(Self.identifier))))
        #expect(try parse("%K == 1", "note.folder") == .compare(.key("note.folder"), .equalTo, .integer(1)))
        #expect(try parse("%K.%K == 1", "note", "folder") == .compare(.key("note.folder"), .equalTo, .integer(1)))
        #expect(try parse("SELF.note == 1") == .compare(.key("note"), .equalTo, .integer(1)))
        #expect(try parse("title == body") == .compare(.key("title"), .equalTo, .key("body")))
        #expect(try parse("___modTime > 1") == .compare(.key("___modTime"), .greaterThan, .integer(1)))
        #expect(ParsedKeyPath("title").singleKey == "title")
        #expect(ParsedKeyPath("note.title").singleKey == nil)
        #expect(ParsedKeyPath("@count").singleKey == nil)
    }

    @Test("A reserved word is a key after a number sign, after a dot, and through %K")
    func reservedWords() throws {
        let expected = ParsedPredicate.compare(.key("in"), .equalTo, .integer(1))
        #expect(try parse("#in == 1") == expected)
        #expect(try parse("%K == 1", "in") == expected)
        #expect(try parse("note.like == 1") == .compare(.key("note.like"), .equalTo, .integer(1)))
        #expect(
            try parse("size == 1 AND first == 2 AND function == 3").predicateFormat
                == "#size == 1 AND #first == 2 AND #function == 3")
    }

    @Test("Subqueries and collection operators")
    func subqueries() throws {
        let subquery = ParsedExpression.subquery(
            collection: .key("notes"), variable: "note",
            predicate: .compare(.keyPathOf(.variable("note"), ParsedKeyPath("status")), .equalTo, .integer(1)))
        #expect(
            try parse("SUBQUERY(notes, $note, $note.status == 1).@count > 0")
                == .compare(.keyPathOf(subquery, ParsedKeyPath("@count")), .greaterThan, .integer(0)))
        #expect(try parse("@count > 3") == .compare(.key("@count"), .greaterThan, .integer(3)))
        #expect(try parse("notes.@avg.price > 3") == .compare(.key("notes.@avg.price"), .greaterThan, .integer(3)))
    }

    @Test("Arithmetic and subscripts")
    func arithmetic() throws {
        #expect(
            try parse("(flags & %d) != 0", 4)
                == .compare(.binary(.bitwiseAnd, .key("flags"), .integer(4)), .notEqualTo, .integer(0)))
        #expect(
            try expression("1 + a * 2 ** 3 ** b - c")
                == .binary(
                    .subtract,
                    .binary(
                        .add, .integer(1),
                        .binary(
                            .multiply, .key("a"),
                            .binary(.power, .integer(2), .binary(.power, .integer(3), .key("b"))))),
                    .key("c")))
        #expect(try expression("(1 + a) * 2") == .binary(.multiply, .binary(.add, .integer(1), .key("a")), .integer(2)))
        #expect(try expression("-a ** 2") == .binary(.power, .unary(.minus, .key("a")), .integer(2)))
        #expect(try expression("add:to:(a, 1)") == .binary(.add, .key("a"), .integer(1)))
        #expect(try expression("tags[FIRST]") == .element(of: .key("tags"), at: .first))
        #expect(
            try expression("tags[0].name")
                == .keyPathOf(.element(of: .key("tags"), at: .at(.integer(0))), ParsedKeyPath("name")))
        #expect(
            try expression("tags[i + 1]") == .element(of: .key("tags"), at: .at(.binary(.add, .key("i"), .integer(1)))))
        #expect(try expression("a UNION {1}") == .binary(.union, .key("a"), .constant(.list([.integer(1)]))))
    }

    @Test("Functions by any spelling have one name")
    func functions() throws {
        #expect(try expression("now()") == .function(.now, []))
        #expect(try expression("NOW()") == .function(.now, []))
        #expect(try expression("sum:(a, b)") == .function(.sum, [.key("a"), .key("b")]))
        #expect(try expression("sum(a.b)") == .function(.sum, [.key("a.b")]))
        #expect(try expression("lowercase:(name)") == .function(.lowercase, [.key("name")]))
        #expect(try expression("tokenize:using:('a', 'c')") == .function(.tokenize, [.string("a"), .string("c")]))
        #expect(
            try expression("FUNCTION(now(), 'dateByAddingTimeInterval:', -5)")
                == .call(on: .function(.now, []), selector: "dateByAddingTimeInterval:", arguments: [.integer(-5)]))
        #expect(
            try expression("TERNARY(a == 1, 'x', 'y')")
                == .conditional(.compare(.key("a"), .equalTo, .integer(1)), then: .string("x"), else: .string("y")))
        #expect(try expression("CAST(due, 'NSNumber')") == .cast(.key("due"), to: "NSNumber"))
    }

    @Test("AND binds tighter than OR, NOT tighter than both; parentheses stay in the tree")
    func precedence() throws {
        func key(_ name: String) -> ParsedPredicate { .compare(.key(name), .equalTo, .integer(1)) }
        #expect(
            try parse("a == 1 OR b == 1 AND NOT c == 1 OR d == 1")
                == .or([key("a"), .and([key("b"), .not(key("c"))]), key("d")]))
        #expect(try parse("(a == 1 OR b == 1) AND c == 1") == .and([.or([key("a"), key("b")]), key("c")]))
        #expect(try parse("a == 1 AND (b == 1 AND c == 1)") == .and([key("a"), .and([key("b"), key("c")])]))
        #expect(try parse("((((a == 1))))") == key("a"))
        #expect(
            try parse("((((a)) + ((1)))) == ((2))")
                == .compare(.binary(.add, .key("a"), .integer(1)), .equalTo, .integer(2)))
    }
}
