import PersistentStore

extension ModelContainer {
    /// A container with stores of an app's own kinds.
    @_disfavoredOverload
    public convenience init(
        for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: any DataStoreConfiguration...
    ) throws {
        try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
    }

    @_disfavoredOverload
    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: any DataStoreConfiguration...
    ) throws {
        try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
    }

    @_disfavoredOverload
    public convenience init(
        for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: [any DataStoreConfiguration]
    ) throws {
        let bindings = try configurations.flatMap { configuration in
            guard let configuration = configuration as? ModelConfiguration else {
                return [try Self.open(configuration, givenSchema, migrationPlan)]
            }
            return try Self.open([configuration], givenSchema, migrationPlan)
        }
        guard !bindings.isEmpty, !givenSchema.descriptions.isEmpty else {
            throw SwiftDataError(
                .unknownSchema, detail: "a container needs at least one configuration and one model class")
        }
        if Set(bindings.map(\.identifier)).count < bindings.count {
            throw SwiftDataError(.duplicateConfiguration, detail: "two configurations open the same store")
        }
        self.init(givenSchema, migrationPlan, bindings)
        self.configurations = Set(configurations.compactMap { $0 as? ModelConfiguration })
    }

    private static func open<Configuration: DataStoreConfiguration>(
        _ given: Configuration, _ schema: Schema, _ migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> StoreBinding {
        var configuration = given
        if configuration.schema == nil { configuration.schema = schema }
        try configuration.validate()
        let descriptions = (configuration.schema ?? schema).descriptions
        for description in descriptions {
            for property in description.properties where property.destination == nil {
                guard !(property.wrappedType is any Codable.Type) else { continue }
                throw SwiftDataError(
                    .loadIssueModelContainer,
                    detail:
                        "\(description.name).\(property.name) is not Codable: the store \(configuration.name) could "
                        + "not keep it")
            }
        }
        let store = try Configuration.Store(configuration, migrationPlan: migrationPlan)
        SnapshotEntities.register(descriptions, for: store.identifier)
        var model = try schema.storeModel(of: descriptions)
        // What is unique is for the app's store to say.
        for index in model.entities.indices { model.entities[index].uniquenessConstraints = [] }
        return StoreBinding(
            try PersistentStore(at: .memory, model: model, options: PersistentStoreOptions()),
            ModelConfiguration(configuration.name, schema: configuration.schema, isStoredInMemoryOnly: true),
            descriptions, mirror: StoreMirror(DataStoreAccess(store: store)))
    }
}
