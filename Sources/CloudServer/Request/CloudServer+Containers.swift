import CloudStore
import WebServices

extension CloudServer {
    /// The store of a call's container and environment.
    ///
    /// A container must be registered, unless the configuration lets those of the development environment come into being
    /// on first use.
    func openContainer(_ call: Call) throws -> ContainerStore {
        let identifier = call.container
        guard Self.isContainerIdentifier(identifier) else { throw ServerError.unknownContainer(identifier) }
        let mayCreate = configuration.createsContainersOnFirstUse && call.environment == .development
        let isRegistered = try registeredContainers.value(identifier, now: clock.now()) {
            if mayCreate {
                _ = try store.control.insertContainer(identifier, created: clock.now())
                return true
            }
            return try store.control.containers().contains { $0.identifier == identifier } ? true : nil
        }
        guard isRegistered == true,
            let container = try store.container(identifier, call.environment.rawValue, create: true)
        else { throw ServerError.unknownContainer(identifier) }
        return container
    }

    /// Letters, digits, dots, hyphens and underscores, as all real identifiers are made of.
    static func isContainerIdentifier(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= Limits.nameLength && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { character in
                switch character {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension ServerError {
    /// Apple documents no answer for this; its framework calls it `badContainer`.
    static func unknownContainer(_ identifier: String) -> ServerError {
        ServerError(
            .notFound, "There is no container '\(identifier.prefix(Limits.nameLength))' on this server",
            extensionCode: .badContainer)
    }
}
