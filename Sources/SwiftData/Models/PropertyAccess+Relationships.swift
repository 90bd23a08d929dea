import PersistentStore

// The same for properties that are models: `M`, `M?`, `[M]` and `[M]?`.

// MARK: - Rows

public func _read<Model: PersistentModel>(_ storage: inout Model?, _ row: _Row, _ index: Int) {
    storage = row.object(index, as: Model.self)
}

public func _read<Model: PersistentModel>(_ storage: inout Model??, _ row: _Row, _ index: Int) {
    storage = .some(row.object(index, as: Model.self))
}

// A to-many is read when it is asked for.
public func _read<Model: PersistentModel>(_ storage: inout [Model]?, _ row: _Row, _ index: Int) { storage = nil }
public func _read<Model: PersistentModel>(_ storage: inout [Model]??, _ row: _Row, _ index: Int) { storage = nil }

public func _write<Model: PersistentModel>(_ storage: Model?, _ row: _RowValues, _ index: Int) {
    row.setReference(index, storage?._$state)
}

public func _write<Model: PersistentModel>(_ storage: Model??, _ row: _RowValues, _ index: Int) {
    row.setReference(index, (storage ?? nil)?._$state)
}

// Its pairs are written beside the row.
public func _write<Model: PersistentModel>(_ storage: [Model]?, _ row: _RowValues, _ index: Int) {}
public func _write<Model: PersistentModel>(_ storage: [Model]??, _ row: _RowValues, _ index: Int) {}

// MARK: - Reading

public func _missing<Owner: PersistentModel, Model: PersistentModel>(
    _ owner: Owner, _ index: Int, _ storage: Model?, default: @autoclosure () -> Model? = nil
) -> Model {
    owner._$state.recordRead(index)
    if let value = owner._$state.probe(Model.self) { return value }
    if let value = `default`() { return value }
    // The object that a mandatory reference led to is gone: one without values stands for it.
    let model = Model(_$blank: _Blank())
    model._$state.flags.insert(.gone)
    return model
}

public func _missing<Owner: PersistentModel, Model: PersistentModel>(
    _ owner: Owner, _ index: Int, _ storage: Model??, default: @autoclosure () -> Model?? = nil
) -> Model? {
    owner._$state.recordRead(index)
    return owner._$state.probe(Model.self)
}

public func _missing<Owner: PersistentModel, Model: PersistentModel>(
    _ owner: Owner, _ index: Int, _ storage: [Model]?, default: @autoclosure () -> [Model]? = nil
) -> [Model] {
    owner._$state.recordRead(index)
    return owner._$state.related(owner, index, as: Model.self)
}

public func _missing<Owner: PersistentModel, Model: PersistentModel>(
    _ owner: Owner, _ index: Int, _ storage: [Model]??, default: @autoclosure () -> [Model]?? = nil
) -> [Model]? {
    owner._$state.recordRead(index)
    return owner._$state.related(owner, index, as: Model.self)
}

// MARK: - Setting

public func _willSet<Owner: PersistentModel, Member, Model: PersistentModel>(
    _ owner: Owner, _ index: Int, _ keyPath: @autoclosure () -> KeyPath<Owner, Member>, _ storage: Model?
) -> Model? {
    let state = owner._$state
    state.willRelate(owner, index, keyPath())
    return storage ?? state.reload(owner, index)
}

public func _willSet<Owner: PersistentModel, Member, Model: PersistentModel>(
    _ owner: Owner, _ index: Int, _ keyPath: @autoclosure () -> KeyPath<Owner, Member>, _ storage: Model??
) -> Model? {
    let state = owner._$state
    state.willRelate(owner, index, keyPath())
    return storage ?? state.reload(owner, index)
}

public func _willSet<Owner: PersistentModel, Member, Model: PersistentModel>(
    _ owner: Owner, _ index: Int, _ keyPath: @autoclosure () -> KeyPath<Owner, Member>, _ storage: [Model]?
) -> [Model] {
    let state = owner._$state
    state.willRelate(owner, index, keyPath())
    return storage ?? state.related(owner, index, as: Model.self)
}

public func _willSet<Owner: PersistentModel, Member, Model: PersistentModel>(
    _ owner: Owner, _ index: Int, _ keyPath: @autoclosure () -> KeyPath<Owner, Member>, _ storage: [Model]??
) -> [Model] {
    let state = owner._$state
    state.willRelate(owner, index, keyPath())
    if let storage { return storage ?? [] }
    return state.related(owner, index, as: Model.self)
}

public func _didSet<Owner: PersistentModel, Member, Model: PersistentModel>(
    _ owner: Owner, _ index: Int, _ keyPath: @autoclosure () -> KeyPath<Owner, Member>, _ old: Model?, _ new: Model?
) {
    let state = owner._$state
    if old !== new || !state.isLinked(index) {
        state.relate(owner, index, removed: old.map { $0 === new ? [] : [$0] } ?? [], added: new.map { [$0] } ?? [])
    }
    state.observation?.registrar.didSet(owner, keyPath: keyPath())
}

public func _didSet<Owner: PersistentModel, Member, Model: PersistentModel>(
    _ owner: Owner, _ index: Int, _ keyPath: @autoclosure () -> KeyPath<Owner, Member>, _ old: [Model], _ new: [Model]?
) {
    let state = owner._$state
    var (removed, added) = difference(old, new ?? [])
    // Objects that `init` put there were never told.
    if !state.isLinked(index) { added = new ?? [] }
    state.relate(owner, index, removed: removed, added: added)
    state.observation?.registrar.didSet(owner, keyPath: keyPath())
    removed = []
}

/// What is in one of the arrays only. Costs little where they begin and end alike, as after an append.
private func difference<Model: PersistentModel>(_ old: [Model], _ new: [Model]) -> (removed: [Model], added: [Model]) {
    var start = 0
    let shorter = min(old.count, new.count)
    while start < shorter, old[start] === new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] === new[new.count - 1 - end] { end += 1 }
    let oldMiddle = old[start..<(old.count - end)]
    let newMiddle = new[start..<(new.count - end)]
    if oldMiddle.isEmpty { return ([], Array(newMiddle)) }
    if newMiddle.isEmpty {
        // What is left may still hold what was taken out, when the array had it twice.
        return (Array(oldMiddle), [])
    }
    let before = Set(oldMiddle.lazy.map { ObjectIdentifier($0) })
    let after = Set(newMiddle.lazy.map { ObjectIdentifier($0) })
    return (
        oldMiddle.filter { !after.contains(ObjectIdentifier($0)) },
        newMiddle.filter { !before.contains(ObjectIdentifier($0)) }
    )
}
