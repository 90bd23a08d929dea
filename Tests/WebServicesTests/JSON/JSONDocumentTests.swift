import Testing
import WebServices

@Suite("JSON that is read")
struct JSONDocumentTests {
    @Test("Every kind of value is told apart and read")
    func kinds() throws {
        let text =
            #" {"n":null,"t":true,"f":false,"i":-7,"u":18446744073709551615,"d":2.5,"s":"hé","a":[1,[],{}],"o":{}} "#
        let root = try JSONDocument(parsing: text).root
        #expect(root.kind == .object)
        #expect(root["n"]?.isNull == true)
        #expect(root["t"]?.bool == true)
        #expect(root["f"]?.bool == false)
        #expect(root["i"]?.int64 == -7)
        #expect(root["u"]?.kind == .unsigned)
        #expect(root["d"]?.double == 2.5)
        #expect(root["s"]?.string == "hé")
        #expect(root["a"]?.array?.map(\.kind) == [.integer, .array, .object])
        #expect(root["o"]?.object?.isEmpty == true)
        #expect(root["absent"] == nil)
        #expect(root.object?.map(\.key) == ["n", "t", "f", "i", "u", "d", "s", "a", "o"])
        #expect(root.object?.count == 9)
    }

    @Test("A value of another kind answers nil")
    func otherKind() throws {
        let root = try JSONDocument(parsing: #"[1,"1",true,null,[1],{"a":1},1.5]"#).root
        for value in try #require(root.array) {
            #expect((value.string != nil) == (value.kind == .string))
            #expect((value.bool != nil) == (value.kind == .bool))
            #expect((value.array != nil) == (value.kind == .array))
            #expect((value.object != nil) == (value.kind == .object))
            #expect((value.double != nil) == (value.kind == .integer || value.kind == .double))
            #expect((value.int64 != nil) == (value.kind == .integer))
            #expect((value["a"] != nil) == (value.kind == .object))
            #expect((value.withUTF8 { $0.count } != nil) == (value.kind == .string))
        }
    }

    @Test("A scalar is a document", arguments: ["1", "\"a\"", "true", "null", " [ ] "])
    func scalars(text: String) throws {
        _ = try JSONDocument(parsing: text)
    }

    @Test("The last of equal keys wins, and the members still show all of them")
    func duplicateKeys() throws {
        let root = try JSONDocument(parsing: #"{"a":1,"b":2,"a":[3]}"#).root
        #expect(root["a"]?.array?.first { _ in true }?.int64 == 3)
        #expect(root.object?.map(\.key) == ["a", "b", "a"])
    }

    @Test("A key is found whatever escapes it was written with")
    func escapedKey() throws {
        let root = try JSONDocument(parsing: #"{"\u0072ecordName":1,"":2}"#).root
        #expect(root["recordName"]?.int64 == 1)
        #expect(root[""]?.int64 == 2)
    }

    @Test(
        "Escapes are resolved",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (#""\u0041\u00e9\u20ac""#, "Aé€"),
            (#""\ud83d\ude00""#, "😀"),
            (#""a\u0000b""#, "a\0b"),
            (#""""#, ""),
        ])
    func escapes(text: String, value: String) throws {
        let root = try JSONDocument(parsing: text).root
        #expect(root.string == value)
        #expect(root.isString(value))
        #expect(root.withUTF8 { Array($0) } == Array(value.utf8))
    }

    @Test(
        "Whole numbers are read as such, however they are written",
        arguments: [
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min), ("5.0", 5), ("1e3", 1000),
            ("-0", 0),
            ("-0.0", 0),
        ] as [(String, Int64)])
    func wholeNumbers(text: String, value: Int64) throws {
        #expect(try JSONDocument(parsing: text).root.int64 == value)
    }

    @Test("What is no Int64 is none", arguments: ["9223372036854775808", "1.5", "1e19", "-1e19", "1e300"])
    func notWhole(text: String) throws {
        let root = try JSONDocument(parsing: text).root
        #expect(root.int64 == nil)
        #expect(root.double == Double(text))
    }

    @Test(
        "Integers beyond 64 bits are doubles",
        arguments: [
            "100000000000000000000", "-9223372036854775809", "18446744073709551616", "123456789012345678901234567890",
        ])
    func longIntegers(text: String) throws {
        let document = try JSONDocument(parsing: #"{"\"12345678901234567890123":[\#(text),1,"\#(text)",\#(text)]}"#)
        let values = try #require(document.root["\"12345678901234567890123"]?.array.map(Array.init))
        #expect(values.map(\.kind) == [.double, .integer, .string, .double])
        #expect(values[0].double == Double(text))
        #expect(values[2].string == text)
        #expect(values[3].double == Double(text))
    }

    @Test("Numbers beyond Int64 stay readable as UInt64")
    func unsigned() throws {
        #expect(try JSONDocument(parsing: "18446744073709551615").root.uint64 == UInt64.max)
        #expect(try JSONDocument(parsing: "7").root.uint64 == 7)
        #expect(try JSONDocument(parsing: "-7").root.uint64 == nil)
    }

    @Test(
        "What is no JSON is refused with the reason",
        arguments: [
            ("", .empty), (" \n", .empty), ("[1", .invalidStructure), ("[1,]", .invalidStructure),
            (#"{"a":1,}"#, .invalidStructure), (#"{"a" 1}"#, .invalidStructure), ("[1] x", .invalidStructure),
            ("{1:2}", .invalidStructure), ("\u{FEFF}{}", .invalidStructure), (#""\ud800""#, .invalidString),
            (#""\udc00""#, .invalidString), (#""\ud800\u0041""#, .invalidString), (#""\x""#, .invalidString),
            ("\"a\nb\"", .invalidString), ("\"a", .invalidString), ("[tru]", .invalidLiteral),
            ("[nul]", .invalidLiteral),
            ("[01]", .invalidNumber), ("[1.]", .invalidNumber), ("[1e400]", .invalidNumber), ("[-]", .invalidNumber),
            ("[+1]", .invalidStructure), ("NaN", .invalidStructure),
        ] as [(String, JSONError)])
    func malformed(text: String, error: JSONError) {
        #expect(throws: error) { try JSONDocument(parsing: text) }
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [
            [0x22, 0xC0, 0x80, 0x22], [0x22, 0xFF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(throws: JSONError.invalidUTF8) { try JSONDocument(parsing: bytes) }
    }

    @Test("Nesting is allowed up to the limit and refused beyond it", arguments: [1, 4, 64, 1024])
    func depth(limit: Int) throws {
        func nested(_ depth: Int) -> String {
            String(repeating: #"{"a":["#, count: depth / 2) + (depth % 2 == 1 ? "[1]" : "1")
                + String(repeating: "]}", count: depth / 2)
        }
        _ = try JSONDocument(parsing: nested(limit), maximumDepth: limit)
        #expect(throws: JSONError.tooDeep(limit: limit)) {
            try JSONDocument(parsing: nested(limit + 1), maximumDepth: limit)
        }
    }

    @Test("A text that is nothing but opening brackets is refused")
    func brackets() {
        #expect(throws: JSONError.self) { try JSONDocument(parsing: [UInt8](repeating: 0x5B, count: 1 << 20)) }
    }

    @Test("A value outlives every mention of its document and other parses")
    func lifetime() throws {
        let value = try #require(try JSONDocument(parsing: #"{"a":"kept"}"#).root["a"])
        for number in 0..<50 { _ = try JSONDocument(parsing: "[\(number)]") }
        #expect(value.string == "kept")
    }

    @Test("Many documents are parsed and read at the same time")
    func concurrency() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<32 {
                group.addTask {
                    let documents = try (0..<20).map { try JSONDocument(parsing: "[\(task),\($0)]") }
                    return documents.reduce(0) { $0 + ($1.root.array?.reduce(0) { $0 + ($1.int ?? 0) } ?? 0) }
                }
            }
            var sum = 0
            for try await part in group { sum += part }
            #expect(sum == 32 * 190 + 20 * 31 * 16)
        }
    }
}
