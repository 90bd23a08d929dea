import Foundation
import Testing

@testable import SchemaLanguage

@Suite("Schema files are read")
struct ParsingTests {
    @Test("Everything that the language has is read")
    func everything() throws {
        let schema = try SchemaDefinition(text: handWritten)
        #expect(schema.roles == ["Editor"])
        #expect(Set(schema.recordTypes.keys) == ["Guide", "cloudkit.share", "Empty"])
        let guide = try #require(schema.recordTypes["Guide"])
        #expect(guide.systemIndexes == [.recordID: .queryable, .createTime: [.queryable, .sortable]])
        #expect(
            guide.grants == [
                "_world": .read, "_icloud": .create, "_creator": .write, "Editor": [.read, .create, .write],
            ])
        let types: [String: FieldDataType] = [
            "title": .init(.string), "tags": .init(.string, isList: true), "grant": .init(.string),
            "cover": .init(.asset), "pages": .init(.int64), "weight": .init(.number),
            "price": .init(.numberPreferringDouble), "copies": .init(.numberPreferringInt64),
            "place": .init(.location), "author": .init(.reference), "related": .init(.reference, isList: true),
            "secret": .init(.string, isEncrypted: true), "secrets": .init(.bytes, isList: true, isEncrypted: true),
        ]
        #expect(guide.fields.mapValues(\.type) == types)
        #expect(guide.fields["title"]?.indexes == [.queryable, .sortable, .searchable])
        #expect(guide.fields["cover"]?.indexes == [])
        #expect(schema.recordTypes["cloudkit.share"]?.fields["cloudkit.title"]?.type == .init(.string))
        #expect(schema.recordTypes["Empty"]?.grants == [:])
    }

    @Test("What is printed reads as the same schema", arguments: [handWritten, exported, "DEFINE SCHEMA"])
    func roundTrip(text: String) throws {
        let schema = try SchemaDefinition(text: text)
        #expect(try SchemaDefinition(text: schema.text) == schema)
    }

    @Test("An exported file is printed as it was, but for one line a role's grants")
    func printing() throws {
        #expect(try SchemaDefinition(text: exported).text == exported)
    }

    @Test("Line ends of other systems, a byte order mark and a last comma are let pass")
    func leniency() throws {
        let plain = try SchemaDefinition(text: exported)
        let other =
            "\u{FEFF}" + exported.replacing("\n", with: "\r\n").replacing("\"_world\"\r\n", with: "\"_world\",\r\n")
        #expect(try SchemaDefinition(text: other) == plain)
    }

    @Test("The same field twice is one field")
    func repeatedField() throws {
        let schema = try SchemaDefinition(text: "DEFINE SCHEMA RECORD TYPE A (b STRING QUERYABLE, b STRING QUERYABLE);")
        #expect(schema.recordTypes["A"]?.fields.count == 1)
    }

    @Test("Every file of a folder of real ones is read, and prints as the same schema")
    func corpus() throws {
        // Real files are other people's: name a folder of them to try.
        guard let folder = ProcessInfo.processInfo.environment["STRATUS_SCHEMA_FILES"] else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".ckdb") {
            let text = try String(contentsOf: URL(filePath: folder).appending(path: name), encoding: .utf8)
            do {
                let schema = try SchemaDefinition(text: text)
                #expect(try SchemaDefinition(text: schema.text) == schema, "\(name)")
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
    }
}
