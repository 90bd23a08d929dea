import CloudServer
import CloudStore
import WebServices

extension Command {
    static let tokenCreate = Command(
        name: "token create",
        summary: "Make an API token for a container's environment",
        arguments: "CONTAINER",
        argumentCount: 1...1,
        discussion: """
            An API token admits an app to one environment of one container; who uses the app signs in besides. It is \
            printed once and only its hash is kept.
            """,
        options: [
            .data,
            .value("environment", "NAME", "development or production.", fallback: "development"),
            .value("note", "TEXT", "What the token is for, to recognise it in the list.").withoutEnvironment,
            .value(
                "origins", "ORIGINS", "Web pages that may use it, with spaces between: https://notes.example.com.",
                fallback: "all"
            ).withoutEnvironment,
            .value(
                "callback", "URL", "Where a browser goes after a sign-in, with the web token in its query.",
                fallback: "a message to a page of --origins that opened the sign-in"
            ).withoutEnvironment,
            .json,
        ],
        examples: [
            Example(
                line: "stratus token create iCloud.com.example.fieldnotes --environment production --note web",
                meaning: "Prints 64 hexadecimal characters: the value of STRATUS_API_TOKEN.")
        ],
        run: createToken)

    static let tokenList = Command(
        name: "token list",
        summary: "List API tokens by their first characters",
        arguments: "[CONTAINER]",
        argumentCount: 0...1,
        options: [.data, .json],
        run: listTokens)

    static let tokenDelete = Command(
        name: "token delete",
        summary: "Revoke an API token",
        arguments: "TOKEN",
        argumentCount: 1...1,
        discussion: """
            TOKEN is the whole token or its first characters, as `stratus token list` shows them. A server that runs \
            refuses the token within five seconds.
            """,
        options: [.data, .json],
        run: deleteToken)
}

private struct TokenDocument: Encodable {
    /// Only where the token was just made.
    var token: String?
    var prefix: String
    var container: String
    var environment: String
    var note: String
    var origins: [String]
    var callback: String?
    var created: Moment

    init(_ row: APITokenRow, token: String? = nil) {
        self.token = token
        prefix = row.prefix
        container = row.container
        environment = row.environment
        note = row.note
        origins = row.origins.split(separator: " ").map(String.init)
        callback = row.callback.isEmpty ? nil : row.callback
        created = Moment(milliseconds: row.created)
    }
}

@Sendable private func createToken(_ arguments: Arguments) throws -> ExitCode {
    let name = try environmentName(arguments)
    guard let environment = CloudEnvironment(rawValue: name) else {
        throw Failure(.usage, "There is no environment “\(name)”.")
    }
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let (token, row) = try Administration(store: store).createToken(
        container: arguments.words[0], environment: environment, note: arguments.value("note") ?? "",
        origins: (arguments.said("origins") ?? "").split(separator: " ").map(String.init),
        callback: arguments.said("callback"))
    // The bare token, so that a shell can take it: TOKEN=$(stratus token create …)
    return try Terminal.show(arguments, TokenDocument(row, token: token), token)
}

@Sendable private func listTokens(_ arguments: Arguments) throws -> ExitCode {
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let tokens = try Administration(store: store).tokens(container: arguments.words.first).map { TokenDocument($0) }
    let table = Table(
        headings: ["TOKEN", "CONTAINER", "ENVIRONMENT", "CREATED", "NOTE"],
        rows: tokens.map { ["\($0.prefix)…", $0.container, $0.environment, "\($0.created)", $0.note] })
    return try Terminal.show(arguments, tokens, tokens.isEmpty ? "There are no API tokens." : table.text)
}

@Sendable private func deleteToken(_ arguments: Arguments) throws -> ExitCode {
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let row = try Administration(store: store).deleteToken(arguments.words[0])
    return try Terminal.show(
        arguments, TokenDocument(row), "Revoked \(row.prefix)… of \(row.container), \(row.environment)")
}
