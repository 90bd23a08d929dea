import ChildProcesses
import Dispatch
import Foundation
import Testing

/// The built program, with a folder and an environment of its own.
final class Stratus: Sendable {
    let folder: URL

    struct Outcome: Sendable {
        var code: Int32
        var output: String
        var error: String

        func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try JSONDecoder().decode(type, from: Data(output.utf8))
        }
    }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }

    /// Runs a command to its end.
    func callAsFunction(
        _ arguments: String..., environment: [String: String] = [:], input: String = ""
    ) async throws -> Outcome {
        try await run(arguments, environment: environment, input: input)
    }

    func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = ""
    ) async throws -> Outcome {
        let name = UUID().uuidString
        let files = ["in", "out", "err"].map { folder.appendingPathComponent("\(name).\($0)") }
        defer { files.forEach { try? FileManager.default.removeItem(at: $0) } }
        try Data(input.utf8).write(to: files[0])
        for file in files[1...] { try Data().write(to: file) }
        let process = try process(arguments, environment)
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        let code = try await ended(process)
        return Outcome(
            code: code, output: try String(contentsOf: files[1], encoding: .utf8),
            error: try String(contentsOf: files[2], encoding: .utf8))
    }

    /// Starts a server and waits until it says that it is ready.
    ///
    /// - Parameters:
    ///   - logTo: A file for its standard error.
    ///   - fileSizeLimit: Bytes beyond which the system lets it write no file.
    func start(
        _ arguments: String..., environment: [String: String] = [:], logTo: String? = nil, fileSizeLimit: Int? = nil
    ) async throws -> Server {
        let process = try process(arguments, environment)
        if let fileSizeLimit, let program = process.executableURL {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            // In blocks of 512 bytes.
            let limited = "ulimit -f \(fileSizeLimit / 512) && exec \"$0\" \"$@\""
            process.arguments = ["-c", limited, program.path] + arguments
        }
        if let logTo { process.standardError = FileHandle(forWritingAtPath: logTo) }
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        return try await Server(process, output)
    }

    private func process(_ arguments: [String], _ environment: [String: String]) throws -> ChildProcess {
        let process = ChildProcess()
        process.executableURL = try Self.program()
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // Nothing of the person who runs the tests.
        let own = ["HOME": folder.path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        process.environment = own.merging(environment) { $1 }
        return process
    }

    /// The program is built beside the tests.
    static func program(_ name: String = "stratus") throws -> URL {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name)
        return FileManager.default.isExecutableFile(atPath: program.path)
            ? program : Bundle.main.bundleURL.appendingPathComponent(name)
    }
}

/// Runs a process and waits for its end without holding a thread.
func ended(_ process: ChildProcess) async throws -> Int32 {
    try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { process in continuation.resume(returning: process.terminationStatus) }
        do { try process.run() } catch { continuation.resume(throwing: error) }
    }
}

/// A server of the program in a process of its own.
final class Server: Sendable {
    let url: String
    /// What it printed when it was ready.
    let announcement: String
    let processIdentifier: Int32
    private let end: Task<Int32, any Error>

    init(_ process: ChildProcess, _ output: Pipe) async throws {
        let end = Task { try await ended(process) }
        self.end = end
        let reader = output.fileHandleForReading
        let text = await withCheckedContinuation { continuation in
            // Reading blocks until the server prints or ends.
            DispatchQueue.global().async { continuation.resume(returning: Self.announcement(reader)) }
        }
        announcement = text
        let address = try #require(text.firstMatch(of: /is ready at (\S+)/), "the server did not start: \(text)")
        url = String(address.1)
        processIdentifier = process.processIdentifier
    }

    private static func announcement(_ reader: FileHandle) -> String {
        var text = ""
        while !(text.contains("is ready at") && (text.contains("Control-C") || !text.contains("emulator"))) {
            let data = reader.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        return text
    }

    deinit { kill(processIdentifier, SIGKILL) }

    /// Asks it to stop and waits for its end; the exit code.
    func stop(_ signal: Int32 = SIGTERM) async throws -> Int32 {
        kill(processIdentifier, signal)
        return try await exitCode
    }

    /// The exit code, once it has ended.
    var exitCode: Int32 {
        get async throws { try await end.value }
    }
}
