import WebServices

/// A device: what it believes, how far it has read, and what it does not know the end of.
struct Device {
    struct Known: Hashable {
        var tag: String
        var value: Int64
    }

    /// A zone as this device has it.
    struct Mirror {
        var records: [String: Known] = [:]
        var token: String?
        var sweep: Sweep?
        /// What the oracle knew when `token` was given.
        var position = 0
        var generation = 0
    }

    /// Reading from one token to the end of the feed.
    struct Sweep {
        var isFull: Bool
        /// The change of each record that this sweep delivered; the same one must not come twice.
        var delivered: [String: Int] = [:]
    }

    let name: String
    let user: String
    var mirrors: [String: Mirror] = [:]
    /// A request whose answer was lost; it may be repeated word for word.
    var unanswered: Call?

    // MARK: - Learning from answers

    mutating func learn(_ call: Call, _ reply: Reply) {
        guard case .recordsModify(let request) = call.operation,
            case .success(.recordsModify(let response)) = reply.result
        else { return }
        let zone = request.zoneID?.zoneName ?? ZoneID.defaultZoneName
        for (operation, result) in zip(request.operations, response.records) {
            let name = operation.record.recordName
            switch result {
            case .record(let record):
                mirrors[zone, default: Mirror()].records[name] =
                    record.deleted ? nil : Known(tag: record.recordChangeTag ?? "", value: operation.record.value)
            case .failure(_, let error, _) where error.code == .zoneNotFound:
                mirrors[zone] = nil
            case .failure:
                // A conflict teaches nothing here: the feed will bring the newer state.
                break
            }
        }
    }

    /// Takes one page of a zone's feed and judges it against what the oracle knows.
    mutating func learn(page: ChangesZone.ZoneResult, zone name: String, truth: Oracle.Zone?) throws(Violation) {
        var mirror = mirrors[name] ?? Mirror()
        switch page {
        case .failure(_, let error):
            try judge(error, mirror, truth)
            mirror = Mirror()
        case .page(let page):
            guard let truth else { throw Violation("zone \(name) does not exist and has a feed") }
            if mirror.token != nil, mirror.generation != truth.generation {
                throw Violation("a token of another zone that was called \(name) was accepted")
            }
            var sweep = mirror.sweep ?? Sweep(isFull: mirror.token == nil)
            try judgeOrder(page, truth)
            for record in page.records { try take(record, into: &mirror, &sweep, truth) }
            mirror.token = page.syncToken
            mirror.generation = truth.generation
            if page.moreComing {
                mirror.sweep = sweep
            } else {
                if sweep.isFull { mirror.records = mirror.records.filter { sweep.delivered[$0.key] != nil } }
                mirror.sweep = nil
                mirror.position = truth.position
                try judgeCaughtUp(mirror, zone: name, truth)
            }
        }
        mirrors[name] = mirror
    }

    private func judge(_ error: ServerError, _ mirror: Mirror, _ truth: Oracle.Zone?) throws(Violation) {
        switch error.code {
        case .zoneNotFound:
            if truth != nil { throw Violation("a zone that exists was not found") }
        case .changeTokenExpired:
            guard let truth else { throw Violation("a zone that does not exist has expired tokens") }
            guard mirror.generation != truth.generation || mirror.position < truth.horizon || mirror.sweep != nil else {
                throw Violation("a good token expired")
            }
        default:
            throw Violation("a feed was refused: \(error.code.name) \(error.reason)")
        }
    }

    private func take(
        _ record: WebServices.Record, into mirror: inout Mirror, _ sweep: inout Sweep, _ truth: Oracle.Zone
    ) throws(Violation) {
        let name = record.recordName
        guard let expected = truth.records[name] else { throw Violation("\(name) is in the feed and was never saved") }
        if sweep.delivered[name] == expected.changed { throw Violation("\(name) came twice without having changed") }
        sweep.delivered[name] = expected.changed
        guard record.deleted == expected.isDeleted else { throw Violation("\(name) is deleted in one place only") }
        if record.deleted {
            mirror.records[name] = nil
        } else {
            guard record.recordChangeTag == expected.tag, record.value == expected.value else {
                throw Violation("\(name) came in an older state")
            }
            mirror.records[name] = Known(tag: expected.tag, value: expected.value)
        }
    }

    /// Oldest first, and an atomic batch is cut only by the end of a page that announces more.
    private func judgeOrder(_ page: ChangesZone.Page, _ truth: Oracle.Zone) throws(Violation) {
        var last = 0
        for record in page.records {
            let changed = truth.records[record.recordName]?.changed ?? 0
            guard changed > last else { throw Violation("the feed is not in the order of changes") }
            last = changed
        }
        guard !page.moreComing else { return }
        let later = truth.records.values.filter { $0.changed > last && !page.records.isEmpty && !$0.isDeleted }
        guard later.isEmpty else { throw Violation("a last page leaves out what changed after it") }
    }

    private func judgeCaughtUp(_ mirror: Mirror, zone: String, _ truth: Oracle.Zone) throws(Violation) {
        let live = truth.live.mapValues { Known(tag: $0.tag, value: $0.value) }
        for (name, expected) in live where mirror.records[name] != expected {
            throw Violation("\(self.name) has read all of \(zone) and misses \(name)")
        }
        for name in mirror.records.keys where live[name] == nil {
            throw Violation("\(self.name) has read all of \(zone) and still has \(name), which is deleted")
        }
    }
}
