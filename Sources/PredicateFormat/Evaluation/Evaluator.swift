import Foundation

extension ParsedPredicate {
    /// Whether the predicate holds for `object`: a dictionary, a `PredicateEvaluatable`, or a plain value for `SELF`.
    package func evaluate(
        with object: Any?, variables: [String: Any] = [:], environment: PredicateEnvironment = .system
    ) throws(PredicateEvaluationError) -> Bool {
        var evaluator = Evaluator(object: object, variables: variables, environment: environment)
        return try evaluator.evaluate(self)
    }
}

extension ParsedExpression {
    /// The expression's value for `object`.
    package func evaluate(
        with object: Any? = nil, variables: [String: Any] = [:], environment: PredicateEnvironment = .system
    ) throws(PredicateEvaluationError) -> PredicateValue {
        var evaluator = Evaluator(object: object, variables: variables, environment: environment)
        return try evaluator.value(of: self)
    }
}

/// Applies a tree to one object.
struct Evaluator {
    let object: Any?
    let environment: PredicateEnvironment
    private var variables: [String: PredicateValue]
    private var depth = 0

    init(object: Any?, variables: [String: Any], environment: PredicateEnvironment) {
        self.object = object
        self.variables = variables.mapValues { PredicateValue($0) }
        self.environment = environment
    }

    mutating func evaluate(_ predicate: ParsedPredicate) throws(PredicateEvaluationError) -> Bool {
        try descend()
        defer { depth -= 1 }
        switch predicate {
        case .always(let value): return value
        case .comparison(let comparison): return try evaluate(comparison)
        case .not(let operand): return try !evaluate(operand)
        case .and(let predicates):
            for predicate in predicates where try !evaluate(predicate) { return false }
            return true
        case .or(let predicates):
            for predicate in predicates where try evaluate(predicate) { return true }
            return false
        }
    }

    /// A to-many path gives a list of lists; `ANY` and `ALL` look at the innermost elements, as a join would.
    private mutating func evaluate(
        _ comparison: ParsedPredicate.Comparison
    ) throws(PredicateEvaluationError) -> Bool {
        let left = try value(of: comparison.left)
        let right = try value(of: comparison.right)
        switch comparison.modifier {
        case .direct:
            return try comparison.holds(left, right)
        case .any:
            for element in left.innermostElements where try comparison.holds(element, right) { return true }
            return false
        case .all:
            for element in left.innermostElements where try !comparison.holds(element, right) { return false }
            return true
        }
    }

    mutating func value(of expression: ParsedExpression) throws(PredicateEvaluationError) -> PredicateValue {
        try descend()
        defer { depth -= 1 }
        switch expression {
        case .constant(let value): return value
        case .evaluatedObject: return PredicateValue(object)
        case .keyPath(let path): return try value(for: path.keys[...], ofObject: object)
        case .variable(let name): return try variable(name)
        case .keyPathOf(let base, let path): return try value(for: path.keys[...], of: value(of: base))
        case .element(let base, let index): return try element(at: index, of: value(of: base))
        case .aggregate(let elements): return .list(try values(of: elements))
        case .function(let function, let arguments): return try call(function, with: values(of: arguments))
        case .call(let target, let selector, let arguments):
            return try call(selector, on: value(of: target), with: values(of: arguments))
        case .unary(let `operator`, let operand): return try value(of: operand).applying(`operator`)
        case .binary(let `operator`, let left, let right):
            return try value(of: left).applying(`operator`, value(of: right))
        case .cast(let operand, let type): return try value(of: operand).cast(to: type)
        case .subquery(let collection, let variable, let predicate):
            return .list(try elements(of: collection, as: variable, where: predicate))
        case .conditional(let predicate, let first, let second):
            return try value(of: evaluate(predicate) ? first : second)
        }
    }

    private mutating func values(
        of expressions: [ParsedExpression]
    ) throws(PredicateEvaluationError) -> [PredicateValue] {
        var values = [PredicateValue]()
        values.reserveCapacity(expressions.count)
        for expression in expressions { values.append(try value(of: expression)) }
        return values
    }

    private func variable(_ name: String) throws(PredicateEvaluationError) -> PredicateValue {
        guard let value = variables[name] else { throw .unboundVariable(name) }
        return value
    }

    private mutating func elements(
        of collection: ParsedExpression, as variable: String, where predicate: ParsedPredicate
    ) throws(PredicateEvaluationError) -> [PredicateValue] {
        let candidates = try value(of: collection).elements
        let outer = variables[variable]
        defer { variables[variable] = outer }
        var elements = [PredicateValue]()
        for candidate in candidates {
            variables[variable] = candidate
            if try evaluate(predicate) { elements.append(candidate) }
        }
        return elements
    }

    private mutating func element(
        at index: ParsedExpression.ElementIndex, of base: PredicateValue
    ) throws(PredicateEvaluationError) -> PredicateValue {
        if case .at(let position) = index {
            let position = try value(of: position)
            if case .string(let key) = position { return try value(for: [key], of: base) }
            guard case .list(let elements) = base, let offset = position.exactInteger.flatMap(Int.init(exactly:)) else {
                return .null
            }
            return elements.indices.contains(offset) ? elements[offset] : .null
        }
        guard case .list(let elements) = base else { return .null }
        return switch index {
        case .first: elements.first ?? .null
        case .last: elements.last ?? .null
        case .size, .at: .integer(Int64(elements.count))
        }
    }

    /// Trees from the parser cannot fail here; those that code built can be of any depth.
    private mutating func descend() throws(PredicateEvaluationError) {
        // A level of predicates and one of expressions may each reach the limit, one within the other.
        guard depth < 2 * PredicateLimits.nesting else { throw .nestedTooDeeply }
        depth += 1
    }
}

extension PredicateValue {
    /// The elements of a list; nothing of null; any other value alone.
    var elements: [PredicateValue] {
        switch self {
        case .list(let elements): elements
        case .null: []
        default: [self]
        }
    }

    /// The elements of a list and of the lists within it.
    var innermostElements: [PredicateValue] {
        guard case .list(let elements) = self else { return self.elements }
        guard elements.contains(where: { if case .list = $0 { true } else { false } }) else { return elements }
        return elements.flatMap { element in
            if case .list = element { element.innermostElements } else { [element] }
        }
    }
}
