import WebServices

extension WebServices.ZoneID {
    /// The wire names an owner only when it is not the caller.
    package init(_ zoneID: CKRecordZone.ID) {
        self.init(
            zoneName: zoneID.zoneName,
            ownerRecordName: zoneID.ownerName == CKCurrentUserDefaultName ? nil : zoneID.ownerName)
    }
}

extension CKRecordZoneID {
    /// A zone from an answer of the database in which `known` lies.
    ///
    /// The server spells the caller's own zones with or without their owner's name, an app always with
    /// `CKCurrentUserDefaultName`: beside a zone of one's own, every zone is one's own.
    package convenience init(_ zoneID: WebServices.ZoneID, near known: CKRecordZone.ID) {
        let isOwn = known.ownerName == CKCurrentUserDefaultName
        self.init(
            zoneName: zoneID.zoneName,
            ownerName: isOwn ? CKCurrentUserDefaultName : zoneID.ownerRecordName ?? known.ownerName)
    }
}
