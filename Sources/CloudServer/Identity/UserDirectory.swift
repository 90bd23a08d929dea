import CloudStore
import WebServices

/// The people of a container who let others find them.
package struct UserDirectory: Sendable {
    let control: ControlStore
    let secret: ServerSecret
    let container: String

    /// The person, if there is one who may be found.
    ///
    /// An account is found by its name: an email address, or a telephone number that begins with `+`.
    func find(_ info: LookupInfo) throws -> UserIdentity? {
        let account: AccountRow?
        switch info {
        case .userRecordName(let name):
            guard let row = try control.discoverability(of: name, container: container), row.isGranted else {
                return nil
            }
            account = try control.account(id: row.account)
        case .emailAddress(let address):
            guard address.contains("@") else { return nil }
            account = try named(address)
        case .phoneNumber(let number):
            let plain = number.filter { $0.isNumber || $0 == "+" }
            guard plain.hasPrefix("+") else { return nil }
            account = try named(plain)
        }
        return account.map {
            UserIdentity(
                userRecordName: secret.userRecordName(account: $0.id, container: container), firstName: $0.firstName,
                lastName: $0.lastName, lookupInfo: info)
        }
    }

    private func named(_ name: String) throws -> AccountRow? {
        guard name.utf8.count <= Limits.nameLength, let account = try control.account(name: name) else { return nil }
        let recordName = secret.userRecordName(account: account.id, container: container)
        return try control.discoverability(of: recordName, container: container)?.isGranted == true ? account : nil
    }

    func status(_ user: Caller.User) throws -> UsersPermission.Status {
        guard let row = try control.discoverability(of: user.recordName, container: container) else { return .initial }
        return row.isGranted ? .granted : .denied
    }

    /// Lets a person be found, unless they have said that they do not want it.
    func request(_ user: Caller.User) throws {
        try control.setDiscoverability(
            DiscoverabilityRow(
                container: container, userRecordName: user.recordName, account: user.account, isGranted: true),
            replacing: false)
    }
}

/// `users/discover` and `users/lookup/…`. [Apple:DiscoveringUserIdentities]
struct UsersDiscoverEndpoint: StatelessEndpoint {
    /// nil for everybody in the caller's address book, of which the server knows nothing.
    let lookupInfos: [LookupInfo]?

    func run(_ context: RequestContext) throws -> Answer {
        guard context.database == .public else {
            throw ServerError.badRequest(
                "endpoint not applicable in the database type '\(context.database == .private ? "privatedb" : "sharedb")'"
            )
        }
        let infos = lookupInfos ?? []
        guard infos.count <= context.limits.items else {
            throw ServerError.tooManyItems(infos.count, limit: context.limits.items)
        }
        return .users(.init(users: try infos.compactMap { try context.people.find($0) }))
    }
}

/// `users/permission`. Whoever lets others find them has a user record for them to find.
struct UsersPermissionEndpoint: ReadingEndpoint, WritingEndpoint {
    let request: UsersPermission.Request

    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        guard try !request.requests || UserRecord.isThere(context, reader) else { throw NeedsWriter(endpoint: self) }
        return try answer(context)
    }

    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer {
        try UserRecord.make(context, writer)
        return try answer(context)
    }

    private func answer(_ context: RequestContext) throws -> Answer {
        guard let user = context.caller.user else {
            throw ServerError(.authenticationRequired, "request needs authorization")
        }
        if request.requests { try context.people.request(user) }
        return .usersPermission(try context.people.status(user))
    }
}
