import CloudKit
import CloudKitTesting
import CloudServer
import Testing
import WebServices

/// A client of the web protocol, below the framework: what other languages' clients send.
struct Caller {
    static let zone = ZoneID(zoneName: "Zone")

    let transport: any Transport
    /// Runs as long as one of its callers is there.
    let cloud: Cloud
    let apiToken: String?
    let webAuthToken: String?
    var client = ClientKind.webServices
    var container = World.container
    var environment = CloudEnvironment.development

    func reply(_ operation: WebServices.Operation, _ database: DatabaseScope = .private) async throws -> Reply {
        let call = Call(
            container: container, environment: environment, database: database,
            credentials: Credentials(apiToken: apiToken, webAuthToken: webAuthToken), client: client,
            operation: operation)
        return try await transport.send(call, limits: RequestLimits())
    }

    func answer(_ operation: WebServices.Operation, _ database: DatabaseScope = .private) async throws -> Answer {
        try await reply(operation, database).result.get()
    }

    /// What the request as a whole is refused with.
    func refusal(_ operation: WebServices.Operation, _ database: DatabaseScope = .private) async throws -> ServerError?
    {
        guard case .failure(let error) = try await reply(operation, database).result else { return nil }
        return error
    }

    // MARK: Records

    func modify(
        _ operations: [RecordsModify.Operation], _ zone: ZoneID? = nil, atomic: Bool? = nil,
        desiredKeys: [String]? = nil, _ database: DatabaseScope = .private
    ) async throws -> [RecordResult] {
        let request = RecordsModify.Request(
            operations: operations, zoneID: zone, atomic: atomic, desiredKeys: desiredKeys)
        guard case .recordsModify(let response) = try await answer(.recordsModify(request), database) else {
            throw UnexpectedAnswer()
        }
        return response.records
    }

    /// Saves one record that has to succeed.
    @discardableResult
    func save(
        _ type: RecordsModify.OperationType, _ record: Record, _ database: DatabaseScope = .private
    ) async throws -> Record {
        try await modify([.init(type, record)], record.zoneID, database)[0].get()
    }

    func lookup(
        _ names: [String], _ zone: ZoneID? = nil, desiredKeys: [String]? = nil, _ database: DatabaseScope = .private
    ) async throws -> [RecordResult] {
        let request = RecordsLookup.Request(
            records: names.map { RecordsLookup.Item(recordName: $0) }, zoneID: zone, desiredKeys: desiredKeys)
        guard case .recordsLookup(let response) = try await answer(.recordsLookup(request), database) else {
            throw UnexpectedAnswer()
        }
        return response.records
    }

    // MARK: Zones and changes

    func makeZone(_ zone: ZoneID = Caller.zone) async throws {
        _ = try await zones([.init(.create, zone)])
    }

    func zones(_ operations: [ZonesModify.Operation]) async throws -> [ZoneResult] {
        guard case .zones(let response) = try await answer(.zonesModify(ZonesModify.Request(operations: operations)))
        else { throw UnexpectedAnswer() }
        return response.zones
    }

    func changes(_ request: ChangesZone.ZoneRequest) async throws -> ChangesZone.Page {
        guard case .changesZone(let response) = try await answer(.changesZone(ChangesZone.Request(zones: [request]))),
            let first = response.zones.first
        else { throw UnexpectedAnswer() }
        switch first {
        case .page(let page): return page
        case .failure(_, let error): throw error
        }
    }

    struct UnexpectedAnswer: Error {}
}

extension World {
    /// A web client, signed in or not.
    func caller(_ account: String? = "alice", client: ClientKind = .webServices) async throws -> Caller {
        let transport: any Transport =
            switch wire {
            case .inProcess: cloud.inProcessTransport
            case .http: HTTPTransport(root: try cloud.serve())
            }
        var token: String?
        if let account {
            token = try await transport.signIn(account: account, password: "", limits: RequestLimits()).result.get()
        }
        return Caller(
            transport: transport, cloud: cloud, apiToken: cloud.apiToken, webAuthToken: token, client: client)
    }
}

extension RecordResult {
    func get() throws -> Record {
        switch self {
        case .record(let record): return record
        case .failure(_, let error, _): throw error
        }
    }

    var failure: ServerError? {
        guard case .failure(_, let error, _) = self else { return nil }
        return error
    }
}

extension Fields {
    static func of(_ values: KeyValuePairs<String, FieldValue?>) -> Fields {
        var builder = FieldsBuilder()
        for (name, value) in values { builder.append(name, value) }
        return builder.finish()
    }

    /// A field without a type, as other clients send it.
    static func untyped(_ name: String, _ json: String) -> Fields {
        var builder = FieldsBuilder()
        builder.append(name, json: Array(json.utf8)[...], kind: .untyped)
        return builder.finish()
    }
}

/// A record as a request names it.
func item(
    _ name: String, _ values: KeyValuePairs<String, FieldValue?> = [:], zone: ZoneID? = nil, tag: String? = nil
) -> Record {
    Record(recordName: name, recordType: "Item", recordChangeTag: tag, fields: .of(values), zoneID: zone)
}
