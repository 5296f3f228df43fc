/* test_npy.c: numpy's array files. Right values: shared/cases 054, 056, 057 (written by numpy,
 * copied to tests/data/formats), and headers written here after numpy's NEP 1. */
#include "config.h"

#include "testing.h"

#include "testing/containers.h"

#include <string.h>

/* A version-1 file with this dictionary and these data; returns its size. */
static size_t build(uint8_t *file, const char *header, const void *data, size_t n_data)
{
    size_t length = strlen(header);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (uint8_t)(length & 255);
    file[9] = (uint8_t)(length >> 8);
    memcpy(file + 10, header, length);
    if (n_data > 0)
        memcpy(file + 10 + length, data, n_data);
    return 10 + length + n_data;
}

static void refused(const char *header, size_t n_data, const char *word)
{
    static const uint8_t zeros[64];
    uint8_t file[512];
    containers_refused_bytes("x.npy", file, build(file, header, zeros, n_data), word);
}

static void values_of(const char *name, size_t n_dims, const size_t *shape, const float *values)
{
    attn_container container;
    attn_error error = {0};
    ck_assert_msg(containers_open(name, &container, &error) == ATTN_OK, "%s: %s", name, error.message);
    ck_assert_str_eq(container.format->name, "npy");
    containers_values(&container, "", n_dims, shape, values);
    attn_container_close(&container);
}

START_TEST(either_order)
{
    static const float matrix[] = {1, 2, 3, 4, 5, 6};
    float cube[24];
    for (size_t i = 0; i < 24; i++)
        cube[i] = (float)i;
    values_of("054-npy-fortran-order/c.npy", 2, (size_t[]){2, 3}, matrix);
    values_of("054-npy-fortran-order/f.npy", 2, (size_t[]){2, 3}, matrix);
    values_of("054-npy-fortran-order/f3.npy", 3, (size_t[]){2, 3, 4}, cube);
}
END_TEST

START_TEST(header_versions)
{
    static const char *const names[] = {"v1", "v2", "v3", "long", "order"};
    for (size_t i = 0; i < 5; i++) {
        char name[64];
        snprintf(name, sizeof name, "056-npy-header-versions/%s.npy", names[i]);
        values_of(name, 2, (size_t[]){2, 3}, (float[]){1, 2, 3, 4, 5, 6});
    }
    containers_refused("056-npy-header-versions/bogus.npy", "header");
    containers_refused("056-npy-header-versions/trunc.npy", "bytes");
    containers_refused("056-npy-header-versions/v9.npy", "version");
}
END_TEST

START_TEST(objects_and_structures_are_refused)
{
    containers_refused("057-npy-object-structured-refuse/obj.npy", "object");
    containers_refused("057-npy-object-structured-refuse/struct.npy", "structure");
    containers_refused("057-npy-object-structured-refuse/neg.npy", "size");
    containers_refused("057-npy-object-structured-refuse/huge.npy", "large");
    values_of("057-npy-object-structured-refuse/scalar.npy", 0, NULL, (float[]){2.5f});
    values_of("057-npy-object-structured-refuse/vec.npy", 1, (size_t[]){3}, (float[]){1, 2, 3});
}
END_TEST

/* -2 (254, 1 for those without a sign or with one bit) as each type's bytes in both orders. */
START_TEST(every_type_in_both_orders)
{
    static const struct {
        const char *code;
        uint8_t little[8];
        float value;
    } types[] = {
        {"f2", {0x00, 0xc0}, -2},
        {"f4", {0x00, 0x00, 0x00, 0xc0}, -2},
        {"f8", {0, 0, 0, 0, 0, 0, 0x00, 0xc0}, -2},
        {"i1", {0xfe}, -2},
        {"i2", {0xfe, 0xff}, -2},
        {"i4", {0xfe, 0xff, 0xff, 0xff}, -2},
        {"i8", {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, -2},
        {"u1", {0xfe}, 254},
        {"u2", {0xfe, 0x00}, 254},
        {"u4", {0xfe, 0, 0, 0}, 254},
        {"u8", {0xfe, 0, 0, 0, 0, 0, 0, 0}, 254},
        {"b1", {1}, 1},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int order = 0; order < 2; order++) {
            size_t bytes = (size_t)(types[i].code[1] - '0');
            uint8_t file[256], data[16];
            char header[128];
            attn_container container;
            for (size_t j = 0; j < 2 * bytes; j++)
                data[j] = types[i].little[order == 0 ? j % bytes : bytes - 1 - j % bytes];
            snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (2,), }\n",
                     bytes == 1 ? '|' : "<>"[order], types[i].code);
            ck_assert_int_eq(containers_open_bytes("x", file, build(file, header, data, 2 * bytes), &container, NULL),
                             ATTN_OK);
            containers_values(&container, "", 1, (size_t[]){2}, (float[]){types[i].value, types[i].value});
            attn_container_close(&container);
        }
}
END_TEST

#define REST "'fortran_order': False, 'shape': (2,)"

/* numpy.dtype('=f4'), 'f4', '|f4', 'float32' are all of this machine's order. */
START_TEST(types_without_an_order)
{
    static const char *const types[] = {"=f4", "f4", "|f4", "float32"};
    const float values[2] = {1.5f, -2};
    attn_container container;
    attn_error error = {0};
    uint8_t file[512];
    char header[128];
    snprintf(header, sizeof header, "{'descr': '%s', " REST "}", types[_i]);
    const size_t size = build(file, header, values, sizeof values);
    ck_assert_msg(containers_open_bytes("x.npy", file, size, &container, &error) == ATTN_OK, "%s", error.message);
    containers_values(&container, "", 1, (size_t[]){2}, values);
    attn_container_close(&container);
}
END_TEST

START_TEST(headers_that_numpy_does_not_write)
{
    refused("{'descr': '<c8', " REST "}", 16, "c8");
    refused("{'descr': '<U3', " REST "}", 24, "U3");
    refused("{'descr': '|V4', " REST "}", 8, "V4");
    refused("{'descr': '<f', " REST "}", 8, "<f");
    refused("{'descr': '<float32', " REST "}", 8, "<float32");
    refused("{'descr': '', " REST "}", 8, "''");
    refused("{'descr': '<f4', 'fortran_order': Falsy, 'shape': (2,)}", 8, "True or False");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", 8, "tuple");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", 8, "parentheses");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2,}", 8, "size");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 8, "size");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,2)}", 8, "dimensions");
    refused("{'descr': '<f4', 'fortran_order': False}", 8, "shape");
    refused("{'descr': '<f4', 'descr': '<f4', " REST "}", 8, "once");
    refused("{'descr': '<f4', 'more': 1, " REST "}", 8, "keys");
    refused("{'descr': '<f4', " REST "} 1", 8, "nothing");
    refused("{'descr': '<f4' " REST "}", 8, "','");
    refused("{'descr: ", 8, "string");
    refused("", 0, "dictionary");
    refused("{'descr': '<f4', " REST "}", 9, "bytes");
    refused("{'descr': '<f4', " REST "}", 7, "bytes");
}
END_TEST

START_TEST(python_2_wrote_long_sizes)
{
    uint8_t file[256];
    attn_container container;
    const float data[] = {0, 0};
    size_t size = build(file, "{\"descr\": \"<f4\", 'fortran_order': False, 'shape': (2L, 1L), }", data, 8);
    ck_assert_int_eq(containers_open_bytes("x", file, size, &container, NULL), ATTN_OK);
    containers_values(&container, "", 2, (size_t[]){2, 1}, data);
    attn_container_close(&container);
}
END_TEST

static size_t valid(uint8_t *file)
{
    static const float data[] = {0, 0};
    return build(file, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }   \n", data, 8);
}

START_TEST(cut_at_every_byte)
{
    uint8_t file[256];
    containers_truncate("x.npy", file, valid(file));
}
END_TEST

START_TEST(every_allocation_fails)
{
    uint8_t file[256];
    containers_every_failure("x.npy", file, valid(file));
}
END_TEST

START_TEST(a_small_file_costs_little)
{
    uint8_t file[256];
    size_t size = build(file, "{'descr': '<f4', 'fortran_order': False, 'shape': (9999999,)}", NULL, 0);
    ck_assert_uint_lt(containers_cost("x.npy", file, size), 4096);
    ck_assert_uint_lt(containers_cost("x.npy", file, valid(file)), 4096);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("npy");
    TCase *tests = tcase_create("npy");
    tcase_add_test(tests, either_order);
    tcase_add_test(tests, header_versions);
    tcase_add_test(tests, objects_and_structures_are_refused);
    tcase_add_test(tests, every_type_in_both_orders);
    tcase_add_loop_test(tests, types_without_an_order, 0, 4);
    tcase_add_test(tests, headers_that_numpy_does_not_write);
    tcase_add_test(tests, python_2_wrote_long_sizes);
    tcase_add_test(tests, cut_at_every_byte);
    tcase_add_test(tests, every_allocation_fails);
    tcase_add_test(tests, a_small_file_costs_little);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
