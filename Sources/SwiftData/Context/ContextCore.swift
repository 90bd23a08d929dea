import PersistentStore

/// The objects of one context: who is registered, and what waits to be saved.
///
/// `ModelContext` is what an app holds; the core lives on for as long as any object of it does, so that an object outlives its
/// context without a trap. Used wherever its context is used, one thread at a time.
package final class ContextCore {
    let bindings: [StoreBinding]
    let editingIdentifier = UUID()
    var author: String?
    var autosaveEnabled = false {
        didSet { if hasChanges { scheduleAutosave() } }
    }
    var isAutosaveScheduled = false
    /// Told of each change that waits to be saved, and when such changes are taken back.
    var changeObservers: [Int: () -> Void] = [:]
    weak var container: ModelContainer?
    weak var facadeReference: ModelContext?
    /// The context's own end: nothing is registered any more.
    private(set) var isClosed = false

    // Reached only through the core, which calls nobody while it does.
    @exclusivity(unchecked) private var tables: IdentityTables
    private var entities: [ObjectIdentifier: ModelEntity] = [:]
    /// Where the tables of each store begin.
    private let firstTables: [ObjectIdentifier: Int]

    /// Objects with unsaved changes, in the order in which they got them. One that has none any more stays until the next save
    /// and is told by its flags.
    var inserted = PendingStates()
    var changed = PendingStates()
    var deleted = PendingStates()
    /// Deletes that a rule may forbid: decided when all that goes is known.
    var denials: [(state: _ModelState, property: PropertyDescription, related: [_ModelState])] = []
    /// What one condition deletes, where nothing else waits to be saved.
    var batchDeletion: BatchDeletion?
    /// Why an object could not be inserted: told by the next save.
    var insertionError: (any Error)?
    /// Why a value could not be read: a property's getter has no way to throw.
    package var lastReadError: (any Error)?
    /// Saved objects by the temporary identifier that somebody was given before.
    var temporary: [Int64: _ModelState] = [:]
    /// Told of each value that is about to change.
    var undo: (any ChangeRecorder)?
    let trackingCheck = TrackingCheck()

    /// Whether it only brings the rows of a mirror up to date: it tells nobody of its work.
    let fillsMirror: Bool

    init(bindings: [StoreBinding], fillsMirror: Bool = false) {
        self.bindings = bindings
        self.fillsMirror = fillsMirror
        var first: [ObjectIdentifier: Int] = [:]
        var count = 0
        for binding in bindings {
            first[ObjectIdentifier(binding)] = count
            count += binding.rootCount
        }
        firstTables = first
        tables = IdentityTables(count)
        if !fillsMirror { for binding in bindings { binding.mirror?.initializeState(editingState) } }
    }

    deinit {
        trackingCheck.end()
        if !fillsMirror { for binding in bindings { binding.mirror?.invalidateState(editingState) } }
    }

    /// The context as an app holds it; made anew when the app let go of it while objects are left.
    var facade: ModelContext? {
        if let facadeReference { return facadeReference }
        guard !isClosed, let container else { return nil }
        return ModelContext(container, core: self)
    }

    var hasChanges: Bool { inserted.live > 0 || changed.live > 0 || deleted.live > 0 }

    /// Lets go of all objects. They keep the values that were read.
    func close() {
        isClosed = true
        undo?.forget()
        undo = nil
        inserted.removeAll()
        changed.removeAll()
        deleted.removeAll()
        tables.removeAll()
    }

    // MARK: - Entities

    /// The entity of a class: in the first of the container's stores that has it.
    func entity(of type: any PersistentModel.Type) -> ModelEntity? {
        let id = ObjectIdentifier(type)
        if let entity = entities[id] { return entity }
        let name = ModelDescription.of(type).name
        guard let entity = bindings.lazy.compactMap({ $0.entity(named: name) }).first else { return nil }
        entities[id] = entity
        return entity
    }

    // MARK: - Registered objects

    private func tableIndex(_ entity: ModelEntity) -> Int {
        (bindings.count == 1 ? 0 : firstTables[ObjectIdentifier(entity.binding)] ?? 0) + entity.root
    }

    func registered(_ entity: ModelEntity, _ key: Int64) -> _ModelState? {
        tables[tableIndex(entity)].state(of: key)
    }

    func register(_ state: _ModelState, _ model: any PersistentModel, _ entity: ModelEntity, key: Int64) {
        state.core = self
        state.entity = entity
        state.key = key
        state.retained = model
        state.model = model
        guard !isClosed else {
            state.retained = nil
            return
        }
        tables[tableIndex(entity)].insert(state, key: key)
    }

    func unregister(_ state: _ModelState) {
        guard let entity = state.entity, state.key > 0 else { return }
        tables[tableIndex(entity)].remove(state.key)
        state.retained = nil
    }

    /// How many objects the context has.
    package var registeredCount: Int { tables.count }

    func forEachRegistered(_ body: (_ModelState) -> Void) { tables.forEach(body) }

    // MARK: - Letting go

    /// How many registered objects are looked through for ones that nobody uses.
    private var sweepThreshold = 8192

    /// Lets go of unchanged objects that only the context still holds, when as many were registered as there were the last time:
    /// they pay for the work. Between the context's doings, while none of its own code holds objects.
    func letGoOfUnused() {
        guard tables.count > sweepThreshold else { return }
        tables.removeUnused()
        sweepThreshold = max(8192, tables.count * 2)
    }
}

/// One identity table for each root entity of each store.
struct IdentityTables: ~Copyable {
    private let tables: UnsafeMutablePointer<IdentityTable>
    private let tableCount: Int

    init(_ count: Int) {
        tableCount = count
        tables = .allocate(capacity: max(count, 1))
        for index in 0..<count { (tables + index).initialize(to: IdentityTable()) }
    }

    deinit {
        tables.deinitialize(count: tableCount)
        tables.deallocate()
    }

    subscript(_ index: Int) -> IdentityTable {
        _read { yield tables[index] }
        nonmutating _modify { yield &tables[index] }
    }

    var count: Int {
        var count = 0
        for index in 0..<tableCount { count += tables[index].count }
        return count
    }

    func forEach(_ body: (_ModelState) -> Void) {
        for index in 0..<tableCount { tables[index].forEach(body) }
    }

    func removeAll() {
        for index in 0..<tableCount {
            for state in tables[index].removeAll(where: { _ in true }) { state.retained = nil }
        }
    }

    func removeUnused() {
        // Objects of a to-many and its inverse hold each other: what was read of to-manys is forgotten, and read again by those
        // who still use it.
        forEach { state in
            guard state.flags.isDisjoint(with: .pending), let description = state.entity?.description,
                let model = state.model
            else { return }
            for index in description.toManyProperties { model.perform(.unload, at: index) }
        }
        // An object that went may have been the last that held another.
        var before = count + 1
        while count < before {
            before = count
            removeUnreferenced()
        }
    }

    private func removeUnreferenced() {
        for index in 0..<tableCount {
            let unused = tables[index].removeAll { state in
                state.flags.isDisjoint(with: .pending) && isKnownUniquelyReferenced(&state.retained)
            }
            // The objects go with them.
            for state in unused { state.retained = nil }
        }
    }
}

/// Objects that wait to be saved in one way.
struct PendingStates {
    private(set) var states: [_ModelState] = []
    /// How many of them still do.
    private(set) var live = 0
    /// Those that wait no more but may do so again: none is in the list twice.
    private var discounted: Set<ObjectIdentifier> = []

    mutating func append(_ state: _ModelState) {
        if discounted.isEmpty || discounted.remove(ObjectIdentifier(state)) == nil { states.append(state) }
        live += 1
    }

    /// One of them waits no more; its flag has been taken away.
    mutating func discount(_ state: _ModelState) {
        discounted.insert(ObjectIdentifier(state))
        live -= 1
    }

    mutating func removeAll() {
        states = []
        discounted = []
        live = 0
    }
}

/// Hears of each change before it is made, so that it can be undone.
package protocol ChangeRecorder: AnyObject {
    func willChange(_ model: any PersistentModel, _ property: Int)
    func didInsert(_ model: any PersistentModel)
    func willDelete(_ model: any PersistentModel)
    /// The changes are taken back, or the context is over: nothing of before can be undone any more.
    func forget()
}
