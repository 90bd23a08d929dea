// Hashes, message authentication, randomness and passwords for the server, over OpenSSL and libsodium.
//
// It works on bytes and must not know what they mean: tokens, accounts and assets belong to its callers. Base64 and
// hexadecimal, which both sides speak, are in WebServices.

import CCrypto

/// libsodium chooses its implementations once, before its first use.
enum Sodium {
    static let isReady: Bool = sodium_init() >= 0
}

/// Comparison of secrets.
package enum ConstantTime {
    /// Whether both hold the same bytes, found out in a time that depends on their lengths only.
    package static func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        first.withUnsafeBytes { first in second.withUnsafeBytes { areEqual(first, $0) } }
    }

    /// Whether both hold the same bytes, found out in a time that depends on their lengths only.
    package static func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        guard first.count == second.count else { return false }
        guard let one = first.baseAddress, let other = second.baseAddress else { return true }
        return sodium_memcmp(one, other, first.count) == 0
    }
}

/// Randomness that nobody can foretell, from the operating system.
package enum SystemRandom {
    package static func bytes(_ count: Int) -> [UInt8] {
        _ = Sodium.isReady
        return [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, initialized in
            if let address = buffer.baseAddress { randombytes_buf(address, max(count, 0)) }
            initialized = max(count, 0)
        }
    }
}
