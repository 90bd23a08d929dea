// OldLayouts: the tables that earlier programs made, as they made them.
//
// Written down from the history rather than taken from the store, whose own texts move on. What a later layout added is
// a step of its own here, since that is how it came to be.

import SQL

/// The statements that make a database of an older layout.
package enum OldLayouts {
    /// The present layouts, which these lead up to.
    package static let present = (control: 4, container: 5)

    /// - Parameter version: from 1 to the present one.
    package static func control(_ version: Int, _ dialect: Dialect) -> [String] {
        statements(controlSteps, version, dialect)
            + (dialect == .sqlite
                ? ["PRAGMA application_id = \(0x5374_7253)", "PRAGMA user_version = \(version)"] : [])
    }

    /// - Parameter version: from 1 to the present one.
    package static func container(_ version: Int, _ dialect: Dialect) -> [String] {
        statements(containerSteps, version, dialect)
            + (dialect == .sqlite
                ? ["PRAGMA application_id = \(0x5374_7243)", "PRAGMA user_version = \(version)"] : [])
    }

    /// What PostgreSQL keeps in place of SQLite's pragmas.
    package static func postgresVersions(control: Int, container: Int) -> [String] {
        [
            "CREATE TABLE store_version (name TEXT PRIMARY KEY, version BIGINT NOT NULL)",
            "INSERT INTO store_version VALUES ('control store', \(control)), ('container store', \(container))",
        ]
    }

    /// Bytes as they stand in a statement.
    package static func literal(_ bytes: [UInt8], _ dialect: Dialect) -> String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return dialect == .sqlite ? "x'\(digits)'" : "'\\x\(digits)'::bytea"
    }

    private static func statements(_ steps: [String], _ version: Int, _ dialect: Dialect) -> [String] {
        let isSQLite = dialect == .sqlite
        return steps.prefix(version).flatMap { step in
            step.split(separator: ";").map { statement in
                var text = String(statement)
                for (name, sqlite, postgres) in words {
                    text = text.replacing(name, with: isSQLite ? sqlite : postgres)
                }
                return text
            }
        }.filter { $0.contains { !$0.isWhitespace } }
    }

    /// Where the engines' statements differed.
    private static let words = [
        ("$ROWID", "INTEGER PRIMARY KEY", "BIGINT NOT NULL"), ("$TEXT", "TEXT", "TEXT COLLATE \"C\""),
        ("$BLOB", "BLOB", "BYTEA"), ("$CLUSTERED", " WITHOUT ROWID", ""), ("$NOTHING", "x''", "'\\x'::bytea"),
        ("$ZONEKEY", "UNIQUE", "PRIMARY KEY"), ("$RECORDKEY", "", "PRIMARY KEY (zone, id),"),
        // SQLite finds a zone by its row; PostgreSQL needs an index.
        ("$ZONEINDEX", "", "CREATE INDEX zone_id ON zone (id)"),
    ]

    private static let controlSteps = [
        """
        CREATE TABLE account (
            id $TEXT NOT NULL PRIMARY KEY, name $TEXT NOT NULL UNIQUE, password_hash $TEXT,
            created BIGINT NOT NULL, generation BIGINT NOT NULL, first_name $TEXT, last_name $TEXT);
        CREATE TABLE session (
            id $TEXT NOT NULL PRIMARY KEY, account $TEXT NOT NULL, created BIGINT NOT NULL,
            expires BIGINT NOT NULL, revoked BIGINT NOT NULL);
        CREATE INDEX session_account ON session (account);
        CREATE INDEX session_expires ON session (expires);
        CREATE TABLE api_token (
            token_hash $BLOB NOT NULL PRIMARY KEY, container $TEXT NOT NULL, environment $TEXT NOT NULL,
            origins $TEXT NOT NULL, note $TEXT NOT NULL, created BIGINT NOT NULL, prefix $TEXT NOT NULL);
        CREATE TABLE container (identifier $TEXT NOT NULL PRIMARY KEY, created BIGINT NOT NULL, request_log_life BIGINT);
        CREATE TABLE tenant (
            identifier $TEXT NOT NULL, environment $TEXT NOT NULL, id BIGINT NOT NULL,
            PRIMARY KEY (identifier, environment));
        CREATE TABLE setting (name $TEXT NOT NULL PRIMARY KEY, value $BLOB NOT NULL)
        """,
        """
        CREATE TABLE server_key (
            id $TEXT NOT NULL, container $TEXT NOT NULL, environment $TEXT NOT NULL,
            public_key $BLOB NOT NULL, note $TEXT NOT NULL, created BIGINT NOT NULL,
            PRIMARY KEY (id, container, environment))
        """,
        "ALTER TABLE api_token ADD COLUMN callback $TEXT NOT NULL DEFAULT ''",
        """
        CREATE TABLE discoverability (
            container $TEXT NOT NULL, user_name $TEXT NOT NULL, account $TEXT NOT NULL, granted BIGINT NOT NULL,
            PRIMARY KEY (container, user_name));
        CREATE INDEX discoverability_account ON discoverability (account)
        """,
    ]

    private static let containerSteps = [
        """
        CREATE TABLE zone (
            id $ROWID, container BIGINT NOT NULL, scope BIGINT NOT NULL, owner $TEXT NOT NULL, name $TEXT NOT NULL,
            incarnation BIGINT NOT NULL, incarnation_start BIGINT NOT NULL, sequence BIGINT NOT NULL,
            horizon BIGINT NOT NULL, created BIGINT NOT NULL, record_count BIGINT NOT NULL, byte_count BIGINT NOT NULL,
            $ZONEKEY (container, scope, owner, name));
        CREATE TABLE deleted_zone (
            container BIGINT NOT NULL, scope BIGINT NOT NULL, owner $TEXT NOT NULL, id BIGINT NOT NULL,
            name $TEXT NOT NULL, reason BIGINT NOT NULL, deleted_at BIGINT NOT NULL, purged BIGINT NOT NULL,
            PRIMARY KEY (container, scope, owner, id))$CLUSTERED;
        CREATE INDEX deleted_zone_contents ON deleted_zone (container, id) WHERE purged = 0;
        CREATE TABLE owner_usage (
            container BIGINT NOT NULL, scope BIGINT NOT NULL, owner $TEXT NOT NULL, stripe BIGINT NOT NULL,
            record_count BIGINT NOT NULL, byte_count BIGINT NOT NULL,
            PRIMARY KEY (container, scope, owner, stripe))$CLUSTERED;
        CREATE TABLE token_state (
            container BIGINT NOT NULL, digest $BLOB NOT NULL, content $BLOB NOT NULL, expires BIGINT NOT NULL,
            PRIMARY KEY (container, digest));
        CREATE TABLE meta (
            container BIGINT NOT NULL, name $TEXT NOT NULL, value BIGINT NOT NULL,
            PRIMARY KEY (container, name))$CLUSTERED;
        $ZONEINDEX;
        CREATE TABLE record (
            id $ROWID, zone BIGINT NOT NULL, name $TEXT NOT NULL, type BIGINT NOT NULL, sequence BIGINT NOT NULL,
            tag BIGINT NOT NULL, created_sequence BIGINT NOT NULL, created BIGINT NOT NULL, creator $TEXT NOT NULL,
            created_device $TEXT NOT NULL, modified BIGINT NOT NULL, modifier $TEXT NOT NULL,
            modified_device $TEXT NOT NULL, parent $TEXT, deleted BIGINT NOT NULL, body $BLOB NOT NULL,
            $RECORDKEY UNIQUE (zone, name));
        CREATE INDEX record_change ON record (zone, sequence) WHERE sequence <> 0;
        CREATE INDEX record_tombstone ON record (zone, sequence) WHERE deleted = 1;
        CREATE TABLE index_entry (
            zone BIGINT NOT NULL, field BIGINT NOT NULL, value $BLOB NOT NULL, record BIGINT NOT NULL,
            PRIMARY KEY (zone, field, value, record))$CLUSTERED;
        CREATE TABLE reference (
            zone BIGINT NOT NULL, target $TEXT NOT NULL, action BIGINT NOT NULL, source BIGINT NOT NULL,
            PRIMARY KEY (zone, target, action, source))$CLUSTERED;
        CREATE TABLE record_type (
            container BIGINT NOT NULL, id BIGINT NOT NULL, name $TEXT NOT NULL,
            PRIMARY KEY (container, id), UNIQUE (container, name));
        CREATE TABLE field (
            container BIGINT NOT NULL, id BIGINT NOT NULL, type BIGINT NOT NULL, name $TEXT NOT NULL,
            kind BIGINT NOT NULL, flags BIGINT NOT NULL, PRIMARY KEY (container, id), UNIQUE (container, type, name))
        """,
        """
        CREATE TABLE subscription (
            container BIGINT NOT NULL, scope BIGINT NOT NULL, owner $TEXT NOT NULL, name $TEXT NOT NULL,
            content $BLOB NOT NULL, PRIMARY KEY (container, scope, owner, name));
        CREATE TABLE push_token (
            container BIGINT NOT NULL, token $TEXT NOT NULL, owner $TEXT NOT NULL, client $TEXT NOT NULL,
            device $TEXT NOT NULL, created BIGINT NOT NULL, PRIMARY KEY (container, token));
        CREATE INDEX push_token_owner ON push_token (container, owner)
        """,
        """
        ALTER TABLE record ADD COLUMN sealed $BLOB NOT NULL DEFAULT $NOTHING;
        CREATE TABLE zone_key (
            container BIGINT NOT NULL, zone BIGINT NOT NULL, wrapping_key $TEXT NOT NULL,
            wrapped $BLOB NOT NULL, PRIMARY KEY (container, zone));
        CREATE INDEX zone_key_wrapping_key ON zone_key (container, wrapping_key, zone)
        """,
        """
        ALTER TABLE record_type ADD COLUMN grants $TEXT;
        CREATE TABLE security_role (
            container BIGINT NOT NULL, name $TEXT NOT NULL, PRIMARY KEY (container, name));
        CREATE TABLE role_member (
            container BIGINT NOT NULL, owner $TEXT NOT NULL, role $TEXT NOT NULL,
            PRIMARY KEY (container, owner, role))
        """,
        """
        CREATE TABLE asset (
            container BIGINT NOT NULL, scope BIGINT NOT NULL, owner $TEXT NOT NULL, digest $BLOB NOT NULL,
            id $BLOB NOT NULL, size BIGINT NOT NULL, reference_count BIGINT NOT NULL, expires BIGINT NOT NULL,
            PRIMARY KEY (container, id), UNIQUE (container, scope, owner, digest));
        CREATE INDEX asset_expiry ON asset (container, expires) WHERE reference_count = 0;
        CREATE INDEX asset_unused ON asset (container, scope, owner) WHERE reference_count = 0;
        CREATE TABLE asset_reference (
            zone BIGINT NOT NULL, record BIGINT NOT NULL, asset $BLOB NOT NULL,
            PRIMARY KEY (zone, record, asset))$CLUSTERED
        """,
    ]
}
