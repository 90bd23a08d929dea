import CloudKit
import Foundation

/// Files of one test, in a folder that goes with it.
final class Files: Sendable {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// A new file, or a new content of one.
    @discardableResult
    func write(_ text: String, to name: String = "photo.jpg") throws -> URL {
        try Data(text.utf8).write(to: url(name))
        return url(name)
    }

    /// An asset with a file of this content.
    func asset(_ text: String, _ name: String = UUID().uuidString) throws -> CKAsset {
        CKAsset(fileURL: try write(text, to: name))
    }
}

extension CKRecord {
    /// What the file of an asset holds; nil where it has none on this device.
    func text(of key: String) -> String? {
        (self[key] as? CKAsset)?.text
    }
}

extension CKAsset {
    var text: String? { fileURL.flatMap { try? String(contentsOf: $0, encoding: .utf8) } }
}
