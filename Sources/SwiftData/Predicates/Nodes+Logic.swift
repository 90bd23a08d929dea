import Foundation
import PersistentStore

// Conditions, comparisons and nil.

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let first = try context.condition(lhs)
        // What Swift does not evaluate need not be expressible.
        if first == .false { return .constant(false) }
        let second = try context.condition(rhs)
        if first == .true { return .value(second) }
        let parts = if case .and(let parts) = first { parts } else { [first] }
        return .value(.and(parts + [second]))
    }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let first = try context.condition(lhs)
        if first == .true { return .constant(true) }
        let second = try context.condition(rhs)
        if first == .false { return .value(second) }
        let parts = if case .or(let parts) = first { parts } else { [first] }
        return .value(.or(parts + [second]))
    }
}

extension PredicateExpressions.Negation: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.condition(wrapped) {
        case .true: .constant(false)
        case .false: .constant(true)
        case let condition: .value(.not(condition))
        }
    }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.condition(test) {
        case .true: return try context.term(trueBranch)
        case .false: return try context.term(falseBranch)
        case let condition:
            return .value(
                .conditional(condition, then: try context.value(trueBranch), else: try context.value(falseBranch)))
        }
    }
}

// MARK: - Comparisons

extension PredicateExpressions.Equal: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let (first, second) = (try context.term(lhs), try context.term(rhs))
        if case .constant = first, case .constant = second { return try context.constant(self) }
        return .value(try context.equal(first, second, as: LHS.Output.self))
    }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let (first, second) = (try context.term(lhs), try context.term(rhs))
        if case .constant = first, case .constant = second { return try context.constant(self) }
        return .value(.not(try context.equal(first, second, as: LHS.Output.self)))
    }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let (first, second) = (try context.term(lhs), try context.term(rhs))
        if case .constant = first, case .constant = second { return try context.constant(self) }
        let type = LHS.Output.self
        guard PredicateConstants.isOrdered(type), let kind = PredicateConstants.kind(of: type) else {
            throw PredicateProblem.predicate("an order of values of the type \(type)")
        }
        let comparison: StoreComparison =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw PredicateProblem.predicate("an unknown comparison")
            }
        return .value(.comparison(comparison, try context.value(first), try context.value(second), as: kind))
    }
}

extension PredicateTranslation {
    func equal(_ first: PredicateTerm, _ second: PredicateTerm, as type: Any.Type) throws -> StoreExpression {
        if case .constant(let value) = first { return try equal(second, toConstant: value, as: type) }
        if case .constant(let value) = second { return try equal(first, toConstant: value, as: type) }
        switch (first, second) {
        case (.object(let one), .object(let other)), (.identifier(let one), .identifier(let other)):
            return .isSameObject(one, other)
        case (.composite, _), (_, .composite):
            throw PredicateProblem.predicate("the comparison of two structures that both differ from row to row")
        case (.array, _), (_, .array): throw PredicateProblem.predicate("the comparison of two arrays")
        default: return .comparison(.equal, try value(first), try value(second), as: try kind(type))
        }
    }

    private func equal(_ term: PredicateTerm, toConstant constant: Any, as type: Any.Type) throws -> StoreExpression {
        let held = unwrapped(constant)
        switch term {
        case .object(let object), .identifier(let object):
            guard let held else { return .isNoObject(object) }
            return .isOneOf(object, try rows([held]))
        case .many(let collection):
            guard held == nil || (held as? any Collection)?.isEmpty == true else {
                throw PredicateProblem.predicate("\(collection.relationship) compared with captured objects")
            }
            return .not(.exists(collection))
        case .composite(let composite): return try equal(composite, to: held)
        case .array(let array):
            guard let held else { return array.isEmptyWhenNil ? .false : .isNil(array.attribute) }
            return try equal(array, to: held)
        default:
            let own = try value(term)
            if held == nil { return .comparison(.equal, own, .constant(.null), as: .number) }
            let value = try PredicateConstants.value(constant)
            return .comparison(.equal, own, .constant(value), as: try kind(type, comparedWith: [value]))
        }
    }

    /// A structure is equal to another when all its members are.
    private func equal(_ composite: PredicateComposite, to held: Any?) throws -> StoreExpression {
        guard let held else { return composite.isUnwrapped ? .false : .isNil(composite.presence) }
        var tests: [StoreExpression] = composite.isOptional ? [.not(.isNil(composite.presence))] : []
        for member in Mirror(reflecting: held).children {
            guard let name = member.label else { throw PredicateProblem.predicate("the structure \(composite.path)") }
            let path = composite.path + "." + name
            let type = Swift.type(of: member.value)
            if let kind = PredicateConstants.kind(of: type) {
                tests.append(
                    .comparison(
                        .equal, .attribute(composite.object, path),
                        .constant(try PredicateConstants.value(member.value)),
                        as: kind))
            } else {
                let inner = PredicateComposite(
                    object: composite.object, path: path, type: withoutOptional(type),
                    isOptional: type is any AnyOptional.Type)
                tests.append(try equal(inner, to: unwrapped(member.value)))
            }
        }
        return .and(tests)
    }

    private func equal(_ array: PredicateArray, to held: Any) throws -> StoreExpression {
        guard let list = held as? any Collection, list.count <= 100 else {
            throw PredicateProblem.predicate("an array compared with a captured one of more than 100 elements")
        }
        let count = StoreExpression.coalesced(
            .array(.count, array.attribute, argument: nil), .constant(.integer(array.isEmptyWhenNil ? 0 : -1)))
        var tests: [StoreExpression] = [
            .comparison(.equal, count, .constant(.integer(Int64(list.count))), as: .number)
        ]
        for (index, element) in PredicateConstants.elements(list).enumerated() {
            let own = StoreExpression.array(.element, array.attribute, argument: .constant(.integer(Int64(index))))
            tests.append(.comparison(.equal, own, .constant(try PredicateConstants.value(element)), as: array.kind))
        }
        return .and(tests)
    }

    /// - Parameter constants: encoded values may be compared with these by their bytes.
    func kind(_ type: Any.Type, comparedWith constants: [StoreValue] = []) throws -> StoreComparisonKind {
        if let kind = PredicateConstants.kind(of: type) { return kind }
        let areEncoded = constants.allSatisfy { if case .data = $0 { true } else { $0.isNull } }
        if areEncoded, !constants.isEmpty { return .exact }
        throw PredicateProblem.predicate("the comparison of values of the type \(type)")
    }
}

// MARK: - Nil

extension PredicateExpressions.NilLiteral: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm { .constant(Wrapped?.none as Any) }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let first = try context.term(lhs)
        switch first {
        case .constant(let value):
            guard let optional = value as? LHS.Output, let held = optional else { return try context.term(rhs) }
            return .constant(held)
        case .many(let collection):
            guard case .constant(let fallback) = try context.term(rhs), (fallback as? any Collection)?.isEmpty == true
            else {
                throw PredicateProblem.predicate("\(collection.relationship) ?? anything but []")
            }
            return first
        case .array(var array):
            guard case .constant(let fallback) = try context.term(rhs), (fallback as? any Collection)?.isEmpty == true
            else {
                throw PredicateProblem.predicate("an array ?? anything but []")
            }
            array.isEmptyWhenNil = true
            return .array(array)
        case .value(let value): return .value(.coalesced(value, try context.value(rhs)))
        default: throw PredicateProblem.predicate("?? after an object or a structure")
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.term(inner) {
        case .constant(let value):
            guard let optional = value as? Inner.Output, let held = optional else {
                return .value(PredicateTranslation.failure)
            }
            return .constant(held)
        case .value(let value): return .value(.unwrapped(value))
        case .object(let object): return .object(.unwrapped(object))
        case .identifier(let object): return .identifier(.unwrapped(object))
        case .composite(var composite):
            composite.isUnwrapped = true
            return .composite(composite)
        case let other: return other
        }
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let subject = try context.term(wrapped)
        switch subject {
        case .constant(let value):
            guard let optional = value as? LHS.Output, let held = optional else {
                return .constant(Result?.none as Any)
            }
            context.bind(variable, to: .constant(held))
            return try context.term(transform)
        case .object(let object), .identifier(let object):
            context.bind(variable, to: subject)
            return try context.mapped(object, try context.term(transform))
        case .value(let value):
            context.bind(variable, to: subject)
            return try context.mapped(value, try context.term(transform))
        case .composite(let composite):
            context.bind(variable, to: subject)
            let body = try context.term(transform)
            // A member is nil when the structure is.
            if case .value(.attribute) = body { return body }
            if case .composite = body { return body }
            return .value(
                .conditional(.isNil(composite.presence), then: .constant(.null), else: try context.value(body)))
        case .array(let array):
            context.bind(variable, to: subject)
            return try context.mapped(array.attribute, try context.term(transform))
        case .many, .range:
            context.bind(variable, to: subject)
            return try context.term(transform)
        }
    }
}
