import PersistentStore

/// An open store as a container's contexts see it: its entities with their classes.
///
/// Made once for each store of a container, then only read, by the contexts of any thread.
package final class StoreBinding: Sendable {
    package let store: PersistentStore
    package let identifier: String
    package let configuration: ModelConfiguration
    /// By their numbers in the file.
    private let entities: [Int: ModelEntity]
    private let entitiesByName: [String: ModelEntity]
    /// Set when the rows stand for those of a store of an app's own kind.
    let mirror: StoreMirror?
    /// How many identity tables a context needs for it.
    let rootCount: Int

    init(
        _ store: PersistentStore, _ configuration: ModelConfiguration, _ descriptions: [ModelDescription],
        mirror: StoreMirror? = nil
    ) {
        self.store = store
        self.configuration = configuration
        self.mirror = mirror
        identifier = mirror?.identifier ?? store.identifier
        let byName = Dictionary(descriptions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var entities: [Int: ModelEntity] = [:]
        var roots: [Int: Int] = [:]
        for layout in store.layout.entities {
            guard let description = byName[layout.name] else { continue }
            let root = roots[layout.root] ?? roots.count
            roots[layout.root] = root
            entities[layout.number] = ModelEntity(layout, description, root: root)
        }
        self.entities = entities
        rootCount = roots.count
        entitiesByName = Dictionary(entities.values.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for entity in entities.values { entity.binding = self }
        mirror?.binding = self
    }

    func entity(_ number: Int32) -> ModelEntity? { entities[Int(number)] }
    var anyEntity: ModelEntity? { entities.values.first }

    /// Deletes every row.
    func erase() throws {
        try mirror?.erase()
        for entity in entities.values where entity.layout.superentity == nil {
            try store.write { writer in
                for row in try writer.identifiers(StoreQuery(entity: entity.name)) {
                    _ = try writer.delete(row, expecting: nil)
                }
            }
        }
    }

    package func entity(named name: String) -> ModelEntity? { entitiesByName[name] }
}

/// An entity of an open store with its class.
package final class ModelEntity: Sendable {
    package let layout: EntityLayout
    package let description: ModelDescription
    package let number: Int32
    /// Which of the store's identity tables its objects are in: entities with one root share one.
    let root: Int
    // Set by the binding that makes and owns the entity, before anybody sees it.
    nonisolated(unsafe) unowned(unsafe) package fileprivate(set) var binding: StoreBinding!

    fileprivate init(_ layout: EntityLayout, _ description: ModelDescription, root: Int) {
        self.layout = layout
        self.description = description
        number = Int32(truncatingIfNeeded: layout.number)
        self.root = root
    }

    package var name: String { description.name }
    package var type: any PersistentModel.Type { description.type }
}
