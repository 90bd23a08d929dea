import CloudStore
import Cryptography
import Foundation
import WebServices

/// The public half of a key with which another server signs its requests.
package struct ServerKey: Sendable {
    /// Names the key: 64 hexadecimal digits, of the hash of the public key.
    package let id: String
    /// SubjectPublicKeyInfo in DER.
    package let der: [UInt8]
    let key: P256PublicKey

    /// nil for anything but a key of the curve P-256.
    init?(der: [UInt8]) {
        guard let key = P256PublicKey(der: der) else { return nil }
        self.key = key
        self.der = der
        id = Hex.encode(SHA256.hash(der))
    }

    /// Reads a PEM file as `openssl ec -pubout` writes it, or its base64 alone, as Apple's console takes it.
    package init?(pem: String) {
        let lines = pem.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        var body = lines[...]
        if let first = lines.firstIndex(of: "-----BEGIN PUBLIC KEY-----"),
            let last = lines[first...].firstIndex(of: "-----END PUBLIC KEY-----")
        {
            body = lines[(first + 1)..<last]
        }
        guard let der = Base64.decode(body.joined()) else { return nil }
        self.init(der: der)
    }

    /// How far the date of a request may be from the server's time, in milliseconds. [Apple: the key's ten minutes]
    static let tolerance: Int64 = 10 * 60 * 1000
}

extension Identity {
    /// Checks the signature of another server's request.
    ///
    /// Throws `AUTHENTICATION_FAILED` for whatever is wrong, as Apple's service does: who guesses learns nothing. A key is
    /// good for the public database's records, zones and subscriptions only, and never comes with an API token.
    func authenticate(_ signature: RequestSignature, _ call: Call, now: Int64) throws -> Proof {
        guard call.credentials.apiToken == nil, call.database == .public, !call.operation.isOfUsers,
            let date = Self.milliseconds(iso8601: signature.date), abs(date &- now) <= ServerKey.tolerance,
            let key = try serverKey(signature.keyID, call, now: now), signature.signature.utf8.count <= 256,
            let bytes = Base64.decode(signature.signature),
            signature.messages.contains(where: { key.key.isValid(signature: bytes, of: $0) })
        else { throw ServerError.authenticationFailed }
        // One identity for all of a container's keys: what was made with an older key belongs to its successor too.
        let account = Self.serverAccount
        let recordName = userRecordName(account: account, container: call.container, now: now)
        return Proof(caller: .user(Caller.User(recordName: recordName, account: account)))
    }

    /// In the place of an account's identifier; those are UUIDs.
    static let serverAccount = "server-to-server"

    private func serverKey(_ id: String, _ call: Call, now: Int64) throws -> ServerKey? {
        guard id.utf8.count == 64 else { return nil }
        let (container, environment) = (call.container, call.environment.rawValue)
        return try serverKeys.value("\(id) \(environment) \(container)", now: now) {
            try control.serverKey(id: id.lowercased(), container: container, environment: environment)
                .flatMap { ServerKey(der: $0.publicKey) }
        }
    }

    /// Milliseconds since 1970 of a time like `2016-01-25T22:15:43Z`; a fraction is read over. nil for anything else.
    static func milliseconds(iso8601 text: String) -> Int64? {
        guard let match = text.wholeMatch(of: /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?Z/) else {
            return nil
        }
        func number(_ text: Substring) -> Int32 { Int32(text) ?? 0 }
        var time = tm()
        (time.tm_year, time.tm_mon, time.tm_mday) = (number(match.1) - 1900, number(match.2) - 1, number(match.3))
        (time.tm_hour, time.tm_min, time.tm_sec) = (number(match.4), number(match.5), number(match.6))
        guard (0...11).contains(time.tm_mon), (1...31).contains(time.tm_mday), time.tm_hour < 24, time.tm_min < 60,
            time.tm_sec <= 60
        else { return nil }
        return Int64(timegm(&time)) * 1000
    }
}

extension WebServices.Operation {
    /// Calls about people, which only people make.
    fileprivate var isOfUsers: Bool { path.hasPrefix("users/") }
}
