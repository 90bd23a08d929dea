import Foundation
import PersistentStore

// Relationships, captured collections, array attributes and ranges.

extension PredicateConstants {
    static func elements(_ collection: some Collection) -> [Any] { collection.map { $0 as Any } }

    static func element<Elements: Collection>(of type: Elements.Type) -> Any.Type { Elements.Element.self }
}

extension PredicateTranslation {
    /// More than this many parts made of one captured list are refused.
    private static let expansionLimit = 1_000

    /// The condition for each element of a captured collection.
    fileprivate func conditions<Elements: Sequence>(
        _ value: Any, as type: Elements.Type, _ variable: PredicateExpressions.Variable<Elements.Element>,
        _ test: some PredicateExpression
    ) throws -> [StoreExpression] {
        guard let elements = value as? Elements else { return [] }
        var conditions: [StoreExpression] = []
        for element in elements {
            guard conditions.count < Self.expansionLimit else {
                throw PredicateProblem.predicate(
                    "a condition for each of more than \(Self.expansionLimit) captured elements: capture what is compared and use contains(_:)"
                )
            }
            bind(variable, to: .constant(element))
            conditions.append(try condition(test))
        }
        return conditions
    }

    /// The objects of a relationship for which the test holds.
    fileprivate func filtered<Element>(
        _ collection: StoreCollection, _ variable: PredicateExpressions.Variable<Element>,
        where test: () throws -> StoreExpression
    ) throws -> StoreCollection {
        bind(variable, to: .object(.variable(collection.variable)))
        return collection.filtered(by: try test())
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.term(sequence) {
        case .many(let collection):
            return .value(.exists(try context.filtered(collection, variable) { try context.condition(test) }))
        case .constant(let value):
            return .value(.or(try context.conditions(value, as: LHS.Output.self, variable, test)))
        default: throw PredicateProblem.predicate("contains(where:) on an array attribute or text")
        }
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.term(sequence) {
        case .many(let collection):
            let others = try context.filtered(collection, variable) { .not(try context.condition(test)) }
            return .value(.not(.exists(others)))
        case .constant(let value):
            return .value(.and(try context.conditions(value, as: LHS.Output.self, variable, test)))
        default: throw PredicateProblem.predicate("allSatisfy on an array attribute or text")
        }
    }
}

extension PredicateExpressions.Filter: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.term(sequence) {
        case .many(let collection):
            return .many(try context.filtered(collection, variable) { try context.condition(filter) })
        case .constant(let value):
            guard let elements = value as? LHS.Output else { break }
            var kept: [LHS.Output.Element] = []
            for element in elements {
                context.bind(variable, to: .constant(element))
                switch try context.condition(filter) {
                case .true: kept.append(element)
                case .false: continue
                default: throw PredicateProblem.predicate("a captured collection filtered by the row's values")
                }
            }
            return .constant(kept)
        default: break
        }
        throw PredicateProblem.predicate("filter on an array attribute or text")
    }
}

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let (elements, wanted) = (try context.term(sequence), try context.term(element))
        switch (elements, wanted) {
        case (.constant, .constant): return try context.constant(self)
        case (.constant(let value), .object(let object)), (.constant(let value), .identifier(let object)):
            guard let list = value as? LHS.Output else { break }
            let all = list.map { $0 as Any }
            let test = StoreExpression.isOneOf(object, try context.rows(all))
            return .value(all.contains { unwrapped($0) == nil } ? .or([.isNoObject(object), test]) : test)
        case (.constant(let value), _):
            let own = try context.value(wanted)
            if let range = try context.range(value) { return .value(try context.contains(range, own)) }
            if let text = unwrapped(value) as? String { return .value(.text(.contains, .constant(.string(text)), own)) }
            guard let list = value as? LHS.Output else { break }
            let values = try PredicateConstants.values(list)
            if values.isEmpty { return .constant(false) }
            return .value(.isAmong(own, values, as: try context.kind(RHS.Output.self, comparedWith: values)))
        case (.many(let collection), .constant(let value)):
            let rows = try context.rows([value])
            return .value(.exists(collection.filtered(by: .isOneOf(.variable(collection.variable), rows))))
        case (.many(let collection), .object(let object)):
            return .value(.exists(collection.filtered(by: .isSameObject(.variable(collection.variable), object))))
        case (.array(let array), _):
            let test = StoreExpression.array(.contains, array.attribute, argument: try context.value(wanted))
            return .value(array.isEmptyWhenNil ? .and([.not(.isNil(array.attribute)), test]) : test)
        case (.range, _):
            return .value(try context.contains(elements, try context.value(wanted)))
        case (.value(let text), _) where LHS.Output.self == String.self:
            return .value(.text(.contains, text, try context.value(wanted)))
        default: break
        }
        throw PredicateProblem.predicate("contains on \(LHS.Output.self)")
    }
}

// MARK: - Ranges

/// Any type of range, by its bounds.
private protocol AnyRange {
    var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { get }
    static var bound: Any.Type { get }
}

extension Range: AnyRange {
    fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, upperBound, false) }
    fileprivate static var bound: Any.Type { Bound.self }
}

extension ClosedRange: AnyRange {
    fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, upperBound, true) }
    fileprivate static var bound: Any.Type { Bound.self }
}

extension PartialRangeFrom: AnyRange {
    fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, nil, true) }
    fileprivate static var bound: Any.Type { Bound.self }
}

extension PartialRangeUpTo: AnyRange {
    fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (nil, upperBound, false) }
    fileprivate static var bound: Any.Type { Bound.self }
}

extension PartialRangeThrough: AnyRange {
    fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (nil, upperBound, true) }
    fileprivate static var bound: Any.Type { Bound.self }
}

extension PredicateTranslation {
    /// A captured range; nil when the value is none.
    fileprivate func range(_ value: Any) throws -> PredicateTerm? {
        guard let range = unwrapped(value) as? any AnyRange else { return nil }
        let type = Swift.type(of: range).bound
        guard PredicateConstants.isOrdered(type) else { throw PredicateProblem.predicate("a range of \(type)") }
        let bounds = range.bounds
        return .range(
            lower: .constant(try bounds.lower.map(PredicateConstants.value) ?? .null),
            upper: .constant(try bounds.upper.map(PredicateConstants.value) ?? .null), isClosed: bounds.isClosed,
            kind: try kind(type))
    }

    /// A range whose lower bound is above its upper one cannot be made: that fails.
    fileprivate func contains(_ range: PredicateTerm, _ element: StoreExpression) throws -> StoreExpression {
        guard case .range(let lower, let upper, let isClosed, let kind) = range else {
            throw PredicateProblem.predicate("a range of an unknown type")
        }
        var tests: [StoreExpression] = []
        if lower != .constant(.null) { tests.append(.comparison(.greaterOrEqual, element, lower, as: kind)) }
        if upper != .constant(.null) {
            tests.append(.comparison(isClosed ? .lessOrEqual : .less, element, upper, as: kind))
        }
        if case (.constant, .constant) = (lower, upper) { return .and(tests) }
        return .conditional(.comparison(.lessOrEqual, lower, upper, as: kind), then: .and(tests), else: Self.failure)
    }

    fileprivate func range(
        _ lower: some PredicateExpression, _ upper: some PredicateExpression, isClosed: Bool, _ type: Any.Type
    ) throws -> PredicateTerm {
        guard PredicateConstants.isOrdered(type) else { throw PredicateProblem.predicate("a range of \(type)") }
        let (first, second) = (try value(lower), try value(upper))
        if case (.constant(let low), .constant(let high)) = (first, second),
            try orderedDescending(low, high, try kind(type))
        {
            return .value(Self.failure)
        }
        return .range(lower: first, upper: second, isClosed: isClosed, kind: try kind(type))
    }

    private func orderedDescending(_ low: StoreValue, _ high: StoreValue, _ kind: StoreComparisonKind) throws -> Bool {
        StoreSort(.constant(.null), order: .value(kind)).compare(low, high) == .orderedDescending
    }
}

extension PredicateExpressions.Range: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        try context.range(lower, upper, isClosed: false, LHS.Output.self)
    }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        try context.range(lower, upper, isClosed: true, LHS.Output.self)
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let (own, wanted) = (try context.term(range), try context.term(element))
        if case .constant = own, case .constant = wanted { return try context.constant(self) }
        if case .value = own { return .value(PredicateTranslation.failure) }
        var bounds = own
        if case .constant(let value) = own, let known = try context.range(value) { bounds = known }
        return .value(try context.contains(bounds, try context.value(wanted)))
    }
}

// MARK: - Elements

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.term(elements) {
        case .constant: try context.constant(self)
        case .array(let array): .value(.array(.minimum, array.attribute, argument: nil))
        default: throw PredicateProblem.predicate("min() on anything but an array of values")
        }
    }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.term(elements) {
        case .constant: try context.constant(self)
        case .array(let array): .value(.array(.maximum, array.attribute, argument: nil))
        default: throw PredicateProblem.predicate("max() on anything but an array of values")
        }
    }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch (try context.term(wrapped), try context.term(index)) {
        case (.constant(let value), .constant(let place)):
            guard let elements = value as? Wrapped.Output, let index = place as? Index.Output,
                index >= elements.startIndex, index < elements.endIndex
            else { return .value(PredicateTranslation.failure) }
            return .constant(elements[index])
        case (.array(let array), let place) where Index.Output.self == Int.self:
            return .value(.array(.element, array.attribute, argument: try context.value(place)))
        default: throw PredicateProblem.predicate("a subscript on \(Wrapped.Output.self)")
        }
    }
}

extension PredicateExpressions.CollectionRangeSubscript: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        guard case .constant(let value) = try context.term(wrapped),
            case .constant(let place) = try context.term(range),
            let elements = value as? Wrapped.Output, let range = place as? Range.Output
        else { throw PredicateProblem.predicate("a subscript with a range on anything but captured values") }
        guard range.lowerBound >= elements.startIndex, range.upperBound <= elements.endIndex else {
            return .value(PredicateTranslation.failure)
        }
        return .constant(elements[range])
    }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch (try context.term(wrapped), try context.term(key)) {
        case (.constant, .constant): return try context.constant(self)
        case (.constant(let value), let key):
            guard let dictionary = value as? Wrapped.Output else { break }
            return .value(try context.look(up: key, in: dictionary, else: .constant(.null)))
        default: break
        }
        throw PredicateProblem.predicate("a subscript on a dictionary attribute")
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch (try context.term(wrapped), try context.term(key)) {
        case (.constant(let value), let key):
            guard let dictionary = value as? Wrapped.Output else { break }
            return .value(try context.look(up: key, in: dictionary, else: try context.value(`default`)))
        default: break
        }
        throw PredicateProblem.predicate("a subscript on a dictionary attribute")
    }
}

extension PredicateTranslation {
    /// A captured dictionary becomes a choice among its values.
    fileprivate func look<Key: Hashable, Value>(
        up key: PredicateTerm, in dictionary: [Key: Value], else fallback: StoreExpression
    ) throws -> StoreExpression {
        guard dictionary.count <= 100 else {
            throw PredicateProblem.predicate("a captured dictionary of more than 100 keys")
        }
        var choice = fallback
        for (own, value) in dictionary {
            let test = try equal(key, .constant(own), as: Key.self)
            choice = .conditional(test, then: .constant(try PredicateConstants.value(value)), else: choice)
        }
        return choice
    }
}
