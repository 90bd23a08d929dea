/// Who makes a request, once the credentials are checked.
package enum Caller: Sendable {
    /// Only an API token: may read what the public database gives to the world.
    case anonymous
    case user(User)

    package struct User: Sendable, Hashable {
        /// The name of this person in this container: other containers know another one.
        package var recordName: String
        /// Identifier of the account, the same in all containers.
        package var account: String
        package var firstName: String?
        package var lastName: String?
        package var emailAddress: String?

        package init(
            recordName: String, account: String, firstName: String? = nil, lastName: String? = nil,
            emailAddress: String? = nil
        ) {
            self.recordName = recordName
            self.account = account
            self.firstName = firstName
            self.lastName = lastName
            self.emailAddress = emailAddress
        }
    }

    package var user: User? {
        if case .user(let user) = self { user } else { nil }
    }
}
