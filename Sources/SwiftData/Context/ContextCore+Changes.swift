import PersistentStore

extension ContextCore {
    // MARK: - Changes

    /// A property of a registered object is about to change.
    @usableFromInline
    func noteChange(_ state: _ModelState, _ index: Int) {
        guard !isClosed else { return }
        if let undo, let model = state.model { undo.willChange(model, index) }
        state.changed.insert(index)
        guard state.flags.isDisjoint(with: [.inserted, .changed, .deleted, .gone]) else {
            if !changeObservers.isEmpty { pendingChanged() }
            return
        }
        state.flags.insert(.changed)
        // Kept until it is saved.
        if state.retained == nil { state.retained = state.model }
        changed.append(state)
        pendingChanged()
    }

    // MARK: - Inserting

    /// Makes an object and all that it is related to objects of this context.
    func insert(_ model: any PersistentModel) {
        var waiting: [any PersistentModel] = [model]
        while let model = waiting.popLast() {
            let state = model._$state
            if let other = state.core {
                if other === self, state.flags.contains(.deleted) { revive(state) }
                continue
            }
            guard let entity = entity(of: type(of: model)) else {
                insertionError =
                    insertionError
                    ?? SwiftDataError(
                        .unknownSchema,
                        detail: "\(type(of: model)) is none of the container's models: name it in ModelContainer(for:)")
                continue
            }
            attach(state, model, entity)
            guard entity.description.hasRelationships else {
                state.changed = PropertySet()
                continue
            }
            // What `init` put into relationships was told to nobody.
            let linked = state.changed
            state.changed = PropertySet()
            for property in entity.description.properties where property.destination != nil {
                let related = model.perform(.collect, at: property.index).objects
                if related.isEmpty { continue }
                waiting += related.filter { $0._$state.core == nil }
                guard !linked.contains(property.index) else { continue }
                let inverse = property.resolvedInverse(in: entity.description)
                for other in related { state.link(model, property, inverse, other) }
            }
            state.changed = PropertySet()
        }
    }

    private func attach(_ state: _ModelState, _ model: any PersistentModel, _ entity: ModelEntity) {
        state.core = self
        state.entity = entity
        state.model = model
        state.retained = model
        // One that was deleted before begins a second life with a row of its own.
        if state.key > 0 { state.key = 0 }
        state.version = 0
        state.flags = state.flags.intersection(.handedOutTemporaryIdentifier).union(.inserted)
        inserted.append(state)
        pendingChanged()
        undo?.didInsert(model)
    }

    /// Takes back a delete that was not saved.
    private func revive(_ state: _ModelState) {
        state.flags.remove([.deleted, .deleting])
        deleted.discount(state)
        if let undo, let model = state.model { undo.didInsert(model) }
        if !state.changed.isEmpty {
            state.flags.insert(.changed)
            changed.append(state)
        }
        if let model = state.model, let entity = state.entity { relink(model, entity.description) }
    }

    /// Tells the other ends, which forgot an object when it was deleted, that it is there again. Those that lead elsewhere by now
    /// stay there.
    private func relink(_ model: any PersistentModel, _ description: ModelDescription) {
        for property in description.properties where property.destination != nil {
            guard let inverse = property.resolvedInverse(in: description) else { continue }
            for other in related(model, property) {
                let state = other._$state
                guard state.core === self, state.flags.isDisjoint(with: [.deleted, .gone, .deleting]) else { continue }
                let end = ModelDescription.of(type(of: other)).properties[inverse]
                let current = related(other, end)
                if current.contains(where: { $0 === model }) { continue }
                if end.isToMany || current.isEmpty {
                    state.changeOtherEnd(other, inverse) { .link(model) }
                } else {
                    model.perform(.unlink(other), at: property.index)
                }
            }
        }
    }

    // MARK: - Deleting

    /// Marks an object as deleted, and by the delete rules of its relationships what depends on it.
    func delete(_ model: any PersistentModel) {
        var waiting: [any PersistentModel] = [model]
        var nullifying: [(any PersistentModel, PropertyDescription, [any PersistentModel])] = []
        while let model = waiting.popLast() {
            let state = model._$state
            guard state.core === self, let entity = state.entity,
                state.flags.isDisjoint(with: [.deleted, .gone, .deleting])
            else { continue }
            undo?.willDelete(model)
            // Its relationships are read before it is marked.
            state.flags.insert(.deleting)
            for property in entity.description.properties {
                guard let rule = property.relationship?.deleteRule, rule != .noAction else { continue }
                let related = self.related(model, property)
                if related.isEmpty { continue }
                switch rule {
                case .cascade: waiting += related
                case .deny: denials.append((state, property, related.map(\._$state)))
                default: break
                }
                nullifying.append((model, property, related))
            }
            mark(state)
            pendingChanged()
        }
        // When all that goes is known: only what stays has to forget it.
        for (model, property, related) in nullifying {
            guard let inverse = property.resolvedInverse(in: ModelDescription.of(property.declaringType)) else {
                continue
            }
            for other in related
            where other._$state.core === self && other._$state.flags.isDisjoint(with: [.deleted, .gone, .deleting]) {
                other._$state.changeOtherEnd(other, inverse) { .unlink(model) }
            }
        }
    }

    private func mark(_ state: _ModelState) {
        if state.flags.contains(.inserted) {
            // Never saved: it is as if it had not been inserted.
            state.flags.remove([.inserted, .deleting])
            state.flags.insert(.gone)
            inserted.discount(state)
            state.core = nil
            state.retained = nil
            return
        }
        if state.flags.contains(.changed) {
            state.flags.remove(.changed)
            changed.discount(state)
        }
        state.flags.remove(.deleting)
        state.flags.insert(.deleted)
        if state.retained == nil { state.retained = state.model }
        deleted.append(state)
    }

    /// What a relationship leads to, read if need be.
    func related(_ model: any PersistentModel, _ property: PropertyDescription) -> [any PersistentModel] {
        let state = model._$state
        if state.flags.contains(.fault) { fill(state, model) }
        let operation = model.perform(.collect, at: property.index)
        if operation.isRead || !property.isToMany || state.key <= 0 { return operation.objects }
        func read<Owner: PersistentModel, Model: PersistentModel>(
            _ owner: Owner, _ type: Model.Type
        ) -> [any PersistentModel] {
            state.related(owner, property.index, as: type, keeping: false)
        }
        guard let destination = property.destination else { return [] }
        return read(model, destination)
    }

    // MARK: - Rolling back

    /// Forgets all changes since the last save.
    func rollback() {
        defer { pendingChanged() }
        undo?.forget()
        denials = []
        batchDeletion = nil
        insertionError = nil
        let states = (inserted.states, changed.states, deleted.states)
        inserted.removeAll()
        changed.removeAll()
        deleted.removeAll()
        for state in states.0 where state.flags.contains(.inserted) {
            state.flags.remove(.inserted)
            state.core = nil
            state.retained = nil
        }
        for state in states.1 + states.2 where !state.flags.isDisjoint(with: [.changed, .deleted]) {
            state.flags.remove([.changed, .deleted])
            guard let model = state.model else { continue }
            refault(state, model)
        }
    }
}
