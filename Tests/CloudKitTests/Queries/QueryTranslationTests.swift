import Foundation
import Testing
import WebServices

@testable import CloudKit

@Suite("What a CKQuery asks of the server") struct QueryTranslationTests {
    private func translate(_ predicate: NSPredicate, sorts: [NSSortDescriptor] = []) async throws
        -> RecordsQuery.Query?
    {
        let query = CKQuery(recordType: "Thing", predicate: predicate)
        query.sortDescriptors = sorts
        switch try await QueryTranslation(query).outcome(currentUser: { "_me" }) {
        case .query(let query): return query
        case .nothing: return nil
        }
    }

    private func text(_ filter: RecordsQuery.Filter) -> String {
        guard case .typed(let value) = filter.value else { return "untyped" }
        let distance = filter.distance.map { " \(Int($0))" } ?? ""
        return "\(filter.comparator.rawValue) \(filter.field?.text ?? "-") \(value.type.name)\(distance)"
    }

    @Test("A predicate that CloudKit knows becomes filters", arguments: QueryShape.accepted)
    func accepted(_ shape: QueryShape) async throws {
        let predicate = NSPredicate(format: shape.format, argumentArray: shape.arguments())
        let query = try #require(try await translate(predicate))
        #expect(query.filterBy.map(text) == shape.filters)
    }

    @Test("A predicate that CloudKit cannot answer is invalidArguments with a reason", arguments: QueryShape.refusals)
    func refused(_ shape: QueryShape) async throws {
        let predicate = NSPredicate(format: shape.format, argumentArray: shape.arguments())
        let error = await #expect(throws: CKError.self) { try await translate(predicate) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.localizedDescription.isEmpty == false)
    }

    @Test("What can hold for no record is not asked for", arguments: ["FALSEPREDICATE", "a == 1 AND b IN {}"])
    func nothing(_ format: String) async throws {
        #expect(try await translate(NSPredicate(format: format)) == nil)
    }

    @Test("NSPredicate(value:) and a compound of predicates are understood")
    func madeInCode() async throws {
        #expect(try await translate(NSPredicate(value: true))?.filterBy.isEmpty == true)
        #expect(try await translate(NSPredicate(value: false)) == nil)
        let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2"),
        ])
        #expect(try await translate(compound)?.filterBy.count == 2)
        let error = await #expect(throws: CKError.self) {
            try await translate(NSPredicate(block: { _, _ in true }))
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test("The current user's name stands in for CKCurrentUserDefaultName")
    func currentUser() async throws {
        let me = CKRecord.ID(recordName: CKCurrentUserDefaultName)
        let query = try #require(try await translate(NSPredicate(format: "creatorUserRecordID == %@", me)))
        #expect(query.filterBy.first?.value == .typed(.reference(Reference(recordName: "_me"))))
    }

    @Test("Sort descriptors keep their order and direction")
    func sorts() async throws {
        let place = CLLocation(latitude: 48, longitude: 16)
        let query = try #require(
            try await translate(
                NSPredicate(value: true),
                sorts: [
                    NSSortDescriptor(key: "creationDate", ascending: false),
                    NSSortDescriptor(key: "title", ascending: true),
                    CKLocationSortDescriptor(key: "place", relativeLocation: place),
                ]))
        #expect(query.sortBy.map(\.field) == [.system(.createdTimestamp), .user("title"), .user("place")])
        #expect(query.sortBy.map(\.ascending) == [false, true, true])
        #expect(query.sortBy.last?.relativeLocation?.latitude == 48)
    }
}
