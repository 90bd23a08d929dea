import CSQLite
import SQL

extension StoreWriter {
    /// Makes a to-many lead to one more row. Linking twice is linking once.
    ///
    /// It writes no version: the caller's `update` of the row does, when it names the relationship as changed.
    ///
    /// - Parameter order: where the relationship is ordered, the row's place: any number, sorted by it.
    package func link(
        _ property: Int, of owner: RowID, to destination: RowID, order: Int64? = nil
    ) throws(PersistentStoreError) {
        switch try toMany(property, of: owner) {
        case .manyToMany(let many):
            try linkJoined(many, owner.key, destination.key, order: order)
            noteChange(property, of: owner, changed: session.changes > 0, inverse: many.inverse, destination)
        case .oneToMany(let many):
            var settings = "\(quoted(many.column)) = ?1"
            var values: [StoreValue] = [.integer(owner.key), .integer(destination.key)]
            func set(_ column: String?, _ value: Int64?) {
                guard let column, let value else { return }
                values.append(.integer(value))
                settings += ", \(quoted(column)) = ?\(values.count)"
            }
            set(many.entityColumn, Int64(owner.entity))
            set(many.orderColumn, order)
            try session.rows("UPDATE \(quoted(many.table)) SET \(settings) WHERE Z_PK = ?2", values) { _ in }
            noteChange(property, of: owner, changed: session.changes > 0, inverse: many.inverse, destination)
        default: break
        }
    }

    /// Takes a row out of a to-many.
    package func unlink(
        _ property: Int, of owner: RowID, from destination: RowID
    ) throws(PersistentStoreError) {
        switch try toMany(property, of: owner) {
        case .manyToMany(let many):
            let text =
                "DELETE FROM \(quoted(many.table)) WHERE \(quoted(many.ownerColumn)) = ?1 "
                + "AND \(quoted(many.destinationColumn)) = ?2"
            try session.run(text, .integer(owner.key), .integer(destination.key))
            let changed = session.changes > 0
            if many.isReflexive { try session.run(text, .integer(destination.key), .integer(owner.key)) }
            noteChange(property, of: owner, changed: changed, inverse: many.inverse, destination)
        case .oneToMany(let many):
            var settings = "\(quoted(many.column)) = NULL"
            if let column = many.entityColumn { settings += ", \(quoted(column)) = NULL" }
            try session.run(
                "UPDATE \(quoted(many.table)) SET \(settings) WHERE Z_PK = ?2 AND \(quoted(many.column)) = ?1",
                .integer(owner.key), .integer(destination.key))
            noteChange(property, of: owner, changed: session.changes > 0, inverse: many.inverse, destination)
        default: break
        }
    }

    /// Gives the rows of an ordered to-many this order. They must be linked already; others keep their places.
    package func setOrder(
        _ property: Int, of owner: RowID, _ destinations: [RowID]
    ) throws(PersistentStoreError) {
        let text: String
        switch try toMany(property, of: owner) {
        case .manyToMany(let many):
            guard let column = many.orderColumn.map({ quoted($0) }) else { return }
            text =
                "UPDATE \(quoted(many.table)) SET \(column) = ?3 WHERE \(quoted(many.ownerColumn)) = ?1 "
                + "AND \(quoted(many.destinationColumn)) = ?2 AND \(column) IS NOT ?3"
        case .oneToMany(let many):
            guard let column = many.orderColumn.map({ quoted($0) }) else { return }
            text =
                "UPDATE \(quoted(many.table)) SET \(column) = ?3 WHERE \(quoted(many.column)) = ?1 AND Z_PK = ?2 "
                + "AND \(column) IS NOT ?3"
        default: return
        }
        var changed = false
        for (place, destination) in destinations.enumerated() {
            // With room between them, as Apple's frameworks leave it.
            let order = Int64(place + 1) &* 1024
            try session.run(text, .integer(owner.key), .integer(destination.key), .integer(order))
            changed = changed || session.changes > 0
        }
        if changed { changes.update(owner, [property]) }
    }

    private func linkJoined(
        _ many: ManyToManyLayout, _ owner: Int64, _ destination: Int64, order: Int64?
    ) throws(PersistentStoreError) {
        var columns = [many.ownerColumn, many.destinationColumn]
        if order != nil, let column = many.orderColumn { columns.append(column) }
        let names = columns.map { quoted($0) }.joined(separator: ", ")
        let text =
            "INSERT OR IGNORE INTO \(quoted(many.table)) (\(names)) "
            + "VALUES (?1, ?2\(columns.count > 2 ? ", ?3" : ""))"
        // A pair that is its own inverse has two rows; the one that counts as the change is the last.
        if many.isReflexive, owner != destination {
            try session.run(text, .integer(destination), .integer(owner))
        }
        if let order, columns.count > 2 {
            try session.run(text, .integer(owner), .integer(destination), .integer(order))
        } else {
            try session.run(text, .integer(owner), .integer(destination))
        }
    }

    private func toMany(_ property: Int, of owner: RowID) throws(PersistentStoreError) -> PropertyLayout.Kind {
        guard let entity = layout.entity(of: owner) else { throw unknownEntity(owner) }
        guard entity.properties.indices.contains(property) else {
            throw .unsupportedQuery("\(entity.name) has no property number \(property)")
        }
        return entity.properties[property].kind
    }

    /// Both sides changed, for whoever reads the history.
    private func noteChange(
        _ property: Int, of owner: RowID, changed: Bool, inverse: Int?, _ destination: RowID
    ) {
        guard changed else { return }
        changes.update(owner, [property])
        if let inverse { changes.update(destination, [inverse]) }
    }
}

extension StoreSession {
    /// The rows that the last statement changed.
    var changes: Int { connection.handle.map { Int(sqlite3_changes64($0)) } ?? 0 }
}
