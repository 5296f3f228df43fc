/* test_quants.c: the block types against shared/data/quants: random blocks and the values that the gguf Python package's
 * own dequantiser gives for them; and against tests/data/tensor: the values of llama.cpp's. */
#include "config.h"

#include "testing.h"

#include "tensor/tensor.h"
#include "testing/arrays.h"
#include "testing/files.h"

#include <inttypes.h>
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

/* The blocks in BLOCKS_PATH have the values in VALUES_PATH. */
static void check_files(attn_dtype dtype, const char *blocks_path, const char *values_path)
{
    const attn_dtype_info *info = attn_dtype_of(dtype);
    size_t size, n_values;
    char *blocks = files_read(blocks_path, &size);
    float *right = arrays_npy(values_path, &n_values);
    size_t n_blocks = size / info->block_bytes;
    ck_assert_uint_eq(n_blocks * info->block_bytes, size);
    ck_assert_uint_ge(n_blocks, 8);
    ck_assert(right != NULL && n_values == n_blocks * info->block_elements);
    if (info->block_elements > 1)
        check_matrix(dtype, (uint8_t *)blocks, right, n_blocks / 2, 2 * info->block_elements);
    else
        check_matrix(dtype, (uint8_t *)blocks, right, 3, 21);
    free(blocks);
    free(right);
}

START_TEST(values_of_the_reference)
{
    const char *name = attn_dtype_of(dtypes[_i])->name;
    testing_need("data/quants/index.json");
    check_files(dtypes[_i], testing_shared(files_print("data/quants/%s.blocks", name)),
                testing_shared(files_print("data/quants/%s.npy", name)));
}
END_TEST

static const attn_dtype small_dtypes[] = {ATTN_IQ1_S,   ATTN_IQ1_M, ATTN_IQ2_XXS, ATTN_IQ2_XS, ATTN_IQ2_S,
                                          ATTN_IQ3_XXS, ATTN_IQ3_S, ATTN_TQ1_0,   ATTN_TQ2_0,  ATTN_Q1_0,
                                          ATTN_Q2_0,    ATTN_MXFP4, ATTN_NVFP4};

START_TEST(values_of_llama_cpp)
{
    const char *name = attn_dtype_of(small_dtypes[_i])->name;
    check_files(small_dtypes[_i], testing_source(files_print("tests/data/tensor/%s.blocks", name)),
                testing_source(files_print("tests/data/tensor/%s.npy", name)));
}
END_TEST

/* FNV-1a over all values of the blocks whose first point is number 0, 1, 2 …: every point of the grid counts.
 * tests/tensor/make_quants.py had them from llama.cpp. */
static const struct grid {
    attn_dtype dtype;
    size_t n_points, high; /* the byte that has the bits above eight */
    uint64_t hash;
} grids[] = {
    {ATTN_IQ2_XXS, 256, 0, UINT64_C(0xc9534e31fdcd8024)}, {ATTN_IQ2_XS, 512, 3, UINT64_C(0x9d39b3d80ca4edf5)},
    {ATTN_IQ2_S, 1024, 66, UINT64_C(0x90eeec08ec98dd54)}, {ATTN_IQ3_XXS, 256, 0, UINT64_C(0x60cd7628bbb3d788)},
    {ATTN_IQ3_S, 512, 66, UINT64_C(0x230ddbaa194e3ba5)},  {ATTN_IQ1_S, 2048, 34, UINT64_C(0xedb554a731d73602)}};

START_TEST(every_point_of_a_grid)
{
    const struct grid *grid = &grids[_i];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t point = 0; point < grid->n_points; point++) {
        uint8_t block[128] = {0, 0x3c, (uint8_t)point}; /* the half 1 */
        float values[256];
        uint8_t bytes[sizeof values];
        attn_tensor row = attn_tensor_make(block, grid->dtype, 1, (size_t[]){256});
        if (grid->high > 0)
            block[grid->high] = (uint8_t)(point >> 8);
        attn_tensor_to_f32(&row, values);
        memcpy(bytes, values, sizeof values);
        for (size_t i = 0; i < sizeof bytes; i++)
            hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    ck_assert_msg(hash == grid->hash, "%s: 0x%016" PRIx64, attn_dtype_of(grid->dtype)->name, hash);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("quants");
    TCase *tests = tcase_create("quants");
    tcase_add_loop_test(tests, values_of_the_reference, 0, (int)(sizeof dtypes / sizeof *dtypes));
    tcase_add_loop_test(tests, values_of_llama_cpp, 0, (int)(sizeof small_dtypes / sizeof *small_dtypes));
    tcase_add_loop_test(tests, every_point_of_a_grid, 0, (int)(sizeof grids / sizeof *grids));
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
