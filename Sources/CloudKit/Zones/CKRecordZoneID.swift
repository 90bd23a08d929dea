import Foundation

/// The name of a zone and its owner: `CKRecordZone.ID`, under the class name that archives carry.
// Unchecked because the class is open: everything stored here is immutable.
open class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    public let zoneName: String
    /// A user record name, or `CKCurrentUserDefaultName` for the account that is signed in.
    public let ownerName: String

    public init(
        zoneName: String = CKRecordZone.ID.defaultZoneName, ownerName: String = CKCurrentUserDefaultName
    ) {
        self.zoneName = zoneName
        self.ownerName = ownerName
        super.init()
    }

    @_disfavoredOverload
    @available(*, deprecated, message: "Give the owner's name, or leave it out for the current user.")
    public convenience init(zoneName: String, ownerName: String?) {
        self.init(zoneName: zoneName, ownerName: ownerName ?? CKCurrentUserDefaultName)
    }

    /// The zone that every database has.
    public static let `default` = CKRecordZoneID()
    public static let defaultZoneName = "_defaultZone"

    // MARK: Equality by value

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKRecordZoneID else { return false }
        return other === self || (zoneName == other.zoneName && ownerName == other.ownerName)
    }

    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(zoneName)
        hasher.combine(ownerName)
        return hasher.finalize()
    }

    open override var description: String {
        "<CKRecordZoneID: \(addressText(of: self)); zoneName=\(zoneName), ownerName=\(ownerName)>"
    }

    /// The form that other descriptions embed.
    package var shortDescription: String { "\(zoneName):\(ownerName)" }

    open func copy(with zone: NSZone? = nil) -> Any { self }
    open override func copy() -> Any { self }

    // MARK: Archiving

    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CKRecordZoneID"] }

    private enum Key {
        static let zoneName = "ZoneName"
        static let ownerName = "ownerName"
    }

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> (String, String)? in
            guard let zoneName = archive.string(Key.zoneName), let ownerName = archive.string(Key.ownerName) else {
                return nil
            }
            return (zoneName, ownerName)
        }
        guard let decoded else { return nil }
        (zoneName, ownerName) = decoded
        super.init()
    }

    open func encode(with coder: NSCoder) {
        coder.encode(zoneName as Any?, forKey: Key.zoneName)
        coder.encode(ownerName as Any?, forKey: Key.ownerName)
    }
}

extension CKRecordZone {
    public typealias ID = CKRecordZoneID
}

/// Stands for the account that is signed in, wherever an owner's or a user record's name is asked for.
public let CKCurrentUserDefaultName = "__defaultOwner__"

@available(*, deprecated, renamed: "CKCurrentUserDefaultName")
public let CKOwnerDefaultName = CKCurrentUserDefaultName
