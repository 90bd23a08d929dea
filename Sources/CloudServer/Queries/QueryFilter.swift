import CloudStore
import WebServices

/// One filter of a query, with its operand converted and checked against the schema: a test of a record's value.
///
/// A field that is absent or null matches no comparator, and so it matches every negated one: `NOT_EQUALS` is "does not
/// equal", as `!=` is for NSPredicate. [The protocol's documentation is silent.]
struct QueryFilter: Sendable {
    enum Test: Sendable {
        /// Is one of these (`EQUALS`, `IN`).
        case isOne(of: [QueryValue])
        case range(QueryRange)
        case beginsWith([UInt8])
        case containsAny([QueryValue])
        case containsAll([QueryValue])
        case memberBeginsWith([UInt8])
        /// Is no further away than so many metres.
        case near(Location, Double)
        /// Has one of these words, or all of them.
        case words(Set<String>, all: Bool)
    }

    let field: QueryField
    let test: Test
    let isNegated: Bool

    /// Values of one `IN` or list comparator.
    static let maximumValues = 1000

    func holds(_ row: RecordRow, _ fields: Fields) -> Bool {
        if case .words(let words, let all) = test {
            return field.holds(words, all: all, fields)
        }
        return matches(field.value(row, fields)) != isNegated
    }

    private func matches(_ value: FieldValue?) -> Bool {
        guard let value else { return false }
        if case .list(let elements, _) = value { return matches(elements.compactMap(QueryValue.init)) }
        if case .near(let center, let distance) = test {
            guard case .location(let place) = value else { return false }
            return place.distance(to: center) <= distance
        }
        guard let value = QueryValue(value) else { return false }
        return switch test {
        case .isOne(let values): values.contains { $0.matches(value) }
        case .range(let range): range.contains(value.bytes)
        case .beginsWith(let prefix): value.bytes.starts(with: prefix)
        case .containsAny, .containsAll, .memberBeginsWith, .near, .words: false
        }
    }

    private func matches(_ elements: [QueryValue]) -> Bool {
        switch test {
        case .containsAny(let values) where values.count == 1, .containsAll(let values) where values.count == 1:
            return elements.contains { $0.matches(values[0]) }
        case .containsAny(let values):
            let elements = ListElements(elements)
            return values.contains(where: elements.contains)
        case .containsAll(let values):
            let elements = ListElements(elements)
            return values.allSatisfy(elements.contains)
        case .memberBeginsWith(let prefix): return elements.contains { $0.bytes.starts(with: prefix) }
        case .isOne, .range, .beginsWith, .near, .words: return false
        }
    }
}

/// A list's elements by their bytes: a thousand values are looked for in lists of a megabyte, in record after record.
private struct ListElements {
    /// The zones that equal elements name; nil for one that names none.
    private var zones: [[UInt8]: Set<String?>] = [:]

    init(_ elements: [QueryValue]) {
        for element in elements { zones[element.bytes, default: []].insert(element.zone) }
    }

    /// As `QueryValue.matches` has it.
    func contains(_ value: QueryValue) -> Bool {
        guard let found = zones[value.bytes] else { return false }
        return value.zone == nil || found.contains(nil) || found.contains(value.zone)
    }
}

/// An interval of values by their bytes.
struct QueryRange: Sendable, Hashable {
    struct Bound: Sendable, Hashable {
        var bytes: [UInt8]
        var isInclusive: Bool
    }

    var lower: Bound?
    var upper: Bound?

    func contains(_ bytes: [UInt8]) -> Bool {
        if let lower {
            if bytes.lexicographicallyPrecedes(lower.bytes) { return false }
            if !lower.isInclusive, bytes == lower.bytes { return false }
        }
        if let upper {
            if upper.bytes.lexicographicallyPrecedes(bytes) { return false }
            if !upper.isInclusive, bytes == upper.bytes { return false }
        }
        return true
    }

    /// The interval of index entries that can belong to values of this one: cut bounds become inclusive.
    var ofIndex: QueryRange {
        func cut(_ bound: Bound) -> Bound {
            guard bound.bytes.count >= IndexValue.maximumLength else { return bound }
            return Bound(bytes: Array(bound.bytes.prefix(IndexValue.maximumLength)), isInclusive: true)
        }
        return QueryRange(lower: lower.map(cut), upper: upper.map(cut))
    }

    /// All strings that begin with `prefix`.
    static func beginning(with prefix: [UInt8]) -> QueryRange {
        var upper = prefix
        while let last = upper.popLast() {
            if last < 0xFF {
                upper.append(last + 1)
                return QueryRange(
                    lower: Bound(bytes: prefix, isInclusive: true), upper: Bound(bytes: upper, isInclusive: false))
            }
        }
        return QueryRange(lower: Bound(bytes: prefix, isInclusive: true))
    }

    func intersection(_ other: QueryRange) -> QueryRange {
        var result = self
        if let bound = other.lower, lower.map({ Self.isTighter(bound, than: $0, lower: true) }) ?? true {
            result.lower = bound
        }
        if let bound = other.upper, upper.map({ Self.isTighter(bound, than: $0, lower: false) }) ?? true {
            result.upper = bound
        }
        return result
    }

    private static func isTighter(_ bound: Bound, than other: Bound, lower: Bool) -> Bool {
        if bound.bytes == other.bytes { return !bound.isInclusive }
        let precedes = bound.bytes.lexicographicallyPrecedes(other.bytes)
        return lower ? !precedes : precedes
    }
}

// MARK: - From a request

extension QueryFilter {
    /// - Throws: `BAD_REQUEST`, with the texts that Apple's service uses where they are known.
    init(
        _ filter: RecordsQuery.Filter, of type: Schema.RecordType, in context: RequestContext
    ) throws(ServerError) {
        let comparator = filter.comparator
        let field: QueryField
        if let name = filter.field {
            field = try QueryField(name, of: type, in: context.scope)
        } else {
            guard comparator.searchesWords else { throw .badRequest("A filter needs a field name") }
            field = try QueryField(wordsOf: type)
        }
        try Self.check(comparator, field)
        let operand = Operand(value: filter.value, type: field.type.element ?? field.type, isPlain: field.isSystem)
        let caller = field.isSystem && !field.isRecordName ? context.caller.user?.recordName : nil
        switch comparator {
        case .equals, .notEquals: test = .isOne(of: [try operand.scalar(caller)])
        case .in, .notIn: test = .isOne(of: try operand.list(caller, needsTag: true))
        case .lessThan:
            test = .range(QueryRange(upper: .init(bytes: try operand.scalar(nil).bytes, isInclusive: false)))
        case .lessThanOrEquals:
            test = .range(QueryRange(upper: .init(bytes: try operand.scalar(nil).bytes, isInclusive: true)))
        case .greaterThan:
            test = .range(QueryRange(lower: .init(bytes: try operand.scalar(nil).bytes, isInclusive: false)))
        case .greaterThanOrEquals:
            test = .range(QueryRange(lower: .init(bytes: try operand.scalar(nil).bytes, isInclusive: true)))
        case .beginsWith, .notBeginsWith: test = .beginsWith(try operand.scalar(nil).bytes)
        case .listContains, .notListContains: test = .containsAny([try operand.scalar(nil)])
        case .listContainsAny, .notListContainsAny: test = .containsAny(try operand.list(nil, needsTag: false))
        case .listContainsAll, .notListContainsAll: test = .containsAll(try operand.list(nil, needsTag: false))
        // "As the first item" says one page; the name, and native predicates, say "some member".
        case .listMemberBeginsWith, .notListMemberBeginsWith: test = .memberBeginsWith(try operand.scalar(nil).bytes)
        case .near: test = try Self.near(filter)
        case .containsAllTokens, .containsAnyTokens:
            guard case .string(let text) = try filter.value.value(as: .string) else { throw .invalidValue(.string) }
            test = .words(SearchWords.words(of: text), all: comparator == .containsAllTokens)
        }
        self.field = field
        isNegated = comparator.isNegated
    }

    private static func near(_ filter: RecordsQuery.Filter) throws(ServerError) -> Test {
        guard case .location(let center) = try filter.value.value(as: .location) else { throw .invalidValue(.location) }
        guard let distance = filter.distance else { throw .missing("distance") }
        guard distance >= 0, distance.isFinite else { throw .badRequest("A distance is a number of metres from 0 on") }
        return .near(center, distance)
    }

    private struct Operand {
        var value: RecordsQuery.Operand
        var type: FieldType
        var isPlain: Bool

        /// - Parameter caller: whom the native framework's name for "the current user" means.
        func scalar(_ caller: String?) throws(ServerError) -> QueryValue {
            try convert(try value.value(as: type, plainReference: isPlain), caller)
        }

        func list(_ caller: String?, needsTag: Bool) throws(ServerError) -> [QueryValue] {
            let elements = try value.elements(as: type, plainReference: isPlain, needsTag: needsTag)
            guard elements.count <= QueryFilter.maximumValues else {
                throw .badRequest("A filter has more than \(QueryFilter.maximumValues) values", .limitExceeded)
            }
            var values: [QueryValue] = []
            for element in elements { values.append(try convert(element, caller)) }
            return values
        }

        private func convert(_ value: FieldValue, _ caller: String?) throws(ServerError) -> QueryValue {
            var value = value
            // Of a system field only the name counts, whatever zone came with it.
            if isPlain, case .reference(let reference) = value {
                let isCaller = reference.recordName == RequestContext.currentUserOwner
                value = .reference(
                    Reference(recordName: isCaller ? caller ?? reference.recordName : reference.recordName))
            }
            guard let converted = QueryValue(value) else { throw .invalidValue(type) }
            return converted
        }
    }

    private static func check(_ comparator: RecordsQuery.Comparator, _ field: QueryField) throws(ServerError) {
        guard comparator.applies(to: field), !field.isEncrypted else {
            throw .badRequest(
                "Field '\(field.name)' has a value type of \(field.typeName) and cannot be queried using filter type "
                    + comparator.rawValue)
        }
        if comparator.searchesWords {
            guard field.indexes.contains(.searchable) else { throw .notSearchable(field.name) }
        } else if comparator.needsOrder {
            guard field.indexes.contains(.sortable) else { throw .notSortable(field.name) }
        } else {
            guard field.indexes.contains(.queryable) else { throw .notQueryable(field.name) }
        }
    }
}

extension ServerError {
    static func notQueryable(_ field: String) -> ServerError { .badRequest("Field '\(field)' is not marked queryable") }
    static func notSearchable(_ field: String) -> ServerError {
        .badRequest("Field '\(field)' is not marked searchable")
    }
    static func notSortable(_ field: String) -> ServerError { .badRequest("Field '\(field)' is not marked sortable") }
}

extension RecordsQuery.Comparator {
    var isNegated: Bool {
        switch self {
        case .notEquals, .notIn, .notBeginsWith, .notListContains, .notListContainsAny, .notListContainsAll,
            .notListMemberBeginsWith:
            true
        default: false
        }
    }

    /// Needs the SORTABLE index rather than the QUERYABLE one. [Apple:schema]
    var needsOrder: Bool {
        switch self {
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .beginsWith, .notBeginsWith,
            .listMemberBeginsWith, .notListMemberBeginsWith:
            true
        default: false
        }
    }

    func applies(to field: QueryField) -> Bool {
        switch self {
        case .equals, .notEquals, .in, .notIn: !field.type.isList && IndexValue.isIndexed(field.type)
        case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
            [.string, .int64, .double, .timestamp].contains(field.type)
        case .beginsWith, .notBeginsWith: field.type == .string || field.isRecordName
        case .listContains, .notListContains, .listContainsAny, .notListContainsAny, .listContainsAll,
            .notListContainsAll:
            field.type.isList && IndexValue.isIndexed(field.type)
        case .listMemberBeginsWith, .notListMemberBeginsWith: field.type == .stringList
        case .near: field.type == .location
        case .containsAllTokens, .containsAnyTokens: field.type.isText
        }
    }

    var searchesWords: Bool { self == .containsAllTokens || self == .containsAnyTokens }
}

extension FieldType {
    /// Whether its values have words.
    var isText: Bool { self == .string || self == .stringList }
}

extension QueryField {
    /// Whether the field, or the searched fields together, have one of the words, or all. A search for no word finds nothing.
    fileprivate func holds(_ words: Set<String>, all: Bool, _ fields: Fields) -> Bool {
        let searched: [String]
        switch source {
        case .user(let field): searched = [field.name]
        case .words(let fields): searched = fields.map(\.name)
        case .system: return false
        }
        guard !words.isEmpty else { return false }
        var missing = words
        for name in searched {
            let found = fields[name].map(SearchWords.words(of:)) ?? []
            if all {
                missing.subtract(found)
                if missing.isEmpty { return true }
            } else if !words.isDisjoint(with: found) {
                return true
            }
        }
        return false
    }
}
