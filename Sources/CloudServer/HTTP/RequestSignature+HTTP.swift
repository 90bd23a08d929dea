import Cryptography
import WebServices

extension RequestSignature {
    /// The signature of a request; nil where none of its headers is there.
    ///
    /// What is signed is `{date}:{hash of the body}:{path}`. Clients differ: some sign the query with the path and some do
    /// not, and for a request without a body some sign the hash of nothing and some leave it out.
    init?(_ request: HTTPRequest) {
        let keyID = request.headers["X-Apple-CloudKit-Request-KeyID"]
        let signature = request.headers["X-Apple-CloudKit-Request-SignatureV1"]
        let date = request.headers["X-Apple-CloudKit-Request-ISO8601Date"]
        guard keyID != nil || signature != nil || date != nil else { return nil }
        let hash = Base64.encode(SHA256.hash(request.body))
        var paths = [request.path]
        if !request.query.raw.isEmpty { paths.insert("\(request.path)?\(request.query.raw)", at: 0) }
        let hashes = request.body.isEmpty ? [hash, ""] : [hash]
        let messages = paths.flatMap { path in hashes.map { Array("\(date ?? ""):\($0):\(path)".utf8) } }
        self.init(keyID: keyID ?? "", date: date ?? "", signature: signature ?? "", messages: messages)
    }
}
