import PersistentStore

/// Names an object of a store; can be sent to other contexts, actors and processes.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
    /// The identity as a value of its own.
    public struct ID: Hashable, Sendable {
        let storeIdentifier: String?
        let entityName: String
        let key: Key
    }

    enum Key: Hashable, Sendable {
        /// A row of a store.
        case row(Int64)
        /// An object that was never saved; the number belongs to this process.
        case temporary(Int64)
        /// What a custom store named.
        case named(String)
    }

    /// The entity's name.
    public let entityName: String
    /// The store that keeps the object; nil before its first save.
    public let storeIdentifier: String?
    let key: Key

    init(storeIdentifier: String?, entityName: String, key: Key) {
        self.storeIdentifier = storeIdentifier
        self.entityName = entityName
        self.key = key
    }

    public var id: ID { ID(storeIdentifier: storeIdentifier, entityName: entityName, key: key) }

    package var isTemporary: Bool {
        if case .temporary = key { true } else { false }
    }

    /// The name of an object in a store of an app's own kind.
    public static func identifier<T>(
        for storeIdentifier: String, entityName: String, primaryKey: T
    ) throws -> PersistentIdentifier where T: Comparable & CustomStringConvertible & Codable & Hashable {
        let text = primaryKey.description
        // `p17`, as rows of a default store are named.
        if text.first == "p", let row = Int64(text.dropFirst()) {
            return PersistentIdentifier(storeIdentifier: storeIdentifier, entityName: entityName, key: .row(row))
        }
        return PersistentIdentifier(storeIdentifier: storeIdentifier, entityName: entityName, key: .named(text))
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.key == rhs.key && lhs.entityName == rhs.entityName && lhs.storeIdentifier == rhs.storeIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(entityName)
    }

    public static func < (lhs: Self, rhs: Self) -> Bool {
        if lhs.entityName != rhs.entityName { return lhs.entityName < rhs.entityName }
        if lhs.key != rhs.key { return lhs.key < rhs.key }
        return (lhs.storeIdentifier ?? "") < (rhs.storeIdentifier ?? "")
    }
}

extension PersistentIdentifier.Key: Comparable {
    static func < (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.row(let one), .row(let other)), (.temporary(let one), .temporary(let other)): one < other
        case (.named(let one), .named(let other)): one < other
        case (.row, _): true
        case (.temporary, .named): true
        default: false
        }
    }

    /// As Apple's frameworks spell it in an identifier's URI: `p17` for a row, `t…` for what was never saved.
    var text: String {
        switch self {
        case .row(let key): "p\(key)"
        case .temporary(let key): "t\(key)"
        case .named(let name): name
        }
    }
}

// The encoded form is the one that is seen of Apple's frameworks; nothing documents it.
extension PersistentIdentifier {
    private enum CodingKeys: String, CodingKey { case implementation }

    private struct Implementation: Codable {
        var primaryKey: String
        var uriRepresentation: String?
        var isTemporary: Bool?
        var storeIdentifier: String?
        var entityName: String
    }

    /// `x-coredata://<store>/<entity>/p<key>`
    package var uriRepresentation: String {
        "x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(key.text)"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(
            Implementation(
                primaryKey: key.text, uriRepresentation: uriRepresentation, isTemporary: isTemporary,
                storeIdentifier: storeIdentifier, entityName: entityName), forKey: .implementation)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let value = try container.decode(Implementation.self, forKey: .implementation)
        entityName = value.entityName
        storeIdentifier = value.storeIdentifier
        if value.primaryKey.first == "p", let row = Int64(value.primaryKey.dropFirst()) {
            key = .row(row)
        } else if value.isTemporary == true, let number = Int64(value.primaryKey.dropFirst()) {
            key = .temporary(number)
        } else {
            key = .named(value.primaryKey)
        }
    }
}
