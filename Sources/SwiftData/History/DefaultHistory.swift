/// A place in the histories of default stores: the number of the last transaction of each, by the store's identifier.
public struct DefaultHistoryToken: HistoryToken {
    public typealias TokenType = [String: Int64]

    public let tokenValue: TokenType?

    init(_ value: TokenType) { tokenValue = value }

    public var id: Int { hashValue }

    /// Whether one comes before the other in every store that both know.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        let (one, other) = (lhs.tokenValue ?? [:], rhs.tokenValue ?? [:])
        let common = one.keys.filter { other[$0] != nil }
        guard !common.isEmpty else { return false }
        return common.allSatisfy { (one[$0] ?? 0) <= (other[$0] ?? 0) }
            && common.contains { (one[$0] ?? 0) < (other[$0] ?? 0) }
    }
}

/// A save of a default store.
public struct DefaultHistoryTransaction: HistoryTransaction {
    public let transactionIdentifier: Int64
    public let timestamp: Date
    public let changes: [HistoryChange]
    public let token: DefaultHistoryToken
    public let storeIdentifier: String
    public let bundleIdentifier: String
    public let processIdentifier: String
    public let author: String?

    public var id: Int64 { transactionIdentifier }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.transactionIdentifier == rhs.transactionIdentifier && lhs.storeIdentifier == rhs.storeIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(transactionIdentifier)
        hasher.combine(storeIdentifier)
    }
}

public struct DefaultHistoryInsert<Model: PersistentModel>: HistoryInsert, Hashable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
}

public struct DefaultHistoryUpdate<Model: PersistentModel>: HistoryUpdate, Hashable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    // Key paths are immutable.
    nonisolated(unsafe) let keyPaths: [PartialKeyPath<Model>]

    public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] {
        // `Sendable` has no representation: the cast changes nothing but what the compiler knows.
        keyPaths.map { unsafeBitCast($0, to: (any PartialKeyPath<Model> & Sendable).self) }
    }
}

public struct DefaultHistoryDelete<Model: PersistentModel>: HistoryDelete, Hashable {
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    public let tombstone: HistoryTombstone<Model>
}

// A change is what its transaction and its number in it say.

extension DefaultHistoryUpdate {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier && lhs.transactionIdentifier == rhs.transactionIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeIdentifier)
        hasher.combine(transactionIdentifier)
    }
}

extension DefaultHistoryDelete {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier && lhs.transactionIdentifier == rhs.transactionIdentifier
            && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(changeIdentifier)
        hasher.combine(transactionIdentifier)
    }
}
