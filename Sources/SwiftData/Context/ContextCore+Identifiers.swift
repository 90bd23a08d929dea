import PersistentStore

extension ContextCore {
    /// The registered object of an identifier.
    func registeredModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
        if let mirror = binding(of: identifier)?.mirror {
            guard let row = mirror.row(of: identifier), let entity = mirror.binding.entity(row.entity),
                let state = registered(entity, row.key), state.flags.isDisjoint(with: .gone)
            else { return nil }
            return state.model
        }
        switch identifier.key {
        case .row(let key):
            guard let binding = binding(of: identifier), let entity = binding.entity(named: identifier.entityName),
                let state = registered(entity, key), state.flags.isDisjoint(with: .gone)
            else { return nil }
            return state.model
        case .temporary(let number):
            if let state = temporary[number], state.flags.isDisjoint(with: .gone) { return state.model }
            return inserted.states.first { $0.key == -number && $0.flags.contains(.inserted) }?.model
        case .named: return nil
        }
    }

    /// The object of an identifier: registered, read now, or one that stands for what is gone.
    func model(for identifier: PersistentIdentifier) -> any PersistentModel {
        if let model = registeredModel(for: identifier) { return model }
        if let mirror = binding(of: identifier)?.mirror {
            do {
                if let row = try mirror.find(identifier, editingState), let model = object(mirror.binding, row) {
                    fill(model._$state, model)
                    return model
                }
            } catch {
                lastReadError = error
            }
            return missing(identifier)
        }
        if case .row(let key) = identifier.key, let binding = binding(of: identifier),
            let entity = binding.entity(named: identifier.entityName),
            let model = object(binding, RowID(entity: entity.number, key: key))
        {
            // Read at once, so that a row that is gone shows as deleted.
            fill(model._$state, model)
            return model
        }
        return missing(identifier)
    }

    /// The object of an identifier; nil when there is none.
    package func existingModel(for identifier: PersistentIdentifier) -> (any PersistentModel)? {
        let model = model(for: identifier)
        return model.isDeleted ? nil : model
    }

    /// The identifier that an object has now which had another before its first save.
    func current(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
        guard case .temporary(let number) = identifier.key else { return identifier }
        return temporary[number]?.model?.persistentModelID ?? identifier
    }

    private func binding(of identifier: PersistentIdentifier) -> StoreBinding? {
        bindings.first { $0.identifier == identifier.storeIdentifier }
    }

    private func missing(_ identifier: PersistentIdentifier) -> any PersistentModel {
        let type =
            bindings.lazy.compactMap { $0.entity(named: identifier.entityName)?.type }.first
            ?? bindings.lazy.compactMap { $0.anyEntity?.type }.first
        // A container has at least one model: its initializer refuses none.
        let model = (type ?? NoModel.self).init(_$blank: _Blank())
        model._$state.flags.insert(.gone)
        return model
    }
}
