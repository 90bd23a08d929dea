import SQL

/// Reads one state of the store: whatever others commit meanwhile, everything read through it fits together.
///
/// It is lent for the length of a `read` or `write`; it and its cursors must not be kept.
package class StoreReader {
    package let layout: StoreLayout
    let session: StoreSession

    init(session: StoreSession, layout: StoreLayout) {
        self.session = session
        self.layout = layout
    }

    // MARK: - Queries

    /// The rows that a query finds.
    package func rows(_ query: StoreQuery) throws(PersistentStoreError) -> RowCursor {
        guard let entity = layout.entity(named: query.entity) else {
            throw .unsupportedQuery("the entity \(query.entity), which the store's model has not")
        }
        let shape = layout.shape(of: entity, includesSubentities: query.includesSubentities)
        return try cursor(query.sql(.rows(shape), in: layout), shape: shape)
    }

    package func count(_ query: StoreQuery) throws(PersistentStoreError) -> Int {
        var result = 0
        try visit(query.sql(.count, in: layout)) { result = Int($0.int64(0)) }
        return result
    }

    package func identifiers(_ query: StoreQuery) throws(PersistentStoreError) -> [RowID] {
        var result: [RowID] = []
        try visit(query.sql(.identifiers, in: layout)) { statement in
            result.append(RowID(entity: Int32(truncatingIfNeeded: statement.int64(0)), key: statement.int64(1)))
        }
        return result
    }

    // MARK: - Rows by identity

    /// A cursor that stands before the row, if it is there.
    package func row(_ id: RowID) throws(PersistentStoreError) -> RowCursor {
        guard let entity = layout.entity(of: id) else { throw unknownEntity(id) }
        let shape = layout.shape(of: entity, includesSubentities: true)
        let sql = session.rowText(of: entity) {
            "SELECT \(shape.columns(of: "t0")) FROM \(quoted(entity.table)) AS t0 WHERE t0.Z_PK = ?1"
        }
        return try cursor(SQLText(text: sql, values: [.value(.integer(id.key))]), shape: shape)
    }

    /// The row as it is, kept; nil when there is none.
    package func storedRow(_ id: RowID) throws(PersistentStoreError) -> StoredRow? {
        let cursor = try row(id)
        defer { cursor.finish() }
        guard try cursor.next() else { return nil }
        let row = cursor.row.stored()
        try cursor.check()
        return row
    }

    /// The rows of these identities that exist, in no particular order. All must be of entities with one root.
    package func rows(_ ids: [RowID]) throws(PersistentStoreError) -> RowCursor {
        guard let first = ids.first, let entity = layout.entity(of: first) else {
            guard let any = layout.entities.first else { throw .closed }
            let shape = layout.shape(of: any, includesSubentities: false)
            let sql = "SELECT \(shape.columns(of: "t0")) FROM \(quoted(any.table)) AS t0 WHERE 0"
            return try cursor(SQLText(text: sql, values: []), shape: shape)
        }
        let root = layout.entity(entity.root) ?? entity
        let shape = layout.shape(of: root, includesSubentities: true)
        let sql =
            "SELECT \(shape.columns(of: "t0")) FROM \(quoted(root.table)) AS t0 WHERE t0.Z_PK IN (\(Self.keyList))"
        return try cursor(SQLText(text: sql, values: [.value(Self.list(ids.map(\.key)))]), shape: shape)
    }

    // MARK: - Relationships

    /// The rows that a to-many leads to, in their order where it is ordered. For a to-one, its one.
    package func related(_ property: Int, of owner: RowID) throws(PersistentStoreError) -> [RowID] {
        guard let text = try relatedText(property, of: owner, many: false) else {
            return try storedReference(property, of: owner)
        }
        var result: [RowID] = []
        try session.rows(text, [.integer(owner.key)]) { statement in
            result.append(RowID(entity: Int32(truncatingIfNeeded: statement.int64(1)), key: statement.int64(2)))
        }
        return result
    }

    /// The same for many owners of one entity at once. Owners without related rows are not in the result.
    package func related(
        _ property: Int, of owners: [RowID]
    ) throws(PersistentStoreError) -> [RowID: [RowID]] {
        guard let first = owners.first else { return [:] }
        var result: [RowID: [RowID]] = [:]
        guard let text = try relatedText(property, of: first, many: true) else {
            for owner in owners {
                let related = try storedReference(property, of: owner)
                if !related.isEmpty { result[owner] = related }
            }
            return result
        }
        let byKey = Dictionary(owners.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        try session.rows(text, [Self.list(owners.map(\.key))]) { statement in
            guard let owner = byKey[statement.int64(0)] else { return }
            result[owner, default: []].append(
                RowID(entity: Int32(truncatingIfNeeded: statement.int64(1)), key: statement.int64(2)))
        }
        return result
    }

    /// How many rows a to-many leads to.
    package func relatedCount(_ property: Int, of owner: RowID) throws(PersistentStoreError) -> Int {
        guard let text = try relatedText(property, of: owner, many: false) else {
            return try storedReference(property, of: owner).count
        }
        return Int(try session.integer("SELECT COUNT(*) FROM (\(text))", .integer(owner.key)) ?? 0)
    }

    /// Selects owner, entity and key; nil for a to-one.
    private func relatedText(
        _ property: Int, of owner: RowID, many: Bool
    ) throws(PersistentStoreError) -> String? {
        guard let entity = layout.entity(of: owner) else { throw unknownEntity(owner) }
        guard entity.properties.indices.contains(property) else { return nil }
        let condition = many ? "IN (\(Self.keyList))" : "= ?1"
        switch entity.properties[property].kind {
        case .attribute, .toOne: return nil
        case .oneToMany(let many):
            let owner = "t0." + quoted(many.column)
            let order = many.orderColumn.map { "t0.\(quoted($0)), " } ?? ""
            return "SELECT \(owner), t0.Z_ENT, t0.Z_PK FROM \(quoted(many.table)) AS t0 "
                + "WHERE \(owner) \(condition) ORDER BY \(order)t0.Z_PK"
        case .manyToMany(let many):
            guard let destination = layout.entity(many.destination) else { return nil }
            let order = many.orderColumn.map { "j.\(quoted($0)), " } ?? ""
            if many.isReflexive { return Self.reflexiveText(many, destination, condition) }
            // Joined with the rows themselves, since a key may lead nowhere in a file that others wrote.
            return "SELECT j.\(quoted(many.ownerColumn)), t0.Z_ENT, t0.Z_PK FROM \(quoted(many.table)) AS j "
                + "JOIN \(quoted(destination.table)) AS t0 ON t0.Z_PK = j.\(quoted(many.destinationColumn)) "
                + "WHERE j.\(quoted(many.ownerColumn)) \(condition) ORDER BY \(order)t0.Z_PK"
        }
    }

    /// Of a relationship that is its own inverse. This module writes two rows for a pair; in some files of others there is one.
    private static func reflexiveText(
        _ many: ManyToManyLayout, _ destination: EntityLayout, _ condition: String
    ) -> String {
        let (owner, other) = (quoted(many.ownerColumn), quoted(many.destinationColumn))
        func half(_ from: String, _ to: String) -> String {
            "SELECT j.\(from), t0.Z_ENT, t0.Z_PK FROM \(quoted(many.table)) AS j "
                + "JOIN \(quoted(destination.table)) AS t0 ON t0.Z_PK = j.\(to) WHERE j.\(from) \(condition)"
        }
        return half(owner, other) + " UNION " + half(other, owner) + " ORDER BY 3"
    }

    private func storedReference(_ property: Int, of owner: RowID) throws(PersistentStoreError) -> [RowID] {
        let cursor = try row(owner)
        defer { cursor.finish() }
        guard try cursor.next(), property < cursor.entityLayout.properties.count,
            case .toOne = cursor.entityLayout.properties[property].kind
        else { return [] }
        return cursor.row.reference(property).map { [$0] } ?? []
    }

    // MARK: - Unique constraints

    /// The row that has these values of a unique constraint. A null occurs any number of times, so it finds nothing.
    ///
    /// - Parameter values: one for each property of the constraint, in its order.
    package func find(
        _ entity: EntityLayout, uniquenessConstraint properties: [String], values: [StoreValue]
    ) throws(PersistentStoreError) -> RowID? {
        guard !values.contains(.null) else { return nil }
        let columns = properties.flatMap { entity.columns(ofPath: $0) }
        let flat = values.flatMap { value in
            if case .composite(let elements) = value { elements } else { [value] }
        }
        guard !columns.isEmpty, columns.count == flat.count else { return nil }
        let test = columns.enumerated().map { "\(quoted($1)) = ?\($0 + 1)" }.joined(separator: " AND ")
        var result: RowID?
        try session.rows("SELECT Z_ENT, Z_PK FROM \(quoted(entity.table)) WHERE \(test) LIMIT 1", flat) { statement in
            result = RowID(entity: Int32(truncatingIfNeeded: statement.int64(0)), key: statement.int64(1))
        }
        return result
    }

    // MARK: - Details

    private static let keyList = "SELECT value FROM json_each(?1)"

    private static func list(_ keys: [Int64]) -> StoreValue {
        .string("[" + keys.map(String.init).joined(separator: ",") + "]")
    }

    func unknownEntity(_ row: RowID) -> PersistentStoreError {
        .unsupportedQuery("a row of the entity number \(row.entity), which the store's model has not")
    }

    private func cursor(_ sql: SQLText, shape: RowShape) throws(PersistentStoreError) -> RowCursor {
        let statement = try session.take(sql.text)
        do throws(PersistentStoreError) {
            try bind(sql, to: statement)
        } catch {
            session.release(statement, sql.text)
            throw error
        }
        return RowCursor(statement, sql: sql.text, shape: shape, session: session)
    }

    private func visit(
        _ sql: SQLText, _ body: (SQLiteStatement) throws(PersistentStoreError) -> Void
    ) throws(PersistentStoreError) {
        let statement = try session.take(sql.text)
        defer { session.release(statement, sql.text) }
        try bind(sql, to: statement)
        while try session.step(statement) { try body(statement) }
    }

    private func bind(_ sql: SQLText, to statement: SQLiteStatement) throws(PersistentStoreError) {
        for (index, value) in sql.values.enumerated() {
            let result = value.bind(statement.handle, Int32(truncatingIfNeeded: index + 1))
            guard result == 0 else { throw session.failure(result) }
        }
    }
}
