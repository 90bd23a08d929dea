import Foundation
import Testing

@testable import CloudKit

@Suite("Which server and account") struct CloudResolutionTests {
    /// A folder that is gone after the test.
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("CloudKitTests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func code(_ body: () throws -> Void) -> CKError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CKError)?.code
        }
    }

    @Test("The environment names server, account and environment")
    func environment() throws {
        let none = ["STRATUS_CREDENTIALS": "/nonexistent/credentials.json"]
        let cloud = try StratusCloud.resolved(
            from: none.merging([
                "STRATUS_URL": "https://cloud.example.com", "STRATUS_API_TOKEN": "abc", "STRATUS_ACCOUNT": "alice",
                "STRATUS_PASSWORD": "secret", "STRATUS_ENVIRONMENT": "production",
            ]) { $1 })
        #expect(cloud.url.absoluteString == "https://cloud.example.com")
        #expect(cloud.apiToken == "abc")
        #expect(cloud.account == .password(account: "alice", password: "secret"))
        #expect(cloud.environment == .production)
    }

    @Test("What is missing or malformed is said")
    func errors() {
        let none = ["STRATUS_CREDENTIALS": "/nonexistent/credentials.json"]
        #expect(code { _ = try StratusCloud.resolved(from: none) } == .missingEntitlement)
        for (name, value) in [("STRATUS_URL", "nonsense"), ("STRATUS_URL", "ftp://a"), ("STRATUS_ENVIRONMENT", "test")]
        {
            let variables = none.merging(["STRATUS_URL": "http://a"]) { $1 }.merging([name: value]) { $1 }
            #expect(code { _ = try StratusCloud.resolved(from: variables) } == .invalidArguments)
        }
        let half = none.merging(["STRATUS_URL": "http://a", "STRATUS_ACCOUNT": "alice"]) { $1 }
        #expect(code { _ = try StratusCloud.resolved(from: half) } == .notAuthenticated)
    }

    @Test("The credentials file fills in, and a variable wins over it")
    func file() throws {
        try inFolder { folder in
            let file = folder.appendingPathComponent("credentials.json")
            try CredentialsFile(
                url: "http://127.0.0.1:8080", apiToken: "t", account: "alice", webAuthToken: "w",
                environment: "production"
            ).write(to: file)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o600)
            let cloud = try StratusCloud.resolved(from: ["STRATUS_CREDENTIALS": file.path])
            #expect(cloud.account == .webAuthToken("w"))
            #expect(cloud.credentialsFile == file)
            #expect(cloud.environment == .production)
            let other = try StratusCloud.resolved(
                from: ["STRATUS_CREDENTIALS": file.path, "STRATUS_WEB_AUTH_TOKEN": "x"])
            #expect(other.account == .webAuthToken("x"))
            #expect(other.credentialsFile == nil)
        }
    }

    @Test("A stored token is never sent to another server than its own")
    func elsewhere() throws {
        try inFolder { folder in
            let file = folder.appendingPathComponent("credentials.json")
            try CredentialsFile(url: "http://one", apiToken: "t", webAuthToken: "w").write(to: file)
            let cloud = try StratusCloud.resolved(
                from: ["STRATUS_CREDENTIALS": file.path, "STRATUS_URL": "http://two"])
            #expect(cloud.account == .none)
            #expect(cloud.apiToken == nil)
        }
    }

    @Test("A damaged credentials file is an error, not an absent account")
    func damaged() throws {
        try inFolder { folder in
            let file = folder.appendingPathComponent("credentials.json")
            try Data("{".utf8).write(to: file)
            #expect(
                code { _ = try StratusCloud.resolved(from: ["STRATUS_CREDENTIALS": file.path]) } == .notAuthenticated)
        }
    }

    @Test("The default container is the variable's, else the first of the entitlements")
    func entitlements() throws {
        try inFolder { folder in
            #expect(Entitlements.firstContainer(variables: [:], folders: [folder]) == nil)
            let list: [String: Any] = [Entitlements.containersKey: ["iCloud.one", "iCloud.two"]]
            try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
                .write(to: folder.appendingPathComponent("App.entitlements"))
            #expect(Entitlements.firstContainer(variables: [:], folders: [folder]) == "iCloud.one")
            let variables = ["STRATUS_CONTAINER": "iCloud.three"]
            #expect(Entitlements.firstContainer(variables: variables, folders: [folder]) == "iCloud.three")
        }
    }

    @Test("A refreshed token goes back to the file that the old one came from")
    func writeBack() throws {
        try inFolder { folder in
            let file = folder.appendingPathComponent("credentials.json")
            try CredentialsFile(url: "http://one", apiToken: "t", account: "alice", webAuthToken: "w").write(to: file)
            let cloud = try StratusCloud.resolved(from: ["STRATUS_CREDENTIALS": file.path])
            try CloudConnection(cloud).account.rotate(to: "fresh")
            let stored = try CredentialsFile.read(file)
            #expect(stored?.webAuthToken == "fresh")
            #expect(stored?.account == "alice")
        }
    }
}

@Suite("Which service, and a server's key") struct ServiceResolutionTests {
    private let none = ["STRATUS_CREDENTIALS": "/nonexistent/credentials.json"]

    private func resolved(_ variables: [String: String]) throws -> StratusCloud {
        try StratusCloud.resolved(from: none.merging(variables) { $1 })
    }

    @Test("Apple's address is Apple's service, and another one's may be said")
    func service() throws {
        #expect(try resolved(["STRATUS_URL": "https://api.apple-cloudkit.com"]).service == .cloudKit)
        #expect(try resolved(["STRATUS_URL": "https://cloud.example.com"]).service == .stratus)
        #expect(try resolved(["STRATUS_URL": "https://apple-cloudkit.com.example"]).service == .stratus)
        let said = ["STRATUS_URL": "https://cloud.example.com", "STRATUS_SERVICE": "cloudkit"]
        #expect(try resolved(said).service == .cloudKit)
        #expect(throws: CKError.self) {
            try resolved(["STRATUS_URL": "https://cloud.example.com", "STRATUS_SERVICE": "icloud"])
        }
    }

    @Test("A server's key is in the variable or in the file that it names, and no API token goes with it")
    func serverKey() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("key-\(UUID().uuidString).pem")
        let key = "-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----"
        try Data(key.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let base = ["STRATUS_URL": "https://api.apple-cloudkit.com", "STRATUS_API_TOKEN": "t", "STRATUS_KEY_ID": "k"]
        for text in [key, file.path] {
            let cloud = try resolved(base.merging(["STRATUS_PRIVATE_KEY": text]) { $1 })
            #expect(cloud.account == .serverKey(id: "k", privateKey: key))
            #expect(cloud.apiToken == nil)
        }
        for text in [nil, "/nonexistent/key.pem"] {
            let variables = text.map { base.merging(["STRATUS_PRIVATE_KEY": $0]) { $1 } } ?? base
            let error = #expect(throws: CKError.self) { try resolved(variables) }
            #expect(error?.code == .notAuthenticated)
        }
    }
}
