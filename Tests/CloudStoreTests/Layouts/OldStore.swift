import CloudStore
import Foundation
import OldLayouts
import PostgresSQL
import SQL
import Testing
import ThrowawayPostgres

/// A store that an earlier program made, with something in it.
struct OldStore {
    enum Engine: String, CaseIterable, CustomTestStringConvertible {
        case sqlite, postgres

        var testDescription: String { rawValue }
        var dialect: Dialect { self == .sqlite ? .sqlite : .postgres }
    }

    static let container = "iCloud.old"
    static let key = ZoneKey(scope: .private, owner: "_a", name: "Notes")

    let engine: Engine
    private let folder: URL
    private let connection: String

    /// - Parameter rows: the statements that fill it, for an engine and the container's tenant.
    static func with(
        _ engine: Engine, control: Int, container: Int, rows: (Dialect, Int) -> [String],
        _ body: (OldStore) throws -> Void
    ) throws {
        try withFolder { folder in
            let connection = engine == .postgres ? try ThrowawayPostgres.shared().makeDatabase() : ""
            let store = OldStore(engine: engine, folder: folder, connection: connection)
            let tables = (
                OldLayouts.control(control, engine.dialect), OldLayouts.container(container, engine.dialect)
            )
            switch engine {
            case .sqlite:
                try FileManager.default.createDirectory(
                    at: store.file("containers"), withIntermediateDirectories: true)
                let (forControl, forContainer) = Self.split(rows(.sqlite, 0))
                try store.run(tables.0 + forControl, "control.sqlite")
                try store.run(tables.1 + forContainer, Self.containerFile)
            case .postgres:
                let versions = OldLayouts.postgresVersions(control: control, container: container)
                let tenant = "INSERT INTO tenant VALUES ('\(Self.container)', 'development', 77)"
                try store.run(versions + tables.0 + tables.1 + [tenant] + rows(.postgres, 77))
            }
            try body(store)
        }
    }

    static let containerFile = "containers/\(container).development.sqlite"
    private static let controlTables = ["account", "session", "api_token", "container", "server_key", "setting"]

    private static func split(_ rows: [String]) -> (control: [String], container: [String]) {
        let isOfControl = { (row: String) in
            controlTables.contains { row.hasPrefix("INSERT INTO \($0) ") || row.hasPrefix("UPDATE \($0) ") }
        }
        return (rows.filter(isOfControl), rows.filter { !isOfControl($0) })
    }

    private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// Runs statements; on SQLite in one of the files.
    func run(_ statements: [String], _ name: String = "") throws {
        let connection = try connect(name)
        defer { connection.close() }
        for statement in statements { try connection.execute(statement) }
    }

    /// One column of a query.
    func column(_ sql: String, _ name: String = "") throws -> [String] {
        let connection = try connect(name)
        defer { connection.close() }
        let statement = try connection.prepare(sql)
        defer { statement.reset() }
        var values: [String] = []
        while try statement.step() { values.append(statement.text(0)) }
        return values
    }

    private func connect(_ name: String) throws -> any Connection {
        switch engine {
        case .sqlite: try SQLiteConnection(path: file(name).path)
        case .postgres: try PostgresConnection(connection)
        }
    }

    /// Opens it with this program.
    func open(_ body: (CloudStore) throws -> Void) throws {
        var options = StoreOptions()
        options.assetFolder = file("assets")
        let store =
            switch engine {
            case .sqlite: try CloudStore(directory: folder, options: options)
            case .postgres: try CloudStore.postgres(connection: connection, options: options)
            }
        defer { store.close() }
        try body(store)
    }

    /// Opens its container with this program.
    func openContainer(_ body: (ContainerStore) throws -> Void) throws {
        try open { store in
            guard let container = try store.container(Self.container, "development", create: false) else {
                throw StoreError(.invalid, "there is no container")
            }
            try body(container)
        }
    }

    /// The tables, columns and indexes that there are, without what is only spelt in another way.
    func shape() throws -> Set<String> {
        func plain(_ text: String) -> String { text.filter { !$0.isWhitespace && $0 != "\"" } }
        switch engine {
        case .sqlite:
            let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"
            return Set(
                try (column(sql, "control.sqlite") + column(sql, Self.containerFile)).map(plain))
        case .postgres:
            let columns = """
                SELECT concat_ws(' ', table_name, ordinal_position, column_name, data_type, collation_name, is_nullable,
                    column_default) FROM information_schema.columns WHERE table_schema = 'public'
                """
            return Set(
                try column(columns) + column("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'").map(plain))
        }
    }
}
