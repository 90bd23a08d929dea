import SchemaLanguage
import WebServices

extension Schema {
    /// The schema as a file has it. Indexes that are still being built count as there.
    ///
    /// - Parameter roles: the container's own.
    package func definition(roles: [String]) -> SchemaDefinition {
        SchemaDefinition(roles: Set(roles), recordTypes: types.map(\.definition)).complete
    }
}

extension Schema.RecordType {
    fileprivate var definition: RecordTypeDefinition {
        var systemIndexes: [SystemField: FieldIndexes] = [:]
        for field in SystemField.allCases { systemIndexes[field] = FieldIndexes(indexes(field)) }
        return RecordTypeDefinition(
            name: name, fields: fields.values.map(\.definition), systemIndexes: systemIndexes, grants: grants)
    }
}

extension Schema.Field {
    fileprivate var definition: FieldDefinition {
        FieldDefinition(
            name: name, type: FieldDataType(type, traits), indexes: FieldIndexes(indexes.union(growingIndexes)))
    }
}

extension FieldIndexes {
    init(_ indexes: Schema.Indexes) {
        self.init(rawValue: UInt8(truncatingIfNeeded: indexes.intersection(.all).rawValue))
    }
}

extension Schema.Indexes {
    init(_ indexes: FieldIndexes) {
        self.init(rawValue: Int64(indexes.rawValue))
    }
}

extension FieldDataType {
    init(_ type: FieldType, _ traits: Schema.Traits) {
        let base: Base =
            switch type.element ?? type {
            case .string: .string
            case .timestamp: .timestamp
            case .bytes: .bytes
            case .location: .location
            case .reference: .reference
            case .asset: .asset
            case .int64: traits.contains(.preferredNumber) ? .numberPreferringInt64 : .int64
            case .double where traits.contains(.preferredNumber): .numberPreferringDouble
            case .double: traits.contains(.number) ? .number : .double
            // No list is an element.
            default: .string
            }
        self.init(base, isList: type.isList, isEncrypted: traits.contains(.encrypted))
    }

    /// The type of the values. A NUMBER is kept as a DOUBLE, since it may have fractions.
    var fieldType: FieldType {
        let scalar: FieldType =
            switch base {
            case .string: .string
            case .timestamp: .timestamp
            case .bytes: .bytes
            case .location: .location
            case .reference: .reference
            case .asset: .asset
            case .int64, .numberPreferringInt64: .int64
            case .double, .number, .numberPreferringDouble: .double
            }
        return isList ? scalar.list ?? scalar : scalar
    }

    var traits: Schema.Traits {
        var traits: Schema.Traits = isEncrypted ? .encrypted : []
        if base == .number { traits.insert(.number) }
        if base == .numberPreferringInt64 || base == .numberPreferringDouble { traits.insert(.preferredNumber) }
        return traits
    }
}
