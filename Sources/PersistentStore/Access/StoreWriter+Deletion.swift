import SQL

extension StoreWriter {
    /// Deletes all rows that a query finds and carries out the delete rules of their relationships: what cascades goes too, other
    /// rows lose their reference.
    ///
    /// - Returns: every row that was deleted.
    /// - Throws: `deletionDenied` when a rule or a mandatory reference of another row forbids it.
    package func delete(matching query: StoreQuery) throws(PersistentStoreError) -> [RowID] {
        let found = try identifiers(query)
        var doomed = Set(found)
        var order = found
        // What cascades is found first: a row that goes anyway denies nothing.
        var next = 0
        while next < order.count {
            let row = order[next]
            next += 1
            guard let entity = layout.entity(of: row) else { continue }
            for property in entity.properties where property.relationship?.deleteRule == .cascade {
                for other in try related(property.index, of: row) where doomed.insert(other).inserted {
                    order.append(other)
                }
            }
        }
        for row in order { try release(row, doomed) }
        for row in order { _ = try delete(row, expecting: nil) }
        return order
    }

    /// Takes a row that is to be deleted out of what leads to it.
    private func release(_ row: RowID, _ doomed: Set<RowID>) throws(PersistentStoreError) {
        guard let entity = layout.entity(of: row) else { return }
        for property in entity.properties {
            guard let relationship = property.relationship,
                relationship.deleteRule == .deny || relationship.deleteRule == .nullify
            else { continue }
            let others = try related(property.index, of: row).filter { !doomed.contains($0) }
            guard let other = others.first else { continue }
            if relationship.deleteRule == .deny {
                throw .deletionDenied(entity: entity.name, relationship: relationship.name, row: row)
            }
            switch property.kind {
            case .toOne(let toOne): try nullify(toOne.inverse, of: other, leadingTo: row)
            case .oneToMany(let many):
                for other in others { try nullify(many.inverse, of: other, leadingTo: row) }
            case .attribute, .manyToMany: break
            }
        }
    }

    private func nullify(_ inverse: Int?, of other: RowID, leadingTo row: RowID) throws(PersistentStoreError) {
        guard let inverse, let entity = layout.entity(of: other), entity.properties.indices.contains(inverse),
            case .toOne(let toOne) = entity.properties[inverse].kind
        else { return }
        if entity.properties[inverse].relationship?.isOptional == false {
            throw .deletionDenied(entity: entity.name, relationship: entity.properties[inverse].name, row: other)
        }
        var settings = "Z_OPT = Z_OPT + 1, \(quoted(toOne.column)) = NULL"
        if let column = toOne.entityColumn { settings += ", \(quoted(column)) = NULL" }
        if let column = toOne.orderColumn { settings += ", \(quoted(column)) = NULL" }
        try session.run(
            "UPDATE \(quoted(entity.table)) SET \(settings) WHERE Z_PK = ?1 AND \(quoted(toOne.column)) = ?2",
            .integer(other.key), .integer(row.key))
        if session.changes > 0 { changes.update(other, [inverse]) }
    }
}
