import Dispatch

extension ContextCore {
    func observeChanges(_ tell: @escaping () -> Void) -> Int {
        let number = (changeObservers.keys.max() ?? 0) + 1
        changeObservers[number] = tell
        return number
    }

    func endObserving(_ number: Int) { changeObservers[number] = nil }

    /// An object was inserted, deleted or is no longer as it was saved.
    func pendingChanged() {
        if !changeObservers.isEmpty { for tell in changeObservers.values { tell() } }
        scheduleAutosave()
    }

    /// Something changed that no save is waiting for: the main context saves in the main queue's next turn.
    ///
    /// A context of another thread has nobody who could save for it at a time that suits its thread; it saves when it is told
    /// to process its pending changes.
    func scheduleAutosave() {
        guard autosaveEnabled, !isAutosaveScheduled, let container, container.mainCore === self else { return }
        isAutosaveScheduled = true
        // The main context's objects are the main actor's, and so is the work.
        nonisolated(unsafe) let core = self
        DispatchQueue.main.async { core.autosave() }
    }

    /// What cannot be saved stays a pending change: the next save tells why.
    func autosave() {
        isAutosaveScheduled = false
        guard autosaveEnabled, !isClosed else { return }
        try? save()
    }
}
