/// Accounts, sessions, API tokens, containers and settings: what belongs to the server rather than to a container.
///
/// Every call is a transaction of its own on the caller's thread (a write waits for its commit); all throw `StoreError`.
package final class ControlStore: Sendable {
    let database: any Database<ControlSession>

    init(database: any Database<ControlSession>) {
        self.database = database
    }

    func read<Value>(_ body: (ControlSession) throws -> Value) throws(StoreError) -> Value {
        do { return try database.read(body) } catch { throw Self.typed(error) }
    }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (ControlSession) throws -> Value
    ) throws(StoreError) -> Value {
        do { return try database.writeAndWait(body) } catch { throw Self.typed(error) }
    }

    private static func typed(_ error: any Error) -> StoreError {
        (error as? StoreError) ?? StoreError(.invalid, "\(error)")
    }
}
