extension ParsedPredicate {
    /// The predicate with constants in the place of those variables that `values` names.
    package func substituting(_ values: [String: PredicateValue]) -> ParsedPredicate {
        if values.isEmpty { return self }
        switch self {
        case .always: return self
        case .and(let predicates): return .and(predicates.map { $0.substituting(values) })
        case .or(let predicates): return .or(predicates.map { $0.substituting(values) })
        case .not(let operand): return .not(operand.substituting(values))
        case .comparison(var comparison):
            comparison.left = comparison.left.substituting(values)
            comparison.right = comparison.right.substituting(values)
            return .comparison(comparison)
        }
    }
}

extension ParsedExpression {
    /// The expression with constants in the place of those variables that `values` names.
    package func substituting(_ values: [String: PredicateValue]) -> ParsedExpression {
        switch self {
        case .constant, .evaluatedObject, .keyPath: return self
        case .variable(let name): return values[name].map(ParsedExpression.constant) ?? self
        case .keyPathOf(let base, let path): return .keyPathOf(base.substituting(values), path)
        case .element(let base, .at(let index)):
            return .element(of: base.substituting(values), at: .at(index.substituting(values)))
        case .element(let base, let index): return .element(of: base.substituting(values), at: index)
        case .aggregate(let elements): return .list(elements.map { $0.substituting(values) })
        case .function(let function, let arguments):
            return .function(function, arguments.map { $0.substituting(values) })
        case .call(let target, let selector, let arguments):
            return .call(
                on: target.substituting(values), selector: selector,
                arguments: arguments.map { $0.substituting(values) })
        case .unary(let `operator`, let operand): return .unary(`operator`, operand.substituting(values))
        case .binary(let `operator`, let left, let right):
            return .binary(`operator`, left.substituting(values), right.substituting(values))
        case .cast(let operand, let type): return .cast(operand.substituting(values), to: type)
        case .subquery(let collection, let variable, let predicate):
            var inner = values
            inner[variable] = nil  // The subquery binds its own.
            return .subquery(
                collection: collection.substituting(values), variable: variable,
                predicate: predicate.substituting(inner))
        case .conditional(let predicate, let first, let second):
            return .conditional(
                predicate.substituting(values), then: first.substituting(values), else: second.substituting(values))
        }
    }

    /// A list of expressions in its one spelling: a constant if all elements are.
    package static func list(_ elements: [ParsedExpression]) -> ParsedExpression {
        var constants = [PredicateValue]()
        for element in elements {
            guard case .constant(let value) = element else { return .aggregate(elements) }
            constants.append(value)
        }
        return .constant(.list(constants))
    }
}
