/// A class whose objects are kept in a store. `@Model` makes one.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    /// The topmost of the model classes that this one inherits from; itself when it inherits from none.
    associatedtype Root: PersistentModel = Self

    init(backingData: any BackingData<Self>)
    var persistentBackingData: any BackingData<Self> { get set }
    /// The properties that the class itself declares, without inherited ones.
    static var schemaMetadata: [Schema.PropertyMetadata] { get }

    // What `@Model` adds beside.

    /// An object without values: a fault.
    init(_$blank blank: _Blank)
    var _$state: _ModelState { get }
    func _$load(_ row: _Row)
    func _$bind(_ row: _RowValues)
    func _$unload()
    func _$perform(_ operation: inout _PropertyOperation)
    /// How many properties are kept, inherited ones included.
    static var _$propertyCount: Int { get }
    static var _$superclass: (any PersistentModel.Type)? { get }
}

/// Marks the initializer that makes an object without values.
public struct _Blank: Sendable {
    init() {}
}

extension PersistentModel {
    public static var _$superclass: (any PersistentModel.Type)? { nil }

    /// The context that the object was inserted into or read by; nil for one that was never inserted, and for one whose
    /// context is gone.
    public var modelContext: ModelContext? { _$state.core?.facade }

    /// The object's identity in its store. It is temporary until the object's first save.
    public var persistentModelID: PersistentIdentifier { _$state.identifier(of: self) }

    public var id: PersistentIdentifier { persistentModelID }

    /// Whether the object has changes that were not saved.
    public var hasChanges: Bool { _$state.hasChanges }

    /// Whether the object was deleted. Its values stay readable.
    public var isDeleted: Bool { _$state.isDeleted }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs === rhs || lhs._$state.isSameObject(as: rhs._$state)
    }

    public func hash(into hasher: inout Hasher) { _$state.hash(into: &hasher) }
}
