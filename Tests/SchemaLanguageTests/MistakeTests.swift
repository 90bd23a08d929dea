import Testing

@testable import SchemaLanguage

@Suite("Mistakes in schema files")
struct MistakeTests {
    private func problems(_ text: String) -> [SchemaTextError.Problem] {
        do {
            _ = try SchemaDefinition(text: text)
            return []
        } catch {
            return error.problems
        }
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
        var text: String
        var line: Int
        var column: Int
        var message: String

        var testDescription: String { message }
    }

    @Test(
        "A mistake is told with its line and column",
        arguments: [
            Mistake(text: "", line: 1, column: 1, message: "the end of the text stands where DEFINE should"),
            Mistake(
                text: "DEFINE SCHEMA\n\nRECORD TYPE A (\n\tname BADTYPE\n);", line: 4, column: 7,
                message: "“BADTYPE” stands where a data type should"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (b STRING QUERABLE);", line: 1, column: 39,
                message: "“QUERABLE” stands where “)” should"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (b STRING) RECORD TYPE C ();", line: 1, column: 40,
                message: "“RECORD” stands where “;” should"),
            Mistake(
                text: "DEFINE SCHEMA\nCREATE TABLE x;", line: 2, column: 8,
                message: "“TABLE” stands where ROLE should"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (queryable STRING);", line: 1, column: 30,
                message: "“queryable” is a word of the language"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (\"b STRING);", line: 1, column: 30,
                message: "The quote that opens here is not closed in its line"),
            Mistake(
                text: "DEFINE SCHEMA /* never closed", line: 1, column: 15,
                message: "The comment that begins here does not end"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE Ä ();", line: 1, column: 27, message: "“Ä” has no meaning here"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (b ENCRYPTED ASSET);", line: 1, column: 42,
                message: "“ASSET” stands where a type that can be encrypted should"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (b LIST<LIST<STRING>>);", line: 1, column: 37,
                message: "“LIST” stands where a data type should"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (b ASSET QUERYABLE);", line: 1, column: 30,
                message: "Field “b”: an asset cannot be indexed"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (b INT64 SEARCHABLE);", line: 1, column: 30,
                message: "Field “b”: only STRING and LIST<STRING> are SEARCHABLE"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (b ENCRYPTED STRING QUERYABLE);", line: 1, column: 30,
                message: "Field “b”: an encrypted field cannot be indexed"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (\"___etag\" INT64);", line: 1, column: 30,
                message: "The system field “___etag” is not INT64"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (\"___recordId\" REFERENCE);", line: 1, column: 30,
                message: "There is no system field “___recordId”"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (b STRING, b INT64);", line: 1, column: 40,
                message: "Field “b” is defined twice, and differently"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (); RECORD TYPE A ();", line: 1, column: 45,
                message: "The record type “A” is defined twice"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (GRANT READ TO Editor);", line: 1, column: 44,
                message: "There is no role “Editor”"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (GRANT DELETE TO \"_world\");", line: 1, column: 36,
                message: "“DELETE” stands where READ, CREATE or WRITE should"),
            Mistake(
                text: "DEFINE SCHEMA CREATE ROLE \"_admin\";", line: 1, column: 27,
                message: "“_admin” cannot be a role's name"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE \"a.b\" ();", line: 1, column: 27,
                message: "“a.b” cannot be a record type's name"),
            Mistake(
                text: "DEFINE SCHEMA RECORD TYPE A (\"9b\" STRING);", line: 1, column: 30,
                message: "“9b” cannot be a field's name"),
        ])
    func placed(mistake: Mistake) throws {
        let found = problems(mistake.text)
        let first = try #require(found.first)
        #expect(first.message == mistake.message)
        #expect(first.line == mistake.line)
        #expect(first.column == mistake.column)
        #expect(!first.remedy.isEmpty)
        #expect(found.count == 1)
    }

    @Test("Every mistake of a file is told at once, in the order of the text")
    func several() {
        let text = """
            DEFINE SCHEMA
            RECORD TYPE A (b BAD, c STRING);
            RECORD TYPE B (c ASSET QUERYABLE, GRANT READ TO Nobody);
            CREATE ROLE ;
            RECORD TYPE C (d STRING, d INT64);
            """
        #expect(problems(text).map(\.line) == [2, 3, 3, 4, 5])
    }

    @Test("A text without an end of mistakes is answered with the first of them")
    func bounded() {
        let text = "DEFINE SCHEMA " + String(repeating: "? ; ", count: 10_000)
        #expect(problems(text).count == SchemaLimits.problems)
    }

    @Test("A text, a name and a type that are too large are refused")
    func tooLarge() {
        let long = String(repeating: "x", count: SchemaLimits.nameBytes + 1)
        #expect(problems("DEFINE SCHEMA RECORD TYPE \(long) ();").count == 1)
        let fields = (0...SchemaLimits.fields).map { "f\($0) STRING" }.joined(separator: ",")
        #expect(problems("DEFINE SCHEMA RECORD TYPE A (\(fields));").count == 1)
        let huge = "DEFINE SCHEMA" + String(repeating: " ", count: SchemaLimits.textBytes)
        #expect(problems(huge).count == 1)
    }
}
