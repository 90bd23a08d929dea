import Foundation
import Testing

@testable import CloudKit

@Suite("Where fetched files lie") struct AssetCacheTests {
    @Test("Files are left alone for a day and then cleaned up, in a folder for nobody else")
    func cleanUp() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let cache = AssetCache(folder: folder)
        let now = Date()
        let first = try cache.newFile(now: now)
        #expect(first.deletingLastPathComponent().lastPathComponent == folder.lastPathComponent)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        try Data("a bird".utf8).write(to: first)
        #expect(try cache.newFile(now: now) != first)
        _ = try cache.newFile(now: now.addingTimeInterval(AssetCache.life - 60))
        #expect(FileManager.default.fileExists(atPath: first.path))
        _ = try cache.newFile(now: now.addingTimeInterval(AssetCache.life + 2 * 3600))
        #expect(!FileManager.default.fileExists(atPath: first.path))
    }

    @Test("A folder that cannot be made is assetNotAvailable")
    func noFolder() throws {
        let cache = AssetCache(folder: URL(fileURLWithPath: "/dev/null/assets"))
        let error = #expect(throws: CKError.self) { try cache.newFile() }
        #expect(error?.code == .assetNotAvailable)
    }
}
