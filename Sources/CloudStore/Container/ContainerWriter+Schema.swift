import SQL

extension ContainerWriter {
    /// Adds a record type and raises the schema's version.
    ///
    /// - Throws: `.constraint` when there is one of this name.
    package func insertType(name: String) throws(StoreError) -> TypeRow {
        do {
            let type = TypeRow(id: try nextID(MetaName.type), name: name)
            let statement = try writing.insertType.take()
            statement.bind(1, tenant)
            statement.bind(2, type.id)
            statement.bind(3, name)
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
}
