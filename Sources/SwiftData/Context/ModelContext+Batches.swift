import PersistentStore

extension ModelContext {
    /// What a fetch finds, read in batches as it is looked at. With unsaved changes that the fetch has to include, everything
    /// is read at once.
    public func fetch<T>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<T> where T: PersistentModel {
        guard let (binding, rows) = try core.identities(descriptor) else {
            return FetchResultsCollection(try core.fetch(descriptor))
        }
        return FetchResultsCollection(BatchedObjects(rows, binding, core, batchSize: batchSize))
    }

    public func fetchIdentifiers<T>(
        _ descriptor: FetchDescriptor<T>, batchSize: Int
    ) throws -> FetchResultsCollection<PersistentIdentifier> where T: PersistentModel {
        FetchResultsCollection(try core.fetchIdentifiers(descriptor))
    }

    /// Calls a block for each object that a fetch finds. Objects that nobody keeps are let go after each batch, so that any
    /// number can be gone through.
    ///
    /// - Parameter allowEscapingMutations: changes of earlier batches stay unsaved until the context is saved, whatever this says.
    public func enumerate<T>(
        _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
        block: (_ model: T) throws -> Void
    ) throws where T: PersistentModel {
        try core.enumerate(fetch, batchSize: batchSize, block)
    }

    /// Deletes all objects that match, by the delete rules of their relationships; kept at the next save.
    public func delete<T>(
        model: T.Type, where predicate: Predicate<T>? = nil, includeSubclasses: Bool = true
    ) throws where T: PersistentModel {
        let plan = try FetchPlan(FetchDescriptor<T>(predicate: predicate), core, includesSubentities: includeSubclasses)
        let isFirst = !core.hasChanges
        let objects = try core.fetch(plan)
        for object in objects { core.delete(object) }
        if isFirst, let mirror = plan.soleMirror, mirror.deletesInBatches {
            core.batchDeletion = BatchDeletion(
                objects,
                DataStoreBatchDeleteRequest(
                    editingState: editingState, predicate: predicate, includeSubclasses: includeSubclasses))
        }
    }
}
