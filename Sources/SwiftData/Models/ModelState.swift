import PersistentStore
import Synchronization

/// What SwiftData knows of one object beside its values. For macros' use.
///
/// Like the model itself it belongs to one context and is used where that is used.
public final class _ModelState {
    struct Flags: OptionSet {
        var rawValue: UInt16
        /// The values are in the store and were not read.
        static let fault = Flags(rawValue: 1)
        /// Waits for its first save.
        static let inserted = Flags(rawValue: 2)
        /// Among the context's changed objects.
        static let changed = Flags(rawValue: 4)
        /// Waits for its deletion to be saved.
        static let deleted = Flags(rawValue: 8)
        /// Its row is gone from the store.
        static let gone = Flags(rawValue: 16)
        /// Asked for its identifier before it had a row.
        static let handedOutTemporaryIdentifier = Flags(rawValue: 32)
        /// Records which properties are read; see Probe.swift.
        static let probe = Flags(rawValue: 64)
        /// Is being deleted: a cascade that comes back here ends.
        static let deleting = Flags(rawValue: 128)
        /// Seen by the walk that is under way.
        static let visited = Flags(rawValue: 256)
        static let pending: Flags = [.inserted, .changed, .deleted]
    }

    // Fields are read and set at once, never lent: there is nothing to check while the program runs.

    @exclusivity(unchecked) var core: ContextCore?
    /// The entity in the object's store; nil while it belongs to no context.
    // Entities live as long as the core, which is held.
    @exclusivity(unchecked) unowned(unsafe) var entity: ModelEntity?
    /// `Z_PK`; a negative number of this process until the first save, 0 before anybody asked.
    @exclusivity(unchecked) var key: Int64 = 0
    /// `Z_OPT` of the row that the values came from.
    @exclusivity(unchecked) var version: Int64 = 0
    @exclusivity(unchecked) var flags: Flags = []
    /// The properties that were set since the last save.
    @exclusivity(unchecked) var changed = PropertySet()
    /// The object itself, while its context keeps it: set as long as the object is registered.
    @exclusivity(unchecked) var retained: AnyObject?
    /// The same without keeping it.
    // Nobody but the object and the context that retains the object holds the state.
    @exclusivity(unchecked) unowned(unsafe) var model: (any PersistentModel)?
    @exclusivity(unchecked) var observation: ModelObservation?
    /// What few objects need.
    @exclusivity(unchecked) var extra: Extra?

    /// What few objects need.
    final class Extra {
        /// Changes of to-many relationships that are not read yet, by property.
        var unreadChanges: [Int: UnreadChanges] = [:]
        /// Pairs of many-to-many relationships that the next save links and unlinks, by property.
        var links: [Int: LinkChanges] = [:]
        /// What a probe records.
        var recorder: ProbeRecorder?
        /// Values that were set by key path before the object had properties of its own.
        var backing: [AnyKeyPath: Any] = [:]
    }

    struct UnreadChanges {
        var added: [any PersistentModel] = []
        var removed: [any PersistentModel] = []
    }

    struct LinkChanges {
        var added: [_ModelState] = []
        var removed: [_ModelState] = []
    }

    public init() {}

    var rare: Extra {
        if let extra { return extra }
        let made = Extra()
        extra = made
        return made
    }

    // MARK: - Observation

    /// Made when somebody who tracks it first reads a property: most objects of a large fetch are never observed.
    public var observationRegistrar: ObservationRegistrar {
        if let observation { return observation.registrar }
        let made = ModelObservation()
        observation = made
        return made.registrar
    }

    /// Tells whoever tracks that a property was read.
    public func access<Model: PersistentModel, Value>(
        _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>
    ) {
        if observation == nil, let check = core?.trackingCheck, !check.isTracked { return }
        observationRegistrar.access(model, keyPath: keyPath())
    }

    // MARK: - Identity

    var hasChanges: Bool { !flags.isDisjoint(with: .pending) || !changed.isEmpty }

    var isDeleted: Bool { !flags.isDisjoint(with: [.deleted, .gone]) }

    func identifier(of model: any PersistentModel) -> PersistentIdentifier {
        if key <= 0 {
            makeTemporaryKey()
            flags.insert(.handedOutTemporaryIdentifier)
            return PersistentIdentifier(
                storeIdentifier: nil, entityName: entity?.name ?? ModelDescription.of(type(of: model)).name,
                key: .temporary(-key))
        }
        if let entity, let mirror = entity.binding.mirror,
            let identifier = mirror.identifier(of: RowID(entity: entity.number, key: key))
        {
            return identifier
        }
        return PersistentIdentifier(
            storeIdentifier: entity?.binding.identifier, entityName: entity?.name ?? "", key: .row(key))
    }

    func makeTemporaryKey() {
        guard key == 0 else { return }
        key = -Self.temporaryKeys.add(1, ordering: .relaxed).newValue
    }

    private static let temporaryKeys = Atomic<Int64>(0)

    /// Whether both stand for one object of a store, in whatever contexts.
    func isSameObject(as other: _ModelState) -> Bool {
        guard key > 0, key == other.key, let entity, let otherEntity = other.entity else { return false }
        return entity === otherEntity
            || entity.binding === otherEntity.binding && entity.root == otherEntity.root
            || entity.name == otherEntity.name && entity.binding.identifier == otherEntity.binding.identifier
    }

    /// The hash stays the same for as long as the object lives in memory, also across its first save; objects of two contexts
    /// that are equal have equal hashes once both were saved.
    func hash(into hasher: inout Hasher) { hasher.combine(hashKey) }

    // Set when the hash is first asked for before the first save.
    private var keptHash: Int64 = 0

    private var hashKey: Int64 {
        if keptHash != 0 { return keptHash }
        if key > 0 { return key }
        makeTemporaryKey()
        keptHash = key
        return key
    }

    // MARK: - Values

    /// Reads a fault's values from its store.
    public func load(_ model: some PersistentModel) {
        guard flags.contains(.fault) else { return }
        core?.fill(self, model)
    }
}
