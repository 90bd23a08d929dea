import CloudStore
import SchemaLanguage
import WebServices

/// The record types of a container's environment at one version: a value, so that one request sees one schema.
package struct Schema: Sendable {
    /// Grows with each change; the store's own number.
    package let version: Int64
    private var typesByName: [String: RecordType]
    private var namesByID: [Int64: String]
    /// Whether a type grants something to a role of the container's own: only then it matters which roles a caller has.
    package private(set) var grantsRoles = false

    package struct RecordType: Sendable, Hashable {
        package let id: Int64
        package let name: String
        package fileprivate(set) var fields: [String: Field]
        /// What system fields are indexed for, as far as somebody said; they have rows like fields.
        package fileprivate(set) var systemFields: [SystemField: Field] = [:]
        /// By role: what it may do with the type's records in the public database.
        package let grants: [String: Permissions]

        package func field(named name: String) -> Field? { fields[name] }

        /// A type that came into being with a record has every index, as in Apple's development environment.
        package func indexes(_ field: SystemField) -> Indexes {
            systemFields[field]?.indexes ?? (field == .etag ? [] : [.queryable, .sortable])
        }

        fileprivate init(_ row: TypeRow) {
            id = row.id
            name = row.name
            fields = [:]
            grants = StoredGrants.permissions(row.grants, ofType: row.name)
        }
    }

    package struct Field: Sendable, Hashable {
        /// Unique in the container's environment; also the `field` of its index entries.
        package let id: Int64
        package let name: String
        package let type: FieldType
        /// What queries may ask.
        package let indexes: Indexes
        /// What records that are saved get entries for, though older ones may not have them yet: no use to queries.
        package var growingIndexes: Indexes = []
        package var traits: Traits = []

        /// Its values are sealed: they have no indexes, and are not in the public database.
        package var isEncrypted: Bool { traits.contains(.encrypted) }
        /// The type as the schema calls it, in errors too.
        package var typeName: String { (isEncrypted ? FieldType.encryptedPrefix : "") + type.name }
        /// Whether records that are saved get index entries of its values.
        var hasEntries: Bool { indexes.union(growingIndexes).hasEntries }
        /// Whether records that are saved get index entries of its words.
        var hasWords: Bool { type.isText && indexes.union(growingIndexes).contains(.searchable) }
        /// The field of its words' entries.
        var wordIndex: Int64 { id &+ Self.firstWordIndex }
    }

    /// What else is stored with a field, in `flags` beside its indexes: never renumber.
    package struct Traits: OptionSet, Sendable, Hashable {
        package let rawValue: Int64
        package init(rawValue: Int64) { self.rawValue = rawValue }

        /// `ENCRYPTED` in a schema file.
        package static let encrypted = Traits(rawValue: 16)
        /// `NUMBER` in a schema file, kept as a DOUBLE.
        package static let number = Traits(rawValue: 32)
        /// `PREFERRED AS` that type.
        package static let preferredNumber = Traits(rawValue: 64)
        /// All records have entries of their words, as `SEARCHABLE` wants it: queries may rely on them.
        static let wordsIndexed = Traits(rawValue: 128)
    }

    /// What a field is indexed for. Stored as `flags`: never renumber.
    package struct Indexes: OptionSet, Sendable, Hashable {
        package let rawValue: Int64
        package init(rawValue: Int64) { self.rawValue = rawValue }

        /// Equality, IN and list comparators.
        package static let queryable = Indexes(rawValue: 1)
        /// Ranges, BEGINS_WITH and order.
        package static let sortable = Indexes(rawValue: 2)
        /// Words of a text.
        package static let searchable = Indexes(rawValue: 4)
        static let all: Indexes = [.queryable, .sortable, .searchable]

        /// Whether records get index entries by value: QUERYABLE and SORTABLE share them.
        var hasEntries: Bool { !isDisjoint(with: [.queryable, .sortable]) }

        /// What a field gets that comes into being with a save: all that its type allows, as development does.
        package static func all(for type: FieldType) -> Indexes {
            switch type {
            case .asset, .assetList: []
            case .string: [.queryable, .sortable, .searchable]
            case .location, .locationList, .bytes, .bytesList: [.queryable]
            case .stringList: [.queryable, .sortable, .searchable]
            default: [.queryable, .sortable]
            }
        }
    }

    package init(version: Int64, types: [TypeRow], fields: [FieldRow]) {
        self.version = version
        typesByName = [:]
        namesByID = [:]
        for row in types { _ = insert(row) }
        for row in fields { insert(row) }
    }

    package func type(named name: String) -> RecordType? { typesByName[name] }

    package func typeName(_ id: Int64) -> String? { namesByID[id] }

    package func type(_ id: Int64) -> RecordType? { namesByID[id].flatMap { typesByName[$0] } }

    func field(_ id: Int64) -> Field? {
        for type in typesByName.values {
            if let field = type.fields.values.first(where: { $0.id == id }) { return field }
        }
        return nil
    }

    package var types: [RecordType] { typesByName.values.sorted { $0.name < $1.name } }

    // MARK: - Growing

    mutating func insert(_ row: TypeRow) -> RecordType {
        let type = RecordType(row)
        typesByName[row.name] = type
        namesByID[row.id] = row.name
        if type.grants.keys.contains(where: { !SystemRole.all.contains($0) }) { grantsRoles = true }
        return type
    }

    @discardableResult
    mutating func insert(_ row: FieldRow) -> Field? {
        guard let typeName = namesByID[row.type], let kind = UInt8(exactly: row.kind),
            let type = FieldType(rawValue: kind)
        else { return nil }
        let field = Field(row, type)
        if let systemField = SystemField(rawValue: row.name) {
            typesByName[typeName]?.systemFields[systemField] = field
        } else {
            typesByName[typeName]?.fields[row.name] = field
        }
        return field
    }
}

extension Schema.Field {
    /// How far left in `flags` the indexes lie that are still being built.
    private static let growingShift: Int64 = 8
    /// Beyond every field's identifier. Stored: never change.
    static let firstWordIndex: Int64 = 1 << 62

    fileprivate init(_ row: FieldRow, _ type: FieldType) {
        id = row.id
        name = row.name
        self.type = type
        indexes = Schema.Indexes(rawValue: row.flags).intersection(.all)
        growingIndexes = Schema.Indexes(rawValue: row.flags >> Self.growingShift).intersection(.all)
        traits = Schema.Traits(rawValue: row.flags & 0xF0)
    }

    /// As a field is stored of which no record lacks an entry: a new one, or one whose indexes have just been built.
    static func flagsOfWhole(_ indexes: Schema.Indexes, _ traits: Schema.Traits = []) -> Int64 {
        flags(indexes, indexes.contains(.searchable) ? traits.union(.wordsIndexed) : traits)
    }

    /// As it is stored.
    static func flags(_ indexes: Schema.Indexes, growing: Schema.Indexes = [], _ traits: Schema.Traits = []) -> Int64 {
        indexes.rawValue | growing.rawValue << growingShift | traits.rawValue
    }
}
