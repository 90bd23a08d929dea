import Foundation

extension Command {
    private static let authority = Option.value(
        "authority", "FILE", "Certificates to trust besides the system's, for a cloud with one of its own.")

    static let login = Command(
        name: "login",
        summary: "Sign this machine's apps in to a cloud",
        discussion: """
            Proves the account to the cloud and writes the address, the API token and a web token to \
            ~/.config/stratus/credentials.json (or to the file in STRATUS_CREDENTIALS), which apps that import CloudKit \
            then use. The file can only be read by its owner.
            """,
        options: [
            .value("url", "URL", "The cloud's address."),
            .value("account", "NAME", "Who signs in; asked for when absent."),
        ] + PasswordPrompt.options + [
            .value("api-token", "TOKEN", "The API token of the app's container, from `stratus token create`."),
            .value(
                "environment", "NAME", "development or production: which environment of a container apps use.",
                fallback: "development"),
            authority, .json,
        ],
        examples: [
            Example(
                line: "stratus login --url https://cloud.example.com --account alice --api-token 5f0c…",
                meaning: "Asks for the password and writes the credentials file."),
            Example(
                line: "STRATUS_PASSWORD=… stratus login --url http://127.0.0.1:8484 --account alice --json",
                meaning: "The same from a script."),
        ],
        run: runLogin)

    static let logout = Command(
        name: "logout",
        summary: "Sign this machine's apps out",
        discussion: """
            Ends the session at the cloud and removes the credentials file. Without an answer from the cloud the file is \
            removed all the same, and the session there ends by itself when it expires.
            """,
        options: [authority, .json],
        run: runLogout)

    static let whoami = Command(
        name: "whoami",
        summary: "Say which cloud and account this machine's apps use",
        discussion: """
            Looks where an app would look: the environment variables STRATUS_URL, STRATUS_API_TOKEN, \
            STRATUS_WEB_AUTH_TOKEN or STRATUS_ACCOUNT with STRATUS_PASSWORD and STRATUS_ENVIRONMENT, then the credentials \
            file. With a container it also asks the cloud, and prints the user record name that the container knows.
            """,
        options: [
            .value("container", "IDENTIFIER", "The container in which to ask."),
            authority, .json,
        ],
        examples: [
            Example(
                line: "stratus whoami --container iCloud.com.example.fieldnotes",
                meaning: "Prints the account and its user record name there.")
        ],
        run: runWhoAmI)
}

private struct WhoAmI: Encodable {
    var url: String
    var account: String?
    var environment: String
    var source: String
    var container: String?
    var userRecordName: String?
}

@Sendable private func runLogin(_ arguments: Arguments) throws -> ExitCode {
    guard let address = arguments.value("url") else {
        throw Failure(.usage, "`stratus login` needs the address of a cloud.", remedy: "Give --url or set STRATUS_URL.")
    }
    let environment = try environmentName(arguments)
    let http = try HTTPClient(address, authorities: arguments.value("authority"))
    var name = arguments.value("account")
    if name == nil, isatty(0) == 1 {
        Terminal.prompt("Account: ")
        name = readLine()
    }
    guard let name, !name.isEmpty else {
        throw Failure(.usage, "`stratus login` needs the name of an account.", remedy: "Give --account NAME.")
    }
    let password = try PasswordPrompt.read(arguments, "Password of \(name)")
    let signedIn = try SessionClient(http: http).signIn(account: name, password: password)
    let file = CredentialsFile.location(arguments.variables)
    try CredentialsFile(
        url: address, apiToken: arguments.value("api-token"), account: name, webAuthToken: signedIn.webAuthToken,
        environment: environment
    ).write(file)
    if try arguments.flag("json") {
        Terminal.print(
            JSON.text(WhoAmI(url: address, account: name, environment: environment, source: file.path)))
    } else {
        Terminal.print("Signed in to \(address) as \(name); apps find it in \(file.path)")
        if arguments.value("api-token") == nil {
            Terminal.print("No API token was given: apps also need STRATUS_API_TOKEN.")
        }
    }
    return .success
}

@Sendable private func runLogout(_ arguments: Arguments) throws -> ExitCode {
    let file = CredentialsFile.location(arguments.variables)
    guard FileManager.default.fileExists(atPath: file.path) else {
        throw Failure(.notFound, "Nobody is signed in: there is no \(file.path).")
    }
    var notice: String?
    // A file that nobody can read is removed all the same.
    if let credentials = try? CredentialsFile.read(file), let token = credentials.webAuthToken {
        do {
            let http = try HTTPClient(credentials.url, authorities: arguments.value("authority"))
            try SessionClient(http: http).signOut(webAuthToken: token)
        } catch let failure as Failure {
            notice = "The cloud was not told: \(failure.message)"
        }
    }
    guard unlink(file.path) == 0 else {
        throw Failure(.failure, "\(file.path) cannot be removed: \(String(cString: strerror(errno))).")
    }
    if try arguments.flag("json") {
        Terminal.print(JSON.text(["removed": file.path]))
    } else {
        Terminal.print("Signed out; \(file.path) is gone")
        if let notice { Terminal.error(notice) }
    }
    return .success
}

@Sendable private func runWhoAmI(_ arguments: Arguments) throws -> ExitCode {
    let resolved = try ClientSettings(arguments.variables)
    var answer = WhoAmI(
        url: resolved.url, account: resolved.account, environment: resolved.environment, source: resolved.source,
        container: arguments.value("container"))
    if let container = answer.container {
        guard let apiToken = resolved.apiToken else {
            throw Failure(.refused, "There is no API token to ask with.", remedy: "Set STRATUS_API_TOKEN.")
        }
        let client = SessionClient(
            http: try HTTPClient(resolved.url, authorities: arguments.value("authority")))
        var token = resolved.webAuthToken
        if token == nil, let account = resolved.account, let password = resolved.password {
            token = try client.signIn(account: account, password: password).webAuthToken
        }
        guard let token else { throw Failure(.refused, "Nobody is signed in.", remedy: "stratus login") }
        answer.userRecordName = try client.caller(
            container: container, environment: resolved.environment, apiToken: apiToken, webAuthToken: token
        ).userRecordName
    }
    if try arguments.flag("json") {
        Terminal.print(JSON.text(answer))
    } else {
        Terminal.print("\(answer.account ?? "somebody (a web token)") at \(answer.url), \(answer.environment)")
        Terminal.print("from \(answer.source)")
        if let container = answer.container, let name = answer.userRecordName {
            Terminal.print("\(name) in \(container)")
        }
    }
    return .success
}

func environmentName(_ arguments: Arguments) throws -> String {
    let name = arguments.value("environment") ?? "development"
    guard ["development", "production"].contains(name) else {
        throw Failure(.usage, "There is no environment “\(name)”.", remedy: "Use development or production.")
    }
    return name
}
