/* test_quants.c: the block types against shared/data/quants: random blocks and the values that the
 * gguf Python package's own dequantiser gives for them. */
#include "config.h"

#include "testing.h"

#include "tensor/tensor.h"
#include "testing/arrays.h"
#include "testing/files.h"

#include <string.h>

/* The blocks as a matrix of N_ROWS rows, whole, in parts and turned. */
static void check_matrix(attn_dtype dtype, const uint8_t *blocks, const float *right, size_t n_rows, size_t n_columns)
{
    static float out[64 * 512], expected[64 * 512];
    const char *name = attn_dtype_of(dtype)->name;
    attn_tensor matrix = attn_tensor_make(blocks, dtype, 2, (size_t[]){n_rows, n_columns});
    attn_tensor turned = attn_tensor_transpose(matrix);
    size_t row = 1, rows = n_rows - 2, column = 7, columns = n_columns - 20;
    attn_tensor_to_f32(&matrix, out);
    arrays_equal(out, right, n_rows * n_columns, name);
    attn_tensor_read(&matrix, row, rows, column, columns, out, columns);
    for (size_t i = 0; i < rows; i++)
        memcpy(expected + i * columns, right + (row + i) * n_columns + column, columns * sizeof *right);
    arrays_equal(out, expected, rows * columns, name);
    attn_tensor_read(&turned, column, columns, row, rows, out, rows);
    for (size_t i = 0; i < columns; i++)
        for (size_t j = 0; j < rows; j++)
            expected[i * rows + j] = right[(row + j) * n_columns + column + i];
    arrays_equal(out, expected, rows * columns, name);
    matrix = attn_tensor_rows(matrix, n_rows - 1, 1);
    attn_tensor_to_f32(&matrix, out);
    arrays_equal(out, right + (n_rows - 1) * n_columns, n_columns, name);
    matrix = attn_tensor_columns(turned, 2, 1);
    attn_tensor_to_f32(&matrix, out);
    arrays_equal(out, right + 2 * n_columns, n_columns, name);
}

static const attn_dtype dtypes[] = {ATTN_F16,  ATTN_BF16, ATTN_Q4_0, ATTN_Q4_1, ATTN_Q5_0, ATTN_Q5_1,   ATTN_Q8_0,
                                    ATTN_Q2_K, ATTN_Q3_K, ATTN_Q4_K, ATTN_Q5_K, ATTN_Q6_K, ATTN_IQ4_NL, ATTN_IQ4_XS};

START_TEST(values_of_the_reference)
{
    const attn_dtype_info *info = attn_dtype_of(dtypes[_i]);
    testing_need("data/quants/index.json");
    size_t size, n_values;
    char *blocks = files_read(testing_shared(files_print("data/quants/%s.blocks", info->name)), &size);
    float *right = arrays_npy(testing_shared(files_print("data/quants/%s.npy", info->name)), &n_values);
    size_t n_blocks = size / info->block_bytes;
    ck_assert_uint_eq(n_blocks * info->block_bytes, size);
    ck_assert_uint_ge(n_blocks, 16);
    ck_assert(right != NULL && n_values == n_blocks * info->block_elements);
    if (info->block_elements > 1)
        check_matrix(dtypes[_i], (uint8_t *)blocks, right, n_blocks / 2, 2 * info->block_elements);
    else
        check_matrix(dtypes[_i], (uint8_t *)blocks, right, 3, 21);
    free(blocks);
    free(right);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("quants");
    TCase *tests = tcase_create("quants");
    tcase_add_loop_test(tests, values_of_the_reference, 0, (int)(sizeof dtypes / sizeof *dtypes));
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
