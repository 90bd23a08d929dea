import Foundation

/// What devices need of a Stratus server.
extension Stratus {
    /// What tells an app where the cloud is and who it is.
    func environment(_ account: String) -> [String: String] {
        [
            "STRATUS_URL": "http://127.0.0.1:\(process.port)", "STRATUS_API_TOKEN": apiToken,
            "STRATUS_ACCOUNT": account, "STRATUS_PASSWORD": Self.password, "STRATUS_CONTAINER": Self.container,
        ]
    }

    /// The subscription that sync engines make.
    func subscribe(account: String = "bench") -> HTTPQuestion {
        post(
            "subscriptions/modify",
            #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"CKSyncEngine","subscriptionType":"database","notificationInfo":{"shouldSendContentAvailable":true}}}]}"#,
            account: account)
    }

    /// The request target of `changes/zone`.
    func changesTarget(_ account: String) -> String { post("changes/zone", "", account: account).path }

    /// Addresses for the pushes of so many devices.
    func pushTargets(_ count: Int, account: String = "bench") throws -> [String] {
        let question = HTTPQuestion(
            "POST", post("tokens/create", "", account: account).path, body: #"{"apnsEnvironment":"development"}"#)
        let connection = try HTTPConnection(port: process.port)
        return try (0..<count).map { _ in
            let answer = try connection.ask(question)
            guard answer.status == 200,
                let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any],
                let address = object["webcourierURL"] as? String, let url = URL(string: address)
            else {
                throw HTTPConnection.Failure(
                    description: "tokens/create: \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
            }
            return url.path
        }
    }
}
