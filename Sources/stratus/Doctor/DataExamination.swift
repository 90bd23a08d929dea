import CloudServer
import CloudStore
import Foundation
import SQL

/// Looks at a data folder: whether a cloud can live there, and whether what is there is sound.
struct DataExamination {
    var folder: DataFolder
    private let subject = "data folder"
    private let keysFile: URL?

    init(_ folder: DataFolder, encryptionKeys: URL?) {
        self.folder = folder
        keysFile = encryptionKeys
    }

    func findings() -> [Finding] {
        guard FileManager.default.fileExists(atPath: folder.path) else {
            return [
                .problem(
                    subject, "\(folder.path) does not exist.", consequence: "there is no cloud there.",
                    remedy: "name the right folder with --data; `stratus serve` makes a new one.")
            ]
        }
        guard access(folder.path, R_OK | W_OK | X_OK) == 0 else {
            let user = ProcessInfo.processInfo.userName
            return [
                .problem(
                    subject, "\(folder.path) cannot be read and written by this user (\(user)).",
                    consequence: "no server of this user can run on it.", remedy: "sudo chown -R \(user) \(folder.path)"
                )
            ]
        }
        var findings = [openness(), room(), fileSystem()].compactMap { $0 }
        guard folder.holdsCloud else {
            findings.append(.ok(subject, "\(folder.path) is empty; `stratus serve` makes a cloud there."))
            return findings
        }
        if let holder = FolderLock.holder(of: folder) {
            findings.append(.ok("server", "process \(holder) serves \(folder.path)."))
        } else {
            findings.append(.ok("server", "none runs on \(folder.path)."))
        }
        findings += files()
        findings += contents()
        return findings
    }

    // MARK: The folder

    private func openness() -> Finding? {
        guard let mode = CredentialsFile.mode(folder.url), mode & 0o077 != 0 else { return nil }
        return .warning(
            subject, "\(folder.path) can be entered by other users (mode \(String(mode, radix: 8))).",
            consequence: "who can read its files has the password hashes and the cloud's secret key.",
            remedy: "chmod 700 \(folder.path)")
    }

    private func room() -> Finding? {
        var information = statvfs()
        guard statvfs(folder.path, &information) == 0 else { return nil }
        let free = Int(information.f_bavail) &* Int(information.f_frsize)
        let text = "\(ByteCount.describe(free)) are free at \(folder.path)."
        if free < 100_000_000 {
            return .problem(
                "disk", text, consequence: "saves are about to fail, with nothing lost.", remedy: "make room.")
        }
        if free < 1_000_000_000 {
            return .warning("disk", text, consequence: "saves fail when it is full.", remedy: "make room in time.")
        }
        return .ok("disk", text)
    }

    private func fileSystem() -> Finding? {
        let remote: Set<String> = ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs"]
        guard let kind = mountedKind(), remote.contains(kind) else { return nil }
        return .problem(
            subject, "\(folder.path) lies on a network file system (\(kind)).",
            consequence: "its locks and its shared memory cannot be relied on: files get damaged.",
            remedy: "move the folder to a disk of this machine.")
    }

    /// The kind of file system that the folder lies on: that of the longest mount point above it.
    private func mountedKind() -> String? {
        guard let resolved = realpath(folder.path, nil), let data = FileManager.default.contents(atPath: "/proc/mounts")
        else { return nil }
        defer { free(resolved) }
        let path = String(cString: resolved) + "/"
        let mounts = String(decoding: data, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
        let above = mounts.filter { fields in
            fields.count > 2 && path.hasPrefix(fields[1] == "/" ? "/" : fields[1] + "/")
        }
        return above.max { $0[1].count < $1[1].count }.map { String($0[2]) }
    }

    // MARK: The files

    private func files() -> [Finding] {
        var paths = ["control.sqlite", "requests.sqlite"].map { folder.url.appending(path: $0).path }
        let containers = folder.url.appending(path: "containers")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: containers.path)) ?? []
        paths += names.filter { $0.hasSuffix(".sqlite") }.sorted().map { containers.appending(path: $0).path }
        let present = paths.filter { FileManager.default.fileExists(atPath: $0) }
        let damaged = present.compactMap(damage)
        if damaged.isEmpty { return [.ok("files", "all \(present.count) are sound.")] }
        return damaged
    }

    private func damage(_ path: String) -> Finding? {
        func found(_ what: String) -> Finding {
            .problem(
                "files", "\(path) is damaged: \(what)", consequence: "what it holds cannot be relied on.",
                remedy: "stop the server, move the folder away and `stratus restore` the last backup.")
        }
        do {
            let connection = try SQLiteConnection(path: path, options: SQLiteOptions(creates: false))
            defer { connection.close() }
            let statement = try connection.prepare("PRAGMA quick_check(3)")
            defer { statement.reset() }
            var complaints: [String] = []
            while try statement.step() { complaints.append(statement.text(0)) }
            return complaints == ["ok"] ? nil : found(complaints.joined(separator: "; "))
        } catch {
            return found("\(error)")
        }
    }

    private func encryption(_ store: CloudStore, _ administration: Administration) -> Finding {
        let file = keysFile ?? folder.encryptionKeys
        do {
            // Opening them would make them, and a doctor changes nothing.
            guard try EncryptionKeys.areInUse(store.control) else {
                return .ok("encryption", "the first start makes the keys of encrypted fields, in \(file.path).")
            }
            let keys = try EncryptionKeysFile.open(file, store)
            let lost = try administration.wrappingKeys(keys).filter { $0.made == nil }
            guard lost.isEmpty else {
                return .problem(
                    "encryption", "\(lost.count) keys that encrypted fields need are not in \(file.path).",
                    consequence: "the encrypted fields of \(lost.reduce(0) { $0 + $1.zones }) zones cannot be read.",
                    remedy: "put their lines back from a copy, or `stratus encryption reset`.")
            }
            return .ok("encryption", "the keys of encrypted fields lie in \(file.path); keep a copy elsewhere.")
        } catch {
            let failure = Failure(error)
            return .problem(
                "encryption", failure.message, consequence: "no server starts on it.",
                remedy: failure.remedy ?? "see above.")
        }
    }

    private func assets(_ store: CloudStore) -> Finding? {
        var sum = ContainerStore.AssetExamination()
        do {
            for (identifier, environment) in try store.containers() {
                let found = try store.container(identifier, environment, create: false)?.examineAssets()
                guard let found else { continue }
                sum.count += found.count
                sum.bytes += found.bytes
                sum.damaged += found.damaged
            }
        } catch {
            return .problem(
                "assets", "\(error)", consequence: "files of records cannot be read.", remedy: "see above.")
        }
        guard sum.damaged > 0 else {
            let text = "\(sum.count) files of records, \(ByteCount.describe(Int(clamping: sum.bytes))), are all there."
            return sum.count == 0 ? nil : .ok("assets", text)
        }
        return .problem(
            "assets", "\(sum.damaged) of \(sum.count) files of records are missing or cut.",
            consequence: "devices cannot fetch the records that have them.",
            remedy: "copy the folders containers/*.assets of a backup over those of \(folder.path).")
    }

    private func contents() -> [Finding] {
        let store: CloudStore
        do {
            store = try CloudStore(directory: folder.url)
        } catch {
            return [
                .problem(
                    "cloud", error.message, consequence: "no server starts on it.", remedy: "see above.")
            ]
        }
        defer { store.close() }
        let administration = Administration(store: store)
        guard let accounts = try? administration.accounts(), let containers = try? administration.containers(),
            let tokens = try? administration.tokens()
        else { return [] }
        var findings: [Finding] = [
            encryption(store, administration),
            .ok("cloud", "\(accounts.count) accounts, \(containers.count) containers, \(tokens.count) API tokens."),
        ]
        if let finding = assets(store) { findings.append(finding) }
        let isEmulator = FileManager.default.fileExists(atPath: folder.url.appending(path: "emulator").path)
        if containers.isEmpty, !isEmulator {
            findings.append(
                .warning(
                    "cloud", "no container is registered.", consequence: "no app can use it.",
                    remedy: "stratus container create iCloud.com.example.app --data \(folder.path)"))
        }
        for container in containers
        where !isEmulator && !tokens.contains(where: { $0.container == container.identifier }) {
            findings.append(
                .warning(
                    "cloud", "\(container.identifier) has no API token.", consequence: "no app can use it.",
                    remedy: "stratus token create \(container.identifier) --data \(folder.path)"))
        }
        return findings
    }
}
