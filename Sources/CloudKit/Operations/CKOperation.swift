import Foundation
import Synchronization

/// An operation against a container. It runs asynchronously: no thread waits for the network.
///
/// Its blocks are called one at a time on a serial queue of the operation's own. Set them, and everything else, before
/// the operation is added to a queue, a database or a container.
open class CKOperation: Foundation.Operation, @unchecked Sendable {
    // Unchecked, like Foundation's Operation: properties are set before the start and only read afterwards; what changes
    // while it runs is in `progress`.

    public typealias ID = String

    private struct Progress {
        var executing = false
        var finished = false
        var task: Task<Void, Never>?
    }

    open var operationID: CKOperation.ID { id }
    private let id = UUID().uuidString
    /// A group whose default configuration applies where this operation's own says nothing.
    open var group: CKOperationGroup?
    /// Never called: operations do not outlive the process here.
    open var longLivedOperationWasPersistedBlock: (() -> Void)?

    private var ownConfiguration = Configuration()
    private let progress = Mutex(Progress())
    private let callbackQueue = DispatchQueue(label: "CloudKit.operation")
    private let surroundings = Surroundings()
    var defaults = OperationDefaults()

    public override init() { super.init() }

    /// A copy of what is assigned; nil restores the defaults.
    open var configuration: Configuration! {
        get { ownConfiguration }
        set { ownConfiguration = newValue?.over(nil) ?? Configuration() }
    }

    /// Takes the container's place for what the operation itself leaves open.
    func adopt(_ container: CKContainer) {
        if ownConfiguration.container == nil { ownConfiguration.container = container }
        defaults = container.defaults
    }

    /// Does the work, up to the last block. Subclasses of this module override it; others override `main` or `start`.
    func carryOut() async { main() }

    /// Calls a block of the app, after those before it.
    final func callBack(_ block: @escaping @Sendable () -> Void) {
        callbackQueue.async { self.surroundings.run(block) }
    }

    // MARK: Foundation's asynchronous operation

    public final override var isAsynchronous: Bool { true }
    open override var isExecuting: Bool { progress.withLock { $0.executing } }
    open override var isFinished: Bool { progress.withLock { $0.finished } }

    open override func start() {
        guard progress.withLock({ !$0.executing && !$0.finished }) else { return }
        willChangeValue(for: \.isExecuting)
        progress.withLock { $0.executing = true }
        didChangeValue(for: \.isExecuting)
        let task = surroundings.run {
            Task {
                await self.carryOut()
                // Behind the last block, so that a dependent operation finds what the blocks did.
                self.callbackQueue.async { self.finish() }
            }
        }
        progress.withLock { if !$0.finished { $0.task = task } }
        if isCancelled { task.cancel() }
    }

    open override func cancel() {
        super.cancel()
        progress.withLock { $0.task }?.cancel()
    }

    private func finish() {
        willChangeValue(for: \.isExecuting)
        willChangeValue(for: \.isFinished)
        progress.withLock { $0 = Progress(executing: false, finished: true, task: nil) }
        didChangeValue(for: \.isExecuting)
        didChangeValue(for: \.isFinished)
    }
}

extension CKOperation {
    @available(*, deprecated, message: "Use configuration")
    public var container: CKContainer? {
        get { configuration.container }
        set { configuration.container = newValue }
    }
    @available(*, deprecated, message: "Use configuration")
    public var allowsCellularAccess: Bool {
        get { configuration.allowsCellularAccess }
        set { configuration.allowsCellularAccess = newValue }
    }
    @available(*, deprecated, message: "Use configuration")
    public var isLongLived: Bool {
        get { configuration.isLongLived }
        set { configuration.isLongLived = newValue }
    }
    @available(*, deprecated, message: "Use configuration")
    public var timeoutIntervalForRequest: TimeInterval {
        get { configuration.timeoutIntervalForRequest }
        set { configuration.timeoutIntervalForRequest = newValue }
    }
    @available(*, deprecated, message: "Use configuration")
    public var timeoutIntervalForResource: TimeInterval {
        get { configuration.timeoutIntervalForResource }
        set { configuration.timeoutIntervalForResource = newValue }
    }
}
