import Foundation

// Finding people: only those who let others find them in this container.
extension CKContainer {
    private func identities(_ infos: [CKUserIdentity.LookupInfo]) async throws -> [UserDiscovery.Event] {
        try await UserDiscovery(lookupInfos: infos).collect(in: session(.public)).events
    }

    /// The people of the user's address book. There is none on Linux: nobody is found.
    public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
        try await AddressBookDiscovery().collect(in: session(.public)).events
    }

    public func discoverAllIdentities(completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void)
    {
        Callback.run({ try await self.allUserIdentitiesFromContacts() }, completionHandler)
    }

    /// The person, or nil where nobody is found.
    public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
        try await identities([CKUserIdentity.LookupInfo(emailAddress: email)]).first?.identity
    }

    public func discoverUserIdentity(
        withEmailAddress email: String, completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.userIdentity(forEmailAddress: email) }) {
            (result: Result<CKUserIdentity?, any Error>) in
            completionHandler((try? result.get()) ?? nil, result.failure)
        }
    }

    /// Those who are found, by what they were found.
    public func userIdentities(forEmailAddresses emails: [String]) async throws -> [String: CKUserIdentity] {
        let found = try await identities(emails.map { CKUserIdentity.LookupInfo(emailAddress: $0) })
        return found.reduce(into: [:]) { identities, found in
            if let key = found.lookupInfo.emailAddress { identities[key] = found.identity }
        }
    }

    public func discoverUserIdentities(
        forEmailAddresses emails: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        Callback.run({ try await self.userIdentities(forEmailAddresses: emails) }, result: completionHandler)
    }

    /// The person, or nil where nobody is found.
    public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
        try await identities([CKUserIdentity.LookupInfo(phoneNumber: phoneNumber)]).first?.identity
    }

    public func discoverUserIdentity(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.userIdentity(forPhoneNumber: phoneNumber) }) {
            (result: Result<CKUserIdentity?, any Error>) in
            completionHandler((try? result.get()) ?? nil, result.failure)
        }
    }

    /// Those who are found, by what they were found.
    public func userIdentities(forPhoneNumbers phoneNumbers: [String]) async throws -> [String: CKUserIdentity] {
        let found = try await identities(phoneNumbers.map { CKUserIdentity.LookupInfo(phoneNumber: $0) })
        return found.reduce(into: [:]) { identities, found in
            if let key = found.lookupInfo.phoneNumber { identities[key] = found.identity }
        }
    }

    public func discoverUserIdentities(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) {
        Callback.run({ try await self.userIdentities(forPhoneNumbers: phoneNumbers) }, result: completionHandler)
    }

    /// The person, or nil where nobody is found.
    public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKUserIdentity? {
        try await identities([CKUserIdentity.LookupInfo(userRecordID: userRecordID)]).first?.identity
    }

    public func discoverUserIdentity(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Callback.run({ try await self.userIdentity(forUserRecordID: userRecordID) }) {
            (result: Result<CKUserIdentity?, any Error>) in
            completionHandler((try? result.get()) ?? nil, result.failure)
        }
    }

    /// Those who are found, by what they were found.
    public func userIdentities(forUserRecordIDs userRecordIDs: [CKRecord.ID]) async throws -> [CKRecord.ID:
        CKUserIdentity]
    {
        let found = try await identities(userRecordIDs.map { CKUserIdentity.LookupInfo(userRecordID: $0) })
        return found.reduce(into: [:]) { identities, found in
            if let key = found.lookupInfo.userRecordID { identities[key] = found.identity }
        }
    }

    public func discoverUserIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
    ) {
        Callback.run({ try await self.userIdentities(forUserRecordIDs: userRecordIDs) }, result: completionHandler)
    }
}
