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
            identifier: $0.identifier, created: Moment(milliseconds: $0.created), environments: $0.environments)
    }
    let table = Table(
        headings: ["IDENTIFIER", "CREATED", "DATA IN"],
        rows: containers.map { [$0.identifier, "\($0.created)", $0.environments.joined(separator: ", ")] })
    return try Terminal.show(arguments, containers, containers.isEmpty ? "There are no containers." : table.text)
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
