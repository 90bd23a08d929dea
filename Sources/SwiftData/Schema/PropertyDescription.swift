import PersistentStore
import Synchronization

/// One property of a model class.
package final class PropertyDescription: Sendable {
    /// How a property is kept.
    package enum Kind: Sendable {
        /// A value with a column type of its own.
        case value(AttributeType)
        /// A raw value stands for it.
        case raw(AttributeType)
        /// A structure whose fields have a column each.
        case composite(CompositeShape)
        /// Encoded bytes.
        case encoded
        /// Bytes that a transformer makes.
        case transformable
        case toOne(any PersistentModel.Type)
        case toMany(any PersistentModel.Type)
        /// Nothing that can be kept.
        case unsupported
    }

    package let name: String
    package let index: Int
    // Key paths and types are immutable; schema properties are changed by nobody once their schema is made; defaults are
    // only read.
    nonisolated(unsafe) package let keyPath: AnyKeyPath
    package let valueType: any Any.Type
    /// The type without its `Optional`.
    package let wrappedType: any Any.Type
    package let isOptional: Bool
    package let kind: Kind
    nonisolated(unsafe) package let schemaProperty: any SchemaProperty
    nonisolated(unsafe) package let defaultValue: Any?
    package let declaringType: any PersistentModel.Type
    /// Told of changes that a property's other end makes.
    let observation: any PropertyObserving

    private let inverse = Mutex<InverseState>(.unknown)

    private enum InverseState { case unknown, known(Int?) }

    init(_ metadata: Schema.PropertyMetadata, index: Int, declaredBy type: any PersistentModel.Type) {
        name = metadata.name
        self.index = index
        keyPath = metadata.keypath
        declaringType = type
        let valueType = Swift.type(of: metadata.keypath).valueType
        self.valueType = valueType
        let wrapped = SwiftData.wrappedType(of: valueType)
        isOptional = wrapped != nil
        wrappedType = wrapped ?? valueType
        defaultValue = metadata.defaultValue.flatMap { isNil($0) ? nil : $0 }
        observation = makeObservation(type, valueType, metadata.keypath)
        let given = metadata.metadata as? Schema.Attribute
        kind = Self.kind(of: wrappedType, given)
        switch kind {
        case .toOne, .toMany:
            let relationship = metadata.metadata as? Schema.Relationship ?? Schema.Relationship()
            relationship.name = name
            if relationship.originalName.isEmpty { relationship.originalName = name }
            relationship.valueType = valueType
            relationship.keypath = metadata.keypath
            schemaProperty = relationship
        default:
            let attribute: Schema.Attribute
            if case .composite(let shape) = kind {
                attribute = Schema.CompositeAttribute(given, shape)
            } else {
                attribute = given ?? Schema.Attribute()
            }
            attribute.name = name
            if attribute.originalName.isEmpty { attribute.originalName = name }
            attribute.valueType = valueType
            attribute.defaultValue = defaultValue
            schemaProperty = attribute
        }
    }

    private static func kind(of type: any Any.Type, _ attribute: Schema.Attribute?) -> Kind {
        if attribute?.isTransformable == true { return .transformable }
        if let model = type as? any PersistentModel.Type { return .toOne(model) }
        if let collection = type as? any RelationshipCollection.Type { return .toMany(element(of: collection)) }
        if attribute?.options.contains(.codable) == true, type is any Decodable.Type { return .encoded }
        if let value = type as? any _StoredValue.Type { return .value(value.attributeType) }
        if type is any Codable.Type, let raw = type as? any RawRepresentable.Type, let value = rawType(of: raw) {
            return .raw(value)
        }
        guard let codable = type as? any Codable.Type else { return .unsupported }
        if let shape = CompositeShape.of(codable) { return .composite(shape) }
        return .encoded
    }

    package var isToMany: Bool {
        if case .toMany = kind { true } else { false }
    }

    /// The class that a relationship leads to.
    package var destination: (any PersistentModel.Type)? {
        switch kind {
        case .toOne(let type), .toMany(let type): type
        default: nil
        }
    }

    var relationship: Schema.Relationship? { schemaProperty as? Schema.Relationship }
    var attribute: Schema.Attribute? { schemaProperty as? Schema.Attribute }

    /// Whether it is a to-many that no column of the other side keeps.
    func isLinked(in description: ModelDescription) -> Bool {
        guard case .toMany(let destination) = kind else { return false }
        guard let inverse = resolvedInverse(in: description) else { return true }
        return ModelDescription.of(destination).properties[inverse].isToMany
    }

    // MARK: - The other end

    /// The inverse is the one that either side names; else, when exactly one relationship leads each way, that one.
    func resolvedInverse(in description: ModelDescription) -> Int? {
        if case .known(let index) = inverse.withLock({ $0 }) { return index }
        let found = findInverse()
        inverse.withLock { $0 = .known(found) }
        return found
    }

    private func findInverse() -> Int? {
        guard let destination, let relationship else { return nil }
        let other = ModelDescription.of(destination)
        let own = ModelDescription.of(declaringType)
        if let keyPath = relationship.inverseKeyPath { return other.index(of: keyPath) }
        let back = other.properties.filter { candidate in
            guard let type = candidate.destination else { return false }
            let target = ModelDescription.of(type)
            return own.inherits(from: target) || target.inherits(from: own)
        }
        if let named = back.first(where: { $0.relationship?.inverseKeyPath.map { own.index(of: $0) == index } ?? false }
        ) {
            return named.index
        }
        // Nobody names it: only where there is no choice, and no relationship is its own inverse by accident.
        let free = back.filter { $0.relationship?.inverseKeyPath == nil && !($0 === self) }
        let siblings = own.properties.filter { sibling in
            guard let type = sibling.destination, sibling.relationship?.inverseKeyPath == nil else { return false }
            let target = ModelDescription.of(type)
            return target === other || target.inherits(from: other) || other.inherits(from: target)
        }
        guard other !== own, free.count == 1, siblings.count == 1 else { return nil }
        return free[0].index
    }
}

// MARK: - Types

protocol OptionalType {
    static var wrappedType: any Any.Type { get }
    static var noValue: Any { get }
    var isNilValue: Bool { get }
}

extension Optional: OptionalType {
    static var wrappedType: any Any.Type { Wrapped.self }
    static var noValue: Any { Self.none as Any }
    var isNilValue: Bool { self == nil }
}

/// What an optional type may hold; nil for other types.
func wrappedType(of type: any Any.Type) -> (any Any.Type)? { (type as? any OptionalType.Type)?.wrappedType }

private func isNil(_ value: Any) -> Bool { (value as? any OptionalType)?.isNilValue ?? false }

private func element<Collection: RelationshipCollection>(of type: Collection.Type) -> any PersistentModel.Type {
    Collection.PersistentElement.self
}

private func rawType<Value: RawRepresentable>(of type: Value.Type) -> AttributeType? {
    (Value.RawValue.self as? any _StoredValue.Type)?.attributeType
}

// MARK: - Observation

/// Tells an object's observers of one property, when the change was not made through the property itself.
protocol PropertyObserving: Sendable {
    func willSet(_ model: any PersistentModel, _ registrar: ObservationRegistrar)
    func didSet(_ model: any PersistentModel, _ registrar: ObservationRegistrar)
}

private struct PropertyObservation<Root: PersistentModel, Value>: PropertyObserving {
    // Key paths are immutable.
    nonisolated(unsafe) let keyPath: KeyPath<Root, Value>

    func willSet(_ model: any PersistentModel, _ registrar: ObservationRegistrar) {
        guard let model = model as? Root else { return }
        registrar.willSet(model, keyPath: keyPath)
    }

    func didSet(_ model: any PersistentModel, _ registrar: ObservationRegistrar) {
        guard let model = model as? Root else { return }
        registrar.didSet(model, keyPath: keyPath)
    }
}

private struct NoObservation: PropertyObserving {
    func willSet(_ model: any PersistentModel, _ registrar: ObservationRegistrar) {}
    func didSet(_ model: any PersistentModel, _ registrar: ObservationRegistrar) {}
}

private func makeObservation(
    _ type: any PersistentModel.Type, _ valueType: any Any.Type, _ keyPath: AnyKeyPath
) -> any PropertyObserving {
    func withRoot<Root: PersistentModel>(_ root: Root.Type) -> any PropertyObserving {
        func withValue<Value>(_ value: Value.Type) -> any PropertyObserving {
            guard let keyPath = keyPath as? KeyPath<Root, Value> else { return NoObservation() }
            return PropertyObservation(keyPath: keyPath)
        }
        return _openExistential(valueType, do: withValue)
    }
    return withRoot(type)
}
