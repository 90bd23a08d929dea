/// The answer of `GET users/caller` and `users/current`: a flat object, with a `users` array beside it for the readers that
/// follow the archived page. [Apple:FetchCurrentUserIdentity]
package struct UserResponse: Sendable, Hashable {
    package var userRecordName: String
    package var firstName: String?
    package var lastName: String?
    package var emailAddress: String?

    package init(
        userRecordName: String, firstName: String? = nil, lastName: String? = nil, emailAddress: String? = nil
    ) {
        self.userRecordName = userRecordName
        self.firstName = firstName
        self.lastName = lastName
        self.emailAddress = emailAddress
    }
}
