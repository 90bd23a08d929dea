import PersistentStore

/// The history of one open store in SwiftData's terms.
struct StoreHistory {
    let binding: StoreBinding

    /// The transactions after a place, oldest first.
    ///
    /// - Throws: `historyTokenExpired` when transactions after the place were deleted.
    func transactions(after token: DefaultHistoryToken?) throws -> [DefaultHistoryTransaction] {
        // A store of an app's own kind is asked itself.
        guard binding.mirror == nil else { return [] }
        var query = HistoryQuery()
        query.after = token?.tokenValue?[binding.identifier]
        do {
            return try binding.store.history(query).map { transaction in
                DefaultHistoryTransaction(
                    transactionIdentifier: transaction.number, timestamp: transaction.timestamp,
                    changes: transaction.changes.compactMap {
                        change(
                            number: $0.number, transaction: $0.transaction, kind: $0.kind.rawValue, row: $0.row,
                            properties: $0.updatedProperties, tombstone: $0.tombstone)
                    },
                    token: DefaultHistoryToken([binding.identifier: transaction.number]),
                    storeIdentifier: binding.identifier, bundleIdentifier: transaction.bundleIdentifier ?? "",
                    processIdentifier: transaction.processIdentifier ?? "", author: transaction.author)
            }
        } catch let error as PersistentStoreError {
            guard case .historyExpired = error else { throw error }
            throw SwiftDataError(
                .historyTokenExpired,
                detail: "changes after the token were deleted from the history of \(binding.configuration.name): "
                    + "fetch the objects themselves and go on from the newest token", underlying: error)
        }
    }

    func delete(_ transactions: [DefaultHistoryTransaction]) throws {
        let own = transactions.filter { $0.storeIdentifier == binding.identifier }
        try binding.store.deleteHistory(transactions: own.map(\.transactionIdentifier))
    }

    /// Nothing for an entity that the container's schema does not have.
    private func change(
        number: Int64, transaction: Int64, kind: Int, row: RowID, properties: PropertySet?,
        tombstone: [String: StoreValue]
    ) -> HistoryChange? {
        guard let entity = binding.entity(row.entity) else { return nil }
        let identifier = PersistentIdentifier(
            storeIdentifier: binding.identifier, entityName: entity.name, key: .row(row.key))
        func make<Model: PersistentModel>(_ type: Model.Type) -> HistoryChange {
            let description = entity.description
            switch kind {
            case 0:
                return .insert(
                    DefaultHistoryInsert<Model>(
                        changeIdentifier: number, transactionIdentifier: transaction,
                        changedPersistentIdentifier: identifier))
            case 1:
                // Of a history that another program wrote it is not known which: any may have changed.
                let changed = description.properties.filter { properties?.contains($0.index) ?? true }
                return .update(
                    DefaultHistoryUpdate<Model>(
                        changeIdentifier: number, transactionIdentifier: transaction,
                        changedPersistentIdentifier: identifier,
                        keyPaths: changed.compactMap { $0.keyPath as? PartialKeyPath<Model> }))
            default:
                let values = description.properties.compactMap { property -> HistoryTombstone<Model>.Value? in
                    guard let stored = tombstone[property.name], let value = property.sendable(stored),
                        let keyPath = property.keyPath as? PartialKeyPath<Model>
                    else { return nil }
                    return HistoryTombstone<Model>.Value(keyPath: keyPath, value: value)
                }
                return .delete(
                    DefaultHistoryDelete<Model>(
                        changeIdentifier: number, transactionIdentifier: transaction,
                        changedPersistentIdentifier: identifier, tombstone: HistoryTombstone(values: values)))
            }
        }
        return make(entity.type)
    }
}

extension PropertyDescription {
    /// A kept value as the property's type has it; an encoded one, and a structure, as its bytes and fields.
    func sendable(_ value: StoreValue) -> (any Sendable)? {
        switch value {
        case .null: nil
        case .boolean(let value): value
        case .integer(let value): integer(value)
        case .double(let value): wrappedType == Float.self ? Float(value) : value
        case .decimal(let value): value
        case .string(let value): value
        case .data(let value): Data(value)
        case .date(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .reference, .composite: nil
        }
    }

    private func integer(_ value: Int64) -> any Sendable {
        guard let type = wrappedType as? any (FixedWidthInteger & Sendable).Type else { return value }
        return type.init(truncatingIfNeeded: value)
    }
}
