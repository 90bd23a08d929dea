// ThrowawayPostgres: a private PostgreSQL server for tests.
//
// Started when it is first asked for, in a folder of its own and on a socket in that folder; stopped and removed when the
// process ends, however it ends. It knows nothing of the store.

import ChildProcesses
import Foundation
import Synchronization

/// A PostgreSQL server that lives as long as the test process.
package final class ThrowawayPostgres: Sendable {
    /// What keeps a test from having a server, and what to do about it.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// What libpq needs to connect.
    package let connection: String
    /// The server stops when the other end of this pipe sees it close, which the end of the process does too.
    private let lifeline: Pipe
    private let count = Atomic<Int>(0)

    private static let started = Result { try ThrowawayPostgres() }

    package static func shared() throws -> ThrowawayPostgres { try started.get() }

    /// A new, empty database; the connection to it.
    package func makeDatabase() throws -> String {
        let name = "test\(count.add(1, ordering: .relaxed).newValue)"
        let status = try Self.run("createdb", ["-h", folder, "-U", "postgres", name])
        guard status == 0 else { throw Failure(description: "createdb ended with \(status).") }
        return "host=\(folder) user=postgres dbname=\(name)"
    }

    private let folder: String

    private init() throws {
        let programs = try Self.programs()
        folder = NSTemporaryDirectory() + "/stratus-postgres-" + UUID().uuidString
        connection = "host=\(folder) user=postgres dbname=postgres"
        lifeline = Pipe()
        let output = Pipe()
        let shell = ChildProcess()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", Self.script, "sh", programs, folder]
        shell.standardInput = lifeline
        shell.standardOutput = output
        try shell.run()
        // One line when the server answers, or the end when the script gave up.
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard answer.hasPrefix("ready") else {
            throw Failure(description: "PostgreSQL did not start: \(answer)")
        }
    }

    /// PostgreSQL refuses to run as root, so root lends the server to the user `postgres`.
    private static let script = """
        bin="$1"; folder="$2"; run=""
        mkdir -m 700 "$folder"
        if [ "$(id -u)" = 0 ]; then
            chown postgres "$folder"
            run="setpriv --reuid=postgres --regid=postgres --init-groups"
        fi
        trap '' INT TERM
        cd "$folder"
        if ! $run "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >"$folder/log" 2>&1; then
            tail -n 5 "$folder/log"; exit 1
        fi
        $run "$bin/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off -c max_connections=200 \\
            -c shared_buffers=32MB </dev/null >"$folder/log" 2>&1 &
        server=$!
        until "$bin/pg_isready" -q -h "$folder"; do
            if ! kill -0 $server 2>/dev/null; then tail -n 5 "$folder/log"; rm -rf "$folder"; exit 1; fi
            sleep 0.05
        done
        echo ready
        cat >/dev/null
        kill -INT $server
        wait $server
        cd /; rm -rf "$folder"
        """

    /// The newest installed server's programs.
    private static func programs() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap(Int.init)
            .sorted()
        for version in versions.reversed() {
            let folder = "\(root)/\(version)/bin"
            if FileManager.default.isExecutableFile(atPath: folder + "/initdb") { return folder }
        }
        throw Failure(
            description: """
                No PostgreSQL server is installed under \(root). Install it (Debian: apt-get install postgresql) and try again.
                """)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: try programs() + "/" + program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
