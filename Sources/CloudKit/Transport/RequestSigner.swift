import CTLS
import Foundation
import WebServices

/// Signs requests as a server does that has a key of the container. [Apple:SettingUpWebServices]
package final class RequestSigner: Sendable {
    private let keyID: String
    // Unchecked by the compiler: OpenSSL only reads a key once it is made.
    nonisolated(unsafe) private let key: OpaquePointer

    /// - Parameter pem: A private key of the curve P-256.
    /// - Throws: `.notAuthenticated` for anything else, one with a passphrase too.
    package init(keyID: String, privateKey pem: String) throws(CKError) {
        let file = BIO_new(BIO_s_mem())
        defer { BIO_free(file) }
        _ = Array(pem.utf8).withUnsafeBytes { BIO_write(file, $0.baseAddress, Int32($0.count)) }
        // Without this OpenSSL asks for a passphrase at the terminal.
        guard let made = PEM_read_bio_PrivateKey(file, nil, { _, _, _, _ in -1 }, nil) else {
            ERR_clear_error()
            throw CKError(
                .notAuthenticated,
                reason: "The server's private key is no key that can be read (PEM, without passphrase)")
        }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(made, &name, name.count, &length) == 1,
            name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar($0) })
        else {
            EVP_PKEY_free(made)
            ERR_clear_error()
            throw CKError(.notAuthenticated, reason: "The server's private key is not of the curve P-256 (prime256v1)")
        }
        self.keyID = keyID
        key = made
    }

    deinit { EVP_PKEY_free(key) }

    /// The headers that sign a request.
    ///
    /// - Parameters:
    ///   - body: Empty for a GET.
    ///   - subpath: From `/database/1` on, with the query, as it goes over the wire.
    func headers(signing body: [UInt8], _ subpath: String, at date: Date = Date()) -> [(String, String)] {
        let date = date.formatted(.iso8601)
        let message = Array("\(date):\(Base64.encode(Self.hash(body))):\(subpath)".utf8)
        return [
            ("X-Apple-CloudKit-Request-KeyID", keyID), ("X-Apple-CloudKit-Request-ISO8601Date", date),
            ("X-Apple-CloudKit-Request-SignatureV1", Base64.encode(signature(of: message))),
        ]
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &hash, nil, EVP_sha256(), nil)
        return hash
    }

    /// ECDSA with SHA-256, in ASN.1 DER; nothing where OpenSSL fails, which a server refuses.
    private func signature(of message: [UInt8]) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { return [] }
        defer { EVP_MD_CTX_free(context) }
        // No signature of this curve is longer.
        var signature = [UInt8](repeating: 0, count: 80)
        var length = signature.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { return [] }
        return Array(signature.prefix(length))
    }
}
