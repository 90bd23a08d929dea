// PostgresSQL: PostgreSQL behind the protocols of SQL.
//
// A module of its own so that what needs only SQLite (an app's store) does not link libpq. It must not know any table or who
// calls.
