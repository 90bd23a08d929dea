import Foundation

/// The program's own conversation with a cloud: signing in, signing out, asking who one is.
struct SessionClient: Sendable {
    var http: HTTPClient

    struct SignedIn: Decodable, Sendable {
        var webAuthToken: String
    }

    struct Person: Decodable, Sendable {
        var userRecordName: String
        var firstName: String?
        var lastName: String?
        var emailAddress: String?
    }

    private struct Refusal: Decodable {
        var serverErrorCode: String?
        var reason: String?
        var retryAfter: Double?
    }

    func signIn(account: String, password: String) throws -> SignedIn {
        struct Request: Encodable {
            var account: String
            var password: String
            var keepSignedIn = true
        }
        let body = try JSONEncoder().encode(Request(account: account, password: password))
        return try decode(http.send("POST", "/stratus/session", body: Array(body)), SignedIn.self)
    }

    /// Ends the session of a token at the server.
    func signOut(webAuthToken: String) throws {
        let response = try http.send("DELETE", "/stratus/session", query: [("ckWebAuthToken", webAuthToken)])
        guard (200..<300).contains(response.status) || response.status == 401 || response.status == 421 else {
            throw refusal(response)
        }
    }

    func caller(container: String, environment: String, apiToken: String, webAuthToken: String) throws -> Person {
        let path = "/database/1/\(container)/\(environment)/public/users/caller"
        return try decode(
            http.send("GET", path, query: [("ckAPIToken", apiToken), ("ckWebAuthToken", webAuthToken)]), Person.self)
    }

    private func decode<Value: Decodable>(_ response: HTTPClient.Response, _ type: Value.Type) throws -> Value {
        guard response.status == 200 else { throw refusal(response) }
        do {
            return try JSONDecoder().decode(type, from: Data(response.body))
        } catch {
            throw Failure(
                .unreachable, "What answers at \(http.url) is no Stratus cloud.", remedy: "Check the address.")
        }
    }

    private func refusal(_ response: HTTPClient.Response) -> Failure {
        let told = try? JSONDecoder().decode(Refusal.self, from: Data(response.body))
        switch told?.serverErrorCode {
        case "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED":
            return Failure(.refused, told?.reason.map { "\($0)." } ?? "The cloud does not know these credentials.")
        case "THROTTLED":
            let seconds = Int((told?.retryAfter ?? 30).rounded(.up))
            return Failure(.refused, "Too many attempts.", remedy: "Try again in \(seconds) seconds.")
        case let code?:
            return Failure(.failure, "The cloud answered \(code): \(told?.reason ?? "no reason given").")
        case nil:
            return Failure(
                .unreachable, "What answers at \(http.url) is no Stratus cloud (HTTP status \(response.status)).",
                remedy: "Check the address.")
        }
    }
}
