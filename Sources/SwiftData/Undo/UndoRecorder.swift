import PersistentStore

/// Keeps what a context's changes were made from, and tells the undo manager how to go back there.
///
/// All of a group's changes are one action: what was deleted comes back first, then properties get their former values, then
/// what was inserted goes. Going back is made of changes too, which become the redo.
final class UndoRecorder: ChangeRecorder {
    let manager: UndoManager
    private weak var core: ContextCore?
    private var current: (group: UndoManager.Group, changes: RecordedChanges)?

    init(_ manager: UndoManager, _ core: ContextCore) {
        self.manager = manager
        self.core = core
    }

    /// The changes of the undo manager's group.
    private var changes: RecordedChanges? {
        guard core != nil, let group = manager.currentGroup else { return nil }
        if let current, current.group === group { return current.changes }
        let changes = RecordedChanges()
        current = (group, changes)
        manager.registerUndo(withTarget: self) { $0.goBack(changes) }
        return changes
    }

    // MARK: - Recording

    func willChange(_ model: any PersistentModel, _ property: Int) {
        guard let changes, let core else { return }
        changes.keep(model, property, core)
    }

    func didInsert(_ model: any PersistentModel) { changes?.noteInsertion(model) }

    func willDelete(_ model: any PersistentModel) {
        guard let changes, let core else { return }
        let state = model._$state
        // Once it is saved as deleted nobody can read it any more.
        if state.flags.contains(.fault) { core.fill(state, model) }
        for property in ModelDescription.of(type(of: model)).properties where property.destination != nil {
            changes.keep(model, property.index, core)
            guard let inverse = property.resolvedInverse(in: ModelDescription.of(type(of: model))) else { continue }
            // The other ends too, while they still lead here.
            for other in core.related(model, property) where other._$state.core === core {
                changes.keep(other, inverse, core)
            }
        }
        changes.noteDeletion(model)
    }

    /// The context took back its changes or is over: what was recorded leads nowhere.
    func forget() {
        current = nil
        manager.removeAllActions(withTarget: self)
    }

    // MARK: - Going back

    private func goBack(_ changes: RecordedChanges) {
        guard let core else { return }
        for model in changes.deleted.reversed() { core.insert(model) }
        for value in changes.values where value.model._$state.core === core { value.restore() }
        for model in changes.inserted.reversed() where model._$state.core === core {
            // Whatever it leads to stays: what else has to go was inserted too.
            for property in ModelDescription.of(type(of: model)).properties where property.destination != nil {
                if core.related(model, property).isEmpty { continue }
                property.assign(objects: [], to: model)
            }
            core.delete(model)
        }
    }
}

/// The changes of one group.
private final class RecordedChanges {
    /// What a property was before the group's first change of it.
    struct FormerValue {
        enum Content {
            case value(Any)
            case objects([any PersistentModel])
        }

        let model: any PersistentModel
        let property: PropertyDescription
        let content: Content

        func restore() {
            switch content {
            case .value(let value): property.assign(value, to: model)
            case .objects(let objects): property.assign(objects: objects, to: model)
            }
        }
    }

    private(set) var values: [FormerValue] = []
    private(set) var inserted: [any PersistentModel] = []
    private(set) var deleted: [any PersistentModel] = []
    private var kept: [ObjectIdentifier: PropertySet] = [:]

    func keep(_ model: any PersistentModel, _ index: Int, _ core: ContextCore) {
        // The objects are held, so that no other takes over an identifier.
        guard kept[ObjectIdentifier(model)]?.contains(index) != true else { return }
        kept[ObjectIdentifier(model), default: PropertySet()].insert(index)
        let property = ModelDescription.of(type(of: model)).properties[index]
        if property.destination != nil {
            let objects = core.related(model, property)
            values.append(FormerValue(model: model, property: property, content: .objects(objects)))
        } else if let value = property.value(of: model) {
            values.append(FormerValue(model: model, property: property, content: .value(value)))
        }
    }

    func noteInsertion(_ model: any PersistentModel) {
        // Back again within the group: nothing happened.
        if let position = deleted.lastIndex(where: { $0 === model }) {
            deleted.remove(at: position)
        } else {
            inserted.append(model)
        }
    }

    func noteDeletion(_ model: any PersistentModel) {
        if let position = inserted.lastIndex(where: { $0 === model }) {
            inserted.remove(at: position)
        } else {
            deleted.append(model)
        }
    }
}

extension PropertyDescription {
    /// Makes a relationship lead to the objects. One that must lead somewhere stays as it is without any.
    fileprivate func assign(objects: [any PersistentModel], to model: any PersistentModel) {
        if isToMany {
            assign(objects, to: model)
        } else if let object = objects.first {
            assign(object, to: model)
        } else if let type = valueType as? any ExpressibleByNilLiteral.Type {
            assign(type.init(nilLiteral: ()), to: model)
        }
    }
}

extension ModelContext {
    /// Hears of the context's changes so that they can be undone, also after they were saved; nil (as it is at first) for none.
    ///
    /// Undoing is a change like others: it waits to be saved. An object whose deletion was saved gets a new identifier. A rollback
    /// ends what could be undone.
    public var undoManager: UndoManager? {
        get { (core.undo as? UndoRecorder)?.manager }
        set {
            if newValue === undoManager { return }
            core.undo?.forget()
            core.undo = newValue.map { UndoRecorder($0, core) }
        }
    }
}
