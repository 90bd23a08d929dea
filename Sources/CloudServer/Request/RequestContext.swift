import CloudStore
import WebServices

/// Everything that an endpoint knows of the request besides its own typed values. A value: endpoints are functions of it,
/// the request and the store.
package struct RequestContext: Sendable {
    package let caller: Caller
    package let container: String
    package let environment: CloudEnvironment
    package private(set) var database: DatabaseScope
    package let client: ClientKind
    /// Milliseconds since 1970-01-01 UTC; the one time of the whole request.
    package let now: Int64
    package let limits: Limits
    package let configuration: ServerConfiguration
    package let random: RandomSource
    package let schemas: SchemaCache
    /// The server's secret, from which tokens and names are derived.
    package let secret: ServerSecret
    /// Whom the caller may find.
    package let people: UserDirectory
    /// What seals and opens encrypted fields.
    package let zoneKeys: ZoneKeyring
    package let wantsSyncToken: Bool
    /// What addresses in the answer begin with.
    package let root: String
    /// What a write leaves to be done once it is committed.
    package let afterCommit: CommitEffects
    /// Whether the server itself saves the caller's user record, whatever the schema grants.
    private(set) var makesUserRecord = false

    /// Which of the store's databases.
    package var scope: StoreScope { database == .public ? .public : .private }

    /// Who owns the zones that an unqualified zone ID means: the caller in the private database, nobody in the public one.
    package var zoneOwner: String { database == .public ? "" : caller.user?.recordName ?? "" }

    var tenant: Tenant { Tenant(container: container, environment: environment.rawValue) }

    package var isNative: Bool {
        if case .native = client { true } else { false }
    }

    /// `deviceID` of what this request saves.
    package var deviceID: String {
        // What Apple's own service writes for a web client.
        if case .native(let deviceID) = client { deviceID } else { "iCloud" }
    }

    func makingUserRecord() -> RequestContext {
        var context = self
        context.database = .public
        context.makesUserRecord = true
        return context
    }

    /// The user record name as a caller sees it in `created`, `modified` and zone owners; the world has none.
    package var userRecordName: String { caller.user?.recordName ?? "" }
}

// MARK: - Zones

extension RequestContext {
    /// The native framework's name for "the current user" as owner of a zone.
    package static let currentUserOwner = "__defaultOwner__"

    /// The key of the zone that a request names.
    ///
    /// Throws `ZONE_NOT_FOUND` where the zone belongs to somebody else, and in the shared database, in which nothing is
    /// shared yet.
    package func zoneKey(for zoneID: ZoneID?) throws(ServerError) -> ZoneKey {
        let zoneID = zoneID ?? .default
        guard !zoneID.zoneName.isEmpty, zoneID.zoneName.utf8.count <= Limits.nameLength else { throw .zoneNotFound }
        switch database {
        case .public:
            return ZoneKey(scope: .public, owner: "", name: zoneID.zoneName)
        case .shared:
            throw .zoneNotFound
        case .private:
            guard isCaller(zoneID.ownerRecordName) else { throw .zoneNotFound }
            return ZoneKey(scope: .private, owner: zoneOwner, name: zoneID.zoneName)
        }
    }

    /// Whether the owner of a zone ID is the caller: absent, by name, or by the native framework's alias.
    package func isCaller(_ owner: String?) -> Bool {
        guard let owner, !owner.isEmpty else { return true }
        return owner == Self.currentUserOwner || owner == caller.user?.recordName
    }

    /// The zone ID of a stored zone, as answers carry it.
    package func zoneID(of key: ZoneKey) -> ZoneID {
        ZoneID(zoneName: key.name, ownerRecordName: key.owner.isEmpty ? nil : key.owner)
    }

    /// The error for a zone that is not there: one that was purged by its user, or whose encrypted data was reset,
    /// says so. [Apple:CKError.userDeletedZone]
    package func missingZone(_ key: ZoneKey, _ reader: ContainerReader) throws -> ServerError {
        var error = ServerError.zoneNotFound
        let reason = try reader.deletedZone(key).flatMap { ZoneDeletionReason(rawValue: $0.reason) }
        if reason == .purged { error.reason = "Zone was purged by user" }
        error.extensionCode = reason?.extensionCode
        return error
    }
}

/// Why a zone went, as stored: never renumber.
package enum ZoneDeletionReason: Int64, Sendable {
    case deleted = 1
    case purged = 2
    case encryptedDataReset = 3

    package var wire: Zone.DeletionReason {
        switch self {
        case .deleted: .deleted
        case .purged: .purged
        case .encryptedDataReset: .encryptedDataReset
        }
    }

    /// What errors of such a zone say; nothing of one that was simply deleted.
    var extensionCode: ServerError.ExtensionCode? {
        switch self {
        case .deleted: nil
        case .purged: .userDeletedZone
        case .encryptedDataReset: .userDidResetEncryptedData
        }
    }
}

extension ServerError {
    package static let zoneNotFound = ServerError(.zoneNotFound, "Zone does not exist")
    package static let recordNotFound = ServerError(.notFound, "Record not found")

    /// A request that no server could serve, whatever it holds.
    package static func badRequest(_ reason: String, _ extensionCode: ExtensionCode? = nil) -> ServerError {
        ServerError(.badRequest, reason, extensionCode: extensionCode)
    }

    /// More items than one request may have; the wording is the one that apps meet in Apple's log lines.
    package static func tooManyItems(_ count: Int, limit: Int) -> ServerError {
        .badRequest(
            "Your request contains \(count) items which is more than the maximum number of items in a single request "
                + "(\(limit))", .limitExceeded)
    }
}
