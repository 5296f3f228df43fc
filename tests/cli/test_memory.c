/* test_memory.c: fails every allocation in turn, for a set of whole runs: each ends in exit status 1 without a
 * crash (and, under the address sanitizer, without a leak), until the run that needs no more allocations is
 * fine. */
#include "config.h"

#include "testing.h"

#include "cli/run.h"
#include "testing/memory.h"

#include <fcntl.h>
#include <string.h>

enum { MOST_ARGUMENTS = 16 };

static const char *const runs[][MOST_ARGUMENTS] = {
    {"attn", "-m", "examples/fruit.json", "-T", "apple orange pear"},
    {"attn", "-m", "examples/fruit.json", "-T", "apple orange", "-f", "json", "-p", "scores"},
    {"attn", "-m", "examples/fruit.json", "-T", "apple orange", "-f", "table"},
    {"attn", "-m", "examples/fruit.json", "-T", "apple orange", "-f", "npy", "-p", "embeddings"},
    {"attn", "-m", "examples/subjects.json", "-f", "heat", "--color=always", "-T", "maths physics"},
    {"attn", "-m", "examples/subjects.json", "-f", "heat", "-p", "heads", "-T", "maths physics"},
    {"attn", "-m", "examples/fruit.json", "-f", "heat", "-T", "apple orange"},
    {"attn", "-m", "examples/subjects.json", "-p", "explain", "-f", "html", "-T", "maths physics"},
    {"attn", "-m", "examples/subjects.json", "-f", "html", "-a", "window:1", "-T", "maths physics", "-T", "maths"},
    {"attn", "-m", "examples/subjects.json", "-p", "nearest", "-T", "maths physics"},
    {"attn", "-m", "examples/fruit.json", "-p", "similar", "-T", "apple - pear"},
    {"attn", "-m", "examples/subjects.json", "-f", "matrix", "--average=heads", "-T", "maths physics"},
    {"attn", "-v", "examples/ko/fishing-words.txt", "-w", "examples/ko/fishing-weights.json", "-t", "longest", "-p",
     "tokens", "-T", "어부가 그물을"},
    {"attn", "-m", "examples/subjects.json", "-p", "explain", "-f", "table", "-k", "1", "-T", "maths physics"},
    {"attn", "-m", "examples/fisherman.json", "-p", "explain", "-f", "json", "-T", "fisherman net"},
    {"attn", "-m", "examples/subjects.json", "-p", "pull", "-f", "table", "-k", "1", "-T", "maths physics"},
    {"attn", "-m", "examples/subjects.json", "-p", "heads", "-f", "table", "--width=30", "-T", "maths physics"},
    {"attn", "-m", "examples/subjects.json", "-f", "table", "--width=20", "--color=always", "-T", "maths physics"},
    {"attn", "-m", "examples/subjects.json", "-p", "moves", "-T", "maths physics"},
    {"attn", "-m", "examples/fisherman.json", "-p", "queries", "-f", "npy", "-T", "fisherman net"},
    {"attn", "-m", "examples/subjects.json", "-p", "model"},
    {"attn", "-m", "examples/weekday.json", "-p", "heads", "-T", "ann-monday bob-monday"},
    {"attn", "-m", "examples/fruit.json", "-c", "examples/texts/phone.txt", "-o", "/dev/null",
     "examples/texts/orchard.txt"},
    {"attn", "-m", "examples/subjects.json", "-f", "svg", "--draw=large", "-T", "maths physics"},
    {"attn", "-m", "examples/subjects.json", "-f", "svg", "-T", "maths physics"},
    {"attn", "-m", "examples/subjects.json", "-f", "svg", "--draw=lines", "-T", "maths physics"},
    {"attn", "-m", "examples/subjects.json", "-f", "svg", "-p", "heads", "-T", "maths physics"},
    {"attn", "-v", "models/attn-tiny/tokenizer.json", "-p", "tokens", "-T", "a"},
    {"attn", "-m", "examples/fruit.json", "-f", "svg", "-p", "pull", "-T", "apple pear", "-T", "apple android"},
    {"attn", "-m", "examples/eight.json", "-f", "svg", "-p", "embeddings", "--at=before", "-T", "x"},
    {"attn", "-m", "examples/fruit.json", "-f", "svg", "-p", "embeddings", "--at=before,after", "--axes=pca", "-T",
     "apple pear"},
    {"attn", "-m", "examples/half.json", "-f", "svg", "-p", "pull", "--draw=squares", "-T", "maths physics"},
    {"attn", "--help"},
    {"attn", "--version"},
};

static attn_status run_once(void *context, attn_error *error)
{
    const char *const *words = context;
    char *arguments[MOST_ARGUMENTS + 1] = {NULL};
    int n = 0;
    for (; n < MOST_ARGUMENTS && words[n] != NULL; n++)
        arguments[n] = (char *)(strncmp(words[n], "examples/", 9) == 0 || strncmp(words[n], "models/", 7) == 0
                                    ? testing_source(words[n])
                                    : words[n]);
    int code = attn_cli_run(n, arguments);
    ck_assert_msg(code == 0 || code == 1, "exit status %d", code);
    return code == 0 ? ATTN_OK : attn_fail_memory(error);
}

START_TEST(every_allocation_may_fail)
{
    int null = open("/dev/null", O_WRONLY);
    ck_assert_int_ge(null, 0);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    memory_failures found = memory_fail_each(run_once, (char **)runs[_i], MEMORY_FROM);
    ck_assert_uint_gt(found.allocations, 1);
    ck_assert_uint_eq(found.failures, found.allocations);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory of whole runs");
    TCase *tests = tcase_create("memory");
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, every_allocation_may_fail, 0, (int)(sizeof runs / sizeof runs[0]));
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
