import CloudStore
import WebServices

/// The record types of a container's environment at one version: a value, so that one request sees one schema.
package struct Schema: Sendable {
    /// Grows with each change; the store's own number.
    package let version: Int64
    private var typesByName: [String: RecordType]
    private var namesByID: [Int64: String]

    package struct RecordType: Sendable, Hashable {
        package let id: Int64
        package let name: String
        package fileprivate(set) var fields: [String: Field]

        package func field(named name: String) -> Field? { fields[name] }
    }

    package struct Field: Sendable, Hashable {
        /// Unique in the container's environment; also the `field` of its index entries.
        package let id: Int64
        package let name: String
        package let type: FieldType
        /// Its values are sealed: they have no indexes, and are not in the public database.
        package let isEncrypted: Bool
        package let indexes: Indexes

        /// The type as the schema calls it, in errors too.
        package var typeName: String { (isEncrypted ? FieldType.encryptedPrefix : "") + type.name }

        /// Beside the indexes in a row's `flags`. Stored: never renumber.
        static let encryptedFlag: Int64 = 16
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
        for row in types {
            typesByName[row.name] = RecordType(id: row.id, name: row.name, fields: [:])
            namesByID[row.id] = row.name
        }
        for row in fields { insert(row) }
    }

    package func type(named name: String) -> RecordType? { typesByName[name] }

    package func typeName(_ id: Int64) -> String? { namesByID[id] }

    package func type(_ id: Int64) -> RecordType? { namesByID[id].flatMap { typesByName[$0] } }

    package var types: [RecordType] { typesByName.values.sorted { $0.name < $1.name } }

    // MARK: - Growing

    mutating func insert(_ row: TypeRow) -> RecordType {
        let type = RecordType(id: row.id, name: row.name, fields: [:])
        typesByName[row.name] = type
        namesByID[row.id] = row.name
        return type
    }

    @discardableResult
    mutating func insert(_ row: FieldRow) -> Field? {
        guard let typeName = namesByID[row.type], let kind = UInt8(exactly: row.kind),
            let type = FieldType(rawValue: kind)
        else { return nil }
        let isEncrypted = row.flags & Field.encryptedFlag != 0
        let field = Field(
            id: row.id, name: row.name, type: type, isEncrypted: isEncrypted,
            indexes: isEncrypted ? [] : Indexes(rawValue: row.flags))
        typesByName[typeName]?.fields[row.name] = field
        return field
    }
}
