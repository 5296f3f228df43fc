/* test_file.c: which files were read is known by device and inode: a hard link and a symlink are the same file, an
 * equal file is another (POSIX, stat(2)). */
#include "config.h"

#include "testing.h"

#include "base/file.h"
#include "testing/files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A new folder, which is then the working directory, with file "a" and what leads to it, and file "b" with the same
 * bytes. */
static void make_files(void)
{
    ck_assert_int_eq(chdir(files_folder()), 0);
    static const char same[1 << 14] = "same\n"; /* large enough to be mapped */
    files_write("a", same, sizeof same);
    files_write("b", same, sizeof same);
    ck_assert_int_eq(link("a", "hard"), 0);
    ck_assert_int_eq(symlink("a", "soft"), 0);
}

static const char *name_of(const attn_file_list *list, const char *path)
{
    const char *name;
    ck_assert_int_eq(attn_file_list_has(list, path, &name, NULL), ATTN_OK);
    return name;
}

START_TEST(an_opened_file_is_noted)
{
    attn_file_list list = {0};
    attn_file file;
    ck_assert_ptr_null(name_of(&list, "a"));
    ck_assert_int_eq(attn_file_open("soft", &list, &file, NULL), ATTN_OK);
    ck_assert_ptr_eq(file.list, &list);
    attn_file_close(&file);
    ck_assert_str_eq(name_of(&list, "a"), "soft");
    ck_assert_str_eq(name_of(&list, "soft"), "soft");
    ck_assert_str_eq(name_of(&list, "./hard"), "soft");
    ck_assert_ptr_null(name_of(&list, "b"));
    ck_assert_ptr_null(name_of(&list, "c"));
    ck_assert_int_eq(attn_file_open("hard", &list, &file, NULL), ATTN_OK); /* again: under its first name */
    attn_file_close(&file);
    ck_assert_uint_eq(list.places.count, 1);
    attn_file_list_free(&list);
    ck_assert_ptr_null(name_of(&list, "a"));
}
END_TEST

START_TEST(files_that_are_read_later_are_noted_before)
{
    attn_file_list list = {0};
    int kept = dup(STDIN_FILENO);
    ck_assert_int_eq(attn_file_list_note(&list, "hard", NULL), ATTN_OK);
    ck_assert_int_eq(attn_file_list_note(&list, "missing", NULL), ATTN_OK);
    ck_assert_int_eq(attn_file_list_note(&list, "/dev/null", NULL),
                     ATTN_OK); /* nothing is lost when it is written to */
    ck_assert_uint_eq(list.places.count, 1);
    ck_assert_str_eq(name_of(&list, "a"), "hard");
    ck_assert_ptr_null(name_of(&list, "/dev/null"));
    ck_assert_ptr_nonnull(freopen("b", "r", stdin));
    ck_assert_int_eq(attn_file_list_note(&list, "-", NULL), ATTN_OK);
    ck_assert_str_eq(name_of(&list, "b"), "standard input");
    ck_assert_int_eq(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
    attn_file_list_free(&list);
}
END_TEST

/* A file that was cut within its last page is read as zeros there, without a signal. */
START_TEST(a_file_that_is_shorter_in_the_end_is_told)
{
    attn_file_list list = {0};
    attn_file file;
    attn_error error = {0};
    ck_assert_int_eq(attn_file_open("a", &list, &file, NULL), ATTN_OK);
    ck_assert_int_eq(attn_file_list_whole(&list, &error), ATTN_OK);
    ck_assert_int_eq(truncate("hard", 4), 0);
    ck_assert_uint_eq(file.bytes.data[4], 0);
    ck_assert_int_eq(attn_file_list_whole(&list, &error), ATTN_EIO);
    ck_assert_str_eq(error.message, "a was cut short while it was read");
    ck_assert_int_eq(truncate("a", 1 << 15), 0); /* longer is no fault, nor is another file in its place */
    ck_assert_int_eq(attn_file_list_whole(&list, &error), ATTN_OK);
    ck_assert_int_eq(rename("b", "a"), 0);
    ck_assert_int_eq(truncate("a", 0), 0);
    ck_assert_int_eq(attn_file_list_whole(&list, &error), ATTN_OK);
    attn_file_close(&file);
    attn_file_list_free(&list);
}
END_TEST

START_TEST(a_text_that_was_read_may_be_cut)
{
    attn_file_list list = {0};
    attn_file file;
    ck_assert_int_eq(attn_file_open_text("a", &list, &file, NULL), ATTN_OK);
    ck_assert_int_eq(truncate("a", 0), 0);
    ck_assert_int_eq(attn_file_list_whole(&list, NULL), ATTN_OK);
    attn_file_close(&file);
    attn_file_list_free(&list);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("file");
    TCase *tests = tcase_create("file");
    tcase_add_checked_fixture(tests, make_files, NULL);
    tcase_add_test(tests, an_opened_file_is_noted);
    tcase_add_test(tests, files_that_are_read_later_are_noted_before);
    tcase_add_test(tests, a_file_that_is_shorter_in_the_end_is_told);
    tcase_add_test(tests, a_text_that_was_read_may_be_cut);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
