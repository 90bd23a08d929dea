import WebServices

/// Seals tokens and opens them: base64 text over a kind, the realm's fingerprint, a payload and a truncated HMAC.
///
/// The same payload always gives the same text, so a token says nothing but the state that it stands for. The realm is
/// what a token belongs to (a container's environment, and for database tokens the account's database too); its
/// fingerprint stands in the token, so that one of another realm, or of a server with another key, is told apart from a
/// damaged one: the first is `CHANGE_TOKEN_EXPIRED` (a client drops it and reads from the start), the second a bad
/// request.
package struct TokenKey: Sendable {
    /// What a token is for; its second byte.
    enum Kind: UInt8 {
        case zone = 0x5A
        case database = 0x44
        /// A database token whose zones lie in the store.
        case storedDatabase = 0x53
        case query = 0x51
    }

    private static let magic: UInt8 = 0x53
    private static let fingerprintLength = 4
    private static let codeLength = 12
    private static let overhead = 2 + fingerprintLength + codeLength

    private let authenticate: @Sendable ([UInt8]) -> [UInt8]
    private let container: [UInt8]

    /// - Parameter authenticate: HMAC-SHA-256 with the server's key.
    package init(
        container: String, environment: String, authenticate: @escaping @Sendable (_ bytes: [UInt8]) -> [UInt8]
    ) {
        self.authenticate = authenticate
        // A container's name holds no zero byte, so that two realms never read alike.
        self.container = Array(container.utf8) + [0] + Array(environment.utf8) + [0]
    }

    func seal(_ kind: Kind, realm: String = "", _ payload: [UInt8]) -> String {
        var bytes = [Self.magic, kind.rawValue] + fingerprint(realm) + payload
        bytes += seal(of: bytes)
        return Base64.encode(bytes)
    }

    /// The kind and payload of a token's text.
    /// - Throws: `BAD_REQUEST` for what is no token or a damaged one, `CHANGE_TOKEN_EXPIRED` for a foreign one.
    func open(_ text: String, _ kinds: [Kind], realm: String = "") throws(ServerError) -> (Kind, ArraySlice<UInt8>) {
        // The two texts are the real service's: one for what is not base64 or was cut, one for base64 that is no token.
        guard text.utf8.count <= 1 << 17, let bytes = Base64.decode(text) else {
            throw .invalidContinuationFormat
        }
        guard bytes.count >= 2, bytes[0] == Self.magic, let kind = Kind(rawValue: bytes[1]), kinds.contains(kind) else {
            throw .unknownContinuationType
        }
        guard bytes.count >= Self.overhead else { throw .invalidContinuationFormat }
        let body = bytes.dropLast(Self.codeLength)
        guard body[2..<2 + Self.fingerprintLength].elementsEqual(fingerprint(realm)) else {
            throw .changeTokenExpired("The token belongs to another database or another server")
        }
        guard Self.equal(bytes.suffix(Self.codeLength), seal(of: Array(body))) else { throw .invalidContinuationFormat }
        return (kind, body.dropFirst(2 + Self.fingerprintLength))
    }

    /// A digest of `bytes` that only this server can make, for content that is found again by it.
    func digest(_ bytes: [UInt8]) -> [UInt8] {
        Array(authenticate([2] + container + bytes).prefix(16))
    }

    private func fingerprint(_ realm: String) -> [UInt8] {
        Array(authenticate([0] + container + Array(realm.utf8)).prefix(Self.fingerprintLength))
    }

    private func seal(of bytes: [UInt8]) -> [UInt8] {
        Array(authenticate([1] + bytes).prefix(Self.codeLength))
    }

    /// Compares without leaving early, so that the time taken tells nothing about the code.
    private static func equal(_ left: ArraySlice<UInt8>, _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension ServerError {
    static var invalidContinuationFormat: ServerError { ServerError(.badRequest, "Invalid continuation format") }
    static var unknownContinuationType: ServerError { ServerError(.badRequest, "Unknown sync continuation type") }
    static func changeTokenExpired(_ reason: String) -> ServerError { ServerError(.changeTokenExpired, reason) }
}
