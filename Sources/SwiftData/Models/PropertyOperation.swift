/// Something to be done to the storage of the property at a position, from its class's own code, which alone can reach it. For
/// macros' use.
public struct _PropertyOperation {
    enum Kind {
        /// Makes a relationship lead to the object, without telling the other side.
        case link(any PersistentModel)
        /// Ends that.
        case unlink(any PersistentModel)
        /// Gives the objects that a relationship leads to, as far as they were read.
        case collect
        /// Forgets what was read.
        case unload
    }

    public let index: Int
    let kind: Kind
    /// What `collect` found, and what `link` displaced from a to-one.
    var objects: [any PersistentModel] = []
    /// Whether the property's storage has been read or set.
    var isRead = false

    init(_ index: Int, _ kind: Kind) {
        self.index = index
        self.kind = kind
    }
}

extension PersistentModel {
    @discardableResult
    func perform(_ kind: _PropertyOperation.Kind, at index: Int) -> _PropertyOperation {
        var operation = _PropertyOperation(index, kind)
        _$perform(&operation)
        return operation
    }
}

@_disfavoredOverload
public func _perform<Value>(_ operation: inout _PropertyOperation, _ storage: inout Value?) {
    operation.isRead = storage != nil
    if case .unload = operation.kind { storage = nil }
}

public func _perform<Model: PersistentModel>(_ operation: inout _PropertyOperation, _ storage: inout Model?) {
    operation.isRead = storage != nil
    switch operation.kind {
    case .link(let object):
        if let storage, storage !== object { operation.objects.append(storage) }
        storage = object as? Model
    case .unlink(let object): if storage === object { storage = nil }
    case .collect: if let storage { operation.objects.append(storage) }
    case .unload: storage = nil
    }
}

public func _perform<Model: PersistentModel>(_ operation: inout _PropertyOperation, _ storage: inout Model??) {
    operation.isRead = storage != nil
    let current = storage ?? nil
    switch operation.kind {
    case .link(let object):
        if let current, current !== object { operation.objects.append(current) }
        storage = .some(object as? Model)
    case .unlink(let object): if let current, current === object { storage = .some(nil) }
    case .collect: if let current { operation.objects.append(current) }
    case .unload: storage = nil
    }
}

public func _perform<Model: PersistentModel>(_ operation: inout _PropertyOperation, _ storage: inout [Model]?) {
    operation.isRead = storage != nil
    switch operation.kind {
    case .link(let object): if let object = object as? Model { storage?.append(object) }
    case .unlink(let object):
        if let position = storage?.lastIndex(where: { $0 === object }) { storage?.remove(at: position) }
    case .collect: if let storage { operation.objects = storage }
    case .unload: storage = nil
    }
}

public func _perform<Model: PersistentModel>(_ operation: inout _PropertyOperation, _ storage: inout [Model]??) {
    operation.isRead = storage != nil
    switch operation.kind {
    case .link(let object):
        guard let object = object as? Model, storage != nil else { return }
        if case .some(.none) = storage { storage = .some([object]) } else { storage??.append(object) }
    case .unlink(let object):
        if case .some(.some(let objects)) = storage, let position = objects.lastIndex(where: { $0 === object }) {
            storage??.remove(at: position)
        }
    case .collect: if case .some(.some(let objects)) = storage { operation.objects = objects }
    case .unload: storage = nil
    }
}
