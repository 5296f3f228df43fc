/* files.c: see files.h. All temporary files of a process lie in one folder; Check runs a test in a process of its
 * own, which ends by exit, where the folder is removed. */
#include "config.h"

#include "testing/files.h"

#include "testing.h"

#include <ftw.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

/* Paths handed out, so that they are reachable to the end. */
typedef struct kept {
    struct kept *next;
    char text[];
} kept;

static kept *all_kept;
static char *root; /* NULL: not made yet */
static pid_t owner;
static size_t n_made;

static const char *keep(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    kept *text = malloc(sizeof *text + (size_t)length + 1);
    if (text == NULL)
        abort(); /* outside of a test Check's words are not to be had */
    vsnprintf(text->text, (size_t)length + 1, format, arguments);
    text->next = all_kept;
    all_kept = text;
    return text->text;
}

const char *files_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = keep(format, arguments);
    va_end(arguments);
    return text;
}

const char *files_join(const char *a, const char *b)
{
    return files_print("%s/%s", a, b);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

/* A child of the test that ends by exit must not take its parent's files. */
static void remove_root(void)
{
    if (root != NULL && getpid() == owner)
        nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A path at which nothing is yet. */
static const char *new_path(void)
{
    if (root == NULL || owner != getpid()) {
        const char *folder = getenv("TMPDIR");
        root = strdup(files_join(folder != NULL && folder[0] == '/' ? folder : "/tmp", "attn-test-XXXXXX"));
        ck_assert_msg(root != NULL && mkdtemp(root) != NULL, "no temporary folder %s", root);
        owner = getpid();
        atexit(remove_root);
    }
    return files_print("%s/%zu", root, n_made++);
}

const char *files_folder(void)
{
    const char *path = new_path();
    ck_assert_msg(mkdir(path, 0777) == 0, "%s can not be made", path);
    return path;
}

void files_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file != NULL, "%s can not be written", path);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

const char *files_bytes(const void *data, size_t size)
{
    const char *path = new_path();
    files_write(path, data, size);
    return path;
}

const char *files_text(const char *text)
{
    return files_bytes(text, strlen(text));
}

char *files_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    ck_assert_msg(file != NULL && fstat(fileno(file), &status) == 0, "%s can not be read", path);
    char *data = malloc((size_t)status.st_size + 1);
    ck_assert_ptr_nonnull(data);
    size_t n = fread(data, 1, (size_t)status.st_size, file);
    ck_assert_uint_eq(n, (size_t)status.st_size);
    data[n] = '\0';
    fclose(file);
    if (size != NULL)
        *size = n;
    return data;
}
