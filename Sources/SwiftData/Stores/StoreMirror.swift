import PersistentStore

/// What was read of a store of an app's own kind, as rows in memory.
///
/// Objects, faults and relationships work on these rows as on any store's. Each fetch asks the app's store and brings the rows up
/// to date; each save goes to the app's store first.
final class StoreMirror: @unchecked Sendable {
    // Everything is done under the lock, calls to the app's store included.
    private let lock = NSRecursiveLock()
    private let access: any DataStoreAccessing
    // Set by the binding that owns the mirror, before anybody sees it.
    unowned(unsafe) var binding: StoreBinding!
    private var rows: [PersistentIdentifier: RowID] = [:]
    private var identifiers: [RowID: PersistentIdentifier] = [:]

    init(_ access: any DataStoreAccessing) { self.access = access }

    var identifier: String { access.identifier }

    func row(of identifier: PersistentIdentifier) -> RowID? { lock.withLock { rows[identifier] } }
    func identifier(of row: RowID) -> PersistentIdentifier? { lock.withLock { identifiers[row] } }

    private func note(_ identifier: PersistentIdentifier, _ row: RowID) {
        rows[identifier] = row
        identifiers[row] = identifier
    }

    var deletesInBatches: Bool { access.deletesInBatches }

    func fetchHistory<Transaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> [Transaction]? {
        try lock.withLock { try access.fetchHistory(descriptor) }
    }

    func deleteHistory<Transaction>(_ descriptor: HistoryDescriptor<Transaction>) throws -> Bool {
        try lock.withLock { try access.deleteHistory(descriptor) }
    }

    func erase() throws { try lock.withLock { try access.erase() } }
    func initializeState(_ editingState: EditingState) { lock.withLock { access.initializeState(editingState) } }
    func invalidateState(_ editingState: EditingState) { lock.withLock { access.invalidateState(editingState) } }

    // MARK: - Fetching

    /// The rows of what the app's store finds, and what of the descriptor is left for memory.
    func fetch<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ editingState: EditingState
    ) throws -> (rows: [RowID], filters: Bool, sorts: Bool) {
        try lock.withLock {
            var descriptor = descriptor
            var filters = false
            var sorts = false
            while true {
                do {
                    let found = try access.fetch(DataStoreFetchRequest(descriptor, editingState))
                    try apply(found.fetched + found.related, editingState)
                    return (found.fetched.compactMap { rows[$0.persistentIdentifier] }, filters, sorts)
                } catch DataStoreError.preferInMemoryFilter where !filters {
                    filters = true
                    descriptor.predicate = nil
                } catch DataStoreError.preferInMemorySort where !sorts {
                    sorts = true
                    descriptor.sortBy = []
                }
                // What is filtered or sorted later cannot be cut off now.
                descriptor.fetchLimit = nil
            }
        }
    }

    /// Nil when the app's store wants objects to be looked at one by one.
    func count<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ editingState: EditingState
    ) throws -> Int? {
        do {
            return try lock.withLock { try access.count(DataStoreFetchRequest(descriptor, editingState)) }
        } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
            return nil
        }
    }

    /// Nil when the app's store wants objects to be looked at one by one.
    func identifiers<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, _ editingState: EditingState
    ) throws -> [PersistentIdentifier]? {
        do {
            return try lock.withLock { try access.identifiers(DataStoreFetchRequest(descriptor, editingState)) }
        } catch DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort {
            return nil
        }
    }

    /// The row of an identifier, read from the app's store if need be; nil when it has none.
    func find(_ identifier: PersistentIdentifier, _ editingState: EditingState) throws -> RowID? {
        try lock.withLock {
            if let row = rows[identifier] { return row }
            try apply(try access.cached(identifier, editingState), editingState)
            if let row = rows[identifier] { return row }
            guard let entity = binding.entity(named: identifier.entityName) else { return nil }
            try apply(try everything(entity.type, editingState), editingState)
            return rows[identifier]
        }
    }

    private func everything<Model: PersistentModel>(
        _ type: Model.Type, _ editingState: EditingState
    ) throws -> [DefaultSnapshot] {
        let found = try access.fetch(DataStoreFetchRequest(FetchDescriptor<Model>(), editingState))
        return found.fetched + found.related
    }

    // MARK: - Rows

    /// Brings rows to what snapshots say, and makes those that are missing.
    private func apply(_ snapshots: [DefaultSnapshot], _ editingState: EditingState) throws {
        let batch = try complete(snapshots, editingState)
        guard !batch.isEmpty else { return }
        let core = ContextCore(bindings: [binding], fillsMirror: true)
        defer { core.close() }
        var models: [PersistentIdentifier: any PersistentModel] = [:]
        var made: [(PersistentIdentifier, any PersistentModel)] = []
        for snapshot in batch.values {
            let identifier = snapshot.persistentIdentifier
            guard let entity = binding.entity(named: identifier.entityName) else { continue }
            if let row = rows[identifier], let model = core.object(binding, row) {
                core.fill(model._$state, model)
                if !model.isDeleted {
                    models[identifier] = model
                    continue
                }
            }
            let model = blank(entity.type)
            models[identifier] = model
            made.append((identifier, model))
            core.insert(model)
        }
        func model(_ identifier: PersistentIdentifier) -> (any PersistentModel)? {
            models[identifier] ?? rows[identifier].flatMap { core.object(binding, $0) }
        }
        for snapshot in batch.values {
            guard let object = models[snapshot.persistentIdentifier] else { continue }
            snapshot.assign(to: object, model)
        }
        try core.save()
        for (identifier, model) in made {
            guard let entity = model._$state.entity, model._$state.key > 0 else { continue }
            note(identifier, RowID(entity: entity.number, key: model._$state.key))
        }
    }

    private func blank<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel {
        Model(backingData: _ModelBackingData(for: type))
    }

    /// The snapshots with all that they lead to and that was never read.
    private func complete(
        _ snapshots: [DefaultSnapshot], _ editingState: EditingState
    ) throws -> [PersistentIdentifier: DefaultSnapshot] {
        var batch: [PersistentIdentifier: DefaultSnapshot] = [:]
        var waiting = snapshots
        var asked: Set<String> = []
        while !waiting.isEmpty {
            for snapshot in waiting where batch[snapshot.persistentIdentifier] == nil {
                batch[snapshot.persistentIdentifier] = snapshot
            }
            let missing = waiting.flatMap(\.related).filter { batch[$0] == nil && rows[$0] == nil }
            waiting = []
            for identifier in missing where asked.insert(identifier.entityName).inserted {
                guard let entity = binding.entity(named: identifier.entityName) else { continue }
                waiting += try everything(entity.type, editingState).filter { batch[$0.persistentIdentifier] == nil }
            }
        }
        return batch
    }

    // MARK: - Saving

    /// Has the app's store delete all that matches, and then `rows` keep it in memory.
    func delete<Model: PersistentModel>(
        _ request: DataStoreBatchDeleteRequest<Model>, _ deleted: [_ModelState], rows save: () throws -> Void
    ) throws {
        try lock.withLock {
            let gone = deleted.compactMap { $0.model?.persistentModelID }
            try access.delete(request)
            try save()
            for identifier in gone { rows[identifier] = nil }
        }
    }

    /// Has the app's store keep changes, and then `rows` keep them in memory.
    func save(
        inserted: [_ModelState], changed: [_ModelState], deleted: [_ModelState], _ editingState: EditingState,
        rows save: () throws -> Void
    ) throws {
        try lock.withLock {
            let temporary = inserted.compactMap { state in state.model.map { (state, $0.persistentModelID) } }
            let result = try access.save(
                inserted: inserted.compactMap(\.model), updated: changed.compactMap(\.model),
                deleted: deleted.compactMap(\.model), editingState)
            for (_, identifier) in temporary where result.remapped[identifier] == nil {
                throw SwiftDataError(
                    .modelValidationFailure,
                    detail: "the store \(access.identifier) gave the new \(identifier.entityName) no identifier: its "
                        + "result's remappedIdentifiers has to have one for each inserted snapshot")
            }
            let gone = deleted.compactMap { $0.model?.persistentModelID }
            try save()
            for (state, identifier) in temporary {
                guard let entity = state.entity, let permanent = result.remapped[identifier] else { continue }
                note(permanent, RowID(entity: entity.number, key: state.key))
            }
            for identifier in gone { rows[identifier] = nil }
            try apply(result.changed, editingState)
        }
    }
}

extension DefaultSnapshot {
    /// The objects that relationships lead to.
    var related: [PersistentIdentifier] {
        values.values.flatMap { value -> [PersistentIdentifier] in
            switch value {
            case .attribute: []
            case .toOne(let identifier): identifier.map { [$0] } ?? []
            case .toMany(let identifiers): identifiers
            }
        }
    }

    /// Sets those properties of an object that have other values.
    func assign(
        to object: any PersistentModel, _ model: (PersistentIdentifier) -> (any PersistentModel)?
    ) {
        for property in ModelDescription.of(type(of: object)).properties {
            guard let value = values[property.name] else { continue }
            let current = property.value(of: object)
            switch value {
            case .attribute(let value):
                let new = value ?? (property.valueType as? any OptionalType.Type)?.noValue
                if let new, !isEqual(current, new) { property.assign(new, to: object) }
            case .toOne(let identifier):
                let new = identifier.flatMap(model)
                if (current as? any PersistentModel) === new { continue }
                if let new {
                    property.assign(new, to: object)
                } else if let none = (property.valueType as? any OptionalType.Type)?.noValue {
                    property.assign(none, to: object)
                }
            case .toMany(let identifiers):
                let new = identifiers.compactMap(model)
                let old = current as? [any PersistentModel] ?? []
                guard Set(new.map(ObjectIdentifier.init)) != Set(old.map(ObjectIdentifier.init)),
                    let destination = property.destination
                else { continue }
                property.assign(array(new, destination), to: object)
            }
        }
    }
}

private func array<Model: PersistentModel>(_ models: [any PersistentModel], _ type: Model.Type) -> Any {
    models.compactMap { $0 as? Model }
}

private func isEqual(_ first: Any?, _ second: Any) -> Bool {
    func equal<Value: Equatable>(_ value: Value) -> Bool { first as? Value == value }
    if let second = second as? any Equatable { return equal(second) }
    guard let first = first as? any Encodable, let second = second as? any Encodable,
        let one = try? JSONEncoder.ofSnapshots.encode([first].map(AnyEncoded.init)),
        let other = try? JSONEncoder.ofSnapshots.encode([second].map(AnyEncoded.init))
    else { return false }
    return one == other
}

private struct AnyEncoded: Encodable {
    let value: any Encodable
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
