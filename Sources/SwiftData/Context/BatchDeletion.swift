/// A `delete(model:where:)` that the context has not saved, for a store that deletes in batches.
struct BatchDeletion {
    /// The objects that matched, each without unsaved changes.
    private let states: Set<ObjectIdentifier>
    /// Has a store do it, and its rows in memory follow.
    let run: (StoreMirror, [_ModelState], () throws -> Void) throws -> Void

    init<Model: PersistentModel>(_ objects: [Model], _ request: DataStoreBatchDeleteRequest<Model>) {
        states = Set(objects.map { ObjectIdentifier($0._$state) })
        run = { mirror, deleted, save in try mirror.delete(request, deleted, rows: save) }
    }

    /// Whether nothing else is deleted: by a delete rule, or by itself.
    func isAll(of deleted: [_ModelState]) -> Bool {
        deleted.count == states.count && deleted.allSatisfy { states.contains(ObjectIdentifier($0)) }
    }
}
