/* file.c: see file.h. */
#include "config.h"

#include "base/file.h"
#include "base/buffer.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is read at once: as much again as there is, from the first to the last of these. */
enum { READ_FIRST = 1 << 11, READ_LAST = 1 << 16 };
/* A file of so many bytes is mapped: of a small one most of the page would be nothing, and a model may have thousands. A
 * text may change, so that only a large one is. */
enum { FILE_MAPPED = 1 << 13, TEXT_MAPPED = 1 << 20 };

/* EXPECTED: bytes that there seem to be; 0: nobody knows. */
static attn_status read_all(int fd, attn_file *file, size_t expected, attn_error *error)
{
    attn_buffer buffer = {0};
    for (;;) {
        size_t step = buffer.size < READ_FIRST ? READ_FIRST : buffer.size;
        if (step > READ_LAST)
            step = READ_LAST;
        if (buffer.size == 0 && expected > 0)
            step = expected;
        else if (buffer.capacity > buffer.size)
            step = buffer.capacity - buffer.size; /* what is left is enough to see the end */
        char *room = attn_buffer_room(&buffer, step);
        if (room == NULL) {
            attn_buffer_free(&buffer);
            return attn_fail_memory(error);
        }
        ssize_t got = read(fd, room, step);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int errnum = errno;
            attn_buffer_free(&buffer);
            return attn_fail_system(error, file->name, errnum);
        }
        if (got == 0)
            break;
        buffer.size += (size_t)got;
    }
    file->bytes = attn_buffer_bytes(&buffer);
    return ATTN_OK;
}

/* What is mapped where, for a handler of SIGBUS, which sees nothing but globals. Names are borrowed from the files;
 * those that find no room here are nameless. */
enum { MAPPINGS_MAX = 1024 };
static struct {
    _Atomic(const uint8_t *) data; /* NULL: free */
    atomic_size_t size;            /* 0: not ready */
    _Atomic(const char *) name;
} mappings[MAPPINGS_MAX];

static void remember_mapping(const attn_file *file)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        const uint8_t *none = NULL;
        if (atomic_compare_exchange_strong(&mappings[i].data, &none, file->bytes.data)) {
            atomic_store(&mappings[i].name, file->name);
            atomic_store(&mappings[i].size, file->bytes.size);
            return;
        }
    }
}

static void forget_mapping(const attn_file *file)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++)
        if (atomic_load(&mappings[i].data) == file->bytes.data) {
            atomic_store(&mappings[i].size, 0);
            atomic_store(&mappings[i].data, NULL);
            return;
        }
}

const char *attn_file_mapped_at(const void *address)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        const uintptr_t from = (uintptr_t)atomic_load(&mappings[i].data), at = (uintptr_t)address;
        const size_t size = atomic_load(&mappings[i].size);
        if (size > 0 && at >= from && at - from < size)
            return atomic_load(&mappings[i].name);
    }
    return NULL;
}

/* A regular file of MAP_LEAST bytes or more is mapped. */
static attn_status load(int fd, attn_file *file, off_t map_least, attn_error *error)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return attn_fail_system(error, file->name, errno);
    if (S_ISDIR(st.st_mode))
        return attn_fail_system(error, file->name, EISDIR);
    if (S_ISREG(st.st_mode) && st.st_size >= map_least && (uintmax_t)st.st_size <= SIZE_MAX &&
        lseek(fd, 0, SEEK_CUR) == 0) {
        void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            file->bytes = (attn_bytes){.data = map, .size = (size_t)st.st_size};
            file->mapped = true;
            remember_mapping(file);
            return ATTN_OK;
        }
    }
    const bool small = S_ISREG(st.st_mode) && st.st_size < map_least;
    return read_all(fd, file, small ? (size_t)st.st_size : 0, error);
}

static attn_status open_file(const char *path, attn_file_list *list, off_t map_least, attn_file *file,
                             attn_error *error)
{
    bool standard_input = strcmp(path, "-") == 0;
    const char *name = standard_input ? "standard input" : path;
    *file = (attn_file){.name = attn_copy_text(name, strlen(name)), .list = list};
    if (file->name == NULL)
        return attn_fail_memory(error);
    int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        int errnum = errno;
        attn_file_close(file);
        return attn_fail_system(error, name, errnum);
    }
    attn_status status = load(fd, file, map_least, error);
    if (status == ATTN_OK)
        status = attn_file_list_add(list, fd, name, file->mapped ? file->bytes.size : 0, error);
    if (!standard_input)
        close(fd);
    if (status != ATTN_OK)
        attn_file_close(file);
    return status;
}

attn_status attn_file_open(const char *path, attn_file_list *list, attn_file *file, attn_error *error)
{
    return open_file(path, list, FILE_MAPPED, file, error);
}

attn_status attn_file_open_text(const char *path, attn_file_list *list, attn_file *file, attn_error *error)
{
    return open_file(path, list, TEXT_MAPPED, file, error);
}

void attn_file_forget(attn_file *file)
{
    if (file->mapped) {
        forget_mapping(file);
        munmap((void *)(uintptr_t)file->bytes.data, file->bytes.size);
    } else {
        attn_free((void *)(uintptr_t)file->bytes.data);
    }
    file->bytes = (attn_bytes){0};
    file->mapped = false;
}

void attn_file_close(attn_file *file)
{
    attn_file_forget(file);
    attn_free(file->name);
    *file = (attn_file){0};
}

void attn_file_release(const attn_file *file, size_t from, size_t to)
{
#ifdef MADV_DONTNEED
    long size = sysconf(_SC_PAGESIZE);
    size_t page = size > 0 ? (size_t)size : 1;
    from -= from % page;
    to -= to % page;
    if (file->mapped && size > 0 && from < to)
        madvise((void *)(uintptr_t)(file->bytes.data + from), to - from, MADV_DONTNEED);
#else
    (void)file;
    (void)from;
    (void)to;
#endif
}

static char *join(const char *directory, size_t length, const char *name)
{
    size_t name_length = strlen(name);
    char *path = attn_alloc(length + name_length + 2);
    if (path == NULL)
        return NULL;
    memcpy(path, directory, length);
    if (length > 0 && directory[length - 1] != '/')
        path[length++] = '/';
    memcpy(path + length, name, name_length + 1);
    return path;
}

char *attn_path_join(const char *directory, const char *name)
{
    return join(directory, strlen(directory), name);
}

char *attn_path_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return join(path, slash != NULL ? (size_t)(slash - path) + 1 : 0, name);
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t size = strlen(name), end_size = strlen(ending);
    return size > end_size && strcmp(name + size - end_size, ending) == 0;
}

attn_status attn_path_ending(const char *directory, const char *ending, char **found, attn_error *error)
{
    DIR *stream = opendir(directory);
    const struct dirent *entry;
    char *first = NULL;
    const bool none = stream == NULL && (errno == EACCES || attn_errno_absent(errno));
    attn_status status = stream != NULL || none ? ATTN_OK : attn_fail_system(error, directory, errno);
    *found = NULL;
    while (stream != NULL && status == ATTN_OK) {
        errno = 0;
        entry = readdir(stream);
        if (entry == NULL && errno != 0)
            status = attn_fail_system(error, directory, errno);
        if (entry == NULL)
            break;
        if (!ends_with(entry->d_name, ending) || (first != NULL && strcmp(entry->d_name, first) >= 0))
            continue;
        attn_free(first);
        first = attn_copy_text(entry->d_name, strlen(entry->d_name));
        if (first == NULL)
            status = attn_fail_memory(error);
    }
    if (stream != NULL)
        closedir(stream);
    if (first != NULL) {
        *found = attn_path_join(directory, first);
        if (*found == NULL)
            status = attn_fail_memory(error);
    }
    attn_free(first);
    return status;
}

bool attn_path_exists(const char *path)
{
    return access(path, F_OK) == 0 || !attn_errno_absent(errno);
}

attn_status attn_path_is_directory(const char *path, bool *is, attn_error *error)
{
    struct stat st;
    const bool there = stat(path, &st) == 0;
    *is = there && S_ISDIR(st.st_mode);
    return there || attn_errno_absent(errno) ? ATTN_OK : attn_fail_system(error, path, errno);
}

attn_status attn_path_regular(const char *path, attn_error *error)
{
    struct stat st;
    if (stat(path, &st) != 0 || S_ISREG(st.st_mode)) /* opening says what is wrong */
        return ATTN_OK;
    attn_fail_found(error, "a regular file", "%s",
                    S_ISDIR(st.st_mode)    ? "a directory"
                    : S_ISFIFO(st.st_mode) ? "a FIFO"
                                           : "something else");
    return attn_error_file(error, path);
}
