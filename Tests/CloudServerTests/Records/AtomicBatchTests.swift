import CloudStore
import Testing
import WebServices

@testable import CloudServer

@Suite("Batches")
struct AtomicBatchTests {
    let cloud: TestCloud
    let device: TestDevice

    init() throws {
        cloud = try TestCloud()
        device = try cloud.device()
        try device.makeZone()
        try device.makeZone("Other")
    }

    private func batch(_ zone: ZoneID? = nil) -> [RecordsModify.Operation] {
        [.init(.create, .note("a")), .init(.create, .note("taken")), .init(.create, .note("b"))]
    }

    @Test("In a custom zone one failure undoes all: the culprit has its error, the rest ATOMIC_ERROR")
    func customZone() throws {
        try device.save(.create, .note("taken"), in: TestDevice.notes)
        let results = try device.modify(batch(), in: TestDevice.notes)
        #expect(results.map { $0.error?.code } == [.atomicError, .conflict, .atomicError])
        #expect(try device.record("a", in: TestDevice.notes) == nil)
        #expect(try device.record("b", in: TestDevice.notes) == nil)
    }

    @Test("atomic: false lets each operation of a custom zone stand alone")
    func notAtomic() throws {
        try device.save(.create, .note("taken"), in: TestDevice.notes)
        let results = try device.modify(batch(), in: TestDevice.notes, atomic: false)
        #expect(results.map { $0.error?.code } == [nil, .conflict, nil])
        #expect(try device.record("b", in: TestDevice.notes) != nil)
    }

    @Test("The default zone is not atomic, and a web client that asks for it is refused")
    func defaultZone() throws {
        try device.save(.create, .note("taken"))
        #expect(try device.modify(batch()).map { $0.error?.code } == [nil, .conflict, nil])
        let error = try device.error(.recordsModify(.init(operations: batch(), atomic: true)))
        #expect(error?.reason == "atomic operations not supported in default zone")
    }

    @Test("A native client's atomic batch in the default zone is taken and applied one by one")
    func nativeDefaultZone() throws {
        let native = try cloud.device(native: true)
        try device.save(.create, .note("taken"))
        #expect(try native.modify(batch(), atomic: true).map { $0.error?.code } == [nil, .conflict, nil])
    }

    @Test("Zones of one request are atomic each for itself")
    func severalZones() throws {
        let other = ZoneID(zoneName: "Other")
        func record(_ name: String, _ zone: ZoneID) -> Record {
            var record = Record.note(name)
            record.zoneID = zone
            return record
        }
        try device.save(.create, .note("taken"), in: TestDevice.notes)
        let results = try device.modify([
            .init(.create, record("x", TestDevice.notes)), .init(.create, record("y", other)),
            .init(.create, record("taken", TestDevice.notes)), .init(.create, record("z", ZoneID(zoneName: "None"))),
        ])
        #expect(results.map { $0.error?.code } == [.atomicError, nil, .conflict, .zoneNotFound])
        #expect(try device.record("y", in: other)?.zoneID?.zoneName == "Other")
    }

    @Test("Every failing operation of an atomic batch has its own error")
    func severalCulprits() throws {
        try device.save(.create, .note("taken"), in: TestDevice.notes)
        let results = try device.modify(
            [.init(.update, .note("none", tag: "1")), .init(.create, .note("taken")), .init(.create, .note("a"))],
            in: TestDevice.notes)
        #expect(results.map { $0.error?.code } == [.notFound, .conflict, .atomicError])
    }

    @Test("A batch that is undone leaves no sequence, no type and no usage behind")
    func undone() throws {
        try device.save(.create, .note("taken"), in: TestDevice.notes)
        let before = try zoneRow()
        _ = try device.modify(
            [.init(.create, .note("a", type: "New", [("x", .int64(1))])), .init(.create, .note("taken"))],
            in: TestDevice.notes)
        #expect(try zoneRow() == before)
        // The same type with another type of field works, since the first left nothing.
        let saved = try device.save(.create, .note("a", type: "New", [("x", .string("s"))]), in: TestDevice.notes)
        #expect(saved.fields["x"] == .string("s"))
    }

    @Test("Each save and each deletion takes the zone's next sequence")
    func sequence() throws {
        _ = try device.modify([.init(.create, .note("a")), .init(.create, .note("b"))], in: TestDevice.notes)
        try device.save(.forceDelete, .note("a"), in: TestDevice.notes)
        let zone = try zoneRow()
        #expect(zone.sequence == 3)
        #expect(zone.recordCount == 1)
        #expect(try device.record("b", in: TestDevice.notes)?.recordChangeTag?.hasSuffix("-2") == true)
    }

    private func zoneRow() throws -> ZoneRow {
        let owner = try device.user().userRecordName
        let store = try #require(try cloud.server.store.container(TestCloud.container, "development", create: false))
        return try #require(
            try store.read { try $0.zone(ZoneKey(scope: .private, owner: owner, name: "Notes")) })
    }
}
