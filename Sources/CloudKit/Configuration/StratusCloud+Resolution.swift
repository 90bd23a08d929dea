import Foundation

extension StratusCloud {
    /// Reads the environment variables and the credentials file; a variable wins over the file.
    ///
    /// A token from the file is used only for the server that the file names: a variable that points elsewhere must not
    /// send it there.
    package static func resolved(
        from variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CKError) -> StratusCloud {
        let file = CredentialsFile.path(from: variables)
        let stored = try CredentialsFile.read(file)
        let address = variables["STRATUS_URL"].flatMap { $0.isEmpty ? nil : $0 } ?? stored?.url
        guard let address else {
            throw CKError(
                .missingEntitlement,
                reason:
                    "No cloud is configured: set STRATUS_URL, or run `stratus login`, or use CKContainer(identifier:cloud:)"
            )
        }
        guard let url = URL(string: address), let scheme = url.scheme?.lowercased(), url.host != nil,
            scheme == "http" || scheme == "https"
        else {
            throw CKError(.invalidArguments, reason: "STRATUS_URL is not an http or https address: \(address)")
        }
        let trusted = stored?.url == address ? stored : nil
        var cloud = StratusCloud(url: url)
        cloud.apiToken = variables["STRATUS_API_TOKEN"] ?? trusted?.apiToken
        let name = variables["STRATUS_ENVIRONMENT"] ?? trusted?.environment ?? Environment.development.rawValue
        guard let environment = Environment(rawValue: name) else {
            throw CKError(.invalidArguments, reason: "STRATUS_ENVIRONMENT is development or production, not \(name)")
        }
        cloud.environment = environment
        if let name = variables["STRATUS_SERVICE"] ?? trusted?.service {
            guard let service = Service(rawValue: name) else {
                throw CKError(.invalidArguments, reason: "STRATUS_SERVICE is stratus or cloudkit, not \(name)")
            }
            cloud.service = service
        }
        if let id = variables["STRATUS_KEY_ID"] {
            guard let key = variables["STRATUS_PRIVATE_KEY"] else {
                throw CKError(.notAuthenticated, reason: "STRATUS_KEY_ID is set without STRATUS_PRIVATE_KEY")
            }
            cloud.apiToken = nil
            cloud.account = .serverKey(id: id, privateKey: try privateKey(key))
        } else if let token = variables["STRATUS_WEB_AUTH_TOKEN"] {
            cloud.account = .webAuthToken(token)
        } else if let account = variables["STRATUS_ACCOUNT"] {
            guard let password = variables["STRATUS_PASSWORD"] else {
                throw CKError(.notAuthenticated, reason: "STRATUS_ACCOUNT is set without STRATUS_PASSWORD")
            }
            cloud.account = .password(account: account, password: password)
        } else {
            if let token = trusted?.webAuthToken { cloud.account = .webAuthToken(token) }
            cloud.credentialsFile = file
            cloud.accountName = trusted?.account
        }
        return cloud
    }

    /// The variable's text is the key itself or the path of its file.
    private static func privateKey(_ text: String) throws(CKError) -> String {
        if text.contains("-----BEGIN") { return text }
        do {
            return try String(contentsOfFile: text, encoding: .utf8)
        } catch {
            throw CKError(
                .notAuthenticated,
                reason: "STRATUS_PRIVATE_KEY is neither a key (PEM) nor the path of one that can be read: \(error)")
        }
    }
}
