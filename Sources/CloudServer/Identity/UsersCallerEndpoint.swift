import WebServices

/// `GET users/caller` and `GET users/current`: who the web token belongs to. [Apple:FetchCurrentUserIdentity]
struct UsersCallerEndpoint: StatelessEndpoint {
    func run(_ context: RequestContext) throws(ServerError) -> Answer {
        guard let user = context.caller.user else {
            throw ServerError(.authenticationRequired, "request needs authorization")
        }
        return .user(
            UserResponse(
                userRecordName: user.recordName, firstName: user.firstName, lastName: user.lastName,
                emailAddress: user.emailAddress))
    }
}
