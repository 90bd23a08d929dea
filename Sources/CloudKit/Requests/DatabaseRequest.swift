import WebServices

/// One thing asked of a database, free of how it was asked: the async functions of `CKDatabase` and the operations both
/// make such a value and perform it.
///
/// Requests are performed by calls to the server, one after the other; what they learn on the way is reported item by
/// item, so that an operation's blocks hear of it before the end.
protocol DatabaseRequest: Sendable {
    associatedtype Event: Sendable
    associatedtype Outcome: Sendable

    /// - Parameter report: Called for each item, in order, never at the same time.
    /// - Throws: What fails as a whole. What fails for one item is an event.
    func perform(
        in session: DatabaseSession, report: @Sendable (Event) -> Void
    ) async throws(CKError) -> Outcome
}

/// A database seen by one operation: where it lies and how its requests are to be made.
package struct DatabaseSession: Sendable {
    let core: ContainerCore
    package let scope: CKDatabase.Scope
    var options: RequestOptions

    func answer(to operation: WebServices.Operation) async throws(CKError) -> Answer {
        try await core.connection().answer(
            to: operation, container: core.identifier, database: scope.wire, options: options)
    }

    /// The signed-in user's record name; asked of the server once for each connection.
    func userRecordName() async throws(CKError) -> String {
        let connection = try core.connection()
        let account = connection.account
        if let known = account.userRecordName(of: options.accountRevision), account.status == .available {
            return known
        }
        // The user endpoints are on the public path whatever the database. [Apple:FetchCurrentUserIdentity]
        guard account.status != .noAccount else {
            throw CKError(.notAuthenticated, reason: "No account is signed in")
        }
        var options = options
        let revision = options.accountRevision ?? account.revision
        options.accountRevision = revision
        let answer = try await connection.answer(
            to: .usersCaller, container: core.identifier, database: .public, options: options)
        guard case .user(let user) = answer else { throw CKError.unexpectedAnswer }
        account.learn(userRecordName: user.userRecordName, at: revision)
        return user.userRecordName
    }
}

extension DatabaseSession {
    /// Whom an answer's creators and modifiers are compared with, so that they show as `CKCurrentUserDefaultName`.
    ///
    /// - Returns: nil where the answer names nobody, nobody is signed in, or the server does not tell now: their own names
    ///   show then.
    func currentUser(in records: some Sequence<RecordResult>) async -> String? {
        guard records.contains(where: { $0.namesUser }), let account = try? core.connection().account,
            account.status == .available
        else { return nil }
        // The answer is here already: it does not wait for the retries of background work.
        var options = options
        options.qualityOfService = .userInitiated
        let session = DatabaseSession(core: core, scope: scope, options: options)
        return try? await session.userRecordName()
    }
}

extension RecordResult {
    fileprivate var namesUser: Bool {
        switch self {
        case .record(let record), .failure(_, _, .record(let record)): record.created != nil || record.modified != nil
        case .failure: false
        }
    }
}

extension DatabaseRequest {
    /// The outcome with all events before it.
    func collect(in session: DatabaseSession) async throws(CKError) -> (events: [Event], outcome: Outcome) {
        let log = EventLog<Event>()
        let outcome = try await perform(in: session) { log.append($0) }
        return (log.events, outcome)
    }
}

extension Array {
    /// The distinct elements in order of their first appearance.
    func distinct<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}
