import FieldNotesModel
import Foundation

/// The photos' files on this device. A file is there before a note refers to it, and is never changed.
public struct PhotoFolder: Sendable {
    private let folder: URL

    init(_ folder: URL) {
        self.folder = folder
    }

    public func url(of photo: Photo) -> URL { folder.appendingPathComponent(photo.fileName) }

    public func contains(_ photo: Photo) -> Bool { FileManager.default.fileExists(atPath: url(of: photo).path) }

    /// Copies a file of the user's.
    public func add(_ file: URL) throws -> Photo {
        let photo = Photo(format: file.pathExtension)
        try keep(file, as: photo)
        return photo
    }

    /// Copies a photo's file, unless it is there already.
    public func keep(_ file: URL, as photo: Photo) throws {
        if contains(photo) { return try renew(url(of: photo)) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Under another name first: whoever is killed meanwhile leaves no half of a photo.
        let copy = folder.appendingPathComponent("\(UUID().uuidString).part")
        try FileManager.default.copyItem(at: file, to: copy)
        try renew(copy)
        try FileManager.default.moveItem(at: copy, to: url(of: photo))
    }

    /// The files that were kept so long ago that a note refers to them if one ever will.
    public func settledFiles() throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        let dayAgo = Date(timeIntervalSinceNow: -24 * 3600)
        return try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.contentModificationDateKey]
        ).filter { file in
            let date = try file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
            return date.map { $0 < dayAgo } ?? false
        }
    }

    private func renew(_ file: URL) throws {
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
    }
}
