import Dispatch

extension ContextCore {
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
