import PersistentStore

extension ContextCore {
    /// Reads the rows of identities and gives their objects in the identities' order; those that are gone are left out.
    func objects<Model: PersistentModel>(_ rows: ArraySlice<RowID>, _ binding: StoreBinding) throws -> [Model] {
        letGoOfUnused()
        let missing = rows.filter { row in
            guard let entity = binding.entity(row.entity) else { return false }
            return registered(entity, row.key)?.flags.contains(.fault) ?? true
        }
        if !missing.isEmpty {
            try binding.store.read { reader in
                let cursor = try reader.rows(missing)
                defer { cursor.finish() }
                while try cursor.next() {
                    let row = cursor.row
                    guard let entity = binding.entity(row.entity) else { continue }
                    if let state = registered(entity, row.key) {
                        if state.flags.contains(.fault), let model = state.model { load(row, entity, state, model) }
                        continue
                    }
                    let model = entity.type.init(_$blank: _Blank())
                    register(model._$state, model, entity, key: row.key)
                    load(row, entity, model._$state, model)
                }
                try cursor.check()
            }
        }
        return rows.compactMap { row in
            guard let entity = binding.entity(row.entity), let state = registered(entity, row.key),
                state.flags.isDisjoint(with: [.fault, .deleted, .gone])
            else { return nil }
            return state.model as? Model
        }
    }

    /// Calls a block for each object that a descriptor finds, without ever holding more than a batch of those that nobody else
    /// uses.
    func enumerate<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>, batchSize: Int, _ block: (Model) throws -> Void
    ) throws {
        guard let (binding, rows) = try identities(descriptor) else {
            for model in try fetch(descriptor) { try block(model) }
            return
        }
        let size = max(1, batchSize)
        for start in stride(from: 0, to: rows.count, by: size) {
            let batch = rows[start..<min(start + size, rows.count)]
            try autoreleasing {
                let models: [Model] = try objects(batch, binding)
                for model in models { try block(model) }
            }
            letGo(of: batch, binding)
        }
    }

    /// In a function of its own, so that nothing of the batch is held when it returns.
    @inline(never)
    private func autoreleasing(_ body: () throws -> Void) rethrows { try body() }

    /// Lets go of those objects that nobody else holds and that have no changes.
    private func letGo(of rows: ArraySlice<RowID>, _ binding: StoreBinding) {
        for row in rows {
            guard let entity = binding.entity(row.entity), let state = registered(entity, row.key),
                state.flags.isDisjoint(with: .pending), isKnownUniquelyReferenced(&state.retained)
            else { continue }
            unregister(state)
        }
    }

    /// The identities that the store finds; nil when objects have to be looked at one by one, or lie in several stores.
    func identities<Model: PersistentModel>(
        _ descriptor: FetchDescriptor<Model>
    ) throws -> (StoreBinding, [RowID])? {
        let plan = try FetchPlan(descriptor, self)
        guard !plan.needsMemory, plan.bindings.count == 1, let binding = plan.bindings.first else { return nil }
        return (binding, try FetchPlan<Model>.asking { try binding.store.read { try $0.identifiers(plan.query) } })
    }
}
