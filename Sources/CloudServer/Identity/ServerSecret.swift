import Cryptography
import WebServices

/// The server's secret key, kept in the control store, and what is derived from it. Whoever has it can make tokens.
package struct ServerSecret: Sendable {
    /// What authentication codes are for; a code of one kind is none of another kind.
    package enum Purpose: UInt8, Sendable {
        case webToken = 1
        case userRecordName = 2
        case changeToken = 3
        case continuation = 4
        case courier = 5
        case asset = 6
        case form = 7
        case signIn = 8
    }

    private let mac: HMACSHA256

    /// - Parameter key: 32 random bytes.
    package init(key: [UInt8]) {
        mac = HMACSHA256(key: key)
    }

    /// The authentication code of `message`: 32 bytes.
    package func code(_ purpose: Purpose, _ message: [UInt8]) -> [UInt8] {
        mac.authenticationCode(for: [purpose.rawValue] + message)
    }

    /// Whether `code` is the beginning (`code.count` bytes, at least 8) of the message's authentication code.
    package func isValid(_ code: [UInt8], _ purpose: Purpose, _ message: [UInt8]) -> Bool {
        guard code.count >= 8 else { return false }
        return ConstantTime.areEqual(Array(self.code(purpose, message).prefix(code.count)), code)
    }

    /// The user record name of an account in a container: the same at each sign-in, and of no use for recognising the
    /// person in another container.
    package func userRecordName(account: String, container: String) -> String {
        "_" + Hex.encode(code(.userRecordName, Array("\(account)\u{0}\(container)".utf8)).prefix(16))
    }
}
