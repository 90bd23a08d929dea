/// Resolves a model to tables and columns by the rules of Apple's frameworks.
///
/// The rules are observed from files, not published: `Z` and the upper-cased name; a number when a sibling has the name already;
/// `Z<entity>_<NAME>` beside a to-one that may lead to several entities; join tables named for one side.
struct LayoutBuilder {
    private let model: StoreModel
    private let numbers: [String: Int]
    /// What is really there, when the file was made by others.
    private let existing: FileStructure?

    private var root: [String: String] = [:]
    private var children: [String: [String]] = [:]
    private var entities: [String: Entity] = [:]
    private var tables: [String: TableLayout] = [:]
    private var taken: [String: Set<String>] = [:]
    private var kinds: [String: PropertyLayout.Kind] = [:]
    private var joins: [String: TableLayout] = [:]
    private var problems: [String] = []

    /// - Parameter existing: the tables of a file that follows the same rules with choices of its own; nil when the file is
    ///   ours or is yet to be made.
    init(model: StoreModel, numbers: [String: Int], existing: FileStructure? = nil) {
        self.model = model
        self.numbers = numbers
        self.existing = existing
        for entity in model.entities { entities[entity.name] = entity }
        for entity in ordered {
            children[entity.superentity ?? "", default: []].append(entity.name)
            root[entity.name] = ancestors(of: entity.name).first ?? entity.name
        }
    }

    private var ordered: [Entity] {
        model.entities.sorted { (numbers[$0.name] ?? 0, $0.name) < (numbers[$1.name] ?? 0, $1.name) }
    }

    /// - Throws: `invalidModel` with each property that has no column in an existing file.
    mutating func build() throws(PersistentStoreError) -> StoreLayout {
        for entity in ordered where entity.superentity == nil {
            tables[entity.name] = TableLayout(
                name: Self.tableName(entity.name), root: numbers[entity.name], columns: [])
            taken[entity.name] = ["Z_PK", "Z_ENT", "Z_OPT"]
            for name in family(of: entity.name) { placeColumns(of: name, in: entity.name) }
        }
        for entity in ordered { placeRelationships(of: entity) }
        for entity in ordered { placeIndexes(of: entity) }
        guard problems.isEmpty else { throw .invalidModel(problems) }
        let layouts = ordered.map { layout(of: $0) }
        let list = layouts.compactMap { $0.superentity == nil ? tables[$0.name] : nil }
        return StoreLayout(
            model: model, entities: layouts, tables: list + joins.values.sorted { $0.name < $1.name })
    }

    // MARK: - Inheritance

    /// From the root down, without the entity.
    private func ancestors(of name: String) -> [String] {
        var result: [String] = []
        var next = entities[name]?.superentity
        while let name = next, !result.contains(name) {
            result.insert(name, at: 0)
            next = entities[name]?.superentity
        }
        return result
    }

    /// The entity and all below it.
    private func family(of name: String) -> [String] {
        [name] + (children[name] ?? []).flatMap { family(of: $0) }
    }

    private func number(_ name: String) -> Int { numbers[name] ?? 0 }

    private func isInHierarchy(_ name: String) -> Bool {
        entities[name]?.superentity != nil || children[name]?.isEmpty == false
    }

    // MARK: - Columns

    private static func tableName(_ entity: String) -> String { "Z" + entity.uppercased() }

    private func key(_ entity: String, _ property: String) -> String { entity + "." + property }

    /// A name that no column of the table has yet.
    private mutating func column(_ wanted: String, _ type: String, in root: String) -> String {
        var name = wanted
        var number = 0
        while taken[root]?.contains(name) == true {
            number += 1
            name = wanted + String(number)
        }
        taken[root]?.insert(name)
        tables[root]?.columns.append(.init(name: name, type: type))
        return name
    }

    private mutating func placeColumns(of name: String, in root: String) {
        guard let entity = entities[name] else { return }
        // By name, which decides who of two with one column name gets the number: so it is in the files of Apple's frameworks.
        for property in entity.properties.sorted(by: { $0.name < $1.name }) {
            switch property {
            case .attribute(let attribute):
                let columns = attribute.type.leaves(named: attribute.name).map { leaf in
                    let last = leaf.path.split(separator: ".").last.map(String.init) ?? leaf.path
                    let name = column("Z" + last.uppercased(), leaf.type.columnType, in: root)
                    return ColumnLayout(
                        name: name, path: leaf.path, type: leaf.type, isExternal: attribute.storesExternally)
                }
                check(columns.map(\.name), of: key(name, attribute.name), in: root)
                kinds[key(name, attribute.name)] = .attribute(columns: columns)
            case .relationship(let relationship) where !relationship.isToMany:
                placeToOne(relationship, of: name, in: root)
            case .relationship: break
            }
        }
    }

    private mutating func placeToOne(_ relationship: Relationship, of name: String, in root: String) {
        let upper = relationship.name.uppercased()
        let column = column("Z" + upper, "INTEGER", in: root)
        check([column], of: key(name, relationship.name), in: root)
        var entityColumn: String?
        if family(of: relationship.destination).count > 1 {
            let wanted = "Z\(number(relationship.destination))_\(upper)"
            let found =
                existing.map { $0.entityColumn(upper, in: Self.tableName(root), preferring: wanted) ?? "" } ?? wanted
            if !found.isEmpty { entityColumn = self.column(found, "INTEGER", in: root) }
        }
        var orderColumn: String?
        if let inverse = inverse(of: relationship), inverse.relationship.isToMany, inverse.relationship.isOrdered {
            orderColumn = self.column("Z_FOK_" + column.dropFirst(), "INTEGER", in: root)
        }
        tables[root]?.indexes.append(
            TableIndex(name: "\(Self.tableName(root))_\(column)_INDEX", columns: [column]))
        kinds[key(name, relationship.name)] = .toOne(
            ToOneLayout(
                destination: number(relationship.destination), column: column, entityColumn: entityColumn,
                orderColumn: orderColumn, inverse: inverse(of: relationship)?.index))
    }

    private mutating func check(_ columns: [String], of property: String, in root: String) {
        guard let existing, let table = existing.tables[Self.tableName(root)] else { return }
        for column in columns where table.columns[column] == nil {
            problems.append("the file has no column \(column) for \(property)")
        }
    }

    // MARK: - Relationships

    /// Everything the entity has, inherited ones first.
    private func properties(of name: String) -> [(entity: String, property: Property)] {
        (ancestors(of: name) + [name]).flatMap { level in
            (entities[level]?.properties ?? []).map { (level, $0) }
        }
    }

    private func inverse(of relationship: Relationship) -> (entity: String, relationship: Relationship, index: Int)? {
        guard let name = relationship.inverse else { return nil }
        for (index, found) in properties(of: relationship.destination).enumerated() {
            if case .relationship(let inverse) = found.property, inverse.name == name {
                return (found.entity, inverse, index)
            }
        }
        return nil
    }

    private mutating func placeRelationships(of entity: Entity) {
        for case .relationship(let relationship) in entity.properties where relationship.isToMany {
            let property = key(entity.name, relationship.name)
            guard let inverse = inverse(of: relationship) else {
                placeLonelyToMany(relationship, of: entity)
                continue
            }
            if inverse.relationship.isToMany {
                placeManyToMany(relationship, of: entity.name, inverse: inverse)
            } else if case .toOne(let toOne)? = kinds[key(inverse.entity, inverse.relationship.name)] {
                kinds[property] = .oneToMany(
                    OneToManyLayout(
                        destination: number(relationship.destination),
                        table: Self.tableName(root[inverse.entity] ?? inverse.entity), column: toOne.column,
                        entityColumn: toOne.entityColumn, orderColumn: relationship.isOrdered ? toOne.orderColumn : nil,
                        inverse: inverse.index))
            }
        }
    }

    /// A to-many that nothing leads back from: the other table has a column that no property reads.
    private mutating func placeLonelyToMany(_ relationship: Relationship, of entity: Entity) {
        let destination = root[relationship.destination] ?? relationship.destination
        let wanted = "\(number(entity.name))\(relationship.name.uppercased())"
        let name =
            existing?.column(
                endingWith: relationship.name.uppercased(), in: Self.tableName(destination), preferring: "Z" + wanted)
            ?? "Z" + wanted
        let column = column(name, "INTEGER", in: destination)
        check([column], of: key(entity.name, relationship.name), in: destination)
        let orderColumn = relationship.isOrdered ? self.column("Z_FOK_" + wanted, "INTEGER", in: destination) : nil
        tables[destination]?.indexes.append(
            TableIndex(name: "\(Self.tableName(destination))_\(column)_INDEX", columns: [column]))
        kinds[key(entity.name, relationship.name)] = .oneToMany(
            OneToManyLayout(
                destination: number(relationship.destination), table: Self.tableName(destination), column: column,
                entityColumn: nil, orderColumn: orderColumn, inverse: nil))
    }

    private mutating func placeManyToMany(
        _ relationship: Relationship, of name: String,
        inverse: (entity: String, relationship: Relationship, index: Int)
    ) {
        let other = inverse.relationship
        // One of the two sides gives the table its name: in the files of Apple's frameworks one that is part of a hierarchy, else
        // that of the lower number.
        let mine = (isInHierarchy(name) ? 0 : 1, number(name))
        let theirs = (isInHierarchy(inverse.entity) ? 0 : 1, number(inverse.entity))
        let isOwner = mine != theirs ? mine < theirs : relationship.name <= other.name
        let (owner, dependent) = isOwner ? (relationship, other) : (other, relationship)
        let (ownerNumber, dependentNumber) =
            isOwner ? (number(name), number(inverse.entity)) : (number(inverse.entity), number(name))
        let isReflexive = ownerNumber == dependentNumber && owner.name == dependent.name
        let isSame = ownerNumber == dependentNumber
        var table = "Z_\(ownerNumber)\(owner.name.uppercased())"
        var ownerColumn = "Z_\(ownerNumber)\(dependent.name.uppercased())"
        var dependentColumn =
            isReflexive ? "REFLEXIVE" : "Z_\(dependentNumber)\(owner.name.uppercased())" + (isSame ? "1" : "")
        if let found = existing?.joinTable(
            between: (ownerNumber, owner.name.uppercased()), and: (dependentNumber, dependent.name.uppercased()))
        {
            (table, ownerColumn, dependentColumn) = found
        } else if existing != nil {
            problems.append("the file has no table for \(key(name, relationship.name))")
        }
        let ownerOrder = owner.isOrdered ? "Z_FOK_" + dependentColumn.dropFirst(2) : nil
        let dependentOrder = dependent.isOrdered && !isReflexive ? "Z_FOK_" + ownerColumn.dropFirst(2) : nil
        var columns = [ownerColumn, dependentColumn]
        columns += [ownerOrder, dependentOrder].compactMap { $0 }
        joins[table] = TableLayout(
            name: table, root: nil, columns: columns.map { .init(name: $0, type: "INTEGER") },
            primaryKey: [ownerColumn, dependentColumn],
            indexes: [
                TableIndex(name: "\(table)_\(dependentColumn)_INDEX", columns: [dependentColumn, ownerColumn])
            ])
        kinds[key(name, relationship.name)] = .manyToMany(
            ManyToManyLayout(
                destination: number(relationship.destination), table: table,
                ownerColumn: isOwner ? ownerColumn : dependentColumn,
                destinationColumn: isOwner ? dependentColumn : ownerColumn,
                orderColumn: isOwner ? ownerOrder : dependentOrder,
                inverseOrderColumn: isOwner ? dependentOrder : ownerOrder, isReflexive: isReflexive,
                inverse: inverse.index))
    }

    // MARK: - Indexes

    private mutating func placeIndexes(of entity: Entity) {
        guard let root = root[entity.name] else { return }
        if entity.superentity == nil, children[entity.name]?.isEmpty == false {
            tables[root]?.indexes.append(
                TableIndex(name: "\(Self.tableName(root))_Z_ENT_INDEX", columns: ["Z_ENT"]))
        }
        for constraint in entity.uniquenessConstraints {
            let columns = constraint.flatMap { self.columns(ofPath: $0, in: entity.name) }
            tables[root]?.indexes.append(
                TableIndex(
                    name: "Z_\(entity.name)_UNIQUE_\(constraint.joined(separator: "_"))", columns: columns,
                    isUnique: true))
        }
        for index in entity.indexes {
            let columns = index.properties.flatMap { self.columns(ofPath: $0, in: entity.name) }
            guard !columns.isEmpty else { continue }
            tables[root]?.indexes.append(
                TableIndex(
                    name: "Z_\(entity.name)_\(index.name)", columns: columns, isAscending: index.isAscending))
        }
    }

    private func columns(ofPath path: String, in entity: String) -> [String] {
        let name = String(path.prefix { $0 != "." })
        guard let found = properties(of: entity).first(where: { $0.property.name == name }) else { return [] }
        switch kinds[key(found.entity, name)] {
        case .attribute(let columns)?:
            return columns.filter { $0.path == path || $0.path.hasPrefix(path + ".") }.map(\.name)
        case .toOne(let toOne)?: return [toOne.column]
        default: return []
        }
    }

    // MARK: - Assembly

    private func layout(of entity: Entity) -> EntityLayout {
        let root = root[entity.name] ?? entity.name
        let properties = properties(of: entity.name).enumerated().compactMap { index, found -> PropertyLayout? in
            // Every property of a valid model was placed.
            guard let kind = kinds[key(found.entity, found.property.name)] else { return nil }
            return PropertyLayout(
                index: index, name: found.property.name, property: found.property,
                declaringEntity: number(found.entity), kind: kind)
        }
        let family = family(of: entity.name)
        return EntityLayout(
            number: number(entity.name), table: tables[root]?.name ?? Self.tableName(root), root: number(root),
            superentity: entity.superentity.map(number), ancestors: ancestors(of: entity.name).map(number),
            family: family.map(number), properties: properties, entity: entity,
            sharesTable: family.count < self.family(of: root).count)
    }
}
