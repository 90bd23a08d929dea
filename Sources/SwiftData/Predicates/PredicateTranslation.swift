import Foundation
import PersistentStore

/// The translation of one predicate: what its variables stand for, and where names are looked up.
final class PredicateTranslation {
    let identity: PredicateIdentity
    private let core: ContextCore?
    private var terms: [PredicateExpressions.VariableID: PredicateTerm] = [:]
    /// Variables that stand for known values, for evaluating the parts that need no row.
    private(set) var bindings = PredicateBindings()
    private var variables = 0
    private var depth = 0
    /// Parts that captured lists multiply.
    private var budget = 20_000

    init(_ identity: PredicateIdentity, _ core: ContextCore?) {
        self.identity = identity
        self.core = core
    }

    /// A step that fails, with no value whatever its type.
    static let failure = StoreExpression.unwrapped(.constant(.null))

    // MARK: - Walking

    func term(_ expression: some PredicateExpression) throws -> PredicateTerm {
        guard let node = expression as? any TranslatableExpression else {
            throw PredicateProblem.predicate("the expression \(Self.name(of: type(of: expression)))")
        }
        depth += 1
        budget -= 1
        defer { depth -= 1 }
        guard depth < 200, budget > 0 else { throw PredicateProblem.predicate("more parts than a query may have") }
        return try node.term(self)
    }

    /// The node's value where all that it is made of is known.
    func constant<Node: PredicateExpression>(_ node: Node) throws -> PredicateTerm {
        do {
            return .constant(try node.evaluate(bindings))
        } catch is PredicateError {
            return .value(Self.failure)
        }
    }

    func bind<Value>(_ variable: PredicateExpressions.Variable<Value>, to term: PredicateTerm) {
        if case .constant(let value) = term, let value = value as? Value {
            bindings = bindings.binding(variable, to: value)
        }
        terms[variable.key] = term
    }

    func term<Value>(of variable: PredicateExpressions.Variable<Value>) throws -> PredicateTerm {
        guard let term = terms[variable.key] else {
            throw PredicateProblem.predicate("a variable of another predicate")
        }
        return term
    }

    func nextVariable() -> Int {
        variables += 1
        return variables
    }

    // MARK: - Terms as expressions

    /// A condition.
    func condition(_ expression: some PredicateExpression) throws -> StoreExpression {
        try value(expression)
    }

    func value(_ expression: some PredicateExpression) throws -> StoreExpression {
        try value(try term(expression))
    }

    func value(_ term: PredicateTerm) throws -> StoreExpression {
        switch term {
        case .value(let expression): return expression
        case .constant(let value): return .constant(try PredicateConstants.value(value))
        case .array(let array): return array.attribute
        case .object: throw PredicateProblem.predicate("an object where a value is needed")
        case .identifier: throw PredicateProblem.predicate("an identifier in anything but a comparison")
        case .many: throw PredicateProblem.predicate("a to-many relationship where a value is needed")
        case .composite(let composite):
            throw PredicateProblem.predicate("the structure \(composite.path) where one of its members is needed")
        case .range: throw PredicateProblem.predicate("a range where a value is needed")
        }
    }

    /// What is computed from an object or value that may be missing.
    func mapped(_ subject: StoreObjectPath, _ body: PredicateTerm) throws -> PredicateTerm {
        switch body {
        case .value(let expression): return .value(.mappedObject(subject, expression))
        case .constant: return .value(.mappedObject(subject, try value(body)))
        // A path through the object leads nowhere when the object is missing.
        default: return body
        }
    }

    func mapped(_ subject: StoreExpression, _ body: PredicateTerm) throws -> PredicateTerm {
        switch body {
        case .value, .constant: .value(.mapped(subject, try value(body)))
        case .array, .composite, .range, .object, .identifier, .many:
            throw PredicateProblem.predicate("flatMap with anything but a value as its result")
        }
    }

    // MARK: - Identity

    /// The rows of captured identifiers or objects. One of another store has no row here.
    func rows(_ values: [Any]) throws -> [RowID] {
        try values.compactMap { value in
            guard let value = unwrapped(value) else { return nil }
            switch value {
            case let identifier as PersistentIdentifier:
                return identity.row(core?.current(identifier) ?? identifier)
            case let model as any PersistentModel: return identity.row(model.persistentModelID)
            default: throw PredicateProblem.predicate("an object compared with a value of the type \(type(of: value))")
            }
        }
    }

    static func name(of type: Any.Type) -> String {
        String(String(describing: type).prefix { $0 != "<" }).split(separator: ".").last.map(String.init) ?? "\(type)"
    }
}
