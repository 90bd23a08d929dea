import Foundation
import FoundationNetworking

struct Answer: Sendable {
    var status: Int
    var text: String
    var body: [String: JSONValue]
}

enum JSONValue: Decodable, Sendable, Equatable {
    case text(String)
    case other

    init(from decoder: any Decoder) throws {
        self = (try? decoder.singleValueContainer().decode(String.self)).map(JSONValue.text) ?? .other
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }
}

func ask(_ method: String, _ address: String, _ body: String? = nil) async throws -> Answer {
    var request = URLRequest(url: URL(string: address) ?? URL(fileURLWithPath: "/"))
    request.httpMethod = method
    request.httpBody = body.map { Data($0.utf8) }
    let (data, response) = try await URLSession.shared.data(for: request)
    return Answer(
        status: (response as? HTTPURLResponse)?.statusCode ?? 0, text: String(decoding: data, as: UTF8.self),
        body: (try? JSONDecoder().decode([String: JSONValue].self, from: data)) ?? [:])
}

/// The status of a call that only somebody signed in may make.
func statusOfCaller(_ server: Server, container: String, apiToken: String, account: String, password: String)
    async throws
    -> Int
{
    let session = try await ask(
        "POST", "\(server.url)/stratus/session", #"{"account":"\#(account)","password":"\#(password)"}"#)
    guard let token = session.body["webAuthToken"]?.text else { return session.status }
    let escaped = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return try await ask(
        "GET",
        "\(server.url)/database/1/\(container)/development/private/users/caller?ckAPIToken=\(apiToken)&ckWebAuthToken=\(escaped)"
    ).status
}
