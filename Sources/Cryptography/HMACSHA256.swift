import CCrypto

/// Message authentication by HMAC with SHA-256 (RFC 2104) and one key.
///
/// The key is prepared once; from then on a short message costs two or three rounds of the hash function and allocates
/// nothing but its answer.
package struct HMACSHA256: Sendable {
    /// The length of an authentication code in bytes.
    package static let byteCount = 32

    private let prepared: crypto_auth_hmacsha256_state

    /// - Parameter key: of any length; 32 random bytes are best.
    package init(key: [UInt8]) {
        _ = Sodium.isReady
        var state = crypto_auth_hmacsha256_state()
        crypto_auth_hmacsha256_init(&state, key, key.count)
        prepared = state
    }

    package func authenticationCode(for message: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            guard let target = buffer.baseAddress else { return }
            write(for: message, to: target)
            count = Self.byteCount
        }
    }

    package func authenticationCode(for message: [UInt8]) -> [UInt8] {
        message.withUnsafeBytes { authenticationCode(for: $0) }
    }

    /// Whether `code` is the whole authentication code of `message`, compared in constant time.
    package func isValid(_ code: UnsafeRawBufferPointer, for message: UnsafeRawBufferPointer) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.byteCount) { buffer in
            guard let target = buffer.baseAddress else { return false }
            write(for: message, to: target)
            return ConstantTime.areEqual(UnsafeRawBufferPointer(buffer), code)
        }
    }

    /// Whether `code` is the whole authentication code of `message`, compared in constant time.
    package func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        code.withUnsafeBytes { code in message.withUnsafeBytes { isValid(code, for: $0) } }
    }

    private func write(for message: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) {
        var state = prepared
        if let source = message.baseAddress {
            crypto_auth_hmacsha256_update(&state, source.assumingMemoryBound(to: UInt8.self), UInt64(message.count))
        }
        crypto_auth_hmacsha256_final(&state, target)
    }
}
