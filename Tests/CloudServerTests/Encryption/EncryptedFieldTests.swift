import CloudStore
import Foundation
import Testing
import WebServices

@testable import CloudServer

@Suite("Encrypted fields")
struct EncryptedFieldTests {
    private static func note(_ name: String, tag: String? = nil, secret: FieldValue?, title: FieldValue? = nil)
        -> Record
    {
        var record = Record.note(name, tag: tag)
        var builder = FieldsBuilder()
        if let title { builder.append("title", title) }
        builder.append("secret", secret, isEncrypted: true)
        record.fields = builder.finish()
        return record
    }

    /// Every byte that the store holds of a record, and all its index entries.
    private func stored(_ cloud: TestCloud, _ name: String, zone: String = "Notes") throws -> RecordRow {
        let container = try #require(
            try cloud.server.store.container(TestCloud.container, "development", create: false))
        return try container.read { reader in
            let owner = cloud.server.secret.userRecordName(
                account: try #require(try cloud.server.store.control.account(name: "anna")).id,
                container: TestCloud.container)
            let zone = try #require(
                try reader.zone(ZoneKey(scope: .private, owner: owner, name: zone)))
            return try #require(try reader.record(zone: zone.id, name: name))
        }
    }

    private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        String(decoding: bytes, as: UTF8.self).contains(text)
    }

    @Test("An update that does not touch them keeps what is sealed byte by byte, a replacement drops it")
    func updates() throws {
        let cloud = try TestCloud()
        let device = try cloud.device()
        try device.makeZone()
        var saved = try device.save(
            .create, Self.note("a", secret: .string("hush")), in: TestDevice.notes)
        let first = try stored(cloud, "a")
        #expect(!first.sealed.isEmpty && !contains(first.sealed, "hush") && !contains(first.body, "secret"))
        saved = try device.save(
            .update, .note("a", tag: saved.recordChangeTag, [("title", .string("open"))]), in: TestDevice.notes)
        #expect(try stored(cloud, "a").sealed == first.sealed)
        #expect(saved.fields["secret"] == .string("hush"))
        #expect(saved.fields.entry(named: "secret")?.kind.isEncrypted == true)
        #expect(saved.fields.entry(named: "title")?.kind.isEncrypted == false)
        saved = try device.save(
            .replace, .note("a", tag: saved.recordChangeTag, [("title", .string("bare"))]), in: TestDevice.notes)
        #expect(try stored(cloud, "a").sealed.isEmpty)
        #expect(saved.fields.names == ["title"])
    }

    @Test("A null removes one of them, and a deleted record keeps none")
    func nulls() throws {
        let cloud = try TestCloud()
        let device = try cloud.device()
        try device.makeZone()
        var record = Self.note("a", secret: .string("hush"))
        var builder = FieldsBuilder()
        builder.append("secret", .string("hush"), isEncrypted: true)
        builder.append("other", .int64(7), isEncrypted: true)
        record.fields = builder.finish()
        let saved = try device.save(.create, record, in: TestDevice.notes)
        let cleared = try device.save(
            .update, .note("a", tag: saved.recordChangeTag, [("secret", nil)]), in: TestDevice.notes)
        #expect(cleared.fields.names == ["other"])
        _ = try device.save(.forceDelete, .note("a"), in: TestDevice.notes)
        #expect(try stored(cloud, "a").sealed.isEmpty)
    }

    @Test("They count for quota and size like any others")
    func size() throws {
        let cloud = try TestCloud { $0.accountQuota = 20_000 }
        let device = try cloud.device()
        try device.makeZone()
        let long = FieldValue.string(String(repeating: "x", count: 15_000))
        let saved = try device.save(.create, Self.note("a", secret: long), in: TestDevice.notes)
        #expect(
            try device.failure(.create, Self.note("b", secret: long), in: TestDevice.notes)?.code == .quotaExceeded)
        _ = try device.save(.delete, .note("a", tag: saved.recordChangeTag), in: TestDevice.notes)
        try device.save(.create, Self.note("b", secret: long), in: TestDevice.notes)
        let huge = FieldValue.string(String(repeating: "x", count: 2 << 20))
        let error = try device.failure(.create, Self.note("c", secret: huge), in: TestDevice.notes)
        #expect(error?.extensionCode == .limitExceeded)
    }

    @Test("What is sealed for one record opens in no other, and what was changed is an error, not a record without it")
    func tampering() throws {
        let cloud = try TestCloud()
        let device = try cloud.device()
        try device.makeZone()
        for name in ["a", "b"] {
            try device.save(.create, Self.note(name, secret: .string("of \(name)")), in: TestDevice.notes)
        }
        let container = try #require(
            try cloud.server.store.container(TestCloud.container, "development", create: false))
        var (a, b) = (try stored(cloud, "a"), try stored(cloud, "b"))
        (a.sealed, b.sealed) = (b.sealed, a.sealed)
        b.sealed[20] ^= 1
        try container.writeAndWait { [a, b] writer in
            try writer.updateRecord(a)
            try writer.updateRecord(b)
        }
        for name in ["a", "b"] {
            let request = RecordsLookup.Request(
                records: [RecordsLookup.Item(recordName: name)], zoneID: TestDevice.notes)
            #expect(try device.error(.recordsLookup(request))?.code == .internalError)
        }
    }

    @Test("Without keys an encrypted field is not saved, and all else works")
    func noKeys() throws {
        let server = try CloudServer(
            store: CloudStore.inMemory(options: StoreOptions(execution: .inline)),
            configuration: .emulator(apiToken: TestCloud.apiToken), random: .seeded(1), log: .silent)
        let keyring = ZoneKeyring(nil, server.random)
        let container = try #require(try server.store.container("iCloud.a", "development", create: true))
        try container.writeAndWait { writer in
            let zone = try writer.insertZone(key: ZoneKey(scope: .private, owner: "_a", name: "z"), created: 1)
            #expect(throws: EncryptionKeysError.none) {
                try keyring.seal(Fields([("a", .int64(1))]), of: "r", in: zone.id, writer)
            }
            #expect(try writer.zoneKey(zone: zone.id) == nil)
        }
    }
}
