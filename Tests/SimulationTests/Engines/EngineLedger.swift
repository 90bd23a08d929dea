import WebServices

@testable import CloudKit

/// What must be true of devices and server, whatever happens: kept by somebody who sees every request that reached the
/// server and every edit.
///
/// A note's number only grows, each edit has a number of its own, and so a loss can be seen.
struct EngineLedger {
    struct Account {
        /// What the server acknowledged, as it is now.
        var live: [CKRecord.ID: Int64] = [:]
        /// Deletions that the server acknowledged.
        var erased: Set<CKRecord.ID> = []
    }

    /// What each change tag of a record ever stood for, also before a restore and in zones that are gone.
    private var tags: [String: [CKRecord.ID: [String: Int64]]] = [:]

    /// Each time that a zone went: the reasons that a device may be told.
    private var removals: [String: [CKRecordZone.ID: [Set<Reason>]]] = [:]

    typealias Reason = CKDatabase.DatabaseChange.Deletion.Reason

    private(set) var accounts: [String: Account] = [:]
    private var backup: [String: Account]?
    /// The newest edit of each note that the server has not acknowledged, by device.
    private var wanted: [[CKRecord.ID: Int64]]
    private var erasing: [Set<CKRecord.ID>]
    /// In whose data each edit was made; none before somebody signed in.
    private var origins: [Int64: String] = [:]

    init(devices: Int) {
        wanted = Array(repeating: [:], count: devices)
        erasing = Array(repeating: [], count: devices)
    }

    func isErased(_ recordID: CKRecord.ID, of user: String?) -> Bool {
        user.flatMap { accounts[$0]?.erased.contains(recordID) } ?? false
    }

    // MARK: Edits

    mutating func writes(_ device: Int, _ recordID: CKRecord.ID, _ value: Int64, of owner: String?) {
        wanted[device][recordID] = value
        erasing[device].remove(recordID)
        origins[value] = owner
    }

    mutating func erases(_ device: Int, _ recordID: CKRecord.ID) {
        wanted[device][recordID] = nil
        erasing[device].insert(recordID)
    }

    /// The app gives up what it has not sent: of a zone, or all of it.
    mutating func givesUp(_ device: Int, _ zoneID: CKRecordZone.ID?) {
        guard wanted.indices.contains(device) else { return }
        guard let zoneID else {
            wanted[device] = [:]
            erasing[device] = []
            return
        }
        wanted[device] = wanted[device].filter { $0.key.zoneID != zoneID }
        erasing[device] = erasing[device].filter { $0.zoneID != zoneID }
    }

    /// The app has heard that a zone is gone, and with it what it was about to delete there. A restore may bring that back.
    mutating func hearsOfRemoval(_ device: Int, _ zoneID: CKRecordZone.ID) {
        guard erasing.indices.contains(device) else { return }
        erasing[device] = erasing[device].filter { $0.zoneID != zoneID }
    }

    /// What a device wrote while nobody was signed in becomes a user's.
    mutating func adopts(_ device: Int, _ user: String) {
        guard wanted.indices.contains(device) else { return }
        for (recordID, value) in wanted[device] where origins[value] == nil {
            origins[value] = user
            if let live = accounts[user]?.live[recordID], live > value { wanted[device][recordID] = nil }
        }
    }

    // MARK: What the server does

    mutating func follow(
        _ operation: WebServices.Operation, _ reply: Reply, user: String, device: Int?
    ) throws(Violation) {
        switch (operation, reply.result) {
        case (.recordsModify(let request), .success(.recordsModify(let response))):
            let zoneID = CKRecordZone.ID(zoneName: request.zoneID?.zoneName ?? ZoneID.defaultZoneName)
            let done = response.records.count { if case .record = $0 { true } else { false } }
            if request.atomic == true, done > 0, done < response.records.count {
                throw Violation("an atomic batch was torn apart")
            }
            for (operation, result) in zip(request.operations, response.records) {
                guard case .record(let record) = result else { continue }
                let recordID = CKRecord.ID(recordName: operation.record.recordName, zoneID: zoneID)
                if operation.type.isDeletion {
                    deleted(recordID, user, device)
                } else {
                    try checkSecret(record, in: zoneID.zoneName)
                    try saved(recordID, operation.record.value, user)
                    try note(record.recordChangeTag, of: recordID, operation.record.value, user)
                }
            }
        case (.zonesModify(let request), .success(.zones(let response))):
            for (operation, result) in zip(request.operations, response.zones) where operation.type == .delete {
                if case .zone = result { zoneRemoved(operation.zoneID.zoneName, of: user, .deleted) }
            }
        case (.changesZone, .success(.changesZone(let response))):
            for case .page(let page) in response.zones {
                for record in page.records { try shown(record, in: page.zoneID.zoneName, user) }
            }
        default: break
        }
    }

    /// A tag stands for one state of a record, for ever.
    private mutating func note(
        _ tag: String?, of recordID: CKRecord.ID, _ value: Int64, _ user: String
    ) throws(Violation) {
        guard let tag else { throw Violation("\(recordID.recordName) was saved and has no change tag") }
        if let before = tags[user, default: [:]][recordID, default: [:]].updateValue(value, forKey: tag) {
            throw Violation("the tag \(tag) of \(recordID.recordName) stands for \(before) and for \(value)")
        }
    }

    /// A page shows the newest state, and nothing that is not there.
    private func shown(_ record: WebServices.Record, in zone: String, _ user: String) throws(Violation) {
        let recordID = CKRecord.ID(recordName: record.recordName, zoneID: CKRecordZone.ID(zoneName: zone))
        let live = accounts[user]?.live[recordID]
        guard !record.deleted else {
            if live != nil { throw Violation("\(record.recordName) is there and is shown as deleted") }
            return
        }
        guard let live, record.value == live else {
            throw Violation("\(record.recordName) is shown as \(record.value) and is \(live.map { "\($0)" } ?? "gone")")
        }
        try checkSecret(record, in: zone)
        guard tags[user]?[recordID]?[record.recordChangeTag ?? ""] == live else {
            throw Violation("\(record.recordName) is shown with the tag of another state")
        }
    }

    /// What is encrypted of a note is the same number.
    private func checkSecret(_ record: WebServices.Record, in zone: String) throws(Violation) {
        guard zone == EngineAction.Zone.work.rawValue, record.secret != record.value else { return }
        throw Violation("\(record.recordName) is \(record.value), and its secret \(record.secret)")
    }

    private mutating func saved(_ recordID: CKRecord.ID, _ value: Int64, _ user: String) throws(Violation) {
        var account = accounts[user] ?? Account()
        if let live = account.live[recordID], value < live {
            throw Violation("\(recordID.recordName) fell from \(live) to \(value)")
        }
        guard !account.erased.contains(recordID) else {
            throw Violation("\(recordID.recordName) was deleted and is back")
        }
        guard origins[value] == nil || origins[value] == user else {
            throw Violation("\(recordID.recordName) = \(value) of \(origins[value] ?? "") went to \(user)")
        }
        origins[value] = user
        account.live[recordID] = value
        accounts[user] = account
        // The others' smaller edits have lost.
        for device in wanted.indices {
            guard let edit = wanted[device][recordID], edit <= value, origins[edit] == user else { continue }
            wanted[device][recordID] = nil
        }
    }

    private mutating func deleted(_ recordID: CKRecord.ID, _ user: String, _ device: Int?) {
        if let device, erasing.indices.contains(device) { erasing[device].remove(recordID) }
        // Of one that is not there nothing is known: it may have been meant for a zone that was made anew.
        guard accounts[user]?.live.removeValue(forKey: recordID) != nil else { return }
        accounts[user]?.erased.insert(recordID)
    }

    mutating func zoneRemoved(_ name: String, of user: String, _ reason: Reason) {
        removals[user, default: [:]][CKRecordZone.ID(zoneName: name), default: []].append([reason])
        guard var account = accounts[user] else { return }
        account.live = account.live.filter { $0.key.zoneID.zoneName != name }
        account.erased = account.erased.filter { $0.zoneID.zoneName != name }
        accounts[user] = account
    }

    var hasBackup: Bool { backup != nil }

    mutating func backUp() { backup = accounts }

    mutating func restore() {
        accounts = backup ?? accounts
        // A zone that was made since the backup is gone; why an earlier one of its name went is the backup's affair.
        for user in EngineAction.User.allCases {
            for zone in EngineAction.Zone.allCases {
                removals[user.rawValue, default: [:]][zone.zoneID, default: []].append(
                    [.deleted, .purged, .encryptedDataReset])
            }
        }
    }

    // MARK: Zones that went

    /// Why zones went is known for a year.
    mutating func forgetsReasons() {
        removals = removals.mapValues { $0.mapValues { $0.map { $0.union([.deleted]) } } }
    }

    func removalCounts(of user: String?) -> [CKRecordZone.ID: Int] {
        (user.flatMap { removals[$0] } ?? [:]).mapValues(\.count)
    }

    /// Which removal a device is told of that has heard so many: the first that fits.
    func removal(of zoneID: CKRecordZone.ID, for reason: Reason, after heard: Int, of user: String?) -> Int? {
        let all = user.flatMap { removals[$0]?[zoneID] } ?? []
        return all.indices.dropFirst(heard).first { all[$0].contains(reason) }
    }

    func removals(of zoneID: CKRecordZone.ID, of user: String?) -> String {
        (user.flatMap { removals[$0]?[zoneID] } ?? []).map { $0.map { "\($0)" }.sorted().joined(separator: " or ") }
            .description
    }

    // MARK: At rest

    /// - Parameter values: what a device has that has nothing to do any more.
    func check(_ device: Int, of user: String, _ values: [CKRecord.ID: Int64]) throws(Violation) {
        let live = accounts[user]?.live ?? [:]
        for (recordID, value) in live.sorted(by: { $0.value < $1.value }) where values[recordID] != value {
            let mine = values[recordID].map { "\($0)" } ?? "nothing"
            throw Violation(
                "device-\(device) has \(mine) and not \(value) for \(recordID.zoneID.zoneName)/\(recordID.recordName)")
        }
        for recordID in values.keys where live[recordID] == nil {
            throw Violation(
                "device-\(device) has \(recordID.zoneID.zoneName)/\(recordID.recordName), which the server does not have"
            )
        }
        guard wanted.indices.contains(device) else { return }
        for (recordID, value) in wanted[device] where !recordID.recordName.hasPrefix("mortal-") {
            guard let kept = live[recordID], kept >= value else {
                throw Violation(
                    "the edit \(value) of \(recordID.zoneID.zoneName)/\(recordID.recordName) by device-\(device) is lost"
                )
            }
        }
        for recordID in erasing[device] where live[recordID] != nil {
            throw Violation(
                "the deletion of \(recordID.zoneID.zoneName)/\(recordID.recordName) by device-\(device) is lost")
        }
    }
}
