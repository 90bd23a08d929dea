import CloudKit
import Testing
import WebServices

@Suite("Records on the wire")
struct WebServicesConversionTests {
    private let zoneID = CKRecordZone.ID(zoneName: "Notes")

    private func fetched(_ fields: [(name: String, value: FieldValue?)] = []) throws -> CKRecord {
        let record = Record(
            recordName: "n1", recordType: "Note", recordChangeTag: "a", fields: Fields(fields),
            created: Stamp(timestamp: 1_500_000_000_123, userRecordName: "_me", deviceID: "d1"),
            modified: Stamp(timestamp: 1_600_000_000_456, userRecordName: "_you", deviceID: "d2"),
            zoneID: ZoneID(zoneName: "Notes", ownerRecordName: "_me"),
            parent: .reference(Reference(recordName: "f")))
        return try CKRecord(record, zoneID: zoneID, currentUser: "_me")
    }

    @Test("A record from an answer is unchanged and says who made it when")
    func fromAnswer() throws {
        let record = try fetched([("title", .string("x"))])
        #expect(record.recordType == "Note")
        #expect(record.recordID == CKRecord.ID(recordName: "n1", zoneID: zoneID))
        #expect(record.recordChangeTag == "a")
        #expect(record.creationDate == Date(timeIntervalSince1970: 1_500_000_000.123))
        #expect(record.modificationDate == Date(timeIntervalSince1970: 1_600_000_000.456))
        #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
        #expect(record.lastModifiedUserRecordID?.recordName == "_you")
        #expect(record.parent?.recordID == CKRecord.ID(recordName: "f", zoneID: zoneID))
        #expect(record["title"] as? String == "x")
        #expect(record.changedKeys().isEmpty)
    }

    @Test(
        "Every type of value comes and goes unchanged",
        arguments: [
            .string("ä\"\n"), .int64(.max), .int64(.min), .double(-0.1), .timestamp(1_600_000_000_456), .timestamp(-1),
            .bytes([0, 255]),
            .location(
                Location(
                    latitude: 1.5, longitude: -2.5, horizontalAccuracy: 1, verticalAccuracy: 2, altitude: 3, speed: 4,
                    course: 5, timestamp: 6)),
            .reference(Reference(recordName: "r", action: Reference.Action.none)),
            .reference(Reference(recordName: "r", action: .deleteSelf)),
            .reference(Reference(recordName: "r", action: .validate)),
            .reference(Reference(recordName: "r", zoneID: ZoneID(zoneName: "Other"), action: Reference.Action.none)),
            .asset(Asset(fileChecksum: "AQID", size: 3, receipt: "r", downloadURL: "https://example.com/a")),
            .list([.string("a"), .string("b")], of: .string), .list([.int64(1)], of: .int64),
            .list([.double(1), .double(2.5)], of: .double), .list([.timestamp(5)], of: .timestamp),
            .list([.bytes([1])], of: .bytes),
            .list([.reference(Reference(recordName: "r", action: .deleteSelf))], of: .reference),
        ] as [FieldValue])
    func values(value: FieldValue) throws {
        let record = try fetched([("field", value)])
        let sent = try record.webServicesRecord(.allKeys)
        #expect(sent.fields["field"] == value)
    }

    @Test("Only what was changed is sent, a cleared key as null")
    func changedKeys() throws {
        let record = try fetched([("title", .string("x")), ("body", .string("y")), ("count", .int64(1))])
        #expect(try record.webServicesRecord(.changedKeys).fields.isEmpty)
        record["title"] = "new"
        record["count"] = nil
        let sent = try record.webServicesRecord(.changedKeys)
        #expect(sent.recordName == "n1" && sent.recordType == "Note" && sent.recordChangeTag == "a")
        #expect(sent.zoneID == ZoneID(zoneName: "Notes"))
        #expect(sent.fields.names == ["count", "title"])
        #expect(sent.fields.entry(named: "count")?.kind == .null)
        #expect(sent.fields["title"] == .string("new"))
        #expect(sent.parent == .unchanged)
    }

    @Test("With all keys, every value is sent and what was cleared is null")
    func allKeys() throws {
        let record = try fetched([("title", .string("x")), ("count", .int64(1))])
        record["count"] = nil
        let sent = try record.webServicesRecord(.allKeys)
        #expect(sent.fields.names == ["count", "title"])
        #expect(sent.fields.entry(named: "count")?.kind == .null)
        #expect(sent.parent == .reference(Reference(recordName: "f")))
    }

    @Test("A parent is sent when it was set or removed")
    func parents() throws {
        let record = try fetched()
        record.parent = nil
        #expect(try record.webServicesRecord(.changedKeys).parent == WebServices.Record.ParentChange.none)
        record.setParent(CKRecord.ID(recordName: "g", zoneID: zoneID))
        #expect(try record.webServicesRecord(.changedKeys).parent == .reference(Reference(recordName: "g")))
        #expect(record.ancestor.parent?.recordID.recordName == "f")
    }

    @Test("An empty list leaves its type to the schema")
    func emptyList() throws {
        let record = CKRecord(recordType: "Note")
        record["tags"] = [String]()
        let fields = try record.webServicesRecord(.changedKeys).fields
        #expect(fields.entry(named: "tags")?.kind == .untyped)
        let back = try fetched([("tags", .list([], of: .string))])
        #expect(back["tags"] as? [String] == [])
    }

    @Test("Integers among floating-point numbers of a list become such")
    func mixedNumbers() throws {
        let record = CKRecord(recordType: "Note")
        record["scores"] = [1 as NSNumber, 2.5 as NSNumber]
        #expect(
            try record.webServicesRecord(.changedKeys).fields["scores"]
                == .list([.double(1), .double(2.5)], of: .double))
    }

    @Test("A key that is encrypted, then plain, then cleared is sent once, by the side that has it")
    func encryptedOrPlain() throws {
        let record = CKRecord(recordType: "Note")
        func sent() throws -> Fields { try record.webServicesRecord(.changedKeys).fields }
        func kinds() throws -> [Fields.Kind] { try sent().map(\.kind) }
        record.encryptedValues["x"] = "hush"
        #expect(try kinds() == [Fields.Kind(.string, isEncrypted: true)])
        record["x"] = "open"
        #expect(try kinds() == [Fields.Kind(.string)])
        record.encryptedValues["x"] = [Date(timeIntervalSinceReferenceDate: 0.000_1)]
        #expect(try kinds() == [Fields.Kind(.timestampList, isEncrypted: true, isExact: true)])
        record["x"] = nil
        #expect(try kinds() == [Fields.Kind(.timestampList, isEncrypted: true, isExact: true)])
        record.encryptedValues["x"] = nil
        #expect(try kinds() == [.null])
    }

    @Test("What cannot be sent is refused with the field's name, not dropped")
    func refusals() throws {
        let mixed = CKRecord(recordType: "Note")
        mixed["list"] = ["a", 1] as NSArray
        let file = CKRecord(recordType: "Note")
        file["list"] = CKAsset(fileURL: URL(fileURLWithPath: "/nowhere"))
        for record in [mixed, file] {
            #expect {
                try record.webServicesRecord(.changedKeys)
            } throws: { error in
                (error as? CKError)?.code == .invalidArguments && error.localizedDescription.contains("'list'")
            }
        }
    }

    @Test(
        "Dates that no calendar reaches stop at the ends of the wire's",
        arguments: [
            (Double.infinity, Int64.max), (-.infinity, .min), (.nan, 0), (1e300, .max),
        ])
    func dates(seconds: Double, milliseconds: Int64) throws {
        let record = CKRecord(recordType: "Note")
        record["date"] = Date(timeIntervalSince1970: seconds)
        #expect(try record.webServicesRecord(.changedKeys).fields["date"] == .timestamp(milliseconds))
    }

    @Test("The ancestor of a changed record is what the server had")
    func ancestor() throws {
        let record = try fetched([("title", .string("x")), ("count", .int64(1))])
        record["title"] = "new"
        record["title"] = "newer"
        record["count"] = nil
        record["extra"] = true
        let ancestor = record.ancestor
        #expect(ancestor["title"] as? String == "x")
        #expect(ancestor["count"] as? Int == 1)
        #expect(ancestor.allKeys() == ["count", "title"])
        #expect(ancestor.changedKeys().isEmpty)
        #expect(ancestor.recordChangeTag == "a")
    }

    @Test("A snapshot stays as it was")
    func snapshot() throws {
        let record = try fetched([("title", .string("x"))])
        let snapshot = record.snapshot()
        record["title"] = "new"
        #expect(snapshot["title"] as? String == "x")
    }

    @Test("Zones are named with their owner only when it is someone else")
    func zones() {
        #expect(ZoneID(zoneID) == ZoneID(zoneName: "Notes"))
        let shared = CKRecordZone.ID(zoneName: "Notes", ownerName: "_you")
        #expect(ZoneID(shared) == ZoneID(zoneName: "Notes", ownerRecordName: "_you"))
        #expect(
            CKRecordZone.ID(ZoneID(zoneName: "B", ownerRecordName: "_me"), near: zoneID).ownerName
                == CKCurrentUserDefaultName)
        #expect(CKRecordZone.ID(ZoneID(zoneName: "B", ownerRecordName: "_you"), near: shared).ownerName == "_you")
    }

    @Test("The address of a fetched asset is not lost")
    func assets() throws {
        let descriptor = Asset(fileChecksum: "AQID", size: 3, downloadURL: "https://example.com/${f}")
        let record = try fetched([("image", .asset(descriptor))])
        let asset = try #require(record["image"] as? CKAsset)
        #expect(asset.fileURL == nil)
        #expect(asset.descriptor == descriptor)
    }
}
