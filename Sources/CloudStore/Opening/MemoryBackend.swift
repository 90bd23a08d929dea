#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Synchronization

/// Databases in memory, of SQLite's own `memdb`, which several connections can open by name.
final class MemoryBackend: StoreBackend {
    let options: StoreOptions
    let control: any Database<ControlSession>
    let requests: any Database<ControlSession>
    /// Files cannot lie in memory without filling it; these are gone with the store.
    private let files = FileManager.default.temporaryDirectory.appendingPathComponent(
        "stratus-memory-\(UUID().uuidString)")
    private let made = Mutex<[String: Set<String>]>([:])

    /// Names are shared by the whole process, so each gets a number.
    private static let count = Atomic<Int>(0)

    init(options: StoreOptions) throws(StoreError) {
        self.options = options
        control = try Self.open("control", .control, options)
        requests = try Self.open("requests", .requests, options)
    }

    private static func open<Session: StoreSession>(
        _ name: String, _ tables: TableSet, _ options: StoreOptions
    ) throws(StoreError) -> SQLiteDatabase<Session> {
        let number = count.add(1, ordering: .relaxed).newValue
        return try SQLiteDatabase(
            path: "file:/stratus-\(number)?vfs=memdb", place: "\(name) (in memory)", isInMemory: true, tables: tables,
            options: options)
    }

    func container(
        _ identifier: String, _ environment: String, create: Bool
    ) throws(StoreError) -> (any Database<ContainerWriter>)? {
        // `CloudStore` keeps what was made, so asking again means that it was never made.
        guard create else { return nil }
        let database: SQLiteDatabase<ContainerWriter> = try Self.open(
            "\(identifier) \(environment)", .container, options)
        _ = made.withLock { $0[identifier, default: []].insert(environment) }
        return database
    }

    func assetFolder(_ identifier: String, _ environment: String) -> URL? {
        DirectoryLayout.assets(in: options.assetFolder ?? files, identifier, environment)
    }

    func containers() -> [(identifier: String, environment: String)] {
        made.withLock { made in
            made.keys.sorted().flatMap { identifier in
                (made[identifier] ?? []).sorted().map { (identifier, $0) }
            }
        }
    }

    func close() {
        control.close()
        requests.close()
        try? FileManager.default.removeItem(at: files)
    }
}
