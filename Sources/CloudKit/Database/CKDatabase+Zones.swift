import Foundation

extension CKDatabase {
    // MARK: One zone

    /// Fetches a zone.
    ///
    /// - Throws: `CKError`; `.zoneNotFound` where there is none.
    @discardableResult
    public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
        guard let result = try await recordZones(for: [zoneID])[zoneID] else { throw CKError.unexpectedAnswer }
        return try result.get()
    }

    public func fetch(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.recordZone(for: zoneID) }, completionHandler)
    }

    /// Makes a zone. One that exists stays with its records.
    @discardableResult
    public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        guard let result = try await modifyRecordZones(saving: [zone], deleting: []).saveResults[zone.zoneID] else {
            throw CKError.unexpectedAnswer
        }
        return try result.get()
    }

    public func save(
        _ zone: CKRecordZone, completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.save(zone) }, completionHandler)
    }

    /// Deletes a zone with all its records. One that does not exist counts as deleted, as Apple's sync engine sample
    /// takes for granted; `modifyRecordZones` tells the two apart.
    @discardableResult
    public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        guard let result = try await modifyRecordZones(saving: [], deleting: [zoneID]).deleteResults[zoneID] else {
            throw CKError.unexpectedAnswer
        }
        do { try result.get() } catch CKError.zoneNotFound {}
        return zoneID
    }

    public func delete(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.deleteRecordZone(withID: zoneID) }, completionHandler)
    }

    // MARK: Many zones

    /// Fetches all zones, the default zone among them.
    @discardableResult
    public func allRecordZones() async throws -> [CKRecordZone] {
        let (events, _) = try await ZoneList().collect(in: session())
        return try events.map { try $0.result.get() }
    }

    public func fetchAllRecordZones(
        completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.allRecordZones() }, completionHandler)
    }

    public func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        let (events, _) = try await ZoneLookup(zoneIDs: ids).collect(in: session())
        return Dictionary(events.map { ($0.zoneID, $0.result.erased) }, uniquingKeysWith: { $1 })
    }

    public func fetch(
        withRecordZoneIDs zoneIDs: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (
                Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>
            ) -> Void
    ) {
        Callback.run({ try await self.recordZones(for: zoneIDs) }, result: completionHandler)
    }

    /// Makes and deletes zones. Each item stands alone.
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
    ) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        let request = ZoneModification(saving: recordZonesToSave, deleting: recordZoneIDsToDelete)
        var saved: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
        var deleted: [CKRecordZone.ID: Result<Void, any Error>] = [:]
        for event in try await request.collect(in: session()).events {
            switch event {
            case .saved(let zoneID, let result): saved[zoneID] = result.erased
            case .deleted(let zoneID, let result): deleted[zoneID] = result.erased
            }
        }
        return (saved, deleted)
    }

    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
                        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Callback.run(
            { try await self.modifyRecordZones(saving: recordZonesToSave, deleting: recordZoneIDsToDelete) },
            result: completionHandler)
    }
}
