import Foundation
import FoundationNetworking
import Testing

/// One account's calls, with files. What has no answer throws.
struct FileCloud: Sendable {
    static let container = "iCloud.com.example.fieldnotes"
    private static let apiToken = "7374726174757320646576" + String(repeating: "0", count: 42)

    let server: Server
    private let query: String

    init(_ server: Server, account: String = "alice") async throws {
        self.server = server
        let session = try await ask(
            "POST", "\(server.url)/stratus/session", #"{"account":"\#(account)","password":""}"#)
        let token = try #require(session.body["webAuthToken"]?.text)
        let escaped = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        query = "ckAPIToken=\(Self.apiToken)&ckWebAuthToken=\(escaped)"
    }

    func call(_ path: String, _ body: String) async throws -> Answer {
        try await ask(
            "POST", "\(server.url)/database/1/\(Self.container)/development/private/\(path)?\(query)", body)
    }

    /// An address to send a file to.
    func address() async throws -> URL {
        let answer = try await call(
            "assets/upload", #"{"tokens":[{"recordName":"a","recordType":"Note","fieldName":"photo"}]}"#)
        let json = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any]
        let token = (json?["tokens"] as? [[String: Any]])?.first
        return try #require(URL(string: token?["url"] as? String ?? ""))
    }

    /// The status of sending a file, and the value of its field.
    func send(_ file: Data) async throws -> (status: Int, value: String) {
        var request = URLRequest(url: try await address())
        request.httpMethod = "POST"
        let (data, response) = try await URLSession.shared.upload(for: request, from: file)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, Self.value(data))
    }

    /// The value of a field in the answer to an upload.
    static func value(_ answer: Data) -> String {
        let json = (try? JSONSerialization.jsonObject(with: answer)) as? [String: Any]
        let value = json?["singleFile"].flatMap { try? JSONSerialization.data(withJSONObject: $0) }
        return value.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Whether a record with a file was acknowledged.
    func save(_ name: String, _ value: String) async throws -> Bool {
        let answer = try await call(
            "records/modify",
            #"{"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Note","fields":{"photo":{"value":\#(value),"type":"ASSETID"}}}}]}"#
        )
        return answer.status == 200 && !answer.text.contains("serverErrorCode")
    }

    /// The file of a record.
    func fetch(_ name: String) async throws -> Data {
        let answer = try await call("records/lookup", #"{"records":[{"recordName":"\#(name)"}]}"#)
        let found = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any]
        let record = (found?["records"] as? [[String: Any]])?.first
        let fields = record?["fields"] as? [String: [String: Any]]
        let url = (fields?["photo"]?["value"] as? [String: Any])?["downloadURL"] as? String
        let address = try #require(url, "\(answer.text)").replacingOccurrences(of: "${f}", with: "photo.jpg")
        let (data, response) = try await URLSession.shared.data(from: try #require(URL(string: address)))
        try #require((response as? HTTPURLResponse)?.statusCode == 200)
        return data
    }
}
