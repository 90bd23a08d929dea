import CloudServer
import CloudStore

extension Command {
    private static let note = """
        Works on the data folder itself, whether a server runs on it or not; one that runs notices within five seconds.
        """

    static let accountCreate = Command(
        name: "account create",
        summary: "Make an account that can sign in",
        arguments: "NAME",
        argumentCount: 1...1,
        discussion: note,
        options: [.data] + PasswordPrompt.options + [
            .value("first-name", "TEXT", "Shown to people with whom this account shares.").withoutEnvironment,
            .value("last-name", "TEXT", "The same.").withoutEnvironment,
            .json,
        ],
        examples: [
            Example(
                line: "stratus account create alice@example.com --data /srv/stratus",
                meaning: "Asks for the password twice."),
            Example(
                line: "pass show alice | stratus account create alice --password-stdin",
                meaning: "Takes the password from another program."),
        ],
        run: createAccount)

    static let accountList = Command(
        name: "account list", summary: "List the accounts", options: [.data, .json], run: listAccounts)

    static let accountPassword = Command(
        name: "account password",
        summary: "Set another password and sign the account out everywhere",
        arguments: "NAME",
        argumentCount: 1...1,
        discussion: note,
        options: [.data] + PasswordPrompt.options + [.json],
        run: setPassword)

    static let accountDelete = Command(
        name: "account delete",
        summary: "Delete an account and everything in its private databases",
        arguments: "NAME",
        argumentCount: 1...1,
        discussion: """
            Its zones in every container go with it; what it saved in public databases stays. There is no way back but a \
            backup.

            \(note)
            """,
        options: [
            .data, .flag("yes", "Do not ask.").withoutEnvironment, .json,
        ],
        run: deleteAccount)
}

private struct AccountDocument: Encodable {
    var name: String
    var id: String
    var created: Moment
    var firstName: String?
    var lastName: String?

    init(_ row: AccountRow) {
        name = row.name
        id = row.id
        created = Moment(milliseconds: row.created)
        firstName = row.firstName
        lastName = row.lastName
    }
}

@Sendable private func createAccount(_ arguments: Arguments) throws -> ExitCode {
    let name = arguments.words[0]
    let store = try DataFolder(arguments).open()
    defer { store.close() }
    let administration = Administration(store: store)
    // Asked before the password is: nobody should think of one for nothing.
    if try administration.accounts().contains(where: { $0.name == name }) {
        throw AdministrationError.accountExists(name)
    }
    let row = try administration.createAccount(
        name: name, password: PasswordPrompt.read(arguments, "Password of \(name)", confirming: true),
        firstName: arguments.value("first-name"), lastName: arguments.value("last-name"))
    return try Terminal.show(arguments, AccountDocument(row), "Made the account \(name)")
}

@Sendable private func listAccounts(_ arguments: Arguments) throws -> ExitCode {
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let accounts = try Administration(store: store).accounts().map(AccountDocument.init)
    let table = Table(
        headings: ["NAME", "CREATED", "ID"], rows: accounts.map { [$0.name, "\($0.created)", $0.id] })
    return try Terminal.show(arguments, accounts, accounts.isEmpty ? "There are no accounts." : table.text)
}

@Sendable private func setPassword(_ arguments: Arguments) throws -> ExitCode {
    let name = arguments.words[0]
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let administration = Administration(store: store)
    guard try administration.accounts().contains(where: { $0.name == name }) else {
        throw AdministrationError.noAccount(name)
    }
    let password = try PasswordPrompt.read(arguments, "New password of \(name)", confirming: true)
    try administration.setPassword(password, ofAccount: name)
    return try Terminal.show(
        arguments, ["changed": name], "\(name) has another password and is signed out everywhere")
}

@Sendable private func deleteAccount(_ arguments: Arguments) throws -> ExitCode {
    let name = arguments.words[0]
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let administration = Administration(store: store)
    guard try administration.accounts().contains(where: { $0.name == name }) else {
        throw AdministrationError.noAccount(name)
    }
    try Terminal.confirm(arguments, "Delete \(name) and all its private data?")
    try administration.deleteAccount(name)
    return try Terminal.show(arguments, ["deleted": name], "Deleted the account \(name) and its private data")
}
