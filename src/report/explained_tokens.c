/* explained_tokens.c: see explained.h. A head's section: its title, and the vectors of its tokens. */
#include "config.h"

#include "output/number.h"
#include "report/explained.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

attn_step attn_vector_step(const char *name, const char *title, const char *short_title, const float *values,
                           size_t width)
{
    return (attn_step){.name = name,
                       .title = title,
                       .short_title = short_title,
                       .vector = true,
                       .width = width,
                       .values = values,
                       .total = (double)NAN};
}

/* "TEXT 0.7071", whole numbers bare, to OUT[ATTN_TITLE_ROOM]. */
void attn_put_step_title(char *out, const char *before, double number, const char *after)
{
    enum { DECIMALS = 4 };
    char text[ATTN_NUMBER_ROOM];
    bool whole = trunc(number) == number;
    size_t n = attn_number_f32((float)number, whole ? 0 : DECIMALS, text);
    while (!whole && n > 0 && text[n - 1] == '0')
        n--;
    n -= n > 0 && text[n - 1] == '.' ? 1 : 0;
    if (n == 1 && text[0] == '0' && number != 0) /* too small for that */
        n = attn_number_f32((float)number, ATTN_SHORTEST, text);
    snprintf(out, ATTN_TITLE_ROOM, "%s%.*s%s", before, (int)n, text, after);
}

static bool is_identity(const attn_linear *linear)
{
    enum { MOST = 16 };
    float w[MOST * MOST];
    if (linear->bias != NULL)
        return false;
    if (linear->w.data == NULL)
        return true;
    size_t n = linear->w.shape[0];
    if (n != linear->w.shape[1] || n > MOST)
        return false;
    attn_tensor_to_f32(&linear->w, w);
    for (size_t i = 0; i < n * n; i++)
        if (w[i] != (i % (n + 1) == 0 ? 1 : 0))
            return false;
    return true;
}

/* Nothing turns what enters the layer into other queries, keys and values. */
static bool is_plain(const attn_explained *e)
{
    const attn_layer *layer = e->layer;
    return is_identity(&layer->q) && is_identity(&layer->k) && is_identity(&layer->v) &&
           layer->q_norm.kind == ATTN_NORM_NONE && layer->k_norm.kind == ATTN_NORM_NONE &&
           layer->positions != ATTN_POSITION_ROPE && layer->rule.head_dim == e->x_width &&
           layer->rule.value_dim == e->x_width;
}

/* "q = x·W_Q + b_Q", "q = norm(x·W_Q)": as far as LINEAR has these. */
static void put_made_of(const attn_explained *e, char *out, const char *letter, const char *matrix,
                        const attn_linear *linear, const attn_norm *norm)
{
    bool normed = norm != NULL && norm->kind != ATTN_NORM_NONE;
    const char *x = e->layer->attention_before.kind != ATTN_NORM_NONE ? "normed" : "x";
    snprintf(out, ATTN_TITLE_ROOM, "%s = %s%s·W_%s%s%s%s", letter, normed ? "norm(" : "", x, matrix,
             linear->bias != NULL ? " + b_" : "", linear->bias != NULL ? matrix : "", normed ? ")" : "");
}

static void put_note(const attn_explained *e, char *out)
{
    const attn_linear *linears[] = {&e->layer->q, &e->layer->k, &e->layer->v};
    static const char *const names[] = {"W_Q", "W_K", "W_V"};
    size_t used = 0;
    for (size_t i = 0; i < 3; i++)
        if (is_identity(linears[i]))
            used += (size_t)snprintf(out + used, ATTN_TITLE_ROOM - used, "%s%s", used > 0 ? ", " : "(", names[i]);
    if (used > 0)
        snprintf(out + used, ATTN_TITLE_ROOM - used, ": identity)");
    if (is_plain(e))
        snprintf(out, ATTN_TITLE_ROOM, "(q = k = v = %s)",
                 e->layer->attention_before.kind != ATTN_NORM_NONE ? "normed" : "x");
}

/* ROWS rows of head HEAD of what was kept, those in e->positions, to a column in the arena. */
static attn_status gather(const attn_explained *e, const attn_kept *kept, size_t head, size_t n, attn_arena *arena,
                          attn_step *step, attn_error *error)
{
    size_t count;
    float *values = attn_multiply(n, kept->width, &count) ? attn_arena_alloc(arena, count, sizeof *values) : NULL;
    if (values == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < n; i++)
        memcpy(values + i * kept->width, attn_kept_row(kept, head, e->positions[i]), kept->width * sizeof *values);
    step->values = values;
    step->width = kept->width;
    return ATTN_OK;
}

typedef struct part_column { /* a column that was kept */
    attn_part_kind kind;
    bool by_head; /* a key/value head's, or a query head's */
    attn_step step;
} part_column;

/* A table of the tokens in e->positions[n]. */
static attn_status hand_over_tokens(attn_explained *e, size_t head, bool keys, size_t n, const part_column *columns,
                                    size_t n_columns, attn_error *error)
{
    enum { MOST = 10 };
    attn_step steps[MOST];
    attn_arena arena = {0};
    attn_status status = ATTN_OK;
    size_t n_steps = 0, shared = head / (e->layer->rule.n_heads / e->layer->rule.n_kv_heads);
    for (size_t i = 0; i < n_columns && status == ATTN_OK; i++) {
        const attn_kept x = {.values = (float *)e->x, .n_heads = 1, .n_rows = e->n, .width = e->x_width};
        const attn_kept *kept = columns[i].kind != 0 ? attn_explained_kept(e, columns[i].kind) : &x;
        if (kept->values == NULL)
            continue;
        size_t of = !columns[i].by_head ? 0 : kept->n_heads == e->layer->rule.n_heads ? head : shared;
        steps[n_steps] = columns[i].step;
        status = gather(e, kept, of, n, &arena, &steps[n_steps++], error);
    }
    const attn_step_table table = {
        .layer = e->index,
        .head = head,
        .query = ATTN_NO_POSITION,
        .rows = {.keys = keys, .n = n, .positions = e->positions, .labels = e->labels},
        .columns = steps,
        .n_columns = n_steps,
        .note = e->titles.note[0] != '\0' ? e->titles.note : NULL,
    };
    if (status == ATTN_OK && n > 0)
        status = attn_writer_steps(e->report->writer, &table, error);
    attn_arena_free(&arena);
    return status;
}

static attn_step token_step(const char *name, const char *title, const char *short_title, bool of_layer)
{
    attn_step step = attn_vector_step(name, title, short_title, NULL, 0);
    step.of_layer = of_layer;
    return step;
}

static bool is_used(const attn_explained *e, size_t head, size_t key)
{
    return e->report->key_units.selected[key] != 0 && (e->used == NULL || e->used[head * e->n_keys + key] != 0);
}

/* The tokens that stand in a table: selected queries, keys that are printed, or both. */
static size_t list_tokens(attn_explained *e, size_t head, bool queries, bool keys)
{
    const attn_report *report = e->report;
    const attn_units *units = queries ? &report->query_units : &report->key_units;
    size_t n = 0;
    for (size_t i = 0; i < units->n; i++) {
        if (!(queries && report->query_units.selected[i] != 0) && !(keys && is_used(e, head, i)))
            continue;
        e->positions[n] = i;
        e->labels[n++] = attn_units_label(units, i);
    }
    return n;
}

/* A vector before rotary positions and as it meets others. MATTERS: it is not what it is made of. */
static void add_turned(const attn_explained *e, const char *before_name, const char *name, const char *made_of,
                       attn_part_kind before, attn_part_kind kind, bool matters, part_column *columns, size_t *n)
{
    bool rotary = e->layer->positions == ATTN_POSITION_ROPE, plain = is_plain(e), query = kind == ATTN_PART_QUERY;
    const char *rotated = query ? "q rotated" : "k rotated", *length = query ? "|q|" : "|k|";
    if (rotary)
        columns[(*n)++] = (part_column){before, true, token_step(before_name, matters ? made_of : NULL, NULL, false)};
    columns[(*n)++] = (part_column){kind, true,
                                    token_step(name,
                                               plain    ? NULL
                                               : rotary ? rotated
                                                        : made_of,
                                               plain ? NULL : length, false)};
}

/* What enters the layer: FIRST of all heads, for it belongs to none. KIND 0: the stream. */
static void add_input(const attn_explained *e, attn_part_kind kind, attn_part_kind normed, bool first,
                      part_column *columns, size_t *n)
{
    columns[(*n)++] = (part_column){kind, false, token_step(first ? "x" : NULL, "x", "|x|", true)};
    if (e->layer->attention_before.kind != ATTN_NORM_NONE)
        columns[(*n)++] = (part_column){normed, false, token_step(first ? "normed" : NULL, "normed", "normed", true)};
}

static attn_status hand_over_vectors(attn_explained *e, size_t head, bool first, attn_error *error)
{
    enum { MOST = 10 };
    const attn_layer *layer = e->layer;
    const attn_titles *t = &e->titles;
    bool cross = e->report->text->context != NULL, plain = is_plain(e);
    bool turns_q = !is_identity(&layer->q) || layer->q_norm.kind != ATTN_NORM_NONE;
    bool turns_k = !is_identity(&layer->k) || layer->k_norm.kind != ATTN_NORM_NONE;
    part_column columns[MOST];
    size_t n = 0, of_queries;
    add_input(e, 0, ATTN_PART_NORMED, first, columns, &n);
    add_turned(e, "q_before", "q", t->q, ATTN_PART_QUERY_BEFORE, ATTN_PART_QUERY, turns_q, columns, &n);
    of_queries = cross ? n : 0;
    if (cross)
        add_input(e, ATTN_PART_CONTEXT, ATTN_PART_NORMED_CONTEXT, first, columns, &n);
    add_turned(e, "k_before", "k", t->k, ATTN_PART_KEY_BEFORE, ATTN_PART_KEY, turns_k, columns, &n);
    columns[n++] =
        (part_column){ATTN_PART_VALUE, true, token_step("v", plain ? NULL : t->v, plain ? NULL : "|v|", false)};
    attn_status status = ATTN_OK;
    if (cross)
        status = hand_over_tokens(e, head, false, list_tokens(e, head, true, false), columns, of_queries, error);
    return status != ATTN_OK ? status
                             : hand_over_tokens(e, head, cross, list_tokens(e, head, !cross, true),
                                                columns + of_queries, n - of_queries, error);
}

static void make_titles(attn_explained *e, size_t head)
{
    const attn_rule *rule = &e->layer->rule;
    attn_titles *t = &e->titles;
    *t = (attn_titles){0};
    put_made_of(e, t->q, "q", "Q", &e->layer->q, &e->layer->q_norm);
    put_made_of(e, t->k, "k", "K", &e->layer->k, &e->layer->k_norm);
    put_made_of(e, t->v, "v", "V", &e->layer->v, NULL);
    put_note(e, t->note);
    attn_put_step_title(t->scale, "× ", (double)attn_rule_scale(rule), "");
    attn_put_step_title(t->cap, "softcap ", (double)rule->softcap, "");
    attn_put_step_title(t->temperature, "t = s ÷ ", (double)rule->temperature, "");
    snprintf(t->head, ATTN_TITLE_ROOM, "head %zu adds", head);
    if (e->layer->head_mix != NULL) {
        char before[ATTN_TITLE_ROOM];
        attn_put_step_title(before, "× ", (double)e->layer->head_mix[head], "");
        snprintf(t->head, ATTN_TITLE_ROOM, "%.32s: head %zu adds", before, head);
    }
}

attn_status attn_explained_section(attn_explained *e, size_t head, attn_error *error)
{
    attn_buffer facts = {0};
    attn_explained_facts(e, head, &facts);
    attn_status status = facts.failed ? attn_fail_memory(error) : ATTN_OK;
    const attn_section section = {.layer = e->index, .head = head, .facts = facts.data};
    if (status == ATTN_OK)
        status = attn_writer_section(e->report->writer, &section, error);
    attn_buffer_free(&facts);
    return status;
}

attn_status attn_explained_head(attn_explained *e, size_t head, attn_error *error)
{
    bool first = true;
    for (size_t h = 0; h < head; h++)
        first = first && e->heads[h] == 0;
    make_titles(e, head);
    attn_status status = attn_explained_section(e, head, error);
    return status == ATTN_OK ? hand_over_vectors(e, head, first, error) : status;
}
