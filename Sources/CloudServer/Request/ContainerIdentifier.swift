import WebServices

extension CloudServer {
    /// Letters, digits, dots, hyphens and underscores, as all real identifiers are made of.
    static func isContainerIdentifier(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= Limits.nameLength && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { character in
                switch character {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension ServerError {
    /// Apple documents no answer for this; its framework calls it `badContainer`.
    static func unknownContainer(_ identifier: String) -> ServerError {
        ServerError(
            .notFound, "There is no container '\(identifier.prefix(Limits.nameLength))' on this server",
            extensionCode: .badContainer)
    }
}
