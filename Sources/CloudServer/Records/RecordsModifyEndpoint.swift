import CloudStore
import WebServices

/// `POST records/modify`: saves and deletes records. [Apple:ModifyRecords]
///
/// What is wrong with the request as a whole is thrown before anything is touched (`RecordsModifyRules`). Then the
/// operations are grouped by zone, and each zone's batch is applied on its own (`ZoneBatch`).
struct RecordsModifyEndpoint: WritingEndpoint {
    private let request: RecordsModify.Request

    init(_ request: RecordsModify.Request) {
        self.request = request
    }

    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer {
        try RecordsModifyRules(request, context).check()
        // Everybody sees whose the saved records are.
        if context.database == .public, !context.makesUserRecord { try UserRecord.make(context, writer) }
        // Read when the first zone is locked; see `catchUp`.
        var known: GrowingSchema?
        var spent = WriteExpense()
        var results = [RecordResult?](repeating: nil, count: request.operations.count)
        var syncToken: String?
        for group in groups(context) {
            let zone: ZoneRow
            do {
                zone = try self.zone(group.zoneID, context, writer)
            } catch let error as ServerError {
                for operation in group.operations { results[operation.position] = failure(operation, error, context) }
                continue
            }
            var schema = try known ?? GrowingSchema(try context.schemas.uncommittedSchema(writer), writer)
            if known != nil { try schema.catchUp(context.schemas) }
            var batch = ZoneBatch(group.operations, zone, isAtomic: isAtomic(zone.key), context, writer, schema, spent)
            let outcomes = try batch.run()
            if let changed = ChangedZone(zone.key, outcomes, batch.schema.schema) {
                context.afterCommit.zoneChanged(changed)
            }
            for (operation, outcome) in zip(group.operations, outcomes) {
                results[operation.position] = try result(
                    operation, outcome, zone.key, context, writer, batch.schema.schema)
            }
            known = batch.schema
            spent = batch.spent
            if context.wantsSyncToken { syncToken = try context.currentToken(zone.key, writer) }
        }
        if let changed = try known?.changed() { context.afterCommit.schemaChanged(changed) }
        return .recordsModify(
            RecordsModify.Response(
                records: results.compactMap { $0 }, syncToken: syncToken, numbersAsStrings: request.numbersAsStrings))
    }

    private struct Group {
        var zoneID: ZoneID?
        var operations: [PreparedOperation]
    }

    /// The operations by zone, in the order in which the zones first appear; names are made for those that have none.
    private func groups(_ context: RequestContext) -> [Group] {
        var groups: [Group] = []
        var positions: [ZoneID: Int] = [:]
        for (position, operation) in request.operations.enumerated() {
            let zoneID = operation.record.zoneID ?? request.zoneID
            let prepared = PreparedOperation(
                operation, position: position, desiredKeys: operation.desiredKeys ?? request.desiredKeys, context.random
            )
            let key = context.normalized(zoneID)
            if let known = positions[key] {
                groups[known].operations.append(prepared)
            } else {
                positions[key] = groups.count
                groups.append(Group(zoneID: zoneID, operations: [prepared]))
            }
        }
        return groups
    }

    /// The zone to write to; a default zone comes into being with its first record.
    private func zone(_ zoneID: ZoneID?, _ context: RequestContext, _ writer: ContainerWriter) throws -> ZoneRow {
        let key = try context.zoneKey(for: zoneID)
        // Also in the public database, which has no order to keep: with no lock on single records, two writers of one
        // record could both find their change tag current.
        if let zone = try writer.lockZone(key) { return zone }
        guard key.name == ZoneID.defaultZoneName else { throw try context.missingZone(key, writer) }
        try writer.holdSchema()
        return try writer.insertZone(key: key, created: context.now)
    }

    /// Custom zones are atomic unless the request says otherwise; the default zone never is, whatever a native client
    /// asks (its operations are atomic by default, and the real default zone ignores it).
    private func isAtomic(_ zone: ZoneKey) -> Bool {
        zone.name != ZoneID.defaultZoneName && request.atomic != false
    }

    private func result(
        _ operation: PreparedOperation, _ outcome: ZoneBatch.Outcome, _ zone: ZoneKey, _ context: RequestContext,
        _ reader: ContainerReader, _ schema: Schema
    ) throws -> RecordResult {
        switch outcome {
        case .saved(let row):
            return .record(try context.record(row, zone, schema, reader, desiredKeys: operation.desiredKeys))
        case .deleted(let row):
            var record = Record(recordName: operation.name, deleted: true, zoneID: context.zoneID(of: zone))
            record.recordType = row.flatMap { schema.typeName($0.type) }
            record.recordChangeTag = row?.changeTag
            return .record(record)
        case .failed(let error, let serverRow):
            // Foreign clients with strict models know no such key.
            guard context.isNative, let serverRow else { return failure(operation, error, context) }
            let server = try context.record(serverRow, zone, schema, reader, desiredKeys: nil)
            return failure(operation, error, context, conflict: .record(server))
        }
    }

    private func failure(
        _ operation: PreparedOperation, _ error: ServerError, _ context: RequestContext,
        conflict: RecordResult.ConflictRecord = .absent
    ) -> RecordResult {
        var error = error
        error.uuid = error.uuid ?? context.random.uuid()
        return .failure(recordName: operation.name, error, conflict: conflict)
    }
}

/// One operation of a request, with its record's name.
struct PreparedOperation: Sendable {
    /// Where it stands in the request, and its result in the answer.
    let position: Int
    let type: RecordsModify.OperationType
    let record: Record
    let name: String
    let desiredKeys: [String]?

    init(
        _ operation: RecordsModify.Operation, position: Int, desiredKeys: [String]?, _ random: RandomSource
    ) {
        self.position = position
        type = operation.type
        record = operation.record
        name = operation.record.recordName.isEmpty ? random.uuid() : operation.record.recordName
        self.desiredKeys = desiredKeys
    }

    /// Whether it saves a record that refers to no other, so that no rule about several records can refuse it.
    var isIndependent: Bool {
        guard !type.isDeletion, case .unchanged = record.parent else { return false }
        return !record.fields.contains { field in
            field.kind == .untyped || field.kind == Fields.Kind(.reference) || field.kind == Fields.Kind(.referenceList)
        }
    }
}

extension RequestContext {
    /// One spelling for the several that mean the same zone.
    func normalized(_ zoneID: ZoneID?) -> ZoneID {
        let zoneID = zoneID ?? .default
        return ZoneID(
            zoneName: zoneID.zoneName, ownerRecordName: isCaller(zoneID.ownerRecordName) ? nil : zoneID.ownerRecordName)
    }
}
