extension QuerySQL {
    /// A condition that is 1 where the expression is true, and 0 or NULL where it is not.
    func isTrue(_ expression: StoreExpression) throws(PersistentStoreError) -> String {
        try spend()
        switch expression {
        case .constant(let value): return value == .boolean(true) ? "1" : "0"
        case .attribute(let object, let path): return "\(try column(path, of: object)) = 1"
        case .and(let all): return try joined(all, " AND ", empty: "1", isTrue)
        case .or(let all): return joined(try inTurn(all, isTrue, unless: isFalse), " OR ", empty: "0")
        case .not(let inner): return try isFalse(inner)
        case .comparison(let comparison, let first, let second, let kind):
            return try compare(comparison, first, second, kind)
        case .isNil(let inner): return try isNil(inner)
        case .coalesced(let first, let second):
            return either(try isTrue(first), both(try isNil(first), try isTrue(second)))
        case .unwrapped(let inner): return try isTrue(inner)
        case .mapped(let subject, let body): return both("\(try value(subject)) IS NOT NULL", try isTrue(body))
        case .mappedObject(let object, let body): return both(try present(object, for: body), try isTrue(body))
        case .conditional(let test, let first, let second):
            return either(both(try isTrue(test), try isTrue(first)), both(try isFalse(test), try isTrue(second)))
        case .isAmong(let inner, let list, let kind): return try isAmong(inner, list, kind)
        case .isNoObject(let object):
            return both("\(try key(of: object)) IS NULL", try isDefined(object) ?? "1")
        case .isSameObject(let first, let second): return try isSame(first, second)
        case .isOneOf(let object, let rows): return try isOne(object, of: rows)
        case .isKind(let object, let name): return try isKind(object, name)
        case .exists(let collection):
            return "EXISTS (\(try select("1", from: collection, where: isTrue)))"
        case .text(let test, let first, let second): return try text(test, first, second)
        case .array: return "\(try value(expression)) = 1"
        default: throw .unsupportedQuery("a value stands where a condition is needed")
        }
    }

    /// A condition that is 1 where the expression is false, and 0 or NULL where it is true, nil or failed.
    func isFalse(_ expression: StoreExpression) throws(PersistentStoreError) -> String {
        try spend()
        switch expression {
        case .constant(let value): return value == .boolean(false) ? "1" : "0"
        case .attribute(let object, let path): return "\(try column(path, of: object)) = 0"
        case .and(let all): return joined(try inTurn(all, isFalse, unless: isTrue), " OR ", empty: "0")
        case .or(let all): return try joined(all, " AND ", empty: "1", isFalse)
        case .not(let inner): return try isTrue(inner)
        case .comparison(let comparison, let first, let second, let kind):
            return try compare(comparison.opposite, first, second, kind)
        case .coalesced(let first, let second):
            return either(try isFalse(first), both(try isNil(first), try isFalse(second)))
        case .unwrapped(let inner): return try isFalse(inner)
        case .mapped(let subject, let body): return both("\(try value(subject)) IS NOT NULL", try isFalse(body))
        case .mappedObject(let object, let body): return both(try present(object, for: body), try isFalse(body))
        case .conditional(let test, let first, let second):
            return either(both(try isTrue(test), try isFalse(first)), both(try isFalse(test), try isFalse(second)))
        case .exists(let collection):
            let none = "NOT EXISTS (\(try select("1", from: collection, where: isNotFalse)))"
            return both(none, try isDefined(collection.owner) ?? "1")
        case .isNil(let inner): return try isNotNil(inner)
        case .isNoObject(let object): return "\(try key(of: object)) IS NOT NULL"
        case .array(.contains, _, _): return "\(try value(expression)) = 0"
        default:
            let no = "(\(try isTrue(expression))) IS NOT TRUE"
            return both(no, try operandsAreDefined(expression) ?? "1")
        }
    }

    /// True, nil or failed.
    private func isNotFalse(_ expression: StoreExpression) throws(PersistentStoreError) -> String {
        mayFail(expression) || mayBeNil(expression)
            ? "(\(try isFalse(expression))) IS NOT TRUE" : try isTrue(expression)
    }

    /// A condition that is 1 where the value is nil, and did not fail.
    func isNil(_ expression: StoreExpression) throws(PersistentStoreError) -> String {
        guard mayBeNil(expression) else { return "0" }
        if case .attribute(let object, let path) = expression {
            let leaves = try leaves(path, of: object)
            if !leaves.isEmpty {
                let test = leaves.map { "\($0) IS NULL" }.joined(separator: " AND ")
                return both("(\(test))", try isDefined(object) ?? "1")
            }
        }
        return both("\(try value(expression, onlyForNil: true)) IS NULL", try isDefined(expression) ?? "1")
    }

    /// A condition that is 1 where the value is not nil, and did not fail.
    func isNotNil(_ expression: StoreExpression) throws(PersistentStoreError) -> String {
        if case .attribute(let object, let path) = expression {
            let leaves = try leaves(path, of: object)
            if !leaves.isEmpty { return "(\(leaves.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")))" }
        }
        return "\(try value(expression, onlyForNil: true)) IS NOT NULL"
    }

    // MARK: - What did not fail

    /// A condition that is 1 where no step failed; nil where none can.
    func isDefined(_ expression: StoreExpression) throws(PersistentStoreError) -> String? {
        try spend()
        guard mayFail(expression) else { return nil }
        switch expression {
        case .attribute(let object, _): return try isDefined(object)
        case .coalesced(let first, let second):
            guard let later = try isDefined(second) else { return try isDefined(first) }
            return both(try isDefined(first) ?? "1", either("\(try value(first)) IS NOT NULL", later))
        case .unwrapped(let inner): return "\(try value(inner)) IS NOT NULL"
        case .mapped(let subject, let body):
            guard let later = try isDefined(body) else { return try isDefined(subject) }
            return both(try isDefined(subject) ?? "1", either("\(try value(subject)) IS NULL", later))
        case .mappedObject(let object, let body):
            guard let later = try isDefined(body) else { return try isDefined(object) }
            return both(try isDefined(object) ?? "1", either("\(try key(of: object)) IS NULL", later))
        case .conditional(let test, let first, let second):
            return either(
                both(try isTrue(test), try isDefined(first) ?? "1"),
                both(try isFalse(test), try isDefined(second) ?? "1"))
        case .array(.minimum, _, _), .array(.maximum, _, _): return try operandsAreDefined(expression)
        case .arithmetic, .negated, .count, .characterCount, .textOrder, .array:
            return "\(try value(expression)) IS NOT NULL"
        case .and, .or, .not, .exists: return either(try isTrue(expression), try isFalse(expression))
        default: return try operandsAreDefined(expression)
        }
    }

    func isDefined(_ object: StoreObjectPath) throws(PersistentStoreError) -> String? {
        switch object {
        case .variable: nil
        case .related(let base, _), .cast(let base, _): try isDefined(base)
        case .unwrapped(let base): "\(try key(of: base)) IS NOT NULL"
        }
    }

    private func operandsAreDefined(_ expression: StoreExpression) throws(PersistentStoreError) -> String? {
        let parts: [String?] =
            switch expression {
            case .isNil(let inner), .isAmong(let inner, _, _): [try isDefined(inner)]
            case .comparison(_, let first, let second, _), .text(_, let first, let second):
                [try isDefined(first), try isDefined(second)]
            case .isNoObject(let object), .isOneOf(let object, _), .isKind(let object, _): [try isDefined(object)]
            case .isSameObject(let first, let second): [try isDefined(first), try isDefined(second)]
            case .array(_, let array, let argument):
                if let argument { [try isDefined(array), try isDefined(argument)] } else { [try isDefined(array)] }
            default: []
            }
        let conditions = parts.compactMap { $0 }
        return conditions.isEmpty ? nil : conditions.map { "(\($0))" }.joined(separator: " AND ")
    }

    // MARK: - Putting together

    func both(_ first: String, _ second: String) -> String {
        if first == "1" { return second }
        if second == "1" { return first }
        if first == "0" || second == "0" { return "0" }
        return "(\(first) AND \(second))"
    }

    func either(_ first: String, _ second: String) -> String {
        if first == "0" { return second }
        if second == "0" { return first }
        if first == "1" || second == "1" { return "1" }
        return "(\(first) OR \(second))"
    }

    private func present(_ object: StoreObjectPath, for body: StoreExpression) throws(PersistentStoreError) -> String {
        isNilWithout(object, body) ? "1" : "\(try key(of: object)) IS NOT NULL"
    }

    private func joined(
        _ all: [StoreExpression], _ separator: String, empty: String,
        _ form: (StoreExpression) throws(PersistentStoreError) -> String
    ) throws(PersistentStoreError) -> String {
        var parts: [String] = []
        for one in all { parts.append(try form(one)) }
        return joined(parts, separator, empty: empty)
    }

    private func joined(_ parts: [String], _ separator: String, empty: String) -> String {
        let absorbing = empty == "1" ? "0" : "1"
        if parts.contains(absorbing) { return absorbing }
        let needed = parts.filter { $0 != empty }
        switch needed.count {
        case 0: return empty
        case 1: return needed[0]
        default: return "(" + nested(needed, separator) + ")"
        }
    }

    /// In groups: SQLite takes a chain of many parts for as deep as it is long, and refuses what is deeper than 1,000.
    private func nested(_ parts: [String], _ separator: String) -> String {
        guard parts.count > 100 else { return parts.joined(separator: separator) }
        let groups = stride(from: 0, to: parts.count, by: 100).map { start in
            "(" + parts[start..<min(start + 100, parts.count)].joined(separator: separator) + ")"
        }
        return nested(groups, separator)
    }

    /// Each part as it is reached when those before it were looked at: one that failed hides the ones after it.
    private func inTurn(
        _ all: [StoreExpression], _ form: (StoreExpression) throws(PersistentStoreError) -> String,
        unless other: (StoreExpression) throws(PersistentStoreError) -> String
    ) throws(PersistentStoreError) -> [String] {
        var parts: [String] = []
        var before = "1"
        for (index, one) in all.enumerated() {
            parts.append(both(before, try form(one)))
            if mayFail(one), index < all.count - 1 { before = both(before, try other(one)) }
        }
        return parts
    }
}
