import Dispatch
import Synchronization
import Testing

@testable import CloudServer

extension Router {
    /// Sends a request as a browser would, and waits for its answer.
    func send(
        _ method: String, _ target: String, _ body: String = "", headers: [(String, String)] = [],
        from address: [UInt8]? = nil
    ) throws -> HTTPResponse {
        let headers = [("Host", "cloud.example")] + headers
        let request = try #require(
            HTTPRequest(
                method: method, target: target, headers: HTTPHeaders(headers), body: Array(body.utf8),
                remoteAddress: address.map { HTTPAddress(bytes: $0, port: 4000) }))
        let box = Mutex<HTTPResponse?>(nil)
        let answered = DispatchSemaphore(value: 0)
        handle(request) { response in
            box.withLock { $0 = response }
            answered.signal()
        }
        answered.wait()
        return try #require(box.withLock { $0 })
    }
}

extension HTTPResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The hidden fields of a page's forms, in order.
    var hiddenFields: [(name: String, value: String)] {
        text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/).map { (String($0.1), String($0.2)) }
    }

    var hiddenForm: String { hiddenFields.map { "\($0.name)=\($0.value)" }.joined(separator: "&") }

    /// What a browser sends back of a cookie that this answer sets.
    func newCookie(_ name: String) throws -> String {
        let set = headers.filter { $0.0 == "Set-Cookie" }.map(\.1)
        let cookie = try #require(set.first { $0.hasPrefix("\(name)=") })
        return String(cookie.prefix { $0 != ";" })
    }
}
