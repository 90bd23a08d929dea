import Behaviours
import CloudKit
import CloudKitTesting
import CoreLocation
import Foundation
import Testing

@Suite("CloudKit: queries") struct QueryTests {
    private func filled(_ wire: Wire, count: Int = 10) async throws -> CKDatabase {
        let database = try World(wire).database()
        let records = (0..<count).map { number in
            let record = note("n\(number)", title: number.isMultiple(of: 2) ? "even" : "odd")
            record["number"] = number
            record["tags"] = ["t\(number % 3)", "all"]
            return record
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        return database
    }

    private func names(
        _ database: CKDatabase, _ format: String, _ arguments: [Any] = [], sort: [NSSortDescriptor] = []
    ) async throws -> [String] {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: format, argumentArray: arguments))
        query.sortDescriptors = sort
        return try await database.records(matching: query).matchResults.map(\.0.recordName)
    }

    @Test("A query gives the matching records in its order", .behaviour("ck.query"), arguments: Wire.allCases)
    func order(_ wire: Wire) async throws {
        let database = try await filled(wire)
        let down = [NSSortDescriptor(key: "number", ascending: false)]
        #expect(try await names(database, "title == %@", ["even"], sort: down) == ["n8", "n6", "n4", "n2", "n0"])
        #expect(try await names(database, "number BETWEEN {2, 4}", sort: down) == ["n4", "n3", "n2"])
        #expect(try await names(database, "tags CONTAINS %@", ["t1"], sort: down) == ["n7", "n4", "n1"])
        #expect(try await names(database, "title BEGINSWITH 'e' AND number > 4", sort: down) == ["n8", "n6"])
        #expect(try await names(database, "number IN {1, 7, 99}", sort: down) == ["n7", "n1"])
        #expect(try await names(database, "NOT (number IN {0, 1, 2, 3, 4, 5, 6, 7})", sort: down) == ["n9", "n8"])
        #expect(try await names(database, "recordID == %@", [CKRecord.ID("n3")]) == ["n3"])
        #expect(try await names(database, "number >= 0 AND FALSEPREDICATE") == [])
        #expect(try await names(database, "TRUEPREDICATE").count == 10)
    }

    @Test(
        "Distances and words are asked for with the predicates and descriptors of Apple's systems",
        .behaviour("ck.query"), arguments: Wire.allCases)
    func placesAndWords(_ wire: Wire) async throws {
        let database = try World(wire).database()
        for (name, title, latitude, longitude) in [
            ("paris", "Crème brûlée", 48.857, 2.352), ("london", "Cream tea", 51.507, -0.128),
            ("sydney", "Tea and cake", -33.869, 151.209),
        ] {
            let record = note(name, title: title)
            record["place"] = CLLocation(latitude: latitude, longitude: longitude)
            try await database.save(record)
        }
        let brussels = CLLocation(latitude: 50.85, longitude: 4.352)
        let nearest = [CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 52, longitude: 0))]
        let near = "distanceToLocation:fromLocation:(place, %@) < %f"
        #expect(try await names(database, near, [brussels, 400_000.0], sort: nearest) == ["london", "paris"])
        #expect(try await names(database, near, [brussels, 300_000.0]) == ["paris"])
        #expect(try await names(database, "TRUEPREDICATE", sort: nearest) == ["london", "paris", "sydney"])
        #expect(try await names(database, "self CONTAINS %@", ["tea creme"]) == ["paris", "london", "sydney"])
        #expect(
            try await names(database, "self CONTAINS 'tea' AND self CONTAINS 'cake'") == ["sydney"])
        #expect(try await names(database, "allTokens TOKENMATCHES[cdl] %@", ["TEA cream"]) == ["london"])
    }

    @Test(
        "A cursor goes on where the last batch ended, also after an archive", .behaviour("ck.query"),
        arguments: Wire.allCases)
    func cursor(_ wire: Wire) async throws {
        let database = try await filled(wire, count: 25)
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        var seen: [String] = []
        var (results, cursor) = try await database.records(matching: query, resultsLimit: 10)
        seen += results.map(\.0.recordName)
        #expect(results.count == 10)
        while let next = cursor {
            let data = try NSKeyedArchiver.archivedData(withRootObject: next, requiringSecureCoding: true)
            let restored = try #require(
                try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryOperation.Cursor.self, from: data))
            (results, cursor) = try await database.records(continuingMatchFrom: restored, resultsLimit: 10)
            seen += results.map(\.0.recordName)
        }
        #expect(seen == (0..<25).map { "n\($0)" })
    }

    @Test(
        "More results than a page holds are fetched in pages; desiredKeys holds", .behaviour("ck.query"),
        arguments: Wire.allCases)
    func pages(_ wire: Wire) async throws {
        let database = try await filled(wire, count: 300)
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        let (all, cursor) = try await database.records(matching: query, desiredKeys: ["title"], resultsLimit: 260)
        #expect(all.count == 260)
        #expect(cursor != nil)
        #expect(try all.allSatisfy { try $0.1.get().allKeys() == ["title"] })
        let (page, more) = try await database.records(matching: query)
        #expect(page.count == 200)
        #expect(more != nil)
    }

    @Test("Without a zone a private query searches all zones", arguments: Wire.allCases)
    func allZones(_ wire: Wire) async throws {
        let (database, zone) = try await World(wire).database(zone: "Zone")
        _ = try await database.modifyRecords(saving: [note("a"), note("b", zone)], deleting: [])
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        #expect(
            Set(try await database.records(matching: query).matchResults.map(\.0))
                == [CKRecord.ID("a"), CKRecord.ID("b", zone)])
        #expect(try await database.records(matching: query, inZoneWith: zone).matchResults.map(\.0.recordName) == ["b"])
    }

    @Test("One's own records are found by their creator", arguments: Wire.allCases)
    func creator(_ wire: Wire) async throws {
        let world = try World(wire)
        try await world.database("alice", .public).save(note("hers"))
        try await world.database("bob", .public).save(note("his"))
        let me = CKRecord.ID(recordName: CKCurrentUserDefaultName)
        let found = try await names(try world.database("bob", .public), "creatorUserRecordID == %@", [me])
        #expect(found == ["his"])
    }

    @Test(
        "What CloudKit cannot ask is invalidArguments, as are unknown fields; an unknown type is unknownItem",
        .behaviour("ck.query-refused"), arguments: Wire.allCases)
    func refused(_ wire: Wire) async throws {
        let database = try await filled(wire)
        for format in ["title == 'a' OR title == 'b'", "title CONTAINS 'e'", "nothing == 1", "title == 5"] {
            #expect(await error { try await names(database, format) }?.code == .invalidArguments, "\(format)")
        }
        let unknown = CKQuery(recordType: "Nothing", predicate: NSPredicate(value: true))
        #expect(await error { try await database.records(matching: unknown) }?.code == .unknownItem)
    }

    @Test(
        "CKQueryOperation reports matches one by one and ends with a cursor", .behaviour("ck.query"),
        arguments: Wire.allCases)
    func operation(_ wire: Wire) async throws {
        let database = try await filled(wire)
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "number >= 4"))
        query.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        let operation = CKQueryOperation(query: query)
        operation.resultsLimit = 4
        nonisolated(unsafe) var seen: [String] = []  // Blocks come one at a time, and the last before the read.
        operation.recordMatchedBlock = { recordID, _ in seen.append(recordID.recordName) }
        let result = await withCheckedContinuation { continuation in
            operation.queryResultBlock = { continuation.resume(returning: $0) }
            database.add(operation)
        }
        #expect(seen == ["n4", "n5", "n6", "n7"])
        #expect(try result.get() != nil)
    }
}
