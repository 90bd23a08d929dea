import Foundation
import Synchronization
import Testing

@Suite("A server that is short of something", .serialized)
struct OverloadTests {
    private let container = "iCloud.com.example.fieldnotes"
    private let apiToken = "7374726174757320646576" + String(repeating: "0", count: 42)

    @Test("At a full disk saves are told to come back, reads go on, and what was acknowledged is there afterwards")
    func fullDisk() async throws {
        let stratus = try Stratus()
        // No file may grow beyond this, which is to a program what a full disk is.
        let server = try await stratus.start(
            "dev", "--port", "0", "--data", "d", fileSizeLimit: 3 << 20)
        let cloud = Cloud(server, container, apiToken)
        let query = try await cloud.signIn()
        let filling = String(repeating: "x", count: 50_000)
        var saved: [String] = []
        var refused: Answer?
        for number in 0..<200 where refused == nil {
            let answer = try await cloud.save("n\(number)", filling, query)
            if answer.status == 200, !answer.text.contains("serverErrorCode") {
                saved.append("n\(number)")
            } else {
                refused = answer
            }
        }
        let answer = try #require(refused, "the disk never was full")
        #expect(answer.status == 503)
        #expect(answer.text.contains("TRY_AGAIN_LATER"))
        #expect(answer.text.contains("retryAfter"))
        #expect(saved.count > 10)
        for name in saved { #expect(try await cloud.has(name, query)) }
        #expect(try await server.stop() == 0)

        let roomy = try await stratus.start("dev", "--port", "0", "--data", "d")
        let again = Cloud(roomy, container, apiToken)
        let fresh = try await again.signIn()
        for name in saved { #expect(try await again.has(name, fresh)) }
        #expect(try await again.save("after", filling, fresh).status == 200)
        #expect(try await roomy.stop() == 0)
    }

    @Test("Told to end under load, it finishes what it accepted: every save has an answer or no effect")
    func gracefulEnd() async throws {
        let stratus = try Stratus()
        let server = try await stratus.start("dev", "--port", "0", "--data", "d")
        let cloud = Cloud(server, container, apiToken)
        let query = try await cloud.signIn()
        let outcomes = Outcomes()
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0... {
                        let name = "w\(writer)-\(number)"
                        guard let answer = try? await cloud.save(name, "x", query) else { return }
                        let isSaved = answer.status == 200 && !answer.text.contains("serverErrorCode")
                        if outcomes.add(name, isSaved: isSaved) == 200 { kill(server.processIdentifier, SIGTERM) }
                    }
                }
            }
        }
        // It ends by itself and well: nothing was cut off.
        #expect(try await server.exitCode == 0)
        let (acknowledged, refused) = outcomes.all
        #expect(acknowledged.count >= 200)

        let restarted = try await stratus.start("dev", "--port", "0", "--data", "d")
        let again = Cloud(restarted, container, apiToken)
        let fresh = try await again.signIn()
        for name in acknowledged { #expect(try await again.has(name, fresh)) }
        for name in refused { #expect(try await !again.has(name, fresh)) }
        #expect(try await restarted.stop() == 0)
    }
}

/// What became of saves that were answered, by name.
private final class Outcomes: Sendable {
    private let names = Mutex<(acknowledged: [String], refused: [String])>(([], []))

    var all: (acknowledged: [String], refused: [String]) { names.withLock { $0 } }

    /// Returns how many were acknowledged.
    func add(_ name: String, isSaved: Bool) -> Int {
        names.withLock { names in
            if isSaved { names.acknowledged.append(name) } else { names.refused.append(name) }
            return names.acknowledged.count
        }
    }
}

/// One account's calls.
private struct Cloud: Sendable {
    private let server: Server
    private let container: String
    private let apiToken: String

    init(_ server: Server, _ container: String, _ apiToken: String) {
        self.server = server
        self.container = container
        self.apiToken = apiToken
    }

    func signIn() async throws -> String {
        let session = try await ask("POST", "\(server.url)/stratus/session", #"{"account":"alice","password":""}"#)
        let token = try #require(session.body["webAuthToken"]?.text)
        let escaped = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "ckAPIToken=\(apiToken)&ckWebAuthToken=\(escaped)"
    }

    func save(_ name: String, _ text: String, _ query: String) async throws -> Answer {
        let record = #"{"recordType":"Note","recordName":"\#(name)","fields":{"title":{"value":"\#(text)"}}}"#
        return try await call("modify", query, #"{"operations":[{"operationType":"create","record":\#(record)}]}"#)
    }

    func has(_ name: String, _ query: String) async throws -> Bool {
        let answer = try await call("lookup", query, #"{"records":[{"recordName":"\#(name)"}],"desiredKeys":[]}"#)
        return answer.status == 200 && !answer.text.contains("serverErrorCode") && answer.text.contains("\"\(name)\"")
    }

    private func call(_ action: String, _ query: String, _ body: String) async throws -> Answer {
        try await ask(
            "POST", "\(server.url)/database/1/\(container)/development/private/records/\(action)?\(query)", body)
    }
}
