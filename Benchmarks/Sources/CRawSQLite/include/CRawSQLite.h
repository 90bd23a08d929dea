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
