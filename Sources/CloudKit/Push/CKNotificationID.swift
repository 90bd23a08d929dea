import Foundation

/// Names one push: `CKNotification.ID`, under the class name that archives carry.
// Unchecked because the class is open: everything stored here is immutable.
open class CKNotificationID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    package let name: String

    package init(name: String) {
        self.name = name
        super.init()
    }

    // MARK: Equality by value

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKNotificationID else { return false }
        return other.name == name
    }

    open override var hash: Int { name.hashValue }

    open override var description: String { "<CKNotificationID: \(addressText(of: self)); \(name)>" }

    open func copy(with zone: NSZone? = nil) -> Any { self }
    open override func copy() -> Any { self }

    // MARK: Archiving

    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CKNotificationID"] }

    // No public archive shows the key.
    private static let nameKey = "NotificationID"

    public required init?(coder: NSCoder) {
        guard let name = ArchiveReader.read(coder, { $0.string(Self.nameKey) }) else { return nil }
        self.name = name
        super.init()
    }

    open func encode(with coder: NSCoder) {
        coder.encode(name as Any?, forKey: Self.nameKey)
    }
}

extension CKNotification {
    public typealias ID = CKNotificationID
}
