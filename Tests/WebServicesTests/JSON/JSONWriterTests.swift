import Testing
import WebServices

@Suite("JSON that is written")
struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 0)
        write(&writer)
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    @Test("Commas stand between members and elements and nowhere else")
    func commas() {
        let text = text { writer in
            writer.beginObject()
            writer.key("a")
            writer.beginArray()
            writer.endArray()
            writer.key("b")
            writer.beginArray()
            writer.int(1)
            writer.beginObject()
            writer.endObject()
            writer.null()
            writer.endArray()
            writer.key("c\("\"")")
            writer.beginObject()
            writer.key("d")
            writer.bool(true)
            writer.key("e")
            writer.bool(false)
            writer.endObject()
            writer.endObject()
        }
        #expect(text == #"{"a":[],"b":[1,{},null],"c\"":{"d":true,"e":false}}"#)
    }

    @Test(
        "Exactly quotes, backslashes and control characters are escaped",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("a\"b\\c/d", #""a\"b\\c/d""#),
            ("\u{8}\u{9}\u{a}\u{c}\u{d}", #""\b\t\n\f\r""#), ("\0\u{1}\u{b}\u{1f}", #""\u0000\u0001\u000b\u001f""#),
            ("é€😀\u{7f}\u{80}\u{2028}", "\"é€😀\u{7f}\u{80}\u{2028}\""),
            ("\"\"\"\"\"\"\"\"\"\"", #""\"\"\"\"\"\"\"\"\"\"""#),
        ])
    func escapes(value: String, expected: String) {
        #expect(text { $0.string(value) } == expected)
    }

    @Test("Every byte at every offset in a word is escaped or left alone")
    func offsets() throws {
        for scalar in 0..<0x180 {
            for offset in 0..<17 {
                let character = String(try #require(Unicode.Scalar(scalar)))
                let value =
                    String(repeating: "ü", count: offset / 2) + String(repeating: "x", count: offset % 2) + character
                    + "yz\n"
                let written = text { $0.string(value) }
                #expect(try JSONDocument(parsing: written).root.string == value)
            }
        }
    }

    @Test(
        "Integers are written in full", arguments: [0, 1, -1, 9, 10, 99, 100, -12345, .max, .min] as [Int64])
    func integers(value: Int64) {
        #expect(text { $0.int64(value) } == "\(value)")
    }

    @Test("The largest UInt64 is written in full")
    func unsigned() {
        #expect(text { $0.uint64(.max) } == "18446744073709551615")
    }

    @Test(
        "Doubles take the shortest text that reads back as the same number, and never look like an integer",
        arguments: [
            (0, "0.0"), (-0.0, "-0.0"), (5, "5.0"), (-17, "-17.0"), (0.1, "0.1"), (1e15, "1000000000000000.0"),
            (1e20, "1e+20"),
            (.leastNonzeroMagnitude, "5e-324"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
            (1.0 / 3, "0.3333333333333333"),
            (999_999_999_999_999, "999999999999999.0"),
        ] as [(Double, String)])
    func doubles(value: Double, expected: String) throws {
        let written = text { $0.double(value) }
        #expect(written == expected)
        let root = try JSONDocument(parsing: written).root
        #expect(root.kind == .double)
        #expect(root.double?.bitPattern == value.bitPattern)
    }

    @Test("What JSON has no number for is null", arguments: [Double.infinity, -.infinity, .nan])
    func notFinite(value: Double) {
        #expect(text { $0.double(value) } == "null")
    }

    @Test("Raw JSON and base64 are spliced in as values")
    func splices() {
        let text = text { writer in
            writer.beginArray()
            writer.raw(Array("{\"a\":1}".utf8))
            writer.raw(Array("xx[2]".utf8)[2...])
            writer.base64([0xFB, 0xFF, 0x00, 0x01])
            writer.base64([])
            writer.endArray()
        }
        #expect(text == #"[{"a":1},[2],"+/8AAQ==",""]"#)
    }

    @Test("A parsed value is written minified, and writing that again changes nothing")
    func compact() throws {
        let source =
            #" { "b" : [ 1 , -2.50 , 1E2 , true , false , null , 18446744073709551615 ], "#
            + #""a\u0041" : "\u00e9\n" , "b":{} } "#
        let document = try JSONDocument(parsing: source)
        let once = text { $0.writeCompact(document.root) }
        #expect(once == #"{"b":[1,-2.5,100.0,true,false,null,18446744073709551615],"aA":"é\n","b":{}}"#)
        let again = try JSONDocument(parsing: once)
        #expect(text { $0.writeCompact(again.root) } == once)
    }

    @Test("The buffer grows to whatever is written")
    func growth() throws {
        let long = String(repeating: "a\"é\n", count: 100_000)
        let written = text { writer in
            writer.beginArray()
            for _ in 0..<3 { writer.string(long) }
            writer.endArray()
        }
        #expect(try JSONDocument(parsing: written).root.array?.map(\.string) == [long, long, long])
    }
}
