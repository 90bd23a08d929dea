import PersistentStore

/// The objects that somebody works with, and what of them is not saved yet.
///
/// Used by one thread or actor at a time.
public class ModelContext: Equatable, SendableMetatype, CustomDebugStringConvertible {
    package let core: ContextCore
    /// The container that the context belongs to.
    public let container: ModelContainer
    private let isMain: Bool

    public init(_ container: ModelContainer) {
        self.container = container
        core = ContextCore(bindings: container.bindings)
        core.container = container
        isMain = false
        core.facadeReference = self
    }

    /// A context for a core that lived on.
    init(_ container: ModelContainer, core: ContextCore) {
        self.container = container
        self.core = core
        isMain = core === container.mainCore
        core.facadeReference = self
    }

    deinit {
        // The main context's objects and changes belong to the container, which may give out the context again.
        if !isMain { core.close() }
    }

    public static func == (lhs: ModelContext, rhs: ModelContext) -> Bool { lhs.core === rhs.core }

    public var debugDescription: String {
        "ModelContext of \(container.schema.debugDescription): \(insertedModelsArray.count) inserted, "
            + "\(changedModelsArray.count) changed, \(deletedModelsArray.count) deleted"
    }

    // MARK: - State

    /// Whether changes are saved by themselves after a while.
    public var autosaveEnabled: Bool {
        get { core.autosaveEnabled }
        set { core.autosaveEnabled = newValue }
    }

    public var hasChanges: Bool { core.hasChanges }

    /// Who the history says has made the changes.
    public var author: String? {
        get { core.author }
        set { core.author = newValue }
    }

    /// Setting it changes the author alone.
    public var editingState: EditingState {
        get { EditingState(id: core.editingIdentifier, author: core.author) }
        set { core.author = newValue.author }
    }

    public var insertedModelsArray: [any PersistentModel] { core.inserted.models(.inserted) }
    public var changedModelsArray: [any PersistentModel] { core.changed.models(.changed) }
    public var deletedModelsArray: [any PersistentModel] { core.deleted.models(.deleted) }

    // MARK: - Changing

    /// Makes an object, and what it is related to, part of the context; it is kept at the next save.
    public func insert<T>(_ model: T) where T: PersistentModel { core.insert(model) }

    /// Deletes an object, and by its relationships' delete rules what depends on it, at the next save.
    public func delete<T>(_ model: T) where T: PersistentModel { core.delete(model) }

    /// Forgets all that is not saved.
    public func rollback() { core.rollback() }

    /// Saves what waits to be saved by itself. Relationships and delete rules need no processing: they hold at once.
    public func processPendingChanges() {
        if autosaveEnabled { core.autosave() }
    }

    /// Keeps all changes.
    public func save() throws { try core.save() }

    /// Runs a block and keeps what it changed; a block that throws leaves nothing of its changes.
    public func transaction(block: () throws -> Void) throws {
        do {
            try block()
        } catch {
            rollback()
            throw error
        }
        try save()
    }

    // MARK: - Fetching

    public func fetch<T>(_ descriptor: FetchDescriptor<T>) throws -> [T] where T: PersistentModel {
        try core.fetch(descriptor)
    }

    public func fetchCount<T>(_ descriptor: FetchDescriptor<T>) throws -> Int where T: PersistentModel {
        try core.fetchCount(descriptor)
    }

    public func fetchIdentifiers<T>(
        _ descriptor: FetchDescriptor<T>
    ) throws -> [PersistentIdentifier] where T: PersistentModel {
        try core.fetchIdentifiers(descriptor)
    }

    // MARK: - By identifier

    /// The object of an identifier. Without one in the store it is an object without values whose `isDeleted` is true.
    public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
        core.model(for: persistentModelID)
    }

    /// The object of an identifier, when the context has it already.
    public func registeredModel<T>(
        for persistentModelID: PersistentIdentifier
    ) -> T? where T: PersistentModel {
        core.registeredModel(for: persistentModelID) as? T
    }
}

extension PendingStates {
    func models(_ flag: _ModelState.Flags) -> [any PersistentModel] {
        states.compactMap { $0.flags.contains(flag) ? $0.model : nil }
    }
}
