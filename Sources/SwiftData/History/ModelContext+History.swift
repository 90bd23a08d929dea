extension ModelContext {
    /// The transactions of all stores of the container that a descriptor asks for.
    ///
    /// A condition `token > …` is answered from that place on.
    ///
    /// - Throws: `historyTokenExpired` when transactions after the token were deleted; `invalidTransactionFetchRequest` for a
    ///   kind of transaction that no store of the container has.
    public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction {
        guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
            throw SwiftDataError(
                .invalidTransactionFetchRequest, detail: "no store of the container has transactions of type \(T.self)")
        }
        let found = try transactions(descriptor)
        return found as? [T] ?? []
    }

    /// Deletes the transactions that a descriptor asks for from the history.
    public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction {
        guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
            throw SwiftDataError(
                .invalidTransactionFetchRequest, detail: "no store of the container has transactions of type \(T.self)")
        }
        let found = try transactions(descriptor)
        for binding in container.bindings { try StoreHistory(binding: binding).delete(found) }
    }

    private func transactions(
        _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
    ) throws -> [DefaultHistoryTransaction] {
        let token = descriptor.predicate.flatMap { tokenBefore($0.expression) }
        var found: [DefaultHistoryTransaction] = []
        for binding in container.bindings {
            found += try StoreHistory(binding: binding).transactions(after: token)
        }
        if let predicate = descriptor.predicate { found = try found.filter { try predicate.evaluate($0) } }
        if !descriptor.sortBy.isEmpty {
            found.sort(using: descriptor.sortBy)
        } else if container.bindings.count > 1 {
            found.sort { $0.timestamp < $1.timestamp }
        }
        guard descriptor.fetchLimit > 0 else { return found }
        return Array(found.prefix(Int(clamping: descriptor.fetchLimit)))
    }
}

// MARK: - The token of a condition

private typealias TransactionVariable = PredicateExpressions.Variable<DefaultHistoryTransaction>
private typealias TokenOfTransaction = PredicateExpressions.KeyPath<TransactionVariable, DefaultHistoryToken>

/// The place that all transactions of a condition come after; nil when it does not say.
private func tokenBefore(_ expression: Any) -> DefaultHistoryToken? {
    if let both = expression as? any ConjunctionNode {
        return tokenBefore(both.first) ?? tokenBefore(both.second)
    }
    typealias After = PredicateExpressions.Comparison<
        TokenOfTransaction, PredicateExpressions.Value<DefaultHistoryToken>
    >
    guard let comparison = expression as? After, case .greaterThan = comparison.op else { return nil }
    return comparison.rhs.value
}

private protocol ConjunctionNode {
    var first: Any { get }
    var second: Any { get }
}

extension PredicateExpressions.Conjunction: ConjunctionNode {
    fileprivate var first: Any { lhs }
    fileprivate var second: Any { rhs }
}
