import CloudStore
import SchemaLanguage
import WebServices

/// How much of the writer's time a request has taken, counted in what takes it; over all its zones.
struct WriteExpense: Sendable {
    var cascadedDeletions = 0
    var addedReferences = 0
    var indexEntries = 0
    var newFields = 0
}

/// One try at applying a zone's batch, inside a savepoint.
///
/// An operation that fails writes nothing: everything is checked before its first write.
struct ZoneBatchAttempt {
    let operations: [PreparedOperation]
    let zone: ZoneRow
    let context: RequestContext
    let writer: ContainerWriter
    var schema: GrowingSchema
    private(set) var outcomes: [ZoneBatch.Outcome] = []

    /// The newest sequence that was given out.
    private var sequence: Int64
    private var addedRecords: Int64 = 0
    private var addedBytes: Int64 = 0
    /// What the zone's owner has stored, read when a quota first needs it.
    private var usage: Int64?
    /// What the caller may do in the public database, read when it is first needed.
    private var knownAccess: PublicAccess?
    var spent: WriteExpense
    /// Which operation needs which record to be there when all is done.
    var needed: [(operation: Int, target: KeptReference)] = []
    /// Which operation deleted which record, itself or through a DELETE_SELF reference.
    var deleted: [(operation: Int, row: RecordRow)] = []
    /// How many references of a kind each target has, as far as this batch had to know.
    var referenceCounts: [KeptReference: Int] = [:]

    init(
        _ operations: [PreparedOperation], _ zone: ZoneRow, _ context: RequestContext, _ writer: ContainerWriter,
        _ schema: GrowingSchema, _ spent: WriteExpense
    ) {
        self.operations = operations
        self.zone = zone
        self.context = context
        self.writer = writer
        self.schema = schema
        self.spent = spent
        sequence = zone.sequence
    }

    var hasFailures: Bool { outcomes.contains(where: \.isFailure) }

    /// Applies the operations in order.
    ///
    /// - Parameter refused: operations that an earlier try found to break a rule, with their errors.
    mutating func apply(refused: [Int: ServerError]) throws {
        outcomes.reserveCapacity(operations.count)
        for (index, operation) in operations.enumerated() {
            if let error = refused[index] {
                outcomes.append(.failed(error, nil))
                continue
            }
            let stored = try writer.record(zone: zone.id, name: operation.name)
            do {
                outcomes.append(try outcome(of: operation, index, stored))
            } catch let error as ServerError {
                let live = stored.flatMap { $0.deleted ? nil : $0 }
                let isShown = try error.code == .conflict && live.map { try mayRead($0) } ?? false
                outcomes.append(.failed(error, isShown ? live : nil))
            }
        }
    }

    private mutating func outcome(
        of operation: PreparedOperation, _ index: Int, _ stored: RecordRow?
    ) throws -> ZoneBatch.Outcome {
        let decision = try OperationDecision(
            operation.type, tag: operation.record.recordChangeTag, stored: stored, context)
        try checkPermission(of: decision, operation, stored)
        switch (decision, stored) {
        case (.create, _):
            return .saved(try save(operation, index, over: stored, keepingFields: false))
        case (.update, _):
            return .saved(try save(operation, index, over: stored, keepingFields: true))
        case (.replace, _):
            return .saved(try save(operation, index, over: stored, keepingFields: false))
        case (.delete, let row?):
            // Only users' records begin so.
            guard context.database != .public || !row.name.hasPrefix("_") else {
                throw ServerError.badRequest("A user's own record cannot be deleted")
            }
            return .deleted(try delete(row, index))
        case (.delete, nil), (.nothing, _):
            return .deleted(nil)
        }
    }

    // MARK: - Permission

    /// In a private database all belongs to the caller. In the public one the record's type says who may.
    private mutating func checkPermission(
        of decision: OperationDecision, _ operation: PreparedOperation, _ stored: RecordRow?
    ) throws {
        guard context.database == .public, !context.makesUserRecord else { return }
        let access = try publicAccess()
        switch decision {
        case .create:
            // A record without a type, and somebody else's user record, are refused for that.
            guard let type = operation.record.recordType,
                type != RecordNaming.usersType || operation.name == access.user
            else { return }
            try access.checkCreating(operation.name, schema.schema.grants(ofType: type))
        case .update, .replace, .delete:
            guard let stored else { return }
            try access.check(.write, stored, schema.schema)
        case .nothing:
            guard context.caller.user != nil else { throw ServerError.notPermitted("WRITE") }
        }
    }

    private mutating func mayRead(_ row: RecordRow) throws -> Bool {
        guard context.database == .public else { return true }
        return try publicAccess().permissions(for: row, schema.schema).contains(.read)
    }

    private mutating func publicAccess() throws -> PublicAccess {
        if let knownAccess { return knownAccess }
        let access = try PublicAccess(context, schema.schema, writer)
        knownAccess = access
        return access
    }

    /// Writes the zone's new sequence and sums.
    func finish() throws {
        guard sequence != zone.sequence || addedRecords != 0 || addedBytes != 0 else { return }
        try writer.updateZone(id: zone.id, sequence: sequence, addRecords: addedRecords, addBytes: addedBytes)
    }

    // MARK: - Order and sums

    /// Sets the sequence and the change tag of a changed row. In a private zone both are the zone's next sequence. The
    /// public database has no order; its tags grow with time, and differ where a record is deleted and made again.
    mutating func stamp(_ row: inout RecordRow) {
        if zone.key.scope == .private {
            sequence &+= 1
            row.sequence = sequence
            row.tag = sequence
        } else {
            let random = context.random.bytes(2).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            row.tag = max(context.now << 12 | random & 0xFFF, row.tag &+ 1)
        }
        row.modified = max(context.now, row.modified &+ 1)
        row.modifier = context.userRecordName
        row.modifiedDevice = context.deviceID
    }

    /// Throws `QUOTA_EXCEEDED` when so many more bytes would be too many.
    mutating func checkQuota(adding bytes: Int64) throws {
        let quota = zone.key.scope == .private ? context.configuration.accountQuota : context.configuration.publicQuota
        guard let quota, bytes > 0 else { return }
        let used = try usage ?? writer.ownerUsage(scope: zone.key.scope, owner: zone.key.owner)
        usage = used
        guard used + addedBytes + bytes <= quota else { throw ServerError(.quotaExceeded, "Quota exceeded") }
    }

    mutating func count(records: Int64, bytes: Int64) {
        addedRecords += records
        addedBytes += bytes
    }

    /// What a record counts as, for quotas and sums; its files count in full, whoever else refers to them.
    ///
    /// - Parameter sealed: bytes of what is encrypted, where they are not in the row yet.
    static func size(_ row: RecordRow?, sealed: Int? = nil) -> Int64 {
        guard let row, !row.deleted else { return 0 }
        let own = Int64(row.body.count + (sealed ?? row.sealed.count) + row.name.utf8.count)
        return own + (Fields(stored: row.body)?.assetBytes ?? 0)
    }
}
