import Foundation
import SQL

/// What a column of a new table is filled from.
struct ColumnSource {
    var name: String
    /// An expression over the old table, whose alias is `o`; nil: new, so null.
    var expression: String?
}

extension LightweightMigration {
    /// The prefix of a table that is not in its place yet.
    private static var pending: String { "STRATUS_NEW_" }

    func changeTables(_ layout: StoreLayout) throws(PersistentStoreError) {
        let structure = try FileStructure(reading: session)
        var rebuilt: [String] = []
        var doomed: Set<String> = []
        var kept: Set<String> = []
        for table in layout.tables {
            guard let root = table.root, let entity = layout.entity(root) else {
                if isUnchanged(table, layout) {
                    kept.insert(table.name)
                    continue
                }
                try session.execute(StoreCreation.text(of: table, named: Self.pending + table.name))
                try copyJoin(table, layout)
                rebuilt.append(table.name)
                continue
            }
            guard let old = oldEntity(entity) else {
                try session.execute(StoreCreation.text(of: table, named: Self.pending + table.name))
                rebuilt.append(table.name)
                continue
            }
            let sources = try sources(of: table, entity, layout)
            if try extend(table, old.table, sources, structure) { continue }
            try rebuild(table, old: old, sources, structure)
            rebuilt.append(table.name)
            doomed.insert(old.table)
        }
        for entity in from.layout.entities where matching.newEntity(of: entity.name) == nil {
            // Rows of an entity that is gone, in a table that stays.
            if entity.root != entity.number {
                let stays = layout.tables.contains { $0.name == entity.table } && !doomed.contains(entity.table)
                if stays {
                    try session.run(
                        "DELETE FROM \(quoted(entity.table)) WHERE Z_ENT = ?1", .integer(Int64(entity.number)))
                }
            } else {
                doomed.insert(entity.table)
            }
        }
        for table in from.layout.tables where table.root == nil && !kept.contains(table.name) {
            doomed.insert(table.name)
        }
        session.forgetStatements()
        for table in doomed { try session.execute("DROP TABLE IF EXISTS \(quoted(table))") }
        for table in rebuilt {
            try session.execute("ALTER TABLE \(quoted(Self.pending + table)) RENAME TO \(quoted(table))")
        }
    }

    /// Adds columns to a table that needs nothing else. The work does not grow with its rows.
    ///
    /// - Returns: false when that is not enough.
    private func extend(
        _ table: TableLayout, _ old: String, _ sources: [ColumnSource], _ structure: FileStructure
    ) throws(PersistentStoreError) -> Bool {
        let before = structure.tables[old.uppercased()]?.columns ?? [:]
        let kept = Set(sources.filter { $0.expression == "o." + quoted($0.name) }.map(\.name))
        let claimed = Set(from.layout.tables.first { $0.name == old }?.columns.map(\.name) ?? [])
        guard table.name == old, claimed.subtracting(kept).isEmpty,
            sources.allSatisfy({ $0.expression == nil ? before[$0.name] == nil : kept.contains($0.name) })
        else { return false }
        for column in table.columns where !kept.contains(column.name) {
            try session.execute("ALTER TABLE \(quoted(old)) ADD COLUMN \(quoted(column.name)) \(column.type)")
        }
        return true
    }

    /// Copies all rows into a table of the new form.
    private func rebuild(
        _ table: TableLayout, old: EntityLayout, _ sources: [ColumnSource], _ structure: FileStructure
    ) throws(PersistentStoreError) {
        var table = table
        var names = ["Z_PK", "Z_ENT", "Z_OPT"]
        var values = ["o.Z_PK", "o.Z_ENT", "o.Z_OPT"]
        for source in sources {
            guard let expression = source.expression else { continue }
            names.append(quoted(source.name))
            values.append(expression)
        }
        if let found = structure.tables[old.table.uppercased()] {
            // What the model does not know of another program's table stays in it.
            let claimed = Set(from.layout.tables.first { $0.name == old.table }?.columns.map(\.name) ?? [])
            let wanted = Set(table.columns.map(\.name))
            for column in found.columnOrder
            where !["Z_PK", "Z_ENT", "Z_OPT"].contains(column) && !claimed.contains(column) && !wanted.contains(column)
            {
                table.columns.append(.init(name: column, type: found.columns[column] ?? ""))
                names.append(quoted(column))
                values.append("o." + quoted(column))
            }
        }
        let gone = from.layout.entities.filter { $0.root == old.root && matching.newEntity(of: $0.name) == nil }
        try session.execute(StoreCreation.text(of: table, named: Self.pending + table.name))
        try session.execute(
            "INSERT INTO \(quoted(Self.pending + table.name)) (\(names.joined(separator: ", "))) "
                + "SELECT \(values.joined(separator: ", ")) FROM \(quoted(old.table)) AS o "
                + "WHERE o.Z_ENT NOT IN (\(gone.map { String($0.number) }.joined(separator: ", ")))")
    }

    // MARK: - Where columns come from

    private func sources(
        of table: TableLayout, _ root: EntityLayout, _ layout: StoreLayout
    ) throws(PersistentStoreError) -> [ColumnSource] {
        var found: [String: [String]] = [:]
        func add(_ column: String, _ expression: String?) {
            guard let expression, found[column]?.contains(expression) != true else { return }
            found[column, default: []].append(expression)
        }
        for number in root.family {
            guard let entity = layout.entity(number) else { continue }
            // Of inherited properties too: an old subentity may have had of its own what its parent has now.
            for property in entity.properties {
                for (column, expression) in sources(of: property, entity, layout) { add(column, expression) }
            }
        }
        for entity in layout.entities {
            for property in entity.properties where property.declaringEntity == entity.number {
                guard case .oneToMany(let many) = property.kind, many.inverse == nil, many.table == table.name else {
                    continue
                }
                add(many.column, lonelySource(property, entity, table: root))
            }
        }
        return table.columns.map { column in
            let expressions = found[column.name] ?? []
            return ColumnSource(
                name: column.name,
                expression: expressions.count < 2
                    ? expressions.first : "COALESCE(\(expressions.joined(separator: ", ")))")
        }
    }

    private func sources(
        of property: PropertyLayout, _ entity: EntityLayout, _ layout: StoreLayout
    ) -> [(String, String?)] {
        let was = matching.oldProperty(property.name, of: entity.name)
        let old = was.flatMap { from.layout.entity(named: $0.entity)?.property(named: $0.property.name) }
        switch (property.kind, old?.kind) {
        case (.attribute(let columns), .attribute(let before)?):
            let isComposite = columns.count > 1 || before.count > 1
            return columns.map { column in
                // Elements of a composite are known by their path below its name.
                let source =
                    isComposite ? before.first { Self.element($0.path) == Self.element(column.path) } : before.first
                return (column.name, source.map { attributeSource($0, column) })
            }
        case (.toOne(let toOne), .toOne(let before)?):
            guard leadsToSame(property, old) else { return [] }
            let key = "o." + quoted(before.column)
            return [(toOne.column, key)]
                + entitySource(toOne, key: key, known: before.entityColumn)
                + [(toOne.orderColumn, before.orderColumn)].compactMap { new, old in
                    new.map { ($0, old.map { "o." + quoted($0) }) }
                }
        case (.toOne(let toOne), .manyToMany(let before)?):
            // Of several one remains: the first.
            let key =
                "(SELECT MIN(j.\(quoted(before.destinationColumn))) FROM \(quoted(before.table)) AS j "
                + "WHERE j.\(quoted(before.ownerColumn)) = o.Z_PK)"
            return [(toOne.column, key)] + entitySource(toOne, key: key, known: nil)
        case (.toOne(let toOne), .oneToMany(let before)?):
            let key =
                "(SELECT MIN(d.Z_PK) FROM \(quoted(before.table)) AS d WHERE d.\(quoted(before.column)) = o.Z_PK)"
            return [(toOne.column, key)] + entitySource(toOne, key: key, known: nil)
        case (.toOne(let toOne), nil):
            // The other side was there alone.
            guard let inverse = toOne.inverse, let other = layout.entity(toOne.destination),
                other.properties.indices.contains(inverse),
                let was = matching.oldProperty(other.properties[inverse].name, of: other.name),
                case .oneToMany(let before)? =
                    from.layout.entity(named: was.entity)?.property(named: was.property.name)?.kind,
                let old = oldEntity(entity), before.table == old.table
            else { return [] }
            let key = "o." + quoted(before.column)
            return [(toOne.column, key)] + entitySource(toOne, key: key, known: before.entityColumn)
        default: return []
        }
    }

    private static func element(_ path: String) -> Substring { path.drop { $0 != "." } }

    /// A value that may come to lie in a file of its own gets the mark of where it is; `bringIn` does the opposite.
    private func attributeSource(_ old: ColumnLayout, _ new: ColumnLayout) -> String {
        let column = "o." + quoted(old.name)
        if !old.isExternal, new.isExternal {
            return "CASE WHEN \(column) IS NOT NULL THEN CAST(x'01' || \(column) AS BLOB) END"
        }
        return column
    }

    private func entitySource(_ toOne: ToOneLayout, key: String, known: String?) -> [(String, String?)] {
        guard let column = toOne.entityColumn else { return [] }
        if let known { return [(column, "o." + quoted(known))] }
        // Entities keep their numbers, so the other row's own says it.
        let table = from.layout.entity(toOne.destination)?.table
        return [(column, table.map { "(SELECT e.Z_ENT FROM \(quoted($0)) AS e WHERE e.Z_PK = \(key))" })]
    }

    private func lonelySource(_ property: PropertyLayout, _ entity: EntityLayout, table: EntityLayout) -> String? {
        guard let was = matching.oldProperty(property.name, of: entity.name),
            case .oneToMany(let before)? = from.layout.entity(named: was.entity)?.property(named: was.property.name)?
                .kind,
            before.table == oldEntity(table)?.table
        else { return nil }
        return "o." + quoted(before.column)
    }

    private func leadsToSame(_ new: PropertyLayout, _ old: PropertyLayout?) -> Bool {
        guard let now = new.relationship, let was = old?.relationship else { return false }
        guard let before = matching.entities[now.destination] else { return false }
        // To the same entity, or to one above it.
        return (from.model.lineage(of: was.destination) ?? []).contains { $0.name == before }
    }

    // MARK: - Values in files

    /// Reads values whose attribute is no longer stored externally into their columns.
    func bringIn(_ layout: StoreLayout) throws(PersistentStoreError) {
        for entity in layout.entities {
            for property in entity.properties where property.declaringEntity == entity.number {
                guard case .attribute(let columns) = property.kind, let column = columns.first, !column.isExternal,
                    let was = matching.oldProperty(property.name, of: entity.name),
                    case .attribute(let old)? =
                        from.layout.entity(named: was.entity)?.property(named: was.property.name)?.kind,
                    old.first?.isExternal == true
                else { continue }
                let name = quoted(column.name)
                var keys: [Int64] = []
                try session.rows("SELECT Z_PK FROM \(quoted(entity.table)) WHERE \(name) IS NOT NULL") { row in
                    keys.append(row.int64(0))
                }
                for key in keys {
                    var value = Data()
                    try session.rows("SELECT \(name) FROM \(quoted(entity.table)) WHERE Z_PK = ?1", [.integer(key)]) {
                        (row) throws(PersistentStoreError) in
                        value = try session.externalFiles.value(Data(row.blob(0)))
                    }
                    try session.run(
                        "UPDATE \(quoted(entity.table)) SET \(name) = ?1 WHERE Z_PK = ?2", .data(value), .integer(key))
                }
            }
        }
    }

    // MARK: - Join tables

    /// Whether an old join table serves as it is.
    private func isUnchanged(_ table: TableLayout, _ layout: StoreLayout) -> Bool {
        guard let old = from.layout.tables.first(where: { $0.name == table.name && $0.root == nil }),
            Set(old.columns) == Set(table.columns), old.primaryKey == table.primaryKey
        else { return false }
        return layout.entities.contains { entity in
            entity.properties.contains { property in
                guard property.declaringEntity == entity.number, case .manyToMany(let many) = property.kind,
                    many.table == table.name, let was = matching.oldProperty(property.name, of: entity.name),
                    let before = from.layout.entity(named: was.entity)?.property(named: was.property.name),
                    case .manyToMany(let then) = before.kind, leadsToSame(property, before)
                else { return false }
                return then.table == many.table && then.ownerColumn == many.ownerColumn
                    && then.destinationColumn == many.destinationColumn
            }
        }
    }

    private func copyJoin(_ table: TableLayout, _ layout: StoreLayout) throws(PersistentStoreError) {
        for entity in layout.entities {
            for property in entity.properties where property.declaringEntity == entity.number {
                guard case .manyToMany(let many) = property.kind, many.table == table.name,
                    let was = matching.oldProperty(property.name, of: entity.name),
                    let old = from.layout.entity(named: was.entity)?.property(named: was.property.name),
                    let owner = from.layout.entity(named: was.entity), leadsToSame(property, old),
                    let pairs = pairs(old, owner)
                else { continue }
                var columns = [many.ownerColumn, many.destinationColumn]
                var values = ["owner", "destination"]
                if let order = many.orderColumn, pairs.isOrdered {
                    columns.append(order)
                    values.append("place")
                }
                // Both sides are asked: one may be new.
                try session.execute(
                    "INSERT OR IGNORE INTO \(quoted(Self.pending + table.name)) "
                        + "(\(columns.map { quoted($0) }.joined(separator: ", "))) "
                        + "SELECT \(values.joined(separator: ", ")) FROM (\(pairs.text))")
                if let order = many.orderColumn, pairs.isOrdered {
                    try session.execute(
                        "UPDATE \(quoted(Self.pending + table.name)) SET \(quoted(order)) = (SELECT place FROM "
                            + "(\(pairs.text)) WHERE owner = \(quoted(many.ownerColumn)) "
                            + "AND destination = \(quoted(many.destinationColumn))) WHERE \(quoted(order)) IS NULL")
                }
            }
        }
    }

    /// What an old relationship led to, as (owner, destination, place).
    private func pairs(_ old: PropertyLayout, _ owner: EntityLayout) -> (text: String, isOrdered: Bool)? {
        switch old.kind {
        case .attribute: return nil
        case .toOne(let toOne):
            let column = quoted(toOne.column)
            return (
                "SELECT Z_PK AS owner, \(column) AS destination FROM \(quoted(owner.table)) WHERE \(column) IS NOT NULL",
                false
            )
        case .oneToMany(let many):
            let column = quoted(many.column)
            let place = many.orderColumn.map { ", \(quoted($0)) AS place" } ?? ""
            return (
                "SELECT \(column) AS owner, Z_PK AS destination\(place) FROM \(quoted(many.table)) "
                    + "WHERE \(column) IS NOT NULL",
                many.orderColumn != nil
            )
        case .manyToMany(let many):
            let place = many.orderColumn.map { ", \(quoted($0)) AS place" } ?? ""
            return (
                "SELECT \(quoted(many.ownerColumn)) AS owner, \(quoted(many.destinationColumn)) AS destination\(place) "
                    + "FROM \(quoted(many.table))",
                many.orderColumn != nil
            )
        }
    }

    // MARK: - Indexes

    /// Drops the indexes that the new version has not or has otherwise, and makes those that are missing.
    func replaceIndexes(_ layout: StoreLayout) throws(PersistentStoreError) {
        var wanted: [String: String] = [:]
        var uniques: [String: String] = [:]
        for table in layout.tables {
            for index in table.indexes {
                wanted[index.name] = StoreCreation.text(of: index, on: table.name)
                if index.isUnique { uniques[index.name] = table.name }
            }
        }
        let tables = Set(layout.tables.map(\.name))
        var stale: [String] = []
        var present: Set<String> = []
        try session.rows("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL") {
            row in
            let name = row.text(0)
            guard tables.contains(row.text(1)) else { return }
            if let text = wanted[name], text.replacing(" IF NOT EXISTS", with: "") == row.text(2) {
                present.insert(name)
            } else if from.isOurs || wanted[name] != nil {
                stale.append(name)
            }
        }
        session.forgetStatements()
        for name in stale { try session.execute("DROP INDEX IF EXISTS \(quoted(name))") }
        for (name, text) in wanted.sorted(by: { $0.key < $1.key }) where !present.contains(name) {
            do throws(PersistentStoreError) {
                try session.execute(text)
            } catch {
                guard let table = uniques[name], case .database = error else { throw error }
                throw .migration(
                    path: session.path,
                    reasons: [
                        "rows of \(table) have the same values of the unique constraint \(name): make them differ, or delete "
                            + "all but one, in willMigrate"
                    ])
            }
        }
    }
}
