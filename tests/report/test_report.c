/* test_report.c: what each report prints, over toy models small enough to work out by hand: the
 * values stand beside each test, with where they come from. */
#include "config.h"

#include "testing.h"

#include "base/memory.h"
#include "load/load.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* Zero queries: every visible key has the same score, so weights are uniform. */
#define UNIFORM "\"layers\": [{\"W_Q\": [[0, 0], [0, 0]], \"score\": \"dot\"}]"
#define TWO_WORDS "\"words\": {\"a\": [1, 0], \"b\": [0, 1]}, "

static const char uniform[] = "{" TWO_WORDS UNIFORM "}";
/* Two heads with opposite preference, as case 075: head 0 likes the same word, head 1 the other;
 * the weights are e^s/(e^s + 1) with s = 3/√1. */
static const char two_heads[] = "{\"words\": {\"a\": [1, 0], \"b\": [0, 1]}, \"layers\": [{\"n_heads\": 2, "
                                "\"W_Q\": [[1, 0, 0, 1], [0, 1, 1, 0]], \"W_K\": [[3, 0, 3, 0], [0, 3, 0, 3]], "
                                "\"W_V\": [[1, 0, 1, 0], [0, 1, 0, 1]], \"score\": \"dot\", \"mask\": \"none\"}]}";
/* Only the token itself is seen: the vector after the layer is the vector before it. */
static const char still[] = "{\"words\": {\"q\": [1, 0], \"w3\": [0.5, 0.5], \"w1\": [0.5, 0.5], \"z\": [0, 0], "
                            "\"w0\": [1, 0.1], \"twin\": [2, 0]}, \"layers\": [{\"mask\": \"window:1\"}]}";

typedef struct run {
    attn_model model;
    attn_report_request request;
    attn_output_request output;
    bool several_texts;
    attn_error error;
    const char *texts[4];
    const attn_tokens *tokens; /* instead of the tokenizer's */
    const uint8_t *hidden;
    attn_unknowns unknowns;
} run;

static char output[1 << 16];
static size_t output_size;

static void open_model(run *r, const char *json)
{
    char path[] = "/tmp/attn-report-XXXXXX";
    int fd = mkstemp(path);
    attn_model_request request = {.model = path, .overrides = attn_overrides_none()};
    ck_assert_int_eq(write(fd, json, strlen(json)), (ssize_t)strlen(json));
    close(fd);
    ck_assert_msg(attn_model_open(&request, &r->model, &r->error) == ATTN_OK, "%s", r->error.message);
    unlink(path);
}

static run start(const char *json, const char *print)
{
    run r = {
        .request = {.kind = attn_report_find(print)}, .output = {.format = attn_output_find("tsv")}, .texts = {"a b"}};
    ck_assert_ptr_nonnull(r.request.kind);
    ck_assert_ptr_nonnull(r.output.format);
    open_model(&r, json);
    return r;
}

static attn_status one_text(run *r, attn_report *report, size_t number)
{
    const attn_reads reads = r->request.kind->reads;
    attn_encode_options options = attn_encode_options_default();
    attn_tokens tokens = {0};
    attn_text text = {.file = "", .number = number, .hidden_keys = r->hidden, .unknowns = &r->unknowns};
    attn_status status = ATTN_OK;
    if (reads != ATTN_READS_NOTHING)
        text.bytes = attn_bytes_of(r->texts[number]);
    if (reads == ATTN_READS_TOKENS && r->tokens == NULL)
        status = attn_tokenizer_encode(r->model.tokenizer, text.bytes, &options, &tokens, NULL, &r->error);
    text.tokens = reads != ATTN_READS_TOKENS ? NULL : r->tokens != NULL ? r->tokens : &tokens;
    if (status == ATTN_OK)
        status = attn_report_text(report, &text, &r->error);
    attn_tokens_free(&tokens);
    return status;
}

static attn_status try_run(run *r)
{
    char path[] = "/tmp/attn-report-XXXXXX";
    attn_sink *sink = NULL;
    attn_report *report = NULL;
    attn_status status;
    FILE *file;
    close(mkstemp(path));
    status = attn_sink_open(path, &sink, &r->error);
    if (status == ATTN_OK)
        status =
            attn_report_open(&r->request, &r->output,
                             &(attn_report_tools){.model = &r->model, .sink = sink, .several_texts = r->several_texts},
                             &report, &r->error);
    for (size_t i = 0; status == ATTN_OK && i < 4 && (i == 0 || r->texts[i] != NULL); i++)
        status = one_text(r, report, i);
    if (status == ATTN_OK)
        status = attn_report_end(report, &r->error);
    attn_report_close(report);
    if (status == ATTN_OK)
        status = attn_sink_commit(sink, &r->error);
    attn_sink_close(sink);
    file = fopen(path, "rb");
    output_size = fread(output, 1, sizeof output - 1, file);
    output[output_size] = '\0';
    fclose(file);
    unlink(path);
    return status;
}

static void finish(run *r)
{
    attn_unknowns_free(&r->unknowns);
    attn_model_close(&r->model);
}

static const char *printed(run *r)
{
    attn_status status = try_run(r);
    ck_assert_msg(status == ATTN_OK, "%s", r->error.message);
    finish(r);
    return output;
}

static const char *refused(run *r, attn_status right)
{
    ck_assert_int_eq(try_run(r), right);
    ck_assert_int_eq(r->error.status, right);
    ck_assert_uint_eq(output_size, 0);
    finish(r);
    return r->error.message;
}

/* Column COLUMN (from 0) of line LINE (0: the header) of the output as a number. */
static double number_at(size_t line, size_t column)
{
    const char *at = output;
    for (; line > 0; line--)
        at = strchr(at, '\n') + 1;
    for (; column > 0; column--)
        at = strchr(at, '\t') + 1;
    return strtod(at, NULL);
}

START_TEST(weights_of_uniform_attention)
{
    run r = start(uniform, "weights");
    ck_assert_str_eq(printed(&r), "text\tlayer\thead\tquery\tquery_token\tkey\tkey_token\tweight\n"
                                  "0\t0\t0\t0\ta\t0\ta\t1\n"
                                  "0\t0\t0\t1\tb\t0\ta\t0.5\n"
                                  "0\t0\t0\t1\tb\t1\tb\t0.5\n");
}
END_TEST

/* Query b, key a: (0, 1)·W_Q = (3, 1), times a's key (1, 0): 3; the reverse is 0. Rows name the
 * query first. */
START_TEST(query_and_key_are_not_swapped)
{
    run r = start("{" TWO_WORDS "\"layers\": [{\"W_Q\": [[1, 0], [3, 1]], \"score\": \"dot\", \"mask\": \"none\"}]}",
                  "scores");
    r.output.columns = "query_token,key_token,score";
    ck_assert_str_eq(printed(&r), "query_token\tkey_token\tscore\na\ta\t1\na\tb\t0\nb\ta\t3\nb\tb\t1\n");
}
END_TEST

START_TEST(selections_leave_rows_out)
{
    static const char *tokens[] = {"b", NULL};
    run r = start(uniform, "weights");
    r.texts[0] = "a b a";
    r.request.queries = "1-";
    r.request.key_tokens = (attn_strings){tokens, 1};
    r.output.no_header = true;
    ck_assert_str_eq(printed(&r), "0\t0\t0\t1\tb\t1\tb\t0.5\n0\t0\t0\t2\ta\t1\tb\t0.33333334\n");
    r = start(uniform, "weights");
    r.output.format = attn_output_find("matrix");
    r.texts[0] = "a b a";
    r.request.keys = "0,2";
    r.request.queries = "-1";
    ck_assert_str_eq(printed(&r), "text\tlayer\thead\tquery\tquery_token\t0:a\t2:a\n"
                                  "0\t0\t0\t2\ta\t0.33333334\t0.33333334\n");
}
END_TEST

START_TEST(a_token_nobody_has_is_told_at_the_end)
{
    static const char *tokens[] = {"applle", NULL};
    run r = start("{\"words\": {\"apple\": [1, 0], \"b\": [0, 1]}}", "weights");
    r.request.query_tokens = (attn_strings){tokens, 1};
    r.texts[0] = "apple b";
    r.texts[1] = "b";
    ck_assert_str_eq(refused(&r, ATTN_EDATA), "--query-token: no token of any text is 'applle'");
    ck_assert_str_eq(r.error.hint, "did you mean 'apple'?");
}
END_TEST

/* Filters look at finished weights: 0.5 stays 0.5 when its neighbour is left out. */
START_TEST(filters_do_not_change_the_softmax)
{
    run r = start(two_heads, "weights");
    r.request.heads = "0";
    r.request.min = (attn_given_number){true, 0.5f};
    printed(&r);
    /* e^3/(e^3 + 1) */
    ck_assert(fabs(number_at(1, 7) - 0.9525741268) < 1e-6);
    ck_assert(number_at(1, 5) == 0 && number_at(2, 5) == 1);
    ck_assert_ptr_null(strstr(output, "0.04742"));
    r = start(uniform, "weights");
    r.texts[0] = "a b a b";
    r.request.top = 2;
    r.request.queries = "3";
    r.output.no_header = true;
    ck_assert_str_eq(printed(&r), "0\t0\t0\t3\tb\t0\ta\t0.25\n0\t0\t0\t3\tb\t1\tb\t0.25\n"); /* ties by position */
    r = start(two_heads, "scores");
    r.request.top = 2;
    r.request.heads = "1";
    r.request.queries = "0";
    r.output.columns = "key,score";
    ck_assert_str_eq(printed(&r), "key\tscore\n1\t3\n0\t0\n"); /* descending */
}
END_TEST

START_TEST(mean_over_heads_only_when_asked)
{
    run r = start(two_heads, "weights");
    printed(&r);
    ck_assert(fabs(number_at(1, 7) - 0.9525741268) < 1e-6);
    ck_assert(fabs(number_at(5, 7) - 0.0474258732) < 1e-6);
    r = start(two_heads, "weights");
    r.request.average_heads = true;
    r.output.precision = (attn_given_count){true, 6};
    ck_assert_str_eq(printed(&r), "text\tlayer\thead\tquery\tquery_token\tkey\tkey_token\tweight\n"
                                  "0\t0\tmean\t0\ta\t0\ta\t0.500000\n0\t0\tmean\t0\ta\t1\tb\t0.500000\n"
                                  "0\t0\tmean\t1\tb\t0\ta\t0.500000\n0\t0\tmean\t1\tb\t1\tb\t0.500000\n");
    r = start(two_heads, "weights"); /* of the selected heads only */
    r.request.average_heads = true;
    r.request.heads = "1";
    printed(&r);
    ck_assert(fabs(number_at(1, 7) - 0.0474258732) < 1e-6);
}
END_TEST

/* Four tokens, two words, uniform causal rows 1; ½ ½; ⅓ ⅓ ⅓; ¼ ¼ ¼ ¼. Keys summed, queries
 * averaged: word 0: (1 + (½+½))/2 = 1 on itself; word 1: (⅔ + ½)/2 = 7/12 and (⅓ + ½)/2 = 5/12. */
START_TEST(words_sum_keys_and_average_queries)
{
    attn_token items[] = {{0, 0, 0, 2, false}, {1, 0, 2, 4, false}, {0, 1, 4, 7, false}, {1, 1, 7, 9, false}};
    const attn_tokens tokens = {items, 4, 4};
    run r = start(uniform, "weights");
    r.texts[0] = "sm\xff"
                 "l words";
    r.tokens = &tokens;
    r.request.by_word = true;
    r.output.no_header = true;
    r.output.precision = (attn_given_count){true, 6};
    ck_assert_str_eq(printed(&r), "0\t0\t0\t0\tsm\\\\xffl\t0\tsm\\\\xffl\t1.000000\n"
                                  "0\t0\t0\t1\tword\t0\tsm\\\\xffl\t0.583333\n"
                                  "0\t0\t0\t1\tword\t1\tword\t0.416667\n");
    r = start(uniform, "weights");
    r.texts[0] = "smol words";
    r.tokens = &tokens;
    r.request.by_word = true;
    r.request.average_heads = true;
    r.request.queries = "1";
    r.output.format = attn_output_find("matrix");
    printed(&r);
    ck_assert(fabs(number_at(1, 5) - 7.0 / 12) < 1e-6);
}
END_TEST

START_TEST(specials_are_words_of_their_own)
{
    attn_token items[] = {{0, 0, 0, 0, true}, {1, 0, 0, 1, false}, {0, 0, 1, 1, true}};
    const attn_tokens tokens = {items, 3, 3};
    run r = start(uniform, "weights");
    r.texts[0] = "x";
    r.tokens = &tokens;
    r.request.by_word = true;
    r.request.queries = "2";
    r.output.columns = "key_token";
    ck_assert_str_eq(printed(&r), "key_token\na\nx\na\n");
}
END_TEST

START_TEST(embeddings_before_and_after)
{
    run r = start(uniform, "embeddings");
    ck_assert_str_eq(printed(&r), "text\tlayer\tposition\ttoken\tv0\tv1\n0\t0\t0\ta\t1\t0\n0\t0\t1\tb\t0.5\t0.5\n");
    r = start(uniform, "embeddings");
    r.output.columns = "v1,token,v0";
    ck_assert_str_eq(printed(&r), "v1\ttoken\tv0\n0\ta\t1\n0.5\tb\t0.5\n");
    r = start(uniform, "embeddings");
    r.output.columns = "token,v2";
    refused(&r, ATTN_EUSAGE);
    r = start(uniform, "embeddings");
    r.output.columns = "v1,v";
    r.output.format = attn_output_find("table");
    r.request.queries = "0";
    ck_assert_str_eq(printed(&r), "    v1      v0      v1\n0.0000  1.0000  0.0000\n");
    r = start(uniform, "embeddings");
    r.request.at = "before";
    r.request.queries = "-1";
    ck_assert_str_eq(printed(&r), "text\tlayer\tposition\ttoken\tv0\tv1\n0\t0\t1\tb\t0\t1\n");
    r = start(uniform, "embeddings");
    r.request.at = "before,after";
    r.request.queries = "1";
    ck_assert_str_eq(printed(&r), "text\tlayer\tposition\ttoken\tat\tv0\tv1\n"
                                  "0\t0\t1\tb\tbefore\t0\t1\n0\t0\t1\tb\tafter\t0.5\t0.5\n");
}
END_TEST

/* q = (1, 0): w0 = (1, .1) has cosine 1/√1.01; w3, w1 = √½ in file order; z is a zero vector: 0;
 * twin's is 1. */
START_TEST(nearest_words)
{
    run r = start(still, "nearest");
    r.texts[0] = "q z";
    r.output.columns = "token,rank,neighbor,similarity";
    r.output.precision = (attn_given_count){true, 6};
    ck_assert_str_eq(printed(&r), "token\trank\tneighbor\tsimilarity\n"
                                  "q\t1\ttwin\t1.000000\nq\t2\tw0\t0.995037\nq\t3\tw3\t0.707107\n"
                                  "q\t4\tw1\t0.707107\nq\t5\tz\t0.000000\n"
                                  "z\t1\tq\t0.000000\nz\t2\tw3\t0.000000\nz\t3\tw1\t0.000000\n"
                                  "z\t4\tw0\t0.000000\nz\t5\ttwin\t0.000000\n");
    r = start(still, "nearest");
    r.texts[0] = "q";
    r.request.with_self = true;
    r.request.top = 2;
    ck_assert_str_eq(printed(&r), "text\tlayer\tposition\ttoken\tat\trank\tneighbor\tsimilarity\n"
                                  "0\t0\t0\tq\tafter\t1\tq\t1\n0\t0\t0\tq\tafter\t2\ttwin\t1\n");
}
END_TEST

/* q + w3, each of length 1: (1 + √½, √½), nearest w0 (cosine 1.777818/(1.847759·1.004988) = .95736)
 * before twin (.92388). Without the division by the lengths it would be (1.5, .5). q − w3 = (1 −
 * √½, −√½): twin .38268, w0 .222183/(.765367·1.004988) = .28885. */
START_TEST(similar_adds_words_of_length_one)
{
    run r = start(still, "similar");
    r.texts[0] = "q +  w3";
    r.texts[1] = "q - w3";
    r.request.top = 2;
    r.output.precision = (attn_given_count){true, 4};
    ck_assert_str_eq(printed(&r), "text\tquery\trank\tneighbor\tsimilarity\n"
                                  "0\tq + w3\t1\tw0\t0.9574\n0\tq + w3\t2\ttwin\t0.9239\n"
                                  "1\tq - w3\t1\ttwin\t0.3827\n1\tq - w3\t2\tw0\t0.2889\n");
}
END_TEST

START_TEST(similar_and_unknown_words)
{
    run r = start(still, "similar");
    r.texts[0] = "zzz q";
    r.request.top = 1;
    r.output.columns = "neighbor";
    ck_assert_int_eq(try_run(&r), ATTN_OK);
    ck_assert_str_eq(output, "neighbor\ntwin\n");
    ck_assert_uint_eq(r.unknowns.count, 1);
    ck_assert_str_eq(r.unknowns.kept[0], "zzz");
    finish(&r);
    r = start(still, "similar");
    r.texts[0] = "zzz";
    ck_assert_ptr_nonnull(strstr(refused(&r, ATTN_EDATA), "zzz"));
    r = start(still, "similar");
    r.texts[0] = "q - + w3";
    ck_assert_str_eq(refused(&r, ATTN_EDATA), "expected a word after '-', found '+'");
    r = start(still, "similar");
    r.texts[0] = "q -";
    ck_assert_str_eq(refused(&r, ATTN_EDATA), "expected a word after '-', found the end of the query");
}
END_TEST

/* Issue 6's exact values: uniform causal weights over four tokens: previous 13/48; a b a b:
 * induction 7/48. Also by hand: self and first 25/48, same (⅓ + ¼)/4 = 7/48, distance (0 + ½ + 1
 * + 1.5)/4 = ¾, entropy (0 + 1 + log2 3 + 2)/4. */
START_TEST(heads_of_uniform_attention)
{
    static const double right[] = {1.1462406252, 25.0 / 48, 13.0 / 48, 25.0 / 48, 7.0 / 48, 7.0 / 48, 0.75};
    run r = start(uniform, "heads");
    r.texts[0] = "a b a b";
    printed(&r);
    ck_assert(number_at(1, 3) == 4);
    for (size_t i = 0; i < 7; i++)
        ck_assert_msg(fabs(number_at(1, 4 + i) - right[i]) < 1e-6, "%zu: %g", i, number_at(1, 4 + i));
}
END_TEST

/* Scores (ln 2, 0, 0) for every query: weights ½, ¼, ¼, entropy 1.5 bits. */
START_TEST(entropy_in_bits)
{
    run r = start("{" TWO_WORDS "\"layers\": [{\"W_Q\": [[0.6931471806, 0], [0.6931471806, 0]], "
                  "\"score\": \"dot\", \"mask\": \"none\"}]}",
                  "heads");
    r.texts[0] = "a b b";
    printed(&r);
    ck_assert(fabs(number_at(1, 4) - 1.5) < 1e-6);
    ck_assert(fabs(number_at(1, 7) - 0.5) < 1e-6); /* first */
}
END_TEST

START_TEST(padding_is_no_query_of_heads)
{
    static const uint8_t hidden[] = {1, 0, 0};
    run r = start(uniform, "heads");
    r.texts[0] = "a b a";
    r.hidden = hidden;
    printed(&r);
    ck_assert(number_at(1, 3) == 2);
    ck_assert(fabs(number_at(1, 4) - 0.5) < 1e-6); /* rows 1; ½ ½ */
}
END_TEST

/* Logits (0, ln 2, ln 5) for a: probabilities ⅛, ¼, ⅝ (issue 5); all equal for b: ties by id. */
START_TEST(next_tokens)
{
    static const float head[2][3] = {{0, 0.6931471806f, 1.6094379124f}, {0, 0, 0}};
    run r = start("{\"words\": {\"a\": [1, 0], \"b\": [0, 1], \"c\": [0, 1]}, \"layers\": "
                  "[{\"mask\": \"window:1\"}]}",
                  "next");
    r.model.head.w = attn_tensor_f32(&head[0][0], 2, 3);
    r.output.precision = (attn_given_count){true, 4};
    r.request.top = 2;
    ck_assert_str_eq(printed(&r), "text\tposition\ttoken\trank\tid\tnext\tprobability\n"
                                  "0\t0\ta\t1\t2\tc\t0.6250\n0\t0\ta\t2\t1\tb\t0.2500\n"
                                  "0\t1\tb\t1\t0\ta\t0.3333\n0\t1\tb\t2\t1\tb\t0.3333\n");
}
END_TEST

START_TEST(masks_are_filled)
{
    static const float head[2][3] = {{0, 1, 2}, {2, 1, 0}};
    run r = start("{\"vocab\": [\"a\", \"b\", \"[MASK]\"], \"embeddings\": [[1, 0], [1, 0], [0, 1]], "
                  "\"tokenizer\": \"whitespace\", \"layers\": [{\"mask\": \"window:1\"}]}",
                  "next");
    r.model.head.w = attn_tensor_f32(&head[0][0], 2, 3);
    r.model.masked_lm = true;
    r.texts[0] = "a [MASK] b";
    r.request.top = 1;
    r.output.columns = "position,next";
    ck_assert_int_eq(try_run(&r), ATTN_OK);
    ck_assert_str_eq(output, "position\tnext\n1\ta\n");
    r.texts[0] = "a b";
    ck_assert_str_eq(printed(&r), "position\tnext\n0\t[MASK]\n1\t[MASK]\n");
}
END_TEST

START_TEST(tokens_and_offsets)
{
    run r = start(uniform, "tokens");
    r.texts[0] = "a  b";
    ck_assert_str_eq(printed(&r), "text\tposition\tid\ttoken\tstart\tend\n0\t0\t0\ta\t0\t1\n0\t1\t1\tb\t3\t4\n");
}
END_TEST

START_TEST(model_says_what_was_understood)
{
    run r = start(uniform, "model");
    r.output.columns = "item,name,value,shape";
    printed(&r);
    ck_assert_ptr_nonnull(strstr(output, "model\tfamily\ttoy\t\n"));
    ck_assert_ptr_nonnull(strstr(output, "layer 0\tscore\tdot\t\n"));
    ck_assert_ptr_nonnull(strstr(output, "layer 0\tmask\tcausal\t\n"));
    ck_assert_ptr_nonnull(strstr(output, "layer 0\tW_K\tidentity\t\n"));
    ck_assert_ptr_nonnull(strstr(output, "layer 0\tW_Q\tF32 [2][2]\t\n"));
    ck_assert_ptr_nonnull(strstr(output, "\t[2][2]\n"));
}
END_TEST

START_TEST(an_empty_text_has_no_rows)
{
    static const char *const reports[] = {"weights", "embeddings", "nearest", "tokens", "heads"};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        run r = start(uniform, reports[i]);
        r.texts[0] = "";
        r.output.no_header = true;
        ck_assert_str_eq(printed(&r), "");
    }
}
END_TEST

START_TEST(what_does_not_apply_is_refused)
{
    run r = start(uniform, "tokens");
    r.request.min.given = true;
    ck_assert_str_eq(refused(&r, ATTN_EUSAGE), "--min does not apply to --print=tokens");
    r = start(uniform, "scores");
    r.request.by_word = true;
    ck_assert_str_eq(refused(&r, ATTN_EUSAGE), "--by-word does not apply to --print=scores");
    r = start(uniform, "heads");
    r.output.format = attn_output_find("npy");
    refused(&r, ATTN_EUSAGE);
    r = start(uniform, "weights");
    r.output.format = attn_output_find("npy");
    r.several_texts = true;
    ck_assert_ptr_nonnull(strstr(refused(&r, ATTN_EUSAGE), "one text"));
    r = start(uniform, "weights");
    r.output.format = attn_output_find("json");
    r.output.columns = "key";
    refused(&r, ATTN_EUSAGE);
    r = start(uniform, "next");
    ck_assert_ptr_nonnull(strstr(refused(&r, ATTN_EUNSUPPORTED), "no output head"));
    r = start("{" TWO_WORDS "\"layers\": [{\"W_V\": [[1, 0, 0], [0, 1, 0]]}]}", "nearest");
    ck_assert_ptr_nonnull(strstr(refused(&r, ATTN_EUSAGE), "vectors of 3 numbers, the vocabulary's have 2"));
}
END_TEST

typedef struct countdown {
    size_t left;
} countdown;

static bool allow(void *context, size_t size)
{
    countdown *c = context;
    (void)size;
    return c->left > 0 && c->left-- > 0;
}

/* A failed allocation at any point ends in ATTN_ENOMEM, never in a shorter output. */
START_TEST(every_failed_allocation_is_told)
{
    static const char *const reports[] = {"weights", "scores", "embeddings", "nearest",
                                          "similar", "tokens", "heads",      "model"};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        static char right[sizeof output];
        run r = start(uniform, reports[i]);
        attn_status status = ATTN_ENOMEM;
        size_t n = 0, right_size;
        r.request.average_heads = r.request.by_word = i == 0;
        r.request.top = i == 0 || i == 3 ? 1 : 0;
        ck_assert_int_eq(try_run(&r), ATTN_OK);
        right_size = output_size;
        memcpy(right, output, right_size);
        for (; n < 5000 && status != ATTN_OK; n++) {
            countdown c = {n};
            attn_set_alloc_hook(allow, &c);
            status = try_run(&r);
            attn_set_alloc_hook(NULL, NULL);
            ck_assert_msg(status == ATTN_OK || status == ATTN_ENOMEM, "%s: allocation %zu: %s", reports[i], n,
                          r.error.message);
        }
        ck_assert_uint_gt(n, 5);
        ck_assert_int_eq(status, ATTN_OK);
        ck_assert_uint_eq(output_size, right_size);
        ck_assert_mem_eq(output, right, right_size);
        finish(&r);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report");
    TCase *tests = tcase_create("report");
    tcase_add_test(tests, weights_of_uniform_attention);
    tcase_add_test(tests, query_and_key_are_not_swapped);
    tcase_add_test(tests, selections_leave_rows_out);
    tcase_add_test(tests, a_token_nobody_has_is_told_at_the_end);
    tcase_add_test(tests, filters_do_not_change_the_softmax);
    tcase_add_test(tests, mean_over_heads_only_when_asked);
    tcase_add_test(tests, words_sum_keys_and_average_queries);
    tcase_add_test(tests, specials_are_words_of_their_own);
    tcase_add_test(tests, embeddings_before_and_after);
    tcase_add_test(tests, nearest_words);
    tcase_add_test(tests, similar_adds_words_of_length_one);
    tcase_add_test(tests, similar_and_unknown_words);
    tcase_add_test(tests, heads_of_uniform_attention);
    tcase_add_test(tests, entropy_in_bits);
    tcase_add_test(tests, padding_is_no_query_of_heads);
    tcase_add_test(tests, next_tokens);
    tcase_add_test(tests, masks_are_filled);
    tcase_add_test(tests, tokens_and_offsets);
    tcase_add_test(tests, model_says_what_was_understood);
    tcase_add_test(tests, an_empty_text_has_no_rows);
    tcase_add_test(tests, what_does_not_apply_is_refused);
    tcase_add_test(tests, every_failed_allocation_is_told);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
