import CloudStore
import WebServices

/// A zone of a private database in which something changed.
struct ChangedZone: Sendable, Hashable {
    var name: String
    /// Types of the changed records; nil where they are not known or too many: any subscription's filter lets it pass.
    var recordTypes: Set<String>?

    static let typeLimit = 16

    init(_ name: String, recordTypes: Set<String>?) {
        self.name = name
        self.recordTypes = recordTypes
    }

    /// nil where nothing changed that anybody could subscribe to: the public database and default zones have no feed.
    init?(_ key: ZoneKey, _ outcomes: [ZoneBatch.Outcome], _ schema: Schema) {
        guard key.scope == .private, key.name != ZoneID.defaultZoneName else { return nil }
        var types: Set<String>? = []
        var hasChanged = false
        for outcome in outcomes {
            switch outcome {
            case .saved(let row):
                hasChanged = true
                if let type = schema.typeName(row.type) { types?.insert(type) } else { types = nil }
            case .deleted(.some):
                hasChanged = true
                // What it took along through its references has any type.
                types = nil
            case .deleted(nil), .failed:
                break
            }
        }
        guard hasChanged else { return nil }
        if let known = types, known.count > Self.typeLimit { types = nil }
        self.init(key.name, recordTypes: types)
    }
}

enum SubscriptionChange: Sendable {
    case saved(Subscription, DatabaseScope)
    case deleted(String, DatabaseScope)
}

/// An environment of a container.
struct PushRealm: Hashable, Sendable {
    var container: String
    var environment: CloudEnvironment
}

/// Whose pushes.
struct PushOwner: Hashable, Sendable {
    var realm: PushRealm
    var userRecordName: String
}

/// What an address is known by.
struct PushAddressKey: Hashable, Sendable {
    var realm: PushRealm
    var token: String
}

/// An address for pushes.
struct PushAddress: Sendable, Hashable {
    var token: String
    var owner: String
    /// The native device that it belongs to; empty for others.
    var device: String

    init(_ row: PushTokenRow) {
        token = row.token
        owner = row.owner
        device = row.device
    }
}

/// The changes of one database that an address has not been told of.
struct UntoldZones: Sendable {
    /// By name; what types, as in `ChangedZone`.
    private(set) var zones: [String: Set<String>?] = [:]
    /// There are too many to name, or nobody knows.
    private(set) var isAny = false

    static let any: UntoldZones = {
        var untold = UntoldZones()
        untold.isAny = true
        return untold
    }()

    var isEmpty: Bool { zones.isEmpty && !isAny }

    mutating func add(_ zone: ChangedZone, limit: Int) {
        guard !isAny else { return }
        if let known = zones[zone.name] {
            let types = known.flatMap { known in zone.recordTypes.map { known.union($0) } }
            zones[zone.name] = .some(types.flatMap { $0.count > ChangedZone.typeLimit ? nil : $0 })
        } else if zones.count < limit {
            zones[zone.name] = .some(zone.recordTypes)
        } else {
            zones = [:]
            isAny = true
        }
    }

    /// Which zones a subscription wants to hear of: nil for none, empty for any.
    func zones(for subscription: Subscription) -> Set<String>? {
        if isAny { return [] }
        let relevant = zones.filter { name, types in
            if case .zone(let zoneID) = subscription.kind, zoneID.zoneName != name { return false }
            guard let wanted = subscription.recordType, let types else { return true }
            return types.contains(wanted)
        }
        return relevant.isEmpty ? nil : Set(relevant.keys)
    }
}
