import Foundation

/// An object in memory, as an expression sees it.
package protocol StoreObject {
    func isKind(of entity: String) -> Bool
    func isSame(as other: any StoreObject) -> Bool
    func isAmong(_ rows: [RowID]) -> Bool
    /// An attribute's value, or that of a composite's leaf by its path.
    func value(_ path: String) -> StoreValue
    /// The elements of an array attribute.
    func elements(_ attribute: String) -> [StoreValue]?
    func object(_ relationship: String) -> (any StoreObject)?
    func objects(_ relationship: String) -> [any StoreObject]
}

/// A step that Swift would trap on, or throw for.
private struct StepFailed: Error {}

extension StoreExpression {
    /// Whether the condition holds for an object in memory. It agrees with what SQL answers for its row, and never traps.
    package func matches(_ object: any StoreObject) -> Bool {
        do {
            return try Evaluation(variables: [0: object]).isTrue(self)
        } catch {
            return false
        }
    }

    /// The value for an object in memory; nil when a step failed.
    package func value(of object: any StoreObject) -> StoreValue? {
        try? Evaluation(variables: [0: object]).value(self)
    }
}

extension StoreSort {
    /// The order of two values of the key.
    package func compare(_ first: StoreValue, _ second: StoreValue) -> ComparisonResult {
        let order: Int
        switch (first.isNull, second.isNull) {
        case (true, true): order = 0
        case (true, false): order = -1
        case (false, true): order = 1
        case (false, false):
            switch (self.order, first, second) {
            case (.text(let textOrder), .string(let left), .string(let right)):
                order = Int(StoreText.order(textOrder, left, right))
            case (.value(let kind), _, _): order = Evaluation.order(first, second, kind) ?? 0
            default: order = 0
            }
        }
        let result: ComparisonResult = order < 0 ? .orderedAscending : order == 0 ? .orderedSame : .orderedDescending
        guard !isAscending else { return result }
        return result == .orderedSame
            ? .orderedSame : result == .orderedAscending ? .orderedDescending : .orderedAscending
    }
}

private struct Evaluation {
    var variables: [Int: any StoreObject]

    func isTrue(_ expression: StoreExpression) throws(StepFailed) -> Bool {
        try value(expression) == .boolean(true)
    }

    func value(_ expression: StoreExpression) throws(StepFailed) -> StoreValue {
        switch expression {
        case .constant(let value): return value
        case .attribute(let object, let path): return try self.object(object)?.value(path) ?? .null
        case .isNil(let inner): return .boolean(try isNil(inner))
        case .coalesced(let first, let second):
            let value = try value(first)
            return value.isNull ? try self.value(second) : value
        case .unwrapped(let inner):
            let value = try value(inner)
            if value.isNull { throw StepFailed() }
            return value
        case .mapped(let subject, let body): return try isNil(subject) ? .null : try value(body)
        case .mappedObject(let object, let body): return try self.object(object) == nil ? .null : try value(body)
        case .conditional(let test, let first, let second):
            return try isTrue(test) ? try value(first) : try value(second)
        case .and(let all):
            for one in all where try !isTrue(one) { return .boolean(false) }
            return .boolean(true)
        case .or(let all):
            for one in all where try isTrue(one) { return .boolean(true) }
            return .boolean(false)
        case .not(let inner): return .boolean(try !isTrue(inner))
        case .comparison(let comparison, let first, let second, let kind):
            return .boolean(Self.compare(comparison, try value(first), try value(second), kind))
        case .isAmong(let inner, let list, let kind):
            let value = try value(inner)
            return .boolean(list.contains { Self.compare(.equal, value, $0, kind) })
        case .isNoObject, .isSameObject, .isOneOf, .isKind: return .boolean(try test(expression))
        case .exists(let collection): return .boolean(try exists(collection))
        case .count(let collection): return try count(collection)
        case .arithmetic(let operation, let first, let second, let type):
            return try compute(operation, try value(first), try value(second), type)
        case .negated(let inner, let type):
            let zero: StoreValue = type == .double || type == .float ? .double(-0.0) : .integer(0)
            return try compute(.subtract, zero, try value(inner), type)
        case .text(let test, let first, let second):
            let (left, right) = try texts(first, second)
            return .boolean(StoreText.test(test, left, right))
        case .textOrder(let order, let first, let second):
            let (left, right) = try texts(first, second)
            return .integer(Int64(StoreText.order(order, left, right)))
        case .characterCount(let inner):
            guard case .string(let text) = try value(inner) else { throw StepFailed() }
            return .integer(Int64(text.count))
        case .array(let function, let array, let argument): return try apply(function, array, argument)
        }
    }

    private func isNil(_ expression: StoreExpression) throws(StepFailed) -> Bool {
        if case .attribute(let object, let path) = expression, let found = try self.object(object) {
            return found.value(path).isNull && found.elements(path) == nil
        }
        return try value(expression).isNull
    }

    // MARK: - Objects

    private func object(_ path: StoreObjectPath) throws(StepFailed) -> (any StoreObject)? {
        switch path {
        case .variable(let number): return variables[number]
        case .related(let base, let name): return try object(base)?.object(name)
        case .cast(let base, let entity):
            guard let object = try object(base), object.isKind(of: entity) else { return nil }
            return object
        case .unwrapped(let base):
            guard let object = try object(base) else { throw StepFailed() }
            return object
        }
    }

    private func test(_ expression: StoreExpression) throws(StepFailed) -> Bool {
        switch expression {
        case .isNoObject(let path): return try object(path) == nil
        case .isSameObject(let first, let second):
            let (left, right) = (try object(first), try object(second))
            guard let left, let right else { return left == nil && right == nil }
            return left.isSame(as: right)
        case .isOneOf(let path, let rows): return try object(path)?.isAmong(rows) ?? false
        case .isKind(let path, let entity): return try object(path)?.isKind(of: entity) ?? false
        default: return false
        }
    }

    /// Decided by any object for which the filter holds; fails when none does and one failed.
    private func exists(_ collection: StoreCollection) throws(StepFailed) -> Bool {
        guard let owner = try object(collection.owner) else { return false }
        var failed = false
        for object in owner.objects(collection.relationship) {
            do throws(StepFailed) {
                if try holds(collection, object) { return true }
            } catch {
                failed = true
            }
        }
        if failed { throw StepFailed() }
        return false
    }

    private func count(_ collection: StoreCollection) throws(StepFailed) -> StoreValue {
        guard let owner = try object(collection.owner) else { return .integer(0) }
        var count: Int64 = 0
        for object in owner.objects(collection.relationship) where try holds(collection, object) { count += 1 }
        return .integer(count)
    }

    private func holds(_ collection: StoreCollection, _ object: any StoreObject) throws(StepFailed) -> Bool {
        guard let filter = collection.filter else { return true }
        var inner = self
        inner.variables[collection.variable] = object
        return try inner.isTrue(filter)
    }

    // MARK: - Values

    private func texts(_ first: StoreExpression, _ second: StoreExpression) throws(StepFailed) -> (String, String) {
        guard case .string(let left) = try value(first), case .string(let right) = try value(second) else {
            throw StepFailed()
        }
        return (left, right)
    }

    private func apply(_ function: StoreArrayFunction, _ array: StoreExpression, _ argument: StoreExpression?)
        throws(StepFailed) -> StoreValue
    {
        guard case .attribute(let path, let name) = array.withoutUnwrapping else { throw StepFailed() }
        guard let elements = try object(path)?.elements(name) else { throw StepFailed() }
        var argumentValue = StoreValue.null
        if let argument { argumentValue = try value(argument) }
        if let answer = StoredArray.apply(function, to: elements, argumentValue) { return answer }
        if function == .minimum || function == .maximum { return .null }
        throw StepFailed()
    }

    private func compute(
        _ operation: StoreArithmetic, _ first: StoreValue, _ second: StoreValue, _ type: StoreNumberType
    ) throws(StepFailed) -> StoreValue {
        switch (type, first, second) {
        case (.integer(let bits, let isSigned), .integer(let left), .integer(let right)):
            guard let result = StoreNumber.compute(operation, left, right, bits: bits, isSigned: isSigned) else {
                throw StepFailed()
            }
            return .integer(result)
        case (.double, .double(let left), .double(let right)):
            guard let result = StoreNumber.compute(operation, left, right) else { throw StepFailed() }
            return .double(result)
        case (.float, .double(let left), .double(let right)):
            guard let result = StoreNumber.computeFloat(operation, left, right) else { throw StepFailed() }
            return .double(result)
        default: throw StepFailed()
        }
    }

    private static func compare(
        _ comparison: StoreComparison, _ first: StoreValue, _ second: StoreValue, _ kind: StoreComparisonKind
    ) -> Bool {
        if first.isNull || second.isNull {
            switch comparison {
            case .equal: return first.isNull && second.isNull
            case .notEqual: return first.isNull != second.isNull
            default: return false
            }
        }
        guard let order = order(first, second, kind) else { return comparison == .notEqual }
        return switch comparison {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// Nil when the values are of different kinds.
    static func order(_ first: StoreValue, _ second: StoreValue, _ kind: StoreComparisonKind) -> Int? {
        func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
            left < right ? -1 : left == right ? 0 : 1
        }
        switch (first, second) {
        case (.integer(let left), .integer(let right)):
            return kind == .unsigned ? order(left ^ Int64.min, right ^ Int64.min) : order(left, right)
        case (.decimal(let left), .decimal(let right)): return order(left, right)
        case (.string(let left), .string(let right)): return order(left, right)
        case (.url(let left), .url(let right)): return left.absoluteString == right.absoluteString ? 0 : 1
        default:
            guard let result = StoredArray.order(first, second) else { return nil }
            return result.rawValue
        }
    }
}

extension StoreExpression {
    /// The attribute of an array that is unwrapped, if it is one.
    fileprivate var withoutUnwrapping: StoreExpression {
        switch self {
        case .unwrapped(let inner): inner.withoutUnwrapping
        case .coalesced(let first, _): first.withoutUnwrapping
        default: self
        }
    }
}
