import SQL

/// A model read out of a file's own tables, for files that do not say theirs in this module's form.
///
/// Tables do not tell everything: whose of several subentities a column is (all become the root's), where a key leads that has no
/// entity beside it and not the name of one (it stays a number), which relationships are inverse to each other unless a join table
/// has both, what the bytes of a BLOB mean, and how a name was spelled (it is lower-cased).
struct FileModel {
    private struct Entry {
        var number: Int
        var name: String
        var parent: Int
    }

    private let structure: FileStructure
    private let entries: [Entry]

    init(session: StoreSession, structure: FileStructure, numbers: [String: Int]) throws(PersistentStoreError) {
        self.structure = structure
        var parents: [Int: Int] = [:]
        try session.rows("SELECT Z_ENT, Z_SUPER FROM Z_PRIMARYKEY") { row in
            parents[Int(row.int64(0))] = Int(row.int64(1))
        }
        entries = numbers.map { Entry(number: $1, name: $0, parent: parents[$1] ?? 0) }
            .sorted { $0.number < $1.number }
    }

    /// The whole file.
    func model() -> StoreModel {
        var entities: [String: Entity] = [:]
        for entry in entries {
            var entity = Entity(entry.name, superentity: parent(of: entry))
            if entity.superentity == nil { entity.properties = attributes(of: entry) }
            entities[entry.name] = entity
        }
        addLonelyToManys(to: &entities)
        addJoins(to: &entities)
        return StoreModel(entities: entries.compactMap { entities[$0.name] })
    }

    private func parent(of entry: Entry) -> String? {
        entries.first { $0.number == entry.parent && $0.number != entry.number }?.name
    }

    private func attributes(of entry: Entry) -> [Property] {
        guard let table = structure.tables["Z" + entry.name.uppercased()] else { return [] }
        let toOnes = Set(table.columnOrder.compactMap { destination(of: $0) }.map(\.name))
        return table.columnOrder.compactMap { column -> Property? in
            guard column.hasPrefix("Z"), !["Z_PK", "Z_ENT", "Z_OPT"].contains(column),
                column == column.uppercased(), destination(of: column) == nil,
                lonelyToMany(column, in: table.name) == nil
            else { return nil }
            let name = String(column.dropFirst())
            if toOnes.contains(name),
                let number = table.columnOrder.compactMap({ destination(of: $0) }).first(where: { $0.name == name })?
                    .number,
                let destination = entries.first(where: { $0.number == number })
            {
                return .relationship(Relationship(name.lowercased(), to: destination.name))
            }
            // Every to-one has an index of its own; one that is called as an entity most likely leads there.
            if isIndexed(column, in: table.name),
                let destination = entries.first(where: { $0.name.uppercased() == name })
            {
                return .relationship(Relationship(name.lowercased(), to: destination.name))
            }
            return .attribute(Attribute(name.lowercased(), type(of: table.columns[column] ?? ""), isOptional: true))
        }
    }

    private func isIndexed(_ column: String, in table: String) -> Bool {
        structure.indexes["\(table)_\(column)_INDEX"] != nil
    }

    /// The entity's number and the relationship's name in a column like `Z1SPEC`: of a to-many without inverse.
    private func lonelyToMany(_ column: String, in table: String) -> (number: Int, name: String)? {
        let rest = column.dropFirst()
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        let name = String(rest.dropFirst(digits.count))
        guard column.hasPrefix("Z"), let number = Int(digits), !name.isEmpty, !name.hasPrefix("_"),
            isIndexed(column, in: table), entries.contains(where: { $0.number == number })
        else { return nil }
        return (number, name)
    }

    private func addLonelyToManys(to entities: inout [String: Entity]) {
        for entry in entries where parent(of: entry) == nil {
            guard let table = structure.tables["Z" + entry.name.uppercased()] else { continue }
            for column in table.columnOrder {
                guard let (number, name) = lonelyToMany(column, in: table.name),
                    let owner = entries.first(where: { $0.number == number })?.name
                else { continue }
                entities[owner]?.properties.append(
                    .relationship(Relationship(name.lowercased(), to: entry.name, isToMany: true)))
            }
        }
    }

    /// The entity's number and the relationship's name in a column like `Z22_OWNER`.
    private func destination(of column: String) -> (number: Int, name: String)? {
        let rest = column.dropFirst()
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard column.hasPrefix("Z"), let number = Int(digits), rest.dropFirst(digits.count).first == "_",
            entries.contains(where: { $0.number == number })
        else { return nil }
        return (number, String(rest.dropFirst(digits.count + 1)))
    }

    private func type(of declared: String) -> AttributeType {
        switch declared.uppercased() {
        case "INTEGER": .integer64
        case "FLOAT": .double
        case "DECIMAL": .decimal
        case "TIMESTAMP": .date
        case "VARCHAR": .string
        default: .binary
        }
    }

    /// Relationships that have a join table `Z_<number><NAME>`.
    private func addJoins(to entities: inout [String: Entity]) {
        for table in structure.tables.values.sorted(by: { $0.name < $1.name }) {
            let keys = table.columnOrder.filter { !$0.hasPrefix("Z_FOK_") }
            if keys.count == 2, keys.contains("REFLEXIVE"), let named = side(table.name),
                var owner = entities[named.entity]
            {
                let name = named.name.lowercased()
                owner.properties.append(
                    .relationship(Relationship(name, to: named.entity, inverse: name, isToMany: true)))
                entities[named.entity] = owner
                continue
            }
            guard let named = side(table.name), keys.count == 2, let one = side(keys[0]), let two = side(keys[1]),
                let own = [one, two].first(where: { $0.number == named.number && $0.name != named.name })
                    ?? [one, two].first(where: { $0.number == named.number }),
                let other = [one, two].first(where: { $0.name.hasPrefix(named.name) }) ?? [one, two].last,
                own != other, var owner = entities[named.entity], let destination = entities[other.entity]
            else { continue }
            let isOrdered = table.columnOrder.contains { $0.hasPrefix("Z_FOK_") && $0.hasSuffix(named.name) }
            let name = named.name.lowercased()
            let inverse = own.name.lowercased()
            guard !owner.properties.contains(where: { $0.name == name }) else { continue }
            owner.properties.append(
                .relationship(
                    Relationship(name, to: other.entity, inverse: inverse, isToMany: true, isOrdered: isOrdered)))
            entities[named.entity] = owner
            guard var back = entities[destination.name], !back.properties.contains(where: { $0.name == inverse })
            else { continue }
            back.properties.append(
                .relationship(Relationship(inverse, to: named.entity, inverse: name, isToMany: true)))
            entities[destination.name] = back
        }
    }

    private struct Side: Equatable {
        var number: Int
        var name: String
        var entity: String
    }

    private func side(_ text: String) -> Side? {
        guard text.hasPrefix("Z_") else { return nil }
        let rest = text.dropFirst(2)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), let entry = entries.first(where: { $0.number == number }) else { return nil }
        return Side(number: number, name: String(rest.dropFirst(digits.count)), entity: entry.name)
    }
}

// MARK: - With a model at hand

extension FileModel {
    /// What of a wanted model the file has. What it has beyond is left alone: it stays in the file, unseen.
    func model(preferring wanted: StoreModel) -> StoreModel {
        var model = StoreModel(entities: [], versionIdentifiers: [])
        for entry in entries {
            guard
                var entity = wanted.entity(named: entry.name)
                    ?? wanted.entities.first(where: {
                        $0.renamingIdentifier == entry.name
                    })
            else { continue }
            entity.name = entry.name
            entity.superentity = parent(of: entry)
            entity.uniquenessConstraints = []
            entity.indexes = []
            let columns = structure.tables["Z" + root(of: entry).uppercased()]?.columns ?? [:]
            entity.properties = entity.properties.compactMap { property in
                presence(of: property, in: columns, wanted: wanted, entity: entry)
            }
            model.entities.append(entity)
        }
        dropBroken(&model)
        return model
    }

    private func root(of entry: Entry) -> String {
        var current = entry
        // No longer than there are entities: a damaged file may go round.
        for _ in entries {
            guard let above = entries.first(where: { $0.number == current.parent && $0.number != current.number })
            else { break }
            current = above
        }
        return current.name
    }

    private func presence(
        of property: Property, in columns: [String: String], wanted: StoreModel, entity: Entry
    ) -> Property? {
        switch property {
        case .attribute(var attribute):
            for name in [attribute.name, attribute.renamingIdentifier].compactMap({ $0 }) {
                let leaves = attribute.type.leaves(named: name).map { leaf in
                    "Z" + (leaf.path.split(separator: ".").last.map(String.init) ?? leaf.path).uppercased()
                }
                guard leaves.allSatisfy({ columns[$0] != nil }) else { continue }
                attribute.name = name
                return .attribute(attribute)
            }
            return nil
        case .relationship(var relationship):
            if relationship.isToMany { return property }
            for name in [relationship.name, relationship.renamingIdentifier].compactMap({ $0 })
            where columns["Z" + name.uppercased()] != nil {
                relationship.name = name
                return .relationship(relationship)
            }
            return nil
        }
    }

    /// Takes out relationships that lead nowhere in the file, until all that are left agree.
    private func dropBroken(_ model: inout StoreModel) {
        var changed = true
        while changed {
            changed = false
            for index in model.entities.indices {
                let name = model.entities[index].name
                let kept = model.entities[index].properties.filter { property in
                    guard case .relationship(let relationship) = property else { return true }
                    return isPresent(relationship, of: name, in: model)
                }
                if kept.count != model.entities[index].properties.count {
                    model.entities[index].properties = kept
                    changed = true
                }
            }
        }
    }

    private func isPresent(_ relationship: Relationship, of entity: String, in model: StoreModel) -> Bool {
        guard model.entity(named: relationship.destination) != nil else { return false }
        guard relationship.isToMany else {
            guard let name = relationship.inverse else { return true }
            return model.property(name, of: relationship.destination) != nil
        }
        guard let name = relationship.inverse else {
            guard let destination = entries.first(where: { $0.name == relationship.destination }) else { return false }
            return structure.column(
                endingWith: relationship.name.uppercased(), in: "Z" + root(of: destination).uppercased()) != nil
        }
        guard case .relationship(let inverse)? = model.property(name, of: relationship.destination) else {
            return false
        }
        guard inverse.isToMany else { return true }
        // Whichever levels of the two hierarchies declare them.
        let mine = numbers(of: entity, in: model)
        let theirs = numbers(of: relationship.destination, in: model)
        return mine.contains { one in
            theirs.contains { other in
                structure.joinTable(
                    between: (one, relationship.name.uppercased()), and: (other, inverse.name.uppercased())) != nil
            }
        }
    }

    private func numbers(of entity: String, in model: StoreModel) -> [Int] {
        let names = Set((model.lineage(of: entity) ?? []).map(\.name))
        return entries.filter { names.contains($0.name) }.map(\.number)
    }
}
