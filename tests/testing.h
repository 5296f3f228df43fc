/* testing.h: what every Check suite needs: a main, and the way to the outside data. */
#ifndef ATTN_TESTS_TESTING_H
#define ATTN_TESTS_TESTING_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Runs SUITE; the process's exit status. */
static inline int testing_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int failed;
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* "DIR/NAME" in a static buffer, DIR the outside data's. NULL where that is absent: say SKIP. */
static inline const char *testing_shared(const char *name)
{
    static char path[4096];
    const char *directory = getenv("ATTN_SHARED");
    snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : "../shared", name);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* A file of the source tree. */
static inline const char *testing_source(const char *name)
{
    static char path[4096];
    const char *directory = getenv("ATTN_SOURCE");
    snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : ".", name);
    return path;
}

#endif
