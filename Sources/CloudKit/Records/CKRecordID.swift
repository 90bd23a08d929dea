import Foundation

/// The name of a record and the zone in which it lies: `CKRecord.ID`, under the class name that archives carry.
// Unchecked because the class is open: everything stored here is immutable.
open class CKRecordID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Unique within the zone.
    public let recordName: String
    public let zoneID: CKRecordZone.ID

    public init(recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = .default) {
        self.recordName = recordName
        self.zoneID = zoneID
        super.init()
    }

    // MARK: Equality by value

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordID else { return false }
        return other === self || (recordName == other.recordName && zoneID == other.zoneID)
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(recordName)
        hasher.combine(zoneID)
        return hasher.finalize()
    }

    open override var description: String {
        "<CKRecordID: \(addressText(of: self)); recordName=\(recordName), zoneID=\(zoneID.shortDescription)>"
    }

    /// The form that other descriptions embed.
    package var shortDescription: String { "\(recordName):(\(zoneID.shortDescription))" }

    open func copy(with zone: NSZone? = nil) -> Any { self }
    open override func copy() -> Any { self }

    // MARK: Archiving

    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CKRecordID"] }

    private enum Key {
        static let recordName = "RecordName"
        static let zoneID = "ZoneID"
    }

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> (String, CKRecordZone.ID)? in
            guard let name = archive.string(Key.recordName),
                let zoneID = archive.object(CKRecordZone.ID.self, Key.zoneID)
            else { return nil }
            return (name, zoneID)
        }
        guard let decoded else { return nil }
        (recordName, zoneID) = decoded
        super.init()
    }

    open func encode(with coder: NSCoder) {
        coder.encode(recordName as Any?, forKey: Key.recordName)
        coder.encode(zoneID as Any?, forKey: Key.zoneID)
    }
}

extension CKRecord {
    public typealias ID = CKRecordID
}
