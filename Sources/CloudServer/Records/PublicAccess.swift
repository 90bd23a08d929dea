import CloudStore
import SchemaLanguage
import WebServices

/// What the caller of a request may do in the public database: what record types grant to the caller's roles.
/// [Apple:schema]
struct PublicAccess: Sendable {
    /// The caller's record name; nil for one who has not signed in.
    let user: String?
    /// All but `_creator`, which depends on the record.
    private let roles: Set<String>

    init(_ context: RequestContext, _ schema: Schema, _ reader: ContainerReader) throws {
        try self.init(user: context.caller.user?.recordName, schema, reader)
    }

    /// - Parameter user: the caller's record name; nil for one who has not signed in.
    init(user: String?, _ schema: Schema, _ reader: ContainerReader) throws {
        self.user = user
        var roles: Set<String> = [SystemRole.world]
        if let user {
            roles.insert(SystemRole.icloud)
            if schema.grantsRoles { roles.formUnion(try reader.roles(of: user)) }
        }
        self.roles = roles
    }

    /// Permissions add up: nothing that one role has is taken away by another.
    func permissions(_ grants: [String: Permissions], isCreator: Bool) -> Permissions {
        var all: Permissions = []
        for (role, permissions) in grants where roles.contains(role) || (isCreator && role == SystemRole.creator) {
            all.formUnion(permissions)
        }
        return all
    }

    func permissions(for row: RecordRow, _ schema: Schema) -> Permissions {
        let isCreator = user != nil && row.creator == user
        return permissions(schema.type(row.type)?.grants ?? [:], isCreator: isCreator)
    }

    /// - Throws: `ACCESS_DENIED`.
    func check(_ permission: Permissions, _ row: RecordRow, _ schema: Schema) throws(ServerError) {
        guard permissions(for: row, schema).contains(permission) else { throw .notPermitted(permission.text) }
    }

    /// Nobody is the creator of what is not there yet, so CREATE granted to `_creator` alone lets nobody create. But a
    /// person's own user record counts as there before it is first saved, and as its person's.
    ///
    /// - Throws: `ACCESS_DENIED`.
    func checkCreating(_ recordName: String, _ grants: [String: Permissions]) throws(ServerError) {
        if let user, recordName == user {
            guard permissions(grants, isCreator: true).contains(.write) else { throw .notPermitted("WRITE") }
            return
        }
        guard permissions(grants, isCreator: false).contains(.create) else { throw .notPermitted("CREATE") }
    }
}

extension Schema {
    /// Who may do what with records of a type, also of one that only comes into being.
    func grants(ofType name: String) -> [String: Permissions] {
        type(named: name)?.grants ?? StoredGrants.permissions(nil, ofType: name)
    }
}

extension ServerError {
    /// - Parameter permission: `READ`, `CREATE` or `WRITE`.
    static func notPermitted(_ permission: String) -> ServerError {
        ServerError(.accessDenied, "\(permission) operation not permitted")
    }
}
