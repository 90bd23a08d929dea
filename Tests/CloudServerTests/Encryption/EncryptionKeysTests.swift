import CloudStore
import Foundation
import Testing
import WebServices

@testable import CloudServer

@Suite("Keys of encrypted fields")
struct EncryptionKeysTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// A cloud in a folder with a zone for each of some people, every one with a secret.
    private struct World {
        let store: CloudStore
        let keys: EncryptionKeys
        let container: ContainerStore

        init(_ folder: URL, acceptingLoss: Bool = false) throws {
            store = try CloudStore(
                directory: folder.appendingPathComponent("data"), options: StoreOptions(execution: .inline))
            keys = try EncryptionKeys(
                file: folder.appendingPathComponent("keys"), for: store, now: 1_800_000_000_000,
                acceptingLoss: acceptingLoss)
            container = try #require(try store.container("iCloud.a", "development", create: true))
        }

        func makeZones(_ count: Int) throws {
            let keyring = ZoneKeyring(keys, .system)
            try container.writeAndWait { writer in
                for number in 0..<count {
                    let zone = try writer.insertZone(
                        key: ZoneKey(scope: .private, owner: "_\(number)", name: "z"), created: 1)
                    var row = RecordRow(zone: zone.id, name: "r", type: 1, sequence: 1)
                    row.sealed = try keyring.seal(
                        Fields([("secret", .int64(Int64(number)))]), of: "r", in: zone.id, writer)
                    _ = try writer.insertRecord(row)
                }
            }
        }

        func secret(_ number: Int) throws -> FieldValue? {
            try container.read { reader in
                let zone = try #require(
                    try reader.zone(ZoneKey(scope: .private, owner: "_\(number)", name: "z")))
                let row = try #require(try reader.record(zone: zone.id, name: "r"))
                return try ZoneKeyring(keys, .system).open(row, reader)["secret"]
            }
        }
    }

    @Test("The file is made once, for its owner only, and says what it is")
    func file() throws {
        try withFolder { folder in
            let world = try World(folder)
            let path = folder.appendingPathComponent("keys").path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(text.hasPrefix("#") && text.contains("2027-01-15"))
            try world.makeZones(1)
            world.store.close()
            let again = try World(folder)
            #expect(try again.secret(0) == .int64(0))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
            again.store.close()
        }
    }

    @Test("A file that is gone, another cloud's, damaged or open to others stops the start")
    func unusableFile() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("keys")
            let world = try World(folder)
            try world.makeZones(1)
            world.store.close()
            let text = try String(contentsOf: file, encoding: .utf8)

            try FileManager.default.removeItem(at: file)
            #expect(throws: EncryptionKeysError.missing(path: file.path)) { try World(folder) }
            #expect(!FileManager.default.fileExists(atPath: file.path), "it is not made anew")

            func write(_ text: String, mode: Int = 0o600) throws {
                try Data(text.utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            }
            func failure() -> EncryptionKeysError? {
                do {
                    _ = try World(folder)
                    return nil
                } catch {
                    return error as? EncryptionKeysError
                }
            }
            try write(WrappingKeyList(try .make(.system), made: "").text)
            guard case .foreign = failure() else { return #expect(Bool(false), "another cloud's keys were taken") }
            let line = try #require(text.split(separator: "\n").last)
            for damaged in ["", "# nothing\n", text.replacing(line, with: line.dropFirst(20)), text + line + "\n"] {
                try write(damaged)
                guard case .damaged = failure() else {
                    #expect(Bool(false), "taken: \(damaged)")
                    continue
                }
            }
            // One digit of the key itself.
            var digits = Array(line)
            digits[30] = digits[30] == "0" ? "1" : "0"
            try write(text.replacing(line, with: String(digits)))
            guard case .damaged = failure() else { return #expect(Bool(false), "a changed key was taken") }
            try write(text, mode: 0o644)
            guard case .unusable = failure() else { return #expect(Bool(false), "a file open to all was taken") }
            try write(text)
            try World(folder).store.close()
        }
    }

    @Test("Where nothing is encrypted a file that is gone is made anew")
    func nothingEncrypted() throws {
        try withFolder { folder in
            try World(folder).store.close()
            try FileManager.default.removeItem(at: folder.appendingPathComponent("keys"))
            for _ in 0..<2 { try World(folder).store.close() }
        }
    }

    @Test("After a rotation all is readable, also by a server that runs since before; nothing needs the older key")
    func rotation() throws {
        try withFolder { folder in
            let world = try World(folder)
            try world.makeZones(3)
            let administration = Administration(store: world.store)
            // Another process' view of the same file.
            let operators = try EncryptionKeys(
                file: folder.appendingPathComponent("keys"), for: world.store, now: 0)
            let (id, zones) = try administration.rotateWrappingKey(operators)
            #expect(zones == 3)
            for number in 0..<3 { #expect(try world.secret(number) == .int64(Int64(number))) }
            let summaries = try administration.wrappingKeys(world.keys)
            #expect(summaries.map(\.zones) == [0, 3])
            #expect(summaries.last.map { $0.isInUse && $0.id == id } == true)
            world.store.close()

            // Without the older key's line.
            let file = folder.appendingPathComponent("keys")
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
                $0.hasPrefix("#") || $0.hasPrefix(id)
            }
            try FileManager.default.removeItem(at: file)
            #expect(
                FileManager.default.createFile(
                    atPath: file.path, contents: Data(lines.joined(separator: "\n").utf8),
                    attributes: [.posixPermissions: 0o600]))
            let again = try World(folder)
            #expect(try again.secret(2) == .int64(2))
            again.store.close()
        }
    }

    @Test("A rotation that was interrupted leaves all readable, and the next one finishes it")
    func interruptedRotation() throws {
        try withFolder { folder in
            let world = try World(folder)
            try world.makeZones(3)
            let key = try world.keys.add(.system, world.store.control, now: 0)
            let old = try #require(try world.container.read { try $0.zoneKeyCounts() }.keys.first)
            let row = try #require(try world.container.read { try $0.zoneKeys(wrappedBy: old, limit: 1) }.first)
            let wrapped = try ZoneKeyring.wrap(
                try ZoneKeyring.unwrap(row, with: world.keys), for: row.zone, by: key, .system)
            try world.container.writeAndWait { try $0.updateZoneKey(wrapped) }
            for number in 0..<3 { #expect(try world.secret(number) == .int64(Int64(number))) }
            #expect(try Administration(store: world.store).rotateWrappingKey(world.keys).zones == 3)
            for number in 0..<3 { #expect(try world.secret(number) == .int64(Int64(number))) }
            world.store.close()
        }
    }

    @Test("When the keys are lost for good, the zones that need them go, with the reason")
    func reset() throws {
        try withFolder { folder in
            let world = try World(folder)
            try world.makeZones(2)
            _ = try world.container.writeAndWait {
                try $0.insertZone(key: ZoneKey(scope: .private, owner: "_0", name: "plain"), created: 1)
            }
            world.store.close()
            try FileManager.default.removeItem(at: folder.appendingPathComponent("keys"))
            let again = try World(folder, acceptingLoss: true)
            #expect(try Administration(store: again.store).resetUnreadableZones(again.keys) == 2)
            let (left, gone) = try again.container.read { reader in
                (
                    try reader.zones(scope: .private, owner: "_0").map(\.key.name),
                    try reader.deletedZones(scope: .private, owner: "_0")
                )
            }
            #expect(left == ["plain"])
            #expect(gone.map(\.reason) == [ZoneDeletionReason.encryptedDataReset.rawValue])
            again.store.close()
            try World(folder).store.close()
        }
    }
}
