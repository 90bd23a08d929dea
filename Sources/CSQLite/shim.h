#pragma once
#include <sqlite3.h>

// sqlite3_config takes variable arguments, which Swift cannot pass.
static inline int csqlite_omit_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
