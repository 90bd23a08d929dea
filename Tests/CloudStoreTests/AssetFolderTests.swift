import CloudStore
import Foundation
import Synchronization
import Testing
import ThrowawayPostgres

@Suite("Files of assets: full disks, missing folders, backups")
struct AssetFolderTests {
    private static let id = [UInt8](repeating: 0xAB, count: AssetRow.idLength)

    private func withStore(
        _ folder: URL, _ configure: (inout StoreOptions) -> Void = { _ in },
        _ body: (ContainerStore, CloudStore) throws -> Void
    ) throws {
        var options = StoreOptions()
        configure(&options)
        let store = try CloudStore(directory: folder, options: options)
        defer { store.close() }
        try body(try #require(try store.container("iCloud.files", "development", create: true)), store)
    }

    private func keep(_ text: String, _ container: ContainerStore, row: Bool) throws {
        let file = try container.assets.stage()
        try Array(text.utf8).withUnsafeBytes { try file.append($0) }
        try container.assets.keep(file, as: Self.id)
        guard row else { return }
        let asset = AssetRow(
            id: Self.id, scope: .private, owner: "_a", digest: Self.id + Self.id, size: Int64(text.utf8.count),
            expires: 5)
        _ = try container.writeAndWait { try $0.insertAsset(asset) }
    }

    private func content(_ container: ContainerStore) throws -> String? {
        guard let descriptor = try container.assets.open(Self.id) else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
    }

    @Test("A disk without room refuses a file in plain words, and the rest goes on")
    func fullDisk() throws {
        try withFolder { folder in
            try withStore(folder) {
                $0.keptFree = .max
            } _: { container, _ in
                let error = #expect(throws: StoreError.self) { try container.assets.stage() }
                #expect(error?.kind == .full)
                #expect(error?.message.contains("No room for") == true)
                _ = try container.writeAndWait {
                    try $0.insertZone(key: ZoneKey(scope: .private, owner: "_a", name: "Z"), created: 1)
                }
            }
        }
    }

    @Test("A file that grows while the disk fills stops in time, leaves nothing, and later ones are taken")
    func fillingDisk() throws {
        let free = Mutex<Int64>(100 << 20)
        try withFolder { folder in
            try withStore(folder) {
                $0.freeSpace = { _ in free.withLock { $0 } }
            } _: { container, _ in
                let part = [UInt8](repeating: 7, count: 64 << 10)
                do {
                    let file = try container.assets.stage()
                    for _ in 0..<64 { try part.withUnsafeBytes { try file.append($0) } }
                    // Somebody else takes what was there.
                    free.withLock { $0 = 60 << 20 }
                    let error = #expect(throws: StoreError.self) {
                        for _ in 0..<64 { try part.withUnsafeBytes { try file.append($0) } }
                    }
                    #expect(error?.kind == .full)
                    #expect(file.size <= 5 << 20)
                }
                #expect(container.assets.uploadCount == 0)
                free.withLock { $0 = 100 << 20 }
                try keep("photo", container, row: true)
                let kept = try content(container)
                #expect(kept == "photo")
            }
        }
    }

    @Test("A store in PostgreSQL says that it was told of no folder")
    func noFolder() throws {
        let store = try CloudStore.postgres(connection: ThrowawayPostgres.shared().connection)
        defer { store.close() }
        let container = try #require(
            try store.container("iCloud.nofolder\(UUID().uuidString)", "development", create: true))
        let error = #expect(throws: StoreError.self) { try container.assets.stage() }
        #expect(error?.kind == .unavailable)
        #expect(error?.message.contains("no folder for assets") == true)
        #expect(try !container.runAssetStep(now: 1))
    }

    @Test("Files lie beside the database, for nobody else to read, and move with a backup")
    func backup() throws {
        try withFolder { folder in
            let data = folder.appendingPathComponent("data")
            let backup = folder.appendingPathComponent("backup")
            let restored = folder.appendingPathComponent("restored")
            try withStore(data) { container, store in
                try keep("photo", container, row: true)
                try store.backup(to: backup)
            }
            let name = String(repeating: "ab", count: 16)
            let file = data.appendingPathComponent("containers/iCloud.files.development.assets/ab/\(name)")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try CloudStore.restore(from: backup, to: restored)
            try withStore(restored) { container, _ in
                let text = try content(container)
                let row = try container.read { try $0.asset(Self.id) }
                #expect(text == "photo")
                #expect(row?.size == 5)
            }
        }
    }

    @Test("A store in memory leaves no file behind")
    func memory() throws {
        let store = try CloudStore.inMemory()
        let container = try #require(try store.container("iCloud.files", "development", create: true))
        try keep("photo", container, row: true)
        #expect(try content(container) == "photo")
        store.close()
        #expect(try content(container) == nil)
    }
}
