#include "CCrashVFS.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A write or truncation that was not synced: what it put there, and what was there before.
typedef struct Entry {
    struct Entry *previous, *next;
    sqlite3_int64 offset, size_before;
    int truncates, count, count_before;
    unsigned char *bytes, *bytes_before;
} Entry;

// The unsynced writes of one file, shared by all its handles.
typedef struct Journal {
    struct Journal *next;
    char *path;
    Entry *first, *last;
} Journal;

typedef struct {
    sqlite3_file base;
    Journal *journal;
    sqlite3_file *real;
} CrashFile;

static sqlite3_vfs *real_vfs;
static sqlite3_vfs crash_vfs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Journal *journals;
static int64_t operations_left = 0;
static uint64_t random_state = 1;
static int64_t room = -1;

static sqlite3_file *real(sqlite3_file *file) { return ((CrashFile *)file)->real; }

static uint64_t next_random(void) {
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void put(int descriptor, const unsigned char *bytes, int count, sqlite3_int64 offset) {
    while (count > 0) {
        ssize_t written = pwrite(descriptor, bytes, count, offset);
        if (written <= 0) _exit(70);
        bytes += written, count -= written, offset += written;
    }
}

// Takes back every unsynced write, then puts those that reached the disk by chance: none, each by a coin, or up to a point.
static void lose_power(void) {
    for (Journal *journal = journals; journal; journal = journal->next) {
        if (!journal->first) continue;
        int descriptor = open(journal->path, O_RDWR);
        if (descriptor < 0) continue;
        for (Entry *entry = journal->last; entry; entry = entry->previous) {
            if (entry->count_before) put(descriptor, entry->bytes_before, entry->count_before, entry->offset);
            if (ftruncate(descriptor, entry->size_before)) _exit(70);
        }
        int way = next_random() % 3, kept = 1;
        for (Entry *entry = journal->first; entry && way != 0; entry = entry->next) {
            int chance = next_random() % 2;
            if (way == 2 && next_random() % 8 == 0) kept = 0;
            if (way == 1 ? !chance : !kept) continue;
            if (entry->truncates) {
                if (ftruncate(descriptor, entry->offset)) _exit(70);
            } else {
                put(descriptor, entry->bytes, entry->count, entry->offset);
            }
        }
        close(descriptor);
    }
    _exit(9);
}

// Called with the lock held, before every write, truncation and sync.
static void count_operation(void) {
    if (operations_left > 0 && --operations_left == 0) lose_power();
}

static void remember(Journal *journal, Entry *entry) {
    entry->previous = journal->last;
    if (journal->last) journal->last->next = entry; else journal->first = entry;
    journal->last = entry;
}

static void forget(Journal *journal) {
    for (Entry *entry = journal->first, *next; entry; entry = next) {
        next = entry->next;
        free(entry->bytes);
        free(entry->bytes_before);
        free(entry);
    }
    journal->first = journal->last = NULL;
}

static int crash_close(sqlite3_file *file) {
    int result = real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
    free(real(file));
    return result;
}

static int crash_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int crash_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    CrashFile *crash = (CrashFile *)file;
    pthread_mutex_lock(&lock);
    count_operation();
    if (room >= 0 && count > room) {
        pthread_mutex_unlock(&lock);
        return SQLITE_FULL;
    }
    if (room >= 0) room -= count;
    if (crash->journal && operations_left > 0) {
        Entry *entry = calloc(1, sizeof *entry);
        entry->offset = offset;
        entry->count = count;
        entry->bytes = malloc(count);
        memcpy(entry->bytes, bytes, count);
        real(file)->pMethods->xFileSize(real(file), &entry->size_before);
        sqlite3_int64 there = entry->size_before - offset;
        entry->count_before = there <= 0 ? 0 : there < count ? (int)there : count;
        entry->bytes_before = malloc(count);
        if (entry->count_before)
            real(file)->pMethods->xRead(real(file), entry->bytes_before, entry->count_before, offset);
        remember(crash->journal, entry);
    }
    int result = real(file)->pMethods->xWrite(real(file), bytes, count, offset);
    pthread_mutex_unlock(&lock);
    return result;
}

static int crash_truncate(sqlite3_file *file, sqlite3_int64 size) {
    CrashFile *crash = (CrashFile *)file;
    pthread_mutex_lock(&lock);
    count_operation();
    if (crash->journal && operations_left > 0) {
        Entry *entry = calloc(1, sizeof *entry);
        entry->truncates = 1;
        entry->offset = size;
        real(file)->pMethods->xFileSize(real(file), &entry->size_before);
        if (entry->size_before > size) {
            entry->count_before = (int)(entry->size_before - size);
            entry->bytes_before = malloc(entry->count_before);
            real(file)->pMethods->xRead(real(file), entry->bytes_before, entry->count_before, size);
        }
        remember(crash->journal, entry);
    }
    int result = real(file)->pMethods->xTruncate(real(file), size);
    pthread_mutex_unlock(&lock);
    return result;
}

static int crash_sync(sqlite3_file *file, int flags) {
    CrashFile *crash = (CrashFile *)file;
    pthread_mutex_lock(&lock);
    count_operation();
    if (crash->journal) forget(crash->journal);
    pthread_mutex_unlock(&lock);
    // The disk itself is not waited for: what counts here is what SQLite asked for.
    (void)flags;
    return SQLITE_OK;
}

static int crash_file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
static int crash_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int crash_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int crash_check_lock(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
static int crash_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int crash_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int crash_characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
static int crash_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **address) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, address);
}
static int crash_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void crash_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int crash_shm_unmap(sqlite3_file *file, int delete) {
    return real(file)->pMethods->xShmUnmap(real(file), delete);
}

// Version 2: shared memory, but no memory-mapped pages, which would pass by the writes.
static const sqlite3_io_methods methods = {
    2, crash_close, crash_read, crash_write, crash_truncate, crash_sync, crash_file_size, crash_lock, crash_unlock,
    crash_check_lock, crash_control, crash_sector_size, crash_characteristics, crash_shm_map, crash_shm_lock,
    crash_shm_barrier, crash_shm_unmap,
};

static Journal *journal_for(const char *path) {
    if (!path) return NULL;
    pthread_mutex_lock(&lock);
    Journal *journal = journals;
    while (journal && strcmp(journal->path, path)) journal = journal->next;
    if (!journal) {
        journal = calloc(1, sizeof *journal);
        journal->path = strdup(path);
        journal->next = journals;
        journals = journal;
    }
    pthread_mutex_unlock(&lock);
    return journal;
}

static int crash_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *flags_out) {
    (void)vfs;
    CrashFile *crash = (CrashFile *)file;
    memset(crash, 0, sizeof *crash);
    crash->real = calloc(1, real_vfs->szOsFile);
    int result = real_vfs->xOpen(real_vfs, path, crash->real, flags, flags_out);
    if (result != SQLITE_OK) {
        free(crash->real);
        return result;
    }
    crash->journal = journal_for(path);
    crash->base.pMethods = &methods;
    return SQLITE_OK;
}

static int crash_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    (void)vfs;
    Journal *journal = journal_for(path);
    pthread_mutex_lock(&lock);
    if (journal) forget(journal);
    pthread_mutex_unlock(&lock);
    return real_vfs->xDelete(real_vfs, path, sync);
}

int crash_vfs_register(void) {
    pthread_mutex_lock(&lock);
    int result = SQLITE_OK;
    if (!real_vfs) {
        real_vfs = sqlite3_vfs_find(NULL);
        crash_vfs = *real_vfs;
        crash_vfs.zName = "crash";
        crash_vfs.pNext = NULL;
        crash_vfs.szOsFile = sizeof(CrashFile);
        crash_vfs.xOpen = crash_open;
        crash_vfs.xDelete = crash_delete;
        result = sqlite3_vfs_register(&crash_vfs, 0);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void crash_vfs_lose_power_after(int64_t operations, uint64_t seed) {
    pthread_mutex_lock(&lock);
    operations_left = operations;
    random_state = seed;
    pthread_mutex_unlock(&lock);
}

void crash_vfs_set_room(int64_t bytes) {
    pthread_mutex_lock(&lock);
    room = bytes;
    pthread_mutex_unlock(&lock);
}
