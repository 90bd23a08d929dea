import CloudServer
import Foundation

/// A line for each request on standard error: time, method, path, status, duration, size. Never a token, nor the
/// query, which holds them.
enum AccessLog {
    static func wrap(_ handler: @escaping HTTPHandler) -> HTTPHandler {
        { request, respond in
            let began = ContinuousClock.now
            handler(request) { response in
                let milliseconds = (ContinuousClock.now - began) / .milliseconds(1)
                Terminal.error(line(request, response, milliseconds))
                respond(response)
            }
        }
    }

    private static func line(_ request: HTTPRequest, _ response: HTTPResponse, _ milliseconds: Double) -> String {
        let tenths = Int((milliseconds * 10).rounded())
        return
            "\(Date().formatted(.iso8601)) \(harmless(request.method)) \(harmless(path(of: request))) \(response.status) "
            + "\(tenths / 10).\(tenths % 10) ms \(response.file.map { Int($0.length) } ?? response.body.count) bytes"
    }

    /// Without the token in the address of a long poll, `/stratus/courier/{container}/{environment}/{token}`, or of a file,
    /// `/stratus/assets/{action}/{container}/{environment}/{token}[/{name}]`.
    private static func path(of request: HTTPRequest) -> String {
        let plain: Int
        switch request.pathComponents.prefix(2) {
        case ["stratus", "courier"]: plain = 5
        case ["stratus", "assets"]: plain = 6
        default: return request.path
        }
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.prefix(plain).joined(separator: "/") + (parts.count > plain ? "/…" : "")
    }

    /// What a stranger wrote must not end the line or steer the terminal, which the controls beyond ASCII do as well.
    private static func harmless(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.value > 32 && !(127...159).contains($0.value) }))
    }
}
