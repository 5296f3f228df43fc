/* test_select.c: LISTs, the selection of layers and heads, the N largest, columns. What is right:
 * DESIGN 3's grammar (3  0,3  5-7  2-  -1, LAYER.HEAD), worked out by hand. */
#include "config.h"

#include "testing.h"

#include "report/columns.h"
#include "report/select.h"
#include "report/top.h"

#include <math.h>
#include <string.h>

static attn_arena arena;

static void clear(void)
{
    attn_arena_free(&arena);
}

/* The chosen indices of COUNT as digits, or the error's message. */
static const char *chosen(const char *list_text, size_t count, bool strict)
{
    static char text[128];
    static attn_error error;
    uint8_t marks[32];
    attn_list list;
    size_t used = 0;
    if (attn_list_parse("--query", list_text, false, &arena, &list, &error) != ATTN_OK ||
        attn_list_resolve(&list, "--query", "tokens", count, strict, marks, &error) != ATTN_OK)
        return error.message;
    for (size_t i = 0; i < count; i++)
        if (marks[i] != 0)
            used += (size_t)snprintf(text + used, sizeof text - used, "%zu ", i);
    text[used] = '\0';
    return text;
}

START_TEST(lists_choose)
{
    ck_assert_str_eq(chosen(NULL, 3, false), "0 1 2 ");
    ck_assert_str_eq(chosen("3", 5, false), "3 ");
    ck_assert_str_eq(chosen("0,3", 5, false), "0 3 ");
    ck_assert_str_eq(chosen("5-7", 10, false), "5 6 7 ");
    ck_assert_str_eq(chosen("2-", 5, false), "2 3 4 ");
    ck_assert_str_eq(chosen("-1", 5, false), "4 ");
    ck_assert_str_eq(chosen("-2-", 5, false), "3 4 ");
    ck_assert_str_eq(chosen("0,-3--2", 5, false), "0 2 3 ");
    ck_assert_str_eq(chosen("3,3,1-2,2", 5, false), "1 2 3 ");
}
END_TEST

START_TEST(ranges_are_cut_for_texts_only)
{
    ck_assert_str_eq(chosen("1-9", 3, false), "1 2 ");
    ck_assert_str_eq(chosen("7-9", 3, false), "");
    ck_assert_str_eq(chosen("1-9", 3, true), "--query: 9 is not there: tokens go from 0 to 2");
    ck_assert_str_eq(chosen("3", 3, false), "--query: 3 is not there: tokens go from 0 to 2");
    ck_assert_str_eq(chosen("-4", 3, false), "--query: -4 is not there: tokens go from 0 to 2");
}
END_TEST

START_TEST(bad_lists_are_refused)
{
    static const char *const bad[] = {"",    ",",  "1,", ",1", "1,,2", "a",  "1.5", "1-2-3",
                                      "--1", "1 ", " 1", "-0", "1-x",  "+1", "0x1", "1--"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *message = chosen(bad[i], 5, false);
        ck_assert_msg(strstr(message, "expected a list of numbers") != NULL, "'%s': %s", bad[i], message);
    }
    ck_assert_str_eq(chosen("99999999999999999999", 5, false), "--query: 99999999999999999999 is too large");
    ck_assert_str_eq(chosen("0,1-4294967296", 5, false), "--query: 4294967296 is too large");
}
END_TEST

/* Layers of 2, 4 and 4 heads. */
static attn_status select_heads(const char *layers, const char *heads, bool all, attn_selection *selection,
                                attn_error *error)
{
    static attn_layer three[3];
    attn_model model = {.layers = three, .n_layers = 3};
    three[0].rule.n_heads = 2;
    three[1].rule.n_heads = three[2].rule.n_heads = 4;
    const attn_select_request request = {.model = &model, .layers = layers, .heads = heads, .all_layers = all};
    return attn_select(&request, &arena, selection, error);
}

static const char *selected(const char *layers, const char *heads, bool all)
{
    static char text[128];
    static attn_error error;
    attn_selection s;
    size_t used = 0;
    text[0] = '\0';
    if (select_heads(layers, heads, all, &s, &error) != ATTN_OK)
        return error.message;
    for (size_t layer = 0; layer < 3; layer++)
        for (size_t head = 0; head < s.max_heads; head++)
            if (s.layers[layer] != 0 && s.heads[layer * s.max_heads + head] != 0)
                used += (size_t)snprintf(text + used, sizeof text - used, "%zu.%zu ", layer, head);
    return text;
}

START_TEST(layers_and_heads)
{
    attn_selection s;
    ck_assert_str_eq(selected(NULL, NULL, true), "0.0 0.1 1.0 1.1 1.2 1.3 2.0 2.1 2.2 2.3 ");
    ck_assert_str_eq(selected(NULL, NULL, false), "2.0 2.1 2.2 2.3 ");
    ck_assert_str_eq(selected("1-", "0", true), "1.0 2.0 ");
    ck_assert_str_eq(selected(NULL, "3", true), "1.3 2.3 "); /* layer 0 has no head 3 */
    ck_assert_str_eq(selected(NULL, "-1", true), "0.1 1.3 2.3 ");
    ck_assert_str_eq(selected(NULL, "1.2,2.0-1", true), "1.2 2.0 2.1 ");
    ck_assert_str_eq(selected(NULL, "-1.0,1", true), "0.1 1.1 2.0 2.1 ");
    ck_assert_str_eq(selected("0", "1.2", true), "--layer and --head together select no head");
    ck_assert_str_eq(selected(NULL, "4", true), "--head: 4 is not there: heads go from 0 to 3");
    ck_assert_str_eq(selected(NULL, "3.0", true), "--head: 3 is not there: layers go from 0 to 2");
    ck_assert_str_eq(selected("3", NULL, true), "--layer: 3 is not there: layers go from 0 to 2");
    ck_assert_int_eq(select_heads("1-2", "0,3", true, &s, NULL), ATTN_OK);
    ck_assert_uint_eq(s.n_layers, 2);
    ck_assert_uint_eq(s.n_heads, 2);
    ck_assert_int_eq(select_heads(NULL, NULL, true, &s, NULL), ATTN_OK);
    ck_assert_uint_eq(s.n_heads, 0); /* not the same everywhere */
}
END_TEST

START_TEST(top_keeps_the_largest_ties_by_index)
{
    static const float values[] = {0.5f, 2, NAN, 0.5f, -1, 2, 0.5f, INFINITY};
    static const size_t right[] = {7, 1, 5, 0, 3, 6, 4, 2};
    for (size_t n = 0; n <= 9; n++) { /* a list of n is a prefix of one of n + 1 */
        attn_top top;
        ck_assert(attn_top_open(&top, n));
        for (size_t i = 0; i < 8; i++)
            attn_top_offer(&top, i, values[i]);
        attn_top_sort(&top);
        ck_assert_uint_eq(top.n, n < 8 ? n : 8);
        for (size_t i = 0; i < top.n; i++)
            ck_assert_uint_eq(top.indices[i], right[i]);
        attn_top_close(&top);
    }
}
END_TEST

START_TEST(columns_are_chosen_by_name)
{
    static const attn_report_kind kind = {.columns = "text layer head query query_token key key_token weight"},
                                  records = {.columns = "text rank next probability",
                                             .cells = {.unit = "rank_ probability", .positive = "rank"}},
                                  vectors = {.columns = "text layer position token v0 v1 …"};
    attn_schema schema = {.shape = ATTN_SHAPE_GRID};
    attn_error error;
    ck_assert_int_eq(attn_columns_make(&kind, NULL, false, &arena, &schema, &error), ATTN_OK);
    ck_assert_uint_eq(schema.n_columns, 8);
    ck_assert_int_eq(schema.columns[7].kind, ATTN_COLUMN_VALUE);
    ck_assert(!schema.chosen);
    schema = (attn_schema){.shape = ATTN_SHAPE_GRID};
    ck_assert_int_eq(attn_columns_make(&kind, "weight,file,key_token", false, &arena, &schema, &error), ATTN_OK);
    ck_assert_uint_eq(schema.n_columns, 3);
    ck_assert_int_eq(schema.columns[1].kind, ATTN_COLUMN_FILE);
    ck_assert(schema.chosen);
    ck_assert_int_eq(attn_columns_make(&kind, "wieght", false, &arena, &schema, &error), ATTN_EUSAGE);
    ck_assert_str_eq(error.hint, "did you mean 'weight'?");
    ck_assert_int_eq(attn_columns_make(&kind, "key,key", false, &arena, &schema, &error), ATTN_EUSAGE);
    ck_assert_int_eq(attn_columns_make(&kind, "", false, &arena, &schema, &error), ATTN_EUSAGE);
    ck_assert_int_eq(attn_columns_make(&kind, "key,", false, &arena, &schema, &error), ATTN_EUSAGE);
    schema = (attn_schema){.shape = ATTN_SHAPE_RECORDS};
    ck_assert_int_eq(attn_columns_make(&records, "next,line,probability,rank", false, &arena, &schema, &error),
                     ATTN_OK);
    ck_assert_int_eq(schema.columns[0].kind, ATTN_COLUMN_CELL);
    ck_assert_uint_eq(schema.columns[0].cell, 1);
    ck_assert_int_eq(schema.columns[0].range, ATTN_RANGE_NONE);
    ck_assert_int_eq(schema.columns[2].range, ATTN_RANGE_UNIT);
    ck_assert_int_eq(schema.columns[3].range, ATTN_RANGE_POSITIVE);
    schema = (attn_schema){.shape = ATTN_SHAPE_VECTORS, .has_at = true};
    ck_assert_int_eq(attn_columns_make(&vectors, NULL, true, &arena, &schema, &error), ATTN_OK);
    ck_assert_uint_eq(schema.n_columns, 6);
    ck_assert_str_eq(schema.columns[4].name, "at");
    ck_assert_int_eq(schema.columns[5].kind, ATTN_COLUMN_NUMBERS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("select");
    TCase *tests = tcase_create("select");
    tcase_add_checked_fixture(tests, NULL, clear);
    tcase_add_test(tests, lists_choose);
    tcase_add_test(tests, ranges_are_cut_for_texts_only);
    tcase_add_test(tests, bad_lists_are_refused);
    tcase_add_test(tests, layers_and_heads);
    tcase_add_test(tests, top_keeps_the_largest_ties_by_index);
    tcase_add_test(tests, columns_are_chosen_by_name);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
