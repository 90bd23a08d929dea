import Testing

@testable import SchemaLanguage

@Suite("Differences of schemas")
struct DifferenceTests {
    private func schema(_ body: String) throws -> SchemaDefinition {
        try SchemaDefinition(text: "DEFINE SCHEMA \(body)")
    }

    @Test("Equal schemas do not differ, whether or not they name the types that every container has")
    func equal() throws {
        let schema = try SchemaDefinition(text: exported)
        #expect(SchemaDifference(from: schema, to: schema).isEmpty)
        var bare = schema
        bare.recordTypes["Users"] = nil
        #expect(SchemaDifference(from: schema, to: bare).isEmpty)
    }

    @Test("Every kind of change is told, and which of them lose data")
    func changes() throws {
        let old = try schema(
            """
            CREATE ROLE Gone; CREATE ROLE Kept;
            RECORD TYPE Old (a STRING);
            RECORD TYPE Note (
                "___recordID" REFERENCE QUERYABLE, text STRING QUERYABLE, count INT64, size NUMBER, plain STRING,
                loose STRING, GRANT READ TO "_world", GRANT WRITE TO Kept);
            """)
        let new = try schema(
            """
            CREATE ROLE Kept; CREATE ROLE Made;
            RECORD TYPE Added (a STRING, b STRING);
            RECORD TYPE Note (
                text STRING SORTABLE, count DOUBLE, size NUMBER PREFERRED AS DOUBLE, plain ENCRYPTED STRING, more BYTES,
                GRANT READ, CREATE TO "_icloud", GRANT WRITE TO Kept);
            """)
        let difference = SchemaDifference(from: old, to: new)
        #expect(
            difference.changes.map(\.text) == [
                "- role Gone", "+ role Made", "+ Added (2 fields)",
                "~ Note.count INT64 → DOUBLE", "- Note.loose STRING", "+ Note.more BYTES",
                "~ Note.plain STRING → ENCRYPTED STRING", "~ Note.size NUMBER → NUMBER PREFERRED AS DOUBLE",
                "~ Note.text indexes: QUERYABLE → SORTABLE", "~ Note.___recordID indexes: QUERYABLE → none",
                "~ Note grants _icloud: none → READ, CREATE", "~ Note grants _world: READ → none",
                "- Old (1 field)",
            ])
        #expect(
            difference.losses.compactMap(\.loss) == [
                "Role “Gone” is removed, and nobody has it any more",
                "Field “count” of “Note” changes from INT64 to DOUBLE, which its values are not",
                "Field “loose” of “Note” is removed, with its values",
                "Field “plain” of “Note” changes from STRING to ENCRYPTED STRING, which its values are not",
                "Record type “Old” is removed, with its records",
            ])
    }

    @Test("What a number was preferred as cannot be changed")
    func numbers() throws {
        let open = try schema("RECORD TYPE A (n NUMBER);")
        let whole = try schema("RECORD TYPE A (n NUMBER PREFERRED AS INT64);")
        let fraction = try schema("RECORD TYPE A (n NUMBER PREFERRED AS DOUBLE);")
        #expect(SchemaDifference(from: open, to: fraction).losses.isEmpty)
        #expect(SchemaDifference(from: open, to: whole).losses.count == 1)
        #expect(SchemaDifference(from: whole, to: fraction).losses.count == 1)
        #expect(SchemaDifference(from: fraction, to: open).losses.count == 1)
    }
}
