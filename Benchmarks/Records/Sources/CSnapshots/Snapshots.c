// GRDB's snapshots call functions that Debian's SQLite is built without. Nothing here takes a snapshot, so these only let
// the program be linked, and fail if they are ever called.

#include "Snapshots.h"

int sqlite3_snapshot_get(void *db, const char *schema, void **snapshot) { return 1; }
int sqlite3_snapshot_open(void *db, const char *schema, void *snapshot) { return 1; }
int sqlite3_snapshot_cmp(void *first, void *second) { return 0; }
void sqlite3_snapshot_free(void *snapshot) {}
