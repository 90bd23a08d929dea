/// `POST tokens/create`: an address for pushes, and where they are fetched. [Apple:CreateTokens]
package enum TokensCreate {
    package struct Request: Sendable, Hashable {
        package var apnsEnvironment: CloudEnvironment
        package var clientID: String?

        package init(apnsEnvironment: CloudEnvironment, clientID: String? = nil) {
            self.apnsEnvironment = apnsEnvironment
            self.clientID = clientID
        }
    }

    package struct Response: Sendable, Hashable {
        package var apnsEnvironment: CloudEnvironment
        /// 64 hexadecimal characters.
        package var apnsToken: String
        /// Held open with GET, over and over; each answer is one notification. A secret of its own, good without other
        /// credentials. In the server's own process, just its path.
        package var webcourierURL: String

        package init(apnsEnvironment: CloudEnvironment, apnsToken: String, webcourierURL: String) {
            self.apnsEnvironment = apnsEnvironment
            self.apnsToken = apnsToken
            self.webcourierURL = webcourierURL
        }
    }
}

/// `POST tokens/register`: makes the caller the one whose pushes a token gets. [Apple:RegisterTokens]
package enum TokensRegister {
    package struct Request: Sendable, Hashable {
        package var apnsEnvironment: CloudEnvironment
        package var apnsToken: String
        package var clientID: String?

        package init(apnsEnvironment: CloudEnvironment, apnsToken: String, clientID: String? = nil) {
            self.apnsEnvironment = apnsEnvironment
            self.apnsToken = apnsToken
            self.clientID = clientID
        }
    }
}

/// The long poll: a GET on `webcourierURL`, answered with a notification as soon as there is one, and without when nothing
/// happened for the better part of a minute.
package enum CourierPoll {
    package struct Request: Sendable, Hashable {
        /// The last part of the path of `webcourierURL`.
        package var courierToken: String
        /// `ck.nid` of the last notification that arrived; empty for none so far. With it, a notification that got lost on
        /// the way comes again; without (nil, as Apple's clients), whatever was sent counts as arrived. Query parameter
        /// `after`.
        package var after: String?

        package init(courierToken: String, after: String? = nil) {
            self.courierToken = courierToken
            self.after = after
        }

        /// - Parameter webcourierURL: as `tokens/create` answered.
        package init(webcourierURL: String, after: String? = nil) {
            let path = webcourierURL.prefix { $0 != "?" && $0 != "#" }
            self.init(courierToken: path.split(separator: "/").last.map(String.init) ?? "", after: after)
        }
    }

    /// The path of a `webcourierURL`.
    package static func path(container: String, environment: CloudEnvironment, courierToken: String) -> String {
        "/stratus/courier/\(container)/\(environment.rawValue)/\(courierToken)"
    }
}
