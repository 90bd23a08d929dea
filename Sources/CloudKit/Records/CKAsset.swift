import Foundation
import Synchronization
import WebServices

/// A file that a record holds.
// Unchecked because the class is open: what changes lies behind a lock.
open class CKAsset: NSObject, NSSecureCoding, @unchecked Sendable {
    private let url: URL?
    /// How the server describes the uploaded file; with it comes the address of a fetched one.
    package let descriptor: WebServices.Asset?

    /// An asset for a file to upload. The file is read when the record is saved; whether it exists shows then.
    public init(fileURL: URL) {
        url = fileURL
        descriptor = nil
        super.init()
    }

    /// An asset of a fetched record: the server's description and, once downloaded, the file.
    package init(descriptor: WebServices.Asset?, fileURL: URL? = nil) {
        url = fileURL
        self.descriptor = descriptor
        super.init()
    }

    /// The file on this device; nil while only the server has it. The file of a fetched asset may be removed at any
    /// time after the fetch, so move or copy it.
    open var fileURL: URL? { url }

    open override var description: String {
        let checksum = descriptor.map { ", \($0.fileChecksum) (\($0.size) bytes)" } ?? ""
        return "<CKAsset: \(addressText(of: self)); path=\(url?.path ?? "(null)")\(checksum)>"
    }

    // MARK: Archiving

    open class var supportsSecureCoding: Bool { true }
    open override class func classFallbacksForKeyedArchiver() -> [String] { ["CKAsset"] }

    private enum Key {
        static let fileURL = "AssetFileURL"
        static let size = "AssetSize"
        static let hasSize = "AssetHasSize"
        static let signature = "AssetSignature"
        static let referenceSignature = "ReferenceSignature"
        static let wrappedKey = "WrappedAssetKey"
        static let receipt = "AssetUploadReceipt"
        static let downloadURL = "AssetDownloadURL"
    }

    public required init?(coder: NSCoder) {
        let decoded = ArchiveReader.read(coder) { archive -> (URL?, WebServices.Asset?)? in
            let url = archive.object(NSURL.self, Key.fileURL).map { $0 as URL }
            let descriptor = archive.data(Key.signature).map { signature in
                Asset(
                    fileChecksum: signature.base64EncodedString(), size: archive.integer(Key.size) ?? 0,
                    receipt: archive.string(Key.receipt),
                    referenceChecksum: archive.data(Key.referenceSignature)?.base64EncodedString(),
                    wrappingKey: archive.data(Key.wrappedKey)?.base64EncodedString(),
                    downloadURL: archive.object(NSURL.self, Key.downloadURL)?.absoluteString)
            }
            return (url, descriptor)
        }
        guard let decoded else { return nil }
        (url, descriptor) = decoded
        super.init()
    }

    open func encode(with coder: NSCoder) {
        func bytes(_ base64: String?) -> Data? { base64.flatMap { Data(base64Encoded: $0) } }
        coder.encode(url as Any?, forKey: Key.fileURL)
        coder.encode(descriptor != nil, forKey: Key.hasSize)
        coder.encode(Int64(descriptor?.size ?? 0), forKey: Key.size)
        coder.encode(bytes(descriptor?.fileChecksum) as Any?, forKey: Key.signature)
        coder.encode(bytes(descriptor?.referenceChecksum) as Any?, forKey: Key.referenceSignature)
        coder.encode(bytes(descriptor?.wrappingKey) as Any?, forKey: Key.wrappedKey)
        coder.encode(descriptor?.receipt as Any?, forKey: Key.receipt)
        coder.encode(descriptor?.downloadURL.flatMap { URL(string: $0) } as Any?, forKey: Key.downloadURL)
    }
}
