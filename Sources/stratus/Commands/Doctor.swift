import Foundation

extension Command {
    static let doctor = Command(
        name: "doctor",
        summary: "Say what is wrong with a set-up and how to mend it",
        discussion: """
            Looks at the data folder (rights, room, soundness of every file), at what a server would be started with (port, \
            certificate, limits, clock), and, where this machine is set up as an app's, at its settings, its way to the cloud \
            and its container. Changes nothing. Ends with 0 when there is no problem, else with 1; warnings do not count.
            """,
        options: [
            .data,
            .value("config", "FILE", "Take the server's options from its configuration file."),
            .host,
            .value("port", "N", "The port that the server is to have.", fallback: "8484"),
            .encryptionKeys,
            .value("certificate", "FILE", "The server's certificate."),
            .value("key", "FILE", "The certificate's key."),
            .value("container", "IDENTIFIER", "The app's container, where its .entitlements file is not here."),
            .value("authority", "FILE", "Certificates to trust besides the system's."),
            .json,
        ],
        examples: [
            Example(line: "stratus doctor --config /etc/stratus.conf", meaning: "On the server's machine."),
            Example(line: "stratus doctor", meaning: "In an app's folder, after `stratus login`."),
        ],
        run: runDoctor)
}

@Sendable private func runDoctor(_ arguments: Arguments) throws -> ExitCode {
    var arguments = arguments
    var findings: [Finding] = []
    if let file = arguments.value("config") {
        do {
            arguments.file = try ConfigurationFile.read(file, options: ServeOptions.all)
            var serving = try Arguments([], for: .serve, environment: arguments.variables)
            serving.file = arguments.file
            _ = try ServeSettings(serve: serving)
            findings.append(.ok("configuration", "\(file) can be used."))
        } catch {
            let failure = Failure(error)
            findings.append(
                .problem(
                    "configuration", failure.message, consequence: "no server starts with it.",
                    remedy: failure.remedy ?? "correct the line."))
        }
    }
    let folder = DataFolder(arguments)
    let concernsServer = arguments.said("data") != nil || arguments.said("config") != nil || folder.holdsCloud
    if concernsServer {
        findings += DataExamination(folder, encryptionKeys: EncryptionKeysFile.said(arguments)).findings()
    }
    if concernsServer || arguments.said("certificate") != nil || arguments.said("port") != nil {
        let isServing = FolderLock.holder(of: folder) != nil
        findings += ServingExamination(arguments: arguments, isServing: isServing).findings()
    }
    findings += ClientExamination(arguments).findings()
    if findings.isEmpty {
        findings.append(
            .warning(
                "set-up", "there is nothing to look at.",
                consequence: "neither a data folder nor settings for apps were found.",
                remedy: "name a folder with --data, or sign in with `stratus login`."))
    }
    let problems = findings.count { $0.level == .problem }
    let text = findings.map(\.text).joined(separator: "\n")
    _ = try Terminal.show(arguments, findings, text)
    return problems == 0 ? .success : .failure
}
