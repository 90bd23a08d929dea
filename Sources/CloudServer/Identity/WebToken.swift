import WebServices

/// A web authentication token: a signed value, so that proving who somebody is reads nothing and writes nothing.
///
/// Its bytes are a version, when it was issued and when it expires, the account's generation and the session's identifier,
/// and the first 20 bytes of their authentication code; its text is their base64.
struct WebToken: Sendable, Hashable {
    var session: String
    /// The account's generation at the sign-in; raising the account's signs everybody out.
    var generation: Int64
    /// Milliseconds since 1970-01-01 UTC.
    var issued: Int64
    var expires: Int64

    private static let version: UInt8 = 1
    private static let fixedLength = 1 + 3 * 8
    private static let codeLength = 20

    func text(_ secret: ServerSecret) -> String {
        var bytes: [UInt8] = [Self.version]
        for number in [issued, expires, generation] {
            withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        }
        bytes.append(contentsOf: session.utf8)
        return Base64.encode(bytes + secret.code(.webToken, bytes).prefix(Self.codeLength))
    }

    init(session: String, generation: Int64, issued: Int64, expires: Int64) {
        self.session = session
        self.generation = generation
        self.issued = issued
        self.expires = expires
    }

    /// nil for a text that this server did not make.
    init?(_ text: String, _ secret: ServerSecret) {
        guard text.utf8.count <= 512, let bytes = Base64.decode(text),
            bytes.count > Self.fixedLength + Self.codeLength, bytes[0] == Self.version
        else { return nil }
        let message = Array(bytes.dropLast(Self.codeLength))
        guard secret.isValid(Array(bytes.suffix(Self.codeLength)), .webToken, message) else { return nil }
        func number(_ offset: Int) -> Int64 {
            Int64(bitPattern: message[offset..<offset + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        self.init(
            session: String(decoding: message[Self.fixedLength...], as: UTF8.self), generation: number(17),
            issued: number(1), expires: number(9))
    }
}
