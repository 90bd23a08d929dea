import Foundation

extension CKSyncEngine.State {
    /// The engine's state in a form that can be stored, by any encoder. What is in it is the engine's own affair.
    public struct Serialization: Codable, Sendable {
        let contents: StateContents
        /// Tells this state and its copies from any other, within the process.
        let identity = Identity()

        final class Identity: Sendable {}

        init(_ contents: StateContents) {
            self.contents = contents
        }

        public init(from decoder: any Decoder) throws {
            let stored = try StoredState(from: decoder)
            guard let contents = stored.contents else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath, debugDescription: "This is not the state of a sync engine"))
            }
            self.init(contents)
        }

        public func encode(to encoder: any Encoder) throws {
            try StoredState(contents).encode(to: encoder)
        }
    }
}

/// The stored form: zones are written once and meant by number, and a pending change is one short text, since there may be
/// a hundred thousand.
private struct StoredState: Codable {
    struct Zone: Codable {
        var name: String
        var owner: String?
        var token: String?
        var isUnfetched: Bool?
        /// "save" or "delete", where the zone itself is to be sent.
        var pending: String?
        var encryptionScope: Int?
    }

    var version = 1
    var user: String?
    var databaseToken: String?
    var zones: [Zone] = []
    /// The numbers of `zones`, in the order in which the zones are to be fetched and sent.
    var unfetched: [Int] = []
    var pendingZones: [Int] = []
    /// "s0 name" saves the record of the first zone with that name, "d0 name" deletes it.
    var pendingRecords: [String] = []
    var hasUntrackedChanges: Bool?

    init(_ contents: StateContents) {
        var contents = contents
        var numbers: [CKRecordZone.ID: Int] = [:]
        var zones: [Zone] = []
        func number(of zoneID: CKRecordZone.ID) -> Int {
            if let number = numbers[zoneID] { return number }
            numbers[zoneID] = zones.count
            let owner = zoneID.ownerName == CKCurrentUserDefaultName ? nil : zoneID.ownerName
            zones.append(Zone(name: zoneID.zoneName, owner: owner))
            return zones.count - 1
        }
        let progress = contents.progress
        user = progress.userRecordName
        databaseToken = progress.databaseToken
        // Sorted, so that the same state is the same text.
        for (zoneID, token) in progress.zoneTokens.sorted(by: { $0.key.shortDescription < $1.key.shortDescription }) {
            zones[number(of: zoneID)].token = token
        }
        unfetched = progress.unfetchedZoneIDs.map { number(of: $0) }
        for change in contents.zones.changes {
            let position = number(of: change.zoneID)
            pendingZones.append(position)
            switch change {
            case .saveZone(let zone):
                zones[position].pending = "save"
                if zone.encryptionScope != .perRecord {
                    zones[position].encryptionScope = zone.encryptionScope.rawValue
                }
            case .deleteZone: zones[position].pending = "delete"
            }
        }
        pendingRecords = contents.records.changes.map { change in
            let recordID = change.recordID
            let letter = if case .saveRecord = change { "s" } else { "d" }
            return "\(letter)\(number(of: recordID.zoneID)) \(recordID.recordName)"
        }
        self.zones = zones
        hasUntrackedChanges = contents.hasUntrackedChanges ? true : nil
    }

    /// nil where something does not fit together.
    var contents: StateContents? {
        guard version == 1 else { return nil }
        var contents = StateContents()
        contents.progress = SyncProgress(userRecordName: user)
        contents.progress.databaseToken = databaseToken
        let zoneIDs = zones.map { CKRecordZone.ID(zoneName: $0.name, ownerName: $0.owner ?? CKCurrentUserDefaultName) }
        for (zoneID, zone) in zip(zoneIDs, zones) {
            if let token = zone.token { contents.progress.zoneTokens[zoneID] = token }
        }
        for number in unfetched {
            guard zoneIDs.indices.contains(number) else { return nil }
            contents.progress.addUnfetched(zoneIDs[number])
        }
        for number in pendingZones {
            guard zoneIDs.indices.contains(number) else { return nil }
            switch zones[number].pending {
            case "save":
                let zone = CKRecordZone(zoneID: zoneIDs[number])
                if let scope = zones[number].encryptionScope.flatMap(CKRecordZone.EncryptionScope.init) {
                    zone.encryptionScope = scope
                }
                contents.zones.add(.saveZone(zone))
            case "delete": contents.zones.add(.deleteZone(zoneIDs[number]))
            default: return nil
            }
        }
        for text in pendingRecords {
            guard let space = text.firstIndex(of: " "), let letter = text.first,
                let number = Int(text[text.index(after: text.startIndex)..<space]), zoneIDs.indices.contains(number)
            else { return nil }
            let recordID = CKRecord.ID(
                recordName: String(text[text.index(after: space)...]), zoneID: zoneIDs[number])
            switch letter {
            case "s": contents.records.add(.saveRecord(recordID))
            case "d": contents.records.add(.deleteRecord(recordID))
            default: return nil
            }
        }
        contents.hasUntrackedChanges = hasUntrackedChanges ?? false
        return contents
    }
}
