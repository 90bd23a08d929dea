import Foundation
import Testing

@Suite("stratus encryption")
struct EncryptionTests {
    let stratus: Stratus

    init() throws { stratus = try Stratus() }

    private struct Key: Decodable {
        var id: String
        var inUse: Bool
        var zones: Int
    }

    /// Saves a record with an encrypted field.
    private func saveSecret(_ server: Server) async throws {
        let session = try await ask("POST", "\(server.url)/stratus/session", #"{"account":"alice","password":""}"#)
        let token = try #require(session.body["webAuthToken"]?.text)
        let escaped = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let apiToken = "7374726174757320646576" + String(repeating: "0", count: 42)
        let answer = try await ask(
            "POST",
            "\(server.url)/database/1/iCloud.a/development/private/records/modify?ckAPIToken=\(apiToken)&ckWebAuthToken=\(escaped)",
            #"""
            {"operations": [{"operationType": "create", "record": {"recordType": "Note", "recordName": "a",
                "fields": {"x": {"value": "hush", "type": "STRING", "isEncrypted": true}}}}]}
            """#)
        #expect(answer.status == 200 && answer.text.contains(#""isEncrypted":true"#), "\(answer.text)")
    }

    @Test("A start makes the keys' file; without it nothing starts on encrypted data, and the message says what to do")
    func missingFile() async throws {
        let first = try await stratus.start("dev", "--data", "d", "--port", "0")
        try await saveSecret(first)
        _ = try await first.stop()
        let file = stratus.path("d/encryption.keys")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.moveItem(atPath: file, toPath: stratus.path("away"))
        let refused = try await stratus("dev", "--data", "d", "--port", "0")
        #expect(refused.code == 1)
        #expect(refused.error.contains("encryption.keys") && refused.error.contains("stratus encryption reset"))
        let doctor = try await stratus("doctor", "--data", "d", "--port", "0")
        #expect(doctor.code == 1 && doctor.output.contains("is missing"))
        // Its place may be another.
        let elsewhere = try await stratus(
            "encryption", "status", "--data", "d", environment: ["STRATUS_ENCRYPTION_KEYS": stratus.path("away")])
        #expect(elsewhere.code == 0)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try await stratus("encryption", "reset", "--yes", "--data", "d").code == 0)
        _ = try await stratus.start("dev", "--data", "d", "--port", "0").stop()
    }

    @Test("A rotation beside a running server makes another key, and keeps the older one in the file")
    func rotation() async throws {
        let server = try await stratus.start("dev", "--data", "d", "--port", "0")
        try await saveSecret(server)
        let before = try await stratus("encryption", "status", "--data", "d", "--json").json([Key].self)
        #expect(before.map(\.inUse) == [true])
        #expect(try await stratus("encryption", "rotate", "--data", "d").code == 0)
        let after = try await stratus("encryption", "status", "--data", "d", "--json").json([Key].self)
        #expect(after.map(\.inUse) == [false, true])
        #expect(after.first?.id == before.first?.id)
        #expect(before.map(\.zones) == [1] && after.map(\.zones) == [0, 1])
        #expect(
            try await stratus("encryption", "reset", "--yes", "--data", "d").code == 5, "not below a running server")
        _ = try await server.stop()
    }
}
