import Testing
import WebServices

@testable import CloudServer

extension TestDevice {
    func queryPage(
        _ query: RecordsQuery.Query, in zone: ZoneID? = nil, zoneWide: Bool = false, limit: Int? = nil,
        marker: String? = nil, keys: [String]? = nil, database: DatabaseScope = .private
    ) throws -> RecordsQuery.Response {
        let request = RecordsQuery.Request(
            query: query, zoneID: zone, zoneWide: zoneWide, resultsLimit: limit, continuationMarker: marker,
            desiredKeys: keys)
        guard case .recordsQuery(let response) = try answer(.recordsQuery(request), in: database) else {
            throw UnexpectedAnswer()
        }
        return response
    }

    /// The names of all records that a query finds, over all of its pages.
    func query(
        _ query: RecordsQuery.Query, in zone: ZoneID? = nil, zoneWide: Bool = false, limit: Int? = nil,
        database: DatabaseScope = .private
    ) throws -> [String] {
        var names: [String] = []
        var marker: String?
        repeat {
            let page = try queryPage(
                query, in: zone, zoneWide: zoneWide, limit: limit, marker: marker, database: database)
            names += page.records.compactMap(\.record?.recordName)
            #expect(marker == nil || page.continuationMarker != marker, "a marker moves on")
            marker = page.continuationMarker
        } while marker != nil
        return names
    }

    func query(
        _ filters: [RecordsQuery.Filter], sort: [RecordsQuery.Sort] = [], in zone: ZoneID? = nil, limit: Int? = nil
    ) throws -> [String] {
        try query(.init(recordType: "Note", filterBy: filters, sortBy: sort), in: zone, limit: limit)
    }
}

extension RecordsQuery.Filter {
    init(_ name: String, _ comparator: RecordsQuery.Comparator, _ value: FieldValue) {
        self.init(comparator, .user(name), .typed(value))
    }
}
