import ChildProcesses
import Foundation
import FoundationNetworking
import Testing

@Suite("Files and a server in a process of its own", .serialized)
struct AssetProcessTests {
    private let container = "iCloud.com.example.fieldnotes"
    private let apiToken = "7374726174757320646576" + String(repeating: "0", count: 42)

    private func credentials(_ server: Server) async throws -> String {
        let session = try await ask("POST", "\(server.url)/stratus/session", #"{"account":"alice","password":""}"#)
        let token = try #require(session.body["webAuthToken"]?.text)
        let escaped = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "ckAPIToken=\(apiToken)&ckWebAuthToken=\(escaped)"
    }

    private func call(_ path: String, _ server: Server, _ query: String, _ body: String) async throws -> [String: Any] {
        let address = "\(server.url)/database/1/\(container)/development/private/\(path)?\(query)"
        let answer = try await ask("POST", address, body)
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any])
    }

    private func address(_ server: Server, _ query: String) async throws -> URL {
        let answer = try await call(
            "assets/upload", server, query,
            #"{"tokens":[{"recordName":"a","recordType":"Note","fieldName":"photo"}]}"#)
        let token = (answer["tokens"] as? [[String: Any]])?.first
        return try #require(URL(string: token?["url"] as? String ?? ""))
    }

    /// Uploads a file and saves a record that refers to it.
    private func save(_ name: String, _ file: URL, _ server: Server, _ query: String) async throws {
        var request = URLRequest(url: try await address(server, query))
        request.httpMethod = "POST"
        let (data, _) = try await URLSession.shared.upload(for: request, fromFile: file)
        let answer = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let value = String(
            decoding: try JSONSerialization.data(withJSONObject: try #require(answer["singleFile"])), as: UTF8.self)
        let saved = try await call(
            "records/modify", server, query,
            #"{"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Note","fields":{"photo":{"value":\#(value),"type":"ASSETID"}}}}]}"#
        )
        let record = (saved["records"] as? [[String: Any]])?.first
        try #require(record?["serverErrorCode"] == nil, "\(saved)")
    }

    private func fetch(_ name: String, _ server: Server, _ query: String, to target: URL) async throws -> Int {
        let found = try await call("records/lookup", server, query, #"{"records":[{"recordName":"\#(name)"}]}"#)
        let record = (found["records"] as? [[String: Any]])?.first
        let fields = record?["fields"] as? [String: [String: Any]]
        let url = (fields?["photo"]?["value"] as? [String: Any])?["downloadURL"] as? String
        let address = try #require(url).replacingOccurrences(of: "${f}", with: "photo.jpg")
        let (location, response) = try await URLSession.shared.download(from: try #require(URL(string: address)))
        try FileManager.default.moveItem(at: location, to: target)
        return (response as? HTTPURLResponse)?.statusCode ?? 0
    }

    /// The most memory that a process has had in use, in KB.
    private func peak(_ process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
    }

    private func makeFile(_ name: String, megabytes: Int, _ stratus: Stratus) throws -> URL {
        let file = stratus.folder.appendingPathComponent(name)
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        for number in 0..<megabytes {
            try handle.write(contentsOf: Data(repeating: UInt8(number & 255), count: 1 << 20))
        }
        try handle.close()
        return file
    }

    @Test("A file of 50 MB travels both ways and never lies in the server's memory", .timeLimit(.minutes(2)))
    func memory() async throws {
        let stratus = try Stratus()
        let server = try await stratus.start("dev", "--port", "0", "--data", "d")
        let query = try await credentials(server)
        let small = try makeFile("small", megabytes: 1, stratus)
        try await save("warm", small, server, query)
        _ = try await fetch("warm", server, query, to: stratus.folder.appendingPathComponent("warm"))
        let before = try peak(server.processIdentifier)
        let large = try makeFile("large", megabytes: 50, stratus)
        let copy = stratus.folder.appendingPathComponent("copy")
        try await save("large", large, server, query)
        #expect(try await fetch("large", server, query, to: copy) == 200)
        #expect(FileManager.default.contentsEqual(atPath: large.path, andPath: copy.path))
        let grown = try peak(server.processIdentifier) - before
        #expect(grown < 8 << 10, "the server grew by \(grown) KB")
        #expect(try await server.stop() == 0)
    }

    @Test("A device sends and fetches 50 MB and never holds them in memory", .timeLimit(.minutes(2)))
    func deviceMemory() async throws {
        let stratus = try Stratus()
        let server = try await stratus.start("dev", "--port", "0", "--data", "d")
        let large = try makeFile("large", megabytes: 50, stratus)
        let copy = stratus.path("copy")
        let output = stratus.path("output")
        try Data().write(to: URL(fileURLWithPath: output))
        let device = ChildProcess()
        device.executableURL = try Stratus.program("AssetDevice")
        device.arguments = ["large", large.path, copy]
        device.environment = [
            "HOME": stratus.folder.path, "XDG_CACHE_HOME": stratus.path("cache"), "STRATUS_URL": server.url,
            "STRATUS_API_TOKEN": apiToken, "STRATUS_ACCOUNT": "alice", "STRATUS_PASSWORD": "",
            "STRATUS_CONTAINER": container,
        ]
        device.standardOutput = FileHandle(forWritingAtPath: output)
        let code = try await ended(device)
        let said = try String(contentsOfFile: output, encoding: .utf8)
        try #require(code == 0, "\(said)")
        #expect(FileManager.default.contentsEqual(atPath: large.path, andPath: copy))
        let peaks = said.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        try #require(peaks.count == 2)
        // Foundation keeps some of what it is reading; far less than the file.
        #expect(peaks[1] - peaks[0] < 20 << 10, "the device grew by \(peaks[1] - peaks[0]) KB")
        #expect(try await server.stop() == 0)
    }

    @Test("A SIGKILL amid uploads loses no file that a record refers to, and leaves none half", .timeLimit(.minutes(2)))
    func killed() async throws {
        let stratus = try Stratus()
        var names: [String] = []
        for round in 0..<3 {
            let server = try await stratus.start("dev", "--port", "0", "--data", "d")
            let query = try await credentials(server)
            for number in 0..<4 {
                let name = "r\(round)-\(number)"
                try await save(name, try makeFile(name, megabytes: 1 + number, stratus), server, query)
                names.append(name)
            }
            // One that is cut off: announced, begun, and the server is gone.
            let half = try HalfUpload(try await address(server, query))
            half.send(megabytes: 2)
            _ = try await server.stop(SIGKILL)
        }
        let server = try await stratus.start("dev", "--port", "0", "--data", "d")
        let query = try await credentials(server)
        for name in names {
            let copy = stratus.folder.appendingPathComponent("copy-\(name)")
            #expect(try await fetch(name, server, query, to: copy) == 200)
            #expect(
                FileManager.default.contentsEqual(
                    atPath: stratus.path(name), andPath: copy.path))
        }
        #expect(try await server.stop() == 0)
        let sound = try await stratus("doctor", "--data", "d", "--port", "0")
        #expect(sound.code == 0)
        #expect(sound.output.contains("4 files of records"))
        // The files of each round have the contents of the one before, and are kept once. One of them is lost:
        let folder = stratus.folder.appendingPathComponent("d/containers/\(container).development.assets")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.count == 35 }
        try FileManager.default.removeItem(at: folder.appendingPathComponent(try #require(files.first)))
        let damaged = try await stratus("doctor", "--data", "d", "--port", "0")
        #expect(damaged.code != 0)
        #expect(damaged.output.contains("1 of 4 files of records are missing or cut."))
    }

    @Test("An upload that breaks off leaves nothing, and a full disk is told in plain words", .timeLimit(.minutes(2)))
    func brokenOff() async throws {
        let stratus = try Stratus()
        // The system lets it write no file beyond 2 MB.
        let server = try await stratus.start("dev", "--port", "0", "--data", "d", fileSizeLimit: 2 << 20)
        let query = try await credentials(server)
        var request = URLRequest(url: try await address(server, query))
        request.httpMethod = "POST"
        let large = try makeFile("large", megabytes: 3, stratus)
        let (data, response) = try await URLSession.shared.upload(for: request, fromFile: large)
        #expect((response as? HTTPURLResponse)?.statusCode == 503)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("The server has no room for files just now."))
        #expect(text.contains("TRY_AGAIN_LATER"))
        try await save("small", try makeFile("small", megabytes: 1, stratus), server, query)

        var half: HalfUpload? = try HalfUpload(try await address(server, query))
        half?.send(megabytes: 1)
        half = nil
        let folder = stratus.path("d/containers/\(container).development.assets/uploads")
        // The server hears of it when it reads on.
        for _ in 0..<500 where try !FileManager.default.contentsOfDirectory(atPath: folder).isEmpty {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        #expect(try await server.stop() == 0)
    }
}
