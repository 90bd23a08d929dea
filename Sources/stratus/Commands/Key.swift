import CloudServer
import CloudStore
import Foundation
import WebServices

extension Command {
    static let keyCreate = Command(
        name: "key create",
        summary: "Let another server into a container's public database by its key",
        arguments: "CONTAINER PUBLIC-KEY",
        argumentCount: 2...2,
        discussion: """
            A server-to-server key signs requests in place of a person. PUBLIC-KEY is a PEM file, or - for standard input; \
            the private half stays with the server that signs. Prints the key's identifier, which goes into the header \
            X-Apple-CloudKit-Request-KeyID. Such requests reach the public database only, as one user of their own.
            """,
        options: [
            .data,
            .value("environment", "NAME", "development or production.", fallback: "development"),
            .value("note", "TEXT", "What the key is for, to recognise it in the list.").withoutEnvironment,
            .json,
        ],
        examples: [
            Example(
                line: "openssl ecparam -name prime256v1 -genkey -noout -out key.pem",
                meaning: "Makes a key, on the server that is to sign."),
            Example(
                line: "openssl ec -in key.pem -pubout | stratus key create iCloud.com.example.fieldnotes -",
                meaning: "Registers its public half."),
        ],
        run: createKey)

    static let keyList = Command(
        name: "key list",
        summary: "List server-to-server keys",
        arguments: "[CONTAINER]",
        argumentCount: 0...1,
        options: [.data, .json],
        run: listKeys)

    static let keyDelete = Command(
        name: "key delete",
        summary: "Revoke a server-to-server key",
        arguments: "KEY",
        argumentCount: 1...1,
        discussion: """
            KEY is the identifier or its first characters. A server that runs refuses the key within five seconds. What was \
            saved with it stays.
            """,
        options: [
            .data,
            .value("container", "IDENTIFIER", "Where the same key is in several containers.").withoutEnvironment,
            .value("environment", "NAME", "Where it is in both environments.").withoutEnvironment,
            .json,
        ],
        run: deleteKey)
}

private struct KeyDocument: Encodable {
    var id: String
    var container: String
    var environment: String
    var note: String
    var created: Moment

    init(_ row: ServerKeyRow) {
        id = row.id
        container = row.container
        environment = row.environment
        note = row.note
        created = Moment(milliseconds: row.created)
    }
}

private func environment(_ name: String) throws -> CloudEnvironment {
    guard let environment = CloudEnvironment(rawValue: name) else {
        throw Failure(.usage, "There is no environment “\(name)”.")
    }
    return environment
}

@Sendable private func createKey(_ arguments: Arguments) throws -> ExitCode {
    let environment = try environment(arguments.value("environment") ?? "development")
    let file = arguments.words[1]
    let data = file == "-" ? try? FileHandle.standardInput.readToEnd() : FileManager.default.contents(atPath: file)
    guard let data else { throw Failure(.notFound, "\(file) cannot be read.") }
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let row = try Administration(store: store).addServerKey(
        pem: String(decoding: data, as: UTF8.self), container: arguments.words[0], environment: environment,
        note: arguments.value("note") ?? "")
    // The bare identifier, so that a shell can take it.
    return try Terminal.show(arguments, KeyDocument(row), row.id)
}

@Sendable private func listKeys(_ arguments: Arguments) throws -> ExitCode {
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let keys = try Administration(store: store).serverKeys(container: arguments.words.first).map { KeyDocument($0) }
    let table = Table(
        headings: ["KEY", "CONTAINER", "ENVIRONMENT", "CREATED", "NOTE"],
        rows: keys.map { [$0.id, $0.container, $0.environment, "\($0.created)", $0.note] })
    return try Terminal.show(arguments, keys, keys.isEmpty ? "There are no server-to-server keys." : table.text)
}

@Sendable private func deleteKey(_ arguments: Arguments) throws -> ExitCode {
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let row = try Administration(store: store).deleteServerKey(
        arguments.words[0], container: arguments.value("container"),
        environment: try arguments.value("environment").map { try environment($0) })
    return try Terminal.show(arguments, KeyDocument(row), "Revoked \(row.id) of \(row.container), \(row.environment)")
}
