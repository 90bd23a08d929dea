import ChildProcesses
import Foundation

/// A process of an app; see `SwiftDataProbe`.
struct Probe {
    private let process = ChildProcess()
    private let output = Pipe()

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("SwiftDataProbe")
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    /// The lines that the process printed until it ended. One that was cut off was not finished.
    ///
    /// - Parameter then: called once, when so many were printed.
    func lines(atLeast count: Int = .max, then: (ChildProcess) -> Void = { _ in }) -> [String] {
        var printed = Data()
        var isTold = false
        while true {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            printed.append(more)
            if !isTold, printed.count(where: { $0 == UInt8(ascii: "\n") }) >= count {
                isTold = true
                then(process)
            }
        }
        process.waitUntilExit()
        guard let end = printed.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return String(decoding: printed[...end], as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
