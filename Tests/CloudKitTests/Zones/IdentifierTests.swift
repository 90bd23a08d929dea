import CloudKit
import Testing

@Suite("Identifiers, references and zones")
struct IdentifierTests {
    @Test("Identifiers and references are equal by value")
    func values() {
        let zoneID = CKRecordZone.ID(zoneName: "z")
        #expect(zoneID == CKRecordZone.ID(zoneName: "z", ownerName: CKCurrentUserDefaultName))
        #expect(zoneID != CKRecordZone.ID(zoneName: "z", ownerName: "_someone"))
        let recordID = CKRecord.ID(recordName: "n", zoneID: zoneID)
        #expect(recordID == CKRecord.ID(recordName: "n", zoneID: CKRecordZone.ID(zoneName: "z")))
        #expect(recordID != CKRecord.ID(recordName: "n"))
        let reference = CKRecord.Reference(recordID: recordID, action: .none)
        #expect(reference == CKRecord.Reference(recordID: recordID, action: .none))
        #expect(reference != CKRecord.Reference(recordID: recordID, action: .deleteSelf))
        #expect(Set([recordID, CKRecord.ID(recordName: "n", zoneID: zoneID)]).count == 1)
        let byID: [CKRecord.ID: Int] = [recordID: 1]
        #expect(byID[CKRecord.ID(recordName: "n", zoneID: zoneID)] == 1)
    }

    @Test("Descriptions have Apple's form")
    func descriptions() {
        let recordID = CKRecord.ID(recordName: "n", zoneID: CKRecordZone.ID(zoneName: "z"))
        #expect(recordID.description.hasPrefix("<CKRecordID: 0x"))
        #expect(recordID.description.hasSuffix("; recordName=n, zoneID=z:__defaultOwner__>"))
        #expect(recordID.zoneID.description.hasSuffix("; zoneName=z, ownerName=__defaultOwner__>"))
        let zone = CKRecordZone(zoneName: "probe").description
        #expect(zone.hasPrefix("<CKRecordZone: 0x"))
        #expect(
            zone.hasSuffix(
                "; zoneID=probe:__defaultOwner__, capabilities=(none), encryptionScope=per-record, share=<null>>"))
    }

    @Test("The default zone is one object, and zones are equal by identity")
    func zones() throws {
        #expect(CKRecordZone.default() === CKRecordZone.default())
        #expect(CKRecordZone.default().zoneID.zoneName == "_defaultZone")
        let zone = CKRecordZone(zoneName: "z")
        #expect(zone != CKRecordZone(zoneName: "z"))
        let copy = try #require(zone.copy() as? CKRecordZone)
        #expect(copy != zone && copy.zoneID == zone.zoneID)
        #expect(zone.capabilities.isEmpty && zone.share == nil)
    }

    @Test("Identifiers travel between tasks")
    func sendable() async {
        let recordID = CKRecord.ID(recordName: "n")
        let name = await Task.detached { recordID.recordName }.value
        #expect(name == "n")
    }

    @Test("A place is as far from another as the great circle between them is long")
    func distance() {
        let berlin = CLLocation(latitude: 52.52, longitude: 13.405)
        let paris = CLLocation(latitude: 48.8566, longitude: 2.3522)
        #expect(abs(berlin.distance(from: paris) - 877_464) < 2000)
        #expect(berlin.distance(from: berlin) == 0)
        let poles = CLLocation(latitude: 90, longitude: 0).distance(from: CLLocation(latitude: -90, longitude: 123))
        #expect(abs(poles - 20_015_115) < 10)
        #expect(CLLocationCoordinate2DIsValid(berlin.coordinate))
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
    }
}
