import Foundation

extension Command {
    static let serve = Command(
        name: "serve",
        summary: "Run a cloud",
        discussion: """
            Keeps everything in one folder, answers until SIGTERM or SIGINT, then finishes what it has accepted and ends. \
            A second signal ends it at once; nothing that was acknowledged is lost either way.

            An option given on the line wins over its environment variable, which wins over the configuration file. The file \
            holds lines of `key = value`; # begins a comment line, and relative paths count from the file's folder.

            Set it up with `stratus account create`, `stratus container create` and `stratus token create`, before the \
            first start or while it runs.
            """,
        options: ServeOptions.all,
        examples: [
            Example(
                line: "stratus serve --data /srv/stratus --port 8484",
                meaning: "Plain HTTP on this machine, for a proxy in front."),
            Example(
                line: "stratus serve --data /srv/stratus --host :: --port 443 --certificate cloud.pem --key cloud.key",
                meaning: "HTTPS for the world."),
            Example(line: "stratus serve --config /etc/stratus.conf", meaning: "Everything from a file."),
        ],
        run: runServe)
}

@Sendable private func runServe(_ arguments: Arguments) throws -> ExitCode {
    var arguments = arguments
    if let file = arguments.value("config") {
        arguments.file = try ConfigurationFile.read(file, options: ServeOptions.all)
    }
    let settings = try ServeSettings(serve: arguments)
    return try Serving.run(settings) { cloud in
        let folder = settings.data?.path ?? ""
        Terminal.print("Stratus \(Version.current) is ready at \(cloud.url) (data in \(folder), process \(getpid()))")
    }
}
