#pragma once

// The floor of `./bench store`: the rows that SwiftData writes, written and read by hand in C in a store file that SwiftData
// made, so in the same tables with the same indexes. Every function returns 0, or SQLite's code.
//
// `kinds` tells what a column holds, a letter each, the same as ModelBenchmark's objects hold:
//   i  an integer, the number of the row and that of the column added
//   d  a double, a quarter of the row's number; e the same, but NULL in each seventh row
//   t  a text of 23 bytes or so; u one of 6
//   3  the row's number by 3, h by 100: the key of a row in another table

typedef struct raw_store raw_store;

int raw_store_open(const char *path, raw_store **out);
void raw_store_close(raw_store *store);

// Begins a save and writes its transaction into the history.
int raw_store_begin(raw_store *store);

// Writes `count` rows into the empty table of an entity, each with its change in the history.
int raw_store_insert(raw_store *store, const char *entity, const char *columns, const char *kinds, int count);

// Reads all rows of an entity, adds one to a whole number of each, or deletes each where `column` is NULL; with the versions
// that SwiftData checks, and each with its change in the history.
int raw_store_change(raw_store *store, const char *entity, const char *column);

// Ends the save; it is on the disk when this returns.
int raw_store_commit(raw_store *store);

// Reads all rows into memory as a program in C would keep them, an allocation a row and one a text, adds up every column
// (for texts their lengths), and frees them. Writes the sum and the number of rows.
int raw_store_fetch(
    raw_store *store, const char *entity, const char *columns, const char *kinds, long long *sum, long long *rows);
