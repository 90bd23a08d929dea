import PersistentStore

extension ContextCore {
    /// Keeps all changes, in one transaction for each store.
    func save() throws {
        if let insertionError {
            self.insertionError = nil
            throw insertionError
        }
        guard hasChanges else { return }
        letGoOfUnused()
        let facade = facade
        if !fillsMirror { NotificationCenter.default.post(name: ModelContext.willSave, object: facade) }
        let saved = SavedIdentifiers(self)
        if !fillsMirror { try validate() }
        for binding in bindings {
            var save = ContextSave(core: self, binding: binding)
            guard save.hasWork else { continue }
            guard binding.configuration.allowsSave else {
                throw SwiftDataError(
                    .modelValidationFailure,
                    detail: "the configuration \(binding.configuration.name) does not allow saving (allowsSave: false)")
            }
            guard let mirror = binding.mirror, !fillsMirror else {
                try save.run()
                continue
            }
            if let batch = batchDeletion, batch.isAll(of: save.deleted), save.inserted.isEmpty, save.changed.isEmpty {
                try batch.run(mirror, save.deleted) { try save.run() }
                continue
            }
            try mirror.save(
                inserted: save.inserted, changed: save.changed, deleted: save.deleted, editingState
            ) { try save.run() }
        }
        forgetPending()
        if fillsMirror { return }
        // Where there are no events a save is what ends one.
        if !Thread.isMainThread { (undo as? UndoRecorder)?.manager.endImplicitGroup() }
        NotificationCenter.default.post(name: ModelContext.didSave, object: facade, userInfo: saved.userInfo)
    }

    /// The lists of what waited are over; a save of several stores that stopped half-way keeps what is left.
    func forgetPending() {
        inserted.removeAll()
        changed.removeAll()
        deleted.removeAll()
        denials = []
        batchDeletion = nil
    }

    private func validate() throws {
        for (state, property, related) in denials where state.flags.contains(.deleted) {
            guard related.contains(where: { $0.flags.isDisjoint(with: [.deleted, .gone]) }) else { continue }
            throw SwiftDataError(
                .modelValidationFailure,
                detail:
                    "\(state.entity?.name ?? "The object") cannot be deleted while its \(property.name) leads to others "
                    + "(deleteRule: .deny)")
        }
        for state in inserted.states where state.flags.contains(.inserted) { try validateCounts(state) }
        for state in changed.states where state.flags.contains(.changed) { try validateCounts(state) }
    }

    private func validateCounts(_ state: _ModelState) throws {
        guard let entity = state.entity, entity.description.hasCountLimits, let model = state.model else { return }
        for property in entity.description.properties {
            guard let relationship = property.relationship, property.isToMany,
                state.flags.contains(.inserted) || state.changed.contains(property.index)
            else { continue }
            let minimum = relationship.minimumModelCount ?? 0
            let maximum = relationship.maximumModelCount ?? 0
            if minimum <= 0 && maximum <= 0 { continue }
            let count = related(model, property).count
            if count < minimum || maximum > 0 && count > maximum {
                throw SwiftDataError(
                    .modelValidationFailure,
                    detail: "\(entity.name).\(property.name) leads to \(count) objects; it allows \(minimum)"
                        + (maximum > 0 ? " to \(maximum)" : " or more"))
            }
        }
    }
}

/// One store's part of a save.
private struct ContextSave {
    let core: ContextCore
    let binding: StoreBinding
    let inserted: [_ModelState]
    let changed: [_ModelState]
    let deleted: [_ModelState]
    /// What the objects were before keys were given to them: for a save that fails.
    private var formerKeys: [(_ModelState, Int64)] = []
    private var versions: [(_ModelState, Int64)] = []
    /// Objects whose rows others changed too: read again after the save.
    private var stale: [_ModelState] = []
    private var vanished: [_ModelState] = []
    /// Objects that took the place of a row with the same unique value.
    private var replacing: [_ModelState] = []
    private let failures = EncodingFailures()

    init(core: ContextCore, binding: StoreBinding) {
        self.core = core
        self.binding = binding
        inserted = core.inserted.states.filter { $0.flags.contains(.inserted) && $0.entity?.binding === binding }
        changed = core.changed.states.filter { $0.flags.contains(.changed) && $0.entity?.binding === binding }
        deleted = core.deleted.states.filter { $0.flags.contains(.deleted) && $0.entity?.binding === binding }
    }

    var hasWork: Bool { !inserted.isEmpty || !changed.isEmpty || !deleted.isEmpty }

    mutating func run() throws {
        do {
            var save = self
            try binding.store.write(author: core.author, context: nil, origin: core.editingIdentifier) { writer in
                try save.write(writer)
            }
            self = save
        } catch {
            for (state, key) in formerKeys { state.key = key }
            throw error
        }
        finish()
    }

    // MARK: - In the transaction

    private mutating func write(_ writer: StoreWriter) throws {
        do {
            try insert(writer)
            for state in changed { try update(state, writer) }
            for state in inserted { try linkAll(state, writer) }
            for state in changed { try linkChanges(state, writer) }
            for state in deleted {
                guard let entity = state.entity else { continue }
                // One that another context deleted first is as gone as it should be.
                _ = try writer.delete(RowID(entity: entity.number, key: state.key), expecting: nil)
            }
        } catch {
            for (state, key) in formerKeys { state.key = key }
            throw error
        }
    }

    private mutating func insert(_ writer: StoreWriter) throws {
        formerKeys.reserveCapacity(inserted.count)
        // All keys first, so that references among new objects can be written in any order.
        for state in inserted {
            guard let entity = state.entity else { continue }
            formerKeys.append((state, state.key))
            state.key = try writer.newRowID(entity.layout).key
        }
        for (position, state) in inserted.enumerated() {
            guard let entity = state.entity, let model = state.model else { continue }
            let id = RowID(entity: entity.number, key: state.key)
            do {
                try writer.insert(id) { values in try bind(model, entity, values, only: nil) }
            } catch let error as PersistentStoreError {
                guard case .uniqueConstraint = error else { throw error }
                try replace(model, state, entity, writer)
                // Whoever was written before with a reference to the new key leads to the old one now.
                for earlier in inserted[..<position] { try rewriteReferences(earlier, writer) }
            }
        }
    }

    private func bind(
        _ model: any PersistentModel, _ entity: ModelEntity, _ values: RowValues, only: PropertySet?
    ) throws {
        model._$bind(_RowValues(values: values, only: only, failures: failures, entity: entity))
        if let failure = failures.first { throw failure }
    }

    /// A row with the same unique value exists: it takes the new object's values, and the object its identity.
    private mutating func replace(
        _ model: any PersistentModel, _ state: _ModelState, _ entity: ModelEntity, _ writer: StoreWriter
    ) throws {
        var current: ModelDescription? = entity.description
        while let description = current {
            for constraint in description.uniquenessConstraints {
                let values = constraint.compactMap { entity.description.storeValue(of: model, property: $0) }
                guard values.count == constraint.count,
                    let found = try writer.find(entity.layout, uniquenessConstraint: constraint, values: values),
                    found.key != state.key
                else { continue }
                state.key = found.key
                let outcome = try writer.update(found, expecting: nil, changed: entity.description.columnProperties) {
                    try bind(model, entity, $0, only: nil)
                }
                if case .done(let version) = outcome { versions.append((state, version)) }
                replacing.append(state)
                return
            }
            current = description.superclass
        }
        throw SwiftDataError(
            .modelValidationFailure, detail: "an object of \(entity.name) with the same unique value exists")
    }

    private func rewriteReferences(_ state: _ModelState, _ writer: StoreWriter) throws {
        guard let entity = state.entity, let model = state.model else { return }
        let references = PropertySet(
            entity.description.properties.filter { $0.destination != nil && !$0.isToMany }.map(\.index))
        guard !references.isEmpty else { return }
        _ = try writer.update(RowID(entity: entity.number, key: state.key), expecting: nil, changed: references) {
            try bind(model, entity, $0, only: references)
        }
    }

    /// Writes what changed. Where others changed the row meanwhile, each property has the value that was saved last.
    private mutating func update(_ state: _ModelState, _ writer: StoreWriter) throws {
        guard let entity = state.entity, let model = state.model else { return }
        let columns = state.changed.intersection(entity.description.columnProperties)
        if columns.isEmpty { return }
        let id = RowID(entity: entity.number, key: state.key)
        var version = state.version
        for _ in 0..<2 {
            let outcome = try writer.update(id, expecting: version, changed: columns) {
                try bind(model, entity, $0, only: columns)
            }
            switch outcome {
            case .done(let new):
                versions.append((state, new))
                return
            case .conflict(let row?):
                version = row.version
                stale.append(state)
            case .conflict(nil):
                // Another context deleted it: there is nothing left to change. The object shows as deleted.
                vanished.append(state)
                return
            }
        }
    }

    /// A new object's pairs, of relationships that no column keeps.
    private func linkAll(_ state: _ModelState, _ writer: StoreWriter) throws {
        guard let entity = state.entity, entity.description.hasLinks, let model = state.model else { return }
        let id = RowID(entity: entity.number, key: state.key)
        for property in entity.description.properties where property.isLinked(in: entity.description) {
            for other in model.perform(.collect, at: property.index).objects {
                guard let destination = row(of: other._$state) else { continue }
                try writer.link(property.index, of: id, to: destination)
            }
        }
    }

    private func linkChanges(_ state: _ModelState, _ writer: StoreWriter) throws {
        guard let entity = state.entity, let links = state.extra?.links, !links.isEmpty else { return }
        let id = RowID(entity: entity.number, key: state.key)
        for (index, changes) in links.sorted(by: { $0.key < $1.key }) {
            for other in changes.removed {
                if let destination = row(of: other) { try writer.unlink(index, of: id, from: destination) }
            }
            for other in changes.added {
                if let destination = row(of: other) { try writer.link(index, of: id, to: destination) }
            }
        }
    }

    private func row(of state: _ModelState) -> RowID? {
        guard state.key > 0, let entity = state.entity, entity.binding === binding else { return nil }
        return RowID(entity: entity.number, key: state.key)
    }

    // MARK: - Afterwards

    private func finish() {
        for (state, former) in formerKeys {
            guard let entity = state.entity, let model = state.model else { continue }
            if former < 0, state.flags.contains(.handedOutTemporaryIdentifier) { core.temporary[-former] = state }
            state.flags.remove([.inserted, .handedOutTemporaryIdentifier])
            settle(state)
            state.version = 1
            if let other = core.registered(entity, state.key) {
                // The object that had the row before reads the new values.
                if let otherModel = other.model, other.flags.isDisjoint(with: .pending) {
                    core.refault(other, otherModel)
                }
            } else {
                core.register(state, model, entity, key: state.key)
            }
        }
        for state in changed {
            state.flags.remove(.changed)
            settle(state)
        }
        for (state, version) in versions { state.version = version }
        for state in stale { if let model = state.model { core.refault(state, model) } }
        for state in vanished + deleted {
            core.unregister(state)
            state.flags.remove([.deleted, .changed])
            state.flags.insert(.gone)
            state.changed = PropertySet()
            state.core = nil
            state.retained = nil
        }
    }

    private func settle(_ state: _ModelState) {
        state.changed = PropertySet()
        if let extra = state.extra {
            extra.unreadChanges = [:]
            extra.links = [:]
        }
    }
}
