import PersistentStore

// Both ends of a relationship change at once. Before objects are inserted their ends are not always told of each other, since `init`
// sets storage without more; inserting tells them.

extension _ModelState {
    /// Whether the other end knows what the relationship leads to. For objects of a context it always does.
    func isLinked(_ index: Int) -> Bool { core != nil || changed.contains(index) }

    func willRelate<Owner: PersistentModel, Member>(_ owner: Owner, _ index: Int, _ keyPath: KeyPath<Owner, Member>) {
        observation?.registrar.willSet(owner, keyPath: keyPath)
        guard let core else { return }
        if flags.contains(.fault) { core.fill(self, owner) }
        core.noteChange(self, index)
    }

    /// Tells the other ends that a relationship leads to some no more and to others now.
    func relate(
        _ owner: some PersistentModel, _ index: Int, removed: [any PersistentModel], added: [any PersistentModel]
    ) {
        if removed.isEmpty && added.isEmpty { return }
        let description = entity?.description ?? ModelDescription.of(type(of: owner))
        let property = description.properties[index]
        let inverse = property.resolvedInverse(in: description)
        if core == nil { changed.insert(index) }
        for other in removed { unlink(owner, property, inverse, other) }
        for other in added { link(owner, property, inverse, other) }
        // An object that is related to one of a context belongs to that context.
        for other in added {
            let otherCore = other._$state.core
            if let core, otherCore == nil {
                core.insert(other)
            } else if core == nil, let otherCore {
                otherCore.insert(owner)
            }
        }
    }

    func link(
        _ owner: any PersistentModel, _ property: PropertyDescription, _ inverse: Int?, _ other: any PersistentModel
    ) {
        if property.isToMany { noteLink(property.index, inverse, other._$state, adding: true) }
        guard let inverse else { return }
        let state = other._$state
        if state.core == nil, state.changed.contains(inverse), state.leads(other, inverse, to: owner) { return }
        state.changeOtherEnd(other, inverse) { .link(owner) }
    }

    private func unlink(
        _ owner: any PersistentModel, _ property: PropertyDescription, _ inverse: Int?, _ other: any PersistentModel
    ) {
        if property.isToMany { noteLink(property.index, inverse, other._$state, adding: false) }
        guard let inverse else { return }
        other._$state.changeOtherEnd(other, inverse) { .unlink(owner) }
    }

    private func leads(_ model: any PersistentModel, _ index: Int, to other: any PersistentModel) -> Bool {
        model.perform(.collect, at: index).objects.contains { $0 === other }
    }

    /// Links or unlinks this object's end, telling observers, and what a to-one led to before.
    func changeOtherEnd(
        _ model: any PersistentModel, _ index: Int, _ kind: () -> _PropertyOperation.Kind
    ) {
        let description = entity?.description ?? ModelDescription.of(type(of: model))
        let property = description.properties[index]
        if flags.contains(.fault), !property.isToMany { core?.fill(self, model) }
        if let registrar = observation?.registrar { property.observation.willSet(model, registrar) }
        core?.noteChange(self, index)
        if core == nil { changed.insert(index) }
        let kind = kind()
        let operation = model.perform(kind, at: index)
        if property.isToMany, !operation.isRead {
            // Not read: remembered until it is.
            switch kind {
            case .link(let other):
                rare.unreadChanges[index, default: UnreadChanges()].removed.removeAll { $0 === other }
                rare.unreadChanges[index, default: UnreadChanges()].added.append(other)
            case .unlink(let other):
                rare.unreadChanges[index, default: UnreadChanges()].added.removeAll { $0 === other }
                rare.unreadChanges[index, default: UnreadChanges()].removed.append(other)
            default: break
            }
        }
        if let registrar = observation?.registrar { property.observation.didSet(model, registrar) }
        // A to-one that led to another object: that one's end leads here no more.
        if !property.isToMany, case .link = kind, let inverse = property.resolvedInverse(in: description) {
            for displaced in operation.objects {
                displaced._$state.changeOtherEnd(displaced, inverse) { .unlink(model) }
            }
        }
    }

    /// Remembers a pair that the save writes on its own: of a to-many whose other end is no to-one.
    private func noteLink(_ index: Int, _ inverse: Int?, _ other: _ModelState, adding: Bool) {
        // A new object's pairs are all written when it is.
        guard core != nil, key > 0 else { return }
        if let inverse, let destination = otherDescription(index), !destination.properties[inverse].isToMany { return }
        var changes = rare.links[index] ?? LinkChanges()
        if adding {
            if let position = changes.removed.firstIndex(where: { $0 === other }) {
                changes.removed.remove(at: position)
            } else {
                changes.added.append(other)
            }
        } else if let position = changes.added.firstIndex(where: { $0 === other }) {
            changes.added.remove(at: position)
        } else {
            changes.removed.append(other)
        }
        rare.links[index] = changes
    }

    private func otherDescription(_ index: Int) -> ModelDescription? {
        let description = entity?.description ?? model.map { ModelDescription.of(type(of: $0)) }
        return description?.properties[index].destination.map { ModelDescription.of($0) }
    }
}
