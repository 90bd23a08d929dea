import CloudServer
import Foundation

extension Command {
    static let dev = Command(
        name: "dev",
        summary: "Run an emulator: a cloud that needs no set-up, for development and tests",
        discussion: """
            Accounts and containers come into being on first use, and one API token, always the same, is good for all of \
            them. Without --data everything is in memory and gone at the end. Ready within a tenth of a second; nothing \
            leaves this machine.

            Never put it before strangers: anybody can be anybody.
            """,
        options: [
            .host,
            .value("port", "N", "The port to listen on; 0 for a free one.", fallback: "8484"),
            .portFile,
            .value("data", "DIR", "Keep the data in this folder.", fallback: "in memory"),
            .flag("reset", "Empty the folder of --data first.").withoutEnvironment,
            .log,
        ],
        examples: [
            Example(line: "stratus dev", meaning: "Prints what to set for an app, and answers until Control-C."),
            Example(
                line: "stratus dev --port 0 --port-file /tmp/port --log",
                meaning: "On a free port, whose number a script finds in the file; requests are printed."),
        ],
        run: runDev)
}

/// The API token of every emulator: "stratus dev" in hexadecimal digits, and zeros. It is no secret.
let emulatorToken = "7374726174757320646576" + String(repeating: "0", count: 42)

@Sendable private func runDev(_ arguments: Arguments) throws -> ExitCode {
    let began = ContinuousClock.now
    let folder = arguments.said("data").map { DataFolder(URL(filePath: $0, directoryHint: .isDirectory)) }
    let emulator = folder.map(EmulatorFolder.init)
    try emulator?.claim(emptying: try arguments.flag("reset"))
    var settings = try ServeSettings(common: arguments, data: folder)
    settings.server = .emulator(apiToken: emulatorToken)
    return try Serving.run(settings) { cloud in
        let place = folder.map { "data in \($0.path)" } ?? "data in memory, gone at the end"
        let milliseconds = (ContinuousClock.now - began) / .milliseconds(1)
        Terminal.print(
            """
            Stratus \(Version.current), an emulator, is ready at \(cloud.url) (\(place); \(Int(milliseconds.rounded())) ms)

            For an app, in its shell:
              export STRATUS_URL=\(cloud.url)
              export STRATUS_API_TOKEN=\(emulatorToken)
              export STRATUS_ACCOUNT=alice
              export STRATUS_PASSWORD=

            Any account name will do; Control-C ends it.
            """)
    }
}

/// A folder that an emulator may use: one it made itself. A real cloud's must not be opened to everybody, nor emptied.
struct EmulatorFolder {
    var folder: DataFolder

    private var mark: String { folder.url.appending(path: "emulator").path }

    func claim(emptying: Bool) throws {
        let isOurs = FileManager.default.fileExists(atPath: mark)
        if folder.holdsCloud, !isOurs {
            throw Failure(
                .refused, "\(folder.path) holds a cloud of `stratus serve`, which an emulator would open to everybody.",
                remedy: "Name another folder, or run it with `stratus serve --data \(folder.path)`.")
        }
        if emptying, isOurs {
            // Not below a running emulator.
            let lock = try folder.lock()
            defer { withExtendedLifetime(lock) {} }
            for name in ["control.sqlite", "requests.sqlite", "containers"] {
                for ending in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(at: folder.url.appending(path: name + ending))
                }
            }
        }
        try folder.makeFolder()
        if !isOurs {
            try PrivateFile.write(Array("This folder belongs to `stratus dev`.\n".utf8), to: URL(filePath: mark))
        }
    }
}
