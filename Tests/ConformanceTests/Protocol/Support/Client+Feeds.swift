import Testing
import WebServices

extension ZoneID {
    static let notes = ZoneID(zoneName: "Notes")
    static let trips = ZoneID(zoneName: "Trips")
}

// MARK: - Queries

extension RecordsQuery.Filter {
    /// `("count", .lessThan, 3)`.
    static func filter(
        _ field: String, _ comparator: RecordsQuery.Comparator, _ value: FieldValue
    ) -> RecordsQuery.Filter {
        RecordsQuery.Filter(comparator, .user(field), .typed(value))
    }
}

extension Client {
    func page(
        _ filters: [RecordsQuery.Filter] = [], sort: [RecordsQuery.Sort] = [], type: String = "Note",
        in zone: ZoneID? = nil, zoneWide: Bool = false, limit: Int? = nil, from marker: String? = nil,
        desiredKeys: [String]? = nil, database: DatabaseScope = .private
    ) throws -> RecordsQuery.Response {
        let request = RecordsQuery.Request(
            query: .init(recordType: type, filterBy: filters, sortBy: sort), zoneID: zone, zoneWide: zoneWide,
            resultsLimit: limit, continuationMarker: marker, desiredKeys: desiredKeys)
        guard case .recordsQuery(let response) = try answer(.recordsQuery(request), in: database) else {
            throw UnexpectedAnswer()
        }
        return response
    }

    /// The names of the records found, in order.
    func find(
        _ filters: RecordsQuery.Filter..., sort: [RecordsQuery.Sort] = [], type: String = "Note",
        in zone: ZoneID? = nil,
        zoneWide: Bool = false, database: DatabaseScope = .private
    ) throws -> [String] {
        try page(filters, sort: sort, type: type, in: zone, zoneWide: zoneWide, database: database).records.map(\.name)
    }
}

// MARK: - Zones

extension ZoneResult {
    var zone: Zone? { if case .zone(let zone) = self { zone } else { nil } }
    var error: ServerError? { if case .failure(_, let error) = self { error } else { nil } }

    var name: String {
        switch self {
        case .zone(let zone): zone.zoneID.zoneName
        case .failure(let zoneID, _): zoneID.zoneName
        }
    }
}

extension Client {
    func zones(_ operation: ServerOperation, in database: DatabaseScope = .private) throws -> [ZoneResult] {
        guard case .zones(let response) = try answer(operation, in: database) else { throw UnexpectedAnswer() }
        return response.zones
    }

    /// One `zones/modify` operation, which succeeds.
    @discardableResult
    func zone(_ type: ZonesModify.OperationType, _ zoneID: ZoneID = .notes) throws -> Zone {
        switch try zones(.zonesModify(.init(operations: [.init(type, zoneID)])))[0] {
        case .zone(let zone): return zone
        case .failure(_, let error): throw error
        }
    }

    /// The error of one `zones/modify` operation, which fails.
    func zoneFailure(
        _ type: ZonesModify.OperationType, _ zoneID: ZoneID, in database: DatabaseScope = .private,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ServerError {
        try #require(
            try zones(.zonesModify(.init(operations: [.init(type, zoneID)])), in: database)[0].error,
            sourceLocation: sourceLocation)
    }
}

// MARK: - Changes

extension ChangesZone.ZoneResult {
    var page: ChangesZone.Page? { if case .page(let page) = self { page } else { nil } }
    var error: ServerError? { if case .failure(_, let error) = self { error } else { nil } }
}

extension Client {
    func changes(_ zones: [ChangesZone.ZoneRequest]) throws -> [ChangesZone.ZoneResult] {
        guard case .changesZone(let response) = try answer(.changesZone(.init(zones: zones))) else {
            throw UnexpectedAnswer()
        }
        return response.zones
    }

    /// One page of a zone's changes; the zone's error is thrown.
    func changes(
        in zone: ZoneID = .notes, since token: String? = nil, limit: Int? = nil, desiredKeys: [String]? = nil,
        types: [String]? = nil
    ) throws -> ChangesZone.Page {
        switch try changes([
            .init(
                zoneID: zone, syncToken: token, desiredKeys: desiredKeys, desiredRecordTypes: types, resultsLimit: limit
            )
        ])[0] {
        case .page(let page): return page
        case .failure(_, let error): throw error
        }
    }

    /// All pages together, and the last token.
    func allChanges(
        in zone: ZoneID = .notes, since token: String? = nil, limit: Int? = nil
    ) throws -> (records: [Record], token: String) {
        var page = try changes(in: zone, since: token, limit: limit)
        var records = page.records
        while page.moreComing {
            let next = try changes(in: zone, since: page.syncToken, limit: limit)
            try #require(next.syncToken != page.syncToken, "a token that stands still although more is coming")
            page = next
            records += page.records
        }
        return (records, page.syncToken)
    }

    /// The error of a zone whose changes cannot be had.
    func changesFailure(
        in zone: ZoneID = .notes, since token: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ServerError {
        try #require(
            try changes([.init(zoneID: zone, syncToken: token)])[0].error, sourceLocation: sourceLocation)
    }

    func databaseChanges(
        since token: String? = nil, limit: Int? = nil, in database: DatabaseScope = .private
    ) throws -> ChangesDatabase.Response {
        guard
            case .changesDatabase(let response) = try answer(
                .changesDatabase(.init(syncToken: token, resultsLimit: limit)), in: database)
        else { throw UnexpectedAnswer() }
        return response
    }

    // MARK: - Users

    func user() throws -> UserResponse {
        guard case .user(let user) = try answer(.usersCaller, in: .public) else { throw UnexpectedAnswer() }
        return user
    }
}

extension ServerError {
    /// Code and reason, as tests compare them.
    var said: Said { Said(code: code, reason: reason) }

    struct Said: Equatable {
        var code: Code
        var reason: String

        init(code: Code, reason: String) {
            self.code = code
            self.reason = reason
        }

        init(_ code: Code, _ reason: String) { self.init(code: code, reason: reason) }
    }
}
