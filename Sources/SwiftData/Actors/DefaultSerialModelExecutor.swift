import Dispatch

/// Runs an actor's jobs one after the other on a queue of its own: store access may block, which Swift's threads must not, and
/// never runs on the main thread, wherever the actor was made.
// Unchecked: the context is used by jobs of the queue only.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
    public let modelContext: ModelContext
    private let queue = DispatchQueue(label: "SwiftData.ModelActor")

    public init(modelContext: ModelContext) {
        self.modelContext = modelContext
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Kept until the job has run, which may be what lets go of the actor.
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
