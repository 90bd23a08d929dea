import SwiftData
import Testing

@Suite("Undo manager")
struct UndoManagerTests {
    private final class Counter {
        var value = 0
        let undo: UndoManager

        init(_ undo: UndoManager) { self.undo = undo }

        func add(_ amount: Int) {
            undo.registerUndo(withTarget: self) { $0.add(-amount) }
            value += amount
        }
    }

    @Test("What is registered outside a group is undone and done again together")
    func implicitGroup() {
        let undo = UndoManager()
        let counter = Counter(undo)
        #expect(!undo.canUndo)
        counter.add(1)
        counter.add(2)
        #expect(undo.canUndo && undo.groupingLevel == 1)
        undo.undo()
        #expect(counter.value == 0)
        #expect(!undo.canUndo && undo.canRedo && undo.groupingLevel == 0)
        undo.redo()
        #expect(counter.value == 3)
        #expect(undo.canUndo && !undo.canRedo)
    }

    @Test("Each explicit group is a step, nested groups are part of theirs, and empty ones leave none")
    func explicitGroups() {
        let undo = UndoManager()
        let counter = Counter(undo)
        for amount in [1, 10] {
            undo.beginUndoGrouping()
            counter.add(amount)
            undo.beginUndoGrouping()
            counter.add(amount * 2)
            undo.endUndoGrouping()
            undo.endUndoGrouping()
        }
        undo.beginUndoGrouping()
        undo.endUndoGrouping()
        #expect(undo.undoCount == 2)
        undo.undo()
        #expect(counter.value == 3)
        undo.undo()
        #expect(counter.value == 0)
        undo.redo()
        undo.redo()
        #expect(counter.value == 33)
    }

    @Test("A new change ends what could be done again")
    func redoEnds() {
        let undo = UndoManager()
        let counter = Counter(undo)
        counter.add(1)
        undo.undo()
        counter.add(5)
        #expect(!undo.canRedo)
        undo.undo()
        #expect(counter.value == 0)
    }

    @Test("Only as many steps are kept as levelsOfUndo says")
    func levels() {
        let undo = UndoManager()
        let counter = Counter(undo)
        undo.levelsOfUndo = 2
        for _ in 0..<5 {
            undo.beginUndoGrouping()
            counter.add(1)
            undo.endUndoGrouping()
        }
        while undo.canUndo { undo.undo() }
        #expect(counter.value == 3)
    }

    @Test("Nothing is registered while that is disabled, nor outside groups when none begins by itself")
    func disabled() {
        let undo = UndoManager()
        let counter = Counter(undo)
        undo.disableUndoRegistration()
        undo.disableUndoRegistration()
        undo.enableUndoRegistration()
        counter.add(1)
        #expect(!undo.isUndoRegistrationEnabled && !undo.canUndo)
        undo.enableUndoRegistration()
        undo.groupsByEvent = false
        counter.add(1)
        #expect(!undo.canUndo)
    }

    @Test("Actions can be removed, and those whose target is gone do nothing")
    func removed() {
        let undo = UndoManager()
        let counter = Counter(undo)
        counter.add(1)
        undo.removeAllActions(withTarget: counter)
        #expect(!undo.canUndo)
        counter.add(1)
        undo.removeAllActions()
        #expect(!undo.canUndo)
        Counter(undo).add(1)
        undo.undo()
        #expect(counter.value == 2)
    }

    @Test("A step's name goes with it from undo to redo")
    func names() {
        let undo = UndoManager()
        Counter(undo).add(1)
        undo.setActionName("Add")
        #expect(undo.undoActionName == "Add")
        #expect(undo.undoMenuItemTitle == "Undo Add")
        let counter = Counter(undo)
        counter.add(1)
        undo.undo()
        #expect(undo.redoActionName == "Add")
        #expect(undo.redoMenuItemTitle == "Redo Add")
    }
}
