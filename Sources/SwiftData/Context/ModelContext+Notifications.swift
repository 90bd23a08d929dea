import PersistentStore

extension ModelContext {
    /// Posted with the context before it saves; what observers change is saved too.
    public static let willSave = Notification.Name("SwiftDataModelContextWillSave")
    /// Posted with the context once it has saved; `userInfo` has arrays of identifiers by the keys' raw values.
    public static let didSave = Notification.Name("SwiftDataModelContextDidSave")

    public enum NotificationKey: String, Sendable {
        case queryGeneration, invalidatedAllIdentifiers, insertedIdentifiers, updatedIdentifiers, deletedIdentifiers
    }
}

/// Whose objects a save inserted, updated and deleted, as its notification tells.
struct SavedIdentifiers {
    private let inserted: [_ModelState]
    private let updated: [_ModelState]
    /// Taken before the save, after which they have none.
    private let deleted: [PersistentIdentifier]

    init(_ core: ContextCore) {
        inserted = core.inserted.states.filter { $0.flags.contains(.inserted) }
        updated = core.changed.states.filter { $0.flags.contains(.changed) }
        deleted = core.deleted.models(.deleted).map { $0.persistentModelID }
    }

    var userInfo: [AnyHashable: Any] {
        [
            ModelContext.NotificationKey.insertedIdentifiers.rawValue: identifiers(inserted),
            ModelContext.NotificationKey.updatedIdentifiers.rawValue: identifiers(updated),
            ModelContext.NotificationKey.deletedIdentifiers.rawValue: deleted,
        ]
    }

    private func identifiers(_ states: [_ModelState]) -> [PersistentIdentifier] {
        states.compactMap { $0.model?.persistentModelID }
    }
}
