/// What people are looked up by: one of the three.
package enum LookupInfo: Sendable, Hashable {
    case emailAddress(String)
    case phoneNumber(String)
    case userRecordName(String)
}

/// A person as another one may see them.
package struct UserIdentity: Sendable, Hashable {
    package var userRecordName: String
    package var firstName: String?
    package var lastName: String?
    /// By what they were found.
    package var lookupInfo: LookupInfo?

    package init(
        userRecordName: String, firstName: String? = nil, lastName: String? = nil, lookupInfo: LookupInfo? = nil
    ) {
        self.userRecordName = userRecordName
        self.firstName = firstName
        self.lastName = lastName
        self.lookupInfo = lookupInfo
    }
}

/// `users/discover` and `users/lookup/…`: finding people who let themselves be found. Whoever is not found is missing in the
/// answer. [Apple:DiscoveringUserIdentities]
package enum UsersDiscover {
    package struct Request: Sendable, Hashable {
        package var lookupInfos: [LookupInfo]

        package init(lookupInfos: [LookupInfo]) {
            self.lookupInfos = lookupInfos
        }
    }

    package struct Response: Sendable, Hashable {
        package var users: [UserIdentity]

        package init(users: [UserIdentity]) {
            self.users = users
        }
    }
}

/// `users/permission`, an addition for our own framework: whether the caller lets others find them in this container.
package enum UsersPermission {
    package enum Status: String, Sendable, Hashable {
        case initial, granted, denied
    }

    package struct Request: Sendable, Hashable {
        /// Grants it, unless its person has refused; else only asks.
        package var requests: Bool

        package init(requests: Bool) {
            self.requests = requests
        }
    }
}
