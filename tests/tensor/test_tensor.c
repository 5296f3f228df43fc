/* test_tensor.c: plain conversions, views and reads. Right values: IEEE 754's definitions and
 * hand-made tables. */
#include "config.h"

#include "testing.h"

#include "tensor/tensor.h"

#include <math.h>
#include <string.h>

/* The value of a half by IEEE 754's definition. */
static double half_by_definition(unsigned half)
{
    int exponent = (int)(half >> 10 & 31);
    double fraction = (double)(half & 1023) / 1024.0;
    double sign = half >> 15 != 0 ? -1.0 : 1.0;
    if (exponent == 31)
        return fraction == 0.0 ? sign * (double)INFINITY : (double)NAN;
    return exponent == 0 ? sign * ldexp(fraction, -14) : sign * ldexp(1.0 + fraction, exponent - 15);
}

START_TEST(every_half)
{
    static uint8_t little[65536 * 2], big[65536 * 2];
    static float out[65536], out_big[65536];
    size_t count = 65536;
    attn_tensor tensor = attn_tensor_make(little, ATTN_F16, 1, &count);
    for (unsigned i = 0; i < 65536; i++) {
        little[2 * i] = big[2 * i + 1] = (uint8_t)(i & 255);
        little[2 * i + 1] = big[2 * i] = (uint8_t)(i >> 8);
    }
    attn_tensor_to_f32(&tensor, out);
    tensor.data = big;
    tensor.big_endian = true;
    attn_tensor_to_f32(&tensor, out_big);
    for (unsigned i = 0; i < 65536; i++) {
        double right = half_by_definition(i);
        if (isnan(right)) {
            ck_assert(isnan(out[i]) && isnan(out_big[i]));
        } else {
            ck_assert_msg((double)out[i] == right && !signbit(out[i]) == !signbit(right), "half %04x: %a, not %a", i,
                          (double)out[i], right);
            ck_assert(out_big[i] == out[i]);
        }
    }
}
END_TEST

/* One number of each plain type, its bytes written by hand, least significant first. */
static const struct plain {
    attn_dtype dtype;
    uint8_t bytes[8];
    float value;
} plain[] = {
    {ATTN_F32, {0x00, 0x00, 0x20, 0xc1}, -10.0f},
    {ATTN_F64, {0, 0, 0, 0, 0, 0, 0x45, 0x40}, 42.0f},
    {ATTN_F64, {1, 0, 0, 0, 0, 0, 0xf0, 0x3f}, 1.0f}, /* 1 + 2^-52 rounds to 1 */
    {ATTN_F64, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xef, 0x7f}, INFINITY},
    {ATTN_F16, {0x00, 0x3c}, 1.0f},
    {ATTN_F16, {0x01, 0x80}, -0x1p-24f},
    {ATTN_BF16, {0x40, 0xc0}, -3.0f},
    {ATTN_I8, {0x80}, -128.0f},
    {ATTN_U8, {0x80}, 128.0f},
    {ATTN_BOOL, {7}, 1.0f},
    {ATTN_BOOL, {0}, 0.0f},
    {ATTN_I16, {0xfe, 0xff}, -2.0f},
    {ATTN_U16, {0xfe, 0xff}, 65534.0f},
    {ATTN_I32, {0x00, 0xff, 0xff, 0xff}, -256.0f},
    {ATTN_U32, {0x00, 0x00, 0x00, 0x80}, 2147483648.0f},
    {ATTN_I64, {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, -4294967296.0f},
    {ATTN_U64, {0, 0, 0, 0, 0, 0, 0, 0x80}, 9223372036854775808.0f},
};

/* COUNT copies of a row's bytes at any alignment, in either order, read as a vector. */
static void check_plain(const struct plain *row, size_t count, bool big_endian)
{
    uint8_t bytes[1 + 8 * 40];
    float out[41];
    size_t size = attn_dtype_of(row->dtype)->block_bytes;
    attn_tensor tensor = attn_tensor_make(bytes + 1, row->dtype, 1, &count);
    tensor.big_endian = big_endian;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < size; j++)
            bytes[1 + i * size + j] = row->bytes[big_endian ? size - 1 - j : j];
    out[count] = 123.0f;
    attn_tensor_to_f32(&tensor, out);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(out[i] == row->value, "%s: %g, not %g", attn_dtype_of(row->dtype)->name, (double)out[i],
                      (double)row->value);
    ck_assert(out[count] == 123.0f);
}

START_TEST(plain_types_in_both_orders)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        for (size_t count = 1; count <= 40; count++) {
            check_plain(&plain[i], count, false);
            check_plain(&plain[i], count, true);
        }
}
END_TEST

/* values[r][c] = 100 r + c */
static void fill(float *values, size_t n_rows, size_t n_columns)
{
    for (size_t i = 0; i < n_rows; i++)
        for (size_t j = 0; j < n_columns; j++)
            values[i * n_columns + j] = (float)(1000 * i + j);
}

START_TEST(reads_of_views)
{
    enum { ROWS = 300, COLUMNS = 37 };
    static float values[ROWS * COLUMNS], out[ROWS * (ROWS + 3)];
    static const struct {
        size_t row, n_rows, column, n_columns;
    } parts[] = {{0, ROWS, 0, COLUMNS}, {5, 1, 3, 1},  {299, 1, 36, 1}, {250, 20, 7, 16},
                 {1, 260, 15, 18},      {0, 0, 0, 37}, {17, 3, 37, 0},  {255, 2, 0, 33}};
    fill(values, ROWS, COLUMNS);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        attn_tensor matrix = attn_tensor_f32(values, ROWS, COLUMNS);
        attn_tensor turned = attn_tensor_transpose(matrix);
        size_t stride = parts[i].n_columns + 3;
        attn_tensor_read(&matrix, parts[i].row, parts[i].n_rows, parts[i].column, parts[i].n_columns, out, stride);
        for (size_t r = 0; r < parts[i].n_rows; r++)
            for (size_t c = 0; c < parts[i].n_columns; c++)
                ck_assert(out[r * stride + c] == (float)(1000 * (parts[i].row + r) + parts[i].column + c));
        stride = parts[i].n_rows + 3;
        attn_tensor_read(&turned, parts[i].column, parts[i].n_columns, parts[i].row, parts[i].n_rows, out, stride);
        for (size_t r = 0; r < parts[i].n_columns; r++)
            for (size_t c = 0; c < parts[i].n_rows; c++)
                ck_assert(out[r * stride + c] == (float)(1000 * (parts[i].row + c) + parts[i].column + r));
    }
}
END_TEST

START_TEST(parts_of_matrices)
{
    float values[6 * 4], out[24];
    attn_tensor matrix, part, row;
    fill(values, 6, 4);
    matrix = attn_tensor_f32(values, 6, 4);
    part = attn_tensor_columns(attn_tensor_rows(matrix, 2, 3), 1, 2);
    attn_tensor_to_f32(&part, out);
    ck_assert(out[0] == 2001.0f && out[1] == 2002.0f && out[2] == 3001.0f && out[5] == 4002.0f);
    part = attn_tensor_transpose(part);
    attn_tensor_to_f32(&part, out);
    ck_assert(out[0] == 2001.0f && out[1] == 3001.0f && out[3] == 2002.0f);
    row = attn_tensor_at(matrix, 5);
    ck_assert_uint_eq(row.n_dims, 1);
    attn_tensor_to_f32(&row, out);
    ck_assert(out[3] == 5003.0f);
    row = attn_tensor_at(attn_tensor_transpose(matrix), 3); /* a column: stride 4 */
    attn_tensor_to_f32(&row, out);
    ck_assert(out[0] == 3.0f && out[5] == 5003.0f);
    row = attn_tensor_at(row, 4); /* one number */
    attn_tensor_to_f32(&row, out);
    ck_assert(out[0] == 4003.0f);
}
END_TEST

START_TEST(more_dimensions_and_any_strides)
{
    float values[24], out[24];
    for (size_t i = 0; i < 24; i++)
        values[i] = (float)i;
    attn_tensor tensor = attn_tensor_make(values, ATTN_F32, 3, (size_t[]){2, 3, 4});
    tensor.big_endian = attn_tensor_f32(values, 1, 1).big_endian;
    attn_tensor_to_f32(&tensor, out);
    ck_assert_int_eq(memcmp(out, values, sizeof out), 0);
    /* Fortran order: shape [2][3][4] stored with the first dimension fastest */
    tensor.strides[0] = 1;
    tensor.strides[1] = 2;
    tensor.strides[2] = 6;
    attn_tensor_to_f32(&tensor, out);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 4; k++)
                ck_assert(out[(i * 3 + j) * 4 + k] == (float)(i + 2 * j + 6 * k));
    ck_assert_ptr_null(attn_tensor_as_f32(&tensor));
}
END_TEST

START_TEST(used_in_place_only_where_right)
{
    static float values[8];
    attn_tensor tensor = attn_tensor_f32(values, 2, 4);
    attn_tensor turned = attn_tensor_transpose(tensor);
    attn_tensor vector = attn_tensor_transpose(attn_tensor_f32(values, 1, 8));
    ck_assert_ptr_eq(attn_tensor_as_f32(&tensor), values);
    ck_assert_ptr_null(attn_tensor_as_f32(&turned));
    ck_assert_ptr_eq(attn_tensor_as_f32(&vector), values);
    tensor.big_endian = !tensor.big_endian;
    ck_assert_ptr_null(attn_tensor_as_f32(&tensor));
    tensor = attn_tensor_f32(values, 1, 4);
    tensor.data++;
    ck_assert_ptr_null(attn_tensor_as_f32(&tensor));
}
END_TEST

START_TEST(sizes)
{
    size_t bytes = 9, count = 9, huge = (size_t)1 << 33;
    attn_tensor tensor = attn_tensor_make(NULL, ATTN_F32, 2, (size_t[]){huge, huge});
    char text[64];
    ck_assert(!attn_tensor_count(&tensor, &count));
    ck_assert(!attn_tensor_bytes(ATTN_F32, 2, tensor.shape, &bytes));
    tensor.shape[0] = 0;
    ck_assert(attn_tensor_count(&tensor, &count) && count == 0);
    ck_assert(!attn_tensor_bytes(ATTN_F64, 1, (size_t[]){SIZE_MAX / 8}, &bytes));
    ck_assert(!attn_tensor_bytes(ATTN_F32, 3, (size_t[]){huge, huge, 0}, &bytes));
    ck_assert(!attn_tensor_bytes(ATTN_Q4_0, 2, (size_t[]){3, 33}, &bytes));
    ck_assert(!attn_tensor_bytes(ATTN_Q4_0, 0, NULL, &bytes));
    ck_assert(attn_tensor_bytes(ATTN_Q4_0, 2, (size_t[]){3, 64}, &bytes) && bytes == 6 * 18);
    ck_assert(attn_tensor_bytes(ATTN_F64, 0, NULL, &bytes) && bytes == 8);
    tensor = attn_tensor_make(NULL, ATTN_F16, 2, (size_t[]){64, 512});
    attn_tensor_describe(&tensor, text, sizeof text);
    ck_assert_str_eq(text, "F16 [64][512]");
    attn_tensor_describe(&tensor, text, 8);
    ck_assert_str_eq(text, "F16 [64");
}
END_TEST

/* Numbers 0 1 2 … stay in their order whatever dimensions of 1 stand where, and no other shape is taken. */
START_TEST(dimensions_of_one)
{
    static const struct {
        size_t n, from[4], n_to, to[4];
        bool fits;
    } rows[] = {
        {1, {6}, 2, {1, 6}, true},       {1, {6}, 2, {6, 1}, true},       {2, {1, 6}, 1, {6}, true},
        {2, {6, 1}, 1, {6}, true},       {3, {1, 2, 3}, 2, {2, 3}, true}, {3, {2, 3, 1}, 2, {2, 3}, true},
        {3, {2, 1, 3}, 2, {2, 3}, true}, {2, {2, 3}, 2, {2, 3}, true},    {2, {1, 6}, 2, {6, 1}, true},
        {2, {2, 3}, 2, {3, 2}, false},   {1, {6}, 2, {2, 3}, false},      {1, {6}, 2, {1, 5}, false},
        {2, {2, 3}, 1, {6}, false},      {1, {6}, 1, {1}, false},         {0, {0}, 2, {1, 1}, true},
    };
    float values[6], out[6];
    fill(values, 1, 6);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        attn_tensor tensor = attn_tensor_f32(values, 1, 6), view;
        tensor.n_dims = 1;
        attn_tensor made = attn_tensor_make(values, ATTN_F32, rows[i].n, rows[i].from);
        made.big_endian = tensor.big_endian;
        ck_assert_msg(attn_tensor_as(&made, rows[i].n_to, rows[i].to, &view) == rows[i].fits, "row %zu", i);
        if (!rows[i].fits)
            continue;
        ck_assert_uint_eq(view.n_dims, rows[i].n_to);
        memset(out, 0xff, sizeof out);
        attn_tensor_to_f32(&view, out);
        ck_assert_mem_eq(out, values, (rows[i].n == 0 ? 1 : 6) * sizeof *out);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tensor");
    TCase *tests = tcase_create("tensor");
    tcase_add_test(tests, every_half);
    tcase_add_test(tests, plain_types_in_both_orders);
    tcase_add_test(tests, reads_of_views);
    tcase_add_test(tests, parts_of_matrices);
    tcase_add_test(tests, more_dimensions_and_any_strides);
    tcase_add_test(tests, used_in_place_only_where_right);
    tcase_add_test(tests, sizes);
    tcase_add_test(tests, dimensions_of_one);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
