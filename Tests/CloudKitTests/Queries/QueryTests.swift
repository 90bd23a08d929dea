import CloudKit
import Testing

@Suite("Queries")
struct QueryTests {
    private func roundTrip(_ query: CKQuery) throws -> CKQuery {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: query, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuery.self, from: archive))
    }

    private let records: [CKRecord] = [("b", 2, 10.0), ("a", 1, 20.0), ("c", 3, 0.0)].map { title, count, latitude in
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: title))
        record["title"] = title
        record["count"] = count
        record["place"] = CLLocation(latitude: latitude, longitude: 0)
        record["data"] = Data([UInt8(count)])
        record["folder"] = CKRecord.Reference(recordID: CKRecord.ID(recordName: "f\(count)"), action: .none)
        return record
    }

    private func titles(_ query: CKQuery) -> [String] {
        var found = records.filter { query.predicate.evaluate(with: $0) }
        for descriptor in query.sortDescriptors ?? [] {
            found.sort { descriptor.compare($0, to: $1) == .orderedAscending }
        }
        return found.compactMap { $0["title"] as? String }
    }

    /// A predicate and what it finds; as a query, since Foundation's predicates are not Sendable.
    private static let cases: [(CKQuery, [String])] = [
        (NSPredicate(value: true), ["a", "b", "c"]),
        (NSPredicate(format: "title BEGINSWITH %@", "b"), ["b"]),
        (NSPredicate(format: "count >= 2 AND title != 'c'"), ["b"]),
        (NSPredicate(format: "data == %@", Data([3]) as NSData), ["c"]),
        (NSPredicate(format: "title IN %@", ["c", "a"]), ["a", "c"]),
        (NSPredicate(format: "recordID == %@", CKRecord.ID(recordName: "a")), ["a"]),
        (
            NSPredicate(
                format: "folder == %@", CKRecord.Reference(recordID: CKRecord.ID(recordName: "f2"), action: .none)),
            ["b"]
        ),
        (
            NSPredicate(
                format: "distanceToLocation:fromLocation:(place, %@) < 1500000", CLLocation(latitude: 0, longitude: 0)),
            ["b", "c"]
        ),
    ].map { (CKQuery(recordType: "Note", predicate: $0), $1) }

    @Test("A query comes back from its archive and finds the same, in the same order", arguments: cases)
    func archives(query: CKQuery, expected: [String]) throws {
        query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        #expect(titles(query) == expected)
        let back = try roundTrip(query)
        #expect(back.recordType == "Note")
        #expect(back.sortDescriptors?.map(\.key) == ["title"])
        #expect(back.sortDescriptors?.map(\.ascending) == [true])
        #expect(titles(back) == expected)
    }

    @Test("An order by distance comes back from its archive")
    func locations() throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        query.sortDescriptors = [
            CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 12, longitude: 0))
        ]
        #expect(titles(query) == ["b", "a", "c"])
        let back = try roundTrip(query)
        let descriptor = try #require(back.sortDescriptors?.first as? CKLocationSortDescriptor)
        #expect(descriptor.relativeLocation.coordinate.latitude == 12)
        #expect(descriptor.key == "place")
        #expect(titles(back) == ["b", "a", "c"])
    }

    @Test("No order and an empty order stay what they are")
    func noOrder() throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        #expect(try roundTrip(query).sortDescriptors == nil)
        query.sortDescriptors = []
        #expect(try roundTrip(query).sortDescriptors?.isEmpty == true)
    }

    @Test("A query that has no text cannot be read back as another one")
    func blocks() throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate { _, _ in false })
        #expect(throws: (any Error).self) { try roundTrip(query) }
    }

    @Test("A copy of a query has an order of its own")
    func copies() throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        let copy = try #require(query.copy() as? CKQuery)
        copy.sortDescriptors = []
        #expect(query.sortDescriptors == nil)
        #expect(copy.recordType == "Note" && copy.predicate === query.predicate)
    }
}
