/// A person who can sign in.
package struct AccountRow: Sendable, Equatable {
    package var id: String
    /// What they sign in with; unique.
    package var name: String
    package var passwordHash: String?
    /// Milliseconds since 1970.
    package var created: Int64
    /// Raised to sign out everywhere: a token of an older generation is void.
    package var generation: Int64
    package var firstName: String?
    package var lastName: String?

    package init(
        id: String, name: String, passwordHash: String? = nil, created: Int64, generation: Int64 = 1,
        firstName: String? = nil, lastName: String? = nil
    ) {
        self.id = id
        self.name = name
        self.passwordHash = passwordHash
        self.created = created
        self.generation = generation
        self.firstName = firstName
        self.lastName = lastName
    }
}

/// One sign-in.
package struct SessionRow: Sendable, Equatable {
    package var id: String
    /// The account's id.
    package var account: String
    /// Milliseconds since 1970.
    package var created: Int64
    package var expires: Int64
    package var revoked: Bool

    package init(id: String, account: String, created: Int64, expires: Int64, revoked: Bool = false) {
        self.id = id
        self.account = account
        self.created = created
        self.expires = expires
        self.revoked = revoked
    }
}

/// An API token, which names an app's container and environment. Only its hash is kept.
package struct APITokenRow: Sendable, Equatable {
    package var tokenHash: [UInt8]
    package var container: String
    package var environment: String
    /// The web origins that may use it, with spaces between; empty for all. The store does not read them.
    package var origins: String
    /// Where a browser goes after a sign-in; empty where the page that opened the sign-in is told.
    package var callback: String
    package var note: String
    /// Milliseconds since 1970.
    package var created: Int64
    /// The token's first characters, for people to tell tokens apart.
    package var prefix: String

    package init(
        tokenHash: [UInt8], container: String, environment: String, origins: String = "", callback: String = "",
        note: String = "", created: Int64, prefix: String
    ) {
        self.tokenHash = tokenHash
        self.container = container
        self.environment = environment
        self.origins = origins
        self.callback = callback
        self.note = note
        self.created = created
        self.prefix = prefix
    }
}

/// A key with which another server signs its requests. Only the public half is here.
package struct ServerKeyRow: Sendable, Equatable {
    /// 64 hexadecimal digits; the same key has the same in every container.
    package var id: String
    package var container: String
    package var environment: String
    /// Opaque to the store.
    package var publicKey: [UInt8]
    package var note: String
    /// Milliseconds since 1970.
    package var created: Int64

    package init(
        id: String, container: String, environment: String, publicKey: [UInt8], note: String = "", created: Int64
    ) {
        self.id = id
        self.container = container
        self.environment = environment
        self.publicKey = publicKey
        self.note = note
        self.created = created
    }
}

/// A container that was registered.
package struct RegisteredContainerRow: Sendable, Equatable {
    package var identifier: String
    /// Milliseconds since 1970.
    package var created: Int64
    /// How long its requests stay in the request log, in milliseconds; nil is as long as the server's setting says.
    package var requestLogLife: Int64?

    package init(identifier: String, created: Int64, requestLogLife: Int64? = nil) {
        self.identifier = identifier
        self.created = created
        self.requestLogLife = requestLogLife
    }
}
