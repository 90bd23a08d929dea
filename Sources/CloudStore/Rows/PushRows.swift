/// In which of its databases somebody subscribed: the shared one is a view of its own here.
package enum SubscriptionScope: Int64, Sendable, Hashable, CaseIterable {
    case `public` = 1
    case `private` = 2
    case shared = 3
}

/// A subscription, whose content the store does not read.
package struct SubscriptionRow: Sendable, Hashable {
    package var scope: SubscriptionScope
    /// The record name of the user who subscribed.
    package var owner: String
    /// Unique in scope and owner.
    package var name: String
    package var content: [UInt8]

    package init(scope: SubscriptionScope, owner: String, name: String, content: [UInt8]) {
        self.scope = scope
        self.owner = owner
        self.name = name
        self.content = content
    }
}

/// An address for pushes.
package struct PushTokenRow: Sendable, Hashable {
    package var token: String
    /// The record name of the user whose pushes it gets.
    package var owner: String
    /// What the client calls itself; empty if nothing.
    package var client: String
    /// The native device that asked for it, which needs no push for what it saved itself; empty for others.
    package var device: String
    /// Milliseconds since 1970.
    package var created: Int64

    package init(token: String, owner: String, client: String = "", device: String = "", created: Int64) {
        self.token = token
        self.owner = owner
        self.client = client
        self.device = device
        self.created = created
    }
}
