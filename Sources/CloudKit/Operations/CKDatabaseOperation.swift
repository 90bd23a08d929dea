import Foundation

/// An operation against one database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    private var ownDatabase: CKDatabase?

    public override init() { super.init() }

    /// The database; the private one of the operation's container where nil. Setting it sets the configuration's
    /// container too.
    open var database: CKDatabase? {
        get { ownDatabase }
        set {
            ownDatabase = newValue
            if let newValue { configuration.container = CKContainer(core: newValue.core, defaults: newValue.defaults) }
        }
    }

    func adopt(_ database: CKDatabase) {
        if ownDatabase == nil { self.database = database }
        defaults = database.defaults
    }

    /// Performs a request: its events go to `event` as they come, then its outcome or error to `end`, all on the
    /// operation's callback queue.
    final func perform<Request: DatabaseRequest>(
        _ request: Request, event: @escaping @Sendable (Request.Event) -> Void,
        end: @escaping @Sendable (Result<Request.Outcome, CKError>) -> Void
    ) async {
        await perform(request, in: session(), event: event, end: end)
    }

    private func session() -> DatabaseSession { session(database ?? operationContainer.privateCloudDatabase) }
}

extension CKOperation {
    /// The configured container, the group's, or the app's own.
    final var operationContainer: CKContainer {
        configuration.container ?? group?.defaultConfiguration.container ?? CKContainer.default()
    }

    final func session(_ database: CKDatabase) -> DatabaseSession {
        let options = defaults.resolved(for: configuration, group: group, qualityOfService: qualityOfService)
        return DatabaseSession(core: database.core, scope: database.databaseScope, options: options)
    }

    /// Performs a request: its events go to `event` as they come, then its outcome or error to `end`, all on the
    /// operation's callback queue.
    final func perform<Request: DatabaseRequest>(
        _ request: Request, in session: DatabaseSession, event: @escaping @Sendable (Request.Event) -> Void,
        end: @escaping @Sendable (Result<Request.Outcome, CKError>) -> Void
    ) async {
        let result: Result<Request.Outcome, CKError>
        do throws(CKError) {
            guard !isCancelled else { throw CKError(.operationCancelled, reason: "The operation was cancelled") }
            let outcome = try await request.perform(in: session) { item in
                self.callBack { event(item) }
            }
            result = .success(outcome)
        } catch {
            result = .failure(error)
        }
        callBack { end(result) }
    }
}
