import SQL

extension FileStructure {
    init(reading session: StoreSession) throws(PersistentStoreError) {
        var names: [String] = []
        try session.rows("SELECT type, name, tbl_name FROM sqlite_master") { row in
            switch row.text(0) {
            case "table": names.append(row.text(1))
            case "index": indexes[row.text(1)] = row.text(2)
            default: break
            }
        }
        for name in names {
            var table = Table(name: name, columns: [:], columnOrder: [], primaryKey: [])
            try session.rows("SELECT name, type, pk FROM pragma_table_info(?1)", [.string(name)]) { row in
                table.columns[row.text(0)] = row.text(1)
                table.columnOrder.append(row.text(0))
                if row.int64(2) > 0 { table.primaryKey.append(row.text(0)) }
            }
            tables[name.uppercased()] = table
        }
    }
}
