/* test_nearest.c: nearest rows by cosine against a plain double computation of all of them, against
 * what word2vec's own `distance` prints (shared/data/wordvec, *.nn.tsv), and by hand (shared/cases
 * 092, 093, 095). */
#include "config.h"

#include "testing.h"

#include "base/memory.h"
#include "formats/vectors.h"
#include "kernels/kernels.h"
#include "kernels/nearest.h"
#include "testing/files.h"
#include "testing/memory.h"
#include "testing/random.h"

#include <math.h>
#include <string.h>

typedef struct answer {
    attn_near_hit *hits; /* owned; [n_queries][top] */
    size_t *n_hits;      /* owned; [n_queries] */
    size_t top;
} answer;

static answer ask(const attn_tensor *table, const float *queries, size_t n_queries, size_t stride,
                  const attn_near_rows *excluded, size_t top, size_t n_threads)
{
    answer found = {attn_alloc_array(n_queries * top, sizeof *found.hits),
                    attn_alloc_array(n_queries, sizeof *found.n_hits), top};
    attn_nearest *nearest;
    attn_pool *pool = NULL;
    attn_error error = {0};
    attn_near_request request = {.queries = queries,
                                 .stride = stride,
                                 .n_queries = n_queries,
                                 .excluded = excluded,
                                 .top = top,
                                 .hits = found.hits,
                                 .n_hits = found.n_hits};
    if (n_threads > 1)
        ck_assert_int_eq(attn_pool_open(n_threads, &pool, &error), ATTN_OK);
    ck_assert_int_eq(attn_nearest_open(table, pool, &nearest, &error), ATTN_OK);
    ck_assert_int_eq(attn_nearest_find(nearest, &request, pool, &error), ATTN_OK);
    attn_nearest_close(nearest);
    attn_pool_close(pool);
    return found;
}

static void forget(answer *found)
{
    attn_free(found->hits);
    attn_free(found->n_hits);
}

/* Query 0 of FOUND lists ROWS with SIMILARITIES, N of them. */
static void lists(const answer *found, size_t n, const size_t *rows, const float *similarities)
{
    ck_assert_uint_eq(found->n_hits[0], n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(found->hits[i].row == rows[i], "rank %zu is row %zu, not %zu", i, found->hits[i].row, rows[i]);
        ck_assert_msg(fabsf(found->hits[i].similarity - similarities[i]) < 1e-7f, "rank %zu: %.9g", i,
                      (double)found->hits[i].similarity);
        ck_assert(!signbit(found->hits[i].similarity) || similarities[i] < 0);
    }
}

START_TEST(zero_rows_and_zero_queries)
{
    static const float rows[] = {1, 0, 0.6f, 0.8f, 0, 0, -1, 0}; /* case 092: a b z n */
    static const uint32_t self[] = {0}, third[] = {2};
    attn_tensor table = attn_tensor_f32(rows, 4, 2);
    answer found = ask(&table, rows, 1, 2, &(attn_near_rows){self, 1}, 3, 1);
    lists(&found, 3, (const size_t[]){1, 2, 3}, (const float[]){0.6f, 0, -1});
    forget(&found);
    found = ask(&table, rows + 4, 1, 2, &(attn_near_rows){third, 1}, 10, 1);
    lists(&found, 3, (const size_t[]){0, 1, 3}, (const float[]){0, 0, 0});
    forget(&found);
}
END_TEST

START_TEST(equal_rows_stay)
{
    static const float rows[] = {1, 0, 1, 0, 0.6f, 0.8f}; /* case 093: a a2 b */
    static const uint32_t self[] = {0};
    attn_tensor table = attn_tensor_f32(rows, 3, 2);
    answer found = ask(&table, rows, 1, 2, &(attn_near_rows){self, 1}, 2, 1);
    lists(&found, 2, (const size_t[]){1, 2}, (const float[]){1, 0.6f});
    forget(&found);
    found = ask(&table, rows, 1, 2, NULL, 2, 1);
    lists(&found, 2, (const size_t[]){0, 1}, (const float[]){1, 1});
    forget(&found);
}
END_TEST

/* Case 095: of equals the lower row first, and a list for k begins one for k + 1. */
START_TEST(ties_go_by_row)
{
    enum { ROWS = 3000 };
    static float rows[ROWS][2];
    static const float query[] = {1, 0};
    attn_tensor table = attn_tensor_f32(rows[0], ROWS, 2);
    for (size_t i = 0; i < ROWS; i++) { /* the same direction at many lengths */
        rows[i][0] = rows[i][1] = 0.5f * (float)(1 + i % 7);
    }
    rows[1234][1] = 0.1f;
    for (size_t top = 1; top < 70; top += 17) {
        answer found = ask(&table, query, 1, 2, NULL, top, 2);
        ck_assert_uint_eq(found.hits[0].row, 1234);
        for (size_t i = 1; i < top; i++) {
            ck_assert_uint_eq(found.hits[i].row, i - 1);
            ck_assert(found.hits[i].similarity == 0.70710678f);
        }
        forget(&found);
    }
}
END_TEST

START_TEST(numbers_that_are_not_finite)
{
    static const float rows[] = {1, 0, NAN, 1, INFINITY, 0, 0.6f, 0.8f, -INFINITY, INFINITY};
    static const float queries[] = {1, 0, NAN, 0, 0, 1, 0, 0};
    attn_tensor table = attn_tensor_f32(rows, 5, 2);
    answer found = ask(&table, queries, 4, 2, NULL, 5, 1);
    lists(&found, 2, (const size_t[]){0, 3}, (const float[]){1, 0.6f});
    ck_assert_uint_eq(found.n_hits[1], 0);
    ck_assert_uint_eq(found.n_hits[2], 2);
    ck_assert_uint_eq(found.hits[10].row, 3);
    ck_assert_uint_eq(found.n_hits[3], 2);
    forget(&found);
}
END_TEST

/* Squares of these leave float32's range; the angles are those of (1, 0), (1, 1) and (1, 2). */
START_TEST(very_long_and_very_short_rows)
{
    static const float rows[] = {2e38f, 0, 1e-30f, 1e-30f, 1, 2, 1e38f, 2e38f, 1e-42f, 0};
    static const float queries[] = {3e38f, 0, 1e-38f, 0};
    static const float half = 0.70710678f, fifth = 0.44721360f;
    attn_tensor table = attn_tensor_f32(rows, 5, 2);
    for (size_t q = 0; q < 2; q++) {
        answer found = ask(&table, queries + 2 * q, 1, 2, NULL, 5, 1);
        lists(&found, 5, (const size_t[]){0, 4, 1, 2, 3}, (const float[]){1, 1, half, fifth, fifth});
        forget(&found);
    }
    answer none = ask(&table, (const float[]){1, NAN, -INFINITY, 0}, 2, 2, NULL, 5, 1);
    ck_assert(none.n_hits[0] == 0 && none.n_hits[1] == 0);
    forget(&none);
}
END_TEST

START_TEST(one_hot_rows)
{
    static const float query[] = {0, 3, 0, 4};
    attn_tensor table = attn_tensor_f32(NULL, 4, 4);
    answer found = ask(&table, query, 1, 4, NULL, 3, 1);
    lists(&found, 3, (const size_t[]){3, 1, 0}, (const float[]){0.8f, 0.6f, 0});
    forget(&found);
}
END_TEST

/* The cosine of all rows in double, sorted: the reference. */
typedef struct reference {
    size_t row;
    float similarity;
} reference;

static int better_first(const void *left, const void *right)
{
    const reference *a = left, *b = right;
    if (a->similarity != b->similarity)
        return a->similarity > b->similarity ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static void by_hand(const float *rows, size_t n_rows, size_t dim, const float *query, reference *all)
{
    for (size_t row = 0; row < n_rows; row++) {
        double dot = 0, a = 0, b = 0;
        for (size_t k = 0; k < dim; k++) {
            double x = (double)rows[row * dim + k], y = (double)query[k];
            dot += x * y;
            a += x * x;
            b += y * y;
        }
        all[row] = (reference){row, (float)(dot / sqrt(a * b))};
    }
    qsort(all, n_rows, sizeof *all, better_first);
}

/* The last bit may differ where the reference sums in another order: then rows that near may change
 * places. */
static void agrees(const answer *found, size_t query, const reference *all, size_t expected)
{
    ck_assert_uint_eq(found->n_hits[query], expected);
    for (size_t i = 0; i < expected; i++) {
        const attn_near_hit *hit = &found->hits[query * found->top + i];
        ck_assert_msg(fabsf(hit->similarity - all[i].similarity) <= 6e-8f, "query %zu rank %zu: %.9g, not %.9g", query,
                      i, (double)hit->similarity, (double)all[i].similarity);
        if (hit->row != all[i].row)
            ck_assert((i > 0 && fabsf(all[i - 1].similarity - all[i].similarity) < 2e-7f) ||
                      fabsf(all[i + 1].similarity - all[i].similarity) < 2e-7f);
    }
}

/* Sizes around every block, panel and tile; few queries (row by row) and many (tiles); every number
 * of threads the same bytes, and a query alone the same as among others. */
START_TEST(random_tables_and_queries)
{
    static const struct {
        size_t n_rows, dim, n_queries, top;
    } cases[] = {{1, 1, 1, 1},      {15, 3, 2, 4},      {16, 8, 5, 16},    {17, 7, 9, 40},  {129, 33, 40, 7},
                 {2048, 5, 70, 10}, {5000, 50, 33, 10}, {4097, 64, 3, 25}, {700, 1, 12, 3}, {6000, 12, 1100, 5}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t n = cases[c].n_rows, dim = cases[c].dim, n_queries = cases[c].n_queries, top = cases[c].top;
        float *rows = malloc(n * dim * sizeof *rows), *queries = malloc(n_queries * (dim + 3) * sizeof *queries);
        reference *all = calloc(n + 1, sizeof *all);
        attn_tensor table = attn_tensor_f32(rows, n, dim);
        answer one, two, alone;
        random_fill(rows, n * dim, 2 * c, 1);
        random_fill(queries, n_queries * (dim + 3), 2 * c + 1, 1);
        one = ask(&table, queries, n_queries, dim + 3, NULL, top, 1);
        two = ask(&table, queries, n_queries, dim + 3, NULL, top, 3);
        for (size_t q = 0; q < n_queries; q += 1 + n_queries / 20) {
            size_t expected = top < n ? top : n;
            by_hand(rows, n, dim, queries + q * (dim + 3), all);
            agrees(&one, q, all, expected);
            alone = ask(&table, queries + q * (dim + 3), 1, dim, NULL, top, 1);
            for (size_t i = 0; i < expected; i++) {
                ck_assert_uint_eq(alone.hits[i].row, one.hits[q * top + i].row);
                ck_assert(alone.hits[i].similarity == one.hits[q * top + i].similarity);
            }
            forget(&alone);
        }
        for (size_t q = 0; q < n_queries; q++)
            for (size_t i = 0; i < one.n_hits[q]; i++) {
                ck_assert_uint_eq(one.hits[q * top + i].row, two.hits[q * top + i].row);
                ck_assert(one.hits[q * top + i].similarity == two.hits[q * top + i].similarity);
            }
        forget(&one);
        forget(&two);
        free(rows);
        free(queries);
        free(all);
    }
}
END_TEST

START_TEST(excluded_rows_are_left_out)
{
    enum { ROWS = 500, DIM = 6, TOP = 20 };
    static float rows[ROWS * DIM];
    static const uint32_t excluded[] = {499, 3, 77, 3};
    attn_near_rows lists_of[6];
    attn_tensor table = attn_tensor_f32(rows, ROWS, DIM);
    answer with, without;
    random_fill(rows, ROWS * DIM, 3, 1);
    for (size_t q = 0; q < 6; q++)
        lists_of[q] = (attn_near_rows){excluded, q % 5};
    memcpy(rows, rows + 3 * DIM, DIM * sizeof *rows); /* row 0 equals row 3, which is left out */
    with = ask(&table, rows, 6, DIM, lists_of, TOP, 1);
    without = ask(&table, rows, 6, DIM, NULL, ROWS, 1);
    for (size_t q = 0; q < 6; q++) {
        size_t at = 0;
        for (size_t i = 0; i < TOP; at++) {
            const attn_near_hit *hit = &without.hits[q * ROWS + at];
            bool out = false;
            for (size_t e = 0; e < lists_of[q].count; e++)
                out = out || excluded[e] == hit->row;
            if (out)
                continue;
            ck_assert_uint_eq(with.hits[q * TOP + i].row, hit->row);
            i++;
        }
    }
    forget(&with);
    forget(&without);
}
END_TEST

/* A table in another type or order answers as its float32 copy. */
START_TEST(tables_of_other_types)
{
    enum { ROWS = 300, DIM = 9, QUERIES = 7, TOP = 12 };
    static float rows[ROWS * DIM], turned[DIM * ROWS];
    static double wide[ROWS * DIM];
    attn_tensor tables[3];
    answer found[3];
    random_fill(rows, ROWS * DIM, 3, 1);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t k = 0; k < DIM; k++) {
            turned[k * ROWS + r] = rows[r * DIM + k];
            wide[r * DIM + k] = (double)rows[r * DIM + k];
        }
    tables[0] = attn_tensor_f32(rows, ROWS, DIM);
    tables[1] = attn_tensor_transpose(attn_tensor_f32(turned, DIM, ROWS));
    tables[2] = attn_tensor_make(wide, ATTN_F64, 2, (const size_t[]){ROWS, DIM});
    tables[2].big_endian = tables[0].big_endian;
    for (size_t t = 0; t < 3; t++)
        found[t] = ask(&tables[t], rows, QUERIES, DIM, NULL, TOP, 2);
    for (size_t t = 1; t < 3; t++)
        for (size_t i = 0; i < QUERIES * TOP; i++) {
            ck_assert_uint_eq(found[t].hits[i].row, found[0].hits[i].row);
            ck_assert(found[t].hits[i].similarity == found[0].hits[i].similarity);
        }
    for (size_t t = 0; t < 3; t++)
        forget(&found[t]);
}
END_TEST

typedef struct question {
    float rows[400];
    size_t n_queries;
} question;

static attn_status ask_once(void *context, attn_error *error)
{
    const question *q = context;
    attn_tensor table = attn_tensor_f32(q->rows, 200, 2);
    attn_near_hit hits[8 * 4];
    size_t n_hits[8];
    attn_near_request request = {
        .queries = q->rows + 2, .stride = 2, .n_queries = q->n_queries, .top = 4, .hits = hits, .n_hits = n_hits};
    attn_nearest *nearest;
    attn_status status = attn_nearest_open(&table, NULL, &nearest, error);
    if (status == ATTN_OK)
        status = attn_nearest_find(nearest, &request, NULL, error);
    attn_nearest_close(nearest);
    return status;
}

START_TEST(every_failed_allocation_is_said)
{
    static question q;
    random_fill(q.rows, 400, 5, 1);
    q.rows[0] = 3e38f; /* one that has to be listed apart */
    for (q.n_queries = 1; q.n_queries <= 8; q.n_queries += 7)
        ck_assert_uint_ge(memory_every_failure(ask_once, &q), 10);
}
END_TEST

static size_t word_row(const attn_vectors *vectors, const char *word)
{
    size_t row = 0;
    while (row < vectors->n_words && !attn_bytes_are(vectors->words[row], word))
        row++;
    ck_assert_uint_lt(row, vectors->n_words);
    return row;
}

/* Order and cosines as word2vec's `distance` prints them: six decimals. */
static void as_distance(const char *vectors_name, const char *list_name)
{
    attn_vectors vectors;
    attn_file file;
    attn_error error = {0};
    char word[64], neighbour[64];
    unsigned rank;
    float similarity;
    size_t n = 0;
    ck_assert_int_eq(attn_file_open(testing_shared(vectors_name), NULL, &file, &error), ATTN_OK);
    ck_assert_int_eq(attn_vectors_take(&file, &vectors, NULL, NULL, &error), ATTN_OK);
    attn_tensor table = attn_tensor_f32(vectors.values, vectors.n_words, vectors.dim);
    FILE *list = fopen(testing_shared(list_name), "r");
    ck_assert_ptr_nonnull(list);
    while (fscanf(list, "%63s %u %63s %f", word, &rank, neighbour, &similarity) == 4) {
        uint32_t self = (uint32_t)word_row(&vectors, word);
        answer found =
            ask(&table, vectors.values + self * vectors.dim, 1, vectors.dim, &(attn_near_rows){&self, 1}, 10, 1);
        ck_assert_msg(found.hits[rank - 1].row == word_row(&vectors, neighbour), "%s: rank %u is not %s", word, rank,
                      neighbour);
        ck_assert_msg(fabsf(found.hits[rank - 1].similarity - similarity) < 1e-6f, "%s, %s: %.7f", word, neighbour,
                      (double)found.hits[rank - 1].similarity);
        forget(&found);
        n++;
    }
    ck_assert_uint_ge(n, 50);
    fclose(list);
    attn_vectors_close(&vectors);
}

START_TEST(as_word2vec_prints_them)
{
    static const char *const names[] = {"data/wordvec/kjv_w2v", "data/wordvec/w2v1000"};
    testing_need("data/wordvec");
    as_distance(files_print("%s.bin", names[_i]), files_print("%s.nn.tsv", names[_i]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nearest");
    TCase *tests = tcase_create("nearest");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, zero_rows_and_zero_queries);
    tcase_add_test(tests, equal_rows_stay);
    tcase_add_test(tests, ties_go_by_row);
    tcase_add_test(tests, numbers_that_are_not_finite);
    tcase_add_test(tests, very_long_and_very_short_rows);
    tcase_add_test(tests, one_hot_rows);
    tcase_add_test(tests, random_tables_and_queries);
    tcase_add_test(tests, excluded_rows_are_left_out);
    tcase_add_test(tests, tables_of_other_types);
    tcase_add_test(tests, every_failed_allocation_is_said);
    tcase_add_loop_test(tests, as_word2vec_prints_them, 0, 2);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
