import Foundation
import Synchronization
import Testing

@Suite("A server that is killed")
struct CrashTests {
    private let container = "iCloud.com.example.fieldnotes"
    private let apiToken = "7374726174757320646576" + String(repeating: "0", count: 42)

    @Test("Every save that was acknowledged before a SIGKILL is there afterwards", .timeLimit(.minutes(2)))
    func acknowledgedSaves() async throws {
        let stratus = try Stratus()
        let acknowledged = Acknowledged()
        for round in 0..<4 {
            let server = try await stratus.start("dev", "--port", "0", "--data", "d")
            let query = try await credentials(server)
            try await expectAll(acknowledged.names, server, query)
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<6 {
                    group.addTask {
                        for number in 0... {
                            let name = "r\(round)-\(writer)-\(number)"
                            // No answer: the server is gone, and nothing is known of this one.
                            guard (try? await save(name, server, query)) == true else { return }
                            let count = acknowledged.add(name)
                            if count == (round + 1) * 150 { kill(server.processIdentifier, SIGKILL) }
                        }
                    }
                }
            }
            _ = try await server.stop(SIGKILL)
        }
        #expect(acknowledged.names.count >= 600)
        let server = try await stratus.start("dev", "--port", "0", "--data", "d")
        try await expectAll(acknowledged.names, server, try await credentials(server))
        #expect(try await server.stop() == 0)
        #expect(try await stratus("doctor", "--data", "d", "--port", "0").code == 0)
    }

    private func credentials(_ server: Server) async throws -> String {
        let session = try await ask("POST", "\(server.url)/stratus/session", #"{"account":"alice","password":""}"#)
        let token = try #require(session.body["webAuthToken"]?.text)
        let escaped = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "ckAPIToken=\(apiToken)&ckWebAuthToken=\(escaped)"
    }

    private func call(_ action: String, _ server: Server, _ query: String, _ body: String) async throws -> Answer {
        try await ask(
            "POST", "\(server.url)/database/1/\(container)/development/private/records/\(action)?\(query)", body)
    }

    private func save(_ name: String, _ server: Server, _ query: String) async throws -> Bool {
        let record = #"{"recordType":"Note","recordName":"\#(name)","fields":{"title":{"value":"\#(name)"}}}"#
        let answer = try await call(
            "modify", server, query, #"{"operations":[{"operationType":"create","record":\#(record)}]}"#)
        return answer.status == 200 && !answer.text.contains("serverErrorCode")
    }

    private func expectAll(_ names: [String], _ server: Server, _ query: String) async throws {
        for start in stride(from: 0, to: names.count, by: 200) {
            let page = names[start..<min(start + 200, names.count)]
            let list = page.map { #"{"recordName":"\#($0)"}"# }.joined(separator: ",")
            let answer = try await call("lookup", server, query, #"{"records":[\#(list)]}"#)
            #expect(answer.status == 200)
            #expect(!answer.text.contains("serverErrorCode"), "a save is missing")
            #expect(page.allSatisfy { answer.text.contains("\"\($0)\"") })
        }
    }
}

/// The names of records whose saves were answered.
final class Acknowledged: Sendable {
    private let all = Mutex<[String]>([])

    var names: [String] { all.withLock { $0 } }

    /// Returns how many there are.
    func add(_ name: String) -> Int {
        all.withLock { all in
            all.append(name)
            return all.count
        }
    }
}
