import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CloudServer

/// What strangers, slow clients and busy tenants do to a server: the others are served, and nothing that was acknowledged is
/// lost.
@Suite("Hard times", .serialized)
struct HardTimesTests {
    enum Abuse: String, CaseIterable, CustomTestStringConvertible {
        case silence, halfHeaders, halfBodies, halfUploads, unreadAnswers, unreadFiles, comingAndGoing

        var testDescription: String { rawValue }
    }

    private static let large = ["large0", "large1", "large2", "large3"]

    @Test(
        "Whatever connections do, others are served and nothing is lost", .timeLimit(.minutes(2)),
        arguments: Abuse.allCases)
    func connections(abuse: Abuse) throws {
        let cloud = try ServedCloud(
            configure: { $0.assets.uploadsPerUser = 20 },
            http: {
                $0.connectionLimit = 64
                $0.threadCount = 2
                $0.crowdedRequestTimeout = .seconds(1)
                $0.crowdedDownloadTimeout = .seconds(1)
                $0.answerMemory = 24 << 20
            })
        let (abuser, honest) = (try cloud.customer("mallory"), try cloud.customer("anna"))
        for name in Self.large { #expect(try abuser.save([name], String(repeating: "x", count: 900_000))) }
        let file = try abuser.save("file", file: [UInt8](repeating: 7, count: 16 << 20))

        let held = try begin(abuse, cloud, abuser, file)
        var names: [String] = []
        for number in 0..<20 {
            names.append("n\(number)")
            // Each on a connection of its own, which has to get in first.
            var isSaved = try honest.save([names[number]])
            // Too many answers that nobody takes: told to come back, and let in when the first of them are cut off.
            while abuse == .unreadAnswers, !isSaved { isSaved = try honest.save([names[number]]) }
            #expect(isSaved)
            #expect(try honest.has(names))
        }
        #expect(cloud.http.answerMemory <= 32 << 20)
        let finished = try held.finish(abuser)

        #expect(try honest.has(names))
        #expect(try abuser.has(Self.large + ["file"] + finished))
        #expect(try RawHTTPClient(port: cloud.port).get(file).body.count == 16 << 20)
    }

    /// Connections that were begun, and what they may still do.
    private struct Held {
        var clients: [RawHTTPClient] = []
        /// Sends the rest of a request and answers the name of the record that it saved.
        var finish: (Customer) throws -> [String] = { _ in [] }
    }

    private func begin(_ abuse: Abuse, _ cloud: ServedCloud, _ abuser: Customer, _ file: String) throws -> Held {
        var held = Held()
        func connect(_ count: Int, _ body: (Int, RawHTTPClient) throws -> Void) throws {
            for number in 0..<count {
                held.clients.append(try RawHTTPClient(port: cloud.port, receiveBuffer: 4096))
                try body(number, held.clients[number])
            }
        }
        switch abuse {
        case .silence: try connect(100) { _, _ in }
        case .halfHeaders: try connect(100) { $1.send("GET \(file) HTTP/1.1\r\nHost: x\r\nX-Slow: ") }
        case .unreadAnswers:
            let body = Customer.finding(Self.large, keys: #"["title"]"#)
            try connect(40) { $1.request("POST", abuser.target("records/lookup"), body: body) }
        case .unreadFiles: try connect(100) { $1.request("GET", file) }
        case .comingAndGoing:
            for number in 0..<1000 {
                let client = try RawHTTPClient(port: cloud.port)
                if number % 3 == 0 { client.send("GET /stratus/health HTTP/1.1\r\n\r\n") }
                if number % 3 == 1 { client.send([UInt8](repeating: UInt8(number & 255), count: 100)) }
            }
        case .halfBodies:
            try connect(40) { number, client in
                let body = Customer.saving(["late\(number)"])
                client.request(
                    "POST", abuser.target("records/modify"), headers: ["Content-Length: \(body.utf8.count)"])
                client.send(String(body.prefix(20)))
            }
            held.finish = { [clients = held.clients] _ in
                for (number, client) in clients.enumerated() {
                    client.send(String(Customer.saving(["late\(number)"]).dropFirst(20)))
                    let status = try client.answer().status
                    #expect(status == 200)
                }
                return clients.indices.map { "late\($0)" }
            }
        case .halfUploads:
            let path = try abuser.uploadPath()
            try connect(40) { _, client in
                client.request("PUT", path, headers: ["Content-Length: 100000"])
                client.send([UInt8](repeating: 1, count: 50_000))
            }
            held.finish = { [clients = held.clients] _ in
                var statuses: [Int: Int] = [:]
                for client in clients {
                    client.send([UInt8](repeating: 1, count: 50_000))
                    statuses[try client.answer().status, default: 0] += 1
                }
                // One person has so many at once.
                #expect(statuses == [200: 20, 503: 20])
                return []
            }
        }
        return held
    }

    @Test("A tenant that floods is told to come back; another is served as before", .timeLimit(.minutes(2)))
    func flood() throws {
        let cloud = try ServedCloud(configure: { $0.processors = 1 })
        let greedy = try cloud.customer("greta", container: "iCloud.example.greedy")
        let modest = try cloud.customer("anna", container: "iCloud.example.modest")
        #expect(try greedy.save(["first"]))
        #expect(try modest.save(["first"]))
        let isOver = Atomic(false)
        let refused = Atomic(0)
        let saved = Mutex<[String]>([])
        let progress = DispatchSemaphore(value: 0)
        let threads = DispatchGroup()
        for writer in 0..<8 {
            DispatchQueue(label: "writer").async(group: threads) {
                for round in 0... where !isOver.load(ordering: .relaxed) {
                    let names = (0..<100).map { "w\(writer)-\(round)-\($0)" }
                    guard let answer = try? greedy.ask("records/modify", Customer.saving(names)) else { continue }
                    if answer.status == 200 {
                        saved.withLock { $0 += names }
                    } else {
                        #expect(answer.status == 503)
                        #expect(answer.text.contains("TRY_AGAIN_LATER"))
                        #expect(answer.headers["retry-after"].flatMap { Int($0) } ?? 0 >= 1)
                        refused.add(1, ordering: .relaxed)
                    }
                    progress.signal()
                    if isOver.load(ordering: .relaxed) { return }
                }
            }
        }
        var names: [String] = []
        // A little now and then, while the other asks for all it can get.
        while refused.load(ordering: .relaxed) == 0 || names.count < 20 {
            for _ in 0..<8 { progress.wait() }
            names.append("n\(names.count)")
            #expect(try modest.save([names[names.count - 1]]))
        }
        isOver.store(true, ordering: .relaxed)
        threads.wait()
        #expect(try modest.has(names + ["first"]))
        #expect(!saved.withLock { $0.isEmpty })
        let all = saved.withLock { $0 } + ["first"]
        while try !greedy.has(all) {
            // Told to come back, as above; the time that it has to wait is short.
            #expect(try greedy.ask("records/lookup", Customer.finding(["first"])).status == 503)
        }
    }
}
