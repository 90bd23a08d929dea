import CloudServer
import CloudStore
import WebServices

extension Command {
    private static let environment = Option.value(
        "environment", "NAME", "development or production.", fallback: "development")
    private static let note = """
        Roles come with the schema: CREATE ROLE Editor; and GRANT … TO Editor in a record type. They count in the public \
        database, and permissions add up. Also while the server runs, whose next request sees it.
        """

    static let roleGrant = Command(
        name: "role grant",
        summary: "Give an account a role in a container",
        arguments: "CONTAINER ROLE ACCOUNT",
        argumentCount: 3...3,
        discussion: note,
        options: [.data, environment, .json],
        examples: [
            Example(
                line: "stratus role grant iCloud.com.example.fieldnotes Editor alice --environment production",
                meaning: "Alice may now do what record types grant to Editor.")
        ],
        run: grantRole)

    static let roleRevoke = Command(
        name: "role revoke",
        summary: "Take a role from an account",
        arguments: "CONTAINER ROLE ACCOUNT",
        argumentCount: 3...3,
        options: [.data, environment, .json],
        run: revokeRole)

    static let roleList = Command(
        name: "role list",
        summary: "List a container's roles and who has them",
        arguments: "CONTAINER",
        argumentCount: 1...1,
        options: [.data, environment, .json],
        run: listRoles)
}

private struct RoleDocument: Encodable {
    var name: String
    var accounts: [String]
}

@Sendable private func grantRole(_ arguments: Arguments) throws -> ExitCode {
    let (container, role, account) = (arguments.words[0], arguments.words[1], arguments.words[2])
    let environment = try cloudEnvironment(arguments)
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    try Administration(store: store).grantRole(role, to: account, in: container, environment)
    return try Terminal.show(
        arguments, ["granted": role, "account": account],
        "\(account) has the role \(role) in \(container), \(environment.rawValue)")
}

@Sendable private func revokeRole(_ arguments: Arguments) throws -> ExitCode {
    let (container, role, account) = (arguments.words[0], arguments.words[1], arguments.words[2])
    let environment = try cloudEnvironment(arguments)
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    try Administration(store: store).revokeRole(role, from: account, in: container, environment)
    return try Terminal.show(
        arguments, ["revoked": role, "account": account],
        "\(account) does not have the role \(role) in \(container), \(environment.rawValue)")
}

@Sendable private func listRoles(_ arguments: Arguments) throws -> ExitCode {
    let environment = try cloudEnvironment(arguments)
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let roles = try Administration(store: store).roles(of: arguments.words[0], environment).map {
        RoleDocument(name: $0.name, accounts: $0.members)
    }
    let table = Table(
        headings: ["ROLE", "ACCOUNTS"], rows: roles.map { [$0.name, $0.accounts.joined(separator: ", ")] })
    return try Terminal.show(arguments, roles, roles.isEmpty ? "There are no roles." : table.text)
}
