import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("A schema that grows")
struct GrowingSchemaTests {
    @Test("What another server's save added meanwhile is part of the schema that this one's save leaves behind")
    func grownElsewhere() throws {
        let store = try CloudStore.inMemory(options: StoreOptions(execution: .inline))
        let container = try #require(try store.container(TestCloud.container, "development", create: true))
        try container.writeAndWait { writer in
            let before = try SchemaCache().uncommittedSchema(writer)
            let elsewhere = try writer.insertType(name: "Elsewhere")
            _ = try writer.insertField(type: elsewhere.id, name: "height", kind: 2, flags: 1)
            var schema = GrowingSchema(before, writer)
            _ = try schema.type(named: "Here", adding: [.init(name: "title", type: .string)])
            let grown = try #require(try schema.changed())
            #expect(grown.version == (try writer.schemaVersion()))
            #expect(grown.types.map(\.name) == ["Elsewhere", "Here"])
            #expect(grown.type(named: "Elsewhere")?.field(named: "height") != nil)
            #expect(grown.type(named: "Here")?.field(named: "title")?.type == .string)
        }
    }
}
