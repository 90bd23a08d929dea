import ChildProcesses
import Behaviours
import CloudKitTesting
import CloudServer
import Foundation
import Testing
import WebServices

/// Every kind of credentials with every place that can be called.
@Suite("The matrix of credentials and databases")
struct AuthMatrixTests {
    enum Proof: CaseIterable, Sendable {
        case none, apiToken, webToken, serverKey
    }

    enum Place: CaseIterable, Sendable {
        case `public`, `private`, shared, users

        var call: (operation: ServerOperation, database: DatabaseScope) {
            switch self {
            case .public: (.zonesList, .public)
            case .private: (.zonesList, .private)
            case .shared: (.zonesList, .shared)
            case .users: (.usersCurrent, .public)
            }
        }
    }

    struct Cell: Sendable, CustomTestStringConvertible {
        var proof: Proof
        var place: Place

        var testDescription: String { "\(proof), \(place)" }

        static var all: [Cell] {
            Proof.allCases.flatMap { proof in Place.allCases.map { Cell(proof: proof, place: $0) } }
        }

        /// nil where the call is served.
        var refusal: ServerError.Code? {
            switch (proof, place) {
            case (.none, _): .authenticationFailed
            case (.apiToken, .public): nil
            case (.apiToken, _): .authenticationRequired
            case (.webToken, _): nil
            case (.serverKey, .public): nil
            case (.serverKey, _): .authenticationFailed
            }
        }
    }

    @Test(
        "Who may call what, cell by cell", .behaviour("auth.matrix"), arguments: Cell.all, Wire.allCases)
    func cell(_ cell: Cell, _ wire: Wire) throws {
        let service = try Service(wire)
        var client = try service.signIn()
        let (operation, database) = cell.place.call
        let code: ServerError.Code?
        switch cell.proof {
        case .none:
            client.credentials = Credentials()
            code = try Self.code(client.reply(operation, in: database))
        case .apiToken: code = try Self.code(service.visitor().reply(operation, in: database))
        case .webToken: code = try Self.code(client.reply(operation, in: database))
        case .serverKey: code = try signed(client, operation, database)
        }
        #expect(code == cell.refusal)
    }

    private static func code(_ reply: Reply) -> ServerError.Code? {
        if case .failure(let error) = reply.result { error.code } else { nil }
    }

    /// The call with the signature of a key that openssl makes, as another server does.
    private func signed(
        _ client: Client, _ operation: ServerOperation, _ database: DatabaseScope
    ) throws -> ServerError.Code? {
        let key = try SigningKey()
        _ = try? client.service.administration.createContainer(Service.container)
        let id = try #require(ServerKey(pem: key.pem)).id
        _ = try client.service.administration.addServerKey(
            pem: key.pem, container: Service.container, environment: .development)
        let client = client.with { $0.credentials = Credentials() }
        let target = client.target(operation.path, in: database)
        let time = Date(timeIntervalSince1970: Double(client.service.server.clock.now()) / 1000)
        let date = String(time.ISO8601Format().prefix(19)) + "Z"
        let message = "\(date):47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:\(target.dropLast())"
        let signature = try key.sign(message)
        switch client.service.wire {
        case .inProcess:
            let proven = client.with {
                $0.credentials.signature = RequestSignature(
                    keyID: id, date: date, signature: signature, messages: [Array(message.utf8)])
            }
            return Self.code(try proven.reply(operation, in: database))
        case .http:
            let answer = try client.http(
                "GET", operation.path, in: database,
                headers: [
                    ("X-Apple-CloudKit-Request-KeyID", id), ("X-Apple-CloudKit-Request-ISO8601Date", date),
                    ("X-Apple-CloudKit-Request-SignatureV1", signature),
                ])
            #expect(answer.status == (answer.error?.code.status ?? 200))
            return answer.error?.code
        }
    }
}

/// A key of the openssl program's.
private struct SigningKey {
    let pem: String
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-key-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = folder.appendingPathComponent("key.pem").path
        _ = try Self.openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key])
        pem = String(decoding: try Self.openssl(["ec", "-in", key, "-pubout"]), as: UTF8.self)
    }

    /// Base64 of the signature in DER.
    func sign(_ message: String) throws -> String {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("message")
        try Data(message.utf8).write(to: file)
        let key = folder.appendingPathComponent("key.pem").path
        return try Self.openssl(["dgst", "-sha256", "-sign", key, file.path]).base64EncodedString()
    }

    private static func openssl(_ arguments: [String]) throws -> Data {
        let process = ChildProcess()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return data
    }
}
