import CloudServer
import CloudStore

extension Command {
    static let containerCreate = Command(
        name: "container create",
        summary: "Register a container for an app",
        arguments: "IDENTIFIER",
        argumentCount: 1...1,
        discussion: """
            A container is an app's place in the cloud, with a development and a production environment; its identifier is \
            the one in the app's entitlements. Apps reach it with an API token: stratus token create.
            """,
        options: [.data, .json],
        examples: [
            Example(
                line: "stratus container create iCloud.com.example.fieldnotes --data /srv/stratus",
                meaning: "Also while the server runs.")
        ],
        run: createContainer)

    static let containerList = Command(
        name: "container list", summary: "List the containers", options: [.data, .json], run: listContainers)

    static let containerLog = Command(
        name: "container log",
        summary: "Say how long a container's requests stay in the request log",
        arguments: "IDENTIFIER DAYS|default",
        argumentCount: 2...2,
        discussion: "Without a word of its own, a container's log is kept as long as stratus serve --request-log says.",
        options: [.data, .json],
        examples: [
            Example(
                line: "stratus container log iCloud.com.example.fieldnotes 30 --data /srv/stratus",
                meaning: "A month; 0 keeps nothing, default goes back to the server's setting.")
        ],
        run: keepContainerLog)

    static let containerDelete = Command(
        name: "container delete",
        summary: "Take a container away from its apps and revoke its tokens",
        arguments: "IDENTIFIER",
        argumentCount: 1...1,
        discussion: """
            Its data stays in the folder, below containers/, and is there again when the container is registered again. To \
            be rid of it, stop the server and remove the container's files.
            """,
        options: [.data, .flag("yes", "Do not ask.").withoutEnvironment, .json],
        run: deleteContainer)
}

private struct ContainerDocument: Encodable {
    var identifier: String
    var created: Moment
    var environments: [String]
    /// nil is the server's setting.
    var logDays: Double?
}

@Sendable private func createContainer(_ arguments: Arguments) throws -> ExitCode {
    let identifier = arguments.words[0]
    let store = try DataFolder(arguments).open()
    defer { store.close() }
    try Administration(store: store).createContainer(identifier)
    return try Terminal.show(
        arguments, ["identifier": identifier],
        "Registered \(identifier)\nIts apps need a token:  stratus token create \(identifier)")
}

@Sendable private func listContainers(_ arguments: Arguments) throws -> ExitCode {
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let containers = try Administration(store: store).containers().map {
        ContainerDocument(
            identifier: $0.identifier, created: Moment(milliseconds: $0.created), environments: $0.environments,
            logDays: $0.requestLogLife.map { Double($0) / millisecondsOfADay })
    }
    let table = Table(
        headings: ["IDENTIFIER", "CREATED", "DATA IN"],
        rows: containers.map { [$0.identifier, "\($0.created)", $0.environments.joined(separator: ", ")] })
    return try Terminal.show(arguments, containers, containers.isEmpty ? "There are no containers." : table.text)
}

private let millisecondsOfADay = 86_400_000.0

@Sendable private func keepContainerLog(_ arguments: Arguments) throws -> ExitCode {
    let (identifier, text) = (arguments.words[0], arguments.words[1])
    var life: Int64?
    if text != "default" {
        guard let days = Double(text), (0...36_500).contains(days) else {
            throw Failure(.usage, "“\(text)” is no number of days.", remedy: "Give one such as 30, or default.")
        }
        life = Int64(days * millisecondsOfADay)
    }
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    try Administration(store: store).keepRequestLog(of: identifier, for: life)
    return try Terminal.show(
        arguments, ["identifier": identifier, "logDays": text],
        life == nil
            ? "\(identifier)'s log is kept as the server's setting says"
            : "\(identifier)'s log is kept for \(text) days")
}

@Sendable private func deleteContainer(_ arguments: Arguments) throws -> ExitCode {
    let identifier = arguments.words[0]
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let administration = Administration(store: store)
    guard try administration.containers().contains(where: { $0.identifier == identifier }) else {
        throw AdministrationError.noContainer(identifier)
    }
    try Terminal.confirm(arguments, "Take \(identifier) away from its apps and revoke its tokens?")
    try administration.deleteContainer(identifier)
    return try Terminal.show(
        arguments, ["deleted": identifier], "\(identifier) is gone for its apps; its data stays in the folder")
}
