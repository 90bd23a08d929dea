import PersistentStore

extension ContextCore {
    var editingState: EditingState { EditingState(id: editingIdentifier, author: author) }

    /// Asks a store of an app's own kind, and makes objects of what it found.
    func fetch<Model: PersistentModel>(
        _ plan: FetchPlan<Model>, _ mirror: StoreMirror, _ asked: ModelQuery<Model>
    ) throws -> [Model] {
        let found = try mirror.fetch(plan.storeDescriptor, editingState)
        var objects: [Model] = []
        var made: [RowID: Model] = [:]
        let binding: StoreBinding = mirror.binding
        for start in stride(from: 0, to: found.rows.count, by: 5000) {
            let rows = Array(found.rows[start..<min(start + 5000, found.rows.count)])
            try binding.store.read { reader in
                let cursor = try reader.rows(rows)
                defer { cursor.finish() }
                while try cursor.next() {
                    let row = cursor.row
                    guard let entity = binding.entity(row.entity) else { continue }
                    let id = RowID(entity: row.entity, key: row.key)
                    if let state = registered(entity, row.key) {
                        guard let model = state.model as? Model else { continue }
                        refresh(state, model, row, entity)
                        if state.flags.isDisjoint(with: [.deleted, .gone]) { made[id] = model }
                        continue
                    }
                    guard let model = entity.type.init(_$blank: _Blank()) as? Model else { continue }
                    register(model._$state, model, entity, key: row.key)
                    load(row, entity, model._$state, model)
                    made[id] = model
                }
                try cursor.check()
            }
        }
        objects = found.rows.compactMap { made[$0] }
        if found.filters { objects = objects.filter(asked.matches) }
        if found.sorts { plan.sort(&objects) }
        return objects
    }
}

extension FetchPlan {
    /// What a store of an app's own kind is asked. It is to be brought together with unsaved changes and other stores' answers,
    /// or else may be cut off where nothing more is needed.
    var storeDescriptor: FetchDescriptor<Model> {
        var asked = descriptor
        asked.fetchOffset = nil
        let offset = max(descriptor.fetchOffset ?? 0, 0)
        if let limit = descriptor.fetchLimit, limit >= 0, isAnswerComplete {
            let (end, overflow) = limit.addingReportingOverflow(offset)
            asked.fetchLimit = overflow ? nil : end
        } else {
            asked.fetchLimit = nil
        }
        return asked
    }

    /// The one store of an app's own kind that can answer without objects being looked at.
    var soleMirror: StoreMirror? {
        guard isAnswerComplete, descriptor.fetchLimit == nil, descriptor.fetchOffset == nil else { return nil }
        return parts[0].binding.mirror
    }
}
