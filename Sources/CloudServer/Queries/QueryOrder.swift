import CloudStore
import WebServices

/// The order of a query's answer, total over all zones.
///
/// By the sort fields in turn, or by the distance of a sort field's location from a place; values compare by their index bytes, so strings and references by the first 1,024 bytes.
/// Records whose first sort field is absent or null come last in either direction, as they were created; in a later sort
/// field they come last among their equals. What is equal in all stands by the record's identity in the first field's
/// direction. Without sort fields the order is that of creation: records that an equality filter finds by their identity,
/// which is given when a record name is first used, all others by their time of creation.
/// [The protocol's documentation is silent on each of these.]
struct QueryOrder: Sendable {
    struct Term: Sendable, Hashable {
        var field: QueryField
        var isAscending: Bool
        /// Orders by how far the field's location is from this one.
        var relativeTo: Location?

        /// Where index entries have this order.
        var index: Int64? { relativeTo == nil ? field.index : nil }

        fileprivate func key(_ row: RecordRow, _ fields: Fields) -> [UInt8]? {
            guard let value = field.value(row, fields) else { return nil }
            guard let relativeTo else { return QueryValue(value)?.indexBytes }
            guard case .location(let place) = value else { return nil }
            return IndexValue.double(place.distance(to: relativeTo))
        }
    }

    /// Empty: by identity.
    let terms: [Term]

    /// The direction of the identities at the end.
    var isAscending: Bool { terms.first?.isAscending ?? true }

    func key(_ row: RecordRow, _ fields: Fields) -> QueryPosition {
        QueryPosition(
            values: terms.map { $0.key(row, fields) },
            created: row.created, record: row.id, zone: row.zone)
    }

    func precedes(_ left: QueryPosition, _ right: QueryPosition) -> Bool {
        for (index, term) in terms.enumerated() {
            guard index < left.values.count, index < right.values.count else { break }
            switch (left.values[index], right.values[index]) {
            case (nil, nil):
                if index == 0 {
                    return (left.created, left.record, left.zone) < (right.created, right.record, right.zone)
                }
            case (nil, _?): return false
            case (_?, nil): return true
            case (let leftValue?, let rightValue?):
                if leftValue == rightValue { continue }
                return leftValue.lexicographicallyPrecedes(rightValue) == term.isAscending
            }
        }
        // The end of a group of equal first values comes after all of its members.
        if left.isGroupEnd != right.isGroupEnd { return right.isGroupEnd }
        if left.isGroupEnd { return false }
        let identities = ((left.record, left.zone), (right.record, right.zone))
        return isAscending ? identities.0 < identities.1 : identities.1 < identities.0
    }
}

/// Where a record stands in the order of a query; also where a page ended.
struct QueryPosition: Sendable, Hashable {
    /// Index bytes for each term of the order; nil for null.
    var values: [[UInt8]?]
    var created: Int64 = 0
    var record: Int64 = 0
    var zone: Int64 = 0
    /// After all records whose first value is `values[0]`, the only one.
    var isGroupEnd = false

    static func groupEnd(_ value: [UInt8]) -> QueryPosition {
        QueryPosition(values: [value], isGroupEnd: true)
    }

    /// Among the records whose first sort field is null.
    var isAmongNulls: Bool { values.first.map { $0 == nil } ?? false }
}
