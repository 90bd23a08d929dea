#pragma once
#include <stdint.h>

/// Registers a SQLite file system named "crash" over the system's own. It remembers every write that was not synced.
/// Returns SQLite's result.
int crash_vfs_register(void);

/// After so many more writes and syncs the power goes: what was not synced is undone, except writes that by chance (of the
/// seed) reached the disk, and the process ends at once with status 9. 0: never.
void crash_vfs_lose_power_after(int64_t operations, uint64_t seed);

/// How many more bytes the disk has room for; writes beyond fail as on a full disk. Negative: any number.
void crash_vfs_set_room(int64_t bytes);
