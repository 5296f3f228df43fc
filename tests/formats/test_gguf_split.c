/* test_gguf_split.c: GGUF models in parts, written here by hand as llama.cpp's gguf-split names and marks them: split.no
 * counts from 0, names from 1; the keys stand in the first part. */
#include "config.h"

#include "testing.h"

#include "testing/containers.h"
#include "testing/files.h"

#include <string.h>

enum { N_PARTS = 3 };

typedef struct marks { /* what a part says of itself */
    uint64_t no, count, n_tensors;
} marks;

static void put_text(containers_image *file, const char *text)
{
    containers_put(file, strlen(text), 8);
    containers_put_bytes(file, text, strlen(text));
}

static void put_number(containers_image *file, const char *key, uint64_t value)
{
    put_text(file, key);
    containers_put(file, 4, 4);
    containers_put(file, value, 4);
}

/* A part with one tensor "t<PART>" of PART + 1 numbers from 10 · PART on, and "mine" in the first. */
static containers_image part_of(size_t part, marks says)
{
    containers_image file = {.size = 0};
    containers_put_bytes(&file, "GGUF", 4);
    containers_put(&file, 3, 4);
    containers_put(&file, 1, 8);
    containers_put(&file, part == 0 ? 4 : 3, 8);
    if (part == 0)
        put_number(&file, "mine", 7);
    put_number(&file, "split.no", says.no);
    put_number(&file, "split.count", says.count);
    put_number(&file, "split.tensors.count", says.n_tensors);
    put_text(&file, files_print("t%zu", part));
    containers_put(&file, 1, 4);
    containers_put(&file, part + 1, 8);
    containers_put(&file, 0, 4);
    containers_put(&file, 0, 8);
    while (file.size % 32 != 0)
        containers_put(&file, 0, 1);
    containers_put_floats(&file, part + 1, 10 * part);
    return file;
}

static const char *path_of(const char *folder, size_t part)
{
    return files_join(folder, files_print("my-model-%05zu-of-%05d.gguf", part + 1, N_PARTS));
}

static void write_part(const char *folder, size_t part, marks says)
{
    containers_image file = part_of(part, says);
    files_write(path_of(folder, part), file.data, file.size);
}

/* A folder with all parts. */
static const char *all_parts(void)
{
    const char *folder = files_folder();
    for (size_t part = 0; part < N_PARTS; part++)
        write_part(folder, part, (marks){part, N_PARTS, N_PARTS});
    return folder;
}

/* The message with which PATH is refused; it holds WORD. */
static void refused(const char *path, const char *word)
{
    attn_container container;
    attn_error error = {0};
    char text[1024];
    ck_assert_int_ne(attn_container_open(path, NULL, &container, &error), ATTN_OK);
    attn_error_text(&error, text, sizeof text);
    ck_assert_msg(strstr(text, word) != NULL, "'%s' is not in: %s", word, text);
}

START_TEST(any_part_opens_all)
{
    const char *folder = all_parts();
    for (size_t part = 0; part < N_PARTS; part++) {
        attn_container container;
        ck_assert_int_eq(attn_container_open(path_of(folder, part), NULL, &container, NULL), ATTN_OK);
        ck_assert_uint_eq(container.n_tensors, N_PARTS);
        containers_values(&container, "t0", 1, (size_t[]){1}, (float[]){0});
        containers_values(&container, "t1", 1, (size_t[]){2}, (float[]){10, 11});
        containers_values(&container, "t2", 1, (size_t[]){3}, (float[]){20, 21, 22});
        ck_assert_str_eq(container.tensors[0].name, "t0"); /* in the order of parts */
        ck_assert_str_eq(container.tensors[2].file, path_of(folder, 2));
        ck_assert_str_eq(container.files[0].name, path_of(folder, 0));
        ck_assert_uint_eq(attn_container_meta(&container, "mine")->u64, 7);
        ck_assert_uint_eq(attn_container_meta(&container, "split.no")->u64, 0);
        attn_container_close(&container);
    }
}
END_TEST

START_TEST(parts_that_are_missing)
{
    const char *folder = all_parts();
    ck_assert_int_eq(unlink(path_of(folder, 1)), 0);
    refused(path_of(folder, 2), "1 is not beside it: 'my-model-00002-of-00003.gguf'");
    ck_assert_int_eq(unlink(path_of(folder, 0)), 0);
    refused(path_of(folder, 2), "2 are not beside it: 'my-model-00001-of-00003.gguf', 'my-model-00002-of-00003.gguf'");
}
END_TEST

START_TEST(names_and_marks_that_differ)
{
    const char *folder = all_parts(), *other = files_join(folder, "other.gguf");
    containers_image file = part_of(1, (marks){1, N_PARTS, N_PARTS});
    files_write(other, file.data, file.size);
    refused(other, "-00002-of-00003.gguf");
    write_part(folder, 1, (marks){2, N_PARTS, N_PARTS});
    refused(path_of(folder, 0), "my-model-00002-of-00003.gguf: by its name it is part 2 of 3, by split.no and "
                                "split.count 3 of 3");
    refused(path_of(folder, 1), "-00003-of-00003.gguf");
    write_part(folder, 1, (marks){1, 2, N_PARTS});
    refused(path_of(folder, 2), "part 2 of 3, by split.no and split.count 2 of 2");
    write_part(folder, 1, (marks){7, N_PARTS, N_PARTS});
    refused(path_of(folder, 1), "split.no is 7");
    write_part(folder, 1, (marks){1, 4000000000, N_PARTS});
    refused(path_of(folder, 1), "split.count 4000000000");
}
END_TEST

START_TEST(tensors_that_are_not_all_there)
{
    const char *folder = all_parts();
    write_part(folder, 0, (marks){0, N_PARTS, N_PARTS + 1});
    refused(path_of(folder, 1), "split.tensors.count is 4, but its parts hold 3 tensors");
    containers_image again = part_of(0, (marks){1, N_PARTS, N_PARTS});
    files_write(path_of(folder, 1), again.data, again.size);
    refused(path_of(folder, 0), "two tensors 't0'");
}
END_TEST

START_TEST(a_part_cut_at_every_byte)
{
    const char *folder = all_parts();
    containers_image file = part_of(1, (marks){1, N_PARTS, N_PARTS});
    for (size_t size = 0; size < file.size; size++) {
        files_write(path_of(folder, 1), file.data, size);
        refused(path_of(folder, 0), "my-model-00002-of-00003.gguf: ");
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gguf_split");
    TCase *tests = tcase_create("gguf_split");
    tcase_add_test(tests, any_part_opens_all);
    tcase_add_test(tests, parts_that_are_missing);
    tcase_add_test(tests, names_and_marks_that_differ);
    tcase_add_test(tests, tensors_that_are_not_all_there);
    tcase_add_test(tests, a_part_cut_at_every_byte);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
