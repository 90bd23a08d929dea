import Foundation
import PersistentStore

/// A model object as the store's expressions see it, for what was not saved yet.
struct ModelObject: StoreObject {
    let model: any PersistentModel
    let identity: PredicateIdentity

    func isKind(of entity: String) -> Bool {
        var description: ModelDescription? = ModelDescription.of(type(of: model))
        while let current = description {
            if current.name == entity { return true }
            description = current.superclass
        }
        return false
    }

    func isSame(as other: any StoreObject) -> Bool {
        guard let other = other as? ModelObject else { return false }
        return model === other.model || model.persistentModelID == other.model.persistentModelID
    }

    func isAmong(_ rows: [RowID]) -> Bool {
        guard let own = identity.row(model.persistentModelID) else { return false }
        return rows.contains { $0.key == own.key && identity.root($0) == identity.root(own) }
    }

    func value(_ path: String) -> StoreValue {
        let names = path.split(separator: ".")
        guard let name = names.first, var value = read(String(name)) else { return .null }
        for member in names.dropFirst() {
            guard let field = Mirror(reflecting: value).children.first(where: { $0.label == String(member) }),
                let held = unwrapped(field.value)
            else { return .null }
            value = held
        }
        // Structures and arrays are there, and have no single value.
        return (try? PredicateConstants.value(value)) ?? .composite([])
    }

    func elements(_ attribute: String) -> [StoreValue]? {
        guard let elements = read(attribute) as? any Collection else { return nil }
        return PredicateConstants.elements(elements).map { (try? PredicateConstants.value($0)) ?? .null }
    }

    func object(_ relationship: String) -> (any StoreObject)? {
        (read(relationship) as? any PersistentModel).map { ModelObject(model: $0, identity: identity) }
    }

    func objects(_ relationship: String) -> [any StoreObject] {
        guard let objects = read(relationship) as? any Collection else { return [] }
        return PredicateConstants.elements(objects).compactMap { object in
            guard let model = object as? any PersistentModel, !model.isDeleted else { return nil }
            return ModelObject(model: model, identity: identity)
        }
    }

    // A deleted object has no values: whoever still leads to it leads to a row that will not be there.

    private func read(_ name: String) -> Any? {
        let description = ModelDescription.of(type(of: model))
        guard !model.isDeleted, let index = description.index(named: name) else { return nil }
        return (model as Any)[keyPath: description.properties[index].keyPath].flatMap(unwrapped)
    }
}

/// How identifiers become rows.
struct PredicateIdentity: Sendable {
    let layout: StoreLayout
    let storeIdentifier: String?
    /// Of an app's own store, whose identifiers it knows the rows of.
    var mirror: StoreMirror?

    /// The row of an identifier; nil when it is of another store. What was never saved has a key that no row has.
    func row(_ identifier: PersistentIdentifier) -> RowID? {
        guard let entity = layout.entity(named: identifier.entityName) else { return nil }
        let number = Int32(truncatingIfNeeded: entity.number)
        if let mirror, identifier.storeIdentifier == storeIdentifier {
            return mirror.row(of: identifier) ?? RowID(entity: number, key: -1)
        }
        switch identifier.key {
        case .row(let key):
            return identifier.storeIdentifier == storeIdentifier ? RowID(entity: number, key: key) : nil
        case .temporary(let key): return RowID(entity: number, key: -1 - key)
        case .named: return nil
        }
    }

    func root(_ row: RowID) -> Int? { layout.entity(of: row)?.root }
}
