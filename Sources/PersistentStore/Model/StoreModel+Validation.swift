extension StoreModel {
    /// - Throws: `invalidModel` with everything that contradicts itself.
    package func validate() throws(PersistentStoreError) {
        var problems: [String] = []
        var seen: Set<String> = []
        for entity in entities {
            if entity.name.isEmpty { problems.append("an entity has no name") }
            if !seen.insert(entity.name.uppercased()).inserted {
                problems.append("two entities are called \(entity.name)")
            }
            problems += validation(of: entity)
        }
        guard problems.isEmpty else { throw .invalidModel(problems) }
    }

    /// The entities from the root down to the entity of this name; nil when the chain is broken or goes round.
    func lineage(of name: String) -> [Entity]? {
        var result: [Entity] = []
        var next: String? = name
        while let name = next {
            guard let entity = entity(named: name), !result.contains(where: { $0.name == name }) else { return nil }
            result.insert(entity, at: 0)
            next = entity.superentity
        }
        return result
    }

    /// A property that the entity has itself or inherits.
    package func property(_ name: String, of entity: String) -> Property? {
        lineage(of: entity)?.flatMap(\.properties).last { $0.name == name }
    }

    private func validation(of entity: Entity) -> [String] {
        guard let lineage = lineage(of: entity.name) else {
            return ["\(entity.name) inherits from \(entity.superentity ?? ""), which is missing or inherits from it"]
        }
        var problems: [String] = []
        var names: Set<String> = Set(lineage.dropLast().flatMap { $0.properties.map(\.name) })
        for property in entity.properties {
            if property.name.isEmpty { problems.append("\(entity.name) has a property without a name") }
            if !names.insert(property.name).inserted {
                problems.append("\(entity.name) has two properties called \(property.name)")
            }
            if case .relationship(let relationship) = property {
                problems += validation(of: relationship, in: entity)
            }
        }
        for constraint in entity.uniquenessConstraints {
            for path in constraint where !hasColumn(path, entity.name) {
                problems.append("\(entity.name) has no attribute \(path) to be unique")
            }
        }
        for index in entity.indexes {
            for path in index.properties where !hasColumn(path, entity.name) {
                problems.append("\(entity.name) has no attribute \(path) for the index \(index.name)")
            }
        }
        return problems
    }

    private func hasColumn(_ path: String, _ entity: String) -> Bool {
        let name = String(path.prefix { $0 != "." })
        switch property(name, of: entity) {
        case .attribute(let attribute)?:
            return attribute.type.leaves(named: name).contains { $0.path == path || $0.path.hasPrefix(path + ".") }
        case .relationship(let relationship)?: return !relationship.isToMany
        case nil: return false
        }
    }

    private func validation(of relationship: Relationship, in entity: Entity) -> [String] {
        let name = "\(entity.name).\(relationship.name)"
        guard self.entity(named: relationship.destination) != nil else {
            return ["\(name) leads to \(relationship.destination), which is no entity of the model"]
        }
        guard let inverseName = relationship.inverse else { return [] }
        guard case .relationship(let inverse)? = property(inverseName, of: relationship.destination) else {
            return ["\(name) has the inverse \(relationship.destination).\(inverseName), which is no relationship"]
        }
        guard inverse.inverse == relationship.name else {
            return [
                "\(name) has the inverse \(relationship.destination).\(inverseName), whose inverse is "
                    + (inverse.inverse ?? "none")
            ]
        }
        let back = lineage(of: entity.name)?.map(\.name) ?? []
        let forth = lineage(of: inverse.destination)?.map(\.name) ?? []
        guard back.contains(inverse.destination) || forth.contains(entity.name) else {
            return ["\(name) has an inverse that leads to \(inverse.destination)"]
        }
        return []
    }
}
