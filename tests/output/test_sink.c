/* test_sink.c: the manners of output: whole files or none, write errors seen, nothing left behind.
 * Each test works in an empty directory of its own. Check forks a test, so signals and closed
 * descriptors stay in it. */
#include "config.h"

#include "testing.h"

#include "output/sink.h"
#include "testing/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void enter(void)
{
    ck_assert_int_eq(chdir(files_folder()), 0);
}

static size_t entries(void)
{
    DIR *dir = opendir(".");
    size_t n = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        n += entry->d_name[0] != '.' || strncmp(entry->d_name, ".attn", 5) == 0;
    closedir(dir);
    return n;
}

static void write_file(const char *path, const char *text)
{
    files_write(path, text, strlen(text));
}

static void holds(const char *path, const char *text)
{
    char *found = files_read(path, NULL);
    ck_assert_str_eq(found, text);
    free(found);
}

/* Stands in for the system's: counts, fails with sync_error, and sees that the target is not the new one yet. */
static unsigned syncs;
static int sync_error;
int fsync(int fd)
{
    struct stat st, target;
    syncs++;
    ck_assert_int_eq(fstat(fd, &st), 0);
    ck_assert_int_gt(st.st_size, 0);
    ck_assert(stat("out", &target) != 0 || target.st_ino != st.st_ino);
    errno = sync_error;
    return sync_error == 0 ? 0 : -1;
}

static attn_sink *opened(const char *path)
{
    attn_sink *sink;
    attn_error error = {0};
    ck_assert_msg(attn_sink_open(path, &sink, &error) == ATTN_OK, "%s", error.message);
    return sink;
}

START_TEST(a_file_appears_whole)
{
    attn_error error;
    struct stat st;
    umask(027);
    attn_sink *sink = opened("out");
    attn_sink_text(sink, "new\n");
    ck_assert_int_ne(access("out", F_OK), 0);
    ck_assert_int_eq(attn_sink_commit(sink, &error), ATTN_OK);
    attn_sink_close(sink);
    holds("out", "new\n");
    ck_assert_int_eq(stat("out", &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0640);
    ck_assert_uint_eq(entries(), 1);
}
END_TEST

START_TEST(a_target_keeps_its_mode)
{
    static const mode_t modes[] = {0600, 0644, 0666, 0200};
    struct stat st;
    umask(027);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        write_file("out", "old");
        ck_assert_int_eq(chmod("out", modes[i]), 0);
        attn_sink *sink = opened("out");
        attn_sink_text(sink, "new\n");
        ck_assert_int_eq(attn_sink_commit(sink, NULL), ATTN_OK);
        attn_sink_close(sink);
        ck_assert_int_eq(stat("out", &st), 0);
        ck_assert_uint_eq(st.st_mode & 0777, modes[i]);
        ck_assert_uint_eq(entries(), 1);
        ck_assert_int_eq(unlink("out"), 0);
    }
}
END_TEST

START_TEST(the_bytes_are_on_the_disk_before_the_rename)
{
    attn_error error;
    write_file("out", "old");
    for (int i = 0; i < 2; i++) {
        attn_sink *sink = opened("out");
        attn_sink_text(sink, "new\n");
        syncs = 0;
        sync_error = i == 0 ? EIO : 0;
        ck_assert_int_eq(attn_sink_commit(sink, &error), i == 0 ? ATTN_EIO : ATTN_OK);
        ck_assert_uint_eq(syncs, 1);
        attn_sink_close(sink);
        holds("out", i == 0 ? "old" : "new\n");
        ck_assert_uint_eq(entries(), 1);
    }
}
END_TEST

START_TEST(without_commit_nothing_changes)
{
    write_file("out", "old");
    attn_sink *sink = opened("out");
    for (int i = 0; i < 100000; i++)
        attn_sink_text(sink, "0123456789");
    attn_sink_close(sink);
    holds("out", "old");
    ck_assert_uint_eq(entries(), 1);
}
END_TEST

START_TEST(a_symlink_is_followed)
{
    struct stat st;
    ck_assert_int_eq(mkdir("d", 0777), 0);
    ck_assert_int_eq(symlink("d/two", "one"), 0);
    ck_assert_int_eq(symlink("three", "d/two"), 0); /* nothing there yet */
    attn_sink *sink = opened("one");
    attn_sink_text(sink, "x");
    ck_assert_int_eq(attn_sink_commit(sink, NULL), ATTN_OK);
    attn_sink_close(sink);
    ck_assert_int_eq(lstat("one", &st), 0);
    ck_assert(S_ISLNK(st.st_mode));
    holds("d/three", "x");
    ck_assert_int_eq(symlink("loop", "loop"), 0);
    attn_error error;
    ck_assert_int_eq(attn_sink_open("loop", &sink, &error), ATTN_EIO);
    ck_assert_str_eq(error.message, strerror(ELOOP));
    ck_assert_ptr_null(sink);
}
END_TEST

static void dies_of(int signal_number)
{
    int ready[2], status;
    char byte;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        attn_sink *sink;
        signal(signal_number, SIG_DFL); /* Check has handlers of its own */
        attn_sink_open("out", &sink, NULL);
        attn_sink_text(sink, "half");
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_uint_eq(entries(), 1);
    kill(child, signal_number);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), signal_number);
    ck_assert_uint_eq(entries(), 0);
    close(ready[0]);
    close(ready[1]);
}

START_TEST(a_signal_leaves_nothing)
{
    dies_of(SIGINT);
    dies_of(SIGTERM);
    dies_of(SIGHUP);
    dies_of(SIGQUIT);
    dies_of(SIGPIPE);
    dies_of(SIGALRM);
    dies_of(SIGUSR1);
    dies_of(SIGUSR2);
    dies_of(SIGXCPU);
    dies_of(SIGXFSZ);
    dies_of(SIGPROF);
    dies_of(SIGVTALRM);
    dies_of(SIGABRT);
}
END_TEST

START_TEST(a_full_device_is_told)
{
    attn_sink *sink = opened("/dev/full");
    attn_error error;
    attn_sink_text(sink, "small");
    ck_assert_int_eq(attn_sink_status(sink, &error), ATTN_OK); /* still in the buffer */
    ck_assert_int_eq(attn_sink_commit(sink, &error), ATTN_EIO);
    ck_assert_str_eq(error.message, "No space left on device");
    ck_assert_str_eq(error.file, "/dev/full");
    attn_sink_close(sink);
}
END_TEST

START_TEST(a_closed_pipe_is_quiet)
{
    int ends[2];
    attn_error error;
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    close(ends[0]);
    attn_sink *sink = opened(NULL);
    for (int i = 0; i < 100000; i++)
        attn_sink_text(sink, "0123456789");
    ck_assert_int_eq(attn_sink_status(sink, &error), ATTN_ECLOSED);
    ck_assert_int_eq(error.status, ATTN_ECLOSED);
    ck_assert_int_eq(attn_sink_commit(sink, &error), ATTN_ECLOSED);
    attn_sink_close(sink);
}
END_TEST

START_TEST(closed_standard_output_is_an_error)
{
    attn_sink *sink;
    attn_error error;
    close(STDOUT_FILENO);
    ck_assert_int_eq(attn_sink_open(NULL, &sink, &error), ATTN_EIO);
    ck_assert_str_eq(error.file, "standard output");
    /* an input that took its number */
    ck_assert_int_eq(open("/dev/zero", O_RDONLY), STDOUT_FILENO);
    ck_assert_int_eq(attn_sink_open("-", &sink, &error), ATTN_EIO);
}
END_TEST

START_TEST(what_can_not_be_written_is_refused_at_once)
{
    attn_sink *sink;
    attn_error error;
    ck_assert_int_eq(attn_sink_open(".", &sink, &error), ATTN_EIO);
    ck_assert_str_eq(error.message, strerror(EISDIR));
    ck_assert_int_eq(attn_sink_open("no/such", &sink, &error), ATTN_EIO);
    ck_assert_ptr_nonnull(strstr(error.message, strerror(ENOENT)));
    ck_assert_str_eq(error.file, "no/such");
    sink = opened("/dev/null"); /* in place */
    attn_sink_text(sink, "x");
    ck_assert_int_eq(attn_sink_commit(sink, &error), ATTN_OK);
    attn_sink_close(sink);
}
END_TEST

START_TEST(large_and_small_pieces_keep_their_order)
{
    enum { N = 1 << 20 };
    char *big = malloc(N);
    attn_sink *sink = opened("out");
    for (int i = 0; i < N; i++)
        big[i] = (char)('a' + i % 23);
    for (int i = 0; i < 1000; i++) {
        char *room = attn_sink_room(sink, 64 * 1024);
        ck_assert_ptr_nonnull(room);
        memcpy(room, big + i, 7);
        attn_sink_advance(sink, 7);
    }
    ck_assert_ptr_null(attn_sink_room(sink, 64 * 1024 + 1));
    attn_sink_put(sink, big, N);
    ck_assert_int_eq(attn_sink_commit(sink, NULL), ATTN_OK);
    attn_sink_close(sink);
    size_t size;
    char *back = files_read("out", &size);
    ck_assert_uint_eq(size, 7000 + N);
    for (int i = 0; i < 1000; i++)
        ck_assert_mem_eq(back + 7 * i, big + i, 7);
    ck_assert_mem_eq(back + 7000, big, N);
    free(big);
    free(back);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sink");
    TCase *tests = tcase_create("sink");
    tcase_add_checked_fixture(tests, enter, NULL);
    tcase_add_test(tests, a_file_appears_whole);
    tcase_add_test(tests, a_target_keeps_its_mode);
    tcase_add_test(tests, the_bytes_are_on_the_disk_before_the_rename);
    tcase_add_test(tests, without_commit_nothing_changes);
    tcase_add_test(tests, a_symlink_is_followed);
    tcase_add_test(tests, a_signal_leaves_nothing);
    tcase_add_test(tests, a_full_device_is_told);
    tcase_add_test(tests, a_closed_pipe_is_quiet);
    tcase_add_test(tests, closed_standard_output_is_an_error);
    tcase_add_test(tests, what_can_not_be_written_is_refused_at_once);
    tcase_add_test(tests, large_and_small_pieces_keep_their_order);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
