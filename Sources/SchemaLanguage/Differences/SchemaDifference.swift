/// What has to happen to one schema to make it another.
package struct SchemaDifference: Sendable, Hashable {
    /// By name: roles, then record types with what changes inside them.
    package let changes: [SchemaChange]

    package init(from old: SchemaDefinition, to new: SchemaDefinition) {
        let (old, new) = (old.complete, new.complete)
        var changes: [SchemaChange] = []
        for role in old.roles.union(new.roles).sorted() {
            if !old.roles.contains(role) { changes.append(.roleAdded(role)) }
            if !new.roles.contains(role) { changes.append(.roleRemoved(role)) }
        }
        for name in Set(old.recordTypes.keys).union(new.recordTypes.keys).sorted() {
            switch (old.recordTypes[name], new.recordTypes[name]) {
            case (nil, let added?): changes.append(.typeAdded(added))
            case (let removed?, nil): changes.append(.typeRemoved(removed))
            case (let before?, let after?): changes += Self.changes(from: before, to: after)
            case (nil, nil): break
            }
        }
        self.changes = changes
    }

    package var isEmpty: Bool { changes.isEmpty }

    /// The changes after which something that is stored now would be gone or unreadable.
    package var losses: [SchemaChange] { changes.filter { $0.loss != nil } }

    private static func changes(
        from old: RecordTypeDefinition, to new: RecordTypeDefinition
    ) -> [SchemaChange] {
        let type = new.name
        var changes: [SchemaChange] = []
        for name in Set(old.fields.keys).union(new.fields.keys).sorted() {
            switch (old.fields[name], new.fields[name]) {
            case (nil, let added?): changes.append(.fieldAdded(added, type: type))
            case (let removed?, nil): changes.append(.fieldRemoved(removed, type: type))
            case (let before?, let after?) where before.type != after.type:
                changes.append(.fieldChanged(from: before, to: after, type: type))
            case (let before?, let after?) where before.indexes != after.indexes:
                changes.append(.indexesChanged(name, from: before.indexes, to: after.indexes, type: type))
            default: break
            }
        }
        for field in SystemField.allCases {
            let (before, after) = (old.systemIndexes[field] ?? [], new.systemIndexes[field] ?? [])
            if before != after {
                changes.append(.indexesChanged(field.rawValue, from: before, to: after, type: type))
            }
        }
        for role in Set(old.grants.keys).union(new.grants.keys).sorted() {
            let (before, after) = (old.grants[role] ?? [], new.grants[role] ?? [])
            if before != after { changes.append(.grantsChanged(role, from: before, to: after, type: type)) }
        }
        return changes
    }
}

/// One thing that two schemas differ in.
package enum SchemaChange: Sendable, Hashable {
    case roleAdded(String)
    case roleRemoved(String)
    case typeAdded(RecordTypeDefinition)
    case typeRemoved(RecordTypeDefinition)
    case fieldAdded(FieldDefinition, type: String)
    case fieldRemoved(FieldDefinition, type: String)
    /// To another data type, maybe with other indexes.
    case fieldChanged(from: FieldDefinition, to: FieldDefinition, type: String)
    case indexesChanged(String, from: FieldIndexes, to: FieldIndexes, type: String)
    case grantsChanged(String, from: Permissions, to: Permissions, type: String)

    /// What would be lost, as a sentence without a full stop; nil for what loses nothing. Indexes and grants can be made
    /// again from what is stored; records and values cannot.
    package var loss: String? {
        switch self {
        case .roleAdded, .typeAdded, .fieldAdded, .indexesChanged, .grantsChanged: return nil
        case .roleRemoved(let role):
            return "Role “\(role)” is removed, and nobody has it any more"
        case .typeRemoved(let type):
            return "Record type “\(type.name)” is removed, with its records"
        case .fieldRemoved(let field, let type):
            return "Field “\(field.name)” of “\(type)” is removed, with its values"
        case .fieldChanged(let old, let new, let type):
            if Self.keepsValues(old.type, new.type) { return nil }
            return "Field “\(old.name)” of “\(type)” changes from \(old.type.text) to \(new.type.text), "
                + "which its values are not"
        }
    }

    /// Whether values of an encrypted field are removed.
    package var touchesEncryptedFields: Bool {
        switch self {
        case .fieldRemoved(let field, _), .fieldChanged(let field, _, _): field.type.isEncrypted
        default: false
        }
    }

    /// A number whose type was open may be said to be a DOUBLE, which it is stored as. That it is an INT64 would cut its
    /// fractions; and what was said once stays.
    private static func keepsValues(_ old: FieldDataType, _ new: FieldDataType) -> Bool {
        old == FieldDataType(.number) && new == FieldDataType(.numberPreferringDouble)
    }

    /// A line for people: `+`, `-` or `~`, and what it is about.
    package var text: String {
        func indexed(_ field: FieldDefinition) -> String {
            field.indexes.isEmpty ? field.type.text : "\(field.type.text) \(field.indexes.text)"
        }
        func shown(_ text: String) -> String { text.isEmpty ? "none" : text }
        return switch self {
        case .roleAdded(let role): "+ role \(role)"
        case .roleRemoved(let role): "- role \(role)"
        case .typeAdded(let type): "+ \(type.name) (\(Self.count(type.fields.count)))"
        case .typeRemoved(let type): "- \(type.name) (\(Self.count(type.fields.count)))"
        case .fieldAdded(let field, let type): "+ \(type).\(field.name) \(indexed(field))"
        case .fieldRemoved(let field, let type): "- \(type).\(field.name) \(indexed(field))"
        case .fieldChanged(let old, let new, let type): "~ \(type).\(old.name) \(indexed(old)) → \(indexed(new))"
        case .indexesChanged(let name, let old, let new, let type):
            "~ \(type).\(name) indexes: \(shown(old.text)) → \(shown(new.text))"
        case .grantsChanged(let role, let old, let new, let type):
            "~ \(type) grants \(role): \(shown(old.text)) → \(shown(new.text))"
        }
    }

    private static func count(_ fields: Int) -> String { fields == 1 ? "1 field" : "\(fields) fields" }
}
