/* test_quants.c: the block types against shared/data/quants: random blocks and the values that the
 * gguf Python package's own dequantiser gives for them. */
#include "config.h"

#include "testing.h"

#include "base/file.h"
#include "tensor/tensor.h"

#include <string.h>

/* A file of the outside data, or {0} where it is absent. */
static attn_file shared_quants(const char *type, const char *ending)
{
    char name[64];
    const char *path;
    attn_file file = {0};
    snprintf(name, sizeof name, "data/quants/%s.%s", type, ending);
    path = testing_shared(name);
    if (path == NULL)
        printf("SKIP: %s is absent\n", name);
    else
        ck_assert_int_eq(attn_file_open(path, NULL, &file, NULL), ATTN_OK);
    return file;
}

/* The numbers of a version-1 npy file of little-endian float32: behind its header. */
static void right_values(const attn_file *npy, float *values, size_t count)
{
    size_t start = 10 + (size_t)attn_load_u16(npy->bytes.data + 8);
    ck_assert_uint_eq(npy->bytes.size, start + count * 4);
    for (size_t i = 0; i < count; i++)
        values[i] = attn_load_f32(npy->bytes.data + start + i * 4);
}

/* Equal, NaN equal to NaN (random halves hold some). */
static void check_same(const char *what, const float *found, const float *right, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(found[i] == right[i] || (found[i] != found[i] && right[i] != right[i]),
                      "%s: element %zu is %a, not %a", what, i, (double)found[i], (double)right[i]);
}

/* The blocks as a matrix of N_ROWS rows, whole, in parts and turned. */
static void check_matrix(attn_dtype dtype, const uint8_t *blocks, const float *right, size_t n_rows, size_t n_columns)
{
    static float out[64 * 512], expected[64 * 512];
    const char *name = attn_dtype_of(dtype)->name;
    attn_tensor matrix = attn_tensor_make(blocks, dtype, 2, (size_t[]){n_rows, n_columns});
    attn_tensor turned = attn_tensor_transpose(matrix);
    size_t row = 1, rows = n_rows - 2, column = 7, columns = n_columns - 20;
    attn_tensor_to_f32(&matrix, out);
    check_same(name, out, right, n_rows * n_columns);
    attn_tensor_read(&matrix, row, rows, column, columns, out, columns);
    for (size_t i = 0; i < rows; i++)
        memcpy(expected + i * columns, right + (row + i) * n_columns + column, columns * sizeof *right);
    check_same(name, out, expected, rows * columns);
    attn_tensor_read(&turned, column, columns, row, rows, out, rows);
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < rows; j++)
            expected[i * rows + j] = right[(row + j) * n_columns + column + i];
    check_same(name, out, expected, rows * columns);
    matrix = attn_tensor_rows(matrix, n_rows - 1, 1);
    attn_tensor_to_f32(&matrix, out);
    check_same(name, out, right + (n_rows - 1) * n_columns, n_columns);
    matrix = attn_tensor_columns(turned, 2, 1);
    attn_tensor_to_f32(&matrix, out);
    check_same(name, out, right + 2 * n_columns, n_columns);
}

static const attn_dtype dtypes[] = {ATTN_F16,  ATTN_BF16, ATTN_Q4_0, ATTN_Q4_1, ATTN_Q5_0, ATTN_Q5_1,   ATTN_Q8_0,
                                    ATTN_Q2_K, ATTN_Q3_K, ATTN_Q4_K, ATTN_Q5_K, ATTN_Q6_K, ATTN_IQ4_NL, ATTN_IQ4_XS};

START_TEST(values_of_the_reference)
{
    static float right[64 * 256];
    const attn_dtype_info *info = attn_dtype_of(dtypes[_i]);
    attn_file blocks = shared_quants(info->name, "blocks");
    attn_file values = shared_quants(info->name, "npy");
    if (blocks.name != NULL && values.name != NULL) {
        size_t n_blocks = blocks.bytes.size / info->block_bytes;
        size_t count = n_blocks * info->block_elements;
        ck_assert_uint_eq(n_blocks * info->block_bytes, blocks.bytes.size);
        ck_assert_uint_ge(n_blocks, 16);
        right_values(&values, right, count);
        if (info->block_elements > 1)
            check_matrix(dtypes[_i], blocks.bytes.data, right, n_blocks / 2, 2 * info->block_elements);
        else
            check_matrix(dtypes[_i], blocks.bytes.data, right, 3, 21);
    }
    attn_file_close(&blocks);
    attn_file_close(&values);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("quants");
    TCase *tests = tcase_create("quants");
    if (testing_shared("data/quants/index.json") == NULL) {
        printf("SKIP: the outside data (shared/data/quants) is absent\n");
        return 77;
    }
    tcase_add_loop_test(tests, values_of_the_reference, 0, (int)(sizeof dtypes / sizeof *dtypes));
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
