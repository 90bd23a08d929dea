#pragma once
#include <spawn.h>

// glibc's own additions to posix_spawn, which Swift does not see.

int cchild_add_folder(posix_spawn_file_actions_t *actions, const char *folder);
int cchild_add_closing_from(posix_spawn_file_actions_t *actions, int descriptor);
