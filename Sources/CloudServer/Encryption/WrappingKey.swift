import Cryptography
import WebServices

/// A key that wraps the keys of zones. It never lies in the database.
package struct WrappingKey: Sendable, Hashable {
    /// Names the key in the store and in its file: 16 hexadecimal digits that say nothing of the key but that it is whole.
    package let id: String
    let bytes: [UInt8]

    static let byteCount = AESGCM.keyByteCount

    /// nil unless there are 32 bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
        id = Hex.encode(SHA256.hash(Array("stratus wrapping key".utf8) + bytes).prefix(8))
    }

    /// A new key.
    static func make(_ random: RandomSource) throws(EncryptionKeysError) -> WrappingKey {
        guard let key = WrappingKey(bytes: random.bytes(byteCount)) else { throw .noRandomness }
        return key
    }
}

/// Keys that wrap, as a file holds them: one a line, the newest last.
///
/// The newest wraps every key of a zone that is made; older ones open what they wrapped before, in the database or in a
/// backup of it.
struct WrappingKeyList: Sendable, Hashable {
    struct Line: Sendable, Hashable {
        var key: WrappingKey
        /// When it was made: a date for people, e.g. `2026-12-01T02:40:00Z`.
        var made: String
    }

    private(set) var lines: [Line]

    var newest: WrappingKey? { lines.last?.key }
    func key(_ id: String) -> WrappingKey? { lines.first { $0.key.id == id }?.key }

    init(_ first: WrappingKey, made: String) {
        lines = [Line(key: first, made: made)]
    }

    mutating func append(_ key: WrappingKey, made: String) {
        lines.append(Line(key: key, made: made))
    }

    // MARK: - Text

    private static let heading = """
        # The keys that wrap the zone keys of encrypted fields (`stratus encryption`): name, key, time. The last line's key
        # is in use; the others read what is older. Keep a copy away from the database and its backups: without this file
        # nobody can read encrypted fields again.

        """

    var text: String {
        lines.reduce(into: Self.heading) { $0 += "\($1.key.id) \(Hex.encode($1.key.bytes)) \($1.made)\n" }
    }

    /// - Throws: `.damaged` with what is wrong.
    init(text: String) throws(EncryptionKeysError) {
        lines = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init)
            if words.isEmpty || words[0].hasPrefix("#") { continue }
            guard words.count >= 2, let key = Hex.decode(words[1]).flatMap({ WrappingKey(bytes: $0) }) else {
                throw .damaged("line \(number + 1) holds no key")
            }
            guard key.id == words[0] else {
                throw .damaged("the key in line \(number + 1) is not the one that was written there as \(words[0])")
            }
            guard self.key(key.id) == nil else { throw .damaged("line \(number + 1) repeats a key") }
            lines.append(Line(key: key, made: words.count > 2 ? words[2] : ""))
        }
        guard !lines.isEmpty else { throw .damaged("it holds no key") }
    }
}
