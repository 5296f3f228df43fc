/* test_npz.c: numpy's archives. Right values: what make_data.py put into tests/data/formats/npz
 * with numpy and Python's zipfile; hostile files are those with bytes changed. */
#include "config.h"

#include "testing.h"

#include "testing/containers.h"
#include "testing/files.h"

#include <string.h>

static void three_arrays(const char *name)
{
    attn_container container;
    attn_error error = {0};
    ck_assert_msg(containers_open(name, &container, &error) == ATTN_OK, "%s: %s", name, error.message);
    ck_assert_str_eq(container.format->name, "npz");
    ck_assert_uint_eq(container.n_tensors, 3);
    containers_values(&container, "W_Q", 2, (size_t[]){3, 2}, (float[]){1, 2, 3, 4, 5, 6});
    containers_values(&container, "W_K", 2, (size_t[]){2, 2}, (float[]){1.5f, -2.5f, 0, 7});
    containers_values(&container, "b", 1, (size_t[]){5}, (float[]){0, 1, 2, 3, 4});
    attn_container_close(&container);
}

START_TEST(values)
{
    three_arrays("npz/savez.npz");
    three_arrays("npz/compressed.npz");
    three_arrays("npz/pipe_stored.npz");
    three_arrays("npz/pipe_deflated.npz");
    three_arrays("npz/zip64.npz");
}
END_TEST

/* Texts, files of other kinds, a directory; a program before the archive. */
START_TEST(what_is_no_array_stops_nobody)
{
    attn_container container;
    attn_error error = {0};
    three_arrays("npz/others.npz");
    three_arrays("npz/before.npz");
    ck_assert_int_eq(containers_open("npz/others.npz", &container, NULL), ATTN_OK);
    ck_assert_int_eq(attn_container_missing(&container, "names", &error), ATTN_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.message, "'<U2'"));
    attn_container_close(&container);
}
END_TEST

START_TEST(odd_but_right)
{
    attn_container container;
    ck_assert_int_eq(containers_open("npz/comment.npz", &container, NULL), ATTN_OK);
    containers_values(&container, "x", 1, (size_t[]){1}, (float[]){7});
    attn_container_close(&container);
    ck_assert_int_eq(containers_open("npz/empty.npz", &container, NULL), ATTN_OK);
    ck_assert_uint_eq(container.n_tensors, 0);
    attn_container_close(&container);
    ck_assert_int_eq(containers_open("npz/zeros.npz", &container, NULL), ATTN_OK);
    containers_touch(&container);
    attn_container_close(&container);
}
END_TEST

START_TEST(refused_by_name)
{
    containers_refused("npz/bomb.npz", "hundredfold");
    containers_refused("npz/bzip2.npz", "method 12");
    containers_refused("npz/object.npz", "'o.npy'");
    containers_refused("npz/twice.npz", "two tensors 'W_Q'");
}
END_TEST

typedef containers_image image;

static image load(const char *name)
{
    image copy = {.size = 0};
    size_t size;
    char *data = files_read(files_join(testing_source("tests/data/formats/npz"), name), &size);
    containers_put_bytes(&copy, data, size);
    free(data);
    return copy;
}

/* Where SIGNATURE comes for the NTH time (from 0). */
static size_t find(const image *file, const char *signature, size_t nth)
{
    for (size_t i = 0; i + 4 <= file->size; i++)
        if (memcmp(file->data + i, signature, 4) == 0 && nth-- == 0)
            return i;
    ck_abort_msg("no signature");
    return 0;
}

#define LOCAL "PK\x03\x04"
#define ENTRY "PK\x01\x02"
#define END "PK\x05\x06"
#define END64 "PK\x06\x06"

/* NAME with one byte set (the NTH SIGNATURE's, AT bytes on) must be refused with WORD. */
static void patched(const char *name, const char *signature, size_t nth, size_t at, uint8_t value, const char *word)
{
    image file = load(name);
    file.data[find(&file, signature, nth) + at] = value;
    containers_refused_bytes("x.npz", file.data, file.size, word);
}

START_TEST(checksums)
{
    image file = load("savez.npz");
    file.data[find(&file, ENTRY, 0) - 1] ^= 1; /* the last member's last number */
    containers_refused_bytes("x.npz", file.data, file.size, "checksum");
    patched("compressed.npz", ENTRY, 1, 16, 0x55, "checksum");
}
END_TEST

START_TEST(sizes_that_lie)
{
    patched("compressed.npz", ENTRY, 0, 24, 0x01, "claims");  /* content shorter */
    patched("compressed.npz", ENTRY, 0, 25, 0x7f, "claims");  /* longer */
    patched("compressed.npz", ENTRY, 0, 27, 0x7f, "packing"); /* far longer */
    patched("compressed.npz", ENTRY, 0, 20, 0x01, "");
    patched("compressed.npz", ENTRY, 0, 22, 0xff, "fit");
    patched("savez.npz", ENTRY, 0, 25, 0x7f, "packing"); /* stored: must be equal */
}
END_TEST

START_TEST(directories_that_lie)
{
    patched("savez.npz", ENTRY, 1, 42, 0, "contradicts");  /* the first member again */
    patched("savez.npz", ENTRY, 0, 43, 0xff, "directory"); /* no local header there */
    patched("savez.npz", ENTRY, 0, 30, 0xff, "damaged");   /* extra field too long */
    patched("savez.npz", ENTRY, 0, 8, 1, "encrypted");
    patched("savez.npz", LOCAL, 0, 30, 'X', "contradicts"); /* another name */
    patched("savez.npz", END, 0, 10, 4, "disks");
    patched("savez.npz", END, 0, 4, 1, "disks");
    patched("savez.npz", END, 0, 15, 1, "fit");
    patched("savez.npz", END, 0, 19, 1, "fit");
    patched("savez.npz", END, 0, 20, 9, "directory");
    patched("zip64.npz", END64, 0, 24, 9, "zip64");
    patched("zip64.npz", END64, 0, 0, 'X', "zip64");
    patched("zip64.npz", END64, 0, 55, 0xff, "fit");
}
END_TEST

START_TEST(members_that_share_bytes)
{
    /* the second entry made a copy of the first one: what a bomb does with one kernel of data */
    image file = load("twice.npz");
    size_t first = find(&file, ENTRY, 0), second = find(&file, ENTRY, 1);
    memcpy(file.data + second, file.data + first, second - first);
    containers_refused_bytes("x.npz", file.data, file.size, "overlaps");
}
END_TEST

START_TEST(cut_at_every_byte)
{
    static const char *const names[] = {"savez.npz", "compressed.npz", "zip64.npz", "pipe_deflated.npz"};
    for (size_t i = 0; i < 4; i++) {
        image file = load(names[i]);
        containers_truncate("x.npz", file.data, file.size);
    }
}
END_TEST

/* Each byte of a file set to each of a few values: an error or a load, never a crash. */
START_TEST(every_byte_changed)
{
    static const uint8_t bytes[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    const image file = load("compressed.npz");
    for (size_t i = 0; i < file.size; i++)
        for (size_t j = 0; j < sizeof bytes; j++) {
            image changed = file;
            attn_container container;
            changed.data[i] = bytes[j];
            if (containers_open_bytes("x.npz", changed.data, changed.size, &container, NULL) == ATTN_OK)
                containers_touch(&container);
            attn_container_close(&container);
        }
}
END_TEST

START_TEST(every_allocation_fails)
{
    image file = load("others.npz");
    containers_every_failure("x.npz", file.data, file.size);
    file = load("compressed.npz");
    containers_every_failure("x.npz", file.data, file.size);
    file = load("zip64.npz");
    containers_every_failure("x.npz", file.data, file.size);
}
END_TEST

START_TEST(a_bomb_costs_little)
{
    size_t size;
    char *data = files_read(testing_source("tests/data/formats/npz/bomb.npz"), &size);
    ck_assert_uint_lt(containers_cost("x.npz", data, size), 8192);
    free(data);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("npz");
    TCase *tests = tcase_create("npz");
    tcase_add_test(tests, values);
    tcase_add_test(tests, what_is_no_array_stops_nobody);
    tcase_add_test(tests, odd_but_right);
    tcase_add_test(tests, refused_by_name);
    tcase_add_test(tests, checksums);
    tcase_add_test(tests, sizes_that_lie);
    tcase_add_test(tests, directories_that_lie);
    tcase_add_test(tests, members_that_share_bytes);
    tcase_add_test(tests, cut_at_every_byte);
    tcase_add_test(tests, every_byte_changed);
    tcase_add_test(tests, every_allocation_fails);
    tcase_add_test(tests, a_bomb_costs_little);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
