import Foundation
import Synchronization

/// An area of a database in which records are kept together.
///
/// Two zones are equal only when they are the same object; compare `zoneID`s to compare zones.
// Unchecked because the class is open: what changes lies behind a lock.
open class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// What a zone can do. Meaningful once the zone was saved or fetched.
    public struct Capabilities: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Changes since a token can be fetched.
        public static let fetchChanges = Capabilities(rawValue: 1 << 0)
        /// Several records are saved all together or not at all.
        public static let atomic = Capabilities(rawValue: 1 << 1)
        /// A record and what hangs below it can be shared.
        public static let sharing = Capabilities(rawValue: 1 << 2)
        /// The zone as a whole can be shared.
        public static let zoneWideSharing = Capabilities(rawValue: 1 << 3)
    }

    /// How the keys of a zone's encrypted values are kept.
    public enum EncryptionScope: Int, Sendable {
        case perRecord = 0
        case perZone = 1
    }

    private struct State: Sendable {
        var capabilities: Capabilities = []
        var share: CKRecord.Reference?
        var encryptionScope = EncryptionScope.perRecord
    }

    public let zoneID: CKRecordZone.ID
    private let state: Mutex<State>

    private static let defaultZone = CKRecordZone(zoneID: .default)

    /// The zone that every database has; always the same object.
    open class func `default`() -> CKRecordZone { defaultZone }

    public convenience init(zoneName: String) {
        self.init(zoneID: CKRecordZone.ID(zoneName: zoneName))
    }

    public init(zoneID: CKRecordZone.ID) {
        self.zoneID = zoneID
        state = Mutex(State())
        super.init()
    }

    /// A zone as a server describes it.
    package init(zoneID: CKRecordZone.ID, capabilities: Capabilities, share: CKRecord.Reference? = nil) {
        self.zoneID = zoneID
        state = Mutex(State(capabilities: capabilities, share: share))
        super.init()
    }

    open var capabilities: Capabilities { state.withLock { $0.capabilities } }
    /// The share of the zone as a whole.
    open var share: CKRecord.Reference? { state.withLock { $0.share } }
    /// To be set before the zone's first save.
    open var encryptionScope: EncryptionScope {
        get { state.withLock { $0.encryptionScope } }
        set { state.withLock { $0.encryptionScope = newValue } }
    }

    open override var description: String {
        let now = state.withLock { $0 }
        let shareText = now.share?.description ?? "<null>"
        let scope = now.encryptionScope == .perRecord ? "per-record" : "per-zone"
        return "<CKRecordZone: \(addressText(of: self)); zoneID=\(zoneID.shortDescription), "
            + "capabilities=\(now.capabilities.text), encryptionScope=\(scope), share=\(shareText)>"
    }

    /// A zone of its own with the same contents; not equal to this one.
    open func copy(with zone: NSZone? = nil) -> Any {
        let now = state.withLock { $0 }
        let copy = CKRecordZone(zoneID: zoneID, capabilities: now.capabilities, share: now.share)
        copy.encryptionScope = now.encryptionScope
        return copy
    }

    open override func copy() -> Any { copy(with: nil) }

    // MARK: Archiving

    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CKRecordZone"] }

    // No public archive shows the keys of a zone; these follow the manner of the other classes.
    private enum Key {
        static let zoneID = "ZoneID"
        static let capabilities = "Capabilities"
        static let share = "ShareReference"
        static let encryptionScope = "EncryptionScope"
    }

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> (CKRecordZone.ID, State)? in
            guard let zoneID = archive.object(CKRecordZone.ID.self, Key.zoneID) else { return nil }
            let now = State(
                capabilities: Capabilities(rawValue: UInt(exactly: archive.integer(Key.capabilities) ?? 0) ?? 0),
                share: archive.object(CKRecord.Reference.self, Key.share),
                encryptionScope: archive.integer(Key.encryptionScope).flatMap { Int(exactly: $0) }
                    .flatMap(EncryptionScope.init) ?? .perRecord)
            return (zoneID, now)
        }
        guard let decoded else { return nil }
        zoneID = decoded.0
        state = Mutex(decoded.1)
        super.init()
    }

    open func encode(with coder: NSCoder) {
        let now = state.withLock { $0 }
        coder.encode(zoneID as Any?, forKey: Key.zoneID)
        coder.encode(Int64(now.capabilities.rawValue), forKey: Key.capabilities)
        coder.encode(now.share as Any?, forKey: Key.share)
        coder.encode(Int64(now.encryptionScope.rawValue), forKey: Key.encryptionScope)
    }
}

extension CKRecordZone.Capabilities {
    fileprivate var text: String {
        let names: [(CKRecordZone.Capabilities, String)] = [
            (.fetchChanges, "fetchChanges"), (.atomic, "atomic"), (.sharing, "sharing"),
            (.zoneWideSharing, "zoneWideSharing"),
        ]
        let present = names.filter { contains($0.0) }.map(\.1)
        return present.isEmpty ? "(none)" : "(\(present.joined(separator: ", ")))"
    }
}
