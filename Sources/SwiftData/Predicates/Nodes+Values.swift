import Foundation
import PersistentStore

// Variables, properties, numbers, casts.

extension PredicateExpressions.Value: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm { .constant(value) }
}

extension PredicateExpressions.Variable: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm { try context.term(of: self) }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let keyPath = keyPath as Swift.KeyPath<Root.Output, Output>
        switch try context.term(root) {
        case .constant(let value):
            guard let root = value as? Root.Output else { return .value(PredicateTranslation.failure) }
            return .constant(root[keyPath: keyPath])
        case .object(let object): return try property(of: object, keyPath, context)
        case .many(let collection):
            switch kind {
            case .collectionCount: return .value(.count(collection))
            case .collectionIsEmpty: return .value(.not(.exists(collection)))
            default:
                throw PredicateProblem.keyPath(
                    "a property of the relationship \(collection.relationship) other than count and isEmpty")
            }
        case .array(let array): return .value(try property(of: array))
        case .value(let value): return .value(try property(of: value, keyPath))
        case .composite(let composite): return try member(of: composite, keyPath)
        case .identifier, .range: throw PredicateProblem.keyPath("a property of \(Root.Output.self)")
        }
    }

    private func property(
        of object: StoreObjectPath, _ keyPath: AnyKeyPath, _ context: PredicateTranslation
    ) throws -> PredicateTerm {
        guard let type = Root.Output.self as? any PersistentModel.Type else {
            throw PredicateProblem.keyPath("a property of \(Root.Output.self), which is no model")
        }
        let property: PropertyDescription
        do {
            property = try PredicateKeyPaths.property(keyPath, of: type)
        } catch {
            // `id` and `persistentModelID`, through whatever protocol.
            if Output.self == PersistentIdentifier.self { return .identifier(object) }
            throw error
        }
        let attribute = StoreExpression.attribute(object, property.name)
        switch property.kind {
        case .value, .raw: return .value(attribute)
        case .composite:
            return .composite(
                PredicateComposite(
                    object: object, path: property.name, type: property.wrappedType, isOptional: property.isOptional))
        case .encoded:
            guard let collection = property.wrappedType as? any Collection.Type,
                let kind = PredicateConstants.kind(of: PredicateConstants.element(of: collection))
            else { return .value(attribute) }
            return .array(PredicateArray(attribute: attribute, kind: kind))
        case .toOne: return .object(.related(object, property.name))
        case .toMany:
            return .many(
                StoreCollection(owner: object, relationship: property.name, variable: context.nextVariable()))
        case .transformable, .unsupported:
            throw PredicateProblem.keyPath("\(type).\(property.name), which is kept in a form of its own")
        }
    }

    private func property(of array: PredicateArray) throws -> StoreExpression {
        let count = StoreExpression.array(.count, array.attribute, argument: nil)
        let sure = array.isEmptyWhenNil ? StoreExpression.coalesced(count, .constant(.integer(0))) : count
        switch kind {
        case .collectionCount: return sure
        case .collectionIsEmpty: return .comparison(.equal, sure, .constant(.integer(0)), as: .number)
        case .collectionFirst:
            return .conditional(
                .comparison(.greater, .coalesced(count, .constant(.integer(0))), .constant(.integer(0)), as: .number),
                then: .array(.element, array.attribute, argument: .constant(.integer(0))), else: .constant(.null))
        default: throw PredicateProblem.keyPath("a property of an array other than count, isEmpty and first")
        }
    }

    private func property(of value: StoreExpression, _ keyPath: Swift.KeyPath<Root.Output, Output>) throws
        -> StoreExpression
    {
        if Root.Output.self == String.self {
            switch kind {
            case .collectionCount: return .characterCount(value)
            case .collectionIsEmpty: return .comparison(.equal, value, .constant(.string("")), as: .text)
            default: break
            }
        }
        if PredicateKeyPaths.isRawValue(keyPath) { return value }
        throw PredicateProblem.keyPath("a property of \(Root.Output.self), of the type \(Output.self)")
    }

    private func member(of composite: PredicateComposite, _ keyPath: AnyKeyPath) throws -> PredicateTerm {
        guard let name = PredicateKeyPaths.member(keyPath, of: composite.type) else {
            throw PredicateProblem.keyPath(
                "a property of \(composite.type), of the type \(Output.self), that is computed: the store has no such value"
            )
        }
        let path = composite.path + "." + name
        if PredicateConstants.kind(of: Output.self) != nil {
            let member = StoreExpression.attribute(composite.object, path)
            guard composite.isUnwrapped else { return .value(member) }
            return .value(
                .conditional(.isNil(composite.presence), then: PredicateTranslation.failure, else: member))
        }
        return .composite(
            PredicateComposite(
                object: composite.object, path: path, type: withoutOptional(Output.self),
                isOptional: Output.self is any AnyOptional.Type, isUnwrapped: composite.isUnwrapped))
    }
}

// MARK: - Numbers

extension PredicateTranslation {
    fileprivate func arithmetic(
        _ operation: StoreArithmetic, _ first: some PredicateExpression, _ second: some PredicateExpression,
        _ type: Any.Type
    ) throws -> PredicateTerm {
        guard let number = PredicateConstants.number(type) else {
            throw PredicateProblem.predicate("arithmetic on \(type)")
        }
        return .value(.arithmetic(operation, try value(first), try value(second), number))
    }
}

extension PredicateExpressions.Arithmetic: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        let operation: StoreArithmetic =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw PredicateProblem.predicate("an unknown arithmetic operation")
            }
        return try context.arithmetic(operation, lhs, rhs, LHS.Output.self)
    }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        try context.arithmetic(.divide, lhs, rhs, LHS.Output.self)
    }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        try context.arithmetic(.remainder, lhs, rhs, LHS.Output.self)
    }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        try context.arithmetic(.divide, lhs, rhs, LHS.Output.self)
    }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        guard let number = PredicateConstants.number(Wrapped.Output.self) else {
            throw PredicateProblem.predicate("arithmetic on \(Wrapped.Output.self)")
        }
        return .value(.negated(try context.value(wrapped), number))
    }
}

// MARK: - Types

extension PredicateTranslation {
    /// The entity's name, where a cast or check of an object is one to a model.
    fileprivate func entity(_ type: Any.Type) throws -> String {
        guard let model = withoutOptional(type) as? any PersistentModel.Type else {
            throw PredicateProblem.predicate("a cast of an object to \(type), which is no model")
        }
        return ModelDescription.of(model).name
    }
}

extension PredicateExpressions.TypeCheck: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.term(input) {
        case .constant: try context.constant(self)
        case .object(let object): .value(.isKind(object, entity: try context.entity(Desired.self)))
        default: throw PredicateProblem.predicate("a type check of a value")
        }
    }
}

extension PredicateExpressions.ConditionalCast: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.term(input) {
        case .constant: return try context.constant(self)
        case .object(let object): return .object(.cast(object, entity: try context.entity(Desired.self)))
        case let term:
            guard withoutOptional(Input.Output.self) == withoutOptional(Desired.self) else {
                throw PredicateProblem.predicate("a cast of a value to \(Desired.self)")
            }
            return term
        }
    }
}

extension PredicateExpressions.ForceCast: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        switch try context.term(input) {
        case .constant: return try context.constant(self)
        case .object(let object): return .object(.unwrapped(.cast(object, entity: try context.entity(Desired.self))))
        case let term:
            guard Input.Output.self == Desired.self else {
                throw PredicateProblem.predicate("a cast of a value to \(Desired.self)")
            }
            return term
        }
    }
}

// MARK: - Composition

extension PredicateExpressions.ExpressionEvaluate: TranslatableExpression {
    func term(_ context: PredicateTranslation) throws -> PredicateTerm {
        guard case .constant(let value) = try context.term(expression),
            let expression = value as? Expression<repeat (each Input).Output, Output>
        else { throw PredicateProblem.predicate("an expression that differs from row to row") }
        repeat context.bind(each expression.variable, to: try context.term(each input))
        return try context.term(expression.expression)
    }
}
