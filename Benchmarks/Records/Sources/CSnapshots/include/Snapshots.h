#pragma once

int sqlite3_snapshot_get(void *db, const char *schema, void **snapshot);
int sqlite3_snapshot_open(void *db, const char *schema, void *snapshot);
int sqlite3_snapshot_cmp(void *first, void *second);
void sqlite3_snapshot_free(void *snapshot);
