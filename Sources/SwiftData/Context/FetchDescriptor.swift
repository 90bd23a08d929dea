/// Which objects to fetch, in what order.
public struct FetchDescriptor<T: PersistentModel>: @unchecked Sendable {
    // Predicates and sort descriptors are values; `propertiesToFetch` holds key paths, which are immutable.
    public var predicate: Predicate<T>?
    public var sortBy: [SortDescriptor<T>]
    public var fetchLimit: Int?
    public var fetchOffset: Int?
    /// Whether objects with unsaved changes are found by what they are now.
    public var includePendingChanges = true
    public var propertiesToFetch: [PartialKeyPath<T>] = []
    /// Relationships whose objects are read in the same go.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}
