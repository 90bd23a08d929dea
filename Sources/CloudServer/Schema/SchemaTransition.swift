import CloudStore
import SchemaLanguage
import WebServices

/// Brings a container's environment from the schema that it has to another one, also while apps use it.
///
/// The schema itself changes in one transaction. What needs the stored records goes in steps: before it, values and records
/// are deleted that the new schema has no place for; after it, those that were saved in between, and the entries of new
/// indexes are made.
struct SchemaTransition {
    private let container: ContainerStore
    private let wanted: SchemaDefinition
    private let allowsLoss: Bool
    private let keys: EncryptionKeys?
    private let random: RandomSource

    /// - Parameter keys: needed where encrypted fields are removed.
    init(
        _ container: ContainerStore, to wanted: SchemaDefinition, allowingLoss: Bool, _ keys: EncryptionKeys? = nil,
        _ random: RandomSource = .system
    ) {
        self.container = container
        self.wanted = wanted
        allowsLoss = allowingLoss
        self.keys = keys
        self.random = random
    }

    private struct Outcome: Sendable {
        var difference: SchemaDifference
        var abandonedFields: [Int64]
        var unsearchedFields: [Schema.Field]
        var stragglers: SchemaSweep
    }

    /// - Throws: `AdministrationError.schemaLosesData` where data would be lost and may not be. Nothing is changed then.
    @discardableResult
    func run(now: Int64) throws -> SchemaDifference {
        if allowsLoss {
            let stored = try container.read { try StoredSchema($0) }
            let difference = SchemaDifference(from: stored.definition, to: wanted)
            try SchemaSweep(difference, of: stored.schema, afterwards: false).run(
                container, now: now, keys, random)
        }
        let (wanted, allowsLoss) = (wanted, allowsLoss)
        let outcome = try container.writeAndWait { writer in
            // Read again: a save may have brought a type or a field into being since.
            let stored = try StoredSchema(writer)
            let difference = SchemaDifference(from: stored.definition, to: wanted)
            let losses = stored.losses(difference)
            guard allowsLoss || losses.isEmpty else { throw AdministrationError.schemaLosesData(losses) }
            var editor = SchemaEditor(writer)
            try editor.apply(difference, to: stored.schema)
            return Outcome(
                difference: difference, abandonedFields: editor.abandonedFields,
                unsearchedFields: editor.unsearchedFields,
                stragglers: SchemaSweep(difference, of: stored.schema, afterwards: true))
        }
        try outcome.stragglers.run(container, now: now, keys, random)
        try IndexBuild(container: container).run(now: now)
        try purge(outcome)
        return outcome.difference
    }

    /// Removes the index entries that nobody looks for any more. If this is interrupted they only take room.
    private func purge(_ outcome: Outcome) throws {
        let (fields, unsearched) = (outcome.abandonedFields, outcome.unsearchedFields)
        guard !fields.isEmpty || !unsearched.isEmpty else { return }
        var zone: Int64 = 0
        while let next = try container.read({ try $0.zoneIDs(after: zone, limit: 1) }).first {
            zone = next
            for field in fields {
                while try container.writeAndWait({ try $0.purgeIndexEntries(zone: next, field: field, limit: 400) }) {}
            }
            for field in unsearched {
                while try container.writeAndWait({ writer in
                    // One that is searched again meanwhile keeps what it has.
                    guard try writer.lockZone(next) != nil,
                        try StoredSchema(writer).schema.field(field.id)?.hasWords == false
                    else { return false }
                    return try writer.purgeIndexEntries(zone: next, field: field.wordIndex, limit: 400)
                }) {}
            }
        }
    }
}
