import CCrypto

/// The hash function SHA-256 (FIPS 180-4), in one go or piece by piece.
package struct SHA256: ~Copyable {
    /// The length of a hash in bytes.
    package static let byteCount = 32

    private let context: OpaquePointer

    // Looking the algorithm up takes longer than hashing a short text, so it is done once. Unchecked by the compiler:
    // OpenSSL's algorithms are immutable once they are fetched.
    nonisolated(unsafe) private static let algorithm: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil)

    /// A hash that is computed piece by piece.
    package init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, Self.algorithm, nil) == 1 else {
            // As where Swift itself finds no memory.
            fatalError("OpenSSL cannot compute SHA-256")
        }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The hash of all that came in.
    package consuming func finish() -> [UInt8] {
        Self.hash { EVP_DigestFinal_ex(context, $0, nil) }
    }

    package static func hash(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        hash { EVP_Digest(bytes.baseAddress, bytes.count, $0, nil, algorithm, nil) }
    }

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// The hash of a text's UTF-8.
    package static func hash(_ text: String) -> [UInt8] {
        var text = text
        return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
    }

    private static func hash(_ compute: (UnsafeMutablePointer<UInt8>) -> Int32) -> [UInt8] {
        let hash = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
            guard let address = buffer.baseAddress, compute(address) == 1 else { return }
            count = byteCount
        }
        // OpenSSL fails only without memory or without its own algorithms; a hash that is none must go no further.
        precondition(hash.count == byteCount, "OpenSSL cannot compute SHA-256")
        return hash
    }
}
