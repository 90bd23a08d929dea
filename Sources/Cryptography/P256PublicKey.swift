import CCrypto

/// A public key of the elliptic curve P-256 (prime256v1), which checks signatures by ECDSA with SHA-256.
package final class P256PublicKey: Sendable {
    // Unchecked by the compiler: OpenSSL only reads a key once it is made.
    nonisolated(unsafe) private let key: OpaquePointer

    /// The key as its SubjectPublicKeyInfo in DER (RFC 5480), which is what a PEM file's base64 holds.
    ///
    /// nil for anything else, and for a key of another curve.
    package init?(der: [UInt8]) {
        let made = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            guard let key = d2i_PUBKEY(nil, &position, bytes.count) else { return nil }
            // Nothing may follow.
            guard position == bytes.baseAddress.map({ $0 + bytes.count }) else {
                EVP_PKEY_free(key)
                return nil
            }
            return key
        }
        guard let made else { return nil }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(made, &name, name.count, &length) == 1,
            name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar($0) })
        else {
            EVP_PKEY_free(made)
            return nil
        }
        key = made
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether the signature, in ASN.1 DER, is one of this message by the key's owner.
    package func isValid(signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
