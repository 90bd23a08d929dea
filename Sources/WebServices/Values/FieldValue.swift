/// The `type` of a field value. Raw values are stored in databases: never renumber.
package enum FieldType: UInt8, Sendable, Hashable, CaseIterable {
    case string = 1
    case int64 = 2
    case double = 3
    case timestamp = 4
    case bytes = 5
    case location = 6
    case reference = 7
    case asset = 8
    case stringList = 17
    case int64List = 18
    case doubleList = 19
    case timestampList = 20
    case bytesList = 21
    case locationList = 22
    case referenceList = 23
    case assetList = 24

    /// The wire's name, as answers carry it.
    package var name: String {
        switch self {
        case .string: "STRING"
        case .int64: "INT64"
        case .double: "DOUBLE"
        case .timestamp: "TIMESTAMP"
        case .bytes: "BYTES"
        case .location: "LOCATION"
        case .reference: "REFERENCE"
        case .asset: "ASSETID"
        case .stringList: "STRING_LIST"
        case .int64List: "INT64_LIST"
        case .doubleList: "DOUBLE_LIST"
        case .timestampList: "TIMESTAMP_LIST"
        case .bytesList: "BYTES_LIST"
        case .locationList: "LOCATION_LIST"
        case .referenceList: "REFERENCE_LIST"
        case .assetList: "ASSETID_LIST"
        }
    }

    /// Reads a wire name; clients also say `ASSET` and `ASSET_LIST`.
    package init?(name: String) {
        switch name {
        case "ASSET": self = .asset
        case "ASSET_LIST": self = .assetList
        default:
            guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = type
        }
    }

    /// What the schema's name of an encrypted field's type begins with.
    package static let encryptedPrefix = "ENCRYPTED_"

    package var isList: Bool { rawValue & 16 != 0 }
    /// The type of a list's elements; nil for a scalar.
    package var element: FieldType? { isList ? FieldType(rawValue: rawValue & 15) : nil }
    /// The list type whose elements have this type; nil for a list.
    package var list: FieldType? { FieldType(rawValue: rawValue | 16) }
}

/// A decoded field value.
package indirect enum FieldValue: Sendable, Hashable {
    case string(String)
    case int64(Int64)
    case double(Double)
    /// Milliseconds since 1970-01-01 UTC.
    case timestamp(Int64)
    case bytes([UInt8])
    case location(Location)
    case reference(Reference)
    case asset(Asset)
    /// All elements have the one scalar type, which is named so that an empty list keeps its own.
    case list([FieldValue], of: FieldType)

    package var type: FieldType {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .timestamp: .timestamp
        case .bytes: .bytes
        case .location: .location
        case .reference: .reference
        case .asset: .asset
        case .list(_, let element): element.list ?? .stringList
        }
    }
}
