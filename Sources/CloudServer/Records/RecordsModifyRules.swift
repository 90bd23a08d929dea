import WebServices

/// What must hold of a `records/modify` as a whole, before anything is looked up. [Apple:ModifyRecords]
struct RecordsModifyRules {
    private let request: RecordsModify.Request
    private let context: RequestContext

    init(_ request: RecordsModify.Request, _ context: RequestContext) {
        self.request = request
        self.context = context
    }

    func check() throws(ServerError) {
        let count = request.operations.count
        guard count <= context.limits.items else { throw .tooManyItems(count, limit: context.limits.items) }
        try checkSize()
        try checkAtomic()
        try checkMembers()
        try checkDuplicates()
        try checkCycles()
    }

    private func checkSize() throws(ServerError) {
        guard let limit = context.limits.requestBytes else { return }
        let size = request.operations.reduce(0) { $0 + $1.record.fields.jsonLength }
        guard size <= limit else {
            throw .badRequest(
                "The records of your request have \(size) bytes; at most \(limit) are allowed", .limitExceeded)
        }
    }

    private func checkAtomic() throws(ServerError) {
        guard request.atomic == true, !context.isNative else { return }
        guard !request.operations.contains(where: { ($0.record.zoneID ?? request.zoneID ?? .default).isDefault }) else {
            throw .badRequest("atomic operations not supported in default zone")
        }
    }

    private func checkMembers() throws(ServerError) {
        for operation in request.operations {
            switch operation.type {
            case .update, .replace, .delete:
                if operation.record.recordName.isEmpty { throw .missing("recordName") }
                if operation.record.recordChangeTag == nil { throw .missing("recordChangeTag") }
            case .forceDelete:
                if operation.record.recordName.isEmpty { throw .missing("recordName") }
            case .create, .forceUpdate, .forceReplace:
                break
            }
        }
    }

    private struct RecordKey: Hashable {
        var zone: ZoneID
        var name: String
    }

    private func key(_ operation: RecordsModify.Operation) -> RecordKey {
        RecordKey(
            zone: context.normalized(operation.record.zoneID ?? request.zoneID), name: operation.record.recordName)
    }

    private func checkDuplicates() throws(ServerError) {
        guard request.operations.count > 1 else { return }
        var seen: Set<RecordKey> = []
        for operation in request.operations where !operation.record.recordName.isEmpty {
            guard seen.insert(key(operation)).inserted else {
                throw .badRequest(
                    "You can't save the same record twice: '\(operation.record.recordName.prefix(Limits.nameLength))'",
                    .duplicateRecord)
            }
        }
    }

    /// Records that own each other, by parent or DELETE_SELF, could never be deleted.
    private func checkCycles() throws(ServerError) {
        var owners: [RecordKey: [RecordKey]] = [:]
        for operation in request.operations where !operation.type.isDeletion && !operation.record.recordName.isEmpty {
            let source = key(operation)
            let targets = ownerNames(operation.record).map { RecordKey(zone: source.zone, name: $0) }
            if !targets.isEmpty { owners[source] = targets }
        }
        guard !owners.isEmpty else { return }
        // Records without owners in the request go first, then those whose owners are gone, until only cycles are left.
        // Each reference is followed once, since the writer waits for this.
        var owned: [RecordKey: [RecordKey]] = [:]
        var counts = owners.mapValues { _ in 0 }
        for (source, targets) in owners {
            for target in Set(targets) where owners[target] != nil {
                owned[target, default: []].append(source)
                counts[source, default: 0] += 1
            }
        }
        var free = counts.filter { $0.value == 0 }.map(\.key)
        var freed = 0
        while let key = free.popLast() {
            freed += 1
            for source in owned[key] ?? [] {
                counts[source, default: 0] -= 1
                if counts[source] == 0 { free.append(source) }
            }
        }
        guard freed == owners.count else {
            throw .badRequest("Invalid list of records: Cycle detected in record graph", .invalidReference)
        }
    }

    private func ownerNames(_ record: Record) -> [String] {
        var names: [String] = []
        if case .reference(let parent) = record.parent { names.append(parent.recordName) }
        for entry in record.fields {
            for reference in record.fields.references(in: entry) where reference.action == .deleteSelf {
                names.append(reference.recordName)
            }
        }
        return names
    }
}
