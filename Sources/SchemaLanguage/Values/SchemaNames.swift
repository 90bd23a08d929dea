/// What names may look like.
package enum SchemaNames {
    /// Words that a file can only use as names in quotes.
    static let reserved: Set<String> = ["grant", "preferred", "queryable", "sortable", "searchable"]

    /// A letter, then letters, digits and `_`.
    package static func isRecordType(_ name: String) -> Bool {
        name == RecordTypeDefinition.shareName || isIdentifier(name)
    }

    package static func isRole(_ name: String) -> Bool { isIdentifier(name) }

    /// A letter or `_`, then letters, digits, `_` and `$`; three underscores in front are the system's. Shares have
    /// fields that begin with `cloudkit.`.
    package static func isField(_ name: String, of recordType: String) -> Bool {
        var name = name
        if recordType == RecordTypeDefinition.shareName, name.hasPrefix("cloudkit.") {
            name = String(name.dropFirst("cloudkit.".count))
        }
        guard let first = name.utf8.first, name.utf8.count <= SchemaLimits.nameBytes, !name.hasPrefix("___") else {
            return false
        }
        return (isLetter(first) || first == UInt8(ascii: "_"))
            && name.utf8.allSatisfy { isIdentifierByte($0) || $0 == UInt8(ascii: "$") }
    }

    /// Whether a file may hold the name without quotes.
    static func isPlain(_ name: String) -> Bool {
        isIdentifier(name) && !reserved.contains(name.lowercased())
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= SchemaLimits.nameBytes else { return false }
        return isLetter(first) && name.utf8.allSatisfy(isIdentifierByte)
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
    }

    static func isIdentifierByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte == UInt8(ascii: "_") || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
    }
}
