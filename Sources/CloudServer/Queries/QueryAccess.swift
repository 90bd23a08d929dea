import CloudStore
import WebServices

/// A way to the records of a query: which rows are read, of which all filters are then checked.
struct QueryAccess: Sendable {
    enum Path: Sendable {
        /// Rows by record name.
        case names([String])
        /// Index entries of each of these values; those of one value come in the order of identity.
        case values(field: Int64, [[UInt8]])
        /// Entries of each of these words in each of these fields, and of texts with too many words for entries.
        case words(fields: [Int64], [String])
        /// Index entries of an interval.
        case range(field: Int64, QueryRange)
        /// Index entries of several intervals that have nothing in common.
        case ranges(field: Int64, [QueryRange])
    }

    var path: Path
    /// The more selective paths are tried first.
    var rank: Int

    /// Values of one `IN` that are looked up one by one; a filter with more is checked on each record.
    static let maximumValues = 100

    /// The ways that a query's filters offer to gather their records, best first.
    static func gathering(_ query: CompiledQuery) -> [QueryAccess] {
        query.filters.compactMap { filter in access(filter, query) }.sorted { $0.rank < $1.rank }
    }

    private static func access(_ filter: QueryFilter, _ query: CompiledQuery) -> QueryAccess? {
        if filter.isNegated { return nil }
        if filter.field.isRecordName, case .isOne(let values) = filter.test {
            return QueryAccess(path: .names(values.map { String(decoding: $0.bytes, as: UTF8.self) }), rank: 0)
        }
        if case .words(let words, let all) = filter.test { return access(words, all: all, filter.field) }
        guard let index = filter.field.index else { return nil }
        switch filter.test {
        case .isOne(let values) where filter.identifies:
            return QueryAccess(path: .values(field: index, distinct(values)), rank: values.count == 1 ? 1 : 3)
        case .containsAny(let values) where filter.identifies:
            let sought = distinct(values) + [IndexValue.manyElements]
            return QueryAccess(path: .values(field: index, sought), rank: values.count == 1 ? 2 : 3)
        case .containsAll(let values) where filter.identifies:
            let sought = distinct(Array(values.prefix(1))) + [IndexValue.manyElements]
            return QueryAccess(path: .values(field: index, sought), rank: 2)
        case .beginsWith(let prefix):
            return QueryAccess(path: .range(field: index, QueryRange.beginning(with: prefix).ofIndex), rank: 4)
        case .memberBeginsWith(let prefix):
            let many = QueryRange.Bound(bytes: IndexValue.manyElements, isInclusive: true)
            let ranges = [QueryRange.beginning(with: prefix).ofIndex, QueryRange(lower: many, upper: many)]
            return QueryAccess(path: .ranges(field: index, ranges), rank: 4)
        case .near(let center, let distance):
            return QueryAccess(path: .near(center, distance, field: index), rank: 3)
        case .range:
            return QueryAccess(path: .range(field: index, bounds(on: filter.field, query)), rank: 5)
        default: return nil
        }
    }

    private static func access(_ words: Set<String>, all: Bool, _ field: QueryField) -> QueryAccess? {
        guard let indexes = field.wordIndexes, words.count <= maximumValues else { return nil }
        // Of words that have to be there together the longest is in the fewest records, as a rule.
        let longest = words.max { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        let sought = all ? longest.map { [$0] } ?? [] : words.sorted()
        return QueryAccess(path: .words(fields: indexes, sought), rank: sought.count == 1 ? 2 : 3)
    }

    /// What the query's filters together say about a field's index entries.
    static func bounds(on field: QueryField, _ query: CompiledQuery) -> QueryRange {
        var bounds = QueryRange()
        for filter in query.filters where filter.field == field && !filter.isNegated {
            switch filter.test {
            case .range(let range): bounds = bounds.intersection(range.ofIndex)
            case .beginsWith(let prefix): bounds = bounds.intersection(QueryRange.beginning(with: prefix).ofIndex)
            case .isOne(let values) where values.count == 1:
                let bound = QueryRange.Bound(bytes: values[0].indexBytes, isInclusive: true)
                bounds = bounds.intersection(QueryRange(lower: bound, upper: bound))
            default: break
            }
        }
        return bounds
    }

    private static func distinct(_ values: [QueryValue]) -> [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return values.map(\.indexBytes).filter { seen.insert($0).inserted }
    }
}

extension QueryAccess.Path {
    /// The places within so many metres, and some more.
    static func near(_ center: Location, _ distance: Double, field: Int64) -> QueryAccess.Path {
        .ranges(
            field: field,
            PlaceCode.intervals(around: center, within: distance).map { codes in
                QueryRange(
                    lower: .init(bytes: IndexValue.bigEndian(codes.lowerBound), isInclusive: true),
                    upper: .init(bytes: IndexValue.bigEndian(codes.upperBound), isInclusive: true))
            })
    }
}
