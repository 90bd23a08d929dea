import Behaviours
import Testing
import WebServices

@Suite("Encrypted fields")
struct EncryptedFieldTests {
    /// Fields of which the values are to be encrypted.
    private func sealed(_ fields: FieldList, and plain: FieldList = [:]) -> Fields {
        var builder = FieldsBuilder()
        for (name, value) in plain { builder.append(name, value) }
        for (name, value) in fields { builder.append(name, value, isEncrypted: true) }
        return builder.finish()
    }

    private func note(_ name: String = "a", _ fields: Fields) -> Record {
        Record(recordName: name, recordType: "Note", fields: fields)
    }

    @Test(
        "Values of every type but references and assets come back, with isEncrypted, from a save, a look-up, a query and the feed",
        .behaviour("encrypted.round-trip"), arguments: Wire.allCases)
    func roundTrip(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        let fields = sealed(
            [
                "text": "hush \u{1F92B}", "number": 7, "fraction": 0.5, "time": .timestamp(1_767_225_600_123),
                "bytes": .bytes([0, 255]), "place": .location(Location(latitude: 1, longitude: 2)),
                "texts": .strings("a", "b"), "numbers": .list([1, 2], of: .int64),
                "times": .list([.timestamp(5)], of: .timestamp),
            ], and: ["title": "open"])
        let saved = try client.save(.create, note("a", fields), in: .notes)
        let found: [Record?] = [
            saved, try client.record("a", in: .notes), try client.page(in: .notes).records.first?.record,
            try client.changes().records.first,
        ]
        for record in found {
            let record = try #require(record)
            #expect(Set(record.fields.names) == Set(fields.names))
            for entry in fields {
                let name = fields.name(of: entry)
                #expect(record.fields[name] == fields[name], "\(name)")
                #expect(record.fields.entry(named: name)?.kind.isEncrypted == (name != "title"), "\(name)")
            }
        }
    }

    @Test(
        "desiredKeys choose among them, and numbersAsStrings holds for them", .behaviour("encrypted.desired-keys"),
        arguments: Wire.allCases)
    func desiredKeys(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        try client.save(.create, note("a", sealed(["x": 1, "y": 2], and: ["z": 3])), in: .notes)
        for keys in [["x"], ["x", "z"], ["z"], []] {
            let record = try client.lookup(["a"], in: .notes, desiredKeys: keys).first?.record
            #expect(Set(record?.fields.names ?? ["none"]) == Set(keys))
        }
    }

    @Test(
        "A plain field does not take an encrypted value, and stays plain", .behaviour("encrypted.plain-field"),
        arguments: Wire.allCases)
    func plainField(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.create("a", ["x": "open"])
        let error = try client.failure(.create, note("b", sealed(["x": "hush"])))
        #expect(error.code == .badRequest)
        #expect(error.reason == "Attempt to save encrypted data in non encrypted field type")
    }

    @Test(
        "An encrypted field takes no value without the flag, without a type or of another type",
        .behaviour("encrypted.missing-flag", "encrypted.type"), arguments: Wire.allCases)
    func flag(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.save(.create, note("a", sealed(["x": "hush"])))
        let text =
            "invalid attempt to set value type ENCRYPTED_BYTES for field 'x' for type 'Note', "
            + "defined to be: ENCRYPTED_STRING"
        #expect(try client.failure(.create, .note("b", ["x": "open"])).reason == text)
        var builder = FieldsBuilder()
        builder.append("x", json: Array("\"hush\"".utf8)[...], kind: .untypedEncrypted)
        #expect(try client.failure(.create, note("b", builder.finish())).reason == text)
        #expect(
            try client.failure(.create, note("b", sealed(["x": 7]))).reason
                == "invalid attempt to set value type ENCRYPTED_INT64 for field 'x' for type 'Note', "
                + "defined to be: ENCRYPTED_STRING")
    }

    @Test("References and assets are not encrypted", .behaviour("encrypted.types"), arguments: Wire.allCases)
    func types(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        for value: FieldValue in [.reference(to: "b"), .list([.reference(to: "b")], of: .reference)] {
            let error = try client.failure(.create, note("a", sealed(["x": value])))
            #expect(error.code == .badRequest)
            #expect(error.reason.contains("cannot be encrypted"))
        }
    }

    @Test("The public database has no encrypted fields", .behaviour("encrypted.public"), arguments: Wire.allCases)
    func publicDatabase(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        let error = try client.failure(.create, note("a", sealed(["x": "hush"])), database: .public)
        #expect(error.code == .badRequest)
        #expect(error.reason == "encrypted fields are not supported in the public database")
    }

    @Test(
        "A filter on one is refused, sorting by one is taken and gives no order",
        .behaviour("encrypted.filter", "encrypted.sort"), arguments: Wire.allCases)
    func query(_ wire: Wire) throws {
        let client = try Service(wire).signIn()
        try client.zone(.create)
        for (name, number) in ["a": 2, "b": 1, "c": 3] as KeyValuePairs<String, Int64> {
            try client.save(.create, note(name, sealed(["x": .int64(number), "secret": "hush"])), in: .notes)
        }
        let filter = RecordsQuery.Filter(.equals, .user("secret"), .typed("hush"))
        let error = try client.refusal(
            .recordsQuery(
                RecordsQuery.Request(
                    query: RecordsQuery.Query(recordType: "Note", filterBy: [filter]), zoneID: .notes)))
        #expect(
            error.reason
                == "Field 'secret' has a value type of ENCRYPTED_STRING and cannot be queried using filter type EQUALS")
        let sorted = try client.page(
            sort: [RecordsQuery.Sort(.user("x"), ascending: false)], in: .notes)
        #expect(sorted.records.map(\.name) == ["a", "b", "c"])
    }
}
