import CloudKit
import Testing
import WebServices

@Suite("Archives of records")
struct RecordArchiveTests {
    // MARK: Made on a device

    private static let zoneID = ArchivedValue.object(
        ["CKRecordZoneID", "NSObject"], ["ZoneName": .string("Notes"), "ownerName": .string("__defaultOwner__")])

    private static func recordID(_ name: String) -> ArchivedValue {
        .object(["CKRecordID", "NSObject"], ["RecordName": .string(name), "ZoneID": zoneID])
    }

    private static let systemFields: [String: ArchivedValue] = [
        "RecordType": .string("Note"), "RecordID": recordID("n1"), "ETag": .string("jh3gjmdt"),
        "RecordCtime": .date(547_826_405.465), "RecordMtime": .date(547_826_453.433),
        "CreatorUserRecordID": recordID("__defaultOwner__"), "LastModifiedUserRecordID": recordID("_other"),
        "ModifiedByDevice": .string("iCloud"), "KnownToServer": .flag(true), "Permission": .integer(1),
        "ParentReference": .null, "ShareReference": .null, "PreviousParentReference": .null,
        "HasUpdatedParentReference": .flag(false), "ProtectionData": .null, "URL": .null, "WasCached": .flag(false),
    ]

    private func check(_ record: CKRecord) {
        #expect(record.recordType == "Note")
        #expect(record.recordID == CKRecord.ID(recordName: "n1", zoneID: CKRecordZone.ID(zoneName: "Notes")))
        #expect(record.recordChangeTag == "jh3gjmdt")
        #expect(record.creationDate == Date(timeIntervalSinceReferenceDate: 547_826_405.465))
        #expect(record.modificationDate == Date(timeIntervalSinceReferenceDate: 547_826_453.433))
        #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
        #expect(record.lastModifiedUserRecordID?.recordName == "_other")
        #expect(record.parent == nil && record.share == nil)
    }

    @Test("System fields that a device archived are read, and nothing is changed", arguments: [true, false])
    func deviceSystemFields(secure: Bool) throws {
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: DeviceArchive.top(Self.systemFields))
        unarchiver.requiresSecureCoding = secure
        let record = try #require(CKRecord(coder: unarchiver))
        check(record)
        #expect(record.allKeys().isEmpty && record.changedKeys().isEmpty)
    }

    @Test("A whole record that a device archived is read with its values")
    func deviceRecord() throws {
        let asset = ArchivedValue.object(
            ["CKAsset", "NSObject"],
            [
                "AssetFileURL": .object(
                    ["NSURL", "NSObject"], ["NS.base": .null, "NS.relative": .string("file:///tmp/avatar")]),
                "AssetSize": .integer(931_862), "AssetSignature": .data([1] + Array(repeating: 7, count: 20)),
                "RecordID": Self.recordID("n1"),
            ])
        let values = ArchivedValue.object(
            ["CKRecordValueStore", "NSObject"],
            [
                "RecordValues": .dictionary([
                    "title": .string("Shopping"), "age": .boxed(.integer(26)), "weight": .boxed(.real(2.5)),
                    "due": .date(5), "blob": .data([1, 2]), "avatar": asset,
                    "tags": .collection(["NSArray", "NSObject"], ["NS.objects": [.string("a"), .string("b")]]),
                ]),
                "OriginalValues": .dictionary(["title": .string("Shop")]),
                "ChangedKeys": .set([.string("title")]),
            ])
        let encrypted = ArchivedValue.object(
            ["CKEncryptedRecordValueStore", "CKRecordValueStore", "NSObject"],
            ["RecordValues": .dictionary([:]), "OriginalValues": .dictionary([:]), "ChangedKeys": .set([])])
        let contents = Self.systemFields.merging(["ValueStore": values, "EncryptedValueStore": encrypted]) { $1 }
        let archive = DeviceArchive.root(.object(["CKRecord", "NSObject"], contents))

        let record = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive))
        check(record)
        #expect(record["title"] as? String == "Shopping")
        #expect(record["age"] as? Int == 26)
        #expect(record["weight"] as? Double == 2.5)
        #expect(record["due"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
        #expect(record["blob"] as? Data == Data([1, 2]))
        #expect(record["tags"] as? [String] == ["a", "b"])
        #expect((record["avatar"] as? CKAsset)?.fileURL?.path == "/tmp/avatar")
        #expect((record["avatar"] as? CKAsset)?.descriptor?.size == 931_862)
        #expect(record.changedKeys() == ["title"])
        #expect(record.ancestor["title"] as? String == "Shop")
    }

    // MARK: Made here

    private func sample() throws -> CKRecord {
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: DeviceArchive.top(Self.systemFields))
        let record = try #require(CKRecord(coder: unarchiver))
        record["title"] = "Shopping"
        record["count"] = 1
        record["ratio"] = 1.0
        record["scores"] = [1.0, 2.0]
        record["place"] = CLLocation(latitude: 48.5, longitude: 9.5)
        record["folder"] = CKRecord.Reference(
            recordID: CKRecord.ID(recordName: "f", zoneID: record.recordID.zoneID), action: .deleteSelf)
        record["image"] = CKAsset(fileURL: URL(fileURLWithPath: "/nowhere"))
        record.encryptedValues["secret"] = "closed"
        record.setParent(CKRecord.ID(recordName: "f", zoneID: record.recordID.zoneID))
        return record
    }

    @Test("A record comes back whole from its archive")
    func wholeRecord() throws {
        let record = try sample()
        let archive = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
        let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive))
        #expect(back.recordID == record.recordID)
        #expect(back.recordChangeTag == record.recordChangeTag)
        #expect(back.parent == record.parent)
        #expect(back.allKeys() == record.allKeys())
        #expect(back.changedKeys() == record.changedKeys())
        #expect(back.encryptedValues["secret"] as? String == "closed")
        #expect(back["folder"] as? CKRecord.Reference == record["folder"] as? CKRecord.Reference)
        #expect((back["place"] as? CLLocation)?.coordinate.latitude == 48.5)
        #expect((back["image"] as? CKAsset)?.fileURL?.path == "/nowhere")
        #expect(back["scores"] as? [Double] == [1, 2])
    }

    @Test("Equal numbers keep their kinds in an archive")
    func numberKinds() throws {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: try sample(), requiringSecureCoding: true)
        let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive))
        #expect(back["count"].flatMap { RecordValue($0) } == .integer(1))
        #expect(back["ratio"].flatMap { RecordValue($0) } == .double(1))
        #expect(back["scores"].flatMap { RecordValue($0) } == .list([.double(1), .double(2)]))
    }

    @Test("System fields are archived beside an app's own keys, without values")
    func systemFieldsBesideOthers() throws {
        let record = try sample()
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        archiver.encode("mine" as NSString, forKey: "_recordChangeTag")
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = true
        let back = try #require(CKRecord(coder: unarchiver))
        #expect(unarchiver.decodeObject(of: NSString.self, forKey: "_recordChangeTag") == "mine")
        #expect(back.recordID == record.recordID)
        #expect(back.recordChangeTag == record.recordChangeTag)
        #expect(back.creationDate == record.creationDate)
        #expect(back.creatorUserRecordID == record.creatorUserRecordID)
        #expect(back.allKeys().isEmpty && back.changedKeys().isEmpty)
    }

    @Test("Our archives have the keys of a device's, and name its classes")
    func layout() throws {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: try sample(), requiringSecureCoding: true)
        let list = try PropertyListSerialization.propertyList(from: archive, format: nil) as? [String: Any]
        let objects = try #require(list?["$objects"] as? [Any])
        let dictionaries = objects.compactMap { $0 as? [String: Any] }
        let record = try #require(dictionaries.first { $0["RecordType"] != nil })
        for key in Self.systemFields.keys { #expect(record[key] != nil, "\(key)") }
        #expect(record["ValueStore"] != nil && record["EncryptedValueStore"] != nil)
        #expect(dictionaries.contains { $0["RecordName"] != nil && $0["ZoneID"] != nil })
        #expect(dictionaries.contains { $0["ZoneName"] != nil && $0["ownerName"] != nil })
        #expect(dictionaries.contains { $0["RecordValues"] != nil && $0["ChangedKeys"] != nil })
        // Either the class name itself or the fallback that an unarchiver consults.
        let names = Set(
            dictionaries.flatMap { classEntry in
                ([classEntry["$classname"] as? String].compactMap { $0 })
                    + (classEntry["$classhints"] as? [String] ?? [])
            })
        for name in ["CKRecord", "CKRecordID", "CKRecordZoneID", "CKReference", "CKAsset", "CLLocation"] {
            #expect(names.contains(name))
        }
        #expect(names.isSuperset(of: ["CKRecordValueStore", "CKEncryptedRecordValueStore"]))
    }

    // MARK: Garbage

    @Test(
        "What is no archive of a record gives nil or an error",
        arguments: [
            [:], ["RecordType": .string("Note")], ["RecordID": recordID("n1")],
            ["RecordType": .integer(4), "RecordID": recordID("n1")],
            ["RecordType": .string("Note"), "RecordID": .string("n1")],
            ["RecordType": .string("Note"), "RecordID": zoneID],
            ["RecordType": .date(1), "RecordID": recordID("n1")],
            ["RecordType": .string("Note"), "RecordID": .object(["CKRecordID", "NSObject"], [:])],
            [
                "RecordType": .string("Note"),
                "RecordID": .object(["CKRecordID", "NSObject"], ["RecordName": .string("n"), "ZoneID": .date(1)]),
            ],
            ["RecordType": .string("Note"), "RecordID": .object(["NoSuchClass", "NSObject"], [:])],
        ] as [[String: ArchivedValue]])
    func garbage(values: [String: ArchivedValue]) throws {
        for secure in [true, false] {
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: DeviceArchive.top(values))
            unarchiver.requiresSecureCoding = secure
            #expect(CKRecord(coder: unarchiver) == nil)
        }
        let rooted = DeviceArchive.root(.object(["CKRecord", "NSObject"], values))
        let record = try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: rooted)
        #expect(record == nil)
    }

    @Test("Values that no record can hold are left out")
    func foreignValues() throws {
        let store = ArchivedValue.object(
            ["CKRecordValueStore", "NSObject"],
            [
                "RecordValues": .dictionary(["good": .string("x"), "bad": .dictionary([:])]),
                "ChangedKeys": .string("?"),
            ])
        let archive = DeviceArchive.top(Self.systemFields.merging(["ValueStore": store]) { $1 })
        let record = try #require(CKRecord(coder: try NSKeyedUnarchiver(forReadingFrom: archive)))
        #expect(record.allKeys() == ["good"])
    }

    @Test("An archive that contains itself ends")
    func endless() throws {
        // The zone of the identifier is the identifier: an archive that only a hand can write.
        let text = """
            <plist version="1.0"><dict><key>$version</key><integer>100000</integer>
            <key>$archiver</key><string>NSKeyedArchiver</string>
            <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
            <key>$objects</key><array><string>$null</string>
            <dict><key>$class</key><dict><key>CF$UID</key><integer>2</integer></dict>
            <key>RecordName</key><dict><key>CF$UID</key><integer>3</integer></dict>
            <key>ZoneID</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
            <dict><key>$classname</key><string>CKRecordID</string></dict><string>n</string></array></dict></plist>
            """
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.ID.self, from: Data(text.utf8))
        }
    }
}
