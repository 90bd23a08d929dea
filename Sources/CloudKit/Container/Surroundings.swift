/// The test's device that code runs in, kept for the code's blocks and completion handlers: dispatch and operation queues
/// do not hand task-local values on.
struct Surroundings: Sendable {
    private let connection = CloudConnection.current
    private let defaultContainer = CloudConnection.defaultContainer

    /// Runs the block as part of that code, so that `CKContainer.default()` is the same in it.
    func run<Value>(_ block: () throws -> Value) rethrows -> Value {
        guard connection != nil || defaultContainer != nil else { return try block() }
        return try CloudConnection.$current.withValue(connection) {
            try CloudConnection.$defaultContainer.withValue(defaultContainer, operation: block)
        }
    }
}
