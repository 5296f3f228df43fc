/* test_parts.c: the parts of the pass that an observer may see: on every family's model, against the formulas that join
 * them, in double: values through the weights are the heads, those through W_O what attention adds, that through the
 * norms the stream; and the layer's tail gives the pass's bytes. (Against outside values: test_traced.c.) */
#include "config.h"

#include "testing.h"

#include "attention/reference.h"
#include "testing/arrays.h"
#include "testing/capture.h"
#include "testing/files.h"
#include "testing/models.h"
#include "testing/parts.h"

#include <math.h>
#include <string.h>

/* Folders of models: ours, and those of the outside data. */
static const char *const *ours, *const *others;
static int n_ours, n_others;

static const part_kept *rows_near(const part_kept *kept, const double *right, const char *what, size_t layer)
{
    size_t count = kept->n_heads * kept->n_rows * kept->width;
    double largest = 1.0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(right[i]));
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(fabs((double)kept->values[i] - right[i]) <= CAPTURE_TOLERANCE * largest,
                      "%s, layer %zu: number %zu is %.9g, right is %.9g", what, layer, i, (double)kept->values[i],
                      right[i]);
    return kept;
}

static double *doubles(size_t count)
{
    double *numbers = calloc(count + 1, sizeof *numbers);
    ck_assert_ptr_nonnull(numbers);
    return numbers;
}

/* σ by its definition. */
static double sigma_of(const attn_norm *norm, const double *x, size_t n)
{
    double mean = 0, square = 0;
    for (size_t k = 0; k < n && norm->kind == ATTN_NORM_LAYER; k++)
        mean += x[k] / (double)n;
    for (size_t k = 0; k < n; k++)
        square += (x[k] - mean) * (x[k] - mean) / (double)n;
    return sqrt(square + (double)norm->epsilon);
}

/* The norm of each row of X[n][width], in place, by its definition; SIGMA, what was shown, must be its σ. */
static void norm_rows(const attn_norm *norm, double *x, size_t n, size_t width, const double *sigma)
{
    if (norm->kind == ATTN_NORM_NONE) {
        ck_assert_ptr_null(sigma);
        return;
    }
    ck_assert_ptr_nonnull(sigma);
    for (size_t i = 0; i < n; i++, x += width) {
        double mean = 0, right = sigma_of(norm, x, width);
        ck_assert_msg(fabs(sigma[i] - right) <= 1e-5 * right, "sigma %zu is %.9g, right is %.9g", i, sigma[i], right);
        for (size_t k = 0; k < width && norm->kind == ATTN_NORM_LAYER; k++)
            mean += x[k] / (double)width;
        for (size_t k = 0; k < width; k++)
            x[k] = (x[k] - mean) / right * (norm->weight != NULL ? (double)norm->weight[k] : 1) +
                   (norm->bias != NULL ? (double)norm->bias[k] : 0);
    }
}

static double *copied(const float *values, size_t count)
{
    double *numbers = doubles(count);
    for (size_t i = 0; i < count; i++)
        numbers[i] = (double)values[i];
    return numbers;
}

static void check_normed(const parts *p, size_t l)
{
    const attn_layer *layer = &p->model->layers[l];
    const part_kept *normed = parts_of(p, ATTN_PART_NORMED, l);
    double *right = copied(p->before[l], p->n * normed->width);
    norm_rows(&layer->attention_before, right, p->n, normed->width, normed->sigma);
    rows_near(normed, right, "NORMED", l);
    free(right);
    ck_assert(parts_shown(p, ATTN_PART_NORMED_CONTEXT, l) == parts_shown(p, ATTN_PART_CONTEXT, 0));
    if (!parts_shown(p, ATTN_PART_CONTEXT, 0))
        return;
    normed = parts_of(p, ATTN_PART_NORMED_CONTEXT, l);
    right = copied(parts_of(p, ATTN_PART_CONTEXT, 0)->values, p->n_keys * normed->width);
    norm_rows(&layer->attention_before, right, p->n_keys, normed->width, normed->sigma);
    rows_near(normed, right, "NORMED_CONTEXT", l);
    free(right);
}

static double dot(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (double)a[k] * (double)b[k];
    return sum;
}

static const float *row_of(const part_kept *kept, size_t head, size_t i)
{
    return kept->values + (head * kept->n_rows + i) * kept->width;
}

/* One of f and scale·f; a pair that gravity leaves out is −INFINITY of both. */
static void near_f(float found, double right)
{
    if (isinf(right))
        ck_assert(isinf(found) && found < 0);
    else
        ck_assert_double_eq_tol((double)found, right, 1e-5 * fmax(1, fabs(right)));
}

/* Queries and keys are those that meet: DOT is f of them. Those before rotation meet alike at equal positions, where
 * both turn by the same angle. */
static void check_queries_and_keys(const parts *p, size_t l)
{
    const attn_layer *layer = &p->model->layers[l];
    const part_kept *q = parts_of(p, ATTN_PART_QUERY, l), *k = parts_of(p, ATTN_PART_KEY, l);
    const part_kept *qb = parts_of(p, ATTN_PART_QUERY_BEFORE, l), *kb = parts_of(p, ATTN_PART_KEY_BEFORE, l);
    size_t group = layer->rule.n_heads / layer->rule.n_kv_heads, turned = 0;
    bool stretched = layer->rope.scaling == ATTN_ROPE_YARN || layer->rope.scaling == ATTN_ROPE_LONGROPE;
    ck_assert_uint_eq(q->n_heads, layer->rule.n_heads);
    ck_assert_uint_eq(k->n_heads, layer->rule.n_kv_heads);
    ck_assert_uint_eq(k->n_rows, p->n_keys);
    ck_assert_uint_eq(q->width, layer->rule.head_dim);
    const attn_attention met = {
        .rule = &layer->rule,
        .q = {.data = q->values, .row_stride = q->width, .head_stride = q->n_rows * q->width},
        .k = {.data = k->values, .row_stride = k->width, .head_stride = k->n_rows * k->width},
    };
    for (size_t h = 0; h < q->n_heads; h++)
        for (size_t i = 0; i < p->n; i++)
            for (size_t j = 0; j < p->n_keys; j++) {
                double right = reference_f(&met, h, i, j);
                double before = dot(row_of(qb, h, i), row_of(kb, h / group, j), q->width);
                near_f(parts_rows(p, ATTN_ROWS_DOT, l, h, i)[j], right);
                near_f(parts_rows(p, ATTN_ROWS_PRODUCT, l, h, i)[j], right * (double)attn_rule_scale(&layer->rule));
                if (layer->positions == ATTN_POSITION_ROPE && i == j && !stretched)
                    ck_assert_double_eq_tol(before, right, 1e-5 * fmax(1, fabs(right)));
                turned += fabs(before - right) > 1e-4 * fmax(1, fabs(right));
            }
    if (layer->positions == ATTN_POSITION_ROPE)
        ck_assert_uint_gt(turned, 0);
    else
        ck_assert(memcmp(q->values, qb->values, q->n_heads * p->n * q->width * sizeof(float)) == 0);
}

static void check_capped(const parts *p, size_t l)
{
    double cap = (double)p->model->layers[l].rule.softcap;
    for (size_t i = 0; i < p->max_heads * p->n * p->n_keys; i++) {
        double product = (double)parts_rows(p, ATTN_ROWS_PRODUCT, l, 0, 0)[i];
        double right = cap == 0 || isinf(product) ? product : cap * tanh(product / cap);
        near_f(parts_rows(p, ATTN_ROWS_CAPPED, l, 0, 0)[i], right);
    }
}

/* z = Σ_j a_ij v_j */
static void check_heads(const parts *p, size_t l)
{
    const attn_rule *rule = &p->model->layers[l].rule;
    const part_kept *z = parts_of(p, ATTN_PART_HEADS, l), *v = parts_of(p, ATTN_PART_VALUE, l);
    double *right = doubles(z->n_heads * p->n * z->width);
    ck_assert_uint_eq(z->n_heads, rule->n_heads);
    ck_assert_uint_eq(v->n_heads, rule->n_kv_heads);
    ck_assert_uint_eq(v->n_rows, p->n_keys);
    for (size_t h = 0; h < z->n_heads; h++)
        for (size_t i = 0; i < p->n; i++)
            for (size_t j = 0; j < p->n_keys; j++)
                for (size_t k = 0; k < z->width; k++)
                    right[(h * p->n + i) * z->width + k] +=
                        (double)parts_rows(p, ATTN_ROWS_WEIGHTS, l, h, i)[j] *
                        (double)row_of(v, h / (rule->n_heads / rule->n_kv_heads), j)[k];
    rows_near(z, right, "HEADS", l);
    free(right);
}

/* attended = Σ_h Σ_j a_ij f_h(x_j) + b_O: pulls add up to the move. */
static double *check_attended(const parts *p, size_t l)
{
    const attn_layer *layer = &p->model->layers[l];
    const part_kept *attended = parts_of(p, ATTN_PART_ATTENDED, l);
    size_t width = attended->width;
    double *right = doubles(p->n * width);
    float *f = parts_added(p, l);
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < width; k++) {
            right[i * width + k] = layer->o.bias != NULL ? (double)layer->o.bias[k] : 0;
            for (size_t h = 0; h < layer->rule.n_heads; h++)
                for (size_t j = 0; j < p->n_keys; j++)
                    right[i * width + k] += (double)parts_rows(p, ATTN_ROWS_WEIGHTS, l, h, i)[j] *
                                            (double)f[(h * p->n_keys + j) * width + k];
        }
    rows_near(attended, right, "ATTENDED", l);
    free(f);
    return right;
}

/* From ATTENDED through the norms and residuals to MIDDLE, and with FED to the stream after the layer. */
static void check_stream(const parts *p, size_t l, double *right)
{
    const attn_layer *layer = &p->model->layers[l];
    const part_kept *middle = parts_of(p, ATTN_PART_MIDDLE, l);
    size_t width = middle->width;
    norm_rows(&layer->attention_after, right, p->n, width, parts_of(p, ATTN_PART_ATTENDED, l)->sigma);
    for (size_t i = 0; layer->residual && i < p->n * width; i++)
        right[i] += (double)p->before[l][i];
    norm_rows(&layer->attention_post_residual, right, p->n, width, middle->sigma);
    rows_near(middle, right, "MIDDLE", l);
    ck_assert(parts_shown(p, ATTN_PART_FED, l) == (layer->ffn.down.w.data != NULL));
    if (layer->ffn.down.w.data == NULL) {
        ck_assert(memcmp(middle->values, p->after[l], p->n * width * sizeof(float)) == 0);
        return;
    }
    const part_kept *fed = parts_of(p, ATTN_PART_FED, l);
    ck_assert(layer->parallel == (fed->order < middle->order));
    part_kept after = {.values = p->after[l], .n_heads = 1, .n_rows = p->n, .width = width};
    for (size_t i = 0; i < p->n * width; i++)
        right[i] = (double)middle->values[i] + (double)fed->values[i];
    for (size_t i = 0; i < p->n && layer->ffn_post_residual.kind != ATTN_NORM_NONE; i++) {
        double sigma = sigma_of(&layer->ffn_post_residual, right + i * width, width);
        norm_rows(&layer->ffn_post_residual, right + i * width, 1, width, &sigma);
    }
    rows_near(&after, right, "AFTER", l);
}

/* All rows at once, and each alone: the pass's bytes. */
static void check_tail(const parts *p, size_t l)
{
    const part_kept *attended = parts_of(p, ATTN_PART_ATTENDED, l);
    size_t width = attended->width, before = attn_model_width(p->model, (ptrdiff_t)l - 1);
    float *out = malloc((p->n * width + 1) * sizeof *out);
    attn_error error;
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(attn_layer_tail(p->model, l, p->before[l], attended->values, p->n, out, NULL, &error), ATTN_OK);
    ck_assert_msg(memcmp(out, p->after[l], p->n * width * sizeof *out) == 0, "layer %zu: the tail's bytes", l);
    for (size_t i = 0; i < p->n; i++) {
        ck_assert_int_eq(
            attn_layer_tail(p->model, l, p->before[l] + i * before, attended->values + i * width, 1, out, NULL, &error),
            ATTN_OK);
        ck_assert_msg(memcmp(out, p->after[l] + i * width, width * sizeof *out) == 0, "layer %zu: the tail of row %zu",
                      l, i);
    }
    free(out);
}

static void check_order(const parts *p, size_t l)
{
    static const attn_part_kind in_order[] = {ATTN_PART_NORMED, ATTN_PART_QUERY_BEFORE, ATTN_PART_KEY_BEFORE,
                                              ATTN_PART_QUERY,  ATTN_PART_KEY,          ATTN_PART_VALUE,
                                              ATTN_PART_HEADS,  ATTN_PART_ATTENDED};
    for (size_t i = 1; i < sizeof in_order / sizeof *in_order; i++)
        ck_assert_uint_lt(parts_of(p, in_order[i - 1], l)->order, parts_of(p, in_order[i], l)->order);
    ck_assert_uint_lt(parts_of(p, ATTN_PART_ATTENDED, l)->order, p->block_order[l]);
    if (p->after[l] != NULL)
        ck_assert_uint_lt(p->block_order[l], parts_of(p, ATTN_PART_MIDDLE, l)->order);
}

/* The logits from FINAL, its σ and the head's rows. */
static void check_final(const parts *p)
{
    const attn_model *model = p->model;
    if (p->after[p->n_layers - 1] == NULL)
        return;
    const part_kept *final = parts_of(p, ATTN_PART_FINAL, model->n_layers);
    size_t d = final->width, n_vocab = model->head.w.shape[1];
    ck_assert(memcmp(final->values, p->after[p->n_layers - 1], p->n * d * sizeof(float)) == 0);
    double *rows = copied(final->values, p->n * d);
    norm_rows(&model->final_norm, rows, p->n, d, final->sigma);
    if (p->logits != NULL && model->head_transform.w.data == NULL) {
        part_kept logits = {.values = p->logits, .n_heads = 1, .n_rows = p->n, .width = n_vocab};
        double *right = doubles(p->n * n_vocab);
        float *row = malloc(d * sizeof *row), bias;
        ck_assert_ptr_nonnull(row);
        for (size_t id = 0; id < n_vocab; id++) {
            attn_head_row(model, (uint32_t)id, row, &bias);
            for (size_t i = 0; i < p->n; i++) {
                double sum = (double)bias, cap = (double)model->logit_softcap;
                for (size_t k = 0; k < d; k++)
                    sum += rows[i * d + k] * (double)row[k];
                right[i * n_vocab + id] = cap == 0 ? sum : cap * tanh(sum / cap);
            }
        }
        rows_near(&logits, right, "logits", model->n_layers);
        free(right);
        free(row);
    }
    free(rows);
}

static void check_parts(const attn_model *model, attn_input *input)
{
    parts p;
    parts_run(&p, model, input, NULL);
    ck_assert(memcmp(parts_of(&p, ATTN_PART_EMBEDDED, 0)->values, p.before[0], p.n * model->d_model * 4) == 0);
    ck_assert(parts_shown(&p, ATTN_PART_POSITIONS, 0) ==
              (model->positions == ATTN_POSITION_LEARNED || model->positions == ATTN_POSITION_SINUSOIDAL));
    for (size_t l = 0; l < p.n_layers; l++) {
        check_order(&p, l);
        check_normed(&p, l);
        check_queries_and_keys(&p, l);
        check_capped(&p, l);
        check_heads(&p, l);
        double *attended = check_attended(&p, l);
        if (p.after[l] != NULL) {
            check_stream(&p, l, attended);
            check_tail(&p, l);
        }
        free(attended);
    }
    check_final(&p);
    parts_free(&p);
}

/* ---- each family ---- */

static void check_folder(const attn_model *model, const char *folder)
{
    size_t n;
    uint32_t *ids = arrays_ids(files_join(folder, "ids.npy"), &n);
    attn_input input = {.ids = ids, .n = n};
    check_parts(model, &input);
    /* its first three tokens looking at all of them */
    attn_input cross = {.ids = ids, .n = 3, .context_ids = ids, .n_context = n};
    check_parts(model, &cross);
    free(ids);
}

START_TEST(families)
{
    attn_model model;
    models_open(&model, ours[_i]);
    check_folder(&model, ours[_i]);
    attn_model_close(&model);
    const char *gguf = files_join(ours[_i], "model.gguf"); /* W_O and the head in block types, too */
    if (access(gguf, R_OK) != 0)
        return;
    models_open(&model, gguf);
    check_folder(&model, ours[_i]);
    attn_model_close(&model);
}
END_TEST

START_TEST(other_families)
{
    attn_model model;
    attn_model_request request = models_request(others[_i]);
    attn_error error = {0};
    if (attn_model_open(&request, &model, &error) != ATTN_OK)
        testing_skip("a family that is not read yet: %s", strrchr(others[_i], '/') + 1);
    check_folder(&model, others[_i]);
    attn_model_close(&model);
}
END_TEST

/* Heads side by side, mixed, without residuals, with every score rule that is no product. */
START_TEST(toys)
{
    static const char *const texts[] = {
        "{\"words\": {\"a\": [1, 0.5], \"b\": [0, 1], \"c\": [1, -1]}, \"n_heads\": 2, \"W_V\": [[1, 2], [3, 4]]}",
        "{\"words\": {\"a\": [1, 0.5], \"b\": [0, 1], \"c\": [1, -1]}, \"heads\": [{}, {\"W_V\": [[1, 2], [3, 4]]}], "
        "\"head_mix\": [0.25, 0.75], \"mask\": \"none\"}",
        "{\"words\": {\"a\": [1, 0.5], \"b\": [0, 1], \"c\": [1, -1]}, \"layers\": [{\"W_O\": [[1, 2, 3], [0, 1, 1]], "
        "\"b_O\": [1, 2, 3]}]}",
        "{\"words\": {\"a\": [1, 0.5], \"b\": [0, 1], \"c\": [1, -1]}, \"score\": \"cosine\", \"residual\": true}",
        "{\"words\": {\"a\": [1, 0.5], \"b\": [0, 1], \"c\": [1, -1]}, \"score\": \"gaussian\"}",
        "{\"words\": {\"a\": [1, 0.5], \"b\": [0, 1], \"c\": [1, -1]}, \"score\": \"gravity\", \"scale\": 2}",
        "{\"words\": {\"a\": [1, 0.5], \"b\": [0, 1], \"c\": [1, -1]}, \"score\": \"additive\", \"v_A\": [1, 2]}",
        "{\"words\": {\"a\": [1, 0.5, 2], \"b\": [0, 1, 1], \"c\": [1, -1, 3]}, \"n_heads\": 2, \"n_kv_heads\": 1, "
        "\"W_Q\": [[1,0,0,2],[0,1,1,0],[0,0,1,1]], \"W_K\": [[1,0],[0,1],[1,1]], \"W_V\": [[1,0,1],[0,2,0],[0,0,3]], "
        "\"W_O\": [[1,0,0],[0,1,0],[0,0,1],[2,0,0],[0,2,0],[1,1,1]], \"residual\": true}",
    };
    static const uint32_t ids[] = {0, 1, 2, 1};
    attn_input input = {.ids = ids, .n = 4};
    attn_model model;
    models_open_toy(&model, texts[_i]);
    check_parts(&model, &input);
    attn_model_close(&model);
}
END_TEST

/* By hand: q of net is (3, 1), the keys (1, 0) and (0, 1), so q·k is 3 and 1, scaled by 1/√2 2.1213 and 0.7071. */
START_TEST(fisherman_by_hand)
{
    static const double right[2][3] = {{3, 2.1213203435596424, 2.1213203435596424},
                                       {1, 0.7071067811865475, 0.7071067811865475}};
    attn_model model;
    parts p;
    models_open(&model, testing_source("examples/fisherman.json"));
    uint32_t ids[2] = {attn_tokenizer_find(model.tokenizer, attn_bytes_of("fisherman")),
                       attn_tokenizer_find(model.tokenizer, attn_bytes_of("net"))};
    attn_input input = {.ids = ids, .n = 2};
    parts_run(&p, &model, &input, NULL);
    for (size_t j = 0; j < 2; j++) {
        ck_assert_double_eq_tol((double)parts_rows(&p, ATTN_ROWS_DOT, 0, 0, 1)[j], right[j][0], 1e-6);
        ck_assert_double_eq_tol((double)parts_rows(&p, ATTN_ROWS_PRODUCT, 0, 0, 1)[j], right[j][1], 1e-6);
        ck_assert_double_eq_tol((double)parts_rows(&p, ATTN_ROWS_SCORES, 0, 0, 1)[j], right[j][2], 1e-6);
    }
    parts_free(&p);
    attn_model_close(&model);
}
END_TEST

/* ---- the same at every thread count ---- */

static void same_kept(const part_kept *a, const part_kept *b)
{
    ck_assert(memcmp(a->values, b->values, a->n_heads * a->n_rows * a->width * sizeof *a->values) == 0);
    ck_assert((a->sigma != NULL) == (b->sigma != NULL));
    ck_assert(a->sigma == NULL || memcmp(a->sigma, b->sigma, a->n_rows * sizeof *a->sigma) == 0);
    ck_assert_uint_eq(a->order, b->order);
}

START_TEST(threads)
{
    attn_model model;
    parts one, many;
    uint32_t ids[200];
    models_open(&model, testing_source("models/attn-tiny"));
    for (size_t i = 0; i < 200; i++)
        ids[i] = (uint32_t)(i * i % 997 % model.n_vocab);
    attn_input input = {.ids = ids, .n = model.max_tokens != 0 && model.max_tokens < 200 ? model.max_tokens : 200};
    parts_run(&one, &model, &input, NULL);
    for (size_t n_threads = 2; n_threads <= 5; n_threads += 3) {
        attn_pool *pool;
        attn_error error;
        ck_assert_int_eq(attn_pool_open(n_threads, &pool, &error), ATTN_OK);
        parts_run(&many, &model, &input, pool);
        ck_assert_uint_eq(one.shown, many.shown);
        for (size_t kind = 0; kind < PARTS_KINDS; kind++)
            for (size_t l = 0; l <= model.n_layers; l++)
                if (one.kept[kind][l].values != NULL)
                    same_kept(&one.kept[kind][l], &many.kept[kind][l]);
        for (size_t kind = 0; kind < ATTN_N_ROWS_KINDS; kind++)
            ck_assert(memcmp(one.rows[kind], many.rows[kind],
                             one.n_layers * one.max_heads * one.n * one.n_keys * sizeof(float)) == 0);
        parts_free(&many);
        attn_pool_close(pool);
    }
    parts_free(&one);
    attn_model_close(&model);
}
END_TEST

/* What is wanted of a layer decides how far it is computed: attention's parts of a layer that is cut short can be
 * had. */
START_TEST(cut_short)
{
    attn_model model;
    size_t n;
    char folder[4000];
    snprintf(folder, sizeof folder, "%s", testing_source("tests/model/families/gpt_oss"));
    models_open(&model, folder);
    if (model.layers[0].cut_short == NULL) { /* its experts are run by now */
        attn_model_close(&model);
        return;
    }
    uint32_t *ids = arrays_ids(files_join(folder, "ids.npy"), &n);
    attn_input input = {.ids = ids, .n = n};
    uint8_t layers[PARTS_LAYERS] = {1};
    parts p = {.model = &model, .n = n, .n_keys = n};
    attn_error error = {0};
    attn_observer observer = {.context = &p, .layers = layers, .parts = ATTN_PART_MIDDLE};
    ck_assert_int_eq(attn_forward(&model, &input, &observer, NULL, &error), ATTN_EUNSUPPORTED);
    float row[64] = {0};
    ck_assert_int_eq(attn_layer_tail(&model, 0, row, row, 1, row, NULL, &error), ATTN_EUNSUPPORTED);
    free(ids);
    attn_model_close(&model);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parts");
    TCase *tcase = tcase_create("parts");
    ours = parts_folders(testing_source("tests/model/families"), &n_ours);
    others = parts_folders(testing_shared("data/families"), &n_others);
    tcase_add_loop_test(tcase, families, 0, n_ours);
    tcase_add_loop_test(tcase, other_families, 0, n_others);
    tcase_add_loop_test(tcase, toys, 0, 8);
    tcase_add_test(tcase, fisherman_by_hand);
    tcase_add_test(tcase, threads);
    tcase_add_test(tcase, cut_short);
    suite_add_tcase(suite, tcase);
    return testing_run(suite);
}
