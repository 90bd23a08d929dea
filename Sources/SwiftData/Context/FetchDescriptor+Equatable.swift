extension FetchDescriptor: Equatable {
    /// Foundation cannot compare predicates: two are equal when one is a copy of the other, not when they only say the same.
    public static func == (lhs: FetchDescriptor, rhs: FetchDescriptor) -> Bool {
        guard lhs.variable == rhs.variable, lhs.sortBy == rhs.sortBy else { return false }
        guard lhs.fetchLimit == rhs.fetchLimit, lhs.fetchOffset == rhs.fetchOffset else { return false }
        return lhs.includePendingChanges == rhs.includePendingChanges
            && lhs.propertiesToFetch == rhs.propertiesToFetch
            && lhs.relationshipKeyPathsForPrefetching == rhs.relationshipKeyPathsForPrefetching
    }

    /// Each predicate that is made has a variable of its own.
    private var variable: PredicateExpressions.VariableID? {
        guard let predicate else { return nil }
        let variable: PredicateExpressions.Variable<T> = predicate.variable
        return variable.key
    }
}
