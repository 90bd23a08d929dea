import CloudServer
import CloudStore
import SchemaLanguage
import WebServices

extension Command {
    private static let environment = Option.value(
        "environment", "NAME", "development or production.", fallback: "development")
    private static let dryRun = Option.flag("dry-run", "Say what would change, and change nothing.").withoutEnvironment

    static let schemaExport = Command(
        name: "schema export",
        summary: "Print a container's schema as a .ckdb file",
        arguments: "CONTAINER",
        argumentCount: 1...1,
        discussion: """
            Prints the record types, indexes, grants and roles of one environment in the language of CloudKit's own schema \
            files, which Apple's tools read as well. Keep the file in the app's repository.
            """,
        options: [
            .data, environment,
            .value("output", "FILE", "Write to this file instead of standard output.").withoutEnvironment,
        ],
        examples: [
            Example(
                line: "stratus schema export iCloud.com.example.fieldnotes --output schema.ckdb",
                meaning: "What development has become while the app was written.")
        ],
        run: exportSchema)

    static let schemaImport = Command(
        name: "schema import",
        summary: "Make a .ckdb file the schema of a container's development environment",
        arguments: "CONTAINER FILE",
        argumentCount: 2...2,
        discussion: """
            The development environment gets exactly what the file says. What that would delete there (records of types, \
            values of fields, that the file does not have) is listed, and only deleted with --allow-data-loss. A schema \
            that could not be deployed without losing data in production is refused in any case.

            Production gets its schema with stratus schema deploy. FILE may be - for standard input. Also while the server \
            runs, whose next request sees it.
            """,
        options: [
            .data, .flag("allow-data-loss", "Delete what the file has no place for.").withoutEnvironment, dryRun,
            .encryptionKeys, .json,
        ],
        examples: [
            Example(
                line: "stratus schema import iCloud.com.example.fieldnotes schema.ckdb --data /srv/stratus",
                meaning: "Prints what was changed.")
        ],
        run: importSchema)

    static let schemaValidate = Command(
        name: "schema validate",
        summary: "Check a .ckdb file, and whether a container could take it",
        arguments: "FILE [CONTAINER]",
        argumentCount: 1...2,
        discussion: """
            Prints every mistake with its line and column. With a container, also whether its production environment would \
            lose data. Without one no cloud is needed: for a check before each commit.
            """,
        options: [.data, .json],
        run: validateSchema)

    static let schemaDiff = Command(
        name: "schema diff",
        summary: "Say what a .ckdb file, or deploying, would change",
        arguments: "CONTAINER [FILE]",
        argumentCount: 1...2,
        discussion: """
            With a file: from the environment's schema to the file's. Without: from production to development, which is \
            what stratus schema deploy would change. + is added, - removed, ~ changed.
            """,
        options: [
            .data, environment,
            .flag("exit-code", "End with exit code 1 when there are differences.").withoutEnvironment, .json,
        ],
        run: diffSchema)

    static let schemaDeploy = Command(
        name: "schema deploy",
        summary: "Make the development environment's schema production's",
        arguments: "CONTAINER",
        argumentCount: 1...1,
        discussion: """
            Only ever adds: whatever would lose data in production (a type or field removed, a field's type changed) is \
            refused, with every reason. Indexes and grants may change. An index over stored records is built in steps while \
            the cloud serves, and answers queries when it is whole.
            """,
        options: [.data, dryRun, .flag("yes", "Do not ask.").withoutEnvironment, .json],
        examples: [
            Example(
                line: "stratus schema deploy iCloud.com.example.fieldnotes --data /srv/stratus --yes",
                meaning: "From a release script.")
        ],
        run: deploySchema)

    static let schemaReset = Command(
        name: "schema reset",
        summary: "Make development what production is, and delete its data",
        arguments: "CONTAINER",
        argumentCount: 1...1,
        discussion: """
            Every zone and record of the development environment goes, of all accounts; devices learn that their zones were \
            deleted. Production is not touched.
            """,
        options: [.data, .flag("yes", "Do not ask.").withoutEnvironment, .json],
        run: resetSchema)
}

private struct DifferenceDocument: Encodable {
    var changes: [String]
    /// What is deleted, or would be.
    var losses: [String]
    var applied: Bool
    /// Types that grant nothing.
    var warnings: [String]
}

private struct ValidationDocument: Encodable {
    struct Problem: Encodable {
        var line: Int?
        var column: Int?
        var message: String
        var remedy: String?
    }

    var valid: Bool
    var problems: [Problem]
    var warnings: [String]
}

@Sendable private func exportSchema(_ arguments: Arguments) throws -> ExitCode {
    let environment = try cloudEnvironment(arguments)
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let text = try Administration(store: store).schema(of: arguments.words[0], environment).text
    guard let path = arguments.value("output") else {
        Terminal.print(text, terminator: "")
        return .success
    }
    try SchemaFile.write(text, to: path)
    return .success
}

@Sendable private func importSchema(_ arguments: Arguments) throws -> ExitCode {
    let (container, path) = (arguments.words[0], arguments.words[1])
    let definition = try SchemaFile.read(path)
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let administration = Administration(store: store)
    let isTrial = try arguments.flag("dry-run")
    let planned = try administration.differenceOfImport(definition, into: container)
    let losses = try administration.losses(of: planned, in: container)
    // Of an encrypted field that goes, the others of its record stay: they have to be opened.
    let keys =
        planned.losses.contains(where: \.touchesEncryptedFields)
        ? try EncryptionKeysFile.open(EncryptionKeysFile.location(arguments), store) : nil
    let difference =
        isTrial
        ? planned
        : try administration.importSchema(
            definition, into: container, allowingLoss: try arguments.flag("allow-data-loss"), keys: keys)
    return try show(
        arguments, difference, losses: losses, applied: !isTrial, definition,
        heading: isTrial
            ? "Importing \(path) would change in \(container), development:"
            : "Imported \(path) into \(container), development:")
}

@Sendable private func validateSchema(_ arguments: Arguments) throws -> ExitCode {
    let path = arguments.words[0]
    let text = try SchemaFile.text(path)
    var document = ValidationDocument(valid: true, problems: [], warnings: [])
    var lines: [String] = []
    do {
        let definition = try SchemaDefinition(text: text)
        document.warnings = SchemaFile.warnings(definition)
        if arguments.words.count > 1 {
            let store = try DataFolder(arguments).openExisting()
            defer { store.close() }
            _ = try Administration(store: store).differenceOfImport(definition, into: arguments.words[1])
        }
    } catch let error as SchemaTextError {
        document.problems = error.problems.map {
            .init(line: $0.line, column: $0.column, message: $0.message, remedy: $0.remedy)
        }
        lines = error.problems.map { "\(path):\($0.line):\($0.column): \($0.message). \($0.remedy)." }
    } catch AdministrationError.schemaRefused(let reasons) {
        document.problems = reasons.map { .init(message: $0) }
        lines = ["Production would lose data:"] + reasons.map { "  - \($0)." }
    }
    document.valid = document.problems.isEmpty
    lines.append(document.valid ? "\(path) is valid." : "\(path) is not valid.")
    _ = try Terminal.show(
        arguments, document, (document.warnings.map { "Warning: \($0)" } + lines).joined(separator: "\n"))
    return document.valid ? .success : .failure
}

@Sendable private func diffSchema(_ arguments: Arguments) throws -> ExitCode {
    let container = arguments.words[0]
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let administration = Administration(store: store)
    let (old, new): (SchemaDefinition, SchemaDefinition)
    if arguments.words.count > 1 {
        new = try SchemaFile.read(arguments.words[1])
        old = try administration.schema(of: container, try cloudEnvironment(arguments))
    } else {
        new = try administration.schema(of: container, .development)
        old = try administration.schema(of: container, .production)
    }
    let difference = SchemaDifference(from: old, to: new)
    _ = try show(arguments, difference, losses: difference.losses.compactMap(\.loss), applied: false, new, heading: nil)
    return try !difference.isEmpty && arguments.flag("exit-code") ? .failure : .success
}

@Sendable private func deploySchema(_ arguments: Arguments) throws -> ExitCode {
    let container = arguments.words[0]
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let administration = Administration(store: store)
    let definition = try administration.schema(of: container, .development)
    var difference = try administration.differenceOfDeployment(of: container)
    let isTrial = try arguments.flag("dry-run")
    if !isTrial, !difference.isEmpty {
        let changes = difference.changes.map { "  \($0.text)" }.joined(separator: "\n")
        if try !arguments.flag("yes") { Terminal.prompt("Production of \(container) changes:\n\(changes)\n") }
        try Terminal.confirm(arguments, "Deploy?")
        difference = try administration.deploySchema(of: container)
    }
    return try show(
        arguments, difference, losses: [], applied: !isTrial, definition,
        heading: isTrial ? "Deploying \(container) would change production:" : "Deployed \(container) to production:")
}

@Sendable private func resetSchema(_ arguments: Arguments) throws -> ExitCode {
    let container = arguments.words[0]
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let administration = Administration(store: store)
    _ = try administration.schema(of: container, .production)
    try Terminal.confirm(arguments, "Delete everything in \(container)'s development environment?")
    try administration.resetSchema(of: container)
    return try Terminal.show(
        arguments, ["reset": container], "\(container)'s development environment is empty and has production's schema")
}

private func show(
    _ arguments: Arguments, _ difference: SchemaDifference, losses: [String], applied: Bool,
    _ definition: SchemaDefinition, heading: String?
) throws -> ExitCode {
    let changes = difference.changes.map(\.text)
    let warnings = SchemaFile.warnings(definition)
    var lines = warnings.map { "Warning: \($0)" }
    if changes.isEmpty {
        lines.append("There are no differences.")
    } else {
        if let heading { lines.append(heading) }
        lines += changes.map { "  \($0)" }
        if !losses.isEmpty, !applied {
            lines += ["This would delete data:"] + losses.map { "  - \($0)." }
        }
    }
    return try Terminal.show(
        arguments, DifferenceDocument(changes: changes, losses: losses, applied: applied, warnings: warnings),
        lines.joined(separator: "\n"))
}

/// The environment that a command's `--environment` names.
func cloudEnvironment(_ arguments: Arguments) throws -> CloudEnvironment {
    let name = try environmentName(arguments)
    guard let environment = CloudEnvironment(rawValue: name) else {
        throw Failure(.usage, "There is no environment “\(name)”.")
    }
    return environment
}
