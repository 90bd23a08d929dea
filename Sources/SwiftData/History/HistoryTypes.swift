/// A place in the history of stores.
public protocol HistoryToken: Codable, Comparable, Hashable, Identifiable, Sendable {
    associatedtype TokenType: Codable, Hashable, Sendable
    var tokenValue: TokenType? { get }
}

/// One save as the history keeps it.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
    associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

    var timestamp: Date { get }
    var changes: [HistoryChange] { get }
    /// The place after this transaction.
    var token: TokenType { get }
    var transactionIdentifier: TransactionIdentifier { get }
    var storeIdentifier: String { get }
    /// What the context's `author` was.
    var author: String? { get }
}

/// What became of one object in a transaction.
public enum HistoryChange: Sendable {
    case insert(any HistoryInsert)
    case update(any HistoryUpdate)
    case delete(any HistoryDelete)

    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }
}

public protocol HistoryInsert<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    var changeIdentifier: ChangeIdentifier { get }
    var transactionIdentifier: TransactionIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
}

public protocol HistoryUpdate<Model>: Sendable {
    typealias PropertyUpdate = PartialKeyPath<Model> & Sendable

    associatedtype Model: PersistentModel
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    var changeIdentifier: ChangeIdentifier { get }
    var transactionIdentifier: TransactionIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
    var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { get }
}

public protocol HistoryDelete<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    var changeIdentifier: ChangeIdentifier { get }
    var transactionIdentifier: TransactionIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// What is left of the object: the values marked `.preserveValueOnDeletion`.
    var tombstone: HistoryTombstone<Model> { get }
}

/// Values of an object that is gone.
public struct HistoryTombstone<Model: PersistentModel>: Sequence, Sendable {
    let values: [Value]

    /// A property and what it was.
    public struct Value: Sendable {
        // Key paths are immutable.
        nonisolated(unsafe) let keyPath: PartialKeyPath<Model>
        let value: any Sendable
    }

    public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
        values.first { $0.keyPath == keyPath }?.value
    }

    public func makeIterator() -> Iterator { Iterator(values: values.makeIterator()) }

    public struct Iterator: IteratorProtocol {
        var values: IndexingIterator<[Value]>

        public mutating func next() -> Any? { values.next()?.value }
    }
}

/// Which transactions to fetch or delete.
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
    public var predicate: Predicate<TransactionType>?
    /// 0 is no limit.
    public var fetchLimit: UInt64 = 0
    public var sortBy: [SortDescriptor<TransactionType>]

    public init(predicate: Predicate<TransactionType>? = nil) { self.init(predicate: predicate, sortBy: []) }

    public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}

/// A store with a history.
public protocol HistoryProviding {
    associatedtype HistoryType: HistoryTransaction
    static var historyType: HistoryType.Type { get }
    func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]
    func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
    public static var historyType: HistoryType.Type { HistoryType.self }
}
