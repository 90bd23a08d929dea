extension JSONWriter {
    /// One entry of an answer's `zones`.
    mutating func zoneResult(_ result: ZoneResult) {
        beginObject()
        switch result {
        case .zone(let zone):
            key("zoneID")
            zoneID(zone.zoneID)
            if let token = zone.syncToken { member("syncToken", token) }
            if zone.deleted {
                member("deleted", true)
                if let reason = zone.deletionReason, reason != .deleted { member("deletionReason", reason.rawValue) }
            } else {
                member("atomic", zone.atomic)
            }
        case .failure(let zoneID, let error):
            key("zoneID")
            self.zoneID(zoneID)
            errorMembers(error)
        }
        endObject()
    }

    mutating func zoneResults(_ results: [ZoneResult]) {
        key("zones")
        beginArray()
        for result in results { zoneResult(result) }
        endArray()
    }
}

extension ZoneResult {
    init(_ value: JSONValue) throws(ServerError) {
        let zoneID = try value.requiredZoneID()
        if let error = ServerError(value) {
            self = .failure(zoneID, error)
            return
        }
        self = .zone(
            Zone(
                zoneID: zoneID, syncToken: value["syncToken"]?.string,
                atomic: value["atomic"]?.bool ?? !zoneID.isDefault,
                deleted: value["deleted"]?.bool ?? false,
                deletionReason: value["deletionReason"]?.string.flatMap(Zone.DeletionReason.init)))
    }
}
