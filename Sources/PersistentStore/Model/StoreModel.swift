/// What a store keeps: its entities and the name of the version that they are.
package struct StoreModel: Sendable, Hashable, Codable {
    package var entities: [Entity]
    package var versionIdentifiers: [String]

    package init(entities: [Entity], versionIdentifiers: [String] = []) {
        self.entities = entities
        self.versionIdentifiers = versionIdentifiers
    }

    package func entity(named name: String) -> Entity? {
        entities.first { $0.name == name }
    }
}
