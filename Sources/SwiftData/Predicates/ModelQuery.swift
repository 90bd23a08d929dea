import Foundation
import PersistentStore

/// What a fetch asks of the store, and the same question for objects that were not saved yet.
package struct ModelQuery<Model: PersistentModel>: Sendable {
    package private(set) var query: StoreQuery
    private let identity: PredicateIdentity

    /// Throws `unsupportedPredicate`, `unsupportedKeyPath` or `unsupportedSortDescriptor` naming the part that the store cannot
    /// answer.
    package init(
        predicate: Predicate<Model>?, sortBy: [SortDescriptor<Model>] = [], limit: Int? = nil, offset: Int? = nil,
        includesSubentities: Bool = true, layout: StoreLayout, storeIdentifier: String?
    ) throws(SwiftDataError) {
        try self.init(
            predicate: predicate, sortBy: sortBy, limit: limit, offset: offset,
            includesSubentities: includesSubentities, layout: layout, storeIdentifier: storeIdentifier, mirror: nil)
    }

    /// - Parameters:
    ///   - mirror: knows the rows of identifiers of an app's own store.
    ///   - core: knows what became of the identifiers that it gave to objects before their first save.
    init(
        predicate: Predicate<Model>?, sortBy: [SortDescriptor<Model>], limit: Int?, offset: Int?,
        includesSubentities: Bool, layout: StoreLayout, storeIdentifier: String?, mirror: StoreMirror?,
        core: ContextCore? = nil
    ) throws(SwiftDataError) {
        let identity = PredicateIdentity(layout: layout, storeIdentifier: storeIdentifier, mirror: mirror)
        self.identity = identity
        do {
            query = StoreQuery(
                entity: ModelDescription.of(Model.self).name, includesSubentities: includesSubentities,
                predicate: try predicate.map { try PredicateTranslation.expression(of: $0, identity, core) },
                sort: try sortBy.map(SortTranslation.sort), limit: limit, offset: offset)
        } catch {
            throw SwiftDataError(error as? PredicateProblem ?? .predicate("\(error)"))
        }
    }

    /// The same question for a part of the answer; negative numbers say nothing.
    func page(_ limit: Int?, _ offset: Int?) -> ModelQuery {
        var page = self
        page.query.limit = limit.flatMap { $0 < 0 ? nil : $0 }
        page.query.offset = offset.flatMap { $0 < 0 ? nil : $0 }
        return page
    }

    /// Whether an object matches the predicate as its row would. Never traps.
    package func matches(_ model: Model) -> Bool {
        query.predicate?.matches(ModelObject(model: model, identity: identity)) ?? true
    }

    /// The order of two objects by the descriptors alone.
    package func compare(_ first: Model, _ second: Model) -> ComparisonResult {
        let left = ModelObject(model: first, identity: identity)
        let right = ModelObject(model: second, identity: identity)
        for key in query.sort {
            let order = key.compare(
                key.expression.value(of: left) ?? .null, key.expression.value(of: right) ?? .null)
            if order != .orderedSame { return order }
        }
        return .orderedSame
    }
}

extension PredicateTranslation {
    static func expression<Model: PersistentModel>(
        of predicate: Predicate<Model>, _ identity: PredicateIdentity, _ core: ContextCore?
    ) throws -> StoreExpression {
        let translation = PredicateTranslation(identity, core)
        translation.bind(predicate.variable, to: .object(.variable(0)))
        return try translation.condition(predicate.expression)
    }
}

/// Sort descriptors as the store orders.
enum SortTranslation {
    static func sort<Model: PersistentModel>(_ descriptor: SortDescriptor<Model>) throws -> StoreSort {
        guard let keyPath = descriptor.keyPath else {
            throw PredicateProblem.sortDescriptor("a sort descriptor without a key path")
        }
        let path: (properties: [PropertyDescription], members: [String])
        do {
            path = try PredicateKeyPaths.path(keyPath, of: Model.self)
        } catch PredicateProblem.keyPath(let part) {
            throw PredicateProblem.sortDescriptor(part)
        }
        guard let last = path.properties.last else { throw PredicateProblem.sortDescriptor("an empty key path") }
        let object = path.properties.dropLast().reduce(StoreObjectPath.variable(0)) { .related($0, $1.name) }
        let expression = StoreExpression.attribute(object, ([last.name] + path.members).joined(separator: "."))
        let type = withoutOptional(Swift.type(of: keyPath).valueType)
        switch last.kind {
        case .value: break
        case .composite where !path.members.isEmpty: break
        default: throw PredicateProblem.sortDescriptor("\(last.name), which has no order in the store")
        }
        let ascending = descriptor.order == .forward
        if type == String.self {
            guard let comparator = descriptor.stringComparator, comparator != .lexical else {
                return StoreSort(expression, ascending: ascending, order: .value(.text))
            }
            let order: StoreTextOrder = comparator == .localized ? .localized : .localizedStandard
            return StoreSort(expression, ascending: ascending, order: .text(order))
        }
        guard let kind = PredicateConstants.kind(of: type), PredicateConstants.isOrdered(type) else {
            throw PredicateProblem.sortDescriptor("\(last.name), whose type \(type) has no order in the store")
        }
        return StoreSort(expression, ascending: ascending, order: .value(kind))
    }
}

extension SwiftDataError {
    init(_ problem: PredicateProblem) {
        switch problem {
        case .predicate(let part): self.init(.unsupportedPredicate, detail: part)
        case .keyPath(let part): self.init(.unsupportedKeyPath, detail: part)
        case .sortDescriptor(let part): self.init(.unsupportedSortDescriptor, detail: part)
        }
    }
}
