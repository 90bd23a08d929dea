/// What a role may do with the records of a type, in the public database.
package struct Permissions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    // Stored: never renumber.
    package static let read = Permissions(rawValue: 1)
    package static let create = Permissions(rawValue: 2)
    /// Change and delete.
    package static let write = Permissions(rawValue: 4)

    static let words: [(permission: Permissions, word: String)] = [
        (.read, "READ"), (.create, "CREATE"), (.write, "WRITE"),
    ]

    /// As a file has it: `READ, WRITE`.
    package var text: String {
        Self.words.filter { contains($0.permission) }.map(\.word).joined(separator: ", ")
    }
}

/// The roles that every container has.
package enum SystemRole {
    /// Everybody, signed in or not.
    package static let world = "_world"
    /// Whoever is signed in.
    package static let icloud = "_icloud"
    /// Whoever made the record.
    package static let creator = "_creator"

    package static let all: Set<String> = [world, icloud, creator]
}
