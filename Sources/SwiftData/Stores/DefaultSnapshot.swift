import Synchronization

/// A snapshot that holds the values of any model's object.
public struct DefaultSnapshot: DataStoreSnapshot, @unchecked Sendable {
    // The values are copies that nobody changes.

    enum Value {
        case attribute((any Codable)?)
        case toOne(PersistentIdentifier?)
        case toMany([PersistentIdentifier])
    }

    public let persistentIdentifier: PersistentIdentifier
    let values: [String: Value]

    private init(_ identifier: PersistentIdentifier, _ values: [String: Value]) {
        persistentIdentifier = identifier
        self.values = values
    }

    public init(
        from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
        let model = makeModel(backingData)
        self.init(of: model, backingData.persistentModelID)
    }

    /// The values of an object, under its own identifier or another.
    init<Model: PersistentModel>(of model: Model) { self.init(of: model, nil) }

    private init(of model: any PersistentModel, _ identifier: PersistentIdentifier?) {
        var values: [String: Value] = [:]
        for property in ModelDescription.of(type(of: model)).properties {
            let value = property.value(of: model)
            switch property.kind {
            case .toOne: values[property.name] = .toOne((value as? any PersistentModel)?.persistentModelID)
            case .toMany:
                let models = value as? [any PersistentModel] ?? []
                values[property.name] = .toMany(models.map(\.persistentModelID))
            default:
                let isNil = (value as? any OptionalType)?.isNilValue ?? true && property.isOptional
                values[property.name] = .attribute(isNil ? nil : value as? any Codable)
            }
        }
        self.init(identifier ?? model.persistentModelID, values)
    }

    public func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
    ) -> DefaultSnapshot {
        guard let remappedIdentifiers else { return DefaultSnapshot(persistentIdentifier, values) }
        return DefaultSnapshot(
            persistentIdentifier,
            values.mapValues { value in
                switch value {
                case .attribute: value
                case .toOne(let identifier): .toOne(identifier.map { remappedIdentifiers[$0] ?? $0 })
                case .toMany(let identifiers): .toMany(identifiers.map { remappedIdentifiers[$0] ?? $0 })
                }
            })
    }

    // MARK: - Encoding

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
        for (name, value) in values {
            let key = DataStoreSnapshotCodingKey.modeledProperty(name)
            switch value {
            case .attribute(let value?): try container.encode(value, forKey: key)
            case .toOne(let identifier?): try container.encode(identifier, forKey: key)
            case .toMany(let identifiers): try container.encode(identifiers, forKey: key)
            default: try container.encodeNil(forKey: key)
            }
        }
    }

    /// Throws when no model class of the identifier's entity is known: a container of the schema has to be there.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
        let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
        guard let description = SnapshotEntities.description(of: identifier) else {
            throw SwiftDataError(
                .unknownSchema, detail: "no container has a model of the entity \(identifier.entityName)")
        }
        var values: [String: Value] = [:]
        for property in description.properties {
            let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
            guard container.contains(key) else { continue }
            let isNil = try container.decodeNil(forKey: key)
            switch property.kind {
            case .toOne:
                values[property.name] = .toOne(
                    isNil ? nil : try container.decode(PersistentIdentifier.self, forKey: key))
            case .toMany:
                values[property.name] = .toMany(
                    isNil ? [] : try container.decode([PersistentIdentifier].self, forKey: key))
            default:
                guard let type = property.wrappedType as? any Codable.Type else { continue }
                values[property.name] = .attribute(isNil ? nil : try container.decode(type, forKey: key))
            }
        }
        self.init(identifier, values)
    }
}

private func makeModel<Data: BackingData>(_ data: Data) -> any PersistentModel {
    if let object = (data as? _ModelBackingData<Data.Model>)?.model { return object }
    return Data.Model(backingData: data)
}

/// The classes of the entities of open stores: a snapshot that is decoded knows only its entity's name.
enum SnapshotEntities {
    private static let known = Mutex<[String: [String: ModelDescription]]>([:])

    static func register(_ descriptions: [ModelDescription], for storeIdentifier: String) {
        known.withLock { known in
            for description in descriptions { known[storeIdentifier, default: [:]][description.name] = description }
        }
    }

    static func description(of identifier: PersistentIdentifier) -> ModelDescription? {
        known.withLock { $0[identifier.storeIdentifier ?? ""]?[identifier.entityName] }
    }
}
