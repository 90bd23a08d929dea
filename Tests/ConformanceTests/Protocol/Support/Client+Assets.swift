import CloudKitTesting
import CloudServer
import Foundation
import Testing
import WebServices

extension Client {
    /// Addresses for files of fields.
    func addresses(
        _ fields: [AssetsUpload.Token], in zone: ZoneID? = nil, database: DatabaseScope = .private
    ) throws -> [AssetsUpload.Address] {
        let request = AssetsUpload.Request(tokens: fields, zoneID: zone)
        guard case .assetsUpload(let response) = try answer(.assetsUpload(request), in: database) else {
            throw UnexpectedAnswer()
        }
        return response.tokens
    }

    func address(
        for field: String = "x", type: String = "Note", in zone: ZoneID? = nil, database: DatabaseScope = .private
    ) throws -> String {
        let token = AssetsUpload.Token(recordName: "a", recordType: type, fieldName: field)
        return try addresses([token], in: zone, database: database)[0].url
    }

    /// Sends a file to its address; what is wrong with it is thrown.
    func send(_ bytes: [UInt8], to url: String, contentType: String = "application/octet-stream") throws -> Asset {
        switch service.wire {
        case .inProcess:
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-sent-\(UUID())")
            try Data(bytes).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            return try service.server.receiveFile(at: file.path, sentTo: url) { _ in }.get()
        case .http:
            let answer = try HTTPClient(port: service.port).send(
                "POST", path(url), headers: [("Content-Type", contentType)], body: bytes)
            do throws(ServerError) {
                return try AssetsUpload.Receipt(body: answer.body).singleFile
            } catch {
                #expect(answer.status == (error.extensionCode == .limitExceeded ? 413 : error.code.status))
                throw error
            }
        }
    }

    func upload(
        _ bytes: [UInt8], for field: String = "x", type: String = "Note", in zone: ZoneID? = nil,
        database: DatabaseScope = .private
    ) throws -> Asset {
        try send(bytes, to: address(for: field, type: type, in: zone, database: database))
    }

    /// Fetches a file; what is wrong with it is thrown.
    func fetch(_ url: String, named name: String = "photo.jpg") throws -> [UInt8] {
        let url = url.replacingOccurrences(of: "${f}", with: name)
        switch service.wire {
        case .inProcess:
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-got-\(UUID())")
            defer { try? FileManager.default.removeItem(at: file) }
            _ = try service.server.sendFile(from: url, to: file.path) { _ in }.get()
            return [UInt8](try Data(contentsOf: file))
        case .http:
            let answer = try HTTPClient(port: service.port).send("GET", path(url))
            if let error = answer.error {
                #expect(answer.status == error.code.status)
                throw error
            }
            #expect(answer.status == 200)
            return answer.body
        }
    }

    /// What a fetch or an upload fails with.
    func assetError(_ body: () throws -> some Any) -> ServerError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? ServerError
        }
    }

    private func path(_ url: String) -> String {
        url.range(of: "/stratus/").map { String(url[$0.lowerBound...]) } ?? url
    }
}

extension Record {
    /// The asset of a field.
    func asset(_ field: String = "x") -> Asset? {
        if case .asset(let asset)? = fields[field] { asset } else { nil }
    }
}
