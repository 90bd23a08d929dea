import Synchronization

/// One fetch or send, as far as it can be cancelled: its requests are given up, the delegate's work is not.
final class SyncOperation: Sendable {
    private struct State {
        var isCancelled = false
        var cancelRequest: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    let readAhead = SyncReadAhead()

    func cancel() {
        let cancelRequest = state.withLock { state in
            state.isCancelled = true
            return state.cancelRequest
        }
        cancelRequest?()
    }

    /// The answer of a request, or `.operationCancelled`.
    func answer<Value: Sendable>(
        _ request: @escaping @Sendable () async -> Result<Value, CKError>
    ) async -> Result<Value, CKError> {
        let task: Task<Result<Value, CKError>, Never>? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            let task = Task { await request() }
            state.cancelRequest = { task.cancel() }
            return task
        }
        guard let task else { return .failure(CKError(.operationCancelled, reason: "The operation was cancelled")) }
        let result = await task.value
        state.withLock { $0.cancelRequest = nil }
        return result
    }
}

/// Lets one at a time do something that waits. First come, first served.
final class SyncTurn: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func take() async {
        await withCheckedContinuation { continuation in
            let isMine = state.withLock { state in
                guard state.isTaken else {
                    state.isTaken = true
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isMine { continuation.resume() }
        }
    }

    func giveBack() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
