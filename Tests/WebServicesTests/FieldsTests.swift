import Testing
import WebServices

@Suite struct FieldsTests {
    static let everyType: [(name: String, value: FieldValue?)] = [
        ("text", .string("Grüße \"quoted\" \\ \u{1F30D}\u{0}")),
        ("whole", .int64(.min)),
        ("real", .double(-0.1)),
        ("when", .timestamp(1_764_543_600_123)),
        ("raw", .bytes([0, 255, 1])),
        ("place", .location(Location(latitude: 48.137, longitude: 11.575, altitude: 519, timestamp: 5))),
        ("friend", .reference(Reference(recordName: "a/b", zoneID: ZoneID(zoneName: "Notes"), action: .deleteSelf))),
        ("cover", .asset(Asset(fileChecksum: "AQ==", size: 12, receipt: "r"))),
        ("tags", .list([.string("a"), .string("ä,]\"")], of: .string)),
        ("none", .list([], of: .reference)),
        ("numbers", .list([.int64(1), .int64(-2)], of: .int64)),
    ]

    @Test("Every type of value reads back as it was put in", arguments: everyType.indices)
    func roundTrip(index: Int) throws {
        let (name, value) = Self.everyType[index]
        let fields = Fields(Self.everyType)
        #expect(fields[name] == value)
        let entry = try #require(fields.entry(named: name))
        #expect(entry.kind.type == value?.type)
    }

    @Test("What a store kept is the same fields")
    func stored() throws {
        let fields = Fields(Self.everyType)
        let reread = try #require(Fields(stored: fields.storedBytes))
        #expect(reread.names == fields.names)
        for name in fields.names { #expect(reread[name] == fields[name]) }
    }

    @Test("Damaged stored bytes are refused or read as nothing, never trapped on")
    func damagedStorage() {
        let bytes = Fields(Self.everyType).storedBytes
        for length in bytes.indices {
            if let fields = Fields(stored: Array(bytes[..<length])) {
                for entry in fields { _ = fields.value(of: entry) }
            }
        }
        for position in bytes.indices {
            var flipped = bytes
            flipped[position] ^= 0xFF
            if let fields = Fields(stored: flipped) {
                for entry in fields { _ = fields.value(of: entry) }
            }
        }
    }

    @Test("Changes replace, add and remove fields")
    func merging() {
        let old = Fields([("a", .int64(1)), ("b", .string("x")), ("c", .double(2))])
        let merged = old.merging(Fields([("b", nil), ("c", .double(3)), ("d", .string("new"))]))
        #expect(Set(merged.names) == ["a", "c", "d"])
        #expect(merged["a"] == .int64(1))
        #expect(merged["c"] == .double(3))
        #expect(merged["d"] == .string("new"))
    }

    @Test("Desired keys keep what they name: nil all, none nothing")
    func selecting() {
        let fields = Fields([("a", .int64(1)), ("b", .string("x"))])
        #expect(fields.selecting(nil).names == ["a", "b"])
        #expect(fields.selecting([]).isEmpty)
        #expect(fields.selecting(["b", "zz"]).names == ["b"])
        #expect(fields.selecting(["b"])["b"] == .string("x"))
    }
}
