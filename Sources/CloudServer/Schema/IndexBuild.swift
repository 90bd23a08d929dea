import CloudStore
import WebServices

/// Makes the entries that an index over existing records needs, and opens it to queries when they are there.
///
/// Records that are saved meanwhile get theirs with the save. A build that is interrupted is made again by the next one.
struct IndexBuild {
    let container: ContainerStore
    /// Asked often; true ends the build with a `CancellationError`.
    var isCancelled: @Sendable () -> Bool = { false }

    func run(now: Int64) throws {
        let growing = try growingFields()
        guard !growing.isEmpty else { return }
        let types = Set(growing.map(\.type))
        let isCancelled = isCancelled
        try RecordWalk(container: container).run(now: now) { step, row in
            if isCancelled() { throw CancellationError() }
            guard types.contains(row.type), let type = step.schema.type(row.type) else { return }
            let fields = Fields(stored: row.body) ?? Fields()
            var keys: [IndexKey] = []
            for entry in fields {
                guard let field = type.field(named: fields.name(of: entry)) else { continue }
                if field.growingIndexes.hasEntries { keys += RecordIndex.valueKeys(entry, of: fields, field) }
                if field.awaitsWords { keys += RecordIndex.wordKeys(entry, of: fields, field) }
            }
            if !keys.isEmpty { try step.writer.insertIndexEntries(zone: step.zone.id, record: row.id, keys) }
        }
        try container.writeAndWait { writer in
            // Only those whose build this was: another change of the schema may have begun one since.
            let built = Set(growing.map(\.id))
            let schema = Schema(
                version: try writer.schemaVersion(), types: try writer.types(), fields: try writer.fields())
            for type in schema.types {
                for field in type.fields.values where built.contains(field.id) && field.awaitsEntries {
                    let flags = Schema.Field.flagsOfWhole(field.indexes.union(field.growingIndexes), field.traits)
                    try writer.updateField(field.row(type: type.id, flags: flags))
                }
            }
        }
    }

    private func growingFields() throws -> [(id: Int64, type: Int64)] {
        let schema = try container.read { reader in
            Schema(version: try reader.schemaVersion(), types: try reader.types(), fields: try reader.fields())
        }
        return schema.types.flatMap { type in
            type.fields.values.filter(\.awaitsEntries).map { ($0.id, type.id) }
        }
    }
}

extension Schema.Field {
    /// Whether older records may lack entries of its words.
    fileprivate var awaitsWords: Bool { hasWords && !traits.contains(.wordsIndexed) }
    fileprivate var awaitsEntries: Bool { !growingIndexes.isEmpty || awaitsWords }
}
