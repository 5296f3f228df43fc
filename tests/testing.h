/* testing.h: what every suite needs: a main, the way to the source tree and to the outside data, and the word that a
 * test is skipped. libtesting.a has more, a header each in testing/:
 *
 *   arrays.h      .npy files; how near two arrays are
 *   capture.h     a pass over a model, all that it shows kept
 *   containers.h  files of matrices out of memory: cut short, damaged, without memory
 *   files.h       temporary files and folders, paths, whole files read and written
 *   locales.h     a locale with a decimal comma
 *   memory.h      allocations that fail, each in turn
 *   models.h      toys and models that open, and those that must not
 *   parts.h       a pass over a model, all its parts kept; tables of right values
 *   random.h      random numbers, the same everywhere
 *   reports.h     a report over a toy, as text
 *   sinks.h       what is written through a sink, as text
 *   texts.h       tokenizers, their ids and labels as text; conformance texts
 *   trees.h       JSON files as trees, lists of numbers in them
 *
 * (replay.c is the main of fuzz programs without libFuzzer.) What they return and do not say otherwise of lives until
 * the test's process ends. */
#ifndef ATTN_TESTS_TESTING_H
#define ATTN_TESTS_TESTING_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Check notes the place of every assertion that holds, a write each: millions where numbers are compared, most of the
 * time that a test takes. Here it notes none; a test that dies is known by its name. */
#define _mark_point(file, line) ((void)0)

/* Runs SUITE; the process's exit status. */
int testing_run(Suite *suite);

/* The path of NAME in the outside data; NULL where that is absent: the test is skipped. */
const char *testing_shared(const char *name);

/* The path of NAME in the source tree. */
const char *testing_source(const char *name);

/* In a START_TEST: says why this test (or this turn of a loop test) is left out, and ends it. tests/totals.sh takes it
 * from Check's count of tests, so nothing may be checked before. */
#define testing_skip(...)                                                                                              \
    do {                                                                                                               \
        testing_say_skip(__func__, __VA_ARGS__);                                                                       \
        return;                                                                                                        \
    } while (0)
void testing_say_skip(const char *test, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same where NAME of the outside data is what lacks. */
#define testing_need(name)                                                                                             \
    do {                                                                                                               \
        if (testing_shared(name) == NULL)                                                                              \
            testing_skip("no outside data: %s", name);                                                                 \
    } while (0)

#endif
