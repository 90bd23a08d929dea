#include "CRawSQLite.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct raw_queries {
    sqlite3 *db;
    sqlite3_stmt *record, *text, *place, *words, *near;
    char buffer[1 << 20];
    size_t used;
};

static const char *tables =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
    "CREATE TABLE record (id INTEGER PRIMARY KEY, latitude REAL, longitude REAL, body BLOB NOT NULL);"
    "CREATE VIRTUAL TABLE text USING fts5 (words, content='', tokenize='unicode61 remove_diacritics 2');"
    "CREATE VIRTUAL TABLE place USING rtree (id, south, north, west, east);";

static int prepare(raw_queries *store, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v2(store->db, sql, -1, statement, NULL);
}

int raw_queries_open(const char *path, raw_queries **out) {
    raw_queries *store = calloc(1, sizeof *store);
    if (!store) return SQLITE_NOMEM;
    int code = sqlite3_open(path, &store->db);
    if (code == SQLITE_OK) code = sqlite3_exec(store->db, tables, NULL, NULL, NULL);
    if (code == SQLITE_OK) code = prepare(store, "INSERT INTO record VALUES (?1, ?2, ?3, ?4)", &store->record);
    if (code == SQLITE_OK) code = prepare(store, "INSERT INTO text (rowid, words) VALUES (?1, ?2)", &store->text);
    if (code == SQLITE_OK) code = prepare(store, "INSERT INTO place VALUES (?1, ?2, ?2, ?3, ?3)", &store->place);
    if (code == SQLITE_OK)
        code = prepare(
            store, "SELECT body FROM text JOIN record ON record.id = text.rowid WHERE text MATCH ?1 LIMIT ?2", &store->words);
    if (code == SQLITE_OK)
        code = prepare(
            store,
            "SELECT body, latitude, longitude FROM place JOIN record ON record.id = place.id"
            " WHERE south >= ?1 AND north <= ?2 AND west >= ?3 AND east <= ?4",
            &store->near);
    if (code != SQLITE_OK) {
        raw_queries_close(store);
        return code;
    }
    *out = store;
    return SQLITE_OK;
}

void raw_queries_close(raw_queries *store) {
    if (!store) return;
    sqlite3_finalize(store->record);
    sqlite3_finalize(store->text);
    sqlite3_finalize(store->place);
    sqlite3_finalize(store->words);
    sqlite3_finalize(store->near);
    sqlite3_close(store->db);
    free(store);
}

int raw_queries_begin(raw_queries *store) { return sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL); }
int raw_queries_commit(raw_queries *store) { return sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL); }

static int run(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int raw_queries_save(
    raw_queries *store, long long number, const char *body, const char *words, double latitude, double longitude) {
    sqlite3_bind_int64(store->record, 1, number);
    sqlite3_bind_double(store->record, 2, latitude);
    sqlite3_bind_double(store->record, 3, longitude);
    sqlite3_bind_blob(store->record, 4, body, (int)strlen(body), SQLITE_STATIC);
    int code = run(store->record);
    if (code != SQLITE_OK) return code;
    sqlite3_bind_int64(store->text, 1, number);
    sqlite3_bind_text(store->text, 2, words, -1, SQLITE_STATIC);
    if ((code = run(store->text)) != SQLITE_OK) return code;
    sqlite3_bind_int64(store->place, 1, number);
    sqlite3_bind_double(store->place, 2, latitude);
    sqlite3_bind_double(store->place, 3, longitude);
    return run(store->place);
}

static void copy(raw_queries *store, sqlite3_stmt *statement) {
    const void *bytes = sqlite3_column_blob(statement, 0);
    size_t length = (size_t)sqlite3_column_bytes(statement, 0);
    if (store->used + length > sizeof store->buffer) store->used = 0;
    memcpy(store->buffer + store->used, bytes, length);
    store->used += length;
}

int raw_queries_words(raw_queries *store, const char *words, int count) {
    int found = 0, code;
    sqlite3_bind_text(store->words, 1, words, -1, SQLITE_STATIC);
    sqlite3_bind_int(store->words, 2, count);
    while ((code = sqlite3_step(store->words)) == SQLITE_ROW) {
        copy(store, store->words);
        found++;
    }
    sqlite3_reset(store->words);
    return code == SQLITE_DONE ? found : -1;
}

static double radians(double degrees) { return degrees * M_PI / 180; }

// On a sphere of the earth's mean radius.
static double distance(double latitude, double longitude, double other_latitude, double other_longitude) {
    double half_height = sin(radians(other_latitude - latitude) / 2);
    double half_width = sin(radians(other_longitude - longitude) / 2);
    double part = half_height * half_height + cos(radians(latitude)) * cos(radians(other_latitude)) * half_width * half_width;
    return 2 * 6371008.8 * asin(sqrt(part));
}

int raw_queries_near(raw_queries *store, double latitude, double longitude, double metres, int count) {
    int found = 0, code;
    double height = metres / 111195, width = height / cos(radians(latitude));
    sqlite3_bind_double(store->near, 1, latitude - height);
    sqlite3_bind_double(store->near, 2, latitude + height);
    sqlite3_bind_double(store->near, 3, longitude - width);
    sqlite3_bind_double(store->near, 4, longitude + width);
    while ((code = sqlite3_step(store->near)) == SQLITE_ROW && found < count) {
        double far = distance(
            latitude, longitude, sqlite3_column_double(store->near, 1), sqlite3_column_double(store->near, 2));
        if (far > metres) continue;
        copy(store, store->near);
        found++;
    }
    sqlite3_reset(store->near);
    return code == SQLITE_DONE || code == SQLITE_ROW ? found : -1;
}
