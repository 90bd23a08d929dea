#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Glibc

/// The files of a container's assets: `ab/ab…`, each named by the 16 bytes of its row's id and never changed.
///
/// A file comes before its row and goes after it, so that a row always has its file. What a crash leaves between the two is
/// found by `strays`.
package final class AssetFolder: Sendable {
    /// nil where the store was told of no folder.
    private let root: String?
    private let keptFree: Int64
    private let freeSpace: @Sendable (String) -> Int64?

    private static let uploads = "uploads"
    static let shards = 256

    /// - Parameters:
    ///   - root: need not exist yet.
    ///   - keptFree: bytes of the disk that uploads leave to the databases.
    ///   - freeSpace: bytes that the disk of a folder has left; nil where nobody knows.
    init(
        _ root: URL?, keptFree: Int64, freeSpace: @escaping @Sendable (String) -> Int64? = StoreOptions.freeSpaceOfDisk
    ) {
        self.root = root?.path
        self.keptFree = keptFree
        self.freeSpace = freeSpace
    }

    private func folder() throws(StoreError) -> String {
        guard let root else {
            throw StoreError(
                .unavailable,
                "The store has no folder for assets. A store in PostgreSQL is told of one when it is opened, which all servers share."
            )
        }
        return root
    }

    /// A new file to fill.
    ///
    /// - Throws: `.full` where the disk has too little room.
    package func stage() throws(StoreError) -> StagedFile {
        let folder = try folder() + "/" + Self.uploads
        try Self.makeFolder(folder)
        let hasRoom: @Sendable () -> Bool = { [keptFree, freeSpace] in
            freeSpace(folder).map { $0 >= keptFree } ?? true
        }
        guard hasRoom() else { throw StoreError(fileError: ENOSPC, folder) }
        return try StagedFile(
            path: folder + "/" + Self.hex((0..<16).map { _ in UInt8.random(in: .min ... .max) }), hasRoom: hasRoom)
    }

    /// Gives a file its name for good. It is on the disk when this returns.
    package func keep(_ file: StagedFile, as id: [UInt8]) throws(StoreError) {
        let path = try path(id)
        let shard = String(path.dropLast(33))
        try Self.makeFolder(shard)
        try file.move(to: path)
        Self.sync(shard)
    }

    /// Lets the file of one id take the place of another's that was lost.
    package func move(_ id: [UInt8], to other: [UInt8]) throws(StoreError) {
        let target = try path(other)
        let shard = String(target.dropLast(33))
        try Self.makeFolder(shard)
        guard rename(try path(id), target) == 0 else { throw StoreError(fileError: errno, target) }
        Self.sync(shard)
    }

    package func contains(_ id: [UInt8]) throws(StoreError) -> Bool { access(try path(id), F_OK) == 0 }

    /// How long a file is; nil where it is not there.
    func size(of id: [UInt8]) throws(StoreError) -> Int64? {
        var status = stat()
        return lstat(try path(id), &status) == 0 ? Int64(status.st_size) : nil
    }

    /// A descriptor for reading, the caller's to close; nil where the file is not there.
    package func open(_ id: [UInt8]) throws(StoreError) -> Int32? {
        let path = try path(id)
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 { return descriptor }
        if errno == ENOENT { return nil }
        throw StoreError(fileError: errno, path)
    }

    package func remove(_ ids: [[UInt8]]) {
        for id in ids {
            if let path = try? path(id) { unlink(path) }
        }
    }

    private func path(_ id: [UInt8]) throws(StoreError) -> String {
        let name = Self.hex(id)
        return "\(try folder())/\(name.prefix(2))/\(name)"
    }

    // MARK: - What a crash left

    /// How many uploads are under way, or were when a crash came.
    package var uploadCount: Int { root.map { Self.names(in: $0 + "/" + Self.uploads).count } ?? 0 }

    /// Removes what interrupted uploads left, which nobody wrote to since a time.
    ///
    /// - Parameter before: seconds since 1970.
    func removeAbandonedUploads(before: Int64) {
        guard let root else { return }
        let folder = root + "/" + Self.uploads
        for name in Self.names(in: folder) where Self.isOlder(folder + "/" + name, than: before) {
            unlink(folder + "/" + name)
        }
    }

    /// The ids of a shard's files that are older than a time.
    func oldFiles(shard: Int, before: Int64) -> [[UInt8]] {
        guard let root else { return [] }
        let folder = root + "/" + Self.hex([UInt8(truncatingIfNeeded: shard)])
        return Self.names(in: folder).filter { Self.isOlder(folder + "/" + $0, than: before) }.compactMap(Self.id)
    }

    // MARK: - Copies

    /// Copies all files into a folder of another store. What is there stays.
    func copy(to target: URL) throws(StoreError) {
        guard let root else { return }
        for shard in Self.names(in: root) where shard != Self.uploads {
            let names = Self.names(in: root + "/" + shard)
            if names.isEmpty { continue }
            let folder = target.path + "/" + shard
            try Self.makeFolder(folder)
            for name in names {
                let (source, copy) = ("\(root)/\(shard)/\(name)", "\(folder)/\(name)")
                do {
                    try FileManager.default.copyItem(atPath: source, toPath: copy)
                } catch {
                    // Nothing refers to it any longer: the row goes first, and the database was copied before.
                    if access(source, F_OK) != 0 { continue }
                    throw StoreError(.unavailable, "\(source) cannot be copied to \(copy): \(error)")
                }
                Self.sync(copy)
            }
            Self.sync(folder)
        }
        Self.sync(target.path)
    }

    // MARK: - Names

    private static func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    private static func isOlder(_ path: String, than seconds: Int64) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && Int64(status.st_mtim.tv_sec) < seconds
    }

    private static func makeFolder(_ path: String) throws(StoreError) {
        if access(path, F_OK) == 0 { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError(.unavailable, "The folder \(path) cannot be made: \(error)")
        }
        // A name is on the disk when its folder is.
        sync(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    private static func sync(_ path: String) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func id(_ name: String) -> [UInt8]? {
        let digits = Array(name.utf8)
        guard digits.count == 32 else { return nil }
        var id: [UInt8] = []
        for position in stride(from: 0, to: 32, by: 2) {
            guard let byte = UInt8(String(decoding: digits[position..<position + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            id.append(byte)
        }
        return id
    }
}
