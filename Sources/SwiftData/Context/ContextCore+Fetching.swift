import PersistentStore

extension ContextCore {
    /// The objects that a descriptor finds, unsaved changes included where it says so.
    func fetch<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> [Model] {
        try fetch(FetchPlan(descriptor, self))
    }

    func fetch<Model: PersistentModel>(_ plan: FetchPlan<Model>) throws -> [Model] {
        letGoOfUnused()
        var result: [Model] = []
        for part in plan.parts {
            if let mirror = part.binding.mirror {
                result += try fetch(plan, mirror, part.asked)
                continue
            }
            try FetchPlan<Model>.asking { try read(part.asked.query, part.binding, into: &result) }
        }
        if plan.needsMemory { plan.refine(&result) }
        if plan.prefetches { try prefetch(plan.descriptor.relationshipKeyPathsForPrefetching, of: result) }
        return result
    }

    func fetchCount<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>) throws -> Int {
        let plan = try FetchPlan(descriptor, self)
        if let count = try plan.soleMirror?.count(descriptor, editingState) { return count }
        if plan.needsMemory { return try fetch(plan).count }
        return try FetchPlan<Model>.asking {
            try plan.parts.reduce(0) { count, part in
                try count + part.binding.store.read { try $0.count(part.asked.query) }
            }
        }
    }

    func fetchIdentifiers<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>
    ) throws -> [PersistentIdentifier] {
        let plan = try FetchPlan(descriptor, self)
        if let found = try plan.soleMirror?.identifiers(descriptor, editingState) { return found }
        if plan.needsMemory { return try fetch(plan).map(\.persistentModelID) }
        return try FetchPlan<Model>.asking {
            try plan.parts.flatMap { part in
                try part.binding.store.read { try $0.identifiers(part.asked.query) }.compactMap { row in
                    part.binding.entity(row.entity).map {
                        PersistentIdentifier(
                            storeIdentifier: part.binding.identifier, entityName: $0.name, key: .row(row.key))
                    }
                }
            }
        }
    }

    /// Unchanged objects that a query relates to changed ones, but for those that are known already.
    func reachingChanges<Model: PersistentModel>(
        _ query: StoreQuery, _ binding: StoreBinding, _ known: [Model]
    ) throws -> [Model] {
        guard var changes = ReachedChanges(self, binding, ModelDescription.of(Model.self)),
            let condition = changes.condition(of: query)
        else { return [] }
        var objects: [Model] = []
        let reaching = StoreQuery(
            entity: query.entity, includesSubentities: query.includesSubentities, predicate: condition)
        try read(reaching, binding, into: &objects)
        let known = Set(known.lazy.map { ObjectIdentifier($0) })
        return objects.filter { !known.contains(ObjectIdentifier($0)) }
    }

    /// Makes objects of the rows that a query finds.
    func read<Model: PersistentModel>(
        _ query: StoreQuery, _ binding: StoreBinding, into result: inout [Model]
    ) throws {
        guard let own = binding.entity(named: query.entity) else { return }
        let ownType: any PersistentModel.Type = Model.self
        let isOwn = own.type == ownType
        result = try binding.store.read { reader in
            var objects = result
            let cursor = try reader.rows(query)
            defer { cursor.finish() }
            while try cursor.next() {
                let row = cursor.row
                let number = row.entity
                let key = row.key
                guard let entity = number == own.number ? own : binding.entity(number) else { continue }
                if let state = registered(entity, key) {
                    if let model = state.model as? Model {
                        refresh(state, model, row, entity)
                        if state.flags.isDisjoint(with: [.deleted, .gone]) { objects.append(model) }
                    }
                    continue
                }
                let model: Model
                if isOwn && number == own.number {
                    model = Model(_$blank: _Blank())
                } else {
                    guard let made = entity.type.init(_$blank: _Blank()) as? Model else { continue }
                    model = made
                }
                let state = model._$state
                state.version = row.version
                register(state, model, entity, key: key)
                model._$load(_Row(row: row, core: self, entity: entity))
                objects.append(model)
            }
            try cursor.check()
            return objects
        }
    }

    /// A registered object whose row was changed by others has its new values, unless it has unsaved changes of its own: a save
    /// brings both together.
    func refresh(_ state: _ModelState, _ model: any PersistentModel, _ row: Row, _ entity: ModelEntity) {
        if state.flags.contains(.fault) {
            load(row, entity, state, model)
            return
        }
        guard state.version != row.version, state.flags.isDisjoint(with: .pending) else { return }
        refault(state, model)
        load(row, entity, state, model)
    }

    private func prefetch<Model: PersistentModel>(_ keyPaths: [PartialKeyPath<Model>], of models: [Model]) throws {
        for keyPath in keyPaths {
            guard let index = ModelDescription.of(Model.self).index(of: keyPath) else { continue }
            try prefetch(index, of: models)
        }
    }

    /// Reads the rows that a relationship of many objects leads to in one go.
    private func prefetch(_ index: Int, of models: [some PersistentModel]) throws {
        var references: [ObjectIdentifier: (StoreBinding, [RowID])] = [:]
        for model in models {
            for other in model.perform(.collect, at: index).objects where other._$state.flags.contains(.fault) {
                guard let entity = other._$state.entity else { continue }
                references[ObjectIdentifier(entity.binding), default: (entity.binding, [])].1.append(
                    RowID(entity: entity.number, key: other._$state.key))
            }
        }
        for (binding, rows) in references.values {
            for start in stride(from: 0, to: rows.count, by: 5000) {
                try binding.store.read { reader in
                    let cursor = try reader.rows(Array(rows[start..<min(start + 5000, rows.count)]))
                    defer { cursor.finish() }
                    while try cursor.next() {
                        let row = cursor.row
                        guard let entity = binding.entity(row.entity), let state = registered(entity, row.key),
                            state.flags.contains(.fault), let model = state.model
                        else { continue }
                        load(row, entity, state, model)
                    }
                    try cursor.check()
                }
            }
        }
    }
}
