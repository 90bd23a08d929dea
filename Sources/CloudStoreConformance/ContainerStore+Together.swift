import CloudStore
import Synchronization

extension ContainerStore {
    /// Queues requests without waiting in between, then waits for all; the results are in the order of the requests.
    func together<Value: Sendable>(
        _ count: Int, _ body: (Int) -> @Sendable (ContainerWriter) throws -> Value
    ) throws -> [Result<Value, any Error>] {
        try gather(count, body) { $0 }
    }

    /// The same, with what a check said about each request inside its completion.
    func together<Value: Sendable>(
        _ count: Int, _ body: (Int) -> @Sendable (ContainerWriter) throws -> Value,
        checking check: @escaping @Sendable (Value) -> Bool
    ) throws -> [Bool] {
        try gather(count, body) { result in (try? result.get()).map(check) ?? false }
    }

    private func gather<Value: Sendable, Kept: Sendable>(
        _ count: Int, _ body: (Int) -> @Sendable (ContainerWriter) throws -> Value,
        keep: @escaping @Sendable (Result<Value, any Error>) -> Kept
    ) throws -> [Kept] {
        let box = Box<Kept>()
        for index in 0..<count {
            write(body(index)) { result in
                let kept = keep(result)
                box.results.withLock { $0[index] = kept }
            }
        }
        // A request that is queued after them does not always end after them (PostgreSQL has many writers), so look again.
        while box.results.withLock({ $0.count }) < count { _ = try writeAndWait { _ in true } }
        return box.results.withLock { results in (0..<count).compactMap { results[$0] } }
    }
}

private final class Box<Kept: Sendable>: Sendable {
    let results = Mutex<[Int: Kept]>([:])
}
