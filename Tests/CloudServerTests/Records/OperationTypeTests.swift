import Testing
import WebServices

@testable import CloudServer

@Suite("The seven operation types")
struct OperationTypeTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        cloud = try TestCloud()
        device = try cloud.device()
        try device.makeZone()
    }

    private static let stored: [(name: String, value: FieldValue?)] = [("title", .string("old")), ("count", .int64(1))]

    @Test("A created record comes back whole, and is found")
    func create() throws {
        let saved = try device.save(.create, .note("a", Self.stored), in: TestDevice.notes)
        #expect(saved.recordName == "a")
        #expect(saved.recordType == "Note")
        #expect(saved.fields["title"] == .string("old"))
        #expect(saved.created == saved.modified)
        #expect(saved.created?.timestamp == cloud.clock.now)
        #expect(saved.created?.userRecordName == (try device.user().userRecordName))
        let found = try #require(try device.record("a", in: TestDevice.notes))
        #expect(found.recordChangeTag == saved.recordChangeTag)
        #expect(found.fields["count"] == .int64(1))
    }

    @Test("A record without a name gets a random UUID")
    func unnamed() throws {
        let saved = try device.save(.create, .note("", Self.stored))
        #expect(saved.recordName.wholeMatch(of: /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/) != nil)
    }

    @Test("Creating over a taken name is a conflict")
    func createTaken() throws {
        try device.save(.create, .note("a", Self.stored), in: TestDevice.notes)
        let error = try device.failure(.create, .note("a", Self.stored), in: TestDevice.notes)
        #expect(error?.code == .conflict)
        #expect(error?.reason == "record to insert already exists")
        #expect(error?.uuid != nil)
    }

    @Test(
        "Update and forceUpdate keep what was not sent; replace and forceReplace do not",
        arguments: [
            (RecordsModify.OperationType.update, true), (.forceUpdate, true), (.replace, false), (.forceReplace, false),
        ])
    func fieldsNotSent(type: RecordsModify.OperationType, keeps: Bool) throws {
        let saved = try device.save(.create, .note("a", Self.stored), in: TestDevice.notes)
        let changed = try device.save(
            type, .note("a", tag: saved.recordChangeTag, [("title", .string("new"))]), in: TestDevice.notes)
        #expect(changed.fields["title"] == .string("new"))
        #expect(changed.fields["count"] == (keeps ? .int64(1) : nil))
        #expect(changed.recordChangeTag != saved.recordChangeTag)
        #expect(try device.record("a", in: TestDevice.notes)?.fields["count"] == (keeps ? .int64(1) : nil))
    }

    @Test("A null clears a field")
    func null() throws {
        let saved = try device.save(.create, .note("a", Self.stored))
        let changed = try device.save(.update, .note("a", tag: saved.recordChangeTag, [("title", nil)]))
        #expect(changed.fields.names == ["count"])
    }

    @Test("A stale change tag is a conflict", arguments: [RecordsModify.OperationType.update, .replace, .delete])
    func staleTag(type: RecordsModify.OperationType) throws {
        let first = try device.save(.create, .note("a", Self.stored))
        try device.save(.update, .note("a", tag: first.recordChangeTag, [("title", .string("b"))]))
        let error = try device.failure(type, .note("a", tag: first.recordChangeTag))
        #expect(error?.code == .conflict)
        #expect(error?.reason == "client oplock error updating record")
        #expect(try device.record("a")?.fields["title"] == .string("b"))
    }

    @Test("A native client learns the server's record with a conflict, a foreign one does not")
    func conflictRecord() throws {
        try device.save(.create, .note("a", Self.stored))
        let native = try cloud.device(native: true)
        let conflict = try native.modify([.init(.update, .note("a", tag: "zzz"))]).first
        #expect(conflict?.serverRecord?.fields["title"] == .string("old"))
        #expect(try device.modify([.init(.update, .note("a", tag: "zzz"))]).first?.serverRecord == nil)
    }

    @Test(
        "Without a tag, update, replace and delete are refused as a whole",
        arguments: [
            RecordsModify.OperationType.update, .replace, .delete,
        ])
    func missingTag(type: RecordsModify.OperationType) throws {
        let error = try device.error(
            .recordsModify(.init(operations: [.init(.create, .note("b")), .init(type, .note("a"))])))
        #expect(error?.code == .badRequest)
        #expect(error?.reason == "BadRequestException: missing required field 'recordChangeTag'")
        #expect(try device.record("b") == nil)
    }

    @Test(
        "Update and replace of a missing record, with a tag, say that it is gone",
        arguments: [
            RecordsModify.OperationType.update, .replace,
        ])
    func updateMissing(type: RecordsModify.OperationType) throws {
        let error = try device.failure(type, .note("a", tag: "1"))
        #expect(error?.code == .notFound)
        #expect(error?.extensionCode == .unknownItem)
    }

    @Test(
        "The force operations create what is missing",
        arguments: [
            RecordsModify.OperationType.forceUpdate, .forceReplace,
        ])
    func forceCreates(type: RecordsModify.OperationType) throws {
        #expect(try device.save(type, .note("a", Self.stored)).fields["count"] == .int64(1))
        let error = try device.failure(type, .note("b", type: nil))
        #expect(error?.reason == "BadRequestException: missing required field 'recordType'")
    }

    @Test("A deleted record is gone, and deleting it again depends on the client")
    func delete() throws {
        let saved = try device.save(.create, .note("a", Self.stored), in: TestDevice.notes)
        let deleted = try device.save(.delete, .note("a", tag: saved.recordChangeTag), in: TestDevice.notes)
        #expect(deleted.deleted)
        #expect(try device.record("a", in: TestDevice.notes) == nil)
        #expect(try device.failure(.delete, .note("a", tag: "1"), in: TestDevice.notes)?.code == .notFound)
        #expect(try device.save(.forceDelete, .note("a"), in: TestDevice.notes).deleted)
        let native = try cloud.device(native: true)
        #expect(try native.save(.delete, .note("a", tag: "1"), in: TestDevice.notes).deleted)
    }

    @Test("A record made anew after its deletion is another one", arguments: [nil, TestDevice.notes])
    func recreate(zone: ZoneID?) throws {
        let first = try device.save(.create, .note("a", Self.stored), in: zone)
        try device.save(.forceDelete, .note("a"), in: zone)
        let second = try device.save(.create, .note("a", type: "Memo", [("text", .string("x"))]), in: zone)
        #expect(second.recordType == "Memo")
        #expect(second.fields.names == ["text"])
        #expect(second.recordChangeTag != first.recordChangeTag)
        #expect(try #require(second.created).timestamp > (try #require(first.created)).timestamp)
        #expect(
            try device.failure(.update, .note("a", tag: first.recordChangeTag, type: nil), in: zone)?.code == .conflict)
    }

    @Test("A record's type is fixed while it lives")
    func typeChange() throws {
        try device.save(.create, .note("a", Self.stored))
        #expect(try device.failure(.forceUpdate, .note("a", type: "Memo"))?.code == .badRequest)
    }

    @Test("The modification date always grows, though the clock stands still")
    func modified() throws {
        var last: Int64 = 0
        for count in 1...3 {
            let saved = try device.save(.forceUpdate, .note("a", [("count", .int64(Int64(count)))]))
            let modified = try #require(saved.modified).timestamp
            #expect(modified > last)
            last = modified
        }
    }

    @Test("desiredKeys limits what comes back, the operation's own before the request's")
    func desiredKeys() throws {
        let results = try device.modify(
            [
                .init(.create, .note("a", Self.stored)),
                .init(.create, .note("b", Self.stored), desiredKeys: []),
            ], desiredKeys: ["title"])
        #expect(results.map { $0.record?.fields.names } == [["title"], []])
        #expect(try device.record("a")?.fields.count == 2)
    }
}
