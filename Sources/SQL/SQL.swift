// SQL: the thinnest layer over SQLite and (in PostgresSQL) PostgreSQL that lets one SQL text serve both.
//
// A `Connection` prepares `Statement`s; a statement binds by position (`?1`, `?2`, …) and reads columns by index, typed.
// What differs between the engines is named by `Dialect`. It knows connections, statements and errors; it must not know any
// table, the cloud, or who calls: no pools, no threads, no retries.
