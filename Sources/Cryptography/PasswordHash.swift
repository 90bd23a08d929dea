import CCrypto
import Dispatch

/// Passwords kept as Argon2id hashes, with salt and parameters inside the string.
///
/// Each call takes 19 MiB and tens of milliseconds on purpose, and blocks: call from a thread that serves nothing else.
/// No more than two run at a time, however many callers there are, so that a flood of sign-ins exhausts no memory.
package enum PasswordHash {
    /// The second choice of OWASP's password storage recommendations: 19 MiB, two passes.
    private static let memory = 19 << 20
    private static let passes: UInt64 = 2

    private static let gate = DispatchSemaphore(value: 2)

    /// Why a password was not hashed.
    package enum Failure: Error, Hashable, Sendable {
        /// There is not enough memory just now.
        case outOfMemory
    }

    /// The string to store for a password.
    package static func make(_ password: String) throws(Failure) -> String {
        _ = Sodium.isReady
        gate.wait()
        defer { gate.signal() }
        var password = password
        let hash = password.withUTF8 { bytes in
            withCharacters(of: bytes) { characters in
                withUnsafeTemporaryAllocation(of: CChar.self, capacity: crypto_pwhash_strbytes()) { buffer -> String? in
                    guard let target = buffer.baseAddress,
                        crypto_pwhash_str(target, characters, UInt64(bytes.count), passes, memory) == 0
                    else { return nil }
                    return String(cString: target)
                }
            }
        }
        guard let hash else { throw .outOfMemory }
        return hash
    }

    /// Whether `hash` was made from this password; false as well when `hash` is no such string.
    ///
    /// - Parameter hash: nil when there is no such account: then the answer is false, and it takes as long as any other,
    ///   so that nobody learns which accounts exist.
    package static func verify(_ password: String, against hash: String?) -> Bool {
        _ = Sodium.isReady
        guard let stored = hash ?? decoy else { return false }
        gate.wait()
        defer { gate.signal() }
        var password = password
        let matches = password.withUTF8 { bytes in
            withCharacters(of: bytes) { characters in
                stored.withCString { crypto_pwhash_str_verify($0, characters, UInt64(bytes.count)) == 0 }
            }
        }
        return matches && hash != nil
    }

    /// What is compared when there is no account.
    private static let decoy = try? make("no account has this password")

    private static func withCharacters<Value>(
        of bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafePointer<CChar>) -> Value
    ) -> Value {
        bytes.withMemoryRebound(to: CChar.self) { characters in
            guard let address = characters.baseAddress else { return withUnsafePointer(to: 0) { body($0) } }
            return body(address)
        }
    }
}
