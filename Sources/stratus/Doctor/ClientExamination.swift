import Foundation

/// Looks at this machine as an app's: its configuration, its way to the cloud, its container.
struct ClientExamination {
    var arguments: Arguments
    private var variables: [String: String] { arguments.variables }

    init(_ arguments: Arguments) {
        self.arguments = arguments
    }

    func findings() -> [Finding] {
        let file = CredentialsFile.location(variables)
        let hasFile = FileManager.default.fileExists(atPath: file.path)
        guard hasFile || variables["STRATUS_URL"]?.isEmpty == false else { return [] }
        var findings = hasFile ? secrecy(file) : []
        do {
            let settings = try ClientSettings(variables)
            findings.append(
                .ok("app settings", "\(settings.account ?? "a web token") at \(settings.url), from \(settings.source).")
            )
            findings += token(settings)
            findings += reach(settings)
        } catch {
            let failure = Failure(error)
            findings.append(
                .problem(
                    "app settings", failure.message, consequence: "apps find no cloud, or nobody is signed in.",
                    remedy: failure.remedy ?? "stratus login"))
        }
        return findings
    }

    private func secrecy(_ file: URL) -> [Finding] {
        guard let mode = CredentialsFile.mode(file), mode & 0o077 != 0 else { return [] }
        return [
            .warning(
                "credentials", "\(file.path) can be read by other users (mode \(String(mode, radix: 8))).",
                consequence: "who reads it is signed in as you.", remedy: "chmod 600 \(file.path)")
        ]
    }

    private func token(_ settings: ClientSettings) -> [Finding] {
        guard let token = settings.apiToken else {
            return [
                .problem(
                    "API token", "there is none.", consequence: "the cloud refuses every request.",
                    remedy: "set STRATUS_API_TOKEN, or sign in with `stratus login --api-token …`.")
            ]
        }
        guard token.count == 64, token.allSatisfy(\.isHexDigit) else {
            return [
                .problem(
                    "API token", "it is not 64 hexadecimal digits.", consequence: "the cloud refuses every request.",
                    remedy: "copy it again from `stratus token create`.")
            ]
        }
        return []
    }

    private func reach(_ settings: ClientSettings) -> [Finding] {
        let response: HTTPClient.Response
        let http: HTTPClient
        do {
            http = try HTTPClient(settings.url, authorities: arguments.value("authority"))
            response = try http.send("GET", "/stratus/health")
        } catch {
            let failure = Failure(error)
            return [
                .problem(
                    "cloud", failure.message, consequence: "apps are offline.",
                    remedy: failure.remedy ?? "check the address and the network.")
            ]
        }
        guard response.status == 200 else {
            return [
                .problem(
                    "cloud", "\(settings.url) answers its health check with status \(response.status).",
                    consequence: "apps cannot rely on it.", remedy: "look at the server's log; run doctor there.")
            ]
        }
        var findings: [Finding] = [.ok("cloud", "\(settings.url) answers.")]
        if let skew = skew(response) { findings.append(skew) }
        return findings + container(settings, http)
    }

    private func skew(_ response: HTTPClient.Response) -> Finding? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard let theirs = response.headers["date"].flatMap(format.date(from:)) else { return nil }
        let seconds = Int(Date().timeIntervalSince(theirs).rounded())
        guard abs(seconds) > 120 else { return nil }
        return .warning(
            "clock", "this machine is \(abs(seconds)) seconds \(seconds > 0 ? "ahead of" : "behind") the cloud.",
            consequence: "edits seem older or newer than they are.", remedy: "sudo timedatectl set-ntp true")
    }

    private func container(_ settings: ClientSettings, _ http: HTTPClient) -> [Finding] {
        let entitled = EntitlementsFiles.containers(in: URL(filePath: FileManager.default.currentDirectoryPath))
        guard let container = arguments.value("container") ?? entitled.first else { return [] }
        var findings: [Finding] = []
        if let named = arguments.value("container"), !entitled.isEmpty, !entitled.contains(named) {
            findings.append(
                .warning(
                    "container", "STRATUS_CONTAINER is \(named), and the entitlements here name \(entitled[0]).",
                    consequence: "CKContainer.default() is another container than on Apple's systems.",
                    remedy: "unset STRATUS_CONTAINER, or correct the .entitlements file."))
        }
        guard let apiToken = settings.apiToken else { return findings }
        do {
            let client = SessionClient(http: http)
            var token = settings.webAuthToken
            if token == nil, let account = settings.account, let password = settings.password {
                token = try client.signIn(account: account, password: password).webAuthToken
            }
            guard let token else { return findings }
            let person = try client.caller(
                container: container, environment: settings.environment, apiToken: apiToken, webAuthToken: token)
            findings.append(
                .ok("container", "\(container) (\(settings.environment)) knows you as \(person.userRecordName)."))
        } catch {
            let failure = Failure(error)
            findings.append(
                .problem(
                    "container", "\(container) (\(settings.environment)) refuses: \(failure.message)",
                    consequence: "apps get CKError.notAuthenticated or badContainer.",
                    remedy: failure.code == .refused
                        ? "the API token may be of another container or environment, or the sign-in is too old: "
                            + "stratus token create \(container) --environment \(settings.environment); stratus login"
                        : failure.remedy ?? "stratus container create \(container)"))
        }
        return findings
    }
}

/// The `.entitlements` files of an app's folder.
enum EntitlementsFiles {
    static func containers(in folder: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".entitlements") }.sorted().flatMap { name -> [String] in
            guard let data = FileManager.default.contents(atPath: folder.appending(path: name).path),
                let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            else { return [] }
            return list["com.apple.developer.icloud-container-identifiers"] as? [String] ?? []
        }
    }
}
