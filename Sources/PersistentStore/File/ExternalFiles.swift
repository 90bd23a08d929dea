import Foundation

/// The folder with the values that are too large for the file: `.NAME_SUPPORT/_EXTERNAL_DATA`, one file a value.
///
/// In the column stand a byte 1 and the value, or a byte 2 and the name of its file, as in the files of Apple's frameworks.
final class ExternalFiles: Sendable {
    /// nil: in memory, all values stay in their columns.
    let folder: URL?
    /// The longest value that stays in its column.
    static let limit = 100 * 1024

    init(storeAt url: URL?) {
        folder = url.map { url in
            let name = url.deletingPathExtension().lastPathComponent
            return url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
                .appendingPathComponent("_EXTERNAL_DATA", isDirectory: true)
        }
    }

    /// What the column holds for a value. A large one is written to a file first and is on the disk when this returns.
    func stored(_ value: Data) throws(PersistentStoreError) -> Data {
        guard let folder, value.count > Self.limit else { return Data([1]) + value }
        let name = UUID().uuidString
        try write(value, to: folder, name: name)
        return Data([2]) + Data(name.utf8) + Data([0])
    }

    /// The value of a column.
    func value(_ bytes: UnsafeRawBufferPointer) throws(PersistentStoreError) -> Data {
        guard let mark = bytes.first else { return Data() }
        if mark == 1 { return Data(bytes.dropFirst()) }
        guard let name = Self.fileName(bytes), let folder else {
            // Written before the attribute was marked as external.
            return Data(bytes)
        }
        let url = folder.appendingPathComponent(name)
        guard let data = try? Data(contentsOf: url) else { throw .externalDataMissing(path: url.path) }
        return data
    }

    func value(_ bytes: Data) throws(PersistentStoreError) -> Data {
        var result = Result<Data, PersistentStoreError>.success(Data())
        bytes.withUnsafeBytes { bytes in
            do throws(PersistentStoreError) {
                result = .success(try value(bytes))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }

    /// The file's name that a column holds. Only a UUID is taken: a stranger's file must not name any path.
    static func fileName(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.first == 2, bytes.count == 37 || bytes.count == 38 else { return nil }
        let name = String(decoding: bytes.dropFirst().prefix(36), as: UTF8.self)
        return UUID(uuidString: name) == nil ? nil : name
    }

    private func write(_ value: Data, to folder: URL, name: String) throws(PersistentStoreError) {
        let path = folder.appendingPathComponent(name).path
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw .cannotOpen(path: folder.path, reason: error.localizedDescription)
        }
        try DurableFile.write(value, to: path)
        // The name too is on the disk before the row that holds it.
        try DurableFile.synchronize(folder.path)
        try DurableFile.synchronize(folder.deletingLastPathComponent().path)
    }

    func remove(_ names: [String]) {
        guard let folder else { return }
        for name in names { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
    }
}
