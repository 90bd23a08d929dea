import PersistentStore

/// The rows whose answer may be another one because of unsaved changes of objects that a query reaches through relationships.
///
/// Such a row has no unsaved changes itself: those of a relationship are changes of both its ends. So it leads to a changed object
/// in the store too, and the store can find it.
struct ReachedChanges {
    private let binding: StoreBinding
    private let changed: [Int: [RowID]]
    private let deleted: [Int: [RowID]]
    private var classes: [Int: ModelDescription]
    /// What binds the variables of to-many relationships.
    private var collections: [Int: StoreCollection] = [:]
    private var conditions: Set<StoreExpression> = []

    /// Nil where no object of the store has unsaved changes.
    init?(_ core: ContextCore, _ binding: StoreBinding, _ description: ModelDescription) {
        func rows(_ pending: PendingStates, _ flag: _ModelState.Flags) -> [Int: [RowID]] {
            var rows: [Int: [RowID]] = [:]
            for state in pending.states where state.flags.contains(flag) && state.key > 0 {
                guard let entity = state.entity, entity.binding === binding else { continue }
                rows[entity.root, default: []].append(RowID(entity: entity.number, key: state.key))
            }
            return rows
        }
        changed = core.changed.live > 0 ? rows(core.changed, .changed) : [:]
        deleted = core.deleted.live > 0 ? rows(core.deleted, .deleted) : [:]
        if changed.isEmpty && deleted.isEmpty { return nil }
        self.binding = binding
        classes = [0: description]
    }

    /// The condition of those rows; nil when the query reaches no changed object.
    mutating func condition(of query: StoreQuery) -> StoreExpression? {
        conditions = []
        if let predicate = query.predicate { visit(predicate) }
        for key in query.sort { visit(key.expression) }
        return conditions.isEmpty ? nil : .or(Array(conditions))
    }

    // MARK: - Walking

    private mutating func visit(_ expression: StoreExpression) {
        switch expression {
        case .constant: break
        case .attribute(let path, _): visit(path, readsIt: true)
        case .isNil(let inner), .unwrapped(let inner), .not(let inner), .negated(let inner, _),
            .characterCount(let inner), .isAmong(let inner, _, _):
            visit(inner)
        case .coalesced(let first, let second), .mapped(let first, let second),
            .comparison(_, let first, let second, _),
            .arithmetic(_, let first, let second, _), .text(_, let first, let second),
            .textOrder(_, let first, let second):
            visit(first)
            visit(second)
        case .mappedObject(let path, let inner):
            visit(path, readsIt: false)
            visit(inner)
        case .conditional(let test, let first, let second):
            for part in [test, first, second] { visit(part) }
        case .and(let parts), .or(let parts):
            for part in parts { visit(part) }
        case .isNoObject(let path), .isOneOf(let path, _), .isKind(let path, _): visit(path, readsIt: false)
        case .isSameObject(let first, let second):
            visit(first, readsIt: false)
            visit(second, readsIt: false)
        case .exists(let collection), .count(let collection): visit(collection)
        case .array(_, let array, let argument):
            visit(array)
            if let argument { visit(argument) }
        }
    }

    private mutating func visit(_ collection: StoreCollection) {
        let owner = visit(collection.owner, readsIt: true)
        classes[collection.variable] = owner.flatMap { destination($0, collection.relationship) }
        collections[collection.variable] = collection
        visit(.variable(collection.variable), readsIt: false)
        if let filter = collection.filter { visit(filter) }
    }

    /// Whether an object is there, changes only when it is deleted; what it says, when it is changed.
    @discardableResult
    private mutating func visit(_ path: StoreObjectPath, readsIt: Bool) -> ModelDescription? {
        let description: ModelDescription?
        switch path {
        case .variable(let number): description = classes[number]
        case .related(let base, let name):
            description = visit(base, readsIt: true).flatMap { destination($0, name) }
        case .cast(let base, let entity):
            visit(base, readsIt: readsIt)
            return binding.entity(named: entity)?.description
        case .unwrapped(let base): return visit(base, readsIt: readsIt)
        }
        guard path != .variable(0), let description, let root = binding.entity(named: description.name)?.root else {
            return description
        }
        let rows = (readsIt ? changed[root] ?? [] : []) + (deleted[root] ?? [])
        if !rows.isEmpty { conditions.insert(enclosed(.isOneOf(total(path), rows), path.variable)) }
        return description
    }

    private func destination(_ description: ModelDescription, _ relationship: String) -> ModelDescription? {
        description.index(named: relationship).flatMap { description.properties[$0].destination }
            .map { ModelDescription.of($0) }
    }

    /// The path without steps that fail.
    private func total(_ path: StoreObjectPath) -> StoreObjectPath {
        switch path {
        case .variable: path
        case .related(let base, let name): .related(total(base), name)
        case .cast(let base, let entity): .cast(total(base), entity: entity)
        case .unwrapped(let base): total(base)
        }
    }

    /// The condition, for any of the objects that its variable stands for.
    private func enclosed(_ condition: StoreExpression, _ variable: Int) -> StoreExpression {
        guard let collection = collections[variable] else { return condition }
        let some = StoreCollection(
            owner: total(collection.owner), relationship: collection.relationship, variable: variable,
            filter: condition)
        return enclosed(.exists(some), collection.owner.variable)
    }
}
