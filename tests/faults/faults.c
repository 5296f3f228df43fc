/* faults.c: a library to be preloaded (LD_PRELOAD) that counts calls of the C library, lets some fail, cuts them short
 * or sends a signal behind one. Used by run.py and kills.py, which say what to do by environment variables; knows nothing
 * of attn.
 *
 *   FAULT='CALL once N ERRNO'    the Nth call (from 1) fails with that errno
 *   FAULT='CALL on N ERRNO'      the Nth and all behind it fail
 *   FAULT='CALL short N 0'       from the Nth on, read and write take one byte
 *   FAULT='CALL signal N SIGNAL' behind the Nth call, which does its work, the process gets that signal
 *   FAULT_COUNTS=FILE            at the end of the process, a line `CALL count` each goes there
 *
 * What the C library calls within itself is not seen, but malloc. calloc and realloc count as malloc. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum call { MALLOC, MMAP, READ, WRITE, OPEN, CLOSE, FSTAT, STAT, ACCESS, RENAME, FSYNC, THREAD, N_CALLS } call;
typedef enum mode { NEVER, ONCE, ON, SHORT, SIGNAL } mode;

static const char *const call_names[N_CALLS] = {"malloc", "mmap", "read",   "write",  "open",  "close",
                                                "fstat",  "stat", "access", "rename", "fsync", "pthread_create"};
static atomic_size_t counts[N_CALLS];
static struct {
    call call;
    mode mode;
    size_t at; /* from 1 */
    int what;  /* errno or signal */
} fault;

/* Before malloc itself is found, whoever looks for it gets its memory here. */
static _Alignas(max_align_t) char first_bytes[16384];
static size_t first_used;
static void *(*next_malloc)(size_t size);
static void *(*next_calloc)(size_t count, size_t size);
static void *(*next_realloc)(void *old, size_t size);
static void (*next_free)(void *pointer);

static void *first_room(size_t size)
{
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (size > sizeof first_bytes - first_used)
        _exit(126);
    first_used += size;
    return first_bytes + first_used - size; /* zeros */
}

/* The function NAME of the libraries behind this one, into *FUNCTION: ISO C knows no cast to it. */
static void find_next(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL)
        _exit(126);
    memcpy(function, &found, sizeof found);
}

static bool has_malloc(void)
{
    static bool begun; /* the first call comes before there is a second thread */
    if (!begun) {
        begun = true;
        find_next("free", &next_free);
        find_next("calloc", &next_calloc);
        find_next("realloc", &next_realloc);
        find_next("malloc", &next_malloc);
    }
    return next_malloc != NULL;
}

__attribute__((constructor)) static void read_environment(void)
{
    static const char *const modes[] = {"never", "once", "on", "short", "signal"};
    const char *text = getenv("FAULT");
    char name[32], how[16];
    if (text == NULL || sscanf(text, "%31s %15s %zu %d", name, how, &fault.at, &fault.what) != 4)
        return;
    for (size_t i = 0; i < N_CALLS; i++)
        if (strcmp(name, call_names[i]) == 0)
            fault.call = (call)i;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(how, modes[i]) == 0)
            fault.mode = (mode)i;
    for (size_t i = 0; i < N_CALLS; i++) /* what the start of the process took */
        counts[i] = 0;
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *path = getenv("FAULT_COUNTS");
    size_t found[N_CALLS];
    for (size_t i = 0; i < N_CALLS; i++)
        found[i] = counts[i];
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL)
        return;
    for (size_t i = 0; i < N_CALLS; i++)
        fprintf(file, "%s %zu\n", call_names[i], found[i]);
    fclose(file);
}

/* What stat or access could not look at is not opened either: a disk does not mend itself between the two. */
static char lost_path[4096];

static int lose(const char *path)
{
    snprintf(lost_path, sizeof lost_path, "%s", path);
    errno = fault.what;
    return -1;
}

/* Counts a call; *NUMBER: which it is. True: it is to fail, and errno says how. */
static bool fails(call which, size_t *number)
{
    *number = ++counts[which];
    if (which != fault.call ||
        !((fault.mode == ONCE && *number == fault.at) || (fault.mode == ON && *number >= fault.at)))
        return false;
    errno = fault.what;
    return true;
}

/* Behind call NUMBER. */
static void send_signal(call which, size_t number)
{
    const int errnum = errno;
    if (fault.mode == SIGNAL && which == fault.call && number == fault.at)
        raise(fault.what);
    errno = errnum;
}

static size_t shortened(call which, size_t number, size_t size)
{
    return fault.mode == SHORT && which == fault.call && number >= fault.at && size > 1 ? 1 : size;
}

void *malloc(size_t size)
{
    size_t number;
    if (!has_malloc())
        return first_room(size);
    return fails(MALLOC, &number) ? NULL : next_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    size_t number;
    if (!has_malloc())
        return first_room(count * size);
    return fails(MALLOC, &number) ? NULL : next_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    size_t number;
    if (!has_malloc())
        return first_room(size);
    return fails(MALLOC, &number) ? NULL : next_realloc(old, size);
}

void free(void *pointer)
{
    const uintptr_t from = (uintptr_t)first_bytes, at = (uintptr_t)pointer;
    if (has_malloc() && (at < from || at - from >= sizeof first_bytes))
        next_free(pointer);
}

void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset)
{
    static void *(*next)(void *, size_t, int, int, int, off_t);
    size_t number;
    if (next == NULL)
        find_next("mmap", &next);
    if (fails(MMAP, &number))
        return MAP_FAILED;
    void *map = next(address, size, protection, flags, descriptor, offset);
    send_signal(MMAP, number);
    return map;
}

ssize_t read(int descriptor, void *data, size_t size)
{
    static ssize_t (*next)(int, void *, size_t);
    size_t number;
    if (next == NULL)
        find_next("read", &next);
    if (fails(READ, &number))
        return -1;
    const ssize_t got = next(descriptor, data, shortened(READ, number, size));
    send_signal(READ, number);
    return got;
}

ssize_t write(int descriptor, const void *data, size_t size)
{
    static ssize_t (*next)(int, const void *, size_t);
    size_t number;
    if (next == NULL)
        find_next("write", &next);
    if (fails(WRITE, &number))
        return -1;
    const ssize_t put = next(descriptor, data, shortened(WRITE, number, size));
    send_signal(WRITE, number);
    return put;
}

int open(const char *path, int flags, ...)
{
    static int (*next)(const char *, int, ...);
    size_t number;
    va_list rest;
    va_start(rest, flags);
    const mode_t access_mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (next == NULL)
        find_next("open", &next);
    if (fails(OPEN, &number))
        return -1;
    if (strcmp(path, lost_path) == 0)
        return lose(path);
    const int descriptor = next(path, flags, access_mode);
    send_signal(OPEN, number);
    return descriptor;
}

/* Even one that fails has closed, as Linux does it. */
int close(int descriptor)
{
    static int (*next)(int);
    size_t number;
    if (next == NULL)
        find_next("close", &next);
    const bool failed = fails(CLOSE, &number);
    const int status = next(descriptor);
    send_signal(CLOSE, number);
    if (failed)
        errno = fault.what;
    return failed ? -1 : status;
}

int fstat(int descriptor, struct stat *found)
{
    static int (*next)(int, struct stat *);
    size_t number;
    if (next == NULL)
        find_next("fstat", &next);
    return fails(FSTAT, &number) ? -1 : next(descriptor, found);
}

int stat(const char *restrict path, struct stat *restrict found)
{
    static int (*next)(const char *restrict, struct stat *restrict);
    size_t number;
    if (next == NULL)
        find_next("stat", &next);
    return fails(STAT, &number) ? lose(path) : next(path, found);
}

int access(const char *path, int how)
{
    static int (*next)(const char *, int);
    size_t number;
    if (next == NULL)
        find_next("access", &next);
    return fails(ACCESS, &number) ? lose(path) : next(path, how);
}

int rename(const char *from, const char *to)
{
    static int (*next)(const char *, const char *);
    size_t number;
    if (next == NULL)
        find_next("rename", &next);
    if (fails(RENAME, &number))
        return -1;
    const int status = next(from, to);
    send_signal(RENAME, number);
    return status;
}

int fsync(int descriptor)
{
    static int (*next)(int);
    size_t number;
    if (next == NULL)
        find_next("fsync", &next);
    if (fails(FSYNC, &number))
        return -1;
    const int status = next(descriptor);
    send_signal(FSYNC, number);
    return status;
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes, void *(*begin)(void *),
                   void *restrict argument)
{
    static int (*next)(pthread_t *restrict, const pthread_attr_t *restrict, void *(*)(void *), void *restrict);
    size_t number;
    if (next == NULL)
        find_next("pthread_create", &next);
    if (fails(THREAD, &number))
        return fault.what;
    return next(thread, attributes, begin, argument);
}
