import SQL

/// The statements that write rows of one layout, prepared when they are first needed and kept with the connection.
final class WriterPlans {
    /// How rows of an entity are deleted.
    struct Deletion {
        /// ?1 is the key, ?2 the version.
        var delete: String
        var deleteAny: String
        /// Remove what leads to the row from join tables and columns without a property; ?1 is the key.
        var joins: [String]
        /// Indexes of the attributes that the history keeps.
        var preserved: [Int]
        var external: PropertySet

        var readsRow: Bool { !preserved.isEmpty || !external.isEmpty }
    }

    private struct UpdateKey: Hashable {
        var entity: Int
        var changed: PropertySet
    }

    let layout: StoreLayout
    private var inserts: [RowBinding?] = []
    private var updates: [UpdateKey: RowBinding] = [:]
    private var deletions: [Int: Deletion] = [:]

    init(layout: StoreLayout) { self.layout = layout }

    /// ?1 is the key, ?2 the entity, the columns follow.
    func insert(_ entity: EntityLayout, _ session: StoreSession) throws(PersistentStoreError) -> RowBinding {
        if entity.number < inserts.count, let known = inserts[entity.number] { return known }
        let columns = entity.properties.flatMap(\.columnNames)
        let names = (["Z_PK", "Z_ENT", "Z_OPT"] + columns.map { quoted($0) }).joined(separator: ", ")
        let values = (["?1", "?2", "1"] + columns.indices.map { "?\($0 + 3)" }).joined(separator: ", ")
        let sql = "INSERT INTO \(quoted(entity.table)) (\(names)) VALUES (\(values))"
        let binding = RowBinding(
            try session.take(sql), entity: entity, properties: entity.properties, first: 3,
            externalFiles: session.externalFiles)
        while inserts.count <= entity.number { inserts.append(nil) }
        inserts[entity.number] = binding
        return binding
    }

    /// ?1 is the new version, ?2 the key, ?3 the expected version, the changed columns follow.
    func update(
        _ entity: EntityLayout, _ changed: PropertySet, _ session: StoreSession
    ) throws(PersistentStoreError) -> RowBinding {
        let key = UpdateKey(entity: entity.number, changed: changed)
        if let known = updates[key] { return known }
        // Programs change a few sets of properties; one that changes any at random does not fill the memory.
        if updates.count >= 200 { updates.removeAll() }
        let properties = entity.properties.filter { changed.contains($0.index) }
        let columns = properties.flatMap(\.columnNames)
        let settings = ["Z_OPT = ?1"] + columns.enumerated().map { "\(quoted($1)) = ?\($0 + 4)" }
        let sql =
            "UPDATE \(quoted(entity.table)) SET \(settings.joined(separator: ", ")) WHERE Z_PK = ?2 AND Z_OPT = ?3"
        let binding = RowBinding(
            try session.take(sql), entity: entity, properties: properties, first: 4,
            externalFiles: session.externalFiles)
        updates[key] = binding
        return binding
    }

    func deletion(_ entity: EntityLayout) -> Deletion {
        if let known = deletions[entity.number] { return known }
        var joins: [String] = []
        var preserved: [Int] = []
        var external = PropertySet()
        for property in entity.properties {
            switch property.kind {
            case .attribute(let columns):
                if property.attribute?.preservesValueInHistoryOnDeletion == true { preserved.append(property.index) }
                if columns.first?.isExternal == true { external.insert(property.index) }
            case .manyToMany(let many):
                joins.append("DELETE FROM \(quoted(many.table)) WHERE \(quoted(many.ownerColumn)) = ?1")
                if many.isReflexive {
                    joins.append("DELETE FROM \(quoted(many.table)) WHERE \(quoted(many.destinationColumn)) = ?1")
                }
            case .oneToMany(let many) where many.inverse == nil:
                let column = quoted(many.column)
                joins.append("UPDATE \(quoted(many.table)) SET \(column) = NULL WHERE \(column) = ?1")
            case .oneToMany, .toOne: break
            }
        }
        let delete = "DELETE FROM \(quoted(entity.table)) WHERE Z_PK = ?1"
        let deletion = Deletion(
            delete: delete + " AND Z_OPT = ?2", deleteAny: delete, joins: joins, preserved: preserved,
            external: external)
        deletions[entity.number] = deletion
        return deletion
    }
}
