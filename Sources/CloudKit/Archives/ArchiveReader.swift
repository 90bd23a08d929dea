import CoreLocation
import Foundation

/// Reads the archives of this module's classes without trusting them.
///
/// Foundation's unarchiver ends the process over many faults of an archive: a missing key or a nested object that
/// cannot be decoded under the failure policy that it has by default, and under secure coding a class that the caller
/// did not name. So every key is looked for before it is read, the policy is set to return errors where that is still
/// possible, and any class that a record can hold is accepted here and checked afterwards. Cut, empty, foreign and
/// outdated archives give nil. What cannot be helped from here is damage to the unarchiver's own structures (a class
/// entry that is none, a dictionary with more keys than values): over that, Foundation ends the process by itself.
struct ArchiveReader {
    let coder: NSCoder

    /// How many of this module's objects lie around the one that is being read. An archive can be made to contain
    /// itself; real ones nest four deep (record, values, reference, identifier, zone).
    @TaskLocal private static var depth = 0
    private static let deepest = 16

    /// Runs `body` with a reader, or returns nil when the coder is of no use.
    static func read<Value>(_ coder: NSCoder, _ body: (ArchiveReader) -> Value?) -> Value? {
        guard coder.allowsKeyedCoding, depth < deepest else { return nil }
        if depth == 0, let unarchiver = coder as? NSKeyedUnarchiver { returnErrors(from: unarchiver) }
        return $depth.withValue(depth + 1) { body(ArchiveReader(coder: coder)) }
    }

    func string(_ key: String) -> String? {
        object(NSString.self, key).map { $0 as String }
    }

    func date(_ key: String) -> Date? {
        object(NSDate.self, key).map { $0 as Date }
    }

    func data(_ key: String) -> Data? {
        object(NSData.self, key).map { $0 as Data }
    }

    func integer(_ key: String) -> Int64? {
        coder.containsValue(forKey: key) ? coder.decodeInt64(forKey: key) : nil
    }

    func bool(_ key: String) -> Bool {
        coder.containsValue(forKey: key) && coder.decodeBool(forKey: key)
    }

    /// The object of this class at `key`; nil when there is none or it is something else.
    func object<Object: NSObject>(_: Object.Type, _ key: String) -> Object? {
        guard coder.containsValue(forKey: key) else { return nil }
        return coder.decodeObject(of: Self.knownClasses, forKey: key) as? Object
    }

    /// Every class that may occur in an archive of this module.
    private static let knownClasses: [AnyClass] = [
        NSString.self, NSNumber.self, NSDate.self, NSData.self, NSURL.self, NSUUID.self, NSNull.self, NSArray.self,
        NSDictionary.self, NSSet.self, NSOrderedSet.self, CLLocation.self, CKRecord.self, CKRecordID.self,
        CKReference.self, CKRecordZone.self, CKRecordZoneID.self, CKServerChangeToken.self, CKAsset.self,
        CKQuery.self, CKRecordValueStore.self, CKNotificationInfo.self, CKNotificationID.self,
        CKDatabaseSubscription.self, CKRecordZoneSubscription.self, CKQuerySubscription.self,
    ]

    /// Makes the unarchiver report failures instead of ending the process, if it has not begun to decode: afterwards
    /// the policy may not be changed, and the only sign is a flag that Foundation keeps to itself.
    private static func returnErrors(from unarchiver: NSKeyedUnarchiver) {
        guard unarchiver.decodingFailurePolicy != .setErrorAndReturn else { return }
        let startedDecoding: UInt = 1 << 2
        for child in Mirror(reflecting: unarchiver).children where child.label == "_flags" {
            let flags = Mirror(reflecting: child.value).children.first?.value as? UInt
            if let flags, flags & startedDecoding == 0 { unarchiver.decodingFailurePolicy = .setErrorAndReturn }
        }
    }
}
