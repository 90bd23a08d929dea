import PersistentStore

// What a property's accessors call, and how a property is read from a row and written to one. Which of the functions of a name
// is meant is chosen by the property's type when the app is compiled: nothing is looked up when it runs.
//
// Storage is `Optional<T>`: nil while the object is a fault, while a relationship is not read, or where the store has nothing.

/// The type of a property whose declaration leaves it to the initializer. Never evaluates it.
public func _storage<Value>(of value: @autoclosure () -> Value) -> Value? { nil }

// MARK: - Values with a column type of their own

@inlinable
public func _read<Value: _StoredValue>(_ storage: inout Value?, _ row: _Row, _ index: Int) {
    storage = Value._read(row, index)
}

@inlinable
public func _read<Value: _StoredValue>(_ storage: inout Value??, _ row: _Row, _ index: Int) {
    storage = .some(Value._read(row, index))
}

@inlinable
public func _write<Value: _StoredValue>(_ storage: Value?, _ row: _RowValues, _ index: Int) {
    if let storage { Value._write(storage, row, index) } else { _writeMissing(row, index) }
}

@inlinable
public func _write<Value: _StoredValue>(_ storage: Value??, _ row: _RowValues, _ index: Int) {
    if case .some(.some(let value)) = storage { Value._write(value, row, index) } else { _writeMissing(row, index) }
}

// MARK: - Values that stand for one

@_disfavoredOverload
public func _read<Value: RawRepresentable & Codable>(
    _ storage: inout Value?, _ row: _Row, _ index: Int
) where Value.RawValue: _StoredValue {
    storage = Value.RawValue._read(row, index).flatMap { Value(rawValue: $0) }
}

@_disfavoredOverload
public func _read<Value: RawRepresentable & Codable>(
    _ storage: inout Value??, _ row: _Row, _ index: Int
) where Value.RawValue: _StoredValue {
    storage = .some(Value.RawValue._read(row, index).flatMap { Value(rawValue: $0) })
}

@_disfavoredOverload
public func _write<Value: RawRepresentable & Codable>(
    _ storage: Value?, _ row: _RowValues, _ index: Int
) where Value.RawValue: _StoredValue {
    if let storage { Value.RawValue._write(storage.rawValue, row, index) } else { _writeMissing(row, index) }
}

@_disfavoredOverload
public func _write<Value: RawRepresentable & Codable>(
    _ storage: Value??, _ row: _RowValues, _ index: Int
) where Value.RawValue: _StoredValue {
    if case .some(.some(let value)) = storage {
        Value.RawValue._write(value.rawValue, row, index)
    } else {
        _writeMissing(row, index)
    }
}

// MARK: - Everything else that can be encoded, and what a transformer knows

@_disfavoredOverload
public func _read<Value>(_ storage: inout Value?, _ row: _Row, _ index: Int) {
    storage = row.decoded(Value.self, index)
}

@_disfavoredOverload
public func _read<Value>(_ storage: inout Value??, _ row: _Row, _ index: Int) {
    storage = .some(row.decoded(Value.self, index))
}

@_disfavoredOverload
public func _write<Value>(_ storage: Value?, _ row: _RowValues, _ index: Int) {
    if let storage { row.encode(storage, index) } else { _writeMissing(row, index) }
}

@_disfavoredOverload
public func _write<Value>(_ storage: Value??, _ row: _RowValues, _ index: Int) {
    if case .some(.some(let value)) = storage { row.encode(value, index) } else { _writeMissing(row, index) }
}

/// A property without a value: its declared default, where it must have one.
public func _writeMissing(_ row: _RowValues, _ index: Int) { row.setMissing(index) }

// MARK: - Accessors of attributes

/// What `_didSet` has to know of an attribute's former value.
public struct _NothingRelated: Sendable {
    @inlinable init() {}
}

/// The value of a property that has none: the declared default, else nil, zero or empty. Never a trap: an object whose row is
/// gone can still be read.
@_disfavoredOverload
public func _missing<Model: PersistentModel, Value>(
    _ model: Model, _ index: Int, _ storage: Value?, default: @autoclosure () -> Value? = nil
) -> Value {
    model._$state.recordRead(index)
    if let value = `default`() { return value }
    return valueOfNothing(Value.self)
}

/// Before a property is set. Gives what `_didSet` wants to know.
@_disfavoredOverload
@inlinable
public func _willSet<Model: PersistentModel, Member, Value>(
    _ model: Model, _ index: Int, _ keyPath: @autoclosure () -> KeyPath<Model, Member>, _ storage: Value?
) -> _NothingRelated {
    let state = model._$state
    if state._isObservedOrRegistered { state._willSet(model, index, keyPath(), storage) }
    return _NothingRelated()
}

@_disfavoredOverload
@inlinable
public func _didSet<Model: PersistentModel, Member, Value>(
    _ model: Model, _ index: Int, _ keyPath: @autoclosure () -> KeyPath<Model, Member>, _ old: _NothingRelated,
    _ new: Value
) {
    let state = model._$state
    if state._isObservedOrRegistered { state._didSet(model, keyPath()) }
}

extension _ModelState {
    /// Whether anybody must hear of a change.
    @usableFromInline var _isObservedOrRegistered: Bool { core != nil || observation != nil }

    @usableFromInline
    func _willSet<Model: PersistentModel, Member, Value>(
        _ model: Model, _ index: Int, _ keyPath: KeyPath<Model, Member>, _ old: Value?
    ) {
        observation?.registrar.willSet(model, keyPath: keyPath)
        guard let core else { return }
        if flags.contains(.fault) { core.fill(self, model) }
        core.noteChange(self, index)
    }

    @usableFromInline
    func _didSet<Model: PersistentModel, Member>(_ model: Model, _ keyPath: KeyPath<Model, Member>) {
        observation?.registrar.didSet(model, keyPath: keyPath)
    }
}

/// A value for a property that has none and no default.
func valueOfNothing<Value>(_ type: Value.Type) -> Value {
    if let value = ZeroDecoder.value(of: type) { return value }
    // No value of the type can be made: it is an object of a class that cannot be decoded, or an enumeration without cases.
    preconditionFailure(
        "The object was deleted from its store, and no value of type \(type) exists that could stand for its missing one. "
            + "Declare a default value for the property.")
}
