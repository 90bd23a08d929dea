import WebServices

/// Finds people who let themselves be found. Whoever is not found is no event. [Apple:DiscoveringUserIdentities]
struct UserDiscovery: DatabaseRequest {
    struct Event: Sendable {
        var identity: CKUserIdentity
        var lookupInfo: CKUserIdentity.LookupInfo
    }

    /// How many are asked for at a time.
    private static let batch = 100

    let lookupInfos: [CKUserIdentity.LookupInfo]

    func perform(in session: DatabaseSession, report: @Sendable (Event) -> Void) async throws(CKError) {
        _ = try await session.userRecordName()
        var rest = lookupInfos.distinct { $0 }[...]
        while !rest.isEmpty {
            let asked = Array(rest.prefix(Self.batch))
            rest = rest.dropFirst(asked.count)
            let wire = asked.compactMap(\.wire)
            guard wire.count == asked.count else {
                throw CKError(.invalidArguments, reason: "A lookup info names nobody")
            }
            let request = UsersDiscover.Request(lookupInfos: wire)
            guard case .users(let response) = try await session.answer(to: .usersDiscover(request)) else {
                throw CKError.unexpectedAnswer
            }
            for user in response.users {
                guard let info = user.lookupInfo, let position = wire.firstIndex(of: info) else { continue }
                let lookupInfo = asked[position]
                report(Event(identity: CKUserIdentity(user, askedFor: lookupInfo), lookupInfo: lookupInfo))
            }
        }
    }
}

/// Finds the people of the user's address book.
struct AddressBookDiscovery: DatabaseRequest {
    func perform(in session: DatabaseSession, report: @Sendable (CKUserIdentity) -> Void) async throws(CKError) {
        _ = try await session.userRecordName()
        guard case .users(let response) = try await session.answer(to: .usersDiscover(nil)) else {
            throw CKError.unexpectedAnswer
        }
        for user in response.users { report(CKUserIdentity(user, askedFor: nil)) }
    }
}
