import Behaviours
import CloudKit
import CloudKitTesting
import Foundation
import Testing

@Suite("CloudKit: batches and references") struct BatchTests {
    /// Two records in a zone of which the first conflicts.
    private func conflicting(_ wire: Wire) async throws -> (CKDatabase, CKRecord, CKRecord) {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let stale = try await database.save(note("stale", zone))
        let newer = try await database.record(for: stale.recordID)
        newer["title"] = "Newer"
        try await database.save(newer)
        stale["title"] = "Stale"
        return (database, stale, note("innocent", zone))
    }

    @Test(
        "In an atomic batch the culprit keeps its error and the others are batchRequestFailed",
        .behaviour("ck.batch-failed"), arguments: Wire.allCases)
    func atomic(_ wire: Wire) async throws {
        let (database, stale, innocent) = try await conflicting(wire)
        let (saved, deleted) = try await database.modifyRecords(
            saving: [stale, innocent], deleting: [CKRecord.ID("gone", innocent.recordID.zoneID)])
        #expect(saved[stale.recordID]?.error?.code == .serverRecordChanged)
        #expect(saved[innocent.recordID]?.error?.code == .batchRequestFailed)
        #expect(deleted.values.first?.error?.code == .batchRequestFailed)
        #expect(await error { try await database.record(for: innocent.recordID) }?.code == .unknownItem)
    }

    @Test("Without atomicity each record stands alone", .behaviour("ck.batch-failed"), arguments: Wire.allCases)
    func notAtomic(_ wire: Wire) async throws {
        let (database, stale, innocent) = try await conflicting(wire)
        let (saved, _) = try await database.modifyRecords(saving: [stale, innocent], deleting: [], atomically: false)
        #expect(saved[stale.recordID]?.error?.code == .serverRecordChanged)
        #expect(saved[innocent.recordID]?.value != nil)
    }

    @Test("The other spelling of atomicity means the same")
    func atomicityType() async throws {
        let (database, zone) = try await World(.inProcess).database(zone: "Zone")
        try await database.save(note("taken", zone))
        for (atomicity, succeeds) in [(CKDatabase.AtomicityType.full, false), (.nonAtomic, true)] {
            let results = try await database.modifyRecords(
                saving: [note("new", zone), note("taken", zone)], deleting: [], atomicityType: atomicity)
            #expect((results.saveResults[CKRecord.ID("new", zone)]?.error == nil) == succeeds)
        }
    }

    @Test(
        "A failed zone leaves the other zones of the call alone", .behaviour("ck.batch-failed"),
        arguments: Wire.allCases)
    func otherZones(_ wire: Wire) async throws {
        let (database, stale, innocent) = try await conflicting(wire)
        let other = try await database.save(CKRecordZone(zoneName: "Other")).zoneID
        let (saved, _) = try await database.modifyRecords(
            saving: [stale, innocent, note("b", other), note("c")], deleting: [])
        #expect(saved[CKRecord.ID("b", other)]?.value != nil)
        #expect(saved[CKRecord.ID("c")]?.value != nil)
        #expect(saved[innocent.recordID]?.error?.code == .batchRequestFailed)
    }

    @Test(
        "Completion blocks get partialFailure with an entry for each item of an atomic zone",
        .behaviour("ck.partial-failure"), arguments: Wire.allCases)
    func partialFailure(_ wire: Wire) async throws {
        let (database, stale, innocent) = try await conflicting(wire)
        for (isAtomic, failed) in [(true, 2), (false, 1)] {
            let operation = CKModifyRecordsOperation(recordsToSave: [stale, innocent])
            operation.isAtomic = isAtomic
            let (saved, error) = await withCheckedContinuation { continuation in
                operation.oldCompletion { records, _, error in
                    continuation.resume(returning: (records?.map(\.recordID), error as? CKError))
                }
                database.add(operation)
            }
            #expect(error?.code == .partialFailure)
            let errors = error?.partialErrorsByItemID ?? [:]
            #expect(errors.count == failed)
            #expect((errors[stale.recordID] as? CKError)?.code == .serverRecordChanged)
            #expect(error?.userInfo[CKPartialErrorsByItemIDKey] as? [CKRecord.ID: any Error] != nil)
            #expect(saved == (isAtomic ? [] : [innocent.recordID]))
        }
    }

    @Test(
        "Child and parent are saved in one batch in any order", .behaviour("ck.child-before-parent"),
        arguments: Wire.allCases, [true, false])
    func childBeforeParent(_ wire: Wire, _ childFirst: Bool) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let (parent, child) = (note("parent", zone), note("child", zone))
        child.setParent(parent)
        let (saved, _) = try await database.modifyRecords(
            saving: childFirst ? [child, parent] : [parent, child], deleting: [])
        #expect(saved.values.allSatisfy { $0.value != nil })
        #expect(try await database.record(for: child.recordID).parent?.recordID == parent.recordID)
        let deletions = childFirst ? [parent.recordID, child.recordID] : [child.recordID, parent.recordID]
        let (_, deleted) = try await database.modifyRecords(saving: [], deleting: deletions)
        #expect(deleted.values.allSatisfy { $0.error == nil })
    }

    @Test(
        "A child whose parent is nowhere is referenceViolation", .behaviour("ck.child-without-parent"),
        arguments: Wire.allCases)
    func childWithoutParent(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let child = note("child", zone)
        child.setParent(CKRecord.ID("parent", zone))
        #expect(await error { try await database.save(child) }?.code == .referenceViolation)
    }

    @Test(
        "Deleting a parent without its child is referenceViolation", .behaviour("ck.delete-parent"),
        arguments: Wire.allCases)
    func deleteParent(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let (parent, child) = (note("parent", zone), note("child", zone))
        child.setParent(parent)
        _ = try await database.modifyRecords(saving: [parent, child], deleting: [])
        #expect(await error { try await database.deleteRecord(withID: parent.recordID) }?.code == .referenceViolation)
        #expect(try await database.record(for: parent.recordID)["title"] == "Title")
    }

    @Test(
        "A record with a deleteSelf reference goes with its target", .behaviour("reference.delete-self"),
        arguments: Wire.allCases)
    func deleteSelf(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        let (list, item) = (note("list", zone), note("item", zone))
        item["list"] = CKRecord.Reference(record: list, action: .deleteSelf)
        _ = try await database.modifyRecords(saving: [list, item], deleting: [])
        try await database.deleteRecord(withID: list.recordID)
        #expect(await error { try await database.record(for: item.recordID) }?.code == .unknownItem)
    }
}

extension CKModifyRecordsOperation {
    /// Sets the deprecated block, without the warning: a protocol's requirement is not deprecated.
    func oldCompletion(_ block: @escaping ([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void) {
        (self as any OldCompletion).setOldCompletion(block)
    }
}

private protocol OldCompletion {
    func setOldCompletion(_ block: @escaping ([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)
}

extension CKModifyRecordsOperation: OldCompletion {
    @available(*, deprecated)
    func setOldCompletion(_ block: @escaping ([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void) {
        modifyRecordsCompletionBlock = block
    }
}
