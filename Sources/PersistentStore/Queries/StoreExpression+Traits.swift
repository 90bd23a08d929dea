// What can be told of an expression without a row. It decides how much SQL has to say: where nothing can be nil or fail, a
// comparison is a plain comparison, and an index serves it.

extension QuerySQL {
    /// Whether the value may be nil. True when in doubt.
    func mayBeNil(_ expression: StoreExpression) -> Bool {
        switch expression {
        case .constant(let value): value.isNull
        case .attribute(let object, let path): isOptional(path, of: object)
        case .coalesced(_, let fallback): mayBeNil(fallback)
        case .mapped(let subject, let body): mayBeNil(subject) || mayBeNil(body)
        case .mappedObject: true
        case .conditional(_, let first, let second): mayBeNil(first) || mayBeNil(second)
        case .array(let function, _, _): function == .minimum || function == .maximum || function == .element
        default: false
        }
    }

    private func isOptional(_ path: String, of object: StoreObjectPath) -> Bool {
        switch object {
        case .variable, .unwrapped:
            guard let entity = try? entity(of: object), let attribute = entity.property(named: path)?.attribute else {
                return true
            }
            return attribute.isOptional
        case .related, .cast: return true
        }
    }

    /// Whether a step may fail. True when in doubt.
    func mayFail(_ expression: StoreExpression) -> Bool {
        switch expression {
        case .constant: false
        case .attribute(let object, _), .isNoObject(let object), .isOneOf(let object, _), .isKind(let object, _):
            mayFail(object)
        case .isNil(let inner), .not(let inner), .characterCount(let inner), .isAmong(let inner, _, _):
            mayFail(inner)
        case .unwrapped(let inner): mayBeNil(inner) || mayFail(inner)
        case .coalesced(let first, let second), .mapped(let first, let second),
            .comparison(_, let first, let second, _),
            .text(_, let first, let second), .textOrder(_, let first, let second):
            mayFail(first) || mayFail(second)
        case .mappedObject(let object, let body): mayFail(object) || mayFail(body)
        case .conditional(let test, let first, let second): mayFail(test) || mayFail(first) || mayFail(second)
        case .and(let all), .or(let all): all.contains(where: mayFail)
        case .isSameObject(let first, let second): mayFail(first) || mayFail(second)
        case .exists(let collection), .count(let collection):
            mayFail(collection.owner) || collection.filter.map(mayFail) ?? false
        case .arithmetic, .negated: true
        case .array(let function, let array, let argument):
            function == .element || mayFail(array) || argument.map(mayFail) ?? false
        }
    }

    func mayFail(_ object: StoreObjectPath) -> Bool {
        switch object {
        case .variable: false
        case .related(let base, _), .cast(let base, _): mayFail(base)
        case .unwrapped: true
        }
    }

    /// Whether the value is a truth value that is computed here, not read from a column.
    func isCondition(_ expression: StoreExpression) -> Bool {
        switch expression {
        case .isNil, .and, .or, .not, .comparison, .isAmong, .isNoObject, .isSameObject, .isOneOf, .isKind, .exists,
            .text:
            true
        case .array(let function, _, _): function == .contains
        case .unwrapped(let inner): isCondition(inner)
        case .coalesced(let first, let second): isCondition(first) || isCondition(second)
        case .mapped(_, let body), .mappedObject(_, let body): isCondition(body)
        case .conditional(_, let first, let second): isCondition(first) && isCondition(second)
        default: false
        }
    }

    /// Whether the value is nil for sure when the object is missing, so that nobody needs to ask for the object first.
    func isNilWithout(_ object: StoreObjectPath, _ expression: StoreExpression) -> Bool {
        switch expression {
        case .attribute(let base, _): base.begins(with: object)
        case .mappedObject(let inner, let body): inner.begins(with: object) || isNilWithout(object, body)
        case .mapped(let subject, _): isNilWithout(object, subject)
        case .characterCount(let inner), .negated(let inner, _): isNilWithout(object, inner)
        case .arithmetic(_, let first, let second, _), .textOrder(_, let first, let second):
            isNilWithout(object, first) || isNilWithout(object, second)
        default: false
        }
    }
}

extension StoreObjectPath {
    func begins(with other: StoreObjectPath) -> Bool {
        if self == other { return true }
        switch self {
        case .variable: return false
        case .related(let base, _), .cast(let base, _), .unwrapped(let base): return base.begins(with: other)
        }
    }
}
