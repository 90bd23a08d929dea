import CloudStore
import Testing
import WebServices

@testable import CloudServer

extension TestDevice {
    func zones(_ operations: [ZonesModify.Operation], in database: DatabaseScope = .private) throws -> [ZoneResult] {
        let operation = ServerOperation.zonesModify(ZonesModify.Request(operations: operations))
        guard case .zones(let response) = try answer(operation, in: database) else { throw UnexpectedAnswer() }
        return response.zones
    }

    func create(_ names: String...) throws {
        for result in try zones(names.map { .init(.create, ZoneID(zoneName: $0)) }) {
            if case .failure(_, let error) = result { throw error }
        }
    }

    func delete(zone name: String) throws {
        guard case .zone(let zone)? = try zones([.init(.delete, ZoneID(zoneName: name))]).first, zone.deleted else {
            throw UnexpectedAnswer()
        }
    }

    /// All zones of the database.
    func zones(in database: DatabaseScope = .private) throws -> [Zone] {
        guard case .zones(let response) = try answer(.zonesList, in: database) else { throw UnexpectedAnswer() }
        return response.zones.compactMap(\.zone)
    }

    func databaseChanges(_ token: String? = nil, limit: Int? = nil) throws -> ChangesDatabase.Response {
        let request = ChangesDatabase.Request(syncToken: token, resultsLimit: limit)
        guard case .changesDatabase(let response) = try answer(.changesDatabase(request)) else {
            throw UnexpectedAnswer()
        }
        return response
    }

    func zoneChanges(_ requests: [ChangesZone.ZoneRequest]) throws -> [ChangesZone.ZoneResult] {
        guard case .changesZone(let response) = try answer(.changesZone(ChangesZone.Request(zones: requests))) else {
            throw UnexpectedAnswer()
        }
        return response.zones
    }

    /// One page of one zone.
    func page(
        _ zone: String, _ token: String? = nil, limit: Int? = nil, reverse: Bool? = nil, keys: [String]? = nil,
        types: [String]? = nil
    ) throws -> ChangesZone.Page {
        let results = try zoneChanges([
            .init(
                zoneID: ZoneID(zoneName: zone), syncToken: token, reverse: reverse, desiredKeys: keys,
                desiredRecordTypes: types, resultsLimit: limit)
        ])
        switch results.first {
        case .page(let page): return page
        case .failure(_, let error): throw error
        case nil: throw UnexpectedAnswer()
        }
    }

    func delete(_ name: String, in zone: String) throws {
        let record = Record(recordName: name)
        _ = try save(.forceDelete, record, in: ZoneID(zoneName: zone))
    }

    var store: ContainerStore {
        get throws {
            try #require(try cloud.server.store.container(TestCloud.container, environment.rawValue, create: true))
        }
    }
}

extension ZoneResult {
    var zone: Zone? {
        if case .zone(let zone) = self { zone } else { nil }
    }

    var error: ServerError? {
        if case .failure(_, let error) = self { error } else { nil }
    }
}
