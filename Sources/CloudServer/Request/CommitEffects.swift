import Synchronization

/// What a writing endpoint leaves to be done once its transaction is committed, and never when it is rolled back.
package final class CommitEffects: Sendable {
    private let newSchema = Mutex<Schema?>(nil)

    package init() {}

    /// Types or fields came into being.
    package func schemaChanged(_ schema: Schema) {
        newSchema.withLock { $0 = schema }
    }

    /// A store may run an endpoint again, when its database chose the first run to give way to others.
    package func reset() {
        newSchema.withLock { $0 = nil }
    }

    func carryOut(_ context: RequestContext) {
        if let schema = newSchema.withLock({ $0 }) { context.schemas.publish(schema) }
    }
}
