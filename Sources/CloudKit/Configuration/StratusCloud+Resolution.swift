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
        if let token = variables["STRATUS_WEB_AUTH_TOKEN"] {
            cloud.account = .webAuthToken(token)
        } else if let account = variables["STRATUS_ACCOUNT"] {
            guard let password = variables["STRATUS_PASSWORD"] else {
                throw CKError(.notAuthenticated, reason: "STRATUS_ACCOUNT is set without STRATUS_PASSWORD")
            }
            cloud.account = .password(account: account, password: password)
        } else if let trusted {
            if let token = trusted.webAuthToken { cloud.account = .webAuthToken(token) }
            cloud.credentialsFile = file
            cloud.accountName = trusted.account
        }
        return cloud
    }
}
