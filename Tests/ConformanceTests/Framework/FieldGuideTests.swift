import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Testing

/// Publishes lists of notes for everybody to read: code as an app's would be, knowing nothing of tests.
actor FieldGuidePublisher {
    private let database = CKContainer(identifier: "iCloud.com.example.fieldguides").publicCloudDatabase

    func publish(_ title: String, id: UUID, notes: [String], places: [String]) async throws -> String {
        guard try await CKContainer(identifier: "iCloud.com.example.fieldguides").accountStatus() == .available
        else { throw CKError(.notAuthenticated) }
        let record = CKRecord(recordType: "FieldGuide", recordID: CKRecord.ID(recordName: id.uuidString))
        record["title"] = title
        record["noteTitles"] = notes
        record["placeNames"] = places
        let (saveResults, _) = try await database.modifyRecords(
            saving: [record], deleting: [], savePolicy: .changedKeys)
        return try saveResults[record.recordID]?.get().recordID.recordName ?? record.recordID.recordName
    }

    func guides(mentioning place: String) async throws -> [String] {
        let query = CKQuery(recordType: "FieldGuide", predicate: NSPredicate(format: "placeNames CONTAINS %@", place))
        query.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: false)]
        let (results, _) = try await database.records(matching: query, desiredKeys: ["title"], resultsLimit: 25)
        return results.compactMap { (try? $0.1.get())?["title"] as? String }
    }
}

@Suite("CloudKit: an app's own code") struct FieldGuideTests {
    @Test(
        "Guides are published by one person and found by everybody, newest first", .behaviour("public.read"),
        arguments: Wire.allCases)
    func publish(_ wire: Wire) async throws {
        let world = try World(wire)
        let id = UUID()
        let alice = try await world.device("alice").run { FieldGuidePublisher() }
        try await world.device("alice").run {
            _ = try await alice.publish("Old title", id: id, notes: ["Fern"], places: ["Danube", "Vienna"])
            _ = try await alice.publish("River", id: id, notes: ["Fern", "Reed"], places: ["Danube"])
            _ = try await alice.publish("Islands", id: UUID(), notes: [], places: ["Danube", "Lobau"])
        }
        let visitor = try await world.device(nil).run { FieldGuidePublisher() }
        #expect(try await visitor.guides(mentioning: "Danube") == ["Islands", "River"])
        #expect(try await visitor.guides(mentioning: "Vienna") == [])
        await #expect(throws: CKError.self) {
            try await world.device(nil).run {
                try await FieldGuidePublisher().publish("No", id: UUID(), notes: [], places: [])
            }
        }
    }

    @Test("Apps cast the errors of a partial failure in several ways")
    func casts() {
        let recordID = CKRecord.ID("a")
        let errors: [AnyHashable: any Error] = [recordID: CKError(.unknownItem)]
        let error = CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: errors])
        let value = error.userInfo[CKPartialErrorsByItemIDKey]
        #expect((value as? [NSObject: CKError])?[recordID]?.code == .unknownItem)
        #expect((value as? [CKRecord.ID: any Error])?.count == 1)
        #expect(error.partialErrorsByItemID?.count == 1)
    }

    @Test("A cancelled operation ends with operationCancelled", .behaviour("ck.cancel"), arguments: Wire.allCases)
    func cancel(_ wire: Wire) async throws {
        let database = try World(wire).database()
        let operation = CKFetchRecordsOperation(recordIDs: [CKRecord.ID("a")])
        operation.cancel()
        let result = await withCheckedContinuation { continuation in
            operation.fetchRecordsResultBlock = { continuation.resume(returning: $0) }
            database.add(operation)
        }
        #expect(result.error?.code == .operationCancelled)
    }
}
