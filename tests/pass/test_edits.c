/* test_edits.c: interventions, and passes that begin in the middle: on every family's model a head put to zero
 * equals a W_O with zeros in the head's rows, and a pass from the stream before a layer gives the whole pass's
 * bytes. (Ablation and patching against outside values: test_traced.c.) */
#include "config.h"

#include "testing.h"

#include "testing/arrays.h"
#include "testing/capture.h"
#include "testing/files.h"
#include "testing/models.h"
#include "testing/parts.h"

#include <math.h>
#include <string.h>

static const char *const *folders;
static int n_folders;

typedef struct opened { /* a model and a text */
    attn_model model;
    uint32_t *ids;
    size_t n;
} opened;

static void open_folder(opened *o, const char *path)
{
    models_open(&o->model, path);
    o->ids = arrays_ids(files_join(path, "ids.npy"), &o->n);
}

static void close_opened(opened *o)
{
    free(o->ids);
    attn_model_close(&o->model);
}

static bool whole(const attn_model *model)
{
    for (size_t l = 0; l < model->n_layers; l++)
        if (model->layers[l].cut_short != NULL)
            return false;
    return true;
}

static void same_rows(const float *a, const float *b, size_t count, const char *what, size_t layer)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(a[i] == b[i], "%s, layer %zu: number %zu is %.9g and %.9g", what, layer, i, (double)a[i],
                      (double)b[i]);
}

/* The streams and logits of two runs from layer FROM on. */
static void same_runs(const parts *a, const parts *b, size_t from)
{
    const attn_model *model = a->model;
    for (size_t l = from; l < a->n_layers; l++)
        same_rows(a->after[l], b->after[l], a->n * attn_model_width(model, (ptrdiff_t)l), "stream", l);
    if (a->logits != NULL)
        same_rows(a->logits, b->logits, a->n * model->head.w.shape[1], "logits", model->n_layers);
}

/* ---- edits ---- */

/* W_O in float32 for both runs, since zeros in a block type would not be zeros alone. */
static float *own_w(attn_layer *layer)
{
    size_t rows = layer->o.w.shape[0], columns = layer->o.w.shape[1];
    float *w = malloc(rows * columns * sizeof *w);
    ck_assert_ptr_nonnull(w);
    attn_tensor_to_f32(&layer->o.w, w);
    layer->o.w = attn_tensor_f32(w, rows, columns);
    return w;
}

START_TEST(zero_is_zeros_in_w_o)
{
    opened o;
    open_folder(&o, folders[_i]);
    for (size_t l = 0; l < o.model.n_layers && whole(&o.model); l++) {
        attn_layer *layer = &o.model.layers[l];
        size_t size = layer->rule.value_dim * layer->o.w.shape[1];
        attn_tensor stored = layer->o.w;
        float *w = own_w(layer), *rows = malloc(size * sizeof *rows);
        ck_assert_ptr_nonnull(rows);
        for (size_t h = 0; h < layer->rule.n_heads; h++) {
            attn_edit edit = {.kind = ATTN_EDIT_ZERO, .layer = l, .head = h, .position = ATTN_EVERY_POSITION};
            attn_input edited = {.ids = o.ids, .n = o.n, .edits = &edit, .n_edits = 1};
            attn_input plain = {.ids = o.ids, .n = o.n};
            parts a, b;
            parts_run(&a, &o.model, &edited, NULL);
            memcpy(rows, w + h * size, size * sizeof *w);
            memset(w + h * size, 0, size * sizeof *w);
            parts_run(&b, &o.model, &plain, NULL);
            memcpy(w + h * size, rows, size * sizeof *w);
            same_runs(&a, &b, 0);
            /* the head's own weights are still there */
            ck_assert(memcmp(parts_rows(&a, ATTN_ROWS_WEIGHTS, l, h, 0), parts_rows(&b, ATTN_ROWS_WEIGHTS, l, h, 0),
                             o.n * o.n * sizeof(float)) == 0);
            parts_free(&a);
            parts_free(&b);
        }
        layer->o.w = stored;
        free(rows);
        free(w);
    }
    close_opened(&o);
}
END_TEST

/* The heads' outputs of the last layer after EDITS, padding in front. */
static void run_edited(parts *p, const opened *o, const attn_edit *edits, size_t n_edits, const uint8_t *hidden)
{
    attn_input input = {.ids = o->ids, .n = o->n, .hidden_keys = hidden, .edits = edits, .n_edits = n_edits};
    parts_run(p, &o->model, &input, NULL);
}

START_TEST(mean_of_the_text)
{
    opened o;
    parts plain, mean;
    open_folder(&o, testing_source("tests/model/families/llama"));
    uint8_t hidden[64] = {1, 1};
    attn_edit edit = {.kind = ATTN_EDIT_MEAN, .layer = 1, .head = 2, .position = ATTN_EVERY_POSITION};
    run_edited(&plain, &o, NULL, 0, hidden);
    run_edited(&mean, &o, &edit, 1, hidden);
    const part_kept *z = parts_of(&plain, ATTN_PART_HEADS, 1), *m = parts_of(&mean, ATTN_PART_HEADS, 1);
    for (size_t h = 0; h < z->n_heads; h++)
        for (size_t k = 0; k < z->width; k++) {
            double sum = 0;
            for (size_t i = 2; i < o.n; i++) /* without the padding */
                sum += (double)z->values[(h * o.n + i) * z->width + k];
            for (size_t i = 0; i < o.n; i++) {
                double right = h == 2 ? sum / (double)(o.n - 2) : (double)z->values[(h * o.n + i) * z->width + k];
                ck_assert_double_eq_tol((double)m->values[(h * o.n + i) * z->width + k], right, 1e-6);
            }
        }
    parts_free(&plain);
    parts_free(&mean);
    close_opened(&o);
}
END_TEST

START_TEST(rows_at_a_position)
{
    opened o;
    parts plain, same, one;
    open_folder(&o, testing_source("tests/model/families/gpt2"));
    run_edited(&plain, &o, NULL, 0, NULL);
    const part_kept *z = parts_of(&plain, ATTN_PART_HEADS, 0);
    const float *rows = z->values + 3 * o.n * z->width;
    attn_edit edits[2] = {
        {.kind = ATTN_EDIT_ZERO, .layer = 0, .head = 3, .position = ATTN_EVERY_POSITION},
        {.kind = ATTN_EDIT_ROWS, .layer = 0, .head = 3, .position = ATTN_EVERY_POSITION, .rows = rows},
    };
    run_edited(&same, &o, edits, 2, NULL); /* its own rows again: nothing changes */
    same_runs(&plain, &same, 0);
    edits[1].position = 4;
    edits[1].rows = rows; /* row 0's numbers */
    run_edited(&one, &o, edits + 1, 1, NULL);
    const part_kept *changed = parts_of(&one, ATTN_PART_HEADS, 0);
    for (size_t h = 0; h < z->n_heads; h++)
        for (size_t i = 0; i < o.n; i++) {
            const float *right = z->values + (h * o.n + (h == 3 && i == 4 ? 0 : i)) * z->width;
            ck_assert(memcmp(changed->values + (h * o.n + i) * z->width, right, z->width * sizeof(float)) == 0);
        }
    parts_free(&plain);
    parts_free(&same);
    parts_free(&one);
    close_opened(&o);
}
END_TEST

/* Heads that are mixed, and heads side by side: two tokens, the second sees both alike. */
START_TEST(without_w_o)
{
    static const uint32_t ids[] = {0, 1};
    static const char *const texts[] = {
        "{\"words\": {\"a\": [2, 0], \"b\": [0, 4]}, \"n_heads\": 2, \"W_Q\": [[0, 0], [0, 0]]}",
        "{\"words\": {\"a\": [2, 0], \"b\": [0, 4]}, \"heads\": [{\"W_Q\": [[0, 0], [0, 0]]}, "
        "{\"W_Q\": [[0, 0], [0, 0]]}], \"head_mix\": [0.25, 0.75]}",
    };
    static const float right[2][4] = {{2, 0, 1, 0}, {0.5F, 0, 0.25F, 0.5F}}; /* head 1 cut */
    attn_edit edit = {.kind = ATTN_EDIT_ZERO, .layer = 0, .head = 1, .position = ATTN_EVERY_POSITION};
    attn_input input = {.ids = ids, .n = 2, .edits = &edit, .n_edits = 1};
    attn_model model;
    parts p;
    models_open_toy(&model, texts[_i]);
    parts_run(&p, &model, &input, NULL);
    arrays_near(p.after[0], right[_i], 4, 1e-6, "after the cut");
    parts_free(&p);
    attn_model_close(&model);
}
END_TEST

START_TEST(refused)
{
    static const attn_observer nobody = {0};
    opened o;
    attn_error error = {0};
    open_folder(&o, testing_source("tests/model/families/gpt2"));
    const attn_edit wrong[] = {
        {.kind = ATTN_EDIT_ZERO, .layer = 2, .head = 0, .position = ATTN_EVERY_POSITION},
        {.kind = ATTN_EDIT_ZERO, .layer = 0, .head = 4, .position = ATTN_EVERY_POSITION},
        {.kind = ATTN_EDIT_ZERO, .layer = 0, .head = 0, .position = o.n},
    };
    for (size_t i = 0; i < 3; i++) {
        attn_input input = {.ids = o.ids, .n = o.n, .edits = &wrong[i], .n_edits = 1};
        ck_assert_int_eq(attn_forward(&o.model, &input, &nobody, NULL, &error), ATTN_EUSAGE);
    }
    float stream[1024] = {0};
    attn_input late = {.ids = o.ids, .n = o.n, .stream = stream, .start = o.model.n_layers + 1};
    ck_assert_int_eq(attn_forward(&o.model, &late, &nobody, NULL, &error), ATTN_EUSAGE);
    attn_input without = {.ids = o.ids, .n = o.n, .start = 1};
    ck_assert_int_eq(attn_forward(&o.model, &without, &nobody, NULL, &error), ATTN_EUSAGE);
    close_opened(&o);
}
END_TEST

/* ---- beginning in the middle ---- */

START_TEST(begins_anywhere)
{
    opened o;
    parts all, some;
    open_folder(&o, folders[_i]);
    attn_input input = {.ids = o.ids, .n = o.n};
    parts_run(&all, &o.model, &input, NULL);
    for (size_t l = 0; l <= o.model.n_layers && whole(&o.model); l++) {
        input.start = l;
        input.stream = l == 0 ? all.before[0] : all.after[l - 1];
        parts_run(&some, &o.model, &input, NULL);
        same_runs(&all, &some, l);
        ck_assert(!parts_shown(&some, ATTN_PART_EMBEDDED, 0));
        ck_assert(l == 0 || (some.before[l - 1] == NULL && !parts_shown(&some, ATTN_PART_QUERY, l - 1)));
        ck_assert(l == o.model.n_layers || parts_shown(&some, ATTN_PART_QUERY, l));
        parts_free(&some);
    }
    parts_free(&all);
    close_opened(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("edits");
    TCase *tcase = tcase_create("edits");
    folders = parts_folders(testing_source("tests/model/families"), &n_folders);
    tcase_add_loop_test(tcase, zero_is_zeros_in_w_o, 0, n_folders);
    tcase_add_test(tcase, mean_of_the_text);
    tcase_add_test(tcase, rows_at_a_position);
    tcase_add_loop_test(tcase, without_w_o, 0, 2);
    tcase_add_test(tcase, refused);
    tcase_add_loop_test(tcase, begins_anywhere, 0, n_folders);
    suite_add_tcase(suite, tcase);
    return testing_run(suite);
}
