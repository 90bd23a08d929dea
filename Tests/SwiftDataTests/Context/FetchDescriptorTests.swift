import SwiftData
import Testing

@Suite("Fetch descriptors")
struct FetchDescriptorTests {
    private static let changes: [@Sendable (inout FetchDescriptor<Note>) -> Void] = [
        { $0.predicate = nil },
        { $0.predicate = #Predicate { $0.rating > 3 } },
        { $0.sortBy = [SortDescriptor(\.title, order: .reverse)] },
        { $0.sortBy = [] },
        { $0.fetchLimit = 1 },
        { $0.fetchOffset = 1 },
        { $0.includePendingChanges = false },
        { $0.propertiesToFetch = [\.title] },
        { $0.relationshipKeyPathsForPrefetching = [\.labels] },
    ]

    @Test("Copies are equal until one of their parts differs", arguments: changes.indices)
    func equality(_ change: Int) {
        let descriptor = FetchDescriptor<Note>(
            predicate: #Predicate { $0.rating > 2 }, sortBy: [SortDescriptor(\.title)])
        var copy = descriptor
        #expect(copy == descriptor)
        Self.changes[change](&copy)
        #expect(copy != descriptor)
        #expect(copy == copy)
    }

    @Test("Descriptors without a predicate that say the same are equal")
    func withoutPredicate() {
        #expect(FetchDescriptor<Note>() == FetchDescriptor<Note>())
        #expect(
            FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)])
                == FetchDescriptor<Note>(sortBy: [SortDescriptor(\.title)]))
    }
}
