import PersistentStore

/// The stores of an app's models.
public class ModelContainer: Equatable, @unchecked Sendable {
    // All but `configurations` is set once; the main context is used by the main actor only.

    public let schema: Schema
    public let migrationPlan: (any SchemaMigrationPlan.Type)?
    public var configurations: Set<ModelConfiguration>
    let bindings: [StoreBinding]
    let mainCore: ContextCore

    public convenience init(
        for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
    }

    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
    }

    public init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: [ModelConfiguration]
    ) throws {
        schema = givenSchema
        self.migrationPlan = migrationPlan
        let configurations = configurations.isEmpty ? [ModelConfiguration(schema: givenSchema)] : configurations
        self.configurations = Set(configurations)
        bindings = try Self.open(configurations, givenSchema, migrationPlan)
        mainCore = ContextCore(bindings: bindings)
        mainCore.autosaveEnabled = true
        mainCore.container = self
    }

    /// A container of one version for the time of a migration's stage.
    init(migrating store: PersistentStore, _ schema: Schema, _ configuration: ModelConfiguration) {
        self.schema = schema
        migrationPlan = nil
        configurations = [configuration]
        bindings = [StoreBinding(store, configuration, schema.descriptions)]
        mainCore = ContextCore(bindings: bindings)
        mainCore.container = self
    }

    /// A container of open stores of an app's own kinds.
    init(_ schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?, _ bindings: [StoreBinding]) {
        self.schema = schema
        self.migrationPlan = migrationPlan
        configurations = []
        self.bindings = bindings
        mainCore = ContextCore(bindings: bindings)
        mainCore.autosaveEnabled = true
        mainCore.container = self
    }

    deinit { mainCore.close() }

    /// The context of the main actor. It saves by itself.
    @MainActor public var mainContext: ModelContext {
        mainCore.facadeReference ?? ModelContext(self, core: mainCore)
    }

    public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }

    // MARK: - Opening

    static func open(
        _ configurations: [ModelConfiguration], _ schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> [StoreBinding] {
        guard !schema.descriptions.isEmpty else {
            throw SwiftDataError(.unknownSchema, detail: "a container needs at least one model class")
        }
        let files = configurations.map(\.url.standardizedFileURL)
        if Set(files).count < files.count {
            throw SwiftDataError(
                .duplicateConfiguration,
                detail: "two configurations name the store \(files.map(\.path).sorted().first ?? "")")
        }
        return try configurations.map { configuration in
            try configuration.validate()
            let descriptions = configuration.schema.map(\.descriptions) ?? schema.descriptions
            let known = Set(schema.descriptions.map(\.name))
            let unknown = descriptions.map(\.name).filter { !known.contains($0) }
            guard unknown.isEmpty else {
                throw SwiftDataError(
                    .configurationSchemaNotFoundInContainerSchema,
                    detail: "the configuration \(configuration.name) has models that the container has not: "
                        + unknown.joined(separator: ", "))
            }
            if configuration.cloudKitContainerIdentifier != nil { try CloudKitRules.check(descriptions) }
            let store = try openStore(configuration, schema, descriptions, migrationPlan)
            return StoreBinding(store, configuration, descriptions)
        }
    }

    private static func openStore(
        _ configuration: ModelConfiguration, _ schema: Schema, _ descriptions: [ModelDescription],
        _ migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> PersistentStore {
        var options = PersistentStoreOptions()
        options.isReadOnly = !configuration.allowsSave && !configuration.isStoredInMemoryOnly
        let model = try schema.storeModel(of: descriptions)
        try migrationPlan?.addStages(to: &options, configuration)
        do {
            if configuration.isStoredInMemoryOnly {
                return try PersistentStore(at: .memory, model: model, options: options)
            }
            try FileManager.default.createDirectory(
                at: configuration.url.deletingLastPathComponent(), withIntermediateDirectories: true)
            return try PersistentStore(at: .file(configuration.url), model: model, options: options)
        } catch {
            throw SwiftDataError(.loadIssueModelContainer, detail: String(describing: error), underlying: error)
        }
    }

    // MARK: - Names

    /// The name of the configuration whose store has the identifier.
    public func configurationName(forStoreIdentifier identifier: String) -> String? {
        bindings.first { $0.identifier == identifier }?.configuration.name
    }

    /// The identifier of the store of a configuration.
    public func storeIdentifier(forConfigurationNamed name: String) -> String? {
        bindings.first { $0.configuration.name == name }?.identifier
    }

    // MARK: - Erasing

    /// Deletes every object of every store.
    public func erase() throws {
        for binding in bindings { try binding.erase() }
    }

    @available(*, deprecated, message: "Use erase(), which tells of failure.")
    public func deleteAllData() { try? erase() }
}
