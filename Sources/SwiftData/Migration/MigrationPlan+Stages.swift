import PersistentStore

extension SchemaMigrationPlan {
    /// The plan's stages as a store takes them.
    ///
    /// - Throws: `backwardMigration` for a stage that leads to an older version, `unknownSchema` for one of a version that the
    ///   plan does not list.
    static func addStages(
        to options: inout PersistentStoreOptions, _ configuration: ModelConfiguration
    ) throws {
        let known = schemas.map { ObjectIdentifier($0) }
        for stage in stages {
            let (from, to) = stage.versions
            for version in [from, to] where !known.contains(ObjectIdentifier(version)) {
                throw SwiftDataError(
                    .unknownSchema, detail: "\(Self.self) has a stage with \(version), which its `schemas` do not list")
            }
            guard from.versionIdentifier < to.versionIdentifier else {
                throw SwiftDataError(
                    .backwardMigration,
                    detail: "a stage of \(Self.self) leads from \(from.versionIdentifier) to \(to.versionIdentifier)")
            }
            let (before, after) = (Schema(versionedSchema: from), Schema(versionedSchema: to))
            options.addMigrationStage(
                from: try before.storeModel(), to: try after.storeModel(),
                willMigrate: stage.work(before: true, before, configuration),
                didMigrate: stage.work(before: false, after, configuration))
        }
    }
}

extension MigrationStage {
    fileprivate var versions: (from: any VersionedSchema.Type, to: any VersionedSchema.Type) {
        switch self {
        case .lightweight(let from, let to): (from, to)
        case .custom(let from, let to, _, _): (from, to)
        }
    }

    /// An app's closure with a context over the store in the middle of its migration.
    fileprivate func work(
        before: Bool, _ schema: Schema, _ configuration: ModelConfiguration
    ) -> (@Sendable (PersistentStore) throws -> Void)? {
        guard case .custom(_, _, let willMigrate, let didMigrate) = self,
            let closure = before ? willMigrate : didMigrate
        else { return nil }
        // Called by the opening of the store, on the thread that opens it, before that returns.
        nonisolated(unsafe) let body = closure
        return { store in
            let container = ModelContainer(migrating: store, schema, configuration)
            let context = ModelContext(container)
            try body(context)
            // What the closure changed belongs to the migration, whether it said so or not.
            try context.save()
        }
    }
}
