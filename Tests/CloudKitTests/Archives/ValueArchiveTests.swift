import CloudKit
import Testing

@Suite("Archives of identifiers, zones and tokens")
struct ValueArchiveTests {
    private func roundTrip<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: archive))
    }

    @Test("Identifiers and references come back equal")
    func equalOnes() throws {
        let zoneID = CKRecordZone.ID(zoneName: "z", ownerName: "_o")
        let recordID = CKRecord.ID(recordName: "n", zoneID: zoneID)
        #expect(try roundTrip(zoneID) == zoneID)
        #expect(try roundTrip(recordID) == recordID)
        let reference = CKRecord.Reference(recordID: recordID, action: .deleteSelf)
        #expect(try roundTrip(reference) == reference)
    }

    @Test("A zone comes back with what it can do")
    func zones() throws {
        let zone = CKRecordZone(zoneID: CKRecordZone.ID(zoneName: "z"), capabilities: [.atomic, .fetchChanges])
        zone.encryptionScope = .perZone
        let back = try roundTrip(zone)
        #expect(back.zoneID == zone.zoneID)
        #expect(back.capabilities == [.atomic, .fetchChanges])
        #expect(back.encryptionScope == .perZone)
    }

    @Test("A token that a device archived is sent as the wire's base64")
    func deviceToken() throws {
        let bytes: [UInt8] = [1, 0, 0, 1, 0x63, 0xDA, 0xD4, 0x35, 2]
        let archive = DeviceArchive.root(
            .object(["CKServerChangeToken", "NSObject"], ["ChangeTokenData": .data(bytes)]))
        let token = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: archive))
        #expect(token.syncToken == Data(bytes).base64EncodedString())
        #expect(token.description.hasSuffix("; data=AQAAAWPa1DUC>"))
    }

    @Test(
        "Any text of a server survives in a token and its archive",
        arguments: ["AQAAAWPa1DUC", "", "plain text", "AAAA", "AGFiYw==", "_-url", "ü", "AQAAAWPa1DU=="])
    func tokens(text: String) throws {
        let token = CKServerChangeToken(syncToken: text)
        #expect(token.syncToken == text)
        let back = try roundTrip(token)
        #expect(back.syncToken == text)
        #expect(back == token && back.hash == token.hash)
    }

    @Test("A location comes back with all that was measured")
    func locations() throws {
        let place = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 1.5, longitude: -2.5), altitude: 3, horizontalAccuracy: 4,
            verticalAccuracy: 5, course: 6, speed: 7, timestamp: Date(timeIntervalSinceReferenceDate: 8))
        let back = try roundTrip(place)
        #expect(back.description == place.description)
        #expect(back.altitude == 3 && back.verticalAccuracy == 5 && back.timestamp == place.timestamp)
    }

    @Test(
        "Objects of the wrong class or without contents give errors",
        arguments: [
            ArchivedValue.object(["CKRecordZoneID", "NSObject"], [:]),
            .object(["CKServerChangeToken", "NSObject"], [:]),
            .object(["CKServerChangeToken", "NSObject"], ["ChangeTokenData": .string("x")]),
            .object(["CKReference", "NSObject"], ["ReferenceAction": .integer(-1)]),
            .object(["CKRecordZone", "NSObject"], ["Capabilities": .integer(-1)]),
            .object(["CKQuery", "NSObject"], [:]),
            .object(["CLLocation", "NSObject"], [:]),
        ])
    func garbage(value: ArchivedValue) {
        let classes: [AnyClass] = [
            CKRecordZone.ID.self, CKServerChangeToken.self, CKRecord.Reference.self, CKRecordZone.self, CKQuery.self,
            CLLocation.self,
        ]
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: DeviceArchive.root(value))
        }
    }
}
