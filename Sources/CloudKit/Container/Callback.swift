import Foundation

/// The completion-handler forms: they run the async form and call back on a serial queue of their own that is not the
/// main one, as CKContainer and CKDatabase promise.
enum Callback {
    static func run<Value>(
        _ body: @escaping @Sendable () async throws -> sending Value,
        result handler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let surroundings = Surroundings()
        Task {
            let outcome: Outcome<Value>
            do { outcome = Outcome(.success(try await body())) } catch { outcome = Outcome(.failure(error)) }
            // One queue a call: a handler that waits for another call's handler must not keep it from running.
            DispatchQueue(label: "CloudKit.callback").async { surroundings.run { handler(outcome.result) } }
        }
    }

    /// The form with a value or an error.
    static func run<Value>(
        _ body: @escaping @Sendable () async throws -> sending Value,
        _ handler: @escaping @Sendable (Value?, (any Error)?) -> Void
    ) {
        run(body) { (result: Result<Value, any Error>) in
            switch result {
            case .success(let value): handler(value, nil)
            case .failure(let error): handler(nil, error)
            }
        }
    }

    /// Carries a result over to the queue. Unchecked: it is made by one task, handed over once and read once.
    private struct Outcome<Value>: @unchecked Sendable {
        let result: Result<Value, any Error>
        init(_ result: Result<Value, any Error>) { self.result = result }
    }
}
