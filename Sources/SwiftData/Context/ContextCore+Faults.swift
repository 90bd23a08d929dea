import PersistentStore

extension ContextCore {
    // MARK: - Objects of rows

    /// The object of a row: the registered one, or a fault. Nil when the row is of no class of the container, or of another class
    /// than the property that leads to it says.
    func object<Model: PersistentModel>(
        _ binding: StoreBinding, _ reference: RowID, as type: Model.Type
    ) -> Model? {
        guard let entity = binding.entity(reference.entity) else { return nil }
        if let state = registered(entity, reference.key) { return state.model as? Model }
        return fault(entity, reference.key) as? Model
    }

    func object(_ binding: StoreBinding, _ reference: RowID) -> (any PersistentModel)? {
        guard let entity = binding.entity(reference.entity) else { return nil }
        return registered(entity, reference.key)?.model ?? fault(entity, reference.key)
    }

    private func fault(_ entity: ModelEntity, _ key: Int64) -> any PersistentModel {
        let model = entity.type.init(_$blank: _Blank())
        let state = model._$state
        state.flags = .fault
        register(state, model, entity, key: key)
        return model
    }

    /// Reads a fault's values. One whose row is gone has none ever after.
    func fill(_ state: _ModelState, _ model: some PersistentModel) {
        guard let entity = state.entity, state.key > 0 else { return }
        // A read that fails leaves the fault as it is, to be tried again; the caller reads defaults meanwhile.
        do {
            try entity.binding.store.read { reader in
                let cursor = try reader.row(RowID(entity: entity.number, key: state.key))
                defer { cursor.finish() }
                guard try cursor.next() else {
                    state.flags.remove(.fault)
                    state.flags.insert(.gone)
                    return
                }
                load(cursor.row, entity, state, model)
                try cursor.check()
            }
        } catch {
            lastReadError = error
        }
    }

    func load(_ row: Row, _ entity: ModelEntity, _ state: _ModelState, _ model: any PersistentModel) {
        state.version = row.version
        state.flags.remove(.fault)
        model._$load(_Row(row: row, core: self, entity: entity))
    }

    /// Makes the object forget what it read, so that it is read again when it is needed.
    func refault(_ state: _ModelState, _ model: any PersistentModel, notifying: Bool = true) {
        if notifying, let registrar = state.observation?.registrar {
            let properties = state.entity?.description.properties ?? []
            for property in properties { property.observation.willSet(model, registrar) }
            unload(state, model)
            for property in properties { property.observation.didSet(model, registrar) }
        } else {
            unload(state, model)
        }
    }

    private func unload(_ state: _ModelState, _ model: any PersistentModel) {
        model._$unload()
        state.flags.insert(.fault)
        state.changed = PropertySet()
        state.extra?.unreadChanges = [:]
        state.extra?.links = [:]
    }

    // MARK: - To-many relationships

    /// The rows that a to-many leads to, without what is not saved yet.
    func related(_ state: _ModelState, _ index: Int) -> [RowID] {
        guard let entity = state.entity, state.key > 0, !state.flags.contains(.gone) else { return [] }
        do {
            return try entity.binding.store.read { reader in
                try reader.related(index, of: RowID(entity: entity.number, key: state.key))
            }
        } catch {
            lastReadError = error
            return []
        }
    }
}

extension _ModelState {
    /// What a to-many leads to, read now.
    ///
    /// - Parameter keeping: whether the caller puts the result into the property's storage.
    func related<Owner: PersistentModel, Model: PersistentModel>(
        _ owner: Owner, _ index: Int, as type: Model.Type, keeping: Bool = true
    ) -> [Model] {
        guard let core, let entity, key > 0 else { return [] }
        var result: [Model] = []
        let removed = extra?.unreadChanges[index]?.removed ?? []
        for reference in core.related(self, index) {
            guard let model = core.object(entity.binding, reference, as: type) else { continue }
            let state = model._$state
            // Deleted, or led elsewhere, since the last save.
            if !state.flags.isDisjoint(with: [.deleted, .gone]) || removed.contains(where: { $0 === model }) {
                continue
            }
            result.append(model)
        }
        for model in extra?.unreadChanges[index]?.added ?? [] {
            if let model = model as? Model, !result.contains(where: { $0 === model }) { result.append(model) }
        }
        if keeping { extra?.unreadChanges[index] = nil }
        return result
    }

    /// The to-one of a fault, before it is set.
    func reload<Owner: PersistentModel, Model: PersistentModel>(_ owner: Owner, _ index: Int) -> Model? {
        guard flags.contains(.fault) else { return nil }
        core?.fill(self, owner)
        return owner.perform(.collect, at: index).objects.first as? Model
    }
}
