import Foundation

/// A place in a server's sequence of changes. Only the server that made it can read it.
// Unchecked because the class is open: everything stored here is immutable.
open class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private let data: Data

    /// The token that the wire calls `syncToken`.
    package init(syncToken: String) {
        data = Self.data(for: syncToken)
        super.init()
    }

    /// What to send back to the server: exactly the text that `init(syncToken:)` was given.
    package var syncToken: String {
        guard data.first == Self.textMark else { return data.base64EncodedString() }
        return String(decoding: data.dropFirst(), as: UTF8.self)
    }

    // Apple's wire carries the base64 form of the bytes that an archive holds, so a token that was archived on an
    // Apple device can be sent. Text that is not exactly such a form is kept as it is, behind a byte that marks it.
    private static let textMark: UInt8 = 0

    private static func data(for syncToken: String) -> Data {
        if let bytes = Data(base64Encoded: syncToken), let first = bytes.first, first != textMark,
            bytes.base64EncodedString() == syncToken
        {
            return bytes
        }
        return Data([textMark]) + Data(syncToken.utf8)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKServerChangeToken else { return false }
        return other === self || data == other.data
    }

    open override var hash: Int { data.hashValue }

    open override var description: String {
        "<CKServerChangeToken: \(addressText(of: self)); data=\(data.base64EncodedString())>"
    }

    open func copy(with zone: NSZone? = nil) -> Any { self }
    open override func copy() -> Any { self }

    // MARK: Archiving

    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CKServerChangeToken"] }

    private static let dataKey = "ChangeTokenData"

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive in archive.data(Self.dataKey) }
        guard let decoded, !decoded.isEmpty else { return nil }
        data = decoded
        super.init()
    }

    open func encode(with coder: NSCoder) {
        coder.encode(data as Any?, forKey: Self.dataKey)
    }
}
