import CloudServer
import CloudStore
import WebServices

extension Command {
    static let accountShow = Command(
        name: "account show",
        summary: "Show what an account stores in each container",
        arguments: "NAME",
        argumentCount: 1...1,
        options: [.data, .json],
        run: showAccount)

    static let accountErase = Command(
        name: "account erase",
        summary: "Erase what an account stores in private databases",
        arguments: "NAME",
        argumentCount: 1...1,
        discussion: """
            The account stays, and so does what it saved in public databases. Its devices hear that their user purged the \
            zones, and remove what they have of them. A server that runs on the folder answers accordingly at once; devices \
            that wait for a push hear of it with their next one.
            """,
        options: [
            .data,
            .value("container", "ID", "In this container only.", fallback: "all").withoutEnvironment,
            .value("environment", "NAME", "development or production.", fallback: "both").withoutEnvironment,
            .flag("encrypted", "Zones with encrypted fields only: devices make them again and send what they have.")
                .withoutEnvironment,
            .flag("yes", "Do not ask.").withoutEnvironment, .json,
        ],
        examples: [
            Example(
                line: "stratus account erase alice --container iCloud.com.example.fieldnotes --data /srv/stratus",
                meaning: "Asks first.")
        ],
        run: eraseAccount)
}

private struct UsageDocument: Encodable {
    var container: String
    var environment: String
    var zones: Int
    var records: Int64
    var bytes: Int64

    init(_ usage: Administration.AccountUsage) {
        container = usage.container
        environment = usage.environment.rawValue
        zones = usage.zones
        records = usage.records
        bytes = usage.bytes
    }
}

private struct ErasedDocument: Encodable {
    var container: String
    var environment: String
    var zones: [String]
    var records: Int64
    var bytes: Int64

    init(_ erased: Administration.Erased, _ container: String) {
        self.container = container
        environment = erased.environment.rawValue
        zones = erased.zones
        records = erased.records
        bytes = erased.bytes
    }
}

@Sendable private func showAccount(_ arguments: Arguments) throws -> ExitCode {
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let usage = try Administration(store: store).usage(ofAccount: arguments.words[0])
    let table = Table(
        headings: ["CONTAINER", "ENVIRONMENT", "ZONES", "RECORDS", "BYTES"],
        rows: usage.map { [$0.container, $0.environment.rawValue, "\($0.zones)", "\($0.records)", "\($0.bytes)"] })
    return try Terminal.show(
        arguments, usage.map(UsageDocument.init), usage.isEmpty ? "\(arguments.words[0]) stores nothing." : table.text)
}

@Sendable private func eraseAccount(_ arguments: Arguments) throws -> ExitCode {
    let name = arguments.words[0]
    let environment = try arguments.said("environment").map { _ in try cloudEnvironment(arguments) }
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let administration = Administration(store: store)
    // Asked before the person is: nobody should confirm what cannot be.
    let present = try administration.usage(ofAccount: name)
    let containers = try administration.containers().map(\.identifier)
    if let only = arguments.said("container"), !containers.contains(only) {
        throw AdministrationError.noContainer(only)
    }
    let isEncrypted = try arguments.flag("encrypted")
    let what = isEncrypted ? "the zones with encrypted fields" : "all private data"
    let place = arguments.said("container") ?? "every container"
    try Terminal.confirm(
        arguments, "Erase \(what) of \(name) in \(place)\(environment.map { ", \($0.rawValue)" } ?? "")?")
    var erased: [ErasedDocument] = []
    for container in Set(present.map(\.container)).sorted()
    where [container, nil].contains(arguments.said("container")) {
        let parts =
            isEncrypted
            ? try administration.resetEncryptedData(ofAccount: name, in: container, environment)
            : try administration.erase(account: name, in: container, environment)
        erased += parts.map { ErasedDocument($0, container) }
    }
    let records = erased.reduce(0) { $0 + $1.records }
    let zones = erased.reduce(0) { $0 + $1.zones.count }
    return try Terminal.show(
        arguments, erased,
        erased.isEmpty ? "There was nothing to erase." : "Erased \(records) records of \(name) in \(zones) zones")
}
