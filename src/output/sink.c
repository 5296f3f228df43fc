/* sink.c: see sink.h. Used by the writers and by cli (--help and the like go through it too, so
 * that their write errors are seen). Knows bytes only. */
#include "config.h"

#include "output/sink.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM_MAX = 64 * 1024, CAPACITY = 4 * ROOM_MAX, LINKS_MAX = 40, NAMES_TRIED = 1000, TEMPORARIES_MAX = 8 };

struct attn_sink {
    int fd;              /* -1: closed already */
    char *name;          /* owned; for messages */
    char *target;        /* owned; what the temporary is renamed to; NULL: written in place */
    char *temporary;     /* owned; NULL: none, or renamed already */
    attn_buffer *memory; /* borrowed; where bytes go instead of a file; NULL: they do not */
    int errnum;          /* of the first failed write; 0: none */
    bool standard_output;
    bool terminal;
    size_t used;
    char buffer[CAPACITY];
};

/* The names to remove when a signal ends the program. A handler sees nothing but globals: this
 * table is the one exception to "no mutable globals". Entries are borrowed from the sinks. */
static _Atomic(const char *) temporaries[TEMPORARIES_MAX];

void attn_sink_remove_temporaries(void)
{
    for (size_t i = 0; i < TEMPORARIES_MAX; i++) {
        const char *path = atomic_load(&temporaries[i]);
        if (path != NULL)
            unlink(path);
    }
}

static void end_by_signal(int signal_number)
{
    attn_sink_remove_temporaries();
    raise(signal_number); /* SA_RESETHAND: now with its default action, as the caller's shell
                             expects */
}

/* By default they end nothing. */
static bool is_peaceful(int number)
{
    static const int peaceful[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU};
    bool is = false;
    for (size_t i = 0; i < sizeof peaceful / sizeof *peaceful; i++)
        is = is || number == peaceful[i];
    return is;
}

/* All that end the program, be it from outside, by a limit, or for a fault of its own. */
static void catch_signals(void)
{
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction action;
        if (is_peaceful(number) || sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
            continue; /* ignored under nohup, or somebody else's */
        memset(&action, 0, sizeof action);
        sigfillset(&action.sa_mask);
        action.sa_handler = end_by_signal;
        action.sa_flags = (int)SA_RESETHAND;
        sigaction(number, &action, NULL); /* fails for those that can not be caught */
    }
}

static void remember_temporary(const char *path)
{
    catch_signals();
    for (size_t i = 0; i < TEMPORARIES_MAX; i++) {
        const char *none = NULL;
        if (atomic_compare_exchange_strong(&temporaries[i], &none, path))
            return;
    }
}

static void forget_temporary(const char *path)
{
    for (size_t i = 0; i < TEMPORARIES_MAX; i++) {
        const char *entry = path;
        if (atomic_compare_exchange_strong(&temporaries[i], &entry, NULL))
            return;
    }
}

static void drop_temporary(attn_sink *sink, bool remove)
{
    if (sink->temporary == NULL)
        return;
    if (remove)
        unlink(sink->temporary);
    forget_temporary(sink->temporary);
    attn_free(sink->temporary);
    sink->temporary = NULL;
}

/* The name behind the symlinks of PATH, which may not exist itself; owned by the caller, NULL with
 * errno. */
static char *follow_links(const char *path)
{
    char *current = attn_copy_text(path, strlen(path));
    for (int i = 0; current != NULL; i++) {
        char link[4096];
        ssize_t length = readlink(current, link, sizeof link - 1);
        char *next;
        if (length < 0) /* no link (EINVAL) or nothing there (ENOENT): opening tells the rest */
            return current;
        if (i == LINKS_MAX || (size_t)length == sizeof link - 1) {
            attn_free(current);
            errno = i == LINKS_MAX ? ELOOP : ENAMETOOLONG;
            return NULL;
        }
        link[length] = '\0';
        if (link[0] == '/') {
            next = attn_copy_text(link, (size_t)length);
        } else {
            const char *slash = strrchr(current, '/');
            size_t directory = slash != NULL ? (size_t)(slash - current) + 1 : 0;
            next = attn_alloc(directory + (size_t)length + 1);
            if (next != NULL) {
                memcpy(next, current, directory);
                memcpy(next + directory, link, (size_t)length + 1);
            }
        }
        attn_free(current);
        current = next;
    }
    errno = ENOMEM;
    return NULL;
}

/* The new file is as private as OLD, the one it replaces: its mode, and its owner and group as far as we may give them.
 * A group that is not the old one's gets no rights. */
static bool keep_mode(int fd, const struct stat *old)
{
    mode_t mode = old->st_mode & 0777;
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) && fchown(fd, old->st_uid, old->st_gid) != 0 &&
        st.st_gid != old->st_gid && fchown(fd, (uid_t)-1, old->st_gid) != 0)
        mode &= ~(mode_t)070;
    return fchmod(fd, mode) == 0;
}

/* A new file beside the target, with the mode of OLD, the target that is there, or (NULL) the one that the umask gives
 * any new file. */
static attn_status open_temporary(attn_sink *sink, const struct stat *old, attn_error *error)
{
    const char *slash = strrchr(sink->target, '/');
    int directory = slash != NULL ? (int)(slash - sink->target) + 1 : 0;
    size_t size = (size_t)directory + 64;
    char *path = attn_alloc(size);
    int errnum = EEXIST;
    sigset_t all, before;
    if (path == NULL)
        return attn_fail_memory(error);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* none may come between a file and its being remembered */
    for (int i = 0; i < NAMES_TRIED; i++) {
        /* short, so that a target of the longest name has one too */
        snprintf(path, size, "%.*s.attn-%ld-%d.tmp", directory, sink->target, (long)getpid(), i);
        sink->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old != NULL ? 0600 : 0666);
        errnum = errno;
        if (sink->fd >= 0 || errnum != EEXIST)
            break;
    }
    if (sink->fd >= 0)
        remember_temporary(path);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (sink->fd < 0) {
        attn_free(path);
        attn_fail_system(error, sink->name, errnum);
        return attn_error_prefix(error, "cannot create a temporary file beside it: ");
    }
    sink->temporary = path;
    if (old != NULL && !keep_mode(sink->fd, old)) {
        attn_fail_system(error, sink->name, errno);
        return attn_error_prefix(error, "cannot keep its mode: ");
    }
    return ATTN_OK;
}

static attn_status open_file(attn_sink *sink, const char *path, attn_error *error)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (!there && !attn_errno_absent(errno)) /* nobody knows what a rename would take the place of */
        return attn_fail_system(error, path, errno);
    if (there && S_ISDIR(st.st_mode))
        return attn_fail_system(error, path, EISDIR);
    if (there && !S_ISREG(st.st_mode)) {
        sink->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return sink->fd >= 0 ? ATTN_OK : attn_fail_system(error, path, errno);
    }
    if (there && access(path, W_OK) != 0) /* a rename would not ask */
        return attn_fail_system(error, path, errno);
    sink->target = follow_links(path);
    if (sink->target == NULL)
        return errno == ENOMEM ? attn_fail_memory(error) : attn_fail_system(error, path, errno);
    return open_temporary(sink, there ? &st : NULL, error);
}

static attn_status open_standard_output(attn_sink *sink, attn_error *error)
{
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    /* A file opened for reading that took the number of a closed standard output is no standard
     * output. */
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        attn_fail_system(error, sink->name, EBADF);
        return attn_error_prefix(error, "it is closed: ");
    }
    sink->fd = STDOUT_FILENO;
    sink->standard_output = true;
    return ATTN_OK;
}

attn_status attn_sink_open(const char *path, attn_sink **sink, attn_error *error)
{
    bool standard = path == NULL || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
    const char *name = path == NULL || strcmp(path, "-") == 0 ? "standard output" : path;
    attn_sink *opened = attn_alloc(sizeof *opened);
    attn_status status;
    *sink = NULL;
    if (opened == NULL)
        return attn_fail_memory(error);
    memset(opened, 0, offsetof(struct attn_sink, buffer));
    opened->fd = -1;
    opened->name = attn_copy_text(name, strlen(name));
    if (opened->name == NULL)
        status = attn_fail_memory(error);
    else if (standard)
        status = open_standard_output(opened, error);
    else
        status = open_file(opened, path, error);
    if (status != ATTN_OK) {
        attn_sink_close(opened);
        return status;
    }
    opened->terminal = isatty(opened->fd) == 1;
    *sink = opened;
    return ATTN_OK;
}

attn_status attn_sink_open_memory(attn_buffer *memory, attn_sink **sink, attn_error *error)
{
    attn_sink *opened = attn_alloc(sizeof *opened);
    *sink = opened;
    if (opened == NULL)
        return attn_fail_memory(error);
    memset(opened, 0, offsetof(struct attn_sink, buffer));
    opened->fd = -1;
    opened->memory = memory;
    return ATTN_OK;
}

static void flush(attn_sink *sink)
{
    size_t done = 0;
    if (sink->memory != NULL) {
        attn_buffer_put(sink->memory, sink->buffer, sink->used);
        sink->used = 0;
        return;
    }
    while (done < sink->used && sink->errnum == 0) {
        ssize_t wrote = write(sink->fd, sink->buffer + done, sink->used - done);
        if (wrote >= 0) {
            done += (size_t)wrote;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) { /* a pipe somebody else made non-blocking */
            struct pollfd ready = {sink->fd, POLLOUT, 0};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            sink->errnum = errno;
        }
    }
    sink->used = 0;
}

void attn_sink_flush(attn_sink *sink)
{
    if (!attn_sink_replaces(sink))
        flush(sink);
}

char *attn_sink_room(attn_sink *sink, size_t count)
{
    if (count > ROOM_MAX)
        return NULL;
    if (count > CAPACITY - sink->used)
        flush(sink);
    return sink->buffer + sink->used;
}

void attn_sink_advance(attn_sink *sink, size_t count)
{
    sink->used += count;
}

void attn_sink_put(attn_sink *sink, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0 && sink->errnum == 0) {
        size_t part = size < ROOM_MAX ? size : ROOM_MAX;
        memcpy(attn_sink_room(sink, part), from, part);
        sink->used += part;
        from += part;
        size -= part;
    }
}

void attn_sink_text(attn_sink *sink, const char *text)
{
    attn_sink_put(sink, text, strlen(text));
}

attn_status attn_sink_status(const attn_sink *sink, attn_error *error)
{
    if (sink->errnum == 0)
        return ATTN_OK;
    attn_fail_system(error, sink->name, sink->errnum);
    if (sink->errnum != EPIPE)
        return ATTN_EIO;
    if (error != NULL)
        error->status = ATTN_ECLOSED;
    return ATTN_ECLOSED;
}

/* The bytes are on the disk before the name leads to them: a crash of the system leaves the old file or the new one.
 * A file system that knows no fsync (EINVAL, ENOTSUP, ENOSYS) is no failure. */
static int sync_file(int fd)
{
    while (fsync(fd) != 0)
        if (errno != EINTR)
            return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : errno;
    return 0;
}

attn_status attn_sink_commit(attn_sink *sink, attn_error *error)
{
    int closing;
    flush(sink);
    if (sink->errnum == 0 && sink->temporary != NULL)
        sink->errnum = sync_file(sink->fd);
    if (sink->errnum == 0) {
        /* Some file systems tell of a failed write only here. Standard output itself stays open. */
        closing = sink->standard_output ? dup(sink->fd) : sink->fd;
        if (closing >= 0 && close(closing) != 0 && errno != EINTR)
            sink->errnum = errno;
        sink->fd = -1;
    }
    if (sink->errnum == 0 && sink->temporary != NULL) {
        if (rename(sink->temporary, sink->target) != 0)
            sink->errnum = errno;
        else
            drop_temporary(sink, false);
    }
    drop_temporary(sink, true);
    return attn_sink_status(sink, error);
}

void attn_sink_close(attn_sink *sink)
{
    if (sink == NULL)
        return;
    if (sink->fd >= 0 && !sink->standard_output)
        close(sink->fd);
    drop_temporary(sink, true);
    attn_free(sink->target);
    attn_free(sink->name);
    attn_free(sink);
}

bool attn_sink_replaces(const attn_sink *sink)
{
    return sink->target != NULL;
}

bool attn_sink_is_terminal(const attn_sink *sink)
{
    return sink->terminal;
}

size_t attn_sink_columns(const attn_sink *sink)
{
    struct winsize size = {0};
    return sink->terminal && ioctl(sink->fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
