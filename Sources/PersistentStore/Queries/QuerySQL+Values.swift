import Foundation

extension QuerySQL {
    /// The value, with NULL for nil and for a step that failed.
    func value(_ expression: StoreExpression, onlyForNil: Bool = false) throws(PersistentStoreError) -> String {
        try spend()
        switch expression {
        case .constant(let value): return constant(value)
        case .attribute(let object, let path): return try column(path, of: object, onlyForNil: onlyForNil)
        case .coalesced(let first, let second):
            let choice = "COALESCE(\(try value(first)), \(try value(second)))"
            guard let defined = try isDefined(first) else { return choice }
            return "CASE WHEN \(defined) THEN \(choice) END"
        case .unwrapped(let inner): return try value(inner)
        case .mapped(let subject, let body):
            return "CASE WHEN \(try value(subject)) IS NOT NULL THEN \(try value(body)) END"
        case .mappedObject(let object, let body):
            if isNilWithout(object, body) { return try value(body) }
            return "CASE WHEN \(try key(of: object)) IS NOT NULL THEN \(try value(body)) END"
        case .conditional(let test, let first, let second):
            let other = mayFail(test) ? "WHEN \(try isFalse(test)) THEN" : "ELSE"
            return "CASE WHEN \(try isTrue(test)) THEN \(try value(first)) \(other) \(try value(second)) END"
        case .count(let collection): return try count(collection)
        case .arithmetic(let operation, let first, let second, let type):
            return try arithmetic(operation, first, second, type)
        case .negated(let inner, let type):
            return try arithmetic(
                .subtract, .constant(type == .double || type == .float ? .double(-0.0) : .integer(0)), inner, type)
        case .characterCount(let inner): return "stratus_characters(\(try value(inner)))"
        case .textOrder(let order, let first, let second):
            return "stratus_order(\(order.rawValue), \(try value(first)), \(try value(second)))"
        case .array(let function, let array, let argument):
            let argument = try argument.map { (one) throws(PersistentStoreError) in try value(one) } ?? "NULL"
            return "stratus_array(\(function.rawValue), \(try value(array)), \(argument))"
        default:
            guard mayFail(expression) else { return "((\(try isTrue(expression))) IS TRUE)" }
            return "CASE WHEN \(try isTrue(expression)) THEN 1 WHEN \(try isFalse(expression)) THEN 0 END"
        }
    }

    private func constant(_ value: StoreValue) -> String {
        switch value {
        case .null: "NULL"
        case .boolean(let value): value ? "1" : "0"
        default: bind(value)
        }
    }

    private func count(_ collection: StoreCollection) throws(PersistentStoreError) -> String {
        let count = try select("COUNT(*)", from: collection, where: isTrue)
        guard let filter = collection.filter, mayFail(filter) else { return "(\(count))" }
        let failed = try select("1", from: collection, where: hasFailed)
        return "CASE WHEN NOT EXISTS (\(failed)) THEN (\(count)) END"
    }

    private func hasFailed(_ condition: StoreExpression) throws(PersistentStoreError) -> String {
        "(\(either(try isTrue(condition), try isFalse(condition)))) IS NOT TRUE"
    }

    private func arithmetic(
        _ operation: StoreArithmetic, _ first: StoreExpression, _ second: StoreExpression, _ type: StoreNumberType
    ) throws(PersistentStoreError) -> String {
        let (left, right) = (try value(first), try value(second))
        switch type {
        case .integer(let bits, let isSigned):
            return "stratus_integer(\(operation.rawValue), \(left), \(right), \(isSigned ? bits : -bits))"
        case .double: return "stratus_double(\(operation.rawValue), \(left), \(right))"
        case .float: return "stratus_float(\(operation.rawValue), \(left), \(right))"
        }
    }

    // MARK: - Comparisons

    func compare(
        _ comparison: StoreComparison, _ first: StoreExpression, _ second: StoreExpression, _ kind: StoreComparisonKind
    ) throws(PersistentStoreError) -> String {
        if case .constant = first, !isConstant(second) { return try compare(comparison.mirrored, second, first, kind) }
        if case .constant(let value) = second { return try compare(comparison, first, with: value, kind) }
        let comparable = try (comparable(first, kind, comparison), comparable(second, kind, comparison))
        let collation = kind == .text ? " COLLATE stratus_text" : ""
        let isBothNil = mayBeNil(first) && mayBeNil(second)
        switch comparison {
        case .equal where isBothNil:
            return try defined("\(comparable.0) IS \(comparable.1)\(collation)", first, second)
        case .notEqual where mayBeNil(first) || mayBeNil(second):
            return try defined("\(comparable.0) IS NOT \(comparable.1)\(collation)", first, second)
        case .equal, .notEqual: return "\(comparable.0) \(comparison.sign) \(comparable.1)\(collation)"
        default:
            if kind == .decimal { return "stratus_decimals(\(comparable.0), \(comparable.1)) \(comparison.sign) 0" }
            return "\(comparable.0) \(comparison.sign) \(comparable.1)\(collation)"
        }
    }

    private func isConstant(_ expression: StoreExpression) -> Bool {
        if case .constant = expression { true } else { false }
    }

    private func defined(_ sql: String, _ first: StoreExpression, _ second: StoreExpression)
        throws(PersistentStoreError) -> String
    {
        both(both(sql, try isDefined(first) ?? "1"), try isDefined(second) ?? "1")
    }

    private func comparable(_ expression: StoreExpression, _ kind: StoreComparisonKind, _ comparison: StoreComparison)
        throws(PersistentStoreError) -> String
    {
        let sql = try value(expression)
        guard kind == .unsigned, comparison != .equal, comparison != .notEqual else { return sql }
        return "stratus_unsigned(\(sql))"
    }

    private func compare(
        _ comparison: StoreComparison, _ first: StoreExpression, with constant: StoreValue, _ kind: StoreComparisonKind
    ) throws(PersistentStoreError) -> String {
        if constant.isNull {
            switch comparison {
            case .equal: return try isNil(first)
            case .notEqual: return try isNotNil(first)
            default: return "0"
            }
        }
        if case .boolean(let wanted) = constant, isCondition(first) {
            switch (comparison, wanted) {
            case (.equal, true): return try isTrue(first)
            case (.equal, false): return try isFalse(first)
            case (.notEqual, true): return either(try isFalse(first), try isNil(first))
            case (.notEqual, false): return either(try isTrue(first), try isNil(first))
            default: break
            }
        }
        if case .count(let collection) = first, case .integer(let number) = constant,
            let test = try exists(collection, comparison, number)
        {
            return test
        }
        switch (comparison, kind) {
        case (.equal, .text), (.notEqual, .text): return try compareText(comparison, first, with: constant)
        case (.equal, _): return "\(try value(first)) = \(bind(constant))"
        case (.notEqual, _):
            guard mayBeNil(first) else { return "\(try value(first)) <> \(bind(constant))" }
            return both("\(try value(first)) IS NOT \(bind(constant))", try isDefined(first) ?? "1")
        case (_, .text): return "\(try value(first)) \(comparison.sign) \(bind(constant)) COLLATE stratus_text"
        case (_, .decimal): return "stratus_decimals(\(try value(first)), \(bind(constant))) \(comparison.sign) 0"
        case (_, .unsigned):
            return "stratus_unsigned(\(try value(first))) \(comparison.sign) stratus_unsigned(\(bind(constant)))"
        default: return "\(try value(first)) \(comparison.sign) \(bind(constant))"
        }
    }

    /// A test whether there is any, for the numbers where it answers; it stops at the first.
    private func exists(_ collection: StoreCollection, _ comparison: StoreComparison, _ number: Int64)
        throws(PersistentStoreError) -> String?
    {
        if let filter = collection.filter, mayFail(filter) { return nil }
        return switch (comparison, number) {
        case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): try isTrue(.exists(collection))
        case (.equal, 0), (.lessOrEqual, 0), (.less, 1): try isFalse(.exists(collection))
        default: nil
        }
    }

    /// Equality of text with a constant, by every spelling in which a file may have it, so that an index serves.
    private func compareText(_ comparison: StoreComparison, _ first: StoreExpression, with constant: StoreValue)
        throws(PersistentStoreError) -> String
    {
        guard case .string(let text) = constant else { throw .unsupportedQuery("text is compared with another type") }
        let column = try value(first)
        let isEqual = comparison == .equal
        guard let spellings = CanonicalSpellings.of(text) else {
            return isEqual || !mayBeNil(first)
                ? "\(column) \(comparison.sign) \(bind(constant)) COLLATE stratus_text"
                : both("\(column) IS NOT \(bind(constant)) COLLATE stratus_text", try isDefined(first) ?? "1")
        }
        if spellings.count == 1 {
            guard !isEqual, mayBeNil(first) else { return "\(column) \(comparison.sign) \(bind(constant))" }
            return both("\(column) IS NOT \(bind(constant))", try isDefined(first) ?? "1")
        }
        let list =
            spellings.count <= 4
            ? "(" + spellings.map { bind(.string($0)) }.joined(separator: ", ") + ")"
            : bind(StoreList(spellings.map { .string($0) }))
        if isEqual { return "\(column) IN \(list)" }
        return either("\(column) NOT IN \(list)", try isNil(first))
    }

    func isAmong(_ expression: StoreExpression, _ list: [StoreValue], _ kind: StoreComparisonKind)
        throws(PersistentStoreError) -> String
    {
        let values = list.filter { !$0.isNull }
        let nilTest = values.count < list.count ? try isNil(expression) : "0"
        if values.isEmpty { return nilTest }
        if values.count == 1 { return either(try compare(.equal, expression, with: values[0], kind), nilTest) }
        let column = try value(expression)
        guard kind == .text else { return either("\(column) IN \(bind(StoreList(values)))", nilTest) }
        var spelled: [StoreValue] = []
        spelled.reserveCapacity(values.count)
        for case .string(let text) in values {
            guard let spellings = CanonicalSpellings.of(text) else {
                let composed = values.map { value in
                    if case .string(let text) = value {
                        StoreValue.string(text.precomposedStringWithCanonicalMapping)
                    } else {
                        value
                    }
                }
                return either("stratus_composed(\(column)) IN \(bind(StoreList(composed)))", nilTest)
            }
            for spelling in spellings { spelled.append(.string(spelling)) }
        }
        return either("\(column) IN \(bind(StoreList(spelled)))", nilTest)
    }

    // MARK: - Objects

    func isSame(_ first: StoreObjectPath, _ second: StoreObjectPath) throws(PersistentStoreError) -> String {
        let (left, right) = (try key(of: first), try key(of: second))
        let sameTable = try entity(of: first).root == (try entity(of: second)).root
        let same = sameTable ? "\(left) IS \(right)" : "(\(left) IS NULL AND \(right) IS NULL)"
        return both(both(same, try isDefined(first) ?? "1"), try isDefined(second) ?? "1")
    }

    func isOne(_ object: StoreObjectPath, of rows: [RowID]) throws(PersistentStoreError) -> String {
        let root = try entity(of: object).root
        let keys = rows.filter { layout.entity(of: $0)?.root == root }.map { StoreValue.integer($0.key) }
        switch keys.count {
        case 0: return "0"
        case 1: return "\(try key(of: object)) = \(bind(keys[0]))"
        default: return "\(try key(of: object)) IN \(bind(StoreList(keys)))"
        }
    }

    // MARK: - Text

    func text(_ test: StoreTextTest, _ first: StoreExpression, _ second: StoreExpression)
        throws(PersistentStoreError) -> String
    {
        let subject = try value(first)
        let call = "stratus_text_\(test.rawValue)(\(subject), \(try value(second)))"
        guard test == .startsWith, case .attribute = first, case .constant(.string(let prefix)) = second,
            let range = CanonicalSpellings.range(ofTextBeginningWith: prefix)
        else { return call }
        return
            "(\(subject) >= \(bind(.string(range.lower))) AND \(subject) < \(bind(.string(range.upper))) AND \(call))"
    }
}

extension StoreComparison {
    var sign: String {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}
