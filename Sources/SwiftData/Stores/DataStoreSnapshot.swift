/// A value of a property as a snapshot has it.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of an object at one time. [Apple:DataStoreSnapshot]
///
/// SwiftData reads a snapshot by encoding it: under the keys of `DataStoreSnapshotCodingKey`, relationships as identifiers.
public protocol DataStoreSnapshot: Codable, Sendable {
    var persistentIdentifier: PersistentIdentifier { get }

    init(
        from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])
    /// The same values under another identifier, with identifiers that others got meanwhile in relationships too.
    func copy(
        persistentIdentifier: PersistentIdentifier,
        remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> Self
}

extension DataStoreSnapshot {
    public func copy(persistentIdentifier: PersistentIdentifier) -> Self {
        copy(persistentIdentifier: persistentIdentifier, remappedIdentifiers: nil)
    }
}

/// The keys that a snapshot is encoded under.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
    case persistentIdentifier
    case modeledProperty(String)

    public init?(stringValue: String) {
        self = stringValue == "persistentIdentifier" ? .persistentIdentifier : .modeledProperty(stringValue)
    }

    public init?(intValue: Int) { nil }

    public var stringValue: String {
        switch self {
        case .persistentIdentifier: "persistentIdentifier"
        case .modeledProperty(let name): name
        }
    }

    public var intValue: Int? { nil }
}
