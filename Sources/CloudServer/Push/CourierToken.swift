import WebServices

/// The last part of a `webcourierURL`: an address for pushes and a code that only this server can make for it, so that a
/// guess never reaches the store.
struct CourierToken: Sendable, Hashable {
    /// `apnsToken`: 64 hexadecimal characters.
    var address: String

    static let addressBytes = 32
    private static let addressLength = 2 * addressBytes
    private static let codeBytes = 16

    init(address: String) {
        self.address = address
    }

    /// nil for a text that this server did not make for this realm.
    init?(_ text: String, _ realm: PushRealm, _ secret: ServerSecret) {
        let characters = Array(text.utf8)
        guard characters.count == Self.addressLength + 2 * Self.codeBytes,
            characters.allSatisfy({ Hex.value(of: $0) != nil })
        else { return nil }
        self.init(address: String(decoding: characters.prefix(Self.addressLength), as: UTF8.self))
        // Compared as bytes, in constant time.
        var code: [UInt8] = []
        for position in stride(from: Self.addressLength, to: characters.count, by: 2) {
            guard let high = Hex.value(of: characters[position]), let low = Hex.value(of: characters[position + 1])
            else { return nil }
            code.append(high << 4 | low)
        }
        guard secret.isValid(code, .courier, message(realm)) else { return nil }
    }

    func text(_ realm: PushRealm, _ secret: ServerSecret) -> String {
        address + Hex.encode(secret.code(.courier, message(realm)).prefix(Self.codeBytes))
    }

    private func message(_ realm: PushRealm) -> [UInt8] {
        // No container's name holds a zero byte.
        Array("\(realm.container)\u{0}\(realm.environment.rawValue)\u{0}\(address)".utf8)
    }
}
