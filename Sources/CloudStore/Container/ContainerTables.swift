import SQL

extension TableSet {
    /// The tables of a container's environment. On PostgreSQL all of them share a database, and every key begins with its
    /// tenant: the container, or a zone, whose id no other has.
    static let container = TableSet(
        name: "container store", version: 5, applicationID: 0x5374_7243,
        statements: { dialect in
            zoneTables(dialect) + recordTables(dialect) + schemaTables(dialect) + pushTables(dialect)
                + encryptionTables(dialect) + roleTables(dialect) + assetTables(dialect)
        },
        upgrades: [2: pushTables, 3: encryptionTables, 4: roleTables, 5: assetTables])

    /// Since version 5: files, and which records refer to them.
    @Sendable private static func assetTables(_ dialect: Dialect) -> [String] {
        let (text, blob) = (dialect.text, dialect.blob)
        return [
            """
            CREATE TABLE asset (
                container BIGINT NOT NULL, scope BIGINT NOT NULL, owner \(text) NOT NULL, digest \(blob) NOT NULL,
                id \(blob) NOT NULL, size BIGINT NOT NULL, reference_count BIGINT NOT NULL, expires BIGINT NOT NULL,
                PRIMARY KEY (container, id), UNIQUE (container, scope, owner, digest))
            """,
            "CREATE INDEX asset_expiry ON asset (container, expires) WHERE reference_count = 0",
            "CREATE INDEX asset_unused ON asset (container, scope, owner) WHERE reference_count = 0",
            """
            CREATE TABLE asset_reference (
                zone BIGINT NOT NULL, record BIGINT NOT NULL, asset \(blob) NOT NULL,
                PRIMARY KEY (zone, record, asset))\(dialect.clustered)
            """,
        ]
    }

    /// Since version 4: grants of record types, roles, and who has them.
    @Sendable private static func roleTables(_ dialect: Dialect) -> [String] {
        [
            "ALTER TABLE record_type ADD COLUMN grants \(dialect.text)",
            """
            CREATE TABLE security_role (
                container BIGINT NOT NULL, name \(dialect.text) NOT NULL, PRIMARY KEY (container, name))
            """,
            // By person first: that is how a request asks.
            """
            CREATE TABLE role_member (
                container BIGINT NOT NULL, owner \(dialect.text) NOT NULL, role \(dialect.text) NOT NULL,
                PRIMARY KEY (container, owner, role))
            """,
        ]
    }

    /// Since version 3: keys of zones, and what they seal.
    @Sendable private static func encryptionTables(_ dialect: Dialect) -> [String] {
        let nothing = dialect == .sqlite ? "x''" : "'\\x'::bytea"
        return [
            "ALTER TABLE record ADD COLUMN sealed \(dialect.blob) NOT NULL DEFAULT \(nothing)",
            """
            CREATE TABLE zone_key (
                container BIGINT NOT NULL, zone BIGINT NOT NULL, wrapping_key \(dialect.text) NOT NULL,
                wrapped \(dialect.blob) NOT NULL, PRIMARY KEY (container, zone))
            """,
            "CREATE INDEX zone_key_wrapping_key ON zone_key (container, wrapping_key, zone)",
        ]
    }

    /// Since version 2.
    @Sendable private static func pushTables(_ dialect: Dialect) -> [String] {
        let (text, blob) = (dialect.text, dialect.blob)
        return [
            """
            CREATE TABLE subscription (
                container BIGINT NOT NULL, scope BIGINT NOT NULL, owner \(text) NOT NULL, name \(text) NOT NULL,
                content \(blob) NOT NULL, PRIMARY KEY (container, scope, owner, name))
            """,
            """
            CREATE TABLE push_token (
                container BIGINT NOT NULL, token \(text) NOT NULL, owner \(text) NOT NULL, client \(text) NOT NULL,
                device \(text) NOT NULL, created BIGINT NOT NULL, PRIMARY KEY (container, token))
            """,
            "CREATE INDEX push_token_owner ON push_token (container, owner)",
        ]
    }

    private static func zoneTables(_ dialect: Dialect) -> [String] {
        let (text, sqlite) = (dialect.text, dialect == .sqlite)
        var statements = [
            """
            CREATE TABLE zone (
                id \(sqlite ? "INTEGER PRIMARY KEY" : "BIGINT NOT NULL"),
                container BIGINT NOT NULL, scope BIGINT NOT NULL, owner \(text) NOT NULL, name \(text) NOT NULL,
                incarnation BIGINT NOT NULL, incarnation_start BIGINT NOT NULL, sequence BIGINT NOT NULL,
                horizon BIGINT NOT NULL, created BIGINT NOT NULL, record_count BIGINT NOT NULL, byte_count BIGINT NOT NULL,
                \(sqlite ? "UNIQUE" : "PRIMARY KEY") (container, scope, owner, name))
            """,
            """
            CREATE TABLE deleted_zone (
                container BIGINT NOT NULL, scope BIGINT NOT NULL, owner \(text) NOT NULL, id BIGINT NOT NULL,
                name \(text) NOT NULL, reason BIGINT NOT NULL, deleted_at BIGINT NOT NULL, purged BIGINT NOT NULL,
                PRIMARY KEY (container, scope, owner, id))\(dialect.clustered)
            """,
            "CREATE INDEX deleted_zone_contents ON deleted_zone (container, id) WHERE purged = 0",
            """
            CREATE TABLE owner_usage (
                container BIGINT NOT NULL, scope BIGINT NOT NULL, owner \(text) NOT NULL, stripe BIGINT NOT NULL,
                record_count BIGINT NOT NULL, byte_count BIGINT NOT NULL,
                PRIMARY KEY (container, scope, owner, stripe))\(dialect.clustered)
            """,
            """
            CREATE TABLE token_state (
                container BIGINT NOT NULL, digest \(dialect.blob) NOT NULL, content \(dialect.blob) NOT NULL,
                expires BIGINT NOT NULL, PRIMARY KEY (container, digest))
            """,
            """
            CREATE TABLE meta (
                container BIGINT NOT NULL, name \(text) NOT NULL, value BIGINT NOT NULL,
                PRIMARY KEY (container, name))\(dialect.clustered)
            """,
        ]
        if !sqlite { statements.append("CREATE INDEX zone_id ON zone (id)") }
        return statements
    }

    private static func recordTables(_ dialect: Dialect) -> [String] {
        let (text, blob, sqlite) = (dialect.text, dialect.blob, dialect == .sqlite)
        return [
            """
            CREATE TABLE record (
                id \(sqlite ? "INTEGER PRIMARY KEY" : "BIGINT NOT NULL"),
                zone BIGINT NOT NULL, name \(text) NOT NULL, type BIGINT NOT NULL, sequence BIGINT NOT NULL,
                tag BIGINT NOT NULL, created_sequence BIGINT NOT NULL, created BIGINT NOT NULL, creator \(text) NOT NULL,
                created_device \(text) NOT NULL, modified BIGINT NOT NULL, modifier \(text) NOT NULL,
                modified_device \(text) NOT NULL, parent \(text), deleted BIGINT NOT NULL, body \(blob) NOT NULL,
                \(sqlite ? "" : "PRIMARY KEY (zone, id), ")UNIQUE (zone, name))
            """,
            // `<> 0` rather than `> 0`: a query has to repeat the condition, and SQLite must not take it for the range's start.
            "CREATE INDEX record_change ON record (zone, sequence) WHERE sequence <> 0",
            "CREATE INDEX record_tombstone ON record (zone, sequence) WHERE deleted = 1",
            """
            CREATE TABLE index_entry (
                zone BIGINT NOT NULL, field BIGINT NOT NULL, value \(blob) NOT NULL, record BIGINT NOT NULL,
                PRIMARY KEY (zone, field, value, record))\(dialect.clustered)
            """,
            """
            CREATE TABLE reference (
                zone BIGINT NOT NULL, target \(text) NOT NULL, action BIGINT NOT NULL, source BIGINT NOT NULL,
                PRIMARY KEY (zone, target, action, source))\(dialect.clustered)
            """,
        ]
    }

    private static func schemaTables(_ dialect: Dialect) -> [String] {
        [
            """
            CREATE TABLE record_type (
                container BIGINT NOT NULL, id BIGINT NOT NULL, name \(dialect.text) NOT NULL,
                PRIMARY KEY (container, id), UNIQUE (container, name))
            """,
            """
            CREATE TABLE field (
                container BIGINT NOT NULL, id BIGINT NOT NULL, type BIGINT NOT NULL, name \(dialect.text) NOT NULL,
                kind BIGINT NOT NULL, flags BIGINT NOT NULL,
                PRIMARY KEY (container, id), UNIQUE (container, type, name))
            """,
        ]
    }
}
