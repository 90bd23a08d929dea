import CloudStore
import Testing
import WebServices

@testable import CloudServer

extension TestDevice {
    static let notes = ZoneID(zoneName: "Notes")

    /// Makes a zone behind the server's back, so that these tests depend on nothing but records.
    func makeZone(_ name: String = "Notes") throws {
        let owner = try user().userRecordName
        let store = try #require(
            try cloud.server.store.container(TestCloud.container, environment.rawValue, create: true))
        let now = cloud.clock.now
        _ = try store.writeAndWait { writer in
            try writer.insertZone(key: ZoneKey(scope: .private, owner: owner, name: name), created: now)
        }
    }

    func user() throws -> UserResponse {
        guard case .user(let user) = try answer(.usersCaller, in: .public) else { throw UnexpectedAnswer() }
        return user
    }

    func modify(
        _ operations: [RecordsModify.Operation], in zone: ZoneID? = nil, atomic: Bool? = nil,
        database: DatabaseScope = .private, desiredKeys: [String]? = nil
    ) throws -> [RecordResult] {
        let request = RecordsModify.Request(
            operations: operations, zoneID: zone, atomic: atomic, desiredKeys: desiredKeys)
        guard case .recordsModify(let response) = try answer(.recordsModify(request), in: database) else {
            throw UnexpectedAnswer()
        }
        return response.records
    }

    /// One operation, which succeeds.
    @discardableResult
    func save(
        _ type: RecordsModify.OperationType, _ record: Record, in zone: ZoneID? = nil,
        database: DatabaseScope = .private, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Record {
        let result = try #require(
            try modify([.init(type, record)], in: zone, database: database).first, sourceLocation: sourceLocation)
        switch result {
        case .record(let record): return record
        case .failure(_, let error, _): throw error
        }
    }

    /// The error of one operation, which fails.
    func failure(
        _ type: RecordsModify.OperationType, _ record: Record, in zone: ZoneID? = nil,
        database: DatabaseScope = .private
    ) throws -> ServerError? {
        try modify([.init(type, record)], in: zone, database: database).first?.error
    }

    func lookup(
        _ names: [String], in zone: ZoneID? = nil, database: DatabaseScope = .private, desiredKeys: [String]? = nil
    ) throws -> [RecordResult] {
        let request = RecordsLookup.Request(
            records: names.map { RecordsLookup.Item(recordName: $0) }, zoneID: zone, desiredKeys: desiredKeys)
        guard case .recordsLookup(let response) = try answer(.recordsLookup(request), in: database) else {
            throw UnexpectedAnswer()
        }
        return response.records
    }

    /// The stored record; nil if there is none.
    func record(_ name: String, in zone: ZoneID? = nil, database: DatabaseScope = .private) throws -> Record? {
        try lookup([name], in: zone, database: database).first?.record
    }
}

struct UnexpectedAnswer: Error {}

extension RecordResult {
    var record: Record? {
        if case .record(let record) = self { record } else { nil }
    }

    var error: ServerError? {
        if case .failure(_, let error, _) = self { error } else { nil }
    }

    var serverRecord: Record? {
        if case .failure(_, _, .record(let record)) = self { record } else { nil }
    }
}

extension Record {
    /// A record as a client sends it.
    static func note(
        _ name: String = "", tag: String? = nil, type: String? = "Note", parent: String? = nil,
        _ fields: [(name: String, value: FieldValue?)] = []
    ) -> Record {
        Record(
            recordName: name, recordType: type, recordChangeTag: tag, fields: Fields(fields),
            parent: parent.map { .reference(Reference(recordName: $0)) } ?? .unchanged)
    }
}
