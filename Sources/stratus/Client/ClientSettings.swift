import Foundation

/// Which cloud and account an app on this machine would use, found in CloudKit's way.
struct ClientSettings: Sendable {
    var url: String
    var apiToken: String?
    var account: String?
    var password: String?
    var webAuthToken: String?
    var environment: String
    /// For people: where this was found.
    var source: String

    init(_ variables: [String: String]) throws {
        let file = CredentialsFile.location(variables)
        let stored = try CredentialsFile.read(file)
        func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard let url = variable("STRATUS_URL") ?? stored?.url else {
            throw Failure(
                .notFound, "No cloud is configured: STRATUS_URL is not set and there is no \(file.path).",
                remedy: "stratus login --url …   or   stratus dev")
        }
        self.url = url
        // Tokens of one cloud are not shown to another.
        let trusted = stored?.url == url ? stored : nil
        apiToken = variable("STRATUS_API_TOKEN") ?? trusted?.apiToken
        environment = variable("STRATUS_ENVIRONMENT") ?? trusted?.environment ?? "development"
        source = variable("STRATUS_URL") == nil ? file.path : "the environment"
        if let token = variable("STRATUS_WEB_AUTH_TOKEN") {
            webAuthToken = token
        } else if let name = variable("STRATUS_ACCOUNT") {
            account = name
            password = variables["STRATUS_PASSWORD"]
        } else if let token = trusted?.webAuthToken {
            webAuthToken = token
            account = trusted?.account
        }
        guard account != nil || webAuthToken != nil else {
            throw Failure(
                .refused, "\(url) is configured, and nobody is signed in there.",
                remedy: "stratus login, or set STRATUS_ACCOUNT and STRATUS_PASSWORD")
        }
    }
}
