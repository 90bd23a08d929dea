/// One request that waits to be written.
class WriteJob<Session: StoreSession>: @unchecked Sendable {  // handed from thread to thread, never used by two at once
    /// Called last, after the completion.
    var whenFinished: (@Sendable () -> Void)?

    /// Runs the request; its error when it wants its writes undone. May run again after a rollback.
    func run(_ session: Session) -> (any Error)? { nil }

    /// The kind of the store's error that the last run ended with.
    var refusal: StoreError.Kind? { nil }

    /// Tells the outcome: the request's own, or a failure of the commit.
    func finish(_ failure: StoreError?) {
        whenFinished?()
    }
}

final class TypedWriteJob<Session: StoreSession, Value: Sendable>: WriteJob<Session>, @unchecked Sendable {
    private let body: @Sendable (Session) throws -> Value
    private let completion: @Sendable (Result<Value, any Error>) -> Void
    private var result: Result<Value, any Error>?

    init(
        _ body: @escaping @Sendable (Session) throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        self.body = body
        self.completion = completion
    }

    override func run(_ session: Session) -> (any Error)? {
        do {
            result = .success(try body(session))
            return nil
        } catch {
            result = .failure(error)
            return error
        }
    }

    override var refusal: StoreError.Kind? {
        if case .failure(let error) = result { (error as? StoreError)?.kind } else { nil }
    }

    override func finish(_ failure: StoreError?) {
        if let failure, !isRefused {
            completion(.failure(failure))
        } else {
            completion(result ?? .failure(failure ?? StoreError(.unavailable, "The request was not run.")))
        }
        super.finish(failure)
    }

    /// The request failed by itself, which says more than the failure of a commit that had nothing of it.
    private var isRefused: Bool {
        if case .failure = result { true } else { false }
    }
}

/// Waits on the caller's thread for what another thread brings.
final class Delivery<Value: Sendable>: @unchecked Sendable {  // `value` is only touched inside the lock
    private let condition = Condition()
    private var value: Value?

    func deliver(_ value: Value) {
        condition.locked {
            self.value = value
            condition.broadcast()
        }
    }

    func wait() -> Value {
        condition.locked {
            while true {
                if let value { return value }
                condition.wait()
            }
        }
    }
}
