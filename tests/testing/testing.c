/* testing.c: see testing.h. */
#include "config.h"

#include "testing.h"

#include "testing/files.h"

#include <stdarg.h>
#include <string.h>

int testing_run(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

const char *testing_shared(const char *name)
{
    const char *directory = getenv("ATTN_SHARED");
    const char *path = files_join(directory != NULL ? directory : "../shared", name);
    return access(path, R_OK) == 0 ? path : NULL;
}

const char *testing_source(const char *name)
{
    const char *directory = getenv("ATTN_SOURCE");
    return files_join(directory != NULL ? directory : ".", name);
}

/* Check's functions are called TEST_fn. */
void testing_say_skip(const char *test, const char *format, ...)
{
    size_t length = strlen(test);
    va_list arguments;
    if (length > 3 && strcmp(test + length - 3, "_fn") == 0)
        length -= 3;
    printf("SKIP: %.*s: ", (int)length, test);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}
