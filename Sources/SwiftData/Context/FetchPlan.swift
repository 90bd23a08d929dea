import Foundation
import PersistentStore

/// How a fetch is carried out: what the store does, and what is left for memory.
///
/// The store finds, orders and pages. Only objects with unsaved changes, and those that the query relates to such, are judged here,
/// by what they are now: they are taken out of the store's answer and put where they belong.
struct FetchPlan<Model: PersistentModel> {
    let descriptor: FetchDescriptor<Model>
    let parts: [(binding: StoreBinding, asked: ModelQuery<Model>)]
    /// Whether the store's answer is not yet the result.
    let needsMemory: Bool
    /// Whether neither unsaved changes nor other stores have a say.
    let isAnswerComplete: Bool
    /// Objects with unsaved changes that the store's answer may have missed.
    private let pending: [Model]

    var prefetches: Bool { !descriptor.relationshipKeyPathsForPrefetching.isEmpty }
    var bindings: [StoreBinding] { parts.map(\.binding) }
    /// What the first store is asked.
    var query: StoreQuery { parts[0].asked.query }

    /// Throws `unknownSchema`, and `unsupportedPredicate`, `unsupportedKeyPath` or `unsupportedSortDescriptor` naming the part that
    /// the store cannot answer.
    init(_ descriptor: FetchDescriptor<Model>, _ core: ContextCore, includesSubentities: Bool = true) throws {
        self.descriptor = descriptor
        let name = ModelDescription.of(Model.self).name
        let bindings = core.bindings.filter { $0.entity(named: name) != nil }
        guard !bindings.isEmpty else {
            throw SwiftDataError(
                .unknownSchema,
                detail: "\(Model.self) is none of the container's models: name it in ModelContainer(for:)")
        }
        var pending: [Model] = []
        if descriptor.includePendingChanges {
            for state in core.inserted.states where state.flags.contains(.inserted) {
                if let model = state.model as? Model { pending.append(model) }
            }
            for state in core.changed.states where state.flags.contains(.changed) {
                if let model = state.model as? Model { pending.append(model) }
            }
            if !includesSubentities { pending.removeAll { type(of: $0) != Model.self } }
        }
        let hides =
            core.deleted.live > 0 && core.deleted.states.contains { $0.flags.contains(.deleted) && $0.model is Model }
        let all = try bindings.map { binding in
            let asked = try ModelQuery(
                predicate: descriptor.predicate, sortBy: descriptor.sortBy, limit: nil, offset: nil,
                includesSubentities: includesSubentities, layout: binding.store.layout,
                storeIdentifier: binding.identifier, mirror: binding.mirror, core: core)
            if descriptor.includePendingChanges {
                pending += try Self.asking { try core.reachingChanges(asked.query, binding, pending) }
            }
            return (binding, asked)
        }
        self.pending = pending
        isAnswerComplete = pending.isEmpty && !hides && bindings.count == 1
        let needsMemory = !isAnswerComplete || bindings.contains { $0.mirror != nil }
        self.needsMemory = needsMemory
        parts = all.map { binding, asked in
            if needsMemory { return (binding, asked) }
            return (binding, asked.page(descriptor.fetchLimit, descriptor.fetchOffset))
        }
    }

    /// Brings what the store gave together with what is unsaved.
    func refine(_ objects: inout [Model]) {
        if !pending.isEmpty {
            let unsaved = Set(pending.lazy.map { ObjectIdentifier($0) })
            objects.removeAll { unsaved.contains(ObjectIdentifier($0)) }
            objects += pending.filter { model in parts.contains { $0.asked.matches(model) } }
        }
        if !pending.isEmpty || parts.count > 1 { sort(&objects) }
        if let offset = descriptor.fetchOffset, offset > 0 { objects.removeFirst(min(offset, objects.count)) }
        if let limit = descriptor.fetchLimit, limit >= 0, objects.count > limit {
            objects.removeLast(objects.count - limit)
        }
    }

    /// By the descriptor, and as the store would: by keys where it says nothing, those without one last.
    func sort(_ objects: inout [Model]) {
        let asked = parts[0].asked
        objects.sort { first, second in
            switch asked.compare(first, second) {
            case .orderedAscending: true
            case .orderedDescending: false
            case .orderedSame: first.persistentModelID.key < second.persistentModelID.key
            }
        }
    }

    /// The store's own errors about a query as SwiftData's.
    static func asking<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch PersistentStoreError.unsupportedQuery(let part) {
            throw SwiftDataError(.unsupportedPredicate, detail: part)
        }
    }
}
