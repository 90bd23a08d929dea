import Glibc

/// A plain thread: blocking calls into a database must never run on Swift's cooperative pool.
package final class StoreThread: @unchecked Sendable {  // written once, before the value is shared
    private var thread = pthread_t()
    private let started: Bool

    package init(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Box(body))
        started =
            pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
                    return nil
                }, box.toOpaque()) == 0
        if !started { box.release() }
    }

    /// Waits for the body to end, unless it is the body that asks. To be called once.
    package func join() {
        guard started else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    private final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
