/* test_traced.c: the hook against outside values: nano_sort's author's own PyTorch values of each part, and what is
 * traced with the parts, edits and the layer's tail (norms, value zeroing, ablation, patching, attribution) against
 * float64 values by definition (shared/data/reading; scripts in shared/reference/reading). */
#include "config.h"

#include "testing.h"

#include "testing/arrays.h"
#include "testing/capture.h"
#include "testing/files.h"
#include "testing/models.h"
#include "testing/parts.h"

#include <math.h>
#include <string.h>

/* The author's own PyTorch values of the first block: three texts in one batch. */
static void near_partial(const char *partials, const char *name, size_t text, const part_kept *kept)
{
    size_t count, size = kept->n_heads * kept->n_rows * kept->width;
    float *right = arrays_npy(files_join(partials, name), &count);
    ck_assert_ptr_nonnull(right);
    ck_assert(count == 3 * size || count == size);
    arrays_near(kept->values, right + (count == size ? 0 : text * size), size, CAPTURE_TOLERANCE, name);
    free(right);
}

START_TEST(nano_sort_partials)
{
    static const struct {
        attn_part_kind kind;
        const char *name;
    } partial[] = {{ATTN_PART_POSITIONS, "pos_emb.npy"},
                   {ATTN_PART_EMBEDDED, "x.npy"},
                   {ATTN_PART_NORMED, "ln1.npy"},
                   {ATTN_PART_QUERY, "q.npy"},
                   {ATTN_PART_KEY, "k.npy"},
                   {ATTN_PART_VALUE, "v.npy"},
                   {ATTN_PART_ATTENDED, "yProj.npy"},
                   {ATTN_PART_MIDDLE, "attnResid.npy"},
                   {ATTN_PART_FED, "mlp.npy"}};
    attn_model model;
    size_t n;
    testing_need("data/nano_sort");
    const char *partials = testing_shared("data/nano_sort/partials");
    models_open(&model, testing_shared("data/nano_sort/hf"));
    uint32_t *ids = arrays_ids(files_join(partials, "idx.npy"), &n);
    for (size_t text = 0; text < 3; text++) {
        attn_input input = {.ids = ids + text * 11, .n = 11};
        parts p;
        parts_run(&p, &model, &input, NULL);
        for (size_t i = 0; i < sizeof partial / sizeof *partial; i++)
            near_partial(partials, partial[i].name, text, parts_of(&p, partial[i].kind, 0));
        parts_free(&p);
    }
    free(ids);
    attn_model_close(&model);
}
END_TEST

/* Trained models, their texts and what is known of them. The first two have an output head. */
static const struct {
    const char *model, *ids, *values;
    size_t most; /* tokens */
} trained[] = {
    {"data/nano_sort/hf", "data/nano_sort/ref/b0/ids.npy", "data/reading/nano_sort", 99},
    {"data/stories260K/hf", "data/stories260K/ref/s0/ids.npy", "data/reading/stories260K", 12},
    {"data/bert_tiny4L_2L_f16", "data/bert_tiny4L_2L_f16/ref/s0/ids.npy", "data/reading/bert_tiny", 99},
};

typedef struct run { /* one of them, everything of its text kept */
    attn_model model;
    uint32_t *ids; /* owned; [n] */
    size_t n;
    parts parts;
} run;

static void run_open(run *r, int which)
{
    models_open(&r->model, testing_shared(trained[which].model));
    r->ids = arrays_ids(testing_shared(trained[which].ids), &r->n);
    if (r->n > trained[which].most)
        r->n = trained[which].most;
    attn_input input = {.ids = r->ids, .n = r->n};
    parts_run(&r->parts, &r->model, &input, NULL);
}

static void run_close(run *r)
{
    parts_free(&r->parts);
    free(r->ids);
    attn_model_close(&r->model);
}

static right_table right_of(int which, const char *report)
{
    right_table table;
    const char *path = testing_shared(files_print("%s.%s.tsv", trained[which].values, report));
    ck_assert_ptr_nonnull(path);
    right_open(&table, path);
    return table;
}

static double dot(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (double)a[k] * (double)b[k];
    return sum;
}

/* Kobayashi et al. 2020: |a f_h(x_j)|. Post-norm, pre-norm, shared key/value heads. */
START_TEST(norms)
{
    run r;
    testing_need(trained[_i].model);
    right_table right = right_of(_i, "norms");
    run_open(&r, _i);
    for (size_t l = 0; l < r.parts.n_layers; l++) {
        size_t width = attn_model_width(&r.model, (ptrdiff_t)l), rows = 0;
        float *f = parts_added(&r.parts, l);
        for (size_t i = 0; i < right.n_rows; i++) {
            size_t head = right_index(&right, i, "head"), query = right_index(&right, i, "query");
            size_t key = right_index(&right, i, "key");
            const float *row = f + (head * r.n + key) * width;
            double norm = right_number(&right, i, "norm");
            if (right_index(&right, i, "layer") != l)
                continue;
            double weight = (double)parts_rows(&r.parts, ATTN_ROWS_WEIGHTS, l, head, query)[key];
            ck_assert_double_eq_tol(weight * sqrt(dot(row, row, width)), norm, 1e-5 * fmax(1, norm));
            rows++;
        }
        ck_assert_uint_gt(rows, 0);
        free(f);
    }
    right_close(&right);
    run_close(&r);
}
END_TEST

/* 1 − cos of two rows, from the difference of their unit vectors. */
static double cosine_distance(const float *a, const float *b, size_t n)
{
    double la = sqrt(dot(a, a, n)), lb = sqrt(dot(b, b, n)), sum = 0;
    for (size_t k = 0; k < n; k++) {
        double off = (double)a[k] / la - (double)b[k] / lb;
        sum += off * off;
    }
    return sum / 2;
}

/* How far the layer's output of QUERY turns without KEY's values. */
static double zeroed(const run *r, size_t layer, const float *f, size_t query, size_t key)
{
    const part_kept *attended = parts_of(&r->parts, ATTN_PART_ATTENDED, layer);
    size_t width = attended->width;
    float *row = malloc(width * sizeof *row), *out = malloc(width * sizeof *out);
    attn_error error;
    ck_assert(row != NULL && out != NULL);
    for (size_t k = 0; k < width; k++) {
        double sum = (double)attended->values[query * width + k];
        for (size_t h = 0; h < r->model.layers[layer].rule.n_heads; h++)
            sum -= (double)parts_rows(&r->parts, ATTN_ROWS_WEIGHTS, layer, h, query)[key] *
                   (double)f[(h * r->n + key) * width + k];
        row[k] = (float)sum;
    }
    ck_assert_int_eq(
        attn_layer_tail(&r->model, layer, r->parts.before[layer] + query * width, row, 1, out, NULL, &error), ATTN_OK);
    double distance = cosine_distance(r->parts.after[layer] + query * width, out, width);
    free(row);
    free(out);
    return distance;
}

/* Mohebbi et al. 2023, within 1e-3 relative where the distance is above 1e-9. */
START_TEST(value_zeroing)
{
    run r;
    testing_need(trained[_i].model);
    right_table right = right_of(_i, "value-zeroing");
    run_open(&r, _i);
    for (size_t l = 0; l < r.parts.n_layers; l++) {
        float *f = parts_added(&r.parts, l);
        for (size_t i = 0; i < right.n_rows; i++) {
            double distance = right_number(&right, i, "distance");
            if (right_index(&right, i, "layer") != l || distance <= 1e-9)
                continue;
            double found = zeroed(&r, l, f, right_index(&right, i, "query"), right_index(&right, i, "key"));
            ck_assert_double_eq_tol(found, distance, 1e-3 * distance);
        }
        free(f);
    }
    right_close(&right);
    run_close(&r);
}
END_TEST

/* ---- interventions ---- */

static double log_sum(const float *logits, size_t n)
{
    double sum = 0, most = (double)-INFINITY;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, (double)logits[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp((double)logits[i] - most);
    return most + log(sum);
}

/* The mean of −log2 p(next token). */
static double mean_bits(const float *logits, const run *r)
{
    size_t n_vocab = r->model.head.w.shape[1];
    double bits = 0;
    for (size_t i = 0; i + 1 < r->n; i++)
        bits += (log_sum(logits + i * n_vocab, n_vocab) - (double)logits[i * n_vocab + r->ids[i + 1]]) / log(2);
    return bits / (double)(r->n - 1);
}

/* Each head cut, by the layers from its own on alone. */
START_TEST(ablation)
{
    run r;
    testing_need(trained[_i].model);
    right_table right = right_of(_i, "ablation");
    run_open(&r, _i);
    for (size_t i = 0; i < right.n_rows; i++) {
        attn_edit edit = {
            .kind = strcmp(right_cell(&right, i, "with"), "zero") == 0 ? ATTN_EDIT_ZERO : ATTN_EDIT_MEAN,
            .layer = right_index(&right, i, "layer"),
            .head = right_index(&right, i, "head"),
            .position = ATTN_EVERY_POSITION,
        };
        attn_input cut = {
            .ids = r.ids,
            .n = r.n,
            .edits = &edit,
            .n_edits = 1,
            .start = edit.layer,
            .stream = r.parts.before[edit.layer],
        };
        double bits = right_number(&right, i, "bits");
        parts p;
        parts_run(&p, &r.model, &cut, NULL);
        ck_assert_double_eq_tol(mean_bits(p.logits, &r), bits, 1e-5 * bits);
        parts_free(&p);
    }
    right_close(&right);
    run_close(&r);
}
END_TEST

/* A text that differs at position 2, with one head's output taken from the clean run: reference/reading's. */
START_TEST(patching)
{
    run clean;
    testing_need(trained[_i].model);
    right_table right = right_of(_i, "patching"), which = right_of(_i, "attribution-against");
    run_open(&clean, _i);
    size_t target = right_index(&which, 0, "target"), against = right_index(&which, 0, "against");
    uint32_t *ids = malloc(clean.n * sizeof *ids);
    ck_assert_ptr_nonnull(ids);
    memcpy(ids, clean.ids, clean.n * sizeof *ids);
    ids[2] = ids[3] != ids[2] ? ids[3] : ids[0];
    for (size_t i = 0; i < right.n_rows; i++) {
        size_t layer = right_index(&right, i, "layer"), head = right_index(&right, i, "head");
        const part_kept *z = parts_of(&clean.parts, ATTN_PART_HEADS, layer);
        attn_edit edit = {
            .kind = ATTN_EDIT_ROWS,
            .layer = layer,
            .head = head,
            .position = ATTN_EVERY_POSITION,
            .rows = z->values + head * z->n_rows * z->width,
        };
        attn_input patched = {.ids = ids, .n = clean.n, .edits = &edit, .n_edits = 1};
        parts p;
        parts_run(&p, &clean.model, &patched, NULL);
        const float *last = p.logits + (clean.n - 1) * clean.model.head.w.shape[1];
        ck_assert_double_eq_tol((double)last[target] - (double)last[against], right_number(&right, i, "patched"), 1e-4);
        parts_free(&p);
    }
    free(ids);
    right_close(&right);
    right_close(&which);
    run_close(&clean);
}
END_TEST

/* ---- attribution ---- */

typedef struct direction { /* M'u/σ of the final norm: what a part's vector is multiplied with */
    double *numbers;       /* owned; [d] */
    double bias;           /* the norm's and the head's */
} direction;

static direction direction_of(const run *r, size_t position, size_t target)
{
    const attn_norm *norm = &r->model.final_norm;
    const part_kept *final = parts_of(&r->parts, ATTN_PART_FINAL, r->model.n_layers);
    size_t d = final->width;
    float *u = malloc(d * sizeof *u), head_bias;
    direction to = {.numbers = calloc(d, sizeof *to.numbers)};
    double mean = 0;
    ck_assert(u != NULL && to.numbers != NULL);
    attn_head_row(&r->model, (uint32_t)target, u, &head_bias);
    to.bias = (double)head_bias;
    for (size_t k = 0; k < d; k++) {
        to.numbers[k] = (norm->weight != NULL ? (double)norm->weight[k] : 1) * (double)u[k];
        mean += norm->kind == ATTN_NORM_LAYER ? to.numbers[k] / (double)d : 0;
        to.bias += norm->bias != NULL ? (double)norm->bias[k] * (double)u[k] : 0;
    }
    for (size_t k = 0; k < d; k++)
        to.numbers[k] = (to.numbers[k] - mean) / final->sigma[position];
    free(u);
    return to;
}

static double along(const float *row, const direction *to, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (double)row[k] * to->numbers[k];
    return sum;
}

static double part_along(const run *r, attn_part_kind kind, size_t layer, size_t position, const direction *to)
{
    if (!parts_shown(&r->parts, kind, layer))
        return 0;
    const part_kept *kept = parts_of(&r->parts, kind, layer);
    return along(kept->values + position * kept->width, to, kept->width);
}

static double head_along(const run *r, size_t layer, size_t head, size_t position, const direction *to)
{
    const part_kept *z = parts_of(&r->parts, ATTN_PART_HEADS, layer);
    attn_rows_in row = attn_rows_of(z->values + (head * z->n_rows + position) * z->width, 1, z->width);
    attn_head_outputs outputs;
    attn_error error;
    ck_assert_int_eq(attn_head_outputs_open(&r->model, layer, &outputs, &error), ATTN_OK);
    float *out = malloc(outputs.width * sizeof *out);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(attn_head_output(&outputs, head, row, out, outputs.width, NULL, &error), ATTN_OK);
    double sum = along(out, to, outputs.width);
    free(out);
    attn_head_outputs_close(&outputs);
    return sum;
}

static double attributed(const run *r, const char *part, size_t layer, size_t head, size_t position, size_t target)
{
    direction to = direction_of(r, position, target);
    double positions = part_along(r, ATTN_PART_POSITIONS, 0, position, &to), found = NAN;
    if (strcmp(part, "embedding") == 0)
        found = part_along(r, ATTN_PART_EMBEDDED, 0, position, &to) - positions;
    else if (strcmp(part, "position") == 0)
        found = positions;
    else if (strcmp(part, "head") == 0)
        found = head_along(r, layer, head, position, &to);
    else if (strcmp(part, "attention_bias") == 0)
        found = along(r->model.layers[layer].o.bias, &to, r->model.d_model);
    else if (strcmp(part, "feed_forward") == 0)
        found = part_along(r, ATTN_PART_FED, layer, position, &to);
    else if (strcmp(part, "norm_bias") == 0)
        found = to.bias;
    else if (strcmp(part, "logit") == 0)
        found = (double)r->parts.logits[position * r->model.head.w.shape[1] + target];
    free(to.numbers);
    return found;
}

/* Direct logit attribution as TransformerLens has it. */
START_TEST(attribution)
{
    run r;
    testing_need(trained[_i].model);
    right_table right = right_of(_i, "attribution");
    run_open(&r, _i);
    double largest = 1;
    for (size_t i = 0; i < right.n_rows; i++)
        largest = fmax(largest, fabs(right_number(&right, i, "value")));
    for (size_t i = 0; i < right.n_rows; i++) {
        double found = attributed(&r, right_cell(&right, i, "part"), right_index(&right, i, "layer"),
                                  right_index(&right, i, "head"), right_index(&right, i, "position"),
                                  right_index(&right, i, "target"));
        ck_assert_double_eq_tol(found, right_number(&right, i, "value"), 1e-5 * largest);
    }
    right_close(&right);
    run_close(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traced");
    TCase *tcase = tcase_create("traced");
    tcase_add_test(tcase, nano_sort_partials);
    tcase_add_loop_test(tcase, norms, 0, 3);
    tcase_add_loop_test(tcase, value_zeroing, 0, 3);
    tcase_add_loop_test(tcase, ablation, 0, 2);
    tcase_add_loop_test(tcase, patching, 0, 2);
    tcase_add_loop_test(tcase, attribution, 0, 2);
    suite_add_tcase(suite, tcase);
    return testing_run(suite);
}
