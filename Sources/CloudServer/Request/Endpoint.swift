import CloudStore
import WebServices

/// One call of the protocol that only reads: a synchronous value, made from the request.
///
/// What `run` throws becomes the error of the whole request: a `ServerError` as it is, anything else (the store's) as
/// `INTERNAL_ERROR` or `TRY_AGAIN_LATER`.
package protocol ReadingEndpoint: Sendable {
    func run(_ context: RequestContext, _ reader: ContainerReader) throws -> Answer
}

/// One call of the protocol that may write. It runs on the store's writer, inside a savepoint of a transaction that it
/// shares with other requests: it must be short, and what it throws undoes all it did.
package protocol WritingEndpoint: Sendable {
    func run(_ context: RequestContext, _ writer: ContainerWriter) throws -> Answer
}

/// One call that needs nothing of the container's store.
package protocol StatelessEndpoint: Sendable {
    func run(_ context: RequestContext) throws -> Answer
}

/// How an operation is run.
enum RoutedEndpoint {
    case reads(any ReadingEndpoint)
    case writes(any WritingEndpoint)
    case stateless(any StatelessEndpoint)
}
