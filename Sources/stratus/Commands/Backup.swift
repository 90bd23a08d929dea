import CloudStore
import Foundation

extension Command {
    static let backup = Command(
        name: "backup",
        summary: "Copy a cloud's data, also while it runs",
        arguments: "DIR",
        argumentCount: 1...1,
        discussion: """
            Writes a copy of every file into DIR, which must be empty or not exist yet; it appears when the copy is whole. \
            Each container is copied as it is at one moment, and nobody waits meanwhile. The copy holds password hashes and \
            the cloud's secret key: keep it as safe as the cloud. It does not hold the keys of encrypted fields: keep a copy of \
            encryption.keys elsewhere, without which nobody can read them.
            """,
        options: [.data, .json],
        examples: [
            Example(
                line: "stratus backup /backup/$(date +%F) --data /srv/stratus",
                meaning: "A copy for each day, from cron.")
        ],
        run: runBackup)

    static let restore = Command(
        name: "restore",
        summary: "Make a cloud's data folder from a backup",
        arguments: "BACKUP",
        argumentCount: 1...1,
        discussion: """
            Fills the folder of --data, which must be empty or not exist yet. Every file is checked first.

            Devices that have seen what came after the backup notice: every zone goes on as another incarnation, so they \
            read it from the beginning and send again what they have. Nobody has to sign in again. Put the file \
            encryption.keys into the folder before you serve it, or name its place.
            """,
        options: [.data, .json],
        examples: [
            Example(
                line: "stratus restore /backup/2026-11-30 --data /srv/stratus",
                meaning: "Into an empty folder; then serve it.")
        ],
        run: runRestore)
}

private struct CopyDocument: Encodable {
    var from: String
    var to: String
    var bytes: Int
}

@Sendable private func runBackup(_ arguments: Arguments) throws -> ExitCode {
    let folder = DataFolder(arguments)
    let target = URL(filePath: arguments.words[0], directoryHint: .isDirectory)
    let store = try folder.openExisting()
    defer { store.close() }
    try store.backup(to: target)
    let bytes = FolderSize.bytes(target)
    return try Terminal.show(
        arguments, CopyDocument(from: folder.path, to: arguments.words[0], bytes: bytes),
        "Copied \(ByteCount.describe(bytes)) from \(folder.path) to \(arguments.words[0])"
            + "\nWithout \(folder.encryptionKeys.lastPathComponent), which is not in it; encrypted fields need that file too"
    )
}

@Sendable private func runRestore(_ arguments: Arguments) throws -> ExitCode {
    let folder = DataFolder(arguments)
    if let holder = FolderLock.holder(of: folder) {
        throw Failure(
            .refused, "A server is running on \(folder.path), process \(holder).", remedy: "Stop it first.")
    }
    if folder.holdsCloud {
        throw Failure(
            .exists, "\(folder.path) holds a cloud already.",
            remedy: "Move it away, or name an empty folder with --data.")
    }
    let source = URL(filePath: arguments.words[0], directoryHint: .isDirectory)
    guard DataFolder(source).holdsCloud else {
        throw Failure(
            .notFound, "\(arguments.words[0]) is no backup: it has no control.sqlite.",
            remedy: "Name the folder that `stratus backup` made.")
    }
    try CloudStore.restore(from: source, to: folder.url)
    let bytes = FolderSize.bytes(folder.url)
    return try Terminal.show(
        arguments, CopyDocument(from: arguments.words[0], to: folder.path, bytes: bytes),
        "Restored \(ByteCount.describe(bytes)) to \(folder.path)\nStart it:  stratus serve --data \(folder.path)")
}

/// What the files below a folder hold together.
enum FolderSize {
    static func bytes(_ folder: URL) -> Int {
        guard let files = FileManager.default.enumerator(atPath: folder.path) else { return 0 }
        var sum = 0
        for case let file as String in files {
            var information = stat()
            if stat(folder.appending(path: file).path, &information) == 0, information.st_mode & S_IFMT == S_IFREG {
                sum += Int(information.st_size)
            }
        }
        return sum
    }
}
