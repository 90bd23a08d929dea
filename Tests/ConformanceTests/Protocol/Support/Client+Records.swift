import Testing
import WebServices

/// Fields as a test writes them: `["title": "Hello", "count": 3, "gone": nil]`.
typealias FieldList = KeyValuePairs<String, FieldValue?>

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    public init(stringLiteral text: String) { self = .string(text) }
    public init(integerLiteral number: Int64) { self = .int64(number) }
    public init(floatLiteral number: Double) { self = .double(number) }

    static func strings(_ texts: String...) -> FieldValue { .list(texts.map { .string($0) }, of: .string) }

    static func reference(to name: String, _ action: Reference.Action? = Reference.Action.none, in zone: ZoneID? = nil)
        -> FieldValue
    {
        .reference(Reference(recordName: name, zoneID: zone, action: action))
    }
}

extension Record {
    /// A record as a client sends it.
    static func note(
        _ name: String = "", tag: String? = nil, type: String? = "Note", parent: String? = nil, in zone: ZoneID? = nil,
        _ fields: FieldList = [:]
    ) -> Record {
        Record(
            recordName: name, recordType: type, recordChangeTag: tag, fields: Fields(fields.map { ($0.key, $0.value) }),
            zoneID: zone, parent: parent.map { .reference(Reference(recordName: $0)) } ?? .unchanged)
    }
}

extension RecordResult {
    var record: Record? { if case .record(let record) = self { record } else { nil } }
    var error: ServerError? { if case .failure(_, let error, _) = self { error } else { nil } }

    /// The record's name, whatever became of it.
    var name: String {
        switch self {
        case .record(let record): record.recordName
        case .failure(let name, _, _): name
        }
    }
}

extension Client {
    func modify(
        _ operations: [RecordsModify.Operation], in zone: ZoneID? = nil, atomic: Bool? = nil,
        database: DatabaseScope = .private, desiredKeys: [String]? = nil
    ) throws -> [RecordResult] {
        try modification(
            RecordsModify.Request(operations: operations, zoneID: zone, atomic: atomic, desiredKeys: desiredKeys),
            in: database
        ).records
    }

    func modification(
        _ request: RecordsModify.Request, in database: DatabaseScope = .private
    ) throws -> RecordsModify.Response {
        guard case .recordsModify(let response) = try answer(.recordsModify(request), in: database) else {
            throw UnexpectedAnswer()
        }
        #expect(response.records.count == request.operations.count, "one result for each operation")
        return response
    }

    /// The error of a `records/modify` as a whole.
    func refusal(
        _ operations: [RecordsModify.Operation], in zone: ZoneID? = nil, atomic: Bool? = nil,
        database: DatabaseScope = .private, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ServerError {
        try refusal(
            .recordsModify(RecordsModify.Request(operations: operations, zoneID: zone, atomic: atomic)), in: database,
            sourceLocation: sourceLocation)
    }

    /// One operation, which succeeds; its error is thrown.
    @discardableResult
    func save(
        _ type: RecordsModify.OperationType, _ record: Record, in zone: ZoneID? = nil,
        database: DatabaseScope = .private
    ) throws -> Record {
        switch try modify([.init(type, record)], in: zone, database: database)[0] {
        case .record(let record): return record
        case .failure(_, let error, _): throw error
        }
    }

    /// A new record.
    @discardableResult
    func create(
        _ name: String, _ fields: FieldList = [:], type: String = "Note", parent: String? = nil, in zone: ZoneID? = nil,
        database: DatabaseScope = .private
    ) throws -> Record {
        try save(.create, .note(name, type: type, parent: parent, fields), in: zone, database: database)
    }

    /// Changes a record, whatever its tag.
    @discardableResult
    func change(
        _ name: String, _ fields: FieldList, in zone: ZoneID? = nil, database: DatabaseScope = .private
    ) throws -> Record {
        try save(.forceUpdate, .note(name, fields), in: zone, database: database)
    }

    @discardableResult
    func delete(_ name: String, in zone: ZoneID? = nil, database: DatabaseScope = .private) throws -> Record {
        try save(.forceDelete, .note(name), in: zone, database: database)
    }

    /// The error of one operation, which fails.
    func failure(
        _ type: RecordsModify.OperationType, _ record: Record, in zone: ZoneID? = nil,
        database: DatabaseScope = .private, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ServerError {
        try #require(
            try modify([.init(type, record)], in: zone, database: database)[0].error, sourceLocation: sourceLocation)
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
