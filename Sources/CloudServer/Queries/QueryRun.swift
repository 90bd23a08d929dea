import CloudStore
import WebServices

/// Answers one page of a query. The rows that it looks at are bounded, whatever the query and however large the zones:
/// a page that reaches the bound ends there, short or even empty, with a marker.
///
/// How: if a filter leads to few records, they are gathered and sorted. Otherwise an index is read in the order of the
/// answer: the entries of the values that an equality asks for, or those of the first sort field, from the marker on.
/// Several such runs (a zone or a value each) are merged by position. Every filter is checked on every record that is
/// read.
final class QueryRun {
    let query: CompiledQuery
    private let zones: [ZoneRow]
    private let reader: ContainerReader
    let start: QueryMarker?
    private(set) var page: QueryPage
    private let bounds: Limits
    private(set) var rowsLeft: Int
    /// The first position that a run did not get to look beyond; nil while every run reached its end.
    private var frontier: QueryPosition?

    init(
        _ query: CompiledQuery, in zones: [ZoneRow], _ reader: ContainerReader, from start: QueryMarker?, limit: Int,
        bounds: Limits
    ) {
        self.query = query
        self.zones = zones
        self.reader = reader
        self.start = start
        rowsLeft = bounds.queryRows
        self.bounds = bounds
        page = QueryPage(order: query.order, after: start?.position, limit: limit, bytes: bounds.pageBytes)
    }

    var order: QueryOrder { query.order }

    func run() throws -> (items: [QueryPage.Item], next: QueryMarker?) {
        let ways = QueryAccess.gathering(query)
        var isWide = start?.isWide ?? false
        if !isWide, !isInOrder(ways) {
            for way in ways.prefix(3) where try gather(way.path, atMost: bounds.queryGathered) {
                return end(isWide: false)
            }
            isWide = !ways.isEmpty
        }
        if order.terms.isEmpty, case .values(let field, let values)? = ways.first(where: \.isByIdentity)?.path {
            try readByIdentity(field, values)
        } else if let term = order.terms.first, let index = term.index {
            try readInOrder(term, index)
            try readNulls(term)
        } else if let term = order.terms.first, let place = term.relativeTo {
            try readByDistance(term, place, ways)
        } else {
            try gatherAll(ways)
        }
        return end(isWide: isWide)
    }

    /// Whether the one way that the filters offer has the answer's order already, so that gathering would win nothing.
    private func isInOrder(_ ways: [QueryAccess]) -> Bool {
        guard ways.count == 1 else { return false }
        return switch ways[0].path {
        case .names, .words, .ranges: false
        case .values: order.terms.isEmpty
        case .range(let field, _): order.terms.first?.index == field
        }
    }

    private func end(isWide: Bool) -> (items: [QueryPage.Item], next: QueryMarker?) {
        let (items, end) = page.finish(frontier: frontier)
        return (items, end.map { QueryMarker(position: $0, isWide: isWide) })
    }

    // MARK: - Gathering

    /// Puts all records of a path on the page.
    /// - Returns: false if they are more than `limit`; the page is then as it was.
    func gather(_ path: QueryAccess.Path, atMost limit: Int) throws -> Bool {
        var gathered = page
        var rows = 0
        func take(_ row: RecordRow, _ zone: ZoneRow) -> Bool {
            rows += Self.cost(of: row)
            if rows > limit { return false }
            if let fields = query.match(row) {
                gathered.insert(.init(position: order.key(row, fields), row: row, zone: zone.key))
            }
            return true
        }
        for zone in zones {
            switch path {
            case .names(let names):
                for name in names {
                    guard let row = try reader.record(zone: zone.id, name: name) else {
                        rows += 1
                        if rows > limit { return false }
                        continue
                    }
                    guard take(row, zone) else { return false }
                }
            case .values(let field, let values):
                for value in values {
                    try reader.scanIndex(zone: zone.id, field: field, from: value, to: value) { take($1, zone) }
                    if rows > limit { return false }
                }
            case .words(let fields, let words):
                for field in fields {
                    for entry in words.map(SearchWords.entry) + [SearchWords.manyWords] where rows <= limit {
                        try reader.scanIndex(zone: zone.id, field: field, from: entry, to: entry) { take($1, zone) }
                    }
                }
            case .range(let field, let range):
                try scan(zone, field, range) { take($1, zone) }
            case .ranges(let field, let ranges):
                for range in ranges where rows <= limit { try scan(zone, field, range) { take($1, zone) } }
            }
            if rows > limit { return false }
        }
        page = gathered
        return true
    }

    /// For an order that no index has: the records of the best path, or all of the type.
    func gatherAll(_ ways: [QueryAccess]) throws {
        let all = QueryAccess.Path.range(
            field: IndexedSystemField.createdTimestamp.id(type: query.type.id), QueryRange())
        for path in ways.map(\.path) + [all] where try gather(path, atMost: rowsLeft) { return }
        throw ServerError.badRequest(
            "Too many records to sort by '\(order.terms.first?.field.name ?? "recordName")': more than "
                + "\(bounds.queryRows) match, and the field has no index. Sort by another field, or filter more.")
    }

    // MARK: - Reading in order

    /// One run for each zone and value, each in the order of identity.
    private func readByIdentity(_ field: Int64, _ values: [[UInt8]]) throws {
        let share = self.share(of: zones.count * values.count)
        for zone in zones {
            for value in values {
                let after = start.map { IndexPosition(value: value, record: $0.position.resume(in: zone, true)) }
                var rows = 0
                try reader.scanIndex(zone: zone.id, field: field, from: value, to: value, after: after) { _, row in
                    let position = QueryPosition(values: [], created: row.created, record: row.id, zone: row.zone)
                    return visit(row, zone, position, &rows, share)
                }
            }
        }
    }

    /// One run for each zone over the entries of the first sort field.
    private func readInOrder(_ term: QueryOrder.Term, _ index: Int64) throws {
        if let start, start.position.isAmongNulls { return }
        let share = self.share(of: zones.count)
        let from = start?.position.values.first ?? nil
        let isGrouped = order.terms.count > 1
        for zone in zones {
            var bounds = QueryAccess.bounds(on: term.field, query)
            var after: IndexPosition?
            if let start, let from {
                if isGrouped {
                    // All records with one first value are read again, since they are not stored in their final order.
                    let bound = QueryRange.Bound(bytes: from, isInclusive: !start.position.isGroupEnd)
                    bounds = bounds.intersection(
                        term.isAscending ? QueryRange(lower: bound) : QueryRange(upper: bound))
                } else {
                    after = IndexPosition(
                        value: from, record: start.position.resume(in: zone, term.isAscending))
                }
            }
            var rows = 0
            var group: (value: [UInt8], previous: [UInt8]?)?
            try scan(zone, index, bounds, descending: !term.isAscending, after: after) { value, row in
                guard isGrouped else {
                    let position = QueryPosition(values: [value], created: row.created, record: row.id, zone: row.zone)
                    return visit(row, zone, position, &rows, share)
                }
                if group?.value != value { group = (value, group?.value) }
                return try visitInGroup(row, zone, group ?? (value, nil), term, &rows, share)
            }
        }
    }

    /// Takes a row of a run that is stored in the order of the answer; false ends the run.
    private func visit(
        _ row: RecordRow, _ zone: ZoneRow, _ position: QueryPosition, _ rows: inout Int, _ share: Int
    ) -> Bool {
        if page.isComplete(before: position) { return false }
        rows += Self.cost(of: row)
        rowsLeft -= Self.cost(of: row)
        if let fields = query.match(row) {
            // With one sort field or none, where a row lies in its run is its key: nothing has to be decoded for it.
            let key = order.terms.count <= 1 ? position : order.key(row, fields)
            page.insert(.init(position: key, row: row, zone: zone.key))
        }
        if rows < share { return true }
        stop(at: position)
        return false
    }

    /// Takes a row of a run that is stored in the order of its first value only; false ends the run.
    private func visitInGroup(
        _ row: RecordRow, _ zone: ZoneRow, _ group: (value: [UInt8], previous: [UInt8]?), _ term: QueryOrder.Term,
        _ rows: inout Int, _ share: Int
    ) throws -> Bool {
        if let previous = group.previous, page.isComplete(before: .groupEnd(previous)) { return false }
        guard rows < share else {
            // The group is not complete: the run counts up to the one before it.
            guard let previous = group.previous else {
                throw ServerError.badRequest(
                    "More than \(share) records have one value of '\(term.field.name)', too many to sort them by a "
                        + "second field. Put a field with more values first, or filter more.")
            }
            stop(at: .groupEnd(previous))
            return false
        }
        rows += Self.cost(of: row)
        rowsLeft -= Self.cost(of: row)
        if let fields = query.match(row) {
            page.insert(.init(position: order.key(row, fields), row: row, zone: zone.key))
        }
        return true
    }

    /// After all others: the records whose first sort field is null, as they were created.
    func readNulls(_ term: QueryOrder.Term) throws {
        let requiresValue = query.filters.contains { $0.field == term.field && !$0.isNegated }
        guard frontier == nil, !term.field.isSystem, !requiresValue, !page.isComplete(before: .firstNull) else {
            return
        }
        guard rowsLeft > 0 else { return stop(at: .firstNull) }
        let share = self.share(of: zones.count)
        let field = IndexedSystemField.createdTimestamp.id(type: query.type.id)
        for zone in zones {
            var after: IndexPosition?
            if let start, start.position.isAmongNulls {
                after = IndexPosition(
                    value: IndexValue.integer(start.position.created), record: start.position.resume(in: zone, true))
            }
            var rows = 0
            try scan(zone, field, QueryRange(), after: after) { _, row in
                let position = QueryPosition(values: [nil], created: row.created, record: row.id, zone: row.zone)
                if page.isComplete(before: position) { return false }
                let fields = Fields(stored: row.body) ?? Fields()
                guard term.field.value(row, fields) == nil else {
                    rows += Self.cost(of: row)
                    rowsLeft -= Self.cost(of: row)
                    if rows < share { return true }
                    stop(at: position)
                    return false
                }
                return visit(row, zone, position, &rows, share)
            }
        }
    }

    // MARK: - Bounds

    /// What a row takes of the bounds: a large record counts as several, so that the bytes of a page are bounded too.
    private static func cost(of row: RecordRow) -> Int {
        1 + row.byteCount / 8192
    }

    /// Rows that each of `runs` may look at; every run looks at some, so that each page moves on.
    private func share(of runs: Int) -> Int {
        max(rowsLeft / max(runs, 1), 16)
    }

    func stop(at position: QueryPosition) {
        if let frontier, !order.precedes(position, frontier) { return }
        frontier = position
    }

    private func scan(
        _ zone: ZoneRow, _ field: Int64, _ range: QueryRange, descending: Bool = false, after: IndexPosition? = nil,
        _ body: ([UInt8], RecordRow) throws -> Bool
    ) throws {
        try reader.scanIndex(
            zone: zone.id, field: field, from: range.lower?.bytes, fromInclusive: range.lower?.isInclusive ?? true,
            to: range.upper?.bytes, toInclusive: range.upper?.isInclusive ?? true, descending: descending, after: after,
            body)
    }
}

extension QueryAccess {
    var isByIdentity: Bool {
        if case .values = path { true } else { false }
    }
}

extension QueryPosition {
    /// Before all records whose first sort field is null.
    static let firstNull = QueryPosition(values: [nil], created: .min, record: .min, zone: .min)

    /// The record after which a scan of a zone goes on, at this position's value: zones come in the order of their
    /// identity where all else is equal.
    func resume(in zone: ZoneRow, _ isAscending: Bool) -> Int64 {
        if zone.id == self.zone { return record }
        let isLater = isAscending == (zone.id > self.zone)
        guard isLater else { return record }
        return isAscending ? record &- 1 : record &+ 1
    }
}
