/// The values of one object by key path: what hand-written accessors and custom stores use.
public protocol BackingData<Model> {
    associatedtype Model: PersistentModel

    init(for modelType: Model.Type)
    var persistentModelID: PersistentIdentifier? { get set }
    var metadata: Any { get }

    func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: Decodable
    func getValue<Value>(forKey key: KeyPath<Model, Value>) -> Value where Value: PersistentModel
    func getValue<Value>(forKey key: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
    func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement
    func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: Decodable & RelationshipCollection, OtherModel == Value.PersistentElement
    func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value

    func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
    func setValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel
    func setValue<Value>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel
    func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement
    func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable & RelationshipCollection, OtherModel == Value.PersistentElement
    func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value)
}

/// The values of a model's object. Without one, values wait under their key paths until an object takes them over.
public struct _ModelBackingData<Model: PersistentModel>: BackingData {
    let model: Model?
    let waiting: _WaitingValues

    public init(for modelType: Model.Type) {
        model = nil
        waiting = _WaitingValues()
    }

    init(_ model: Model) {
        self.model = model
        waiting = _WaitingValues()
    }

    public var persistentModelID: PersistentIdentifier? {
        get { model?.persistentModelID ?? waiting.identifier }
        nonmutating set { waiting.identifier = newValue }
    }

    public var metadata: Any { Model.schemaMetadata }

    private func get<Value>(_ key: KeyPath<Model, Value>) -> Value {
        if let value = waiting.values[key] as? Value { return value }
        if let model { return model[keyPath: key] }
        let description = ModelDescription.of(Model.self)
        if let index = description.index(of: key), let value = description.properties[index].defaultValue as? Value {
            return value
        }
        return valueOfNothing(Value.self)
    }

    private func set<Value>(_ key: KeyPath<Model, Value>, _ value: Value) {
        if let model, let key = key as? ReferenceWritableKeyPath<Model, Value> {
            model[keyPath: key] = value
        } else {
            waiting.values[key] = value
        }
    }

    public func getValue<Value: Decodable>(forKey key: KeyPath<Model, Value>) -> Value { get(key) }
    public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>) -> Value { get(key) }
    public func getValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>) -> Value? { get(key) }
    public func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { get(key) }
    public func getValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>) -> Value
    where Value: Decodable & RelationshipCollection, OtherModel == Value.PersistentElement { get(key) }
    public func getTransformableValue<Value>(forKey key: KeyPath<Model, Value>) -> Value { get(key) }

    public func setValue<Value: Encodable>(forKey key: KeyPath<Model, Value>, to newValue: Value) { set(key, newValue) }
    public func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
        set(key, newValue)
    }
    public func setValue<Value: PersistentModel>(forKey key: KeyPath<Model, Value?>, to newValue: Value?) {
        set(key, newValue)
    }
    public func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { set(key, newValue) }
    public func setValue<Value, OtherModel>(forKey key: KeyPath<Model, Value>, to newValue: Value)
    where Value: Encodable & RelationshipCollection, OtherModel == Value.PersistentElement { set(key, newValue) }
    public func setTransformableValue<Value>(forKey key: KeyPath<Model, Value>, to newValue: Value) {
        set(key, newValue)
    }
}

final class _WaitingValues {
    var values: [AnyKeyPath: Any] = [:]
    var identifier: PersistentIdentifier?
}

/// The backing data of an object: a view of the object itself.
public func _backingData<Model: PersistentModel>(of model: Model) -> any BackingData<Model> { _ModelBackingData(model) }

/// Gives an object the values of backing data.
public func _setBackingData<Model: PersistentModel>(_ data: any BackingData<Model>, of model: Model) {
    let description = ModelDescription.of(type(of: model))
    let given = data as? _ModelBackingData<Model>
    for property in description.properties {
        if let given, given.model == nil {
            if let value = given.waiting.values[property.keyPath] ?? property.defaultValue {
                property.assign(value, to: model)
            }
        } else if let other = given?.model {
            if other !== model, let value = property.value(of: other) { property.assign(value, to: model) }
        } else {
            property.copy(from: data, to: model)
        }
    }
}

extension PropertyDescription {
    /// Sets the property; a value of another type is left alone.
    func assign(_ value: Any, to model: any PersistentModel) {
        func root<Root: PersistentModel>(_ root: Root.Type) {
            func set<Value>(_ type: Value.Type) {
                guard let model = model as? Root, let keyPath = keyPath as? ReferenceWritableKeyPath<Root, Value> else {
                    return
                }
                if let value = value as? Value { model[keyPath: keyPath] = value }
            }
            _openExistential(valueType, do: set)
        }
        root(declaringType)
    }

    /// Copies the property out of backing data of a custom store.
    fileprivate func copy<Model: PersistentModel>(from data: any BackingData<Model>, to model: Model) {
        func decodable<Value: Decodable>(_ type: Value.Type) {
            guard let keyPath = keyPath as? ReferenceWritableKeyPath<Model, Value> else { return }
            model[keyPath: keyPath] = data.getValue(forKey: keyPath)
        }
        func toOne<Value: PersistentModel>(_ type: Value.Type) {
            if let keyPath = keyPath as? ReferenceWritableKeyPath<Model, Value?> {
                model[keyPath: keyPath] = data.getValue(forKey: keyPath)
            } else if let keyPath = keyPath as? ReferenceWritableKeyPath<Model, Value> {
                model[keyPath: keyPath] = data.getValue(forKey: keyPath)
            }
        }
        func toMany<Value: RelationshipCollection>(_ type: Value.Type) {
            guard let keyPath = keyPath as? ReferenceWritableKeyPath<Model, Value> else { return }
            model[keyPath: keyPath] = data.getValue(forKey: keyPath)
        }
        switch kind {
        case .toOne(let destination): toOne(destination)
        case .toMany: if let type = valueType as? any RelationshipCollection.Type { toMany(type) }
        default: if let type = valueType as? any Decodable.Type { decodable(type) }
        }
    }
}

extension PersistentModel {
    /// Backing data for an object that is yet to be made.
    public static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
        _ModelBackingData<P>(for: P.self)
    }

    public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value where Value: Decodable { self[keyPath: key] }
    public func getValue<Value>(forKey key: KeyPath<Self, Value>) -> Value where Value: PersistentModel {
        self[keyPath: key]
    }
    public func getValue<Value>(forKey key: KeyPath<Self, Value?>) -> Value? where Value: PersistentModel {
        self[keyPath: key]
    }
    public func getValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>) -> Value
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { self[keyPath: key] }
    public func getValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>) -> Value
    where Value: Decodable & RelationshipCollection, OtherModel == Value.PersistentElement { self[keyPath: key] }
    public func getTransformableValue<Value>(forKey key: KeyPath<Self, Value>) -> Value { self[keyPath: key] }

    public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) where Value: Encodable {
        setAny(key, newValue)
    }
    public func setValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) where Value: PersistentModel {
        setAny(key, newValue)
    }
    public func setValue<Value>(forKey key: KeyPath<Self, Value?>, to newValue: Value?) where Value: PersistentModel {
        setAny(key, newValue)
    }
    public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
    where Value: RelationshipCollection, OtherModel == Value.PersistentElement { setAny(key, newValue) }
    public func setValue<Value, OtherModel>(forKey key: KeyPath<Self, Value>, to newValue: Value)
    where Value: Encodable & RelationshipCollection, OtherModel == Value.PersistentElement { setAny(key, newValue) }
    public func setTransformableValue<Value>(forKey key: KeyPath<Self, Value>, to newValue: Value) {
        setAny(key, newValue)
    }

    private func setAny<Value>(_ key: KeyPath<Self, Value>, _ value: Value) {
        // A key path to a property without a setter changes nothing.
        (key as? ReferenceWritableKeyPath<Self, Value>).map { self[keyPath: $0] = value }
    }
}
