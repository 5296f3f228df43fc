/* test_toy.c: toy models: reading, defaults, refusals, and the pass over them. Right values: hand
 * calculations (issue-given decimals of the examples) and shared/cases. */
#include "config.h"

#include "testing.h"

#include "testing/capture.h"
#include "testing/files.h"
#include "testing/models.h"

#include <math.h>
#include <string.h>

/* The fruit with KEYS. */
static void open_fruit(attn_model *model, const char *keys)
{
    models_open_toy(model,
                    files_print("{\"words\": {\"orange\": [6, 1], \"pear\": [7, 2], \"android\": [1, 8]}%s}", keys));
}

static void run_first(capture *c, const attn_model *model, size_t n)
{
    static const uint32_t ids[] = {0, 1, 2, 3, 4, 5, 6, 7};
    attn_input input = {.ids = ids, .n = n};
    capture_run(c, model, &input, ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS | ATTN_WANT_BEFORE | ATTN_WANT_AFTER,
                ATTN_BY_HEAD, NULL);
}

static void refuse(const char *json, const char *part)
{
    const attn_model_request request = models_request(files_text(json));
    models_refuse(&request, part);
}

START_TEST(scores_of_three_words)
{
    /* by hand: 6·7 + 1·2 = 44, 6·1 + 1·8 = 14; scaled by 1/√2 */
    attn_model model;
    capture c;
    open_fruit(&model, ", \"score\": \"dot\", \"mask\": \"none\"");
    run_first(&c, &model, 3);
    ck_assert_float_eq(c.scores[1], 44.0F);
    ck_assert_float_eq(c.scores[2], 14.0F);
    capture_free(&c);
    attn_model_close(&model);
    open_fruit(&model, ", \"mask\": \"none\"");
    run_first(&c, &model, 3);
    ck_assert_double_eq_tol((double)c.scores[1], 31.11269837, 1e-5);
    ck_assert_double_eq_tol((double)c.scores[2], 9.899494937, 1e-5);
    capture_free(&c);
    attn_model_close(&model);
    open_fruit(&model, ", \"score\": \"cosine\", \"mask\": \"none\"");
    run_first(&c, &model, 3);
    ck_assert_double_eq_tol((double)c.scores[1], .9936052548, 1e-6);
    ck_assert_double_eq_tol((double)c.scores[2], .2854765866, 1e-6);
    capture_free(&c);
    attn_model_close(&model);
}
END_TEST

START_TEST(causal_is_the_default)
{
    /* issue-given: pear over orange and itself .001719568178, .9982804318 */
    attn_model model;
    capture c;
    open_fruit(&model, "");
    run_first(&c, &model, 3);
    ck_assert_float_eq(c.weights[0], 1.0F);
    ck_assert_float_eq(c.weights[1], 0.0F);
    ck_assert_double_eq_tol((double)c.weights[3], .001719568178, 1e-6);
    ck_assert_double_eq_tol((double)c.weights[4], .9982804318, 1e-6);
    ck_assert_float_eq(c.weights[5], 0.0F);
    ck_assert(isinf(c.scores[1]) && c.scores[1] < 0.0F);
    capture_free(&c);
    attn_model_close(&model);
}
END_TEST

START_TEST(one_hot_words_with_w_q)
{
    /* issue-given: fisherman and net, W_Q = [[1,0],[3,1]], W_K = I */
    attn_model model;
    capture c;
    models_open_toy(&model, "{\"vocab\": [\"fisherman\", \"net\"], \"W_Q\": [[1, 0], [3, 1]], \"mask\": \"none\"}");
    run_first(&c, &model, 2);
    ck_assert_double_eq_tol((double)c.scores[2], 3.0 / sqrt(2.0), 1e-6);
    ck_assert_float_eq(c.scores[1], 0.0F);
    ck_assert_double_eq_tol((double)c.weights[2], .8044296825, 1e-6);
    ck_assert_double_eq_tol((double)c.weights[3], .1955703175, 1e-6);
    ck_assert_double_eq_tol((double)c.weights[1], .3302384507, 1e-6);
    capture_free(&c);
    attn_model_close(&model);
    models_open_toy(&model, "{\"vocab\": [\"fisherman\", \"net\"], \"W_Q\": [[1, 0], [3, 1]], \"mask\": \"none\", "
                            "\"score\": \"dot\"}");
    run_first(&c, &model, 2);
    ck_assert_float_eq(c.scores[2], 3.0F);
    ck_assert_double_eq_tol((double)c.weights[2], .8807970780, 1e-6);
    ck_assert_double_eq_tol((double)c.weights[1], .2689414214, 1e-6);
    capture_free(&c);
    attn_model_close(&model);
}
END_TEST

START_TEST(heads_one_by_one_and_mixed)
{
    /* issue-given: identity, and the maths-physics matrix as W_Q and W_K, on (1,0), (0,1) */
    static const char format[] = "{\"words\": {\"maths\": [1, 0], \"physics\": [0, 1]}, \"mask\": \"none\","
                                 "\"heads\": [{}, {\"W_Q\": [[1, 0.5], [0.5, 1]], \"W_K\": [[1, 0.5], [0.5, 1]]}]%s}";
    attn_model model;
    capture c;
    models_open_toy(&model, files_print(format, ""));
    ck_assert_uint_eq(model.layers[0].rule.n_heads, 2);
    run_first(&c, &model, 2);
    ck_assert_double_eq_tol((double)c.weights[0], .6697615493, 1e-6);
    ck_assert_double_eq_tol((double)c.weights[1], .3302384507, 1e-6);
    ck_assert_double_eq_tol((double)c.weights[4], .5440794433, 1e-6);
    ck_assert_double_eq_tol((double)c.weights[5], .4559205567, 1e-6);
    ck_assert_uint_eq(c.widths[1], 4);
    capture_free(&c);
    attn_model_close(&model);
    models_open_toy(&model, files_print(format, ", \"head_mix\": [0.9, 0.1]"));
    run_first(&c, &model, 2);
    ck_assert_uint_eq(c.widths[1], 2);
    ck_assert_double_eq_tol((double)c.hidden[1][0], .6571933387, 1e-6);
    ck_assert_double_eq_tol((double)c.hidden[1][1], .3428066613, 1e-6);
    ck_assert_double_eq_tol((double)c.hidden[1][3], .6571933387, 1e-6);
    capture_free(&c);
    attn_model_close(&model);
}
END_TEST

START_TEST(the_narrower_of_two_windows)
{
    /* by hand: both rules must allow, in whichever order the file has them; vectors of 0 split evenly */
    static const char *const keys[] = {", \"mask\": \"window:2\", \"window\": 3",
                                       ", \"window\": 2, \"mask\": \"window:3\""};
    for (size_t i = 0; i < 2; i++) {
        attn_model model;
        capture c;
        models_open_toy(&model, files_print("{\"words\": {\"a\": [0], \"b\": [0], \"c\": [0]}%s}", keys[i]));
        run_first(&c, &model, 3);
        ck_assert_float_eq(c.weights[6], 0.0F);
        ck_assert_float_eq(c.weights[7], 0.5F);
        ck_assert_float_eq(c.weights[8], 0.5F);
        capture_free(&c);
        attn_model_close(&model);
    }
}
END_TEST

START_TEST(values_of_another_width)
{
    /* by hand: with window 1 a token sees itself: x·W_V; item 2, item 5, mean of 7 and 8 of x = 1…8
     */
    attn_model model;
    capture c;
    models_open_toy(&model, "{\"words\": {\"x\": [1,2,3,4,5,6,7,8]}, \"mask\": [\"none\", \"window:1\"], "
                            "\"W_V\": [[0,0,0],[1,0,0],"
                            "[0,0,0],[0,0,0],[0,1,0],[0,0,0],[0,0,0.5],[0,0,0.5]]}");
    run_first(&c, &model, 1);
    ck_assert_uint_eq(c.widths[1], 3);
    ck_assert_uint_eq(attn_model_width(&model, 0), 3);
    ck_assert_float_eq(c.hidden[1][0], 2.0F);
    ck_assert_float_eq(c.hidden[1][1], 5.0F);
    ck_assert_float_eq(c.hidden[1][2], 7.5F);
    capture_free(&c);
    attn_model_close(&model);
}
END_TEST

START_TEST(bias_residual_and_layers)
{
    /* by hand, window 1: layer 0 adds x + (1, 2); layer 1 replaces by x·W_V, W_V = [[0,1],[1,0]] */
    attn_model model;
    capture c;
    models_open_toy(&model, "{\"words\": {\"a\": [3, 5], \"b\": [1, 0]}, \"layers\": ["
                            "{\"window\": 1, \"residual\": true, \"b_V\": [1, 2]},"
                            "{\"comment\": 7, \"window\": 1, \"W_V\": [[0, 1], [1, 0]], \"b_O\": [0.5, 0]}]}");
    run_first(&c, &model, 2);
    ck_assert_float_eq(c.hidden[1][0], 7.0F);
    ck_assert_float_eq(c.hidden[1][1], 12.0F);
    ck_assert_float_eq(c.hidden[2][0], 12.5F);
    ck_assert_float_eq(c.hidden[2][1], 7.0F);
    ck_assert_float_eq(c.hidden[1][2], 3.0F);
    capture_free(&c);
    attn_model_close(&model);
}
END_TEST

START_TEST(mask_matrices)
{
    /* by hand: equal scores; true keeps, false and null hide, numbers are added */
    attn_model model;
    capture c;
    models_open_toy(&model, "{\"words\": {\"a\": [0, 1], \"b\": [0, 2]}, \"W_Q\": [[0, 0], [0, 0]], \"mask\": "
                            "[[true, false], [null, 0]]}");
    run_first(&c, &model, 2);
    ck_assert_float_eq(c.weights[0], 1.0F);
    ck_assert_float_eq(c.weights[2], 0.0F);
    ck_assert_float_eq(c.weights[3], 1.0F);
    capture_free(&c);
    attn_model_close(&model);
    models_open_toy(&model, "{\"words\": {\"a\": [0, 1], \"b\": [0, 2]}, \"W_Q\": [[0, 0], [0, 0]], \"mask\": "
                            "[[1, 0], [2, 2]]}");
    run_first(&c, &model, 2);
    ck_assert_double_eq_tol((double)c.weights[0], .731058578630005, 1e-6);
    ck_assert_float_eq(c.weights[2], 0.5F);
    capture_free(&c);
    attn_model_close(&model);
    models_open_toy(&model, "{\"words\": {\"a\": [0, 1], \"b\": [0, 2]}, \"W_Q\": [[0, 0], [0, 0]], \"mask\": "
                            "[\"causal\", [[true, true], [false, true]]]}");
    run_first(&c, &model, 2);
    ck_assert_float_eq(c.weights[1], 0.0F);
    ck_assert_float_eq(c.weights[3], 1.0F);
    capture_free(&c);
    attn_model_close(&model);
}
END_TEST

START_TEST(positions_and_rotation)
{
    /* the paper's sine and cosine: position 1, d 2: (sin 1, cos 1) */
    attn_model model;
    capture c;
    models_open_toy(&model, "{\"words\": {\"a\": [0, 0], \"b\": [0, 0]}, \"positions\": \"sinusoidal\"}");
    run_first(&c, &model, 2);
    ck_assert_float_eq(c.hidden[0][0], 0.0F);
    ck_assert_float_eq(c.hidden[0][1], 1.0F);
    ck_assert_double_eq_tol((double)c.hidden[0][2], sin(1.0), 1e-7);
    ck_assert_double_eq_tol((double)c.hidden[0][3], cos(1.0), 1e-7);
    capture_free(&c);
    attn_model_close(&model);
    /* rows given are added */
    models_open_toy(&model, "{\"words\": {\"a\": [0, 0], \"b\": [5, 5]}, \"positions\": [[1, 2], [3, 4]]}");
    run_first(&c, &model, 2);
    ck_assert_float_eq(c.hidden[0][1], 2.0F);
    ck_assert_float_eq(c.hidden[0][3], 9.0F);
    capture_free(&c);
    attn_model_close(&model);
    /* rotation by one position's difference: q·k = cos 1 for (1, 0) and itself */
    models_open_toy(&model, "{\"words\": {\"a\": [1, 0], \"b\": [1, 0]}, \"score\": \"dot\", \"positions\": "
                            "\"rope\"}");
    run_first(&c, &model, 2);
    ck_assert_double_eq_tol((double)c.scores[2], cos(1.0), 1e-6);
    ck_assert_float_eq(c.hidden[0][2], 1.0F); /* the stream itself does not turn */
    capture_free(&c);
    attn_model_close(&model);
}
END_TEST

START_TEST(refusals_say_where)
{
    refuse("{\"words\": {\"a\": [1, 0]},\n \"W_q\": [[1]]}", "W_Q");
    refuse("{\"words\": {\"a\": [1, 0], \"b\": [1]}}", "'b' has 1 numbers");
    refuse("{\"words\": {\"a\": [1, 0]},\n \"W_Q\": [[1, 0], [0, 1], [1, 1]]}", ":2:");
    refuse("{\"words\": {\"a\": [1, 0]},\n \"W_Q\": [[1, 0], [0, 1], [1, 1]]}", "expected [2][2]");
    refuse("{\"words\": {\"a\": [1, 0]}, \"W_Q\": [[1, 0], [0]]}", "W_Q");
    refuse("{\"words\": {\"a\": [1, 0], \"b\": [1, 0]},\n\"mask\": [[1, 0], [1, 1]]}",
           ":2:9: mask: the mask holds only 0 and 1");
    refuse("{\"words\": {\"a\": [1, 0]}, \"n_heads\": 3}", "3 does not divide");
    refuse("{\"words\": {\"a\": [1, 0]}, \"n_heads\": 0}", "n_heads");
    refuse("{\"words\": {\"a\": [1, 0]}, \"n_heads\": 1.5}", ":1:");
    refuse("{\"words\": {\"a\": [1, 0]}, \"n_heads\": 4294967297}", ":1:");
    refuse("{\"words\": {\"a\": [1, 0]}, \"score\": \"sclaed\"}", "did you mean 'scaled'");
    refuse("{\"words\": {\"a\": [1, 0]}, \"W_V\": [[1e39, 0], [0, 1]]}", "W_V");
    refuse("{\"words\": {\"a\": [1, 0]}, \"layers\": [], \"n_heads\": 1}", "layer");
    refuse("{\"words\": {\"a\": [1, 0]}, \"n_heads\": 1, \"layers\": [{}]}", "found both");
    refuse("{\"vocab\": [\"a\", \"b\"], \"embeddings\": [[1, 0]]}", "expected 2 rows");
    refuse("{\"vocab\": [\"a\", \"a\"]}", "twice");
    refuse("{\"words\": {\"a\": [1, 0]}, \"axes\": [\"size\"]}", "expected 2 names");
    refuse("{\"words\": {\"a\": [1, 0]}, \"residual\": true, \"W_V\": [[1], [1]]}", "residual");
    refuse("{\"words\": {\"a\": [1, 0]}, \"W_Q\": [[1, 0], [0, 1]], \"W_K\": [[1], [1]]}", "number of heads open");
    refuse("{\"words\": {\"a\": [1, 0]}, \"W_Q\": [[1, 0], [0, 1]], \"W_K\": [[1, 0], [0, 1]], "
           "\"W_O\": [[1, 0], [0, 1]]}",
           "W_V is missing");
    refuse("{\"words\": {\"a\": [1, 0]}, \"layers\": [{\"W_V\": [[1], [1]]}, {}]}", "no layer can follow layer 0");
    refuse("{\"words\": {\"a\": [1, 0]}, \"score\": \"additive\"}", "v_A");
    refuse("{\"words\": {\"a\": [1, 0]}, \"mask\": \"casual\"}", "casual");
    refuse("{\"words\": {\"a\": [1, 0]}, \"window\": 0}", "window");
    refuse("{\"words\": {\"a\": [1, 0]}, \"tokenizer\": \"wrods\"}", "'wrods'; did you mean 'words'?");
    refuse("{\"words\": {\"a\": [1, 0]}, \"mask\": \"casual\"}", "'casual'; did you mean 'causal'?");
    refuse("{\"comment\": 1}", "no vocabulary");
    refuse("{\"words\": {\"a\": [1, 0]}, \"unknown\": \"u\"}", "'u' is not in the vocabulary");
    refuse("{\"words\": {\"a\": [1, 0]}} x", ":1:");
    refuse("{\"words\": {\"a\": [1, 0]}, \"words\": {\"a\": [1, 0]}}", "words");
    refuse("{\"words\": {\"a\": [1, 0, 3]}, \"positions\": \"rope\"}", "even count");
    refuse("{\"words\": {\"a\": [1, 0]}, \"heads\": [{\"W_O\": [[1]]}]}", "W_O");
    refuse("{\"words\": {\"a\": [1]}, \"heads\": [{}, {\"W_K\": [[1]]}], \"W_K\": [[1, 1]]}",
           "W_K is there for all heads and for head 1 alone");
    refuse("{\"words\": {\"a\": [1]}, \"b_V\": [1], \"heads\": [{\"b_V\": [1]}]}", "b_V is there for all heads");
    refuse("{\"layers\": [{}, {\"W_Q\": [[1, 0]]}], \"words\": {\"a\": [1, 0]}}", "layer 1: W_Q");
}
END_TEST

START_TEST(ids_beyond_the_rows)
{
    attn_model model;
    const attn_observer observer = {0};
    attn_input input = {.ids = (const uint32_t[]){0, 3}, .n = 2};
    attn_error error = {0};
    open_fruit(&model, "");
    ck_assert_int_eq(attn_forward(&model, &input, &observer, NULL, &error), ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(error.message, "id 3"));
    ck_assert_ptr_nonnull(strstr(error.message, "3 rows"));
    attn_model_close(&model);
}
END_TEST

START_TEST(padding_counts_positions_from_the_first_token)
{
    /* with rows added by position, (pad, pad, a, b) gives a and b what (a, b) gives */
    attn_model model;
    capture alone, padded;
    const uint8_t hidden[] = {1, 1, 0, 0};
    attn_input few = {.ids = (const uint32_t[]){1, 2}, .n = 2};
    attn_input many = {.ids = (const uint32_t[]){0, 0, 1, 2}, .n = 4, .hidden_keys = hidden};
    models_open_toy(&model, "{\"words\": {\"[PAD]\": [0, 0], \"a\": [1, 0.25], \"b\": [-0.5, 1]}, \"positions\": "
                            "[[0.5, 0], [0, 0.5], [-1, 1], [1, -1]]}");
    capture_run(&alone, &model, &few, ATTN_WANT_WEIGHTS | ATTN_WANT_AFTER, ATTN_BY_HEAD, NULL);
    ck_assert_uint_eq(few.n_masked_rows, 0);
    capture_run(&padded, &model, &many, ATTN_WANT_WEIGHTS | ATTN_WANT_AFTER, ATTN_BY_HEAD, NULL);
    ck_assert_uint_eq(many.n_masked_rows, 2);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_float_eq(padded.weights[(2 + i) * 4 + 2], alone.weights[i * 2]);
        ck_assert_float_eq(padded.weights[(2 + i) * 4 + 3], alone.weights[i * 2 + 1]);
        ck_assert_float_eq(padded.weights[(2 + i) * 4], 0.0F);
        ck_assert_float_eq(padded.hidden[1][(2 + i) * 2], alone.hidden[1][i * 2]);
    }
    ck_assert_float_eq(padded.hidden[1][0], 0.0F);
    capture_free(&alone);
    capture_free(&padded);
    attn_model_close(&model);
}
END_TEST

START_TEST(cross_attention_sees_the_context)
{
    /* by hand: no mask by default; one key: its value whatever the score */
    attn_model model;
    capture c;
    const uint32_t ids[] = {0, 1}, context[] = {2}, first[] = {0};
    attn_input input = {.ids = ids, .n = 2, .context_ids = context, .n_context = 1};
    open_fruit(&model, "");
    capture_run(&c, &model, &input, ATTN_WANT_WEIGHTS | ATTN_WANT_AFTER, ATTN_BY_QUERY, NULL);
    ck_assert_uint_eq(c.n_keys, 1);
    ck_assert_float_eq(c.weights[1], 1.0F);
    ck_assert_float_eq(c.hidden[1][2], 1.0F);
    ck_assert_float_eq(c.hidden[1][3], 8.0F);
    capture_free(&c);
    attn_model_close(&model);
    /* the first query sees the second key too; equal scores give halves */
    models_open_toy(&model, "{\"words\": {\"a\": [0, 0], \"b\": [2, 4]}}");
    input = (attn_input){.ids = first, .n = 1, .context_ids = ids, .n_context = 2};
    capture_run(&c, &model, &input, ATTN_WANT_WEIGHTS | ATTN_WANT_AFTER, ATTN_BY_HEAD, NULL);
    ck_assert_float_eq(c.weights[0], 0.5F);
    ck_assert_float_eq(c.weights[1], 0.5F);
    ck_assert_float_eq(c.hidden[1][1], 2.0F);
    capture_free(&c);
    attn_model_close(&model);
}
END_TEST

static Suite *toy_suite(void)
{
    Suite *suite = suite_create("toy");
    TCase *values = tcase_create("values"), *faults = tcase_create("faults");
    tcase_add_test(values, scores_of_three_words);
    tcase_add_test(values, causal_is_the_default);
    tcase_add_test(values, one_hot_words_with_w_q);
    tcase_add_test(values, heads_one_by_one_and_mixed);
    tcase_add_test(values, the_narrower_of_two_windows);
    tcase_add_test(values, values_of_another_width);
    tcase_add_test(values, bias_residual_and_layers);
    tcase_add_test(values, mask_matrices);
    tcase_add_test(values, positions_and_rotation);
    tcase_add_test(values, padding_counts_positions_from_the_first_token);
    tcase_add_test(values, cross_attention_sees_the_context);
    tcase_add_test(faults, refusals_say_where);
    tcase_add_test(faults, ids_beyond_the_rows);
    suite_add_tcase(suite, values);
    suite_add_tcase(suite, faults);
    return suite;
}

int main(void)
{
    return testing_run(toy_suite());
}
