import CloudServer
import Testing
import WebServices

@Suite("records/modify") struct ModifyTests {
    @Test(
        "create makes a record with time, user and device",
        .behaviour("modify.create", "modify.stamps", "modify.tag-changes"), arguments: Wire.allCases)
    func create(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let made = try await caller.save(.create, item("a", ["text": .string("x")]))
        #expect(made.fields["text"] == .string("x"))
        #expect(made.created?.userRecordName.hasPrefix("_") == true)
        #expect(made.created == made.modified)
        let changed = try await caller.save(.forceUpdate, item("a", ["text": .string("y")]))
        #expect(changed.recordChangeTag != made.recordChangeTag)
        #expect(changed.created == made.created)
        #expect((changed.modified?.timestamp ?? 0) > (made.modified?.timestamp ?? 0))
    }

    @Test("create of a taken name is a conflict", .behaviour("modify.create-taken"), arguments: Wire.allCases)
    func createTaken(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.save(.create, item("a"))
        let error = try await caller.modify([.init(.create, item("a"))])[0].failure
        #expect(error?.code == .conflict)
        #expect(error?.reason == "record to insert already exists")
    }

    @Test("create without a name gets one", .behaviour("modify.create-name"), arguments: Wire.allCases)
    func createName(_ wire: Wire) async throws {
        let made = try await World(wire).caller().save(.create, item(""))
        #expect(made.recordName.count == 36)
    }

    @Test(
        "update changes what is sent and keeps the rest; a stale tag is a conflict",
        .behaviour("modify.update", "modify.update-stale"), arguments: Wire.allCases)
    func update(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let made = try await caller.save(.create, item("a", ["one": .int64(1), "two": .int64(2)]))
        let updated = try await caller.save(.update, item("a", ["two": .int64(3)], tag: made.recordChangeTag))
        #expect(updated.fields["one"] == .int64(1))
        #expect(updated.fields["two"] == .int64(3))
        let stale = try await caller.modify([.init(.update, item("a", tag: made.recordChangeTag))])[0].failure
        #expect(stale?.code == .conflict)
        #expect(stale?.reason == "client oplock error updating record")
    }

    @Test(
        "update, replace and delete need a change tag", .behaviour("modify.update-without-tag"),
        arguments: Wire.allCases,
        [RecordsModify.OperationType.update, .replace, .delete])
    func withoutTag(_ wire: Wire, _ type: RecordsModify.OperationType) async throws {
        let caller = try await World(wire).caller()
        try await caller.save(.create, item("a"))
        let request = RecordsModify.Request(operations: [.init(type, item("a"))])
        let error = try await caller.refusal(.recordsModify(request))
        #expect(error?.code == .badRequest)
        #expect(error?.reason == "BadRequestException: missing required field 'recordChangeTag'")
    }

    @Test("update of a missing record is NOT_FOUND", .behaviour("modify.update-missing"), arguments: Wire.allCases)
    func updateMissing(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        #expect(try await caller.modify([.init(.update, item("a", tag: "1"))])[0].failure?.code == .notFound)
    }

    @Test(
        "forceUpdate creates or changes, forceReplace creates or replaces",
        .behaviour("modify.force-update", "modify.force-replace"), arguments: Wire.allCases)
    func force(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        try await caller.save(.forceUpdate, item("a", ["one": .int64(1)]))
        let updated = try await caller.save(.forceUpdate, item("a", ["two": .int64(2)]))
        #expect(updated.fields["one"] == .int64(1))
        let replaced = try await caller.save(.forceReplace, item("a", ["two": .int64(3)]))
        #expect(replaced.fields["one"] == nil)
        #expect(replaced.fields["two"] == .int64(3))
        try await caller.save(.forceReplace, item("b", ["one": .int64(1)]))
    }

    @Test("replace clears what is not sent", .behaviour("modify.replace"), arguments: Wire.allCases)
    func replace(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let made = try await caller.save(.create, item("a", ["one": .int64(1), "two": .int64(2)]))
        let replaced = try await caller.save(.replace, item("a", ["two": .int64(2)], tag: made.recordChangeTag))
        #expect(replaced.fields["one"] == nil)
    }

    @Test(
        "delete needs the current tag, forceDelete none; the name is free again",
        .behaviour("modify.delete", "modify.force-delete", "modify.recreate"), arguments: Wire.allCases)
    func delete(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let made = try await caller.save(.create, item("a"))
        #expect(try await caller.modify([.init(.delete, item("a", tag: "stale"))])[0].failure?.code == .conflict)
        #expect(try await caller.save(.delete, item("a", tag: made.recordChangeTag)).deleted)
        #expect(try await caller.lookup(["a"])[0].failure?.code == .notFound)
        try await caller.save(.create, item("a"))
        #expect(try await caller.save(.forceDelete, item("a")).deleted)
    }

    @Test(
        "Deleting what is not there", .behaviour("modify.delete-missing", "modify.force-delete-missing"),
        arguments: Wire.allCases)
    func deleteMissing(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        #expect(try await caller.modify([.init(.delete, item("a", tag: "1"))])[0].failure?.code == .notFound)
        #expect(try await caller.modify([.init(.forceDelete, item("a"))])[0].failure == nil)
    }

    @Test("Results come in the order of the operations", .behaviour("modify.order"), arguments: Wire.allCases)
    func order(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let names = (0..<50).map { "n\(49 - $0)" }
        let results = try await caller.modify(names.map { .init(.create, item($0)) })
        #expect(try results.map { try $0.get().recordName } == names)
    }

    @Test(
        "One record twice, or more than 200 operations, refuse the request",
        .behaviour("modify.duplicate-name", "modify.limit"), arguments: Wire.allCases)
    func refusedRequests(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let twice = RecordsModify.Request(operations: [.init(.create, item("a")), .init(.forceDelete, item("a"))])
        #expect(try await caller.refusal(.recordsModify(twice))?.code == .badRequest)
        let many = RecordsModify.Request(operations: (0..<201).map { .init(.create, item("n\($0)")) })
        let error = try await caller.refusal(.recordsModify(many))
        #expect(error?.code == .badRequest)
        #expect(error?.extensionCode == .limitExceeded)
    }

    @Test("A record over 1 MB is refused alone", .behaviour("modify.record-size"), arguments: Wire.allCases)
    func recordSize(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let large = item("large", ["text": .string(String(repeating: "x", count: 1 << 20))])
        let results = try await caller.modify([.init(.create, large), .init(.create, item("small"))])
        #expect(results[0].failure?.code == .badRequest)
        #expect(results[1].failure == nil)
    }

    @Test("A native request over 2 MB is limitExceeded", .behaviour("modify.request-size"), arguments: Wire.allCases)
    func requestSize(_ wire: Wire) async throws {
        let caller = try await World(wire).caller(client: .native(deviceID: "phone"))
        let text = String(repeating: "x", count: 900_000)
        let request = RecordsModify.Request(
            operations: (0..<3).map { .init(.create, item("n\($0)", ["text": .string(text)])) })
        #expect(try await caller.refusal(.recordsModify(request))?.extensionCode == .limitExceeded)
    }

    @Test(
        "An atomic batch is all or nothing, each zone for itself",
        .behaviour("modify.atomic", "modify.atomic-by-zone", "modify.non-atomic"), arguments: Wire.allCases)
    func atomic(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let other = ZoneID(zoneName: "Other")
        try await caller.makeZone()
        try await caller.makeZone(other)
        try await caller.save(.create, item("taken", zone: Caller.zone))
        let batch: [RecordsModify.Operation] = [
            .init(.create, item("new", zone: Caller.zone)), .init(.create, item("taken", zone: Caller.zone)),
            .init(.create, item("elsewhere", zone: other)),
        ]
        let results = try await caller.modify(batch, Caller.zone)
        #expect(results.map { $0.failure?.code } == [.atomicError, .conflict, nil])
        #expect(try await caller.lookup(["new"], Caller.zone)[0].failure?.code == .notFound)
        let alone = try await caller.modify(Array(batch.prefix(2)), Caller.zone, atomic: false)
        #expect(alone.map { $0.failure?.code } == [nil, .conflict])
    }

    @Test(
        "The default zone knows no atomic batches", .behaviour("modify.atomic-default-zone"), arguments: Wire.allCases)
    func atomicDefaultZone(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let request = RecordsModify.Request(operations: [.init(.create, item("a"))], atomic: true)
        let error = try await caller.refusal(.recordsModify(request))
        #expect(error?.reason == "atomic operations not supported in default zone")
    }

    @Test(
        "desiredKeys limits what comes back, an operation's over the request's", .behaviour("modify.desired-keys"),
        arguments: Wire.allCases)
    func desiredKeys(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let values: KeyValuePairs<String, FieldValue?> = ["one": .int64(1), "two": .int64(2)]
        let results = try await caller.modify(
            [.init(.create, item("a", values)), .init(.create, item("b", values), desiredKeys: ["two"])],
            desiredKeys: [])
        #expect(try results.map { try $0.get().fields.count } == [0, 1])
        #expect(try await caller.lookup(["a"])[0].get().fields.count == 2)
    }

    @Test("A missing zone is an error of each record", .behaviour("modify.zone-missing"), arguments: Wire.allCases)
    func missingZone(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let results = try await caller.modify(
            [.init(.create, item("a")), .init(.create, item("b"))], ZoneID(zoneName: "Nowhere"))
        #expect(results.map { $0.failure?.code } == [.zoneNotFound, .zoneNotFound])
    }

    @Test(
        "Record names have up to 255 ASCII characters and no underscore in front", .behaviour("modify.names"),
        arguments: Wire.allCases)
    func names(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let names = [String(repeating: "n", count: 255), "a/b c", String(repeating: "n", count: 256), "_a", "ä"]
        let results = try await caller.modify(names.map { .init(.create, item($0)) })
        #expect(results.map { $0.failure == nil } == [true, true, false, false, false])
    }

    @Test("A repeated request saves nothing twice", .behaviour("modify.repeated"), arguments: Wire.allCases)
    func repeated(_ wire: Wire) async throws {
        let caller = try await World(wire).caller()
        let made = try await caller.save(.create, item("a", ["n": .int64(1)]))
        let update = item("a", ["n": .int64(2)], tag: made.recordChangeTag)
        try await caller.save(.update, update)
        #expect(try await caller.modify([.init(.create, item("a"))])[0].failure?.code == .conflict)
        #expect(try await caller.modify([.init(.update, update)])[0].failure?.code == .conflict)
        #expect(try await caller.lookup(["a"])[0].get().fields["n"] == .int64(2))
    }
}
