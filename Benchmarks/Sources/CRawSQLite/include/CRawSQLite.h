#pragma once

// The floor that Stratus is measured against: the same rows and index rows as its container file, written and read by hand,
// with nothing around them. Every function returns 0, or SQLite's code.

typedef struct raw_sqlite raw_sqlite;

int raw_sqlite_open(const char *path, raw_sqlite **out);
void raw_sqlite_close(raw_sqlite *store);

// Saves `count` small records in one transaction that is on the disk when the call returns.
int raw_sqlite_save(raw_sqlite *store, long long first, int count);

// Reads a page of up to `count` records in the order of change after `sequence`, copying what a page is made of into memory.
// Returns the sequence of the last one, or -1.
long long raw_sqlite_page(raw_sqlite *store, long long sequence, int count);

// Records that are found by their words (FTS5) and by their place (R*Tree), written and read by hand.
typedef struct raw_queries raw_queries;

int raw_queries_open(const char *path, raw_queries **out);
void raw_queries_close(raw_queries *store);
int raw_queries_begin(raw_queries *store);
int raw_queries_save(
    raw_queries *store, long long number, const char *body, const char *words, double latitude, double longitude);
int raw_queries_commit(raw_queries *store);

// Each reads up to `count` records, copying them into memory, and returns how many there were, or -1.
int raw_queries_words(raw_queries *store, const char *words, int count);
int raw_queries_near(raw_queries *store, double latitude, double longitude, double metres, int count);
