import CCrypto

/// Authenticated encryption by AES-256 in Galois/Counter Mode (NIST SP 800-38D).
package enum AESGCM {
    package static let keyByteCount = 32
    package static let nonceByteCount = 12
    /// The authentication tag, which follows the ciphertext.
    package static let tagByteCount = 16

    /// Why something was not sealed or opened.
    package enum Failure: Error, Hashable, Sendable {
        /// Key or nonce have a wrong length, or the message is longer than two gigabytes.
        case invalidInput
        /// Ciphertext, tag, authenticated data or key are not the ones that belong together.
        case notAuthentic
    }

    // Looked up once, as it takes longer than sealing a short text. Unchecked by the compiler: OpenSSL's algorithms are
    // immutable once they are fetched.
    nonisolated(unsafe) private static let algorithm: OpaquePointer? = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

    /// The ciphertext of `message` and its tag.
    ///
    /// - Parameters:
    ///   - nonce: 12 bytes that no other message has under this key; random ones will do for four thousand million messages.
    ///   - data: is not encrypted and not part of the result; `open` has to be given the same.
    package static func seal(
        _ message: [UInt8], key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(Failure) -> [UInt8] {
        let context = try Context(key: key, nonce: nonce, encrypts: true)
        try context.authenticate(data)
        guard let length = Int32(exactly: message.count) else { throw .invalidInput }
        var failed = false
        let sealed = [UInt8](unsafeUninitializedCapacity: message.count + tagByteCount) { buffer, count in
            guard let target = buffer.baseAddress else { return failed = true }
            var written: Int32 = 0
            let isDone =
                EVP_EncryptUpdate(context.pointer, target, &written, message, length) == 1
                && EVP_EncryptFinal_ex(context.pointer, target + message.count, &written) == 1
                && EVP_CIPHER_CTX_ctrl(
                    context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(tagByteCount), target + message.count) == 1
            failed = !isDone
            count = isDone ? message.count + tagByteCount : 0
        }
        if failed { throw .invalidInput }
        return sealed
    }

    /// The message that was sealed.
    package static func open(
        _ sealed: ArraySlice<UInt8>, key: [UInt8], nonce: [UInt8], authenticating data: [UInt8]
    ) throws(Failure) -> [UInt8] {
        guard sealed.count >= tagByteCount else { throw .notAuthentic }
        let context = try Context(key: key, nonce: nonce, encrypts: false)
        try context.authenticate(data)
        let ciphertext = Array(sealed.dropLast(tagByteCount))
        var tag = Array(sealed.suffix(tagByteCount))
        guard let length = Int32(exactly: ciphertext.count) else { throw .invalidInput }
        var isAuthentic = false
        let message = [UInt8](unsafeUninitializedCapacity: ciphertext.count + 1) { buffer, count in
            guard let target = buffer.baseAddress else { return }
            var written: Int32 = 0
            isAuthentic =
                EVP_DecryptUpdate(context.pointer, target, &written, ciphertext, length) == 1
                && EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tagByteCount), &tag) == 1
                && EVP_DecryptFinal_ex(context.pointer, target + ciphertext.count, &written) == 1
            count = isAuthentic ? ciphertext.count : 0
        }
        guard isAuthentic else { throw .notAuthentic }
        return message
    }

    private struct Context: ~Copyable {
        let pointer: OpaquePointer

        init(key: [UInt8], nonce: [UInt8], encrypts: Bool) throws(Failure) {
            guard key.count == keyByteCount, nonce.count == nonceByteCount, let made = EVP_CIPHER_CTX_new() else {
                throw .invalidInput
            }
            guard EVP_CipherInit_ex(made, algorithm, nil, key, nonce, encrypts ? 1 : 0) == 1 else {
                EVP_CIPHER_CTX_free(made)
                throw .invalidInput
            }
            pointer = made
        }

        deinit { EVP_CIPHER_CTX_free(pointer) }

        func authenticate(_ data: [UInt8]) throws(Failure) {
            var written: Int32 = 0
            guard let length = Int32(exactly: data.count),
                data.isEmpty || EVP_CipherUpdate(pointer, nil, &written, data, length) == 1
            else { throw .invalidInput }
        }
    }
}
