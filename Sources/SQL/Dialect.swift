/// Where the text of a table's definition or of a query has to differ between the engines.
package enum Dialect: Sendable {
    case sqlite
    case postgres

    /// The type of a column with bytes.
    package var blob: String { self == .sqlite ? "BLOB" : "BYTEA" }

    /// The type of a column with text, ordered by its UTF-8 bytes in both engines.
    package var text: String { self == .sqlite ? "TEXT" : "TEXT COLLATE \"C\"" }

    /// Ends a query whose rows are to stay locked until the transaction ends. SQLite's only writer needs none.
    package var forUpdate: String { self == .sqlite ? "" : " FOR UPDATE" }

    /// Ends the definition of a table that is stored in the order of its primary key.
    package var clustered: String { self == .sqlite ? " WITHOUT ROWID" : "" }
}
