import CloudStore
import SchemaLanguage
import WebServices

/// A field that a query names: one of the schema's, or one of the system's.
struct QueryField: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        case user(Schema.Field)
        case system(RecordsQuery.SystemField)
        /// The words of these fields together.
        case words([Schema.Field])
    }

    let source: Source
    /// As error texts call it.
    let name: String
    let type: FieldType
    let indexes: Schema.Indexes
    /// The field of its index entries; nil where there are none.
    let index: Int64?
    let isEncrypted: Bool

    /// - Throws: `BAD_REQUEST` for a field that the type does not have.
    init(_ name: RecordsQuery.FieldName, of type: Schema.RecordType, in scope: StoreScope) throws(ServerError) {
        switch name {
        case .user(let name):
            guard let field = type.field(named: name) else { throw .badRequest("Unknown field '\(name)'") }
            source = .user(field)
            self.name = name
            self.type = field.type
            indexes = field.indexes
            isEncrypted = field.isEncrypted
            index = field.indexes.hasEntries && IndexValue.hasEntries(field.type) ? field.id : nil
        case .system(let field):
            source = .system(field)
            self.name = field.systemFieldName
            self.type =
                switch field {
                case .createdTimestamp, .modifiedTimestamp: .timestamp
                default: .reference
                }
            isEncrypted = false
            indexes = field.schemaField.map(type.indexes) ?? [.queryable, .sortable]
            switch IndexedSystemField(field) {
            case .createdUserRecordName? where scope == .private: index = nil
            case let indexed?: index = indexed.id(type: type.id)
            case nil: index = nil
            }
        }
    }

    /// The type as error texts call it.
    var typeName: String { (isEncrypted ? FieldType.encryptedPrefix : "") + type.name }

    /// All fields of a type that are searched for words together. [CKQuery: `self CONTAINS`]
    init(wordsOf type: Schema.RecordType) throws(ServerError) {
        let fields = type.fields.values.filter { $0.indexes.contains(.searchable) && $0.type.isText }
        guard !fields.isEmpty else { throw .badRequest("Queried type is not marked searchable") }
        source = .words(fields.sorted { $0.name < $1.name })
        name = "self"
        self.type = .string
        indexes = .searchable
        isEncrypted = false
        index = nil
    }

    /// The fields of its words' entries; nil where not all records have them.
    var wordIndexes: [Int64]? {
        let searched: [Schema.Field]
        switch source {
        case .user(let field): searched = [field]
        case .words(let fields): searched = fields
        case .system: return nil
        }
        return searched.allSatisfy { $0.traits.contains(.wordsIndexed) } ? searched.map(\.wordIndex) : nil
    }

    var isSystem: Bool {
        if case .system = source { true } else { false }
    }

    var isRecordName: Bool { source == .system(.recordName) }

    /// The field's value in a record; nil where it is absent or null.
    func value(_ row: RecordRow, _ fields: Fields) -> FieldValue? {
        switch source {
        case .user(let field): fields[field.name]
        case .words: nil
        case .system(.recordName): .reference(Reference(recordName: row.name))
        // A record that is shared names its share; nothing is shared yet.
        case .system(.share): nil
        case .system(.parent): row.parent.map { .reference(Reference(recordName: $0)) }
        case .system(.createdUserRecordName): .reference(Reference(recordName: row.creator))
        case .system(.modifiedUserRecordName): .reference(Reference(recordName: row.modifier))
        case .system(.createdTimestamp): .timestamp(row.created)
        case .system(.modifiedTimestamp): .timestamp(row.modified)
        }
    }
}

extension RecordsQuery.SystemField {
    /// The name by which a schema says what it is indexed for; nil for what is no field of a record's own.
    fileprivate var schemaField: SchemaLanguage.SystemField? {
        switch self {
        case .recordName: .recordID
        case .createdTimestamp: .createTime
        case .modifiedTimestamp: .modTime
        case .createdUserRecordName: .createdBy
        case .modifiedUserRecordName: .modifiedBy
        case .share, .parent: nil
        }
    }
}

extension IndexValue {
    /// Whether values of the type can be compared with each other.
    static func isIndexed(_ type: FieldType) -> Bool {
        switch type.element ?? type {
        case .location, .asset: false
        default: true
        }
    }

    /// Whether values of the type have index entries.
    static func hasEntries(_ type: FieldType) -> Bool { (type.element ?? type) != .asset }
}
