import Foundation
import Testing
import WebServices

@testable import CloudServer

extension TestDevice {
    /// An address to send a file to.
    func uploadAddress(
        field: String = "x", type: String = "Note", in zone: ZoneID? = nil, database: DatabaseScope = .private,
        container: String = TestCloud.container
    ) throws -> String {
        let request = AssetsUpload.Request(
            tokens: [.init(recordName: "a", recordType: type, fieldName: field)], zoneID: zone)
        let answer = try reply(.assetsUpload(request), in: database, container: container).result.get()
        guard case .assetsUpload(let response) = answer else { throw UnexpectedAnswer() }
        return try #require(response.tokens.first).url
    }

    /// Sends a file; what is wrong with it is thrown.
    func send(_ bytes: [UInt8], to url: String) throws -> Asset {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-sent-\(UUID())")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try cloud.server.receiveFile(at: file.path, sentTo: url) { _ in }.get()
    }

    func upload(_ bytes: [UInt8], in zone: ZoneID? = nil, database: DatabaseScope = .private) throws -> Asset {
        try send(bytes, to: uploadAddress(in: zone, database: database))
    }

    /// Fetches a file; what is wrong with it is thrown.
    func fetch(_ url: String) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-got-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try cloud.server.sendFile(
            from: url.replacingOccurrences(of: "${f}", with: "f"), to: file.path
        ) { _ in }.get()
        return [UInt8](try Data(contentsOf: file))
    }
}

extension Record {
    /// The address of the file in a field.
    func downloadURL(_ field: String = "x") -> String? {
        if case .asset(let asset)? = fields[field] { asset.downloadURL } else { nil }
    }
}
