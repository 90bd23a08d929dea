import Synchronization

/// Pages of zones that came, or were asked for, before they are needed: at most one of each zone.
final class SyncReadAhead: Sendable {
    typealias Answer = Result<SyncMachine.ZonePage, CKError>

    private struct Page {
        var token: String?
        var task: Task<Answer, Never>
    }

    private struct State {
        var pages: [CKRecordZone.ID: Page] = [:]
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Asks for a page, unless one of the zone waits already.
    func begin(
        _ zoneID: CKRecordZone.ID, since token: String?, _ request: @escaping @Sendable () async -> Answer
    ) {
        state.withLock { state in
            guard !state.isCancelled, state.pages[zoneID] == nil else { return }
            state.pages[zoneID] = Page(token: token, task: Task { await request() })
        }
    }

    /// The page, if it is this one that was asked for. Another one of the zone is given up.
    func page(of zoneID: CKRecordZone.ID, since token: String?) async -> Answer? {
        guard let page = state.withLock({ $0.pages.removeValue(forKey: zoneID) }) else { return nil }
        guard page.token == token else {
            page.task.cancel()
            return nil
        }
        return await withTaskCancellationHandler {
            await page.task.value
        } onCancel: {
            page.task.cancel()
        }
    }

    /// Gives up what waits, and asks for nothing more.
    func cancel() {
        let left = state.withLock { state in
            defer { state.pages = [:] }
            state.isCancelled = true
            return state.pages
        }
        for page in left.values { page.task.cancel() }
    }
}
