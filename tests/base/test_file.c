/* test_file.c: which files were read is known by device and inode: a hard link and a symlink are the same file, an
 * equal file is another (POSIX, stat(2)). */
#include "config.h"

#include "testing.h"

#include "base/file.h"
#include "testing/files.h"

#include <string.h>

/* A new folder, which is then the working directory, with file "a" and what leads to it, and file "b" with the same
 * bytes. */
static void make_files(void)
{
    ck_assert_int_eq(chdir(files_folder()), 0);
    files_write("a", "same\n", 5);
    files_write("b", "same\n", 5);
    ck_assert_int_eq(link("a", "hard"), 0);
    ck_assert_int_eq(symlink("a", "soft"), 0);
}

START_TEST(an_opened_file_is_noted)
{
    attn_file_list list = {0};
    attn_file file;
    ck_assert_ptr_null(attn_file_list_has(&list, "a"));
    ck_assert_int_eq(attn_file_open("soft", &list, &file, NULL), ATTN_OK);
    ck_assert_ptr_eq(file.list, &list);
    attn_file_close(&file);
    ck_assert_str_eq(attn_file_list_has(&list, "a"), "soft");
    ck_assert_str_eq(attn_file_list_has(&list, "soft"), "soft");
    ck_assert_str_eq(attn_file_list_has(&list, "./hard"), "soft");
    ck_assert_ptr_null(attn_file_list_has(&list, "b"));
    ck_assert_ptr_null(attn_file_list_has(&list, "c"));
    ck_assert_int_eq(attn_file_open("hard", &list, &file, NULL), ATTN_OK); /* again: under its first name */
    attn_file_close(&file);
    ck_assert_uint_eq(list.places.count, 1);
    attn_file_list_free(&list);
    ck_assert_ptr_null(attn_file_list_has(&list, "a"));
}
END_TEST

START_TEST(files_that_are_read_later_are_noted_before)
{
    attn_file_list list = {0};
    int kept = dup(STDIN_FILENO);
    ck_assert(attn_file_list_note(&list, "hard"));
    ck_assert(attn_file_list_note(&list, "missing"));
    ck_assert(attn_file_list_note(&list, "/dev/null")); /* nothing is lost when it is written to */
    ck_assert_uint_eq(list.places.count, 1);
    ck_assert_str_eq(attn_file_list_has(&list, "a"), "hard");
    ck_assert_ptr_null(attn_file_list_has(&list, "/dev/null"));
    ck_assert_ptr_nonnull(freopen("b", "r", stdin));
    ck_assert(attn_file_list_note(&list, "-"));
    ck_assert_str_eq(attn_file_list_has(&list, "b"), "standard input");
    ck_assert_int_eq(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
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
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
