/// An answer with its whole body.
package struct HTTPResponse: Sendable {
    /// From 200 to 599.
    package var status: Int
    /// Names and values. `Content-Length`, `Date` and `Connection` are the server's.
    package var headers: [(String, String)]
    /// Sent without being copied when it is large. Not sent in answer to `HEAD`, whose length is told nevertheless.
    package var body: [UInt8]
    /// Sent in place of `body`, a piece at a time as the client takes it.
    package var file: HTTPFile?

    package init(status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// An answer of JSON.
    package static func json(
        _ body: [UInt8], status: Int = 200, headers: [(String, String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "application/json; charset=UTF-8")] + headers, body: body)
    }
}
