import WebServices

/// What the cloud must be: the rules of the protocol in their simplest form, over dictionaries. The oracle sees every
/// request that reached the server and every answer, also those that a device never got.
struct Oracle {
    struct Record: Hashable {
        var tag: String
        var value: Int64
        /// Members of one atomic batch carry the same number.
        var batch: Int64
        var isDeleted: Bool
        /// Position of the last change and of the creation in the zone's order.
        var changed: Int
        var created: Int
    }

    struct Zone {
        /// Counts the zones that had this name: a token of another one is foreign.
        var generation: Int
        var records: [String: Record] = [:]
        var position = 0
        /// Tombstones up to here may have been cleaned away, and with them the tokens from before.
        var horizon = 0

        var live: [String: Record] { records.filter { !$0.value.isDeleted } }
    }

    private(set) var zones: [ZoneKey: Zone] = [:]
    private var generations = 0

    struct ZoneKey: Hashable {
        var user: String
        var zone: String
    }

    // MARK: - What a request must come to

    /// Follows one request with its answer; a violation where they do not fit.
    mutating func follow(_ call: Call, user: String, _ reply: Reply) throws(Violation) {
        switch (call.operation, reply.result) {
        case (.recordsModify(let request), .success(.recordsModify(let response))):
            try followModify(request, user: user, response)
        case (.zonesModify(let request), .success(.zones(let response))):
            try followZones(request, user: user, response)
        case (.recordsLookup(let request), .success(.recordsLookup(let response))):
            try followLookup(request, user: user, response)
        case (.changesZone, .success(.changesZone)):
            // Pages are judged by the device's sweep, which knows what came before.
            break
        case (_, .success):
            throw Violation("\(call.operation.path) was answered with another operation's answer")
        case (_, .failure(let error)):
            throw Violation("\(call.operation.path) was refused as a whole: \(error.code.name) \(error.reason)")
        }
    }

    private mutating func followModify(
        _ request: RecordsModify.Request, user: String, _ response: RecordsModify.Response
    ) throws(Violation) {
        guard response.records.count == request.operations.count else {
            throw Violation("\(request.operations.count) operations had \(response.records.count) results")
        }
        let key = ZoneKey(user: user, zone: request.zoneID?.zoneName ?? ZoneID.defaultZoneName)
        guard var zone = zones[key] else {
            for result in response.records { try expect(result, .zoneNotFound) }
            return
        }
        let before = zone
        var refused = false
        for (operation, result) in zip(request.operations, response.records) {
            let expected = Self.refusal(of: operation, in: request.atomic == true ? before : zone)
            if let expected {
                refused = true
                try expect(result, expected)
            } else if case .record(let record) = result {
                try apply(operation, record, to: &zone)
            } else if case .failure(let name, let error, _) = result, error.code != .atomicError {
                throw Violation("\(operation.type) of \(name) was refused: \(error.code.name) \(error.reason)")
            }
        }
        if request.atomic == true, refused {
            let allFailed = response.records.allSatisfy { if case .failure = $0 { true } else { false } }
            guard allFailed else { throw Violation("an atomic batch with a refused operation saved others") }
            return
        }
        zones[key] = zone
    }

    /// The error that the operation must meet; nil if it must succeed.
    private static func refusal(of operation: RecordsModify.Operation, in zone: Zone) -> ServerError.Code? {
        let record = operation.record
        let existing = zone.records[record.recordName].flatMap { $0.isDeleted ? nil : $0 }
        switch operation.type {
        case .create:
            return existing == nil ? nil : .conflict
        case .update, .replace:
            guard let existing else { return .notFound }
            return existing.tag == record.recordChangeTag ? nil : .conflict
        case .delete:
            guard let existing else { return .notFound }
            return existing.tag == record.recordChangeTag ? nil : .conflict
        case .forceUpdate, .forceReplace, .forceDelete:
            return nil
        }
    }

    private func apply(
        _ operation: RecordsModify.Operation, _ result: WebServices.Record, to zone: inout Zone
    ) throws(Violation) {
        let name = operation.record.recordName
        guard result.recordName == name else { throw Violation("the result of \(name) names \(result.recordName)") }
        let existing = zone.records[name]
        if operation.type.isDeletion {
            guard result.deleted else { throw Violation("the deletion of \(name) was answered with a live record") }
            guard var record = existing, !record.isDeleted else { return }
            zone.position += 1
            record.isDeleted = true
            record.changed = zone.position
            zone.records[name] = record
            return
        }
        guard let tag = result.recordChangeTag, tag != existing?.tag else {
            throw Violation("the save of \(name) did not change its tag")
        }
        zone.position += 1
        zone.records[name] = Record(
            tag: tag, value: operation.record.value, batch: operation.record.batch, isDeleted: false,
            changed: zone.position,
            created: existing.map { $0.isDeleted ? zone.position : $0.created } ?? zone.position)
    }

    private mutating func followZones(
        _ request: ZonesModify.Request, user: String, _ response: ZonesResponse
    ) throws(Violation) {
        for (operation, result) in zip(request.operations, response.zones) {
            let key = ZoneKey(user: user, zone: operation.zoneID.zoneName)
            switch (operation.type, result) {
            case (.create, .zone):
                if zones[key] == nil {
                    generations += 1
                    zones[key] = Zone(generation: generations)
                }
            case (.delete, .zone):
                guard zones.removeValue(forKey: key) != nil else {
                    throw Violation("zone \(key.zone) was deleted and did not exist")
                }
            case (.delete, .failure(_, let error)):
                guard error.code == .zoneNotFound, zones[key] == nil else {
                    throw Violation("zone \(key.zone) could not be deleted: \(error.code.name)")
                }
            case (.create, .failure(_, let error)):
                throw Violation("zone \(key.zone) could not be made: \(error.code.name)")
            }
        }
    }

    private func followLookup(
        _ request: RecordsLookup.Request, user: String, _ response: RecordsLookup.Response
    ) throws(Violation) {
        let zone = zones[ZoneKey(user: user, zone: request.zoneID?.zoneName ?? "")]
        for (item, result) in zip(request.records, response.records) {
            let expected = zone?.live[item.recordName]
            switch result {
            case .record(let record):
                guard let expected, record.recordChangeTag == expected.tag, record.value == expected.value else {
                    throw Violation(
                        "\(item.recordName) is \(record.value) at the server and should be \(expected.map { "\($0.value)" } ?? "gone")"
                    )
                }
            case .failure:
                guard expected == nil else { throw Violation("\(item.recordName) was acknowledged and is gone") }
            }
        }
    }

    private func expect(_ result: RecordResult, _ code: ServerError.Code) throws(Violation) {
        guard case .failure(let name, let error, _) = result else {
            throw Violation("an operation that should have failed with \(code.name) succeeded")
        }
        guard error.code == code || error.code == .atomicError else {
            throw Violation("\(name) failed with \(error.code.name) instead of \(code.name)")
        }
    }

    // MARK: - Time

    mutating func tombstonesExpired() {
        for (key, zone) in zones { zones[key]?.horizon = zone.position }
    }
}
