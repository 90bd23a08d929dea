import CloudStore
import SchemaLanguage
import WebServices

/// Carries differences out on the store's rows, inside one transaction.
///
/// What is stored is not looked at: values of removed fields and records of removed types are `SchemaSweep`'s, entries of
/// new indexes `IndexBuild`'s.
struct SchemaEditor {
    let writer: ContainerWriter
    /// Fields whose index entries belong to nobody any more.
    private(set) var abandonedFields: [Int64] = []
    /// Fields that stay and whose words are no longer searched.
    private(set) var unsearchedFields: [Schema.Field] = []

    init(_ writer: ContainerWriter) {
        self.writer = writer
    }

    mutating func apply(_ difference: SchemaDifference, to schema: Schema) throws {
        var grants: [String: [String: Permissions]] = [:]
        for change in difference.changes {
            switch change {
            case .roleAdded(let role): try writer.insertRole(role)
            case .roleRemoved(let role): try writer.deleteRole(role)
            case .typeAdded(let type): try add(type)
            case .typeRemoved(let type):
                guard let known = schema.type(named: type.name) else { continue }
                for field in known.fields.values { abandon(field) }
                try writer.deleteType(known.id)
            case .fieldAdded(let field, let name):
                try insert(field, into: try self.type(name, schema))
            case .fieldRemoved(let field, let name):
                try remove(field.name, from: try self.type(name, schema))
            case .fieldChanged(let old, let new, let name):
                let type = try self.type(name, schema)
                if change.loss == nil, let known = type.field(named: old.name), known.type == new.type.fieldType {
                    try setIndexes(of: known, in: type, to: Schema.Indexes(new.indexes), new.type.traits)
                } else {
                    try remove(old.name, from: type)
                    try insert(new, into: type)
                }
            case .indexesChanged(let field, _, let indexes, let name):
                try changeIndexes(of: field, to: Schema.Indexes(indexes), in: try self.type(name, schema))
            case .grantsChanged(let role, _, let permissions, let name):
                let known = try grants[name] ?? type(name, schema).grants
                grants[name] = known.merging([role: permissions]) { _, new in new }
            }
        }
        for (name, grants) in grants {
            let type = try self.type(name, schema)
            let text = StoredGrants.text(grants.filter { !$0.value.isEmpty })
            try writer.updateType(TypeRow(id: type.id, name: name, grants: text))
        }
    }

    /// The type as stored. `Users`, which every container has, gets its rows when somebody says more of it.
    private func type(_ name: String, _ schema: Schema) throws -> Schema.RecordType {
        if let known = schema.type(named: name) { return known }
        if let known = try StoredSchema(writer).schema.type(named: name) { return known }
        if name == RecordTypeDefinition.usersName { try add(.users) }
        guard let type = try StoredSchema(writer).schema.type(named: name) else {
            throw AdministrationError.invalid("There is no record type “\(name)”")
        }
        return type
    }

    private func add(_ type: RecordTypeDefinition) throws {
        let row = try writer.insertType(name: type.name, grants: StoredGrants.text(type.grants))
        for field in type.sortedFields {
            _ = try writer.insertField(
                type: row.id, name: field.name, kind: Int64(field.type.fieldType.rawValue),
                flags: Schema.Field.flagsOfWhole(Schema.Indexes(field.indexes), field.type.traits))
        }
        for field in SystemField.allCases {
            try insert(field, Schema.Indexes(type.systemIndexes[field] ?? []), type: row.id)
        }
    }

    private func insert(_ field: FieldDefinition, into type: Schema.RecordType) throws {
        _ = try writer.insertField(
            type: type.id, name: field.name, kind: Int64(field.type.fieldType.rawValue),
            flags: Schema.Field.flagsOfWhole(Schema.Indexes(field.indexes), field.type.traits))
    }

    private func insert(_ field: SystemField, _ indexes: Schema.Indexes, type: Int64) throws {
        let kind = FieldDataType(field.base).fieldType
        _ = try writer.insertField(
            type: type, name: field.rawValue, kind: Int64(kind.rawValue), flags: Schema.Field.flags(indexes))
    }

    private mutating func remove(_ name: String, from type: Schema.RecordType) throws {
        guard let known = type.field(named: name) else { return }
        try writer.deleteField(known.id)
        abandon(known)
    }

    private mutating func abandon(_ field: Schema.Field) {
        abandonedFields += [field.id, field.wordIndex]
    }

    private mutating func changeIndexes(
        of name: String, to indexes: Schema.Indexes, in type: Schema.RecordType
    ) throws {
        if let system = SystemField(rawValue: name) {
            // Every record has these entries, asked for or not: only what queries may ask changes.
            if let row = type.systemFields[system] {
                return try writer.updateField(row.row(type: type.id, flags: Schema.Field.flags(indexes)))
            }
            return try insert(system, indexes, type: type.id)
        }
        guard let field = type.field(named: name) else { return }
        try setIndexes(of: field, in: type, to: indexes, field.traits)
    }

    private mutating func setIndexes(
        of field: Schema.Field, in type: Schema.RecordType, to indexes: Schema.Indexes, _ traits: Schema.Traits
    ) throws {
        var traits = traits.subtracting(.wordsIndexed)
        if indexes.hasEntries == field.hasEntries {
            if indexes.contains(.searchable) {
                traits.formUnion(field.traits.intersection(.wordsIndexed))
            } else if field.hasWords {
                unsearchedFields.append(field)
            }
            // A build that was interrupted goes on with what is wanted now.
            let isGrowing = field.growingIndexes.hasEntries && !field.indexes.hasEntries
            let flags =
                isGrowing
                ? Schema.Field.flags([], growing: indexes, traits) : Schema.Field.flags(indexes, traits)
            return try writer.updateField(field.row(type: type.id, flags: flags))
        }
        // Another identity: entries of the old one, some of them perhaps written by a save that is just being committed,
        // can never be taken for the new one's.
        try writer.deleteField(field.id)
        abandon(field)
        let flags =
            indexes.hasEntries
            ? Schema.Field.flags([], growing: indexes, traits) : Schema.Field.flags(indexes, traits)
        _ = try writer.insertField(
            type: type.id, name: field.name, kind: Int64(field.type.rawValue), flags: flags)
    }
}

extension Schema.Field {
    func row(type: Int64, flags: Int64) -> FieldRow {
        FieldRow(id: id, type: type, name: name, kind: Int64(self.type.rawValue), flags: flags)
    }
}
