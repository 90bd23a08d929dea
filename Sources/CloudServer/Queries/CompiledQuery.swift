import CloudStore
import SchemaLanguage
import WebServices

/// A query checked against the schema: what it finds, and in which order.
struct CompiledQuery: Sendable {
    /// Filters and sort fields that one query may have.
    static let maximumFilters = 50
    static let maximumSorts = 8

    let type: Schema.RecordType
    let filters: [QueryFilter]
    let order: QueryOrder
    /// Of all that decides the answer: continuation markers are bound to it.
    let digest: [UInt8]

    /// - Parameters:
    ///   - zones: text that tells the zones to search from others.
    ///   - access: in the public database, what the caller may do there.
    /// - Throws: `BAD_REQUEST`, or `ACCESS_DENIED` where the caller may read no record of the type.
    init(
        _ query: RecordsQuery.Query, zones: String, _ schema: Schema, _ access: PublicAccess?,
        _ context: RequestContext
    ) throws(ServerError) {
        guard let type = schema.type(named: query.recordType) else {
            throw .badRequest("Did not find record type: \(query.recordType)", .unknownItem)
        }
        // Else anybody could list everybody. [CloudKit: Users records cannot be queried]
        guard query.recordType != RecordNaming.usersType else {
            throw .badRequest("Records of type '\(query.recordType)' cannot be queried")
        }
        guard query.filterBy.count <= Self.maximumFilters, query.sortBy.count <= Self.maximumSorts else {
            throw .badRequest(
                "A query has at most \(Self.maximumFilters) filters and \(Self.maximumSorts) sort fields",
                .limitExceeded)
        }
        var filters: [QueryFilter] = []
        for filter in query.filterBy { filters.append(try QueryFilter(filter, of: type, in: context)) }
        if filters.isEmpty { try Self.checkListing(type) }
        if let own = try access.flatMap({ access throws(ServerError) in try Self.ownRecordsOnly(type, access) }) {
            filters.append(own)
        }
        var terms: [QueryOrder.Term] = []
        for sort in query.sortBy {
            guard let term = try Self.term(sort, type, context) else { continue }
            // A field sorts once; naming it again changes nothing.
            if !terms.contains(where: { $0.field == term.field && $0.relativeTo == term.relativeTo }) {
                terms.append(term)
            }
        }
        if terms.isEmpty, !filters.contains(where: { $0.identifies }) {
            let creation = try QueryField(.system(.createdTimestamp), of: type, in: context.scope)
            terms = [QueryOrder.Term(field: creation, isAscending: true)]
        }
        self.type = type
        self.filters = filters
        order = QueryOrder(terms: terms)
        digest = context.tokenKey.digest(Self.digestible(type, filters, terms, zones))
    }

    /// A query without a filter asks for records by their names. [Apple:schema]
    private static func checkListing(_ type: Schema.RecordType) throws(ServerError) {
        guard !type.indexes(.recordID).contains(.queryable) else { return }
        let isIndexed =
            type.fields.values.contains { !$0.indexes.isEmpty }
            || SystemField.allCases.contains { !type.indexes($0).isEmpty }
        throw isIndexed
            ? .notQueryable(RecordsQuery.SystemField.recordName.systemFieldName)
            : .badRequest("Queried type is not marked indexable")
    }

    /// The filter for a type of which the caller may read nothing but what the caller made; nil where all may be read.
    private static func ownRecordsOnly(
        _ type: Schema.RecordType, _ access: PublicAccess
    ) throws(ServerError) -> QueryFilter? {
        if access.permissions(type.grants, isCreator: false).contains(.read) { return nil }
        guard let user = access.user, access.permissions(type.grants, isCreator: true).contains(.read),
            let value = QueryValue(.reference(Reference(recordName: user)))
        else { throw .notPermitted("READ") }
        let creator = try QueryField(.system(.createdUserRecordName), of: type, in: .public)
        return QueryFilter(field: creator, test: .isOne(of: [value]), isNegated: false)
    }

    private static func term(
        _ sort: RecordsQuery.Sort, _ type: Schema.RecordType, _ context: RequestContext
    ) throws(ServerError) -> QueryOrder.Term? {
        let field = try QueryField(sort.field, of: type, in: context.scope)
        if let place = sort.relativeLocation {
            guard field.type == .location else {
                throw .badRequest(
                    "Field '\(field.name)' has a value type of \(field.type.name) and cannot be sorted by distance")
            }
            // Apple's console offers locations nothing but QUERYABLE; real files have SORTABLE as well.
            guard !field.indexes.isDisjoint(with: [.queryable, .sortable]) else { throw .notSortable(field.name) }
            return QueryOrder.Term(field: field, isAscending: sort.ascending, relativeTo: place)
        }
        // Apple's service takes it and gives no order, as no server can see the values. [MistKit's live tests]
        if field.isEncrypted { return nil }
        guard field.indexes.contains(.sortable), !field.type.isList, IndexValue.isIndexed(field.type) else {
            throw .notSortable(field.name)
        }
        return QueryOrder.Term(field: field, isAscending: sort.ascending)
    }

    private static func digestible(
        _ type: Schema.RecordType, _ filters: [QueryFilter], _ terms: [QueryOrder.Term], _ zones: String
    ) -> [UInt8] {
        var bytes = TokenBytes()
        bytes.append(type.id)
        bytes.append(blob: zones.utf8)
        for filter in filters {
            bytes.append(blob: filter.field.name.utf8)
            bytes.append(filter.isNegated ? 1 : 0)
            filter.test.append(to: &bytes)
        }
        for term in terms {
            bytes.append(blob: term.field.name.utf8)
            bytes.append(term.isAscending ? 1 : 0)
            if let place = term.relativeTo { bytes.append(place) }
        }
        return bytes.bytes
    }

    /// The row's fields, if it is a live record of the type that passes all filters.
    func match(_ row: RecordRow) -> Fields? {
        guard row.type == type.id, !row.deleted else { return nil }
        let fields = Fields(stored: row.body) ?? Fields()
        return filters.allSatisfy { $0.holds(row, fields) } ? fields : nil
    }
}

extension QueryFilter {
    /// Whether index entries of single values find the matching records, each value's in the order of identity.
    var identifies: Bool {
        guard !isNegated, field.index != nil || field.isRecordName else { return false }
        return switch test {
        case .isOne(let values): values.count <= QueryAccess.maximumValues || field.isRecordName
        case .containsAny(let values): values.count <= QueryAccess.maximumValues
        case .containsAll(let values): !values.isEmpty
        case .range, .beginsWith, .memberBeginsWith, .near, .words: false
        }
    }
}

extension QueryFilter.Test {
    func append(to bytes: inout TokenBytes) {
        switch self {
        case .isOne(let values): append(1, values, &bytes)
        case .containsAny(let values): append(2, values, &bytes)
        case .containsAll(let values): append(3, values, &bytes)
        case .beginsWith(let prefix):
            bytes.append(4)
            bytes.append(blob: prefix)
        case .memberBeginsWith(let prefix):
            bytes.append(5)
            bytes.append(blob: prefix)
        case .range(let range):
            bytes.append(6)
            for bound in [range.lower, range.upper] {
                bytes.append(bound.map { $0.isInclusive ? 2 : 1 } ?? 0)
                bytes.append(blob: bound?.bytes ?? [])
            }
        case .near(let center, let distance):
            bytes.append(7)
            bytes.append(center)
            bytes.append(Int64(bitPattern: distance.bitPattern))
        case .words(let words, let all):
            bytes.append(all ? 8 : 9)
            bytes.append(Int64(words.count))
            for word in words.sorted() { bytes.append(blob: word.utf8) }
        }
    }

    private func append(_ kind: Int64, _ values: [QueryValue], _ bytes: inout TokenBytes) {
        bytes.append(kind)
        bytes.append(Int64(values.count))
        for value in values {
            bytes.append(blob: value.bytes)
            bytes.append(blob: (value.zone ?? "").utf8)
        }
    }
}

extension TokenBytes {
    fileprivate mutating func append(_ place: Location) {
        append(Int64(bitPattern: place.latitude.bitPattern))
        append(Int64(bitPattern: place.longitude.bitPattern))
    }
}
