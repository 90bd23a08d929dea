import CloudStore
import WebServices

/// The schema as one write sees and extends it: types and fields that come into being with a save. [Apple:schema]
struct GrowingSchema {
    private(set) var schema: Schema
    private let writer: ContainerWriter
    private var hasGrown = false

    init(_ schema: Schema, _ writer: ContainerWriter) {
        self.schema = schema
        self.writer = writer
    }

    /// Takes in what others committed since: to be called when another zone was locked, unless something was added here,
    /// since from then on nobody else changes the schema.
    ///
    /// Building an index relies on it: a record that is saved to a zone after the build walked it has its entries.
    mutating func catchUp(_ cache: SchemaCache) throws {
        if !hasGrown { schema = try cache.uncommittedSchema(writer) }
    }

    /// The type with this name and these fields, made where it or they are missing.
    mutating func type(named name: String, adding fields: [CheckedFields.NewField]) throws -> Schema.RecordType? {
        let type: Schema.RecordType
        if let known = schema.type(named: name) {
            type = known
        } else {
            type = schema.insert(try writer.insertType(name: name))
            hasGrown = true
        }
        for field in fields where type.field(named: field.name) == nil {
            let row = try writer.insertField(
                type: type.id, name: field.name, kind: Int64(field.type.rawValue),
                flags: field.isEncrypted
                    ? Schema.Field.flags([], .encrypted) : Schema.Field.flagsOfWhole(.all(for: field.type)))
            schema.insert(row)
            hasGrown = true
        }
        return schema.type(named: name)
    }

    /// The schema with what was added, as it is to be once the write is committed; nil if nothing was added.
    ///
    /// Read again: on PostgreSQL another server's save may have added types or fields after this write read the schema and
    /// before it raised the version. From that on, until the commit, there is nobody else.
    func changed() throws -> Schema? {
        guard hasGrown else { return nil }
        return Schema(version: try writer.schemaVersion(), types: try writer.types(), fields: try writer.fields())
    }
}
