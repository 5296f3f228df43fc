/* check.h: a stand-in for libcheck's header, enough for test_kernels.c and the helpers it uses, so that the same tests
 * make a plain static program for a machine that has no libcheck (neon.sh). A test runs when it is added; the first
 * failure ends the program. */
#ifndef ATTN_TESTS_PLAIN_CHECK_H
#define ATTN_TESTS_PLAIN_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ck_assert_msg(condition, ...)                                                                                  \
    ((condition) ? (void)0                                                                                             \
                 : (void)(fprintf(stderr, "%s:%d: ", __FILE__, __LINE__), fprintf(stderr, __VA_ARGS__),                \
                          fputc('\n', stderr), exit(1)))
#define ck_assert(condition) ck_assert_msg(condition, "%s", #condition)
#define ck_assert_ptr_nonnull(pointer) ck_assert((pointer) != NULL)
#define ck_assert_ptr_null(pointer) ck_assert((pointer) == NULL)
#define ck_assert_str_eq(a, b) ck_assert(strcmp(a, b) == 0)
#define ck_assert_int_eq(a, b) ck_assert((a) == (b))
#define ck_assert_uint_eq(a, b) ck_assert((a) == (b))

#define START_TEST(name)                                                                                               \
    static void name(int _i)                                                                                           \
    {                                                                                                                  \
        (void)_i;                                                                                                      \
        puts(#name);
#define END_TEST }

typedef struct Suite {
    int unused;
} Suite;
typedef Suite TCase;
typedef Suite SRunner;

__attribute__((weak)) int plain_n_tests; /* one for all files */

static inline Suite *suite_create(const char *name)
{
    static Suite suite;
    puts(name);
    return &suite;
}

#define tcase_create suite_create
#define srunner_create(suite) (suite)
#define srunner_run_all(runner, mode)                                                                                  \
    ((void)(runner), (void)printf("100%%: Checks: %d, Failures: 0, Errors: 0\n", plain_n_tests))
#define srunner_ntests_failed(runner) ((void)(runner), 0)
#define srunner_free(runner) ((void)(runner))
#define suite_add_tcase(suite, group) ((void)(group))
#define tcase_set_timeout(group, seconds) ((void)(group))
#define tcase_add_test(group, test) (plain_n_tests++, test(0))
#define tcase_add_loop_test(group, test, from, end)                                                                    \
    do                                                                                                                 \
        for (int i_ = (from); i_ < (end); i_++)                                                                        \
            (plain_n_tests++, test(i_));                                                                               \
    while (0)

#endif
