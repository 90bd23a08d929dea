import Foundation
import SQL

/// How a store is opened.
package struct PersistentStoreOptions: Sendable {
    /// Nothing is written: no log, no migration.
    package var isReadOnly = false
    /// Each write leaves its changes in the history.
    package var tracksHistory = true
    /// A file of another version of the model is changed to this one where no custom stage is needed. False: it is refused.
    package var migratesLightly = true
    /// The versions between a file's and the store's model, oldest first, with the work before and after each.
    package var migrationStages: [MigrationStage] = []
    /// When a commit waits for the disk.
    package var synchronous = SQLiteOptions.Synchronous.full
    /// How long a write waits for another process's.
    package var lockTimeout: TimeInterval = 120
    /// The name of a registered virtual file system of SQLite; nil is the system's own.
    package var fileSystem: String?
    /// What the history calls this program.
    package var bundleIdentifier: String?

    package init() {}

    /// A step for a layer above that has a type of the stage's name.
    package mutating func addMigrationStage(
        from: StoreModel, to: StoreModel, willMigrate: (@Sendable (PersistentStore) throws -> Void)?,
        didMigrate: (@Sendable (PersistentStore) throws -> Void)?
    ) {
        migrationStages.append(MigrationStage(from: from, to: to, willMigrate: willMigrate, didMigrate: didMigrate))
    }
}

/// One step of a migration. All steps and the change of the file are one transaction: after a crash the file is as it was.
package struct MigrationStage: Sendable {
    package var from: StoreModel
    package var to: StoreModel
    /// Called with the store as it is before the change, opened with `from`. What is written through it belongs to the
    /// migration. The store is usable inside the call only.
    package var willMigrate: (@Sendable (PersistentStore) throws -> Void)?
    /// Called with the store after the change, opened with `to`.
    package var didMigrate: (@Sendable (PersistentStore) throws -> Void)?

    package init(
        from: StoreModel, to: StoreModel, willMigrate: (@Sendable (PersistentStore) throws -> Void)? = nil,
        didMigrate: (@Sendable (PersistentStore) throws -> Void)? = nil
    ) {
        self.from = from
        self.to = to
        self.willMigrate = willMigrate
        self.didMigrate = didMigrate
    }
}
