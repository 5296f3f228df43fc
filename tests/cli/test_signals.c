/* test_signals.c: how the program ends when a file is cut under it, a reader goes, a file grows too large, standard error
 * is closed. The numbers of signals and of statuses are POSIX's. Each child works in a folder of its own. */
#include "config.h"

#include "testing.h"

#include "base/file.h"
#include "cli/run.h"
#include "cli/signals.h"
#include "output/sink.h"
#include "testing/files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { BIG = 3 << 20 };

static void make_files(void)
{
    char *big = calloc(BIG, 1);
    ck_assert_int_eq(chdir(files_folder()), 0);
    files_write("big\n", big, BIG);
    files_write("text", big, 1000);
    files_write("vectors", "a 1 0\nb 0 1\nc 1 1\nd 2 1\n", 24);
    free(big);
}

/* The status with which a child that does WORK ends; what it says on standard error goes to the file "said". */
static int status_of(void (*work)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int said = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (dup2(said, STDERR_FILENO) != STDERR_FILENO || signal(SIGPIPE, SIG_DFL) == SIG_ERR)
            _exit(99);
        work();
        _exit(98);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

/* What a child said on standard error. */
static void check_said(const char *expected)
{
    char *said = files_read("said", NULL);
    ck_assert_str_eq(said, expected);
    free(said);
}

static void read_what_is_cut(void)
{
    attn_sink *sink;
    attn_file file;
    attn_signals_catch();
    if (attn_sink_open("out", &sink, NULL) != ATTN_OK || attn_file_open("big\n", NULL, &file, NULL) != ATTN_OK ||
        truncate("big\n", 100) != 0)
        _exit(97);
    volatile const uint8_t *bytes = file.bytes.data;
    (void)bytes[BIG - 1];
}

START_TEST(a_file_cut_while_it_is_read_is_told)
{
    int status = status_of(read_what_is_cut);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 1);
    check_said("attn: big\\x0A was cut short while it was read\n");
    ck_assert_int_eq(system("test -z \"$(ls -A | grep attn)\""), 0);
}
END_TEST

static void read_a_text_that_is_cut(void)
{
    attn_file file;
    if (attn_file_open_text("text", NULL, &file, NULL) != ATTN_OK || truncate("text", 0) != 0)
        _exit(97);
    volatile const uint8_t *bytes = file.bytes.data;
    _exit(file.bytes.size == 1000 && bytes[999] == 0 ? 0 : 96);
}

START_TEST(a_small_text_may_change)
{
    ck_assert_int_eq(status_of(read_a_text_that_is_cut), 0);
}
END_TEST

static void get_sigbus(void)
{
    attn_sink *sink;
    attn_signals_catch();
    attn_sink_open("out", &sink, NULL);
    raise(SIGBUS);
}

START_TEST(any_other_bus_error_kills_and_leaves_nothing)
{
    int status = status_of(get_sigbus);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGBUS);
    check_said("");
    ck_assert_int_eq(system("test -z \"$(ls -A | grep attn)\""), 0);
}
END_TEST

/* A pipe nobody reads, as DESCRIPTOR. */
static void lead_nowhere(int descriptor)
{
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], descriptor) != descriptor)
        _exit(97);
    close(ends[0]);
}

static void run(const char *text, const char *path)
{
    char *arguments[] = {
        "attn", "-e", "vectors", "--text", (char *)(uintptr_t)text, "-f", "json", "-o", (char *)(uintptr_t)path, NULL};
    _exit(attn_cli_run(9, arguments));
}

static void print_to_nobody(void)
{
    lead_nowhere(STDOUT_FILENO);
    run("a b", "-");
}

START_TEST(a_reader_that_has_gone_ends_us_as_ever)
{
    int status = status_of(print_to_nobody);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGPIPE);
    check_said("");
}
END_TEST

static void print_too_much(void)
{
    const struct rlimit limit = {100, 100};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(97);
    run("a b c d", "out");
}

START_TEST(too_large_a_file_is_told)
{
    int status = status_of(print_too_much);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 1);
    check_said("attn: out: File too large\n");
    ck_assert_int_ne(access("out", F_OK), 0);
}
END_TEST

/* Bytes of no UTF-8 that look like a code page bring a warning before the first byte of output. */
static const char code_page[] = "a b \xC7\xD1\xB1\xDB \xC0\xCC \xC0\xD6\xB4\xD9";

static void warn(void)
{
    run(code_page, "warned");
}

static void warn_where_it_is_closed(void)
{
    close(STDERR_FILENO);
    run(code_page, "closed");
}

static void warn_where_it_is_full(void)
{
    dup2(open("/dev/full", O_WRONLY), STDERR_FILENO);
    run(code_page, "full");
}

static void warn_nobody(void)
{
    lead_nowhere(STDERR_FILENO);
    run(code_page, "gone");
}

static void check_says_warning(void)
{
    char *said = files_read("said", NULL);
    ck_assert_ptr_nonnull(strstr(said, "warning"));
    free(said);
}

/* PATH holds what the run printed whose warning could be read. */
static void check_as_warned(const char *path)
{
    char *found = files_read(path, NULL), *expected = files_read("warned", NULL);
    ck_assert_str_eq(found, expected);
    free(found);
    free(expected);
}

START_TEST(a_lost_warning_changes_nothing)
{
    ck_assert_int_eq(status_of(warn), 0);
    check_says_warning();
    ck_assert_int_eq(status_of(warn_where_it_is_closed), 0);
    ck_assert_int_eq(status_of(warn_where_it_is_full), 0);
    ck_assert_int_eq(status_of(warn_nobody), 0);
    check_as_warned("closed");
    check_as_warned("full");
    check_as_warned("gone");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("signals");
    TCase *tests = tcase_create("signals");
    tcase_add_checked_fixture(tests, make_files, NULL);
    tcase_add_test(tests, a_file_cut_while_it_is_read_is_told);
    tcase_add_test(tests, a_small_text_may_change);
    tcase_add_test(tests, any_other_bus_error_kills_and_leaves_nothing);
    tcase_add_test(tests, a_reader_that_has_gone_ends_us_as_ever);
    tcase_add_test(tests, too_large_a_file_is_told);
    tcase_add_test(tests, a_lost_warning_changes_nothing);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
