import SQL

extension ContainerWriter {
    /// Adds a record type and raises the schema's version.
    ///
    /// - Throws: `.constraint` when there is one of this name.
    package func insertType(name: String, grants: String? = nil) throws(StoreError) -> TypeRow {
        do {
            let type = TypeRow(id: try nextID(MetaName.type), name: name, grants: grants)
            let statement = try writing.insertType.take()
            statement.bind(1, tenant)
            statement.bind(2, type.id)
            statement.bind(3, name)
            statement.bind(4, grants)
            try statement.run()
            _ = try raise(MetaName.schema)
            return type
        } catch { throw failed(error) }
    }

    /// Adds a field to a type and raises the schema's version.
    ///
    /// - Throws: `.constraint` when the type has one of this name.
    package func insertField(type: Int64, name: String, kind: Int64, flags: Int64) throws(StoreError) -> FieldRow {
        do {
            let field = FieldRow(id: try nextID(MetaName.field), type: type, name: name, kind: kind, flags: flags)
            let statement = try writing.insertField.take()
            statement.bind(1, tenant)
            statement.bind(2, field.id)
            statement.bind(3, type)
            statement.bind(4, name)
            statement.bind(5, kind)
            statement.bind(6, flags)
            try statement.run()
            _ = try raise(MetaName.schema)
            return field
        } catch { throw failed(error) }
    }

    /// Changes a field's kind and flags, and raises the schema's version.
    package func updateField(_ field: FieldRow) throws(StoreError) {
        do {
            let statement = try writing.updateField.take()
            statement.bind(1, tenant)
            statement.bind(2, field.id)
            statement.bind(3, field.kind)
            statement.bind(4, field.flags)
            try statement.run()
            _ = try raise(MetaName.schema)
        } catch { throw failed(error) }
    }

    /// Changes a type's grants, and raises the schema's version.
    package func updateType(_ type: TypeRow) throws(StoreError) {
        try changeSchema("UPDATE record_type SET grants = ?3 WHERE container = ?1 AND id = ?2") { statement in
            statement.bind(2, type.id)
            statement.bind(3, type.grants)
        }
    }

    /// Removes a type with its fields, and raises the schema's version. Its records are the caller's business.
    package func deleteType(_ id: Int64) throws(StoreError) {
        try changeSchema("DELETE FROM field WHERE container = ?1 AND type = ?2") { $0.bind(2, id) }
        try changeSchema("DELETE FROM record_type WHERE container = ?1 AND id = ?2") { $0.bind(2, id) }
    }

    /// Removes a field, and raises the schema's version. Its values and index entries are the caller's business.
    package func deleteField(_ id: Int64) throws(StoreError) {
        try changeSchema("DELETE FROM field WHERE container = ?1 AND id = ?2") { $0.bind(2, id) }
    }

    /// Keeps the schema from changing under other writers until the commit.
    ///
    /// For what a change of the schema cannot find and wait for, since no other transaction sees it yet: a zone that is
    /// being made together with its first records. (One that has neither a type nor a field yet has nothing to keep.)
    package func holdSchema() throws(StoreError) {
        guard connection.dialect == .postgres else { return }
        do {
            let statement = try query("SELECT value FROM meta WHERE container = ?1 AND name = ?2 FOR SHARE").take()
            defer { statement.reset() }
            statement.bind(1, tenant)
            statement.bind(2, MetaName.schema)
            _ = try statement.step()
        } catch { throw failed(error) }
    }

    // MARK: - Roles

    /// Adds a role, and raises the schema's version.
    ///
    /// - Throws: `.constraint` when there is one of this name.
    package func insertRole(_ name: String) throws(StoreError) {
        try changeSchema("INSERT INTO security_role (container, name) VALUES (?1, ?2)") { $0.bind(2, name) }
    }

    /// Removes a role and takes it from everybody, and raises the schema's version.
    package func deleteRole(_ name: String) throws(StoreError) {
        try changeSchema("DELETE FROM role_member WHERE container = ?1 AND role = ?2") { $0.bind(2, name) }
        try changeSchema("DELETE FROM security_role WHERE container = ?1 AND name = ?2") { $0.bind(2, name) }
    }

    /// Gives a person a role; whoever has it already keeps it.
    package func insertRoleMember(_ row: RoleMemberRow) throws(StoreError) {
        try changeSchema(
            """
            INSERT INTO role_member (container, owner, role) VALUES (?1, ?2, ?3)
            ON CONFLICT (container, owner, role) DO NOTHING
            """
        ) { statement in
            statement.bind(2, row.owner)
            statement.bind(3, row.role)
        }
    }

    package func deleteRoleMember(_ row: RoleMemberRow) throws(StoreError) {
        try changeSchema("DELETE FROM role_member WHERE container = ?1 AND owner = ?2 AND role = ?3") { statement in
            statement.bind(2, row.owner)
            statement.bind(3, row.role)
        }
    }

    /// - Parameter bind: binds what comes after the container.
    private func changeSchema(_ sql: String, _ bind: (any Statement) -> Void) throws(StoreError) {
        do {
            let statement = try query(sql).take()
            statement.bind(1, tenant)
            bind(statement)
            try statement.run()
            _ = try raise(MetaName.schema)
        } catch { throw failed(error) }
    }
}
