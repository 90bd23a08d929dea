/// A field of a record type.
package struct FieldDefinition: Sendable, Hashable {
    package var name: String
    package var type: FieldDataType
    package var indexes: FieldIndexes

    package init(name: String, type: FieldDataType, indexes: FieldIndexes = []) {
        self.name = name
        self.type = type
        self.indexes = indexes
    }
}

/// What a field is indexed for.
package struct FieldIndexes: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Equality.
    package static let queryable = FieldIndexes(rawValue: 1)
    /// Ranges and order.
    package static let sortable = FieldIndexes(rawValue: 2)
    /// Words of a text.
    package static let searchable = FieldIndexes(rawValue: 4)

    /// In the order in which CloudKit's tools write them.
    static let words: [(index: FieldIndexes, word: String)] = [
        (.queryable, "QUERYABLE"), (.searchable, "SEARCHABLE"), (.sortable, "SORTABLE"),
    ]

    /// As a file has it: `QUERYABLE SORTABLE`.
    package var text: String {
        Self.words.filter { contains($0.index) }.map(\.word).joined(separator: " ")
    }
}

/// The type of a field's values.
package struct FieldDataType: Sendable, Hashable {
    package enum Base: String, Sendable, Hashable, CaseIterable {
        case asset = "ASSET"
        case bytes = "BYTES"
        case double = "DOUBLE"
        case int64 = "INT64"
        case location = "LOCATION"
        case reference = "REFERENCE"
        case string = "STRING"
        case timestamp = "TIMESTAMP"
        /// Of a field that came into being with a number, which might be either.
        case number = "NUMBER"
        case numberPreferringInt64 = "NUMBER PREFERRED AS INT64"
        case numberPreferringDouble = "NUMBER PREFERRED AS DOUBLE"

        /// Those that can be sealed.
        package var canBeEncrypted: Bool {
            switch self {
            case .bytes, .string, .double, .int64, .location, .timestamp: true
            case .asset, .reference, .number, .numberPreferringInt64, .numberPreferringDouble: false
            }
        }
    }

    package var base: Base
    package var isList: Bool
    package var isEncrypted: Bool

    package init(_ base: Base, isList: Bool = false, isEncrypted: Bool = false) {
        self.base = base
        self.isList = isList
        self.isEncrypted = isEncrypted
    }

    /// As a file has it: `LIST<STRING>`.
    package var text: String {
        let element = (isEncrypted ? "ENCRYPTED " : "") + base.rawValue
        return isList ? "LIST<\(element)>" : element
    }

    /// Why the type cannot have these indexes; nil where it can.
    package func problem(with indexes: FieldIndexes) -> String? {
        if indexes.isEmpty { return nil }
        if isEncrypted { return "an encrypted field cannot be indexed" }
        if base == .asset { return "an asset cannot be indexed" }
        if indexes.contains(.searchable), base != .string { return "only STRING and LIST<STRING> are SEARCHABLE" }
        return nil
    }
}
