import SQL

struct SchemaQueries {
    let types: PreparedQuery
    let fields: PreparedQuery
    let meta: PreparedQuery

    init(_ connection: any Connection) {
        types = PreparedQuery(
            connection, "SELECT id, name, grants FROM record_type WHERE container = ?1 ORDER BY name")
        fields = PreparedQuery(
            connection, "SELECT id, type, name, kind, flags FROM field WHERE container = ?1 ORDER BY type, name")
        meta = PreparedQuery(connection, "SELECT value FROM meta WHERE container = ?1 AND name = ?2")
    }
}

/// The names of a container's counters.
enum MetaName {
    /// Raised by every change of the schema.
    static let schema = "schema"
    /// The incarnation that new zones begin with; absent before the first restore.
    static let incarnation = "incarnation"
    /// The last zone id that was given out.
    static let zone = "zone"
    static let type = "type"
    static let field = "field"
}

extension ContainerReader {
    /// All record types, by name.
    package func types() throws(StoreError) -> [TypeRow] {
        do {
            let statement = try schemaQueries.types.take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            var rows: [TypeRow] = []
            while try statement.step() {
                rows.append(
                    TypeRow(id: statement.int64(0), name: statement.text(1), grants: statement.optionalText(2)))
            }
            return rows
        } catch { throw failed(error) }
    }

    /// All fields of all types, by type and name.
    package func fields() throws(StoreError) -> [FieldRow] {
        do {
            let statement = try schemaQueries.fields.take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            var rows: [FieldRow] = []
            while try statement.step() {
                rows.append(
                    FieldRow(
                        id: statement.int64(0), type: statement.int64(1), name: statement.text(2),
                        kind: statement.int64(3), flags: statement.int64(4)))
            }
            return rows
        } catch { throw failed(error) }
    }

    /// Raised by each change of types or fields: a cache of them compares it.
    package func schemaVersion() throws(StoreError) -> Int64 {
        do {
            return try meta(MetaName.schema) ?? 0
        } catch { throw failed(error) }
    }

    /// The container's own roles, by name.
    package func roles() throws(StoreError) -> [String] {
        try rows("SELECT name FROM security_role WHERE container = ?1 ORDER BY name") { _ in
        } _: {
            $0.text(0)
        }
    }

    /// The roles that a person has, by name.
    package func roles(of owner: String) throws(StoreError) -> [String] {
        try rows("SELECT role FROM role_member WHERE container = ?1 AND owner = ?2 ORDER BY role") {
            $0.bind(2, owner)
        } _: {
            $0.text(0)
        }
    }

    /// Who has which role, by person.
    package func roleMembers() throws(StoreError) -> [RoleMemberRow] {
        try rows("SELECT owner, role FROM role_member WHERE container = ?1 ORDER BY owner, role") { _ in
        } _: {
            RoleMemberRow(owner: $0.text(0), role: $0.text(1))
        }
    }

    private func rows<Row>(
        _ sql: String, _ bind: (any Statement) -> Void, _ row: (any Statement) -> Row
    ) throws(StoreError) -> [Row] {
        do {
            let statement = try query(sql).take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            bind(statement)
            var rows: [Row] = []
            while try statement.step() { rows.append(row(statement)) }
            return rows
        } catch { throw failed(error) }
    }

    func meta(_ name: String) throws(SQLError) -> Int64? {
        let statement = try schemaQueries.meta.take()
        defer { statement.reset() }
        statement.bind(1, tenant)
        statement.bind(2, name)
        return try statement.step() ? statement.int64(0) : nil
    }
}
