/* pool.c: against a plain maximum over each square, of maps of many sizes. */
#include "config.h"

#include "output/pool.h"
#include "testing.h"

#include <math.h>
#include <string.h>

enum { MOST = 40 };

typedef struct map {
    size_t rows, columns;
    float values[MOST][MOST];
    uint8_t visible[MOST][MOST];
} map;

static map make_map(size_t rows, size_t columns)
{
    map m = {.rows = rows, .columns = columns};
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            m.values[i][j] = (float)sin((double)(i * 31 + j * 17 + rows));
            m.visible[i][j] = (i * 7 + j * 3 + columns) % 5 != 0;
        }
    return m;
}

static void check_cell(const map *m, const attn_pooled *pooled, size_t row, size_t column)
{
    float largest = 0;
    bool any = false;
    for (size_t i = row * pooled->down; i < (row + 1) * pooled->down && i < m->rows; i++)
        for (size_t j = column * pooled->across; j < (column + 1) * pooled->across && j < m->columns; j++)
            if (m->visible[i][j] != 0 && (!any || fabsf(m->values[i][j]) > fabsf(largest))) {
                largest = m->values[i][j];
                any = true;
            }
    ck_assert_int_eq(pooled->visible[row * pooled->columns + column] != 0, any);
    if (any)
        ck_assert_float_eq(pooled->values[row * pooled->columns + column], largest);
}

START_TEST(test_each_cell_is_the_largest_of_its_square)
{
    const size_t rows = (size_t)_i + 1, columns = rows * 13 % MOST + 1;
    const map m = make_map(rows, columns);
    for (size_t most = 1; most <= MOST; most += 3) {
        attn_pooled pooled;
        ck_assert_int_eq(attn_pooled_make(&pooled, rows, columns, most, most, NULL), ATTN_OK);
        ck_assert(pooled.rows <= most && pooled.columns <= most);
        for (int turn = 0; turn < 2; turn++) { /* the second time nothing of the first is left */
            attn_pooled_clear(&pooled);
            for (size_t i = 0; i < rows; i++)
                attn_pooled_add(&pooled, i, m.values[i], m.visible[i]);
        }
        for (size_t i = 0; i < pooled.rows; i++)
            for (size_t j = 0; j < pooled.columns; j++)
                check_cell(&m, &pooled, i, j);
        attn_pooled_free(&pooled);
    }
}
END_TEST

START_TEST(test_the_block_is_no_larger_than_it_must_be)
{
    attn_pooled pooled;
    ck_assert_int_eq(attn_pooled_make(&pooled, 60, 70, 24, 24, NULL), ATTN_OK);
    ck_assert_uint_eq(pooled.across, 3); /* ⌈70/24⌉ */
    ck_assert_uint_eq(pooled.down, 3);
    ck_assert_uint_eq(pooled.rows, 20);
    ck_assert_uint_eq(pooled.columns, 24); /* ⌈70/3⌉ */
    attn_pooled_free(&pooled);
    ck_assert_int_eq(attn_pooled_make(&pooled, 24, 24, 24, 24, NULL), ATTN_OK);
    ck_assert_uint_eq(pooled.down, 1);
    ck_assert_uint_eq(pooled.across, 1);
    attn_pooled_free(&pooled);
}
END_TEST

/* Three queries over 70 keys stay three, and so do three keys; 30 rows where there is room for 24 become 15. */
START_TEST(test_strips_keep_their_few_rows)
{
    static const size_t sizes[][6] = {{3, 70, 1, 3, 3, 24}, {70, 3, 3, 1, 24, 3}, {30, 240, 2, 10, 15, 24}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        attn_pooled pooled;
        ck_assert_int_eq(attn_pooled_make(&pooled, sizes[i][0], sizes[i][1], 24, 24, NULL), ATTN_OK);
        ck_assert_uint_eq(pooled.down, sizes[i][2]);
        ck_assert_uint_eq(pooled.across, sizes[i][3]);
        ck_assert_uint_eq(pooled.rows, sizes[i][4]);
        ck_assert_uint_eq(pooled.columns, sizes[i][5]);
        attn_pooled_free(&pooled);
    }
}
END_TEST

START_TEST(test_largest_leaves_out_what_is_masked_or_no_number)
{
    const float values[2][3] = {{0.5f, -2, 9}, {(float)NAN, (float)INFINITY, 1}};
    const uint8_t visible[2][3] = {{1, 1, 0}, {1, 1, 1}};
    attn_pooled pooled;
    ck_assert_int_eq(attn_pooled_make(&pooled, 2, 3, 9, 9, NULL), ATTN_OK);
    attn_pooled_add(&pooled, 0, values[0], visible[0]);
    attn_pooled_add(&pooled, 1, values[1], visible[1]);
    ck_assert_double_eq(attn_pooled_largest_of_row(&pooled, 0), 2);
    ck_assert_double_eq(attn_pooled_largest_of_row(&pooled, 1), 1);
    ck_assert_double_eq(attn_pooled_largest(&pooled), 2);
    attn_pooled_free(&pooled);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pool");
    TCase *tests = tcase_create("pool");
    tcase_add_loop_test(tests, test_each_cell_is_the_largest_of_its_square, 0, MOST);
    tcase_add_test(tests, test_strips_keep_their_few_rows);
    tcase_add_test(tests, test_the_block_is_no_larger_than_it_must_be);
    tcase_add_test(tests, test_largest_leaves_out_what_is_masked_or_no_number);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
