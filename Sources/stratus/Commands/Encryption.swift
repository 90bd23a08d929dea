import CloudServer
import CloudStore
import Foundation

extension Command {
    private static let options: [Option] = [.data, .encryptionKeys, .json]

    static let encryptionStatus = Command(
        name: "encryption status",
        summary: "Show the keys of encrypted fields and what they are needed for",
        discussion: """
            Encrypted fields are sealed by a key of their zone, and the zones' keys are wrapped by a key that lies in a file \
            beside the database: encryption.keys in the data folder, or where --encryption-keys says. Keep a copy of that \
            file away from the database and its backups.
            """,
        options: options,
        run: showStatus)

    static let encryptionRotate = Command(
        name: "encryption rotate",
        summary: "Make a new key and wrap the keys of all zones by it",
        discussion: """
            Works in steps, whether a server runs or not; all stays readable meanwhile. Older keys stay in the file, since \
            backups made before need them: take their lines out when no such backup is left.
            """,
        options: options,
        examples: [Example(line: "stratus encryption rotate --data /srv/stratus", meaning: "Once a year, say.")],
        run: rotate)

    static let encryptionReset = Command(
        name: "encryption reset",
        summary: "Give up encrypted data whose key is lost, so that devices upload it again",
        discussion: """
            Deletes the zones that have encrypted fields and whose keys cannot be unwrapped any more, and makes a new key. \
            Devices are told why the zones went, make them again and upload what they have. There is no way back but the \
            lost file.
            """,
        options: [.data, .encryptionKeys, .flag("yes", "Do not ask.").withoutEnvironment, .json],
        run: reset)
}

private struct WrappingKeyDocument: Encodable {
    var id: String
    var made: String?
    var inUse: Bool
    var zones: Int
}

private struct RotationDocument: Encodable {
    var id: String
    var zones: Int
}

@Sendable private func showStatus(_ arguments: Arguments) throws -> ExitCode {
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let file = EncryptionKeysFile.location(arguments)
    let keys = try EncryptionKeysFile.open(file, store)
    let documents = try Administration(store: store).wrappingKeys(keys).map {
        WrappingKeyDocument(id: $0.id, made: $0.made, inUse: $0.isInUse, zones: $0.zones)
    }
    let table = Table(
        headings: ["KEY", "MADE", "ZONES", ""],
        rows: documents.map {
            [$0.id, $0.made ?? "missing", "\($0.zones)", $0.made == nil ? "not in the file" : $0.inUse ? "in use" : ""]
        })
    return try Terminal.show(arguments, documents, "\(table.text)\nThe keys lie in \(file.path)")
}

@Sendable private func rotate(_ arguments: Arguments) throws -> ExitCode {
    let store = try DataFolder(arguments).openExisting()
    defer { store.close() }
    let file = EncryptionKeysFile.location(arguments)
    let keys = try EncryptionKeysFile.open(file, store)
    do {
        let (id, zones) = try Administration(store: store).rotateWrappingKey(keys)
        return try Terminal.show(
            arguments, RotationDocument(id: id, zones: zones),
            "The key \(id) wraps the keys of \(zones) zones from now on\nKeep a copy of \(file.path)")
    } catch let error as EncryptionKeysError {
        throw Failure(.failure, "\(error).", remedy: "stratus encryption status")
    }
}

@Sendable private func reset(_ arguments: Arguments) throws -> ExitCode {
    let folder = DataFolder(arguments)
    if let holder = FolderLock.holder(of: folder) {
        throw Failure(
            .refused, "A server is running on \(folder.path), process \(holder).", remedy: "Stop it first.")
    }
    let store = try folder.openExisting()
    defer { store.close() }
    try Terminal.confirm(arguments, "Give up the encrypted data whose key is lost?")
    let file = EncryptionKeysFile.location(arguments)
    let keys = try EncryptionKeysFile.open(file, store, acceptingLoss: true)
    let zones = try Administration(store: store).resetUnreadableZones(keys)
    let id = try keys.all().last?.id ?? ""
    return try Terminal.show(
        arguments, RotationDocument(id: id, zones: zones),
        "Gave up \(zones) zones, which devices upload again; new data is encrypted under \(id)\nKeep a copy of \(file.path)"
    )
}
