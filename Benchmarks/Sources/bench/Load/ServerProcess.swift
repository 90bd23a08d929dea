import Foundation
import Glibc

/// A server under test, started for a run and ended with it.
// Unchecked: the process is asked from the thread that started it; the load threads only read the port.
final class ServerProcess: @unchecked Sendable {
    let port: Int
    private let process: Process
    private let logURL: URL

    init(_ executable: URL, _ arguments: [String], port: Int, directory: URL, environment: [String: String] = [:])
        throws
    {
        self.port = port
        logURL = directory.appendingPathComponent("\(executable.lastPathComponent)-\(port).log")
        _ = FileManager.default.createFile(atPath: logURL.path, contents: nil)
        process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let log = try FileHandle(forWritingTo: logURL)
        process.standardOutput = log
        process.standardError = log
        try process.run()
    }

    deinit { stop() }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Asks until there is a 200, and answers how many seconds after `start` that was.
    func waitUntilAnswering(_ question: HTTPQuestion, since start: Double, within seconds: Double = 30) throws -> Double
    {
        while Load.now() - start < seconds {
            if let answer = try? HTTPConnection(port: port).ask(question), answer.status == 200 {
                return Load.now() - start
            }
            guard process.isRunning else { break }
            usleep(500)
        }
        let log = (try? String(contentsOf: logURL, encoding: .utf8)) ?? ""
        throw HTTPConnection.Failure(
            description:
                "\(process.executableURL?.lastPathComponent ?? "the server") did not start:\n\(log.suffix(2000))")
    }

    /// Resident memory in megabytes.
    var residentMemory: Double { status("VmRSS:") }

    /// Begins anew to look for the most resident memory.
    func forgetPeakMemory() {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(process.processIdentifier)/clear_refs"))
    }

    /// The most resident memory that there was, in megabytes.
    var peakMemory: Double { status("VmHWM:") }

    private func status(_ name: String) -> Double {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return (Double(line.split(separator: " ").dropFirst().first ?? "0") ?? 0) / 1024
    }

    /// A port that was free a moment ago.
    static func freePort() -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, length)
                _ = getsockname(descriptor, $0, &length)
            }
        }
        return Int(in_port_t(bigEndian: address.sin_port))
    }
}
