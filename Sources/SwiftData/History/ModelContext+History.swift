extension ModelContext {
    /// The transactions of all stores of the container that a descriptor asks for.
    ///
    /// A condition `token > …` is answered from that place on.
    ///
    /// - Throws: `historyTokenExpired` when transactions after the token were deleted; `invalidTransactionFetchRequest` for a
    ///   kind of transaction that no store of the container has.
    public func fetchHistory<T>(_ descriptor: HistoryDescriptor<T>) throws -> [T] where T: HistoryTransaction {
        let asked = try container.bindings.compactMap { try $0.mirror?.fetchHistory(descriptor) }
        var found = asked.flatMap(\.self)
        if let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> {
            found += try transactions(descriptor) as? [T] ?? []
        } else if asked.isEmpty {
            throw unknownTransactions(T.self)
        }
        guard asked.count > 0, container.bindings.count > 1 else { return found }
        if descriptor.sortBy.isEmpty {
            found.sort { $0.timestamp < $1.timestamp }
        } else {
            found.sort(using: descriptor.sortBy)
        }
        return descriptor.fetchLimit > 0 ? Array(found.prefix(Int(clamping: descriptor.fetchLimit))) : found
    }

    /// Deletes the transactions that a descriptor asks for from the history.
    public func deleteHistory<T>(_ descriptor: HistoryDescriptor<T>) throws where T: HistoryTransaction {
        let asked = try container.bindings.filter { try $0.mirror?.deleteHistory(descriptor) ?? false }
        guard let descriptor = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
            if asked.isEmpty { throw unknownTransactions(T.self) }
            return
        }
        let found = try transactions(descriptor)
        for binding in container.bindings where binding.mirror == nil {
            try StoreHistory(binding: binding).delete(found)
        }
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

private func unknownTransactions(_ type: Any.Type) -> SwiftDataError {
    SwiftDataError(
        .invalidTransactionFetchRequest, detail: "no store of the container has transactions of type \(type)")
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
