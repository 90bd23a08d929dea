// ChildProcesses: programs that a test starts. It knows nothing of what they are.

import CChildProcesses
import Foundation
import Synchronization

/// A program that a test starts, used like Foundation's `Process`.
///
/// Foundation's ended whole test runs now and then, always in the same copy inside `run()`, which reads beyond its memory:
/// most likely where it looks through the open descriptors, of which a test run has many. Here the system closes them.
// Unchecked: set up by one thread before it runs; what changes afterwards is under the lock.
public final class ChildProcess: @unchecked Sendable {
    public var executableURL: URL?
    public var arguments: [String]? = []
    /// nil hands on this process's own.
    public var environment: [String: String]?
    public var currentDirectoryURL: URL?
    /// A `Pipe` or a `FileHandle`; nil hands on this process's own.
    public var standardInput: Any?
    public var standardOutput: Any?
    public var standardError: Any?
    /// Called once, on a thread of its own, when the program has ended.
    public var terminationHandler: (@Sendable (ChildProcess) -> Void)?

    public enum TerminationReason: Sendable {
        case exit, uncaughtSignal
    }

    private struct State {
        var processIdentifier: Int32 = 0
        var status: Int32?
    }

    private let state = Mutex(State())
    private let ended = DispatchGroup()

    public init() {}

    public var processIdentifier: Int32 { state.withLock { $0.processIdentifier } }
    public var isRunning: Bool { state.withLock { $0.processIdentifier != 0 && $0.status == nil } }
    /// The exit code, or the signal that ended it; 0 before that.
    public var terminationStatus: Int32 {
        let status = state.withLock { $0.status } ?? 0
        return status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F
    }
    public var terminationReason: TerminationReason {
        (state.withLock { $0.status } ?? 0) & 0x7F == 0 ? .exit : .uncaughtSignal
    }

    public func waitUntilExit() { ended.wait() }

    public func terminate() { if isRunning { kill(processIdentifier, SIGTERM) } }

    /// - Throws: `POSIXError` where the system cannot start it.
    public func run() throws {
        guard let path = executableURL?.path else { throw POSIXError(.ENOENT) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, number) in [(standardInput, 0), (standardOutput, 1), (standardError, 2)] as [(Any?, Int32)] {
            guard let descriptor = Self.descriptor(stream, reads: number == 0) else { continue }
            posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        }
        if let folder = currentDirectoryURL?.path { cchild_add_folder(&actions, folder) }
        cchild_add_closing_from(&actions, 3)

        // The threads of queues take no signals, and a server's process may ignore some: none of it is the child's.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let variables = environment ?? ProcessInfo.processInfo.environment
        let identifier = try Self.withTexts([path] + (arguments ?? [])) { arguments in
            try Self.withTexts(variables.map { "\($0)=\($1)" }) { variables in
                var identifier: pid_t = 0
                let code = posix_spawn(&identifier, path, &actions, &attributes, arguments, variables)
                guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
                return identifier
            }
        }
        state.withLock { $0.processIdentifier = identifier }
        // The reader of a pipe sees its end only when this process has closed the child's.
        (standardInput as? Pipe)?.fileHandleForReading.closeFile()
        for case let pipe as Pipe in [standardOutput, standardError] { pipe.fileHandleForWriting.closeFile() }
        ended.enter()
        Thread { self.awaitEnd(identifier) }.start()
    }

    private func awaitEnd(_ identifier: pid_t) {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
        state.withLock { $0.status = status }
        ended.leave()
        terminationHandler?(self)
    }

    private static func descriptor(_ stream: Any?, reads: Bool) -> Int32? {
        switch stream {
        case let pipe as Pipe: (reads ? pipe.fileHandleForReading : pipe.fileHandleForWriting).fileDescriptor
        case let handle as FileHandle: handle.fileDescriptor
        default: nil
        }
    }

    private static func withTexts<Value>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Value
    ) rethrows -> Value {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return try body(copies + [nil])
    }
}
