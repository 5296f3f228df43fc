/* test_memory.c: fails every allocation in turn, for a set of whole runs: each ends in exit status 1 without a
 * crash (and, under the address sanitizer, without a leak), until the run that needs no more allocations is
 * fine. */
#include "config.h"

#include "testing.h"

#include "base/memory.h"
#include "cli/run.h"

#include <fcntl.h>
#include <string.h>

enum { MOST_ARGUMENTS = 16 };

typedef struct countdown {
    size_t left;
    bool fired;
} countdown;

static bool allow(void *context, size_t size)
{
    countdown *count = context;
    (void)size;
    if (count->left == 0) {
        count->fired = true;
        return false;
    }
    count->left--;
    return true;
}

static const char *const runs[][MOST_ARGUMENTS] = {
    {"attn", "-m", "examples/fruit.json", "-T", "apple orange pear"},
    {"attn", "-m", "examples/fruit.json", "-T", "apple orange", "-f", "json", "-p", "scores"},
    {"attn", "-m", "examples/fruit.json", "-T", "apple orange", "-f", "table"},
    {"attn", "-m", "examples/fruit.json", "-T", "apple orange", "-f", "npy", "-p", "embeddings"},
    {"attn", "-m", "examples/subjects.json", "-p", "nearest", "-T", "maths physics"},
    {"attn", "-m", "examples/fruit.json", "-p", "similar", "-T", "apple - pear"},
    {"attn", "-m", "examples/subjects.json", "-f", "matrix", "--average=heads", "-T", "maths physics"},
    {"attn", "-v", "examples/ko/fishing-words.txt", "-w", "examples/ko/fishing-weights.json", "-t", "longest", "-p",
     "tokens", "-T", "어부가 그물을"},
    {"attn", "-m", "examples/subjects.json", "-p", "model"},
    {"attn", "-m", "examples/weekday.json", "-p", "heads", "-T", "ann-monday bob-monday"},
    {"attn", "--help"},
    {"attn", "--version"},
};

/* The exit status of RUN when its allocation N fails; *FIRED: there was one. */
static int run_failing(size_t run, size_t n, bool *fired)
{
    static char storage[MOST_ARGUMENTS][4200];
    char *arguments[MOST_ARGUMENTS + 1] = {NULL};
    countdown count = {n, false};
    int n_arguments = 0, code;
    while (n_arguments < MOST_ARGUMENTS && runs[run][n_arguments] != NULL) {
        const char *argument = runs[run][n_arguments];
        if (strncmp(argument, "examples/", 9) == 0)
            argument = testing_source(argument);
        snprintf(storage[n_arguments], sizeof storage[0], "%s", argument);
        arguments[n_arguments] = storage[n_arguments];
        n_arguments++;
    }
    attn_set_alloc_hook(allow, &count);
    code = attn_cli_run(n_arguments, arguments);
    attn_set_alloc_hook(NULL, NULL);
    *fired = count.fired;
    return code;
}

START_TEST(every_allocation_may_fail)
{
    size_t n = 0;
    bool fired = true;
    int null = open("/dev/null", O_WRONLY);
    ck_assert_int_ge(null, 0);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    for (; fired; n++) {
        int code = run_failing((size_t)_i, n, &fired);
        ck_assert_msg(code == (fired ? 1 : 0), "run %d, allocation %zu: exit status %d", _i, n, code);
        ck_assert_msg(n < 100000, "run %d does not end", _i);
    }
    ck_assert_uint_gt(n, 1);
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
