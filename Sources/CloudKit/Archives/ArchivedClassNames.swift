import Foundation

// Archives name classes as Apple's runtime does (`CKRecordID`), and Swift names them with their module. An app may ask
// for `NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from:)` before it has called anything
// here, so the names are made known when the program is loaded.
//
// Foundation on these platforms forgets the names that are given to its archiver. Until it does not, what is archived
// here carries the Swift name and, as a fallback that any unarchiver consults, Apple's
// (`classFallbacksForKeyedArchiver`).
private func registerArchivedClassNames() {
    let names: [(String, AnyClass)] = [
        ("CKRecord", CKRecord.self), ("CKRecordID", CKRecordID.self), ("CKReference", CKReference.self),
        ("CKRecordZone", CKRecordZone.self), ("CKRecordZoneID", CKRecordZoneID.self),
        ("CKServerChangeToken", CKServerChangeToken.self), ("CKAsset", CKAsset.self), ("CKQuery", CKQuery.self),
        ("CKRecordValueStore", CKRecordValueStore.self),
        ("CKEncryptedRecordValueStore", CKEncryptedRecordValueStore.self),
        ("CKNotificationInfo", CKNotificationInfo.self), ("CKNotificationID", CKNotificationID.self),
        ("CKDatabaseSubscription", CKDatabaseSubscription.self),
        ("CKRecordZoneSubscription", CKRecordZoneSubscription.self),
        ("CKQuerySubscription", CKQuerySubscription.self),
    ]
    for entry in names {
        NSKeyedUnarchiver.setClass(entry.1, forClassName: entry.0)
        NSKeyedArchiver.setClassName(entry.0, for: entry.1)
    }
}

@section(".init_array") @used
private let registration: @convention(c) () -> Void = { registerArchivedClassNames() }
