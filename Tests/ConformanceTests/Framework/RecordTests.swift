import CloudKit
import CloudKitTesting
import Foundation
import Testing

@Suite struct RecordTests {
    @Test("A saved record is fetched by another device", .behaviour("ck.save-fetch"), arguments: Wire.allCases)
    func saveAndFetch(_ wire: Wire) async throws {
        let world = try World(wire)
        let saved = try await world.database().save(note("first", title: "Hello"))
        #expect(saved.recordChangeTag != nil)
        #expect(saved.creationDate != nil)
        let found = try await world.database().record(for: CKRecord.ID("first"))
        #expect(found["title"] == "Hello")
        #expect(found.recordChangeTag == saved.recordChangeTag)
        #expect(found.changedKeys().isEmpty)
    }
}
