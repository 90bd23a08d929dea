import WebServices

extension CloudServer {
    /// Counts and logs the outcome of a request.
    func note(_ request: RequestInProgress, _ outcome: Result<Answer, ServerError>) {}
}
