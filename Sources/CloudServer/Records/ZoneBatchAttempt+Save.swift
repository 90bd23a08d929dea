import CloudStore
import WebServices

extension ZoneBatchAttempt {
    /// Saves a record over what is stored under its name: nothing, a tombstone, or an older state.
    mutating func save(
        _ operation: PreparedOperation, _ index: Int, over stored: RecordRow?, keepingFields: Bool
    ) throws -> RecordRow {
        let live = stored.flatMap { $0.deleted ? nil : $0 }
        let typeName = try self.typeName(operation, live)
        if live == nil { try RecordNaming.checkRecordName(operation.name, context) }
        let oldFields = live.flatMap { Fields(stored: $0.body) } ?? Fields()
        let checked = try CheckedFields(
            operation.record.fields, recordType: typeName, type: schema.schema.type(named: typeName),
            zone: operation.record.zoneID ?? context.zoneID(of: zone.key), owner: AssetOwner(zone.key),
            stored: oldFields, context)
        let fields = checked.merged(over: keepingFields ? oldFields : Fields())
        if let problem = fields.problem { throw problem }
        let secrets = try Secrets(checked.encrypted, over: live, keepingFields: keepingFields, context, writer)
        let length = fields.jsonLength + secrets.byteCount
        guard length <= context.limits.recordBytes else {
            throw ServerError.badRequest(
                "Record '\(operation.name)' has \(length) bytes; at most \(context.limits.recordBytes) are allowed",
                .limitExceeded)
        }

        var row = live ?? newRow(operation, stored)
        let parent = try self.parent(operation, live)
        let references = try ReferenceChanges(from: live, oldFields, to: fields, parent: parent)
        try checkLimits(of: references)
        let assets = AssetChanges(from: oldFields, to: fields)
        try check(assets, operation)
        try checkIndex(of: checked.fields)
        try checkGrowth(of: schema.schema.type(named: typeName), by: checked.newFields.count)
        row.body = fields.storedBytes
        row.parent = parent
        let growth = Self.size(row, sealed: secrets.byteCount) - Self.size(live)
        try checkQuota(adding: growth)

        // Nothing fails from here on.
        guard let type = try schema.type(named: typeName, adding: checked.newFields) else {
            throw ServerError(.internalError, "An internal error occurred.")
        }
        row.type = type.id
        row.sealed = try secrets.sealed(in: row, context, writer)
        stamp(&row)
        if live == nil { begin(&row) }
        if stored == nil { row.id = try writer.insertRecord(row) } else { try writer.updateRecord(row) }
        try writeIndex(from: live.map { .init(row: $0, fields: oldFields, type: type) }, to: row, fields, type)
        try write(references, of: row, index)
        try write(assets, of: row)
        count(records: live == nil ? 1 : 0, bytes: growth)
        return row
    }

    /// The encrypted side of a record that is saved.
    private enum Secrets {
        case none
        /// As they are stored already: an update that touches none of them opens nothing.
        case kept([UInt8])
        case fields(Fields)

        init(
            _ changes: Fields, over live: RecordRow?, keepingFields: Bool, _ context: RequestContext,
            _ writer: ContainerWriter
        ) throws {
            let stored = keepingFields ? live?.sealed ?? [] : []
            if changes.isEmpty {
                self = stored.isEmpty ? .none : .kept(stored)
                return
            }
            var old = Fields()
            if let live, !stored.isEmpty { old = try context.zoneKeys.open(live, writer) }
            let merged = old.merging(changes)
            if let problem = merged.problem { throw problem }
            self = merged.isEmpty ? .none : .fields(merged)
        }

        /// What they take in the store.
        var byteCount: Int {
            switch self {
            case .none: 0
            case .kept(let sealed): sealed.count
            case .fields(let fields): fields.storedBytes.count + ZoneKeyring.overhead
            }
        }

        func sealed(in row: RecordRow, _ context: RequestContext, _ writer: ContainerWriter) throws -> [UInt8] {
            switch self {
            case .none: []
            case .kept(let sealed): sealed
            case .fields(let fields): try context.zoneKeys.seal(fields, of: row.name, in: row.zone, writer)
            }
        }
    }

    private func typeName(_ operation: PreparedOperation, _ live: RecordRow?) throws -> String {
        let stored = live.flatMap { schema.schema.typeName($0.type) }
        guard let name = operation.record.recordType ?? stored, !name.isEmpty else {
            throw ServerError.missing("recordType")
        }
        if let stored {
            guard name == stored else {
                throw ServerError.badRequest(
                    "Record '\(operation.name)' is of type '\(stored)' and cannot become one of type '\(name)'")
            }
            return name
        }
        try RecordNaming.checkTypeName(name, recordName: operation.name, context)
        // Every container has the users' type, deployed or not.
        guard context.mayGrowSchema || schema.schema.type(named: name) != nil || name == RecordNaming.usersType else {
            throw ServerError.badRequest("Cannot create new type \(name) in \(context.environment.rawValue) schema")
        }
        return name
    }

    /// A row for a record that comes into being; a deleted one's row is used again.
    private func newRow(_ operation: PreparedOperation, _ tombstone: RecordRow?) -> RecordRow {
        guard var row = tombstone else { return RecordRow(zone: zone.id, name: operation.name, type: 0) }
        row.deleted = false
        return row
    }

    private func begin(_ row: inout RecordRow) {
        row.createdSequence = row.sequence
        row.created = row.modified
        row.creator = context.userRecordName
        row.createdDevice = context.deviceID
    }

    /// The parent's record name after the operation. A record that is replaced keeps its parent unless it names another.
    private func parent(_ operation: PreparedOperation, _ live: RecordRow?) throws -> String? {
        switch operation.record.parent {
        case .unchanged: return live?.parent
        case .none: return nil
        case .reference(let reference):
            guard
                reference.zoneID.map({ context.normalized($0) == context.normalized(context.zoneID(of: zone.key)) })
                    ?? true
            else { throw ServerError.foreignReference }
            // In a request with many records that refer to each other this is seen before; this one is alone.
            guard reference.recordName != operation.name else {
                throw ServerError.badRequest("A record cannot be its own parent", .invalidReference)
            }
            return reference.recordName
        }
    }

    private func writeIndex(
        from old: RecordIndex.State?, to row: RecordRow, _ fields: Fields, _ type: Schema.RecordType
    ) throws {
        let changes = RecordIndex.changes(
            from: old, to: RecordIndex.State(row: row, fields: fields, type: type), zone.key.scope)
        try writer.deleteIndexEntries(zone: zone.id, record: row.id, changes.removed)
        try writer.insertIndexEntries(zone: zone.id, record: row.id, changes.added)
    }

    /// Throws where long lists would hold the writer for too long; what it counts is never less than what is made
    /// of values. Words are no more than the request's bytes and `SearchWords.maximumEntries` allow.
    private mutating func checkIndex(of fields: Fields) throws {
        for entry in fields {
            let isList = entry.kind.type?.isList ?? false
            let commas = isList ? fields.json(of: entry).count { $0 == UInt8(ascii: ",") } : 0
            spent.indexEntries += min(commas + 1, IndexValue.maximumElements)
        }
        guard spent.indexEntries <= Limits.indexEntriesPerRequest else {
            throw ServerError.badRequest(
                "The lists of your request have too many elements to be indexed at once", .limitExceeded)
        }
    }

    /// Throws where a type would get too many fields, or the request makes too many.
    private mutating func checkGrowth(of type: Schema.RecordType?, by count: Int) throws {
        guard count > 0 else { return }
        guard (type?.fields.count ?? 0) + count <= Fields.maximumCount else {
            throw ServerError.badRequest(
                "A record type may have at most \(Fields.maximumCount) fields", .limitExceeded)
        }
        spent.newFields += count
        guard spent.newFields <= Limits.newFieldsPerRequest else {
            throw ServerError.badRequest(
                "A request may bring at most \(Limits.newFieldsPerRequest) new fields into the schema", .limitExceeded)
        }
    }

    // MARK: - References

    /// The references that come and go with a save.
    struct ReferenceChanges {
        var added: Set<KeptReference>
        var removed: Set<KeptReference>

        init(from live: RecordRow?, _ oldFields: Fields, to fields: Fields, parent: String?) throws(ServerError) {
            let old = live.map { KeptReference.all(oldFields, parent: $0.parent) } ?? []
            let new = KeptReference.all(fields, parent: parent)
            guard new.count <= Limits.referencesPerRecord else {
                throw .badRequest(
                    "A record may hold at most \(Limits.referencesPerRecord) references with an action", .limitExceeded)
            }
            added = new.subtracting(old)
            removed = old.subtracting(new)
        }
    }

    /// Throws where a target would get its 751st source or child. [Apple:PropertyMetrics]
    private mutating func checkLimits(of changes: ReferenceChanges) throws {
        spent.addedReferences += changes.added.count
        guard spent.addedReferences <= Limits.referencesPerRequest else {
            throw ServerError.badRequest(
                "A request may add at most \(Limits.referencesPerRequest) references with an action", .limitExceeded)
        }
        for reference in changes.added where reference.action != .validate {
            let count = try sources(of: reference)
            guard count < Limits.sourcesPerTarget else {
                throw ServerError.badRequest(
                    "Record '\(reference.target)' has \(count) "
                        + (reference.action == .parent ? "children" : "DELETE_SELF references")
                        + ", which is the most that a record may have", .limitExceeded)
            }
        }
    }

    private mutating func write(_ changes: ReferenceChanges, of row: RecordRow, _ index: Int) throws {
        try writer.deleteReferences(zone: zone.id, source: row.id, changes.removed.map { $0.row(source: row.id) })
        try writer.insertReferences(zone: zone.id, source: row.id, changes.added.map { $0.row(source: row.id) })
        for reference in changes.removed { referenceCounts[reference]? -= 1 }
        for reference in changes.added {
            referenceCounts[reference]? += 1
            if reference.action != .deleteSelf { needed.append((index, reference)) }
        }
    }

    mutating func sources(of reference: KeptReference) throws -> Int {
        if let known = referenceCounts[reference] { return known }
        let count = try writer.referenceCount(
            to: reference.target, zone: zone.id, action: reference.action.rawValue)
        referenceCounts[reference] = count
        return count
    }
}
