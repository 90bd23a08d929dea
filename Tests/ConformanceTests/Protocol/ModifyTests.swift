import Behaviours
import CloudKitTesting
import Testing
import WebServices

@Suite("records/modify")
struct ModifyTests {
    @Test("create makes a record", .behaviour("modify.create"), arguments: Wire.allCases)
    func create(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let saved = try client.create("a", ["title": "Hello", "count": 3])
        #expect(saved.recordName == "a")
        #expect(saved.recordType == "Note")
        #expect(saved.recordChangeTag?.isEmpty == false)
        #expect(saved.deleted == false)
        let found = try #require(try client.record("a"))
        #expect(found.fields["title"] == "Hello")
        #expect(found.fields["count"] == 3)
        #expect(found.recordChangeTag == saved.recordChangeTag)
    }

    @Test(
        "create of a taken name is a conflict, and changes nothing", .behaviour("modify.create-taken"),
        arguments: Wire.allCases)
    func createTaken(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let saved = try client.create("a", ["title": "First"])
        let error = try client.failure(.create, .note("a", ["title": "Second"]))
        #expect(error.said == .init(.conflict, "record to insert already exists"))
        #expect(try client.record("a")?.recordChangeTag == saved.recordChangeTag)
        #expect(try client.record("a")?.fields["title"] == "First")
    }

    @Test(
        "create without a name gets a random UUID", .behaviour("modify.create-name"), arguments: Wire.allCases)
    func createName(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let names = try client.modify((0..<3).map { _ in .init(.create, .note()) }).compactMap(\.record?.recordName)
        #expect(Set(names).count == 3)
        for name in names {
            let form = /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/
            #expect(name.wholeMatch(of: form) != nil, "\(name)")
        }
    }

    @Test(
        "update with the current tag changes what is sent and keeps the rest", .behaviour("modify.update"),
        arguments: Wire.allCases)
    func update(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let first = try client.create("a", ["title": "Old", "count": 1, "gone": "x"])
        let second = try client.save(
            .update, .note("a", tag: first.recordChangeTag, type: nil, ["title": "New", "gone": nil]))
        #expect(second.fields["title"] == "New")
        #expect(second.fields["count"] == 1)
        #expect(second.fields.entry(named: "gone") == nil)
        #expect(second.recordChangeTag != first.recordChangeTag)
    }

    @Test(
        "A stale tag is a conflict for update, replace and delete", .behaviour("modify.update-stale"),
        arguments: Wire.allCases)
    func stale(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let first = try client.create("a", ["title": "First"])
        try client.change("a", ["title": "Second"])
        for type in [RecordsModify.OperationType.update, .replace, .delete] {
            for tag in [first.recordChangeTag, "zzz", ""] {
                let error = try client.failure(type, .note("a", tag: tag, ["title": "Third"]))
                #expect(error.said == .init(.conflict, "client oplock error updating record"), "\(type) \(tag ?? "")")
            }
        }
        #expect(try client.record("a")?.fields["title"] == "Second")
    }

    @Test(
        "update, replace and delete without a tag refuse the whole request",
        .behaviour("modify.update-without-tag"), arguments: Wire.allCases,
        [RecordsModify.OperationType.update, .replace, .delete])
    func withoutTag(_ wire: Wire, _ type: RecordsModify.OperationType) throws {
        let client = try Service(wire).signIn()
        try client.create("a")
        let error = try client.refusal([.init(.create, .note("b")), .init(type, .note("a"))])
        #expect(error.said == .init(.badRequest, "BadRequestException: missing required field 'recordChangeTag'"))
        #expect(try client.record("b") == nil)
    }

    @Test(
        "update and replace of a missing record are NOT_FOUND", .behaviour("modify.update-missing"),
        arguments: Wire.allCases, [RecordsModify.OperationType.update, .replace])
    func updateMissing(_ wire: Wire, _ type: RecordsModify.OperationType) throws {
        let client = try Service(wire).signIn()
        let never = try client.failure(type, .note("a", tag: "1", ["title": "x"]))
        #expect(never.said == .init(.notFound, "recordChangeTag specified, but record not found"))
        let saved = try client.create("b")
        try client.delete("b")
        #expect(try client.failure(type, .note("b", tag: saved.recordChangeTag)).code == .notFound)
        #expect(try client.record("b") == nil)
    }

    @Test(
        "forceUpdate creates or changes, keeping fields that are not sent", .behaviour("modify.force-update"),
        arguments: Wire.allCases)
    func forceUpdate(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.save(.forceUpdate, .note("a", ["title": "Old", "count": 1]))
        let changed = try client.save(.forceUpdate, .note("a", tag: "stale", ["title": "New"]))
        #expect(changed.fields["title"] == "New")
        #expect(changed.fields["count"] == 1)
        #expect(
            try client.failure(.forceUpdate, .note("b", type: nil)).said
                == .init(.badRequest, "BadRequestException: missing required field 'recordType'"))
    }

    @Test(
        "replace clears fields that are not sent", .behaviour("modify.replace"), arguments: Wire.allCases)
    func replace(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let first = try client.create("a", ["title": "Old", "count": 1])
        let second = try client.save(.replace, .note("a", tag: first.recordChangeTag, ["title": "New"]))
        #expect(second.fields.names == ["title"])
        #expect(try client.record("a")?.fields.names == ["title"])
    }

    @Test(
        "forceReplace creates or replaces, whatever the tag", .behaviour("modify.force-replace"),
        arguments: Wire.allCases)
    func forceReplace(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.save(.forceReplace, .note("a", ["title": "Old", "count": 1]))
        let second = try client.save(.forceReplace, .note("a", tag: "stale", ["count": 2]))
        #expect(second.fields.names == ["count"])
    }

    @Test("delete with the current tag deletes", .behaviour("modify.delete"), arguments: Wire.allCases)
    func delete(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let saved = try client.create("a")
        let gone = try client.save(.delete, .note("a", tag: saved.recordChangeTag, type: nil))
        #expect(gone.deleted)
        #expect(gone.recordName == "a")
        #expect(try client.lookup(["a"])[0].error?.said == .init(.notFound, "Record not found"))
    }

    @Test(
        "delete of a missing record is NOT_FOUND for the web, and success for the framework",
        .behaviour("modify.delete-missing"), arguments: Wire.allCases)
    func deleteMissing(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        #expect(
            try client.failure(.delete, .note("a", tag: "1")).said == .init(.notFound, "Record not found"))
        #expect(try client.native.save(.delete, .note("a", tag: "1")).deleted)
    }

    @Test(
        "forceDelete deletes whatever the tag, and what is missing is deleted already",
        .behaviour("modify.force-delete", "modify.force-delete-missing"), arguments: Wire.allCases)
    func forceDelete(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a")
        #expect(try client.save(.forceDelete, .note("a", tag: "stale", type: nil)).deleted)
        #expect(try client.record("a") == nil)
        #expect(try client.save(.forceDelete, .note("a", type: nil)).deleted)
        #expect(try client.save(.forceDelete, .note("never")).recordName == "never")
    }

    @Test(
        "A deleted name can be created again, as a new record", .behaviour("modify.recreate"),
        arguments: Wire.allCases)
    func recreate(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let first = try client.create("a", ["title": "First", "count": 1])
        try client.delete("a")
        let second = try client.create("a", ["title": "Second"])
        #expect(second.fields.names == ["title"])
        #expect(second.recordChangeTag != first.recordChangeTag)
        #expect((second.created?.timestamp ?? 0) > (first.created?.timestamp ?? 0))
        let stale = try client.failure(.update, .note("a", tag: first.recordChangeTag))
        #expect(stale.code == .conflict)
    }

    @Test(
        "Results come in the order of the operations, whatever became of them", .behaviour("modify.order"),
        arguments: Wire.allCases)
    func order(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        try client.create("taken")
        let results = try client.modify([
            .init(.create, .note("z")), .init(.create, .note("taken")),
            .init(.create, .note("n", in: .notes)), .init(.create, .note("none", in: .trips)),
            .init(.forceDelete, .note("y")), .init(.create, .note("m", in: .notes)), .init(.create, .note("b")),
        ])
        #expect(results.map(\.name) == ["z", "taken", "n", "none", "y", "m", "b"])
        #expect(
            results.map { $0.error?.code } == [nil, .conflict, nil, .zoneNotFound, nil, nil, nil])
        #expect(results[2].record?.zoneID?.zoneName == "Notes")
    }

    @Test(
        "Two operations on one record refuse the request", .behaviour("modify.duplicate-name"),
        arguments: Wire.allCases)
    func duplicateName(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        let error = try client.refusal([.init(.create, .note("a")), .init(.forceDelete, .note("a"))])
        #expect(error.code == .badRequest)
        #expect(error.extensionCode == .duplicateRecord)
        let other = try client.modify([.init(.create, .note("a")), .init(.create, .note("a", in: .notes))])
        #expect(other.compactMap(\.record).count == 2, "one name in two zones is two records")
    }

    @Test(
        "desiredKeys limits the fields that come back, inside an operation over the request's",
        .behaviour("modify.desired-keys"), arguments: Wire.allCases)
    func desiredKeys(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let fields: FieldList = ["title": "Hello", "count": 3]
        let results = try client.modify(
            [
                .init(.create, .note("a", fields)), .init(.create, .note("b", fields), desiredKeys: ["count"]),
                .init(.create, .note("c", fields), desiredKeys: []),
            ], desiredKeys: ["title", "none"])
        #expect(results.map { $0.record?.fields.names } == [["title"], ["count"], []])
        #expect(try client.record("c")?.fields.count == 2)
        let inside = try client.send(
            "records/modify",
            #"{"operations":[{"operationType":"create","record":{"recordName":"d","recordType":"Note","desiredKeys":[],"fields":{"title":{"value":"x"}}}}]}"#
        )
        #expect(inside["records"]?[0]?["recordName"]?.string == "d")
        #expect(inside["records"]?[0]?["fields"]?["title"] == nil)
    }

    @Test(
        "numbersAsStrings puts numbers in quotes, in every answer that carries records",
        .behaviour("modify.numbers-as-strings"), arguments: Wire.allCases)
    func numbersAsStrings(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let record =
            #""recordType":"Note","fields":{"n":{"value":9007199254740993,"type":"INT64"},"d":{"value":1.5},"l":{"value":[1,2],"type":"INT64_LIST"},"s":{"value":"x"}}"#
        let saved = try client.send(
            "records/modify",
            #"{"numbersAsStrings":true,"operations":[{"operationType":"create","record":{"recordName":"a",\#(record)}}]}"#
        )
        let looked = try client.send(
            "records/lookup", #"{"numbersAsStrings":true,"records":[{"recordName":"a"}]}"#)
        let queried = try client.send(
            "records/query", #"{"numbersAsStrings":true,"query":{"recordType":"Note"}}"#)
        for answer in [saved, looked, queried] {
            let fields = try #require(answer["records"]?[0]?["fields"])
            #expect(fields["n"]?["value"]?.string == "9007199254740993")
            #expect(fields["d"]?["value"]?.string == "1.5")
            #expect(fields["l"]?["value"]?[1]?.string == "2")
            #expect(fields["s"]?["value"]?.string == "x")
            #expect(fields["n"]?["type"]?.string == "INT64")
        }
        let plain = try client.send("records/lookup", #"{"records":[{"recordName":"a"}]}"#)
        #expect(plain["records"]?[0]?["fields"]?["n"]?["value"]?.int64 == 9_007_199_254_740_993)
    }

    @Test(
        "An unknown zone is ZONE_NOT_FOUND for each record", .behaviour("modify.zone-missing"),
        arguments: Wire.allCases)
    func zoneMissing(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let results = try client.modify([.init(.create, .note("a")), .init(.forceDelete, .note("b"))], in: .trips)
        for result in results { #expect(result.error?.said == .init(.zoneNotFound, "Zone does not exist")) }
        #expect(results.map(\.name) == ["a", "b"])
    }

    @Test(
        "The change tag changes at each save, also at one that changes nothing", .behaviour("modify.tag-changes"),
        arguments: Wire.allCases, DatabaseScope.allCases.filter { $0 != .shared })
    func tagChanges(_ wire: Wire, _ database: DatabaseScope) throws {
        let client = try Service(wire).signIn()
        var tags = [try client.create("a", ["title": "x"], database: database).recordChangeTag]
        for _ in 0..<5 { tags.append(try client.change("a", ["title": "x"], database: database).recordChangeTag) }
        #expect(Set(tags).count == 6)
        #expect(try client.record("a", database: database)?.recordChangeTag == tags.last)
    }

    @Test(
        "Record names: up to 255 ASCII characters that do not begin with _", .behaviour("modify.names"),
        arguments: Wire.allCases)
    func names(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let longest = String(repeating: "x", count: 255)
        for good in [longest, "2/2/c110d0", "a b", "A", "a", "~", "%2F", "\"quoted\"", "a_b"] {
            #expect(try client.create(good).recordName == good)
            #expect(try client.record(good)?.recordName == good)
        }
        let bad = [longest + "x", "_x", "näme", "tab\t", "a\u{0}", "🙂"]
        let results = try client.modify(bad.map { .init(.create, .note($0)) } + [.init(.create, .note("good"))])
        #expect(results.dropLast().allSatisfy { $0.error?.code == .badRequest })
        #expect(results.last?.record != nil, "each is the error of its record alone")
        #expect(results.map(\.name) == bad + ["good"])
    }

    @Test(
        "created and modified name the time, the user and the device", .behaviour("modify.stamps"),
        arguments: Wire.allCases)
    func stamps(_ wire: Wire) throws {
        let service = try Service(wire)
        let client = try service.signIn()
        let user = try client.user().userRecordName
        let first = try client.create("a")
        let created = try #require(first.created)
        #expect(created.userRecordName == user)
        #expect(created.deviceID == "iCloud")
        #expect(first.modified == created)
        service.clock.advance(by: .seconds(60))
        let second = try client.native.change("a", [:])
        #expect(second.created == created)
        #expect((second.modified?.timestamp ?? 0) - created.timestamp >= 60_000)
        #expect(second.modified?.deviceID == "phone")
        #expect(second.modified?.userRecordName == user)
    }

    @Test(
        "A request repeated after a lost answer saves nothing twice", .behaviour("modify.repeated"),
        arguments: Wire.allCases)
    func repeated(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        let tag = try client.create("old", ["n": 1], in: .notes).recordChangeTag
        let batch: [RecordsModify.Operation] = [
            .init(.create, .note("new")), .init(.update, .note("old", tag: tag, ["n": 2])),
        ]
        _ = try client.modify(batch, in: .notes)
        let token = try client.changes().syncToken
        let again = try client.modify(batch, in: .notes)
        #expect(
            again.map { $0.error?.code } == [.conflict, .conflict] || again.contains { $0.error?.code == .conflict })
        #expect(try client.changes(since: token).records.isEmpty)
        #expect(try client.find(in: .notes).sorted() == ["new", "old"])
    }

    @Test("An empty request is answered with nothing", .behaviour("modify.empty"), arguments: Wire.allCases)
    func empty(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        #expect(try client.modify([]).isEmpty)
        #expect(try client.lookup([]).isEmpty)
    }

    @Test(
        "Only a record's own type can be written to it", .behaviour("modify.other-type"), arguments: Wire.allCases)
    func otherType(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["title": "x"])
        #expect(try client.failure(.forceReplace, .note("a", type: "Trip")).code == .badRequest)
        #expect(try client.record("a")?.recordType == "Note")
    }
}
