import CloudStore
import Foundation
import Testing

@testable import CloudServer

/// A cloud on disk behind the HTTP server that people meet.
final class ServedCloud {
    let folder: URL
    let server: CloudServer
    let http: MicroHTTPServer
    let port: UInt16

    init(
        configure: (inout ServerConfiguration) -> Void = { _ in },
        http configureHTTP: (inout HTTPServerConfiguration) -> Void = { _ in }
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-served-\(UUID())")
        var configuration = ServerConfiguration.emulator(apiToken: TestCloud.apiToken)
        configure(&configuration)
        server = try CloudServer(
            store: try CloudStore(directory: folder), configuration: configuration, log: .silent)
        var httpConfiguration = HTTPServerConfiguration()
        let router = Router(server: server)
        router.configure(&httpConfiguration)
        configureHTTP(&httpConfiguration)
        http = MicroHTTPServer(httpConfiguration, handler: router.handle)
        try http.start()
        port = try #require(http.port)
    }

    deinit {
        http.stop(grace: .zero)
        server.store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func customer(_ account: String, container: String = TestCloud.container) throws -> Customer {
        let session = try server.identity.signIn(account: account, password: "", keepSignedIn: true)
        let token = session.webAuthToken.replacing("+", with: "%2B").replacing("/", with: "%2F")
        return Customer(
            port: port, container: container, query: "ckAPIToken=\(TestCloud.apiToken)&ckWebAuthToken=\(token)")
    }
}

/// One account's client, which says what it sends.
struct Customer: Sendable {
    let port: UInt16
    let container: String
    let query: String

    func target(_ path: String) -> String { "/database/1/\(container)/development/private/\(path)?\(query)" }

    static func saving(_ names: [String], _ text: String = "x") -> String {
        let operations = names.map {
            #"{"operationType":"create","record":{"recordName":"\#($0)","recordType":"Note","fields":{"title":{"value":"\#(text)"}}}}"#
        }
        return #"{"operations":[\#(operations.joined(separator: ","))],"desiredKeys":[]}"#
    }

    static func finding(_ names: [String], keys: String = "[]") -> String {
        let records = names.map { #"{"recordName":"\#($0)"}"# }.joined(separator: ",")
        return #"{"records":[\#(records)],"desiredKeys":\#(keys)}"#
    }

    func ask(_ path: String, _ body: String, on client: RawHTTPClient? = nil) throws -> RawHTTPClient.Answer {
        let client = try client ?? RawHTTPClient(port: port)
        client.request("POST", target(path), body: body)
        return try client.answer()
    }

    /// Saves records, and tells whether all were acknowledged.
    func save(_ names: [String], _ text: String = "x", on client: RawHTTPClient? = nil) throws -> Bool {
        let answer = try ask("records/modify", Self.saving(names, text), on: client)
        return answer.status == 200 && !answer.text.contains("serverErrorCode")
    }

    func has(_ names: [String], on client: RawHTTPClient? = nil) throws -> Bool {
        for start in stride(from: 0, to: names.count, by: 200) {
            let page = Array(names[start..<min(start + 200, names.count)])
            let answer = try ask("records/lookup", Self.finding(page), on: client)
            guard answer.status == 200, !answer.text.contains("serverErrorCode") else { return false }
        }
        return true
    }

    /// The path of an address to send a file to.
    func uploadPath() throws -> String {
        let token = #"{"recordName":"a","recordType":"Note","fieldName":"photo"}"#
        let answer = try ask("assets/upload", #"{"tokens":[\#(token)]}"#)
        let match = try #require(answer.text.replacing("\\/", with: "/").firstMatch(of: /(\/stratus\/assets[^"]+)"/))
        return String(match.1)
    }

    /// Saves a record with a file, and answers the path to fetch it from.
    func save(_ name: String, file: [UInt8]) throws -> String {
        let client = try RawHTTPClient(port: port)
        client.request("PUT", try uploadPath(), headers: ["Content-Length: \(file.count)"])
        client.send(file)
        let receipt = try client.answer()
        let value = try #require(receipt.text.firstMatch(of: /"singleFile":(\{[^}]*\})/)).1
        let saved = try ask(
            "records/modify",
            #"{"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Note","fields":{"photo":{"value":\#(value),"type":"ASSETID"}}}}]}"#
        )
        let match = try #require(saved.text.replacing("\\/", with: "/").firstMatch(of: /"downloadURL":"([^"]+)"/))
        let url = String(match.1).replacing("${f}", with: "photo")
        return String(url[try #require(url.range(of: "/stratus/")).lowerBound...])
    }
}
