import CloudStore
import WebServices

/// `GET users/caller` and `GET users/current`: who the web token belongs to. [Apple:FetchCurrentUserIdentity]
///
/// It reads, but for the first time: then it makes the user's record.
struct UsersCallerEndpoint: ReadingEndpoint, WritingEndpoint {
    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer {
        let answer = try answer(context)
        guard try UserRecord.isThere(context, reader) else { throw NeedsWriter(endpoint: self) }
        return answer
    }

    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer {
        try UserRecord.make(context, writer)
        return try answer(context)
    }

    private func answer(_ context: RequestContext) throws(ServerError) -> Answer {
        guard let user = context.caller.user else {
            throw ServerError(.authenticationRequired, "request needs authorization")
        }
        return .user(
            UserResponse(
                userRecordName: user.recordName, firstName: user.firstName, lastName: user.lastName,
                emailAddress: user.emailAddress))
    }
}
