import CloudKit
import Testing

@Suite("Records")
struct RecordTests {
    @Test("A new record is empty, unknown to any server, and lies in the default zone")
    func newRecord() {
        let record = CKRecord(recordType: "Note")
        #expect(record.recordType == "Note")
        #expect(record.recordID.zoneID == .default)
        #expect(UUID(uuidString: record.recordID.recordName) != nil)
        #expect(record.recordChangeTag == nil)
        #expect(record.creationDate == nil && record.modificationDate == nil)
        #expect(record.creatorUserRecordID == nil && record.lastModifiedUserRecordID == nil)
        #expect(record.parent == nil && record.share == nil)
        #expect(record.allKeys().isEmpty && record.changedKeys().isEmpty)
    }

    @Test("A key that was set to nil is no key any more but stays changed")
    func changedKeys() {
        let record = CKRecord(recordType: "Note")
        for key in ["a", "b", "c"] { record[key] = key }
        record["b"] = nil
        #expect(record.allKeys() == ["a", "c"])
        #expect(record.changedKeys() == ["a", "b", "c"])
    }

    @Test("Encrypted values lie apart and are listed with the others")
    func encryptedValues() {
        let record = CKRecord(recordType: "Note")
        record["title"] = "open"
        record.encryptedValues["secret"] = "closed"
        let typed: String? = record.encryptedValues["secret"]
        #expect(record.encryptedValues["secret"] as? String == "closed")
        #expect(typed == "closed")
        #expect(record["secret"] == nil)
        #expect(record.allKeys() == ["secret", "title"])
        #expect(record.changedKeys() == ["secret", "title"])
        #expect(record.encryptedValues.allKeys() == ["secret"])
        #expect(record.encryptedValues.changedKeys() == ["secret"])
        #expect(!record.description.contains("closed"))
        record["secret"] = "open now"
        #expect(record.encryptedValues.allKeys().isEmpty)
    }

    @Test("Records are equal by identity, and a copy has a life of its own")
    func identity() throws {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "n"))
        record["title"] = "one"
        let copy = try #require(record.copy() as? CKRecord)
        #expect(copy != record)
        #expect(record == record)
        #expect(copy.recordID == record.recordID)
        #expect(copy.changedKeys() == ["title"])
        copy["title"] = "two"
        #expect(record["title"] as? String == "one")
    }

    @Test("A subclass may say who created it, and its copies are of its class")
    func subclass() throws {
        let record = MockRecord(recordType: "Note")
        record["title"] = "one"
        #expect(record.creatorUserRecordID?.recordName == "me")
        let copy = try #require(record.copy() as? MockRecord)
        #expect(copy["title"] as? String == "one")
    }

    @Test("A parent is set as a record, an identifier or a reference")
    func parents() {
        let zone = CKRecordZone.ID(zoneName: "z")
        let folder = CKRecord(recordType: "Folder", recordID: CKRecord.ID(recordName: "f", zoneID: zone))
        let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "n", zoneID: zone))
        note.setParent(folder)
        #expect(note.parent == CKRecord.Reference(recordID: folder.recordID, action: .none))
        note.parent = nil
        #expect(note.parent == nil)
        note.setParent(folder.recordID)
        #expect(note.parent?.recordID == folder.recordID)
        #expect(note.changedKeys().isEmpty)
    }

    @Test(
        "Keys that Apple's framework refuses end the process with its reason", arguments: ["", "1a", "a b", "ä", "$a"])
    func invalidKeys(key: String) async {
        await #expect(processExitsWith: .failure) { [key] in
            CKRecord(recordType: "Note")[key] = "x"
        }
    }

    @Test("Keys that Apple's framework takes are taken", arguments: ["a", "_recordChangeTag", "a1$_B"])
    func validKeys(key: String) {
        let record = CKRecord(recordType: "Note")
        record[key] = "x"
        #expect(record.allKeys() == [key])
    }

    @Test("A parent in another zone ends the process")
    func foreignParent() async {
        await #expect(processExitsWith: .failure) {
            let elsewhere = CKRecord.ID(recordName: "f", zoneID: CKRecordZone.ID(zoneName: "elsewhere"))
            CKRecord(recordType: "Note").setParent(elsewhere)
        }
    }

    @Test("Many threads may read and write one record")
    func concurrency() async {
        let record = CKRecord(recordType: "Note")
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    record["k\(index % 10)"] = index
                    _ = record.allKeys()
                }
            }
        }
        #expect(record.allKeys().count == 10)
    }

    @Test("The tokens of a record are the words of its texts")
    func tokens() {
        let record = CKRecord(recordType: "Note")
        record["a"] = "One two, three"
        record["b"] = 4
        #expect(record.allTokens() == ["One", "two", "three"])
    }

    @Test("System names are Apple's")
    func systemNames() {
        #expect(CKRecord.SystemType.userRecord == "Users")
        #expect(CKRecord.SystemType.share == "cloudkit.share")
        #expect(CKRecord.SystemFieldKey.creationDate == "___createTime")
        #expect(CKRecord.SystemFieldKey.modificationDate == "___modTime")
        #expect(CKRecordNameZoneWideShare == "cloudkit.zoneshare")
    }
}

private final class MockRecord: CKRecord, @unchecked Sendable {
    override var creatorUserRecordID: CKRecord.ID? { CKRecord.ID(recordName: "me") }
}
