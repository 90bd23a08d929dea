#include "CRawSQLite.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct raw_sqlite {
    sqlite3 *db;
    sqlite3_stmt *record, *entry, *zone, *page;
    long long sequence;
    char page_buffer[1 << 20];
};

static const char *tables =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
    "CREATE TABLE zone (id INTEGER PRIMARY KEY, sequence BIGINT, record_count BIGINT, byte_count BIGINT);"
    "INSERT INTO zone VALUES (1, 0, 0, 0);"
    "CREATE TABLE record (id INTEGER PRIMARY KEY, zone BIGINT NOT NULL, name TEXT NOT NULL, type BIGINT NOT NULL,"
    " sequence BIGINT NOT NULL, tag BIGINT NOT NULL, created_sequence BIGINT NOT NULL, created BIGINT NOT NULL,"
    " creator TEXT NOT NULL, created_device TEXT NOT NULL, modified BIGINT NOT NULL, modifier TEXT NOT NULL,"
    " modified_device TEXT NOT NULL, parent TEXT, deleted BIGINT NOT NULL, body BLOB NOT NULL, UNIQUE (zone, name));"
    "CREATE INDEX record_change ON record (zone, sequence) WHERE sequence <> 0;"
    "CREATE INDEX record_tombstone ON record (zone, sequence) WHERE deleted = 1;"
    "CREATE TABLE index_entry (zone BIGINT NOT NULL, field BIGINT NOT NULL, value BLOB NOT NULL, record BIGINT NOT NULL,"
    " PRIMARY KEY (zone, field, value, record)) WITHOUT ROWID;";

int raw_sqlite_open(const char *path, raw_sqlite **out) {
    raw_sqlite *store = calloc(1, sizeof *store);
    if (!store) return SQLITE_NOMEM;
    int code = sqlite3_open(path, &store->db);
    if (code == SQLITE_OK) code = sqlite3_exec(store->db, tables, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(
            store->db, "INSERT INTO record VALUES (NULL,1,?1,1,?2,?2,?2,?3,?4,'web',?3,?4,'web',NULL,0,?5)", -1, &store->record, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(store->db, "INSERT INTO index_entry VALUES (1,?1,?2,?3)", -1, &store->entry, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(
            store->db, "UPDATE zone SET sequence=?1, record_count=record_count+?2, byte_count=byte_count+?3 WHERE id=1", -1,
            &store->zone, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(
            store->db,
            "SELECT name, sequence, created, creator, modified, modifier, body FROM record"
            " WHERE zone=1 AND sequence>?1 AND sequence<>0 ORDER BY sequence LIMIT ?2",
            -1, &store->page, NULL);
    if (code != SQLITE_OK) {
        raw_sqlite_close(store);
        return code;
    }
    *out = store;
    return SQLITE_OK;
}

void raw_sqlite_close(raw_sqlite *store) {
    if (!store) return;
    sqlite3_finalize(store->record);
    sqlite3_finalize(store->entry);
    sqlite3_finalize(store->zone);
    sqlite3_finalize(store->page);
    sqlite3_close(store->db);
    free(store);
}

static int index_entry(raw_sqlite *store, int field, const void *value, int length, long long record) {
    sqlite3_bind_int(store->entry, 1, field);
    sqlite3_bind_blob(store->entry, 2, value, length, SQLITE_STATIC);
    sqlite3_bind_int64(store->entry, 3, record);
    int code = sqlite3_step(store->entry);
    sqlite3_reset(store->entry);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

// Whole numbers in the order of their bytes.
static void ordered(unsigned char out[8], long long number) {
    unsigned long long bits = (unsigned long long)number ^ 0x8000000000000000ull;
    for (int i = 7; i >= 0; i--, bits >>= 8) out[i] = (unsigned char)bits;
}

static int save_one(raw_sqlite *store, long long number, long long *bytes) {
    char name[64], text[501], body[1024];
    snprintf(name, sizeof name, "raw-%lld", number);
    int seed = snprintf(text, sizeof text, "%llx", (unsigned long long)(number * 2654435761u & 0xFFFFFFFFu));
    memset(text + seed, 'x', 500 - seed);
    text[500] = 0;
    long long at = 1700000000000 + number;
    int length = snprintf(
        body, sizeof body,
        "%64s\"text\":{\"value\":\"%s\",\"type\":\"STRING\"},\"count\":{\"value\":%lld,\"type\":\"INT64\"},"
        "\"at\":{\"value\":%lld,\"type\":\"TIMESTAMP\"}",
        "", text, number, at);
    long long sequence = ++store->sequence;
    sqlite3_bind_text(store->record, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(store->record, 2, sequence);
    sqlite3_bind_int64(store->record, 3, at);
    sqlite3_bind_text(store->record, 4, "_0123456789abcdef0123456789abcdef", -1, SQLITE_STATIC);
    sqlite3_bind_blob(store->record, 5, body, length, SQLITE_STATIC);
    int code = sqlite3_step(store->record);
    sqlite3_reset(store->record);
    if (code != SQLITE_DONE) return code;
    long long record = sqlite3_last_insert_rowid(store->db);
    unsigned char key[8];
    if ((code = index_entry(store, 1, text, 500, record))) return code;
    ordered(key, number);
    if ((code = index_entry(store, 2, key, 8, record))) return code;
    ordered(key, at);
    if ((code = index_entry(store, 3, key, 8, record))) return code;
    // Creation and modification time, which every record is indexed by.
    if ((code = index_entry(store, -17, key, 8, record))) return code;
    if ((code = index_entry(store, -18, key, 8, record))) return code;
    *bytes += length;
    return SQLITE_OK;
}

// The zone's sequence and sums, once a transaction.
static int update_zone(raw_sqlite *store, int count, long long bytes) {
    sqlite3_bind_int64(store->zone, 1, store->sequence);
    sqlite3_bind_int64(store->zone, 2, count);
    sqlite3_bind_int64(store->zone, 3, bytes);
    int code = sqlite3_step(store->zone);
    sqlite3_reset(store->zone);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int raw_sqlite_save(raw_sqlite *store, long long first, int count) {
    int code = sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    long long bytes = 0;
    for (int i = 0; code == SQLITE_OK && i < count; i++) code = save_one(store, first + i, &bytes);
    if (code == SQLITE_OK) code = update_zone(store, count, bytes);
    if (code == SQLITE_OK) return sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

long long raw_sqlite_page(raw_sqlite *store, long long sequence, int count) {
    long long last = -1;
    size_t used = 0;
    sqlite3_bind_int64(store->page, 1, sequence);
    sqlite3_bind_int(store->page, 2, count);
    while (sqlite3_step(store->page) == SQLITE_ROW) {
        last = sqlite3_column_int64(store->page, 1);
        for (int column = 0; column < 7; column++) {
            if (column == 1 || column == 2 || column == 4) continue;
            const void *bytes = sqlite3_column_blob(store->page, column);
            size_t length = (size_t)sqlite3_column_bytes(store->page, column);
            if (used + length > sizeof store->page_buffer) used = 0;
            memcpy(store->page_buffer + used, bytes, length);
            used += length;
        }
    }
    sqlite3_reset(store->page);
    return last;
}
