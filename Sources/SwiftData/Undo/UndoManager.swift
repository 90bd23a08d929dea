/// What was done, so that it can be undone and done again, in groups: Foundation's class, which Foundation has on Apple's
/// platforms alone. [Apple:UndoManager]
///
/// Used by one thread or actor at a time. Groups without a run loop: while `groupsByEvent` is true, what is registered outside a
/// group begins a group of its own. It ends at the next undo, redo or `beginUndoGrouping`; on the main thread also when the main
/// queue comes round, as after an event; elsewhere, where there are no events, also when a context saves. An explicit group is one step
/// to undo, whatever was registered before it. A group without actions leaves no step behind.
open class UndoManager {
    /// One thing to be done in order to undo.
    fileprivate struct Action {
        weak var target: AnyObject?
        let perform: () -> Void
    }

    /// What is undone in one step.
    package final class Group {
        fileprivate var actions: [Action] = []
        fileprivate var name = ""
        fileprivate let isImplicit: Bool

        fileprivate init(isImplicit: Bool) { self.isImplicit = isImplicit }
    }

    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    private var open: [Group] = []
    private var disabledLevel = 0

    public init() {}

    // MARK: - Groups

    /// Whether what is registered outside a group begins one.
    open var groupsByEvent = true {
        didSet { if !groupsByEvent { endImplicitGroup() } }
    }

    /// How many groups are open.
    open var groupingLevel: Int { open.count }

    /// How many steps can be undone; 0 for any number.
    open var levelsOfUndo = 0 {
        didSet { trim() }
    }

    open func beginUndoGrouping() {
        endImplicitGroup()
        open.append(Group(isImplicit: false))
    }

    /// Ends the group that was begun last; without one nothing happens.
    open func endUndoGrouping() {
        guard let group = open.popLast() else { return }
        guard !group.actions.isEmpty else { return }
        if let outer = open.last {
            outer.actions += group.actions
            if !group.name.isEmpty { outer.name = group.name }
        } else if isUndoing {
            redoStack.append(group)
        } else {
            undoStack.append(group)
            trim()
        }
    }

    private func trim() {
        guard levelsOfUndo > 0 else { return }
        undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
        redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    /// Ends the group that nobody began, if it is open.
    package func endImplicitGroup() {
        if let group = open.last, group.isImplicit { endUndoGrouping() }
    }

    /// The group that what is registered now belongs to, begun if need be; nil where nothing can be registered.
    package var currentGroup: Group? {
        guard isUndoRegistrationEnabled else { return nil }
        if let group = open.last { return group }
        guard groupsByEvent else { return nil }
        let group = Group(isImplicit: true)
        open.append(group)
        if Thread.isMainThread { endAfterEvent(group) }
        return group
    }

    private func endAfterEvent(_ group: Group) {
        // Both stay on the main thread, on which they are now.
        nonisolated(unsafe) weak let manager = self
        nonisolated(unsafe) let group = group
        DispatchQueue.main.async {
            if let manager, manager.open.last === group { manager.endUndoGrouping() }
        }
    }

    // MARK: - Registering

    open var isUndoRegistrationEnabled: Bool { disabledLevel == 0 }
    open func disableUndoRegistration() { disabledLevel += 1 }
    open func enableUndoRegistration() { disabledLevel = max(0, disabledLevel - 1) }

    /// Keeps what undoes a change. The target is not held; an action whose target is gone does nothing.
    ///
    /// Without an open group, and while `groupsByEvent` is false, nothing is kept. (Foundation throws an exception there.)
    public func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
        guard let group = currentGroup else { return }
        // A new change ends what could be done again.
        if !isUndoing && !isRedoing { redoStack = [] }
        group.actions.append(
            Action(target: target) { [weak target] in if let target { handler(target) } })
    }

    open func removeAllActions() {
        undoStack = []
        redoStack = []
        // Groups of their own begin: nothing that was registered before belongs to them.
        open = open.filter { !$0.isImplicit }.map { _ in Group(isImplicit: false) }
        disabledLevel = 0
    }

    open func removeAllActions(withTarget target: Any) {
        let target = target as AnyObject
        for group in undoStack + redoStack + open { group.actions.removeAll { $0.target === target } }
        undoStack.removeAll { $0.actions.isEmpty }
        redoStack.removeAll { $0.actions.isEmpty }
    }

    // MARK: - Undoing

    open private(set) var isUndoing = false
    open private(set) var isRedoing = false
    open var canUndo: Bool { undoStack.last != nil || open.first.map { !$0.actions.isEmpty } ?? false }
    open var canRedo: Bool { redoStack.last != nil }
    open var undoCount: Int { undoStack.count }
    open var redoCount: Int { redoStack.count }

    /// Undoes the last group, which is ended if it is open. Inside nested groups nothing happens. (Foundation throws an exception
    /// there.)
    open func undo() {
        if open.count == 1 { endUndoGrouping() }
        undoNestedGroup()
    }

    open func undoNestedGroup() {
        guard open.isEmpty, !isUndoing, !isRedoing, let group = undoStack.popLast() else { return }
        isUndoing = true
        perform(group)
        isUndoing = false
    }

    /// Does again what was undone last.
    open func redo() {
        if open.count == 1 { endUndoGrouping() }
        guard open.isEmpty, !isUndoing, !isRedoing, let group = redoStack.popLast() else { return }
        isRedoing = true
        perform(group)
        isRedoing = false
    }

    /// What the actions register is the way back.
    private func perform(_ group: Group) {
        let back = Group(isImplicit: false)
        back.name = group.name
        open.append(back)
        for action in group.actions.reversed() { action.perform() }
        // Groups that an action left open end with it.
        while !open.isEmpty { endUndoGrouping() }
    }

    // MARK: - Names

    /// Names the step that is being registered, or else the last one.
    open func setActionName(_ actionName: String) { (open.last ?? undoStack.last)?.name = actionName }
    open var undoActionName: String { canUndo ? (open.first ?? undoStack.last)?.name ?? "" : "" }
    open var redoActionName: String { redoStack.last?.name ?? "" }
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }
}
