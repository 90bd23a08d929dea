#include "CRawStore.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { texts = 100 };

struct raw_store {
    sqlite3 *db;
    sqlite3_stmt *change;
    long long changes, transaction;
    char text[texts][32], code[texts][8];
};

// The settings of a SwiftData store.
static const char *settings = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-8000;"
                              "PRAGMA mmap_size=268435456; PRAGMA wal_autocheckpoint=4000; PRAGMA temp_store=MEMORY";

int raw_store_open(const char *path, raw_store **out) {
    raw_store *store = calloc(1, sizeof *store);
    if (!store) return SQLITE_NOMEM;
    for (int i = 0; i < texts; i++) {
        snprintf(store->text[i], sizeof store->text[i], "A text of some bytes %d", i);
        snprintf(store->code[i], sizeof store->code[i], "C-%d", 1000 + i);
    }
    int code = sqlite3_open_v2(path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK) code = sqlite3_exec(store->db, settings, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(
            store->db,
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)"
            " VALUES (?1, 16001, 1, ?4, ?2, ?3, ?5)",
            -1, &store->change, NULL);
    if (code != SQLITE_OK) {
        raw_store_close(store);
        return code;
    }
    *out = store;
    return SQLITE_OK;
}

void raw_store_close(raw_store *store) {
    if (!store) return;
    sqlite3_finalize(store->change);
    sqlite3_close(store->db);
    free(store);
}

static int last_key(raw_store *store, const char *sql, long long *key) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    if (code != SQLITE_OK) return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) *key = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

int raw_store_begin(raw_store *store) {
    int code = sqlite3_exec(
        store->db, "BEGIN IMMEDIATE; INSERT INTO ATRANSACTION (Z_ENT, Z_OPT, ZTIMESTAMP) VALUES (16002, 1, 1.0)", NULL,
        NULL, NULL);
    if (code != SQLITE_OK) return code;
    store->transaction = sqlite3_last_insert_rowid(store->db);
    return last_key(store, "SELECT IFNULL(MAX(Z_PK), 0) FROM ACHANGE", &store->changes);
}

enum change { inserted, updated, deleted };

static int note_change(raw_store *store, enum change change, int entity, long long key) {
    sqlite3_bind_int64(store->change, 1, ++store->changes);
    sqlite3_bind_int64(store->change, 2, entity);
    sqlite3_bind_int64(store->change, 3, key);
    sqlite3_bind_int64(store->change, 4, change);
    sqlite3_bind_int64(store->change, 5, store->transaction);
    sqlite3_step(store->change);
    return sqlite3_reset(store->change);
}

int raw_store_commit(raw_store *store) {
    return sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
}

static int entity_number(raw_store *store, const char *entity, int *number) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ?1", -1, &statement, NULL);
    if (code != SQLITE_OK) return code;
    sqlite3_bind_text(statement, 1, entity, -1, SQLITE_STATIC);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) *number = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SQLITE_OK : SQLITE_ERROR;
}

static void table_name(const char *entity, char *name, size_t size) {
    size_t i = 0;
    name[i++] = 'Z';
    for (; *entity && i + 1 < size; entity++) name[i++] = *entity >= 'a' && *entity <= 'z' ? *entity - 32 : *entity;
    name[i] = 0;
}

static void bind(raw_store *store, sqlite3_stmt *statement, int column, char kind, int row) {
    int parameter = column + 4;
    switch (kind) {
        case 'i': sqlite3_bind_int64(statement, parameter, row + column); break;
        case 'd': sqlite3_bind_double(statement, parameter, row * 0.25); break;
        case 'e':
            if (row % 7 == 0) sqlite3_bind_null(statement, parameter);
            else sqlite3_bind_double(statement, parameter, row * 0.25);
            break;
        case 't': {
            const char *text = store->text[(row + column) % texts];
            sqlite3_bind_text(statement, parameter, text, (int)strlen(text), SQLITE_STATIC);
            break;
        }
        case 'u': sqlite3_bind_text(statement, parameter, store->code[(row + column) % texts], 6, SQLITE_STATIC); break;
        case '3': sqlite3_bind_int64(statement, parameter, row / 3 + 1); break;
        case 'h': sqlite3_bind_int64(statement, parameter, row / 100 + 1); break;
    }
}

int raw_store_insert(raw_store *store, const char *entity, const char *columns, const char *kinds, int count) {
    int number = 0, width = (int)strlen(kinds);
    int code = entity_number(store, entity, &number);
    if (code != SQLITE_OK) return code;
    char table[64], sql[1024];
    table_name(entity, table, sizeof table);
    int length = snprintf(sql, sizeof sql, "INSERT INTO %s (Z_PK, Z_ENT, Z_OPT, %s) VALUES (?1, ?2, ?3", table, columns);
    for (int i = 0; i < width && length < (int)sizeof sql - 8; i++) length += snprintf(sql + length, 8, ", ?%d", i + 4);
    strcpy(sql + length, ")");
    sqlite3_stmt *statement = NULL;
    code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    for (int row = 0; row < count && code == SQLITE_OK; row++) {
        sqlite3_bind_int64(statement, 1, row + 1);
        sqlite3_bind_int64(statement, 2, number);
        sqlite3_bind_int64(statement, 3, 1);
        for (int i = 0; i < width; i++) bind(store, statement, i, kinds[i], row);
        sqlite3_step(statement);
        code = sqlite3_reset(statement);
        if (code != SQLITE_OK) break;
        code = note_change(store, inserted, number, row + 1);
    }
    sqlite3_finalize(statement);
    if (code != SQLITE_OK) return code;
    snprintf(sql, sizeof sql, "UPDATE Z_PRIMARYKEY SET Z_MAX = %d WHERE Z_ENT = %d", count, number);
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

// What a row is kept as.
typedef struct {
    long long key, entity, version;
    union {
        long long integer;
        double real;
        char *text;
    } values[];
} object;

static int is_text(char kind) {
    return kind == 't' || kind == 'u';
}

static object *read_row(sqlite3_stmt *statement, const char *kinds, int width) {
    object *row = malloc(sizeof *row + sizeof row->values[0] * (size_t)width);
    if (!row) return NULL;
    row->entity = sqlite3_column_int64(statement, 0);
    row->key = sqlite3_column_int64(statement, 1);
    row->version = sqlite3_column_int64(statement, 2);
    for (int i = 0; i < width; i++) {
        if (is_text(kinds[i])) {
            const unsigned char *text = sqlite3_column_text(statement, i + 3);
            row->values[i].text = text ? strdup((const char *)text) : NULL;
        } else if (kinds[i] == 'd' || kinds[i] == 'e') {
            row->values[i].real = sqlite3_column_double(statement, i + 3);
        } else {
            row->values[i].integer = sqlite3_column_int64(statement, i + 3);
        }
    }
    return row;
}

int raw_store_fetch(
    raw_store *store, const char *entity, const char *columns, const char *kinds, long long *sum, long long *rows) {
    char table[64], sql[1024];
    int width = (int)strlen(kinds);
    table_name(entity, table, sizeof table);
    snprintf(sql, sizeof sql, "SELECT Z_ENT, Z_PK, Z_OPT, %s FROM %s", columns, table);
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    if (code != SQLITE_OK) return code;
    size_t count = 0, capacity = 1024;
    object **objects = malloc(capacity * sizeof *objects);
    while (objects && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (count == capacity) {
            object **more = realloc(objects, (capacity *= 2) * sizeof *objects);
            if (!more) break;
            objects = more;
        }
        object *row = read_row(statement, kinds, width);
        if (!row) break;
        objects[count++] = row;
    }
    sqlite3_finalize(statement);
    *sum = 0;
    *rows = (long long)count;
    for (size_t r = 0; r < count; r++)
        for (int i = 0; i < width; i++)
            *sum += is_text(kinds[i])                      ? (long long)strlen(objects[r]->values[i].text)
                    : kinds[i] == 'd' || kinds[i] == 'e' ? (long long)objects[r]->values[i].real
                                                          : objects[r]->values[i].integer;
    for (size_t r = 0; r < count; r++) {
        for (int i = 0; i < width; i++)
            if (is_text(kinds[i])) free(objects[r]->values[i].text);
        free(objects[r]);
    }
    free(objects);
    return code == SQLITE_DONE ? SQLITE_OK : code == SQLITE_ROW ? SQLITE_NOMEM : code;
}

int raw_store_change(raw_store *store, const char *entity, const char *column) {
    char table[64], sql[256];
    int number = 0;
    int code = entity_number(store, entity, &number);
    if (code != SQLITE_OK) return code;
    table_name(entity, table, sizeof table);
    sqlite3_stmt *rows = NULL, *change = NULL;
    snprintf(sql, sizeof sql, "SELECT Z_PK, Z_OPT, %s FROM %s", column ? column : "Z_ENT", table);
    code = sqlite3_prepare_v2(store->db, sql, -1, &rows, NULL);
    if (column)
        snprintf(sql, sizeof sql, "UPDATE %s SET Z_OPT = ?2 + 1, %s = ?3 WHERE Z_PK = ?1 AND Z_OPT = ?2", table, column);
    else
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE Z_PK = ?1 AND Z_OPT = ?2", table);
    if (code == SQLITE_OK) code = sqlite3_prepare_v2(store->db, sql, -1, &change, NULL);
    // Read before anything is changed, as a program does that has the rows in memory.
    size_t count = 0, capacity = 1024;
    long long (*found)[3] = malloc(capacity * sizeof *found);
    while (code == SQLITE_OK && found && sqlite3_step(rows) == SQLITE_ROW) {
        if (count == capacity && !(found = realloc(found, (capacity *= 2) * sizeof *found))) break;
        for (int i = 0; i < 3; i++) found[count][i] = sqlite3_column_int64(rows, i);
        count++;
    }
    sqlite3_finalize(rows);
    for (size_t row = 0; row < count && code == SQLITE_OK; row++) {
        sqlite3_bind_int64(change, 1, found[row][0]);
        sqlite3_bind_int64(change, 2, found[row][1]);
        if (column) sqlite3_bind_int64(change, 3, found[row][2] + 1);
        sqlite3_step(change);
        code = sqlite3_reset(change);
        if (code == SQLITE_OK) code = note_change(store, column ? updated : deleted, number, found[row][0]);
    }
    sqlite3_finalize(change);
    free(found);
    return code;
}
