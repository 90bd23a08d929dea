import CloudStore

/// What an operator does to a cloud: accounts, containers and API tokens.
///
/// Works on the store itself, so the same calls serve a command beside a running server and a console inside it. A server
/// that runs meanwhile notices within five seconds, the life of what it caches of them.
package struct Administration: Sendable {
    let store: CloudStore
    let clock: ServerClock
    let random: RandomSource

    package init(store: CloudStore, clock: ServerClock = .system, random: RandomSource = .system) {
        self.store = store
        self.clock = clock
        self.random = random
    }

    var control: ControlStore { store.control }
}

/// Why an operator's wish cannot be granted.
package enum AdministrationError: Error, Hashable, Sendable {
    case accountExists(String)
    case noAccount(String)
    case containerExists(String)
    case noContainer(String)
    case noToken(String)
    case noKey(String)
    case keyExists(String)
    /// Several keys begin with these characters, or one is in several containers.
    case ambiguousKey(String)
    /// Several tokens begin with these characters.
    case ambiguousToken(String)
    case noRole(String)
    /// A schema would delete this in the development environment, and nobody said that it may: sentences.
    case schemaLosesData([String])
    /// A schema would lose this in production, which it never may: sentences.
    case schemaRefused([String])
    /// A name or identifier that cannot be one, with the reason.
    case invalid(String)
}
