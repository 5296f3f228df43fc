/* explained.c: see explained.h. What is kept of a layer, and what is said of it in words. */
#include "config.h"

#include "report/explained.h"

#include <string.h>

enum { MOST_KEYS = 12, MOST_KEYS_OF_SEVERAL = 5 };

static attn_status make_room(attn_explained *e, attn_error *error)
{
    const attn_rule *rule = &e->layer->rule;
    size_t rows = e->n_keys + 1, most = e->n > rows ? e->n + rows : 2 * rows, count;
    if (!attn_multiply(rows, rule->head_dim > rule->value_dim ? rule->head_dim : rule->value_dim, &count))
        return attn_fail_memory(error);
    e->order = attn_alloc_array(rows, sizeof *e->order);
    e->shown = attn_alloc_array(rows, sizeof *e->shown);
    e->positions = attn_alloc_array(most, sizeof *e->positions);
    e->labels = attn_alloc_array(most, sizeof *e->labels);
    e->mine = attn_alloc_array(rows, ATTN_N_MARKS);
    e->numbers = attn_alloc_array(rows, ATTN_N_EXPLAINED * sizeof *e->numbers);
    e->keys = attn_alloc_array(count, sizeof *e->keys);
    e->values = attn_alloc_array(count, sizeof *e->values);
    e->added = attn_alloc_aligned(e->outputs.width, sizeof *e->added);
    if (e->order == NULL || e->shown == NULL || e->positions == NULL || e->labels == NULL || e->mine == NULL ||
        e->numbers == NULL || e->keys == NULL || e->values == NULL || e->added == NULL ||
        !attn_top_open(&e->top, e->n_keys))
        return attn_fail_memory(error);
    if (e->report->top == ATTN_TOP_ALL)
        return ATTN_OK;
    e->used = attn_calloc_array(rule->n_heads, e->n_keys);
    return e->used != NULL ? ATTN_OK : attn_fail_memory(error);
}

attn_status attn_explained_open(attn_explained *e, attn_report *report, const attn_hidden *before, attn_error *error)
{
    *e = (attn_explained){.report = report,
                          .layer = &report->model->layers[before->layer],
                          .index = before->layer,
                          .n = before->n_tokens,
                          .n_keys = report->key_units.n_tokens,
                          .x = before->values,
                          .x_width = before->width,
                          .heads = report->selection.heads + before->layer * report->selection.max_heads,
                          .n_selected = attn_selected_heads(&report->selection, before->layer)};
    e->limit = e->n_selected > 1 ? MOST_KEYS_OF_SEVERAL : MOST_KEYS;
    attn_status status = attn_head_outputs_open(report->model, before->layer, &e->outputs, error);
    return status == ATTN_OK ? make_room(e, error) : status;
}

void attn_explained_close(attn_explained *e)
{
    for (size_t i = 0; i < ATTN_KEPT_PARTS; i++)
        attn_free(e->kept[i].values);
    for (size_t i = 0; i < ATTN_N_ROWS_KINDS; i++)
        attn_free(e->rows[i]);
    attn_free(e->out.values);
    attn_head_outputs_close(&e->outputs);
    attn_top_close(&e->top);
    attn_free(e->used);
    attn_free(e->order);
    attn_free(e->shown);
    attn_free(e->positions);
    attn_free(e->labels);
    attn_free(e->mine);
    attn_free(e->numbers);
    attn_free(e->keys);
    attn_free(e->values);
    attn_free(e->added);
    *e = (attn_explained){0};
}

static size_t bit_of(attn_part_kind kind)
{
    size_t bit = 0;
    while ((1U << bit) != (unsigned)kind)
        bit++;
    return bit;
}

const attn_kept *attn_explained_kept(const attn_explained *e, attn_part_kind kind)
{
    return &e->kept[bit_of(kind)];
}

const float *attn_kept_row(const attn_kept *kept, size_t head, size_t row)
{
    return kept->values + (head * kept->n_rows + row) * kept->width;
}

static attn_status keep(attn_kept *kept, attn_heads from, attn_error *error)
{
    size_t count;
    if (!attn_multiply(kept->n_heads * kept->n_rows, kept->width, &count))
        return attn_fail_memory(error);
    kept->values = attn_alloc_array(count, sizeof *kept->values);
    if (kept->values == NULL)
        return attn_fail_memory(error);
    for (size_t h = 0; h < kept->n_heads; h++)
        for (size_t i = 0; i < kept->n_rows; i++)
            memcpy(kept->values + (h * kept->n_rows + i) * kept->width,
                   from.data + i * from.row_stride + h * from.head_stride, kept->width * sizeof *kept->values);
    return ATTN_OK;
}

attn_status attn_explained_part(attn_explained *e, const attn_part *part, attn_error *error)
{
    attn_kept *kept = &e->kept[bit_of(part->kind)];
    *kept = (attn_kept){.n_heads = part->n_heads, .n_rows = part->n_rows, .width = part->width};
    return keep(kept, part->values, error);
}

attn_status attn_explained_out(attn_explained *e, const attn_hidden *after, attn_error *error)
{
    e->out = (attn_kept){.n_heads = 1, .n_rows = after->n_tokens, .width = after->width};
    return keep(&e->out, (attn_heads){.data = after->values, .row_stride = after->width}, error);
}

static size_t choose_all(attn_explained *e)
{
    size_t n = 0;
    for (size_t key = 0; key < e->n_keys; key++)
        if (e->report->key_units.selected[key] != 0)
            e->order[n++] = key;
    return n;
}

size_t attn_explained_choose(attn_explained *e, const attn_explained_query *query)
{
    if (e->report->top == ATTN_TOP_ALL)
        return choose_all(e);
    e->top.capacity = e->report->top < e->n_keys ? e->report->top : e->n_keys;
    attn_top_clear(&e->top);
    for (size_t key = 0; key < e->n_keys; key++)
        if (query->visible[key] != 0 && e->report->key_units.selected[key] != 0)
            attn_top_offer(&e->top, key, query->rows[ATTN_ROWS_WEIGHTS][key]);
    attn_top_sort(&e->top);
    memcpy(e->order, e->top.indices, e->top.n * sizeof *e->order);
    return e->top.n;
}

void attn_explained_use(attn_explained *e, const attn_explained_query *query)
{
    if (e->used == NULL)
        return;
    size_t n = attn_explained_choose(e, query);
    for (size_t i = 0; i < n; i++)
        e->used[query->head * e->n_keys + e->order[i]] = 1;
}

/* ---- in words ---- */

static const char *const score_names[ATTN_N_SCORES] = {
    [ATTN_SCORE_SCALED] = "scaled dot product", [ATTN_SCORE_DOT] = "dot product",   [ATTN_SCORE_COSINE] = "cosine",
    [ATTN_SCORE_ADDITIVE] = "additive",         [ATTN_SCORE_GAUSSIAN] = "gaussian", [ATTN_SCORE_GRAVITY] = "gravity",
};

static void put_mask(const attn_explained *e, attn_buffer *out)
{
    static const attn_mask none = {0};
    const attn_text *text = e->report->text;
    const attn_mask *mask = text->context != NULL && !e->layer->mask_given ? &none : &e->layer->mask;
    const uint8_t *hidden = text->context != NULL ? text->context_hidden : text->hidden_keys;
    size_t before = out->size;
    attn_buffer_text(out, mask->causal ? ", causal mask" : "");
    if (mask->window != 0)
        attn_buffer_format(out, ", mask window:%zu", mask->window);
    if (mask->band != 0)
        attn_buffer_format(out, ", mask band:%zu", mask->band);
    if (mask->has_prefix)
        attn_buffer_format(out, ", mask prefix:%zu", mask->prefix);
    attn_buffer_text(out, mask->n_matrices > 0 ? ", mask of a file" : "");
    attn_buffer_text(out, hidden != NULL ? ", padding hidden" : "");
    attn_buffer_text(out, out->size == before ? ", no mask" : "");
}

static void put_settings(const attn_explained *e, attn_buffer *out)
{
    const attn_rule *rule = &e->layer->rule;
    attn_buffer_format(out, ", %s", score_names[rule->score]);
    put_mask(e, out);
    attn_buffer_text(out, e->layer->positions == ATTN_POSITION_ROPE ? ", rotary positions" : "");
    attn_buffer_text(out, rule->slopes != NULL ? ", ALiBi" : "");
    attn_buffer_text(out, rule->relative.values != NULL ? ", relative positions" : "");
    attn_buffer_text(out, rule->sinks != NULL ? ", a sink" : "");
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

void attn_explained_facts(const attn_explained *e, size_t head, attn_buffer *facts)
{
    const attn_rule *rule = &e->layer->rule;
    size_t selected = e->report->query_units.n_selected;
    facts->size = 0;
    if (head == ATTN_HEAD_NONE) {
        attn_buffer_format(facts, "its %zu heads together", rule->n_heads);
    } else {
        attn_buffer_format(facts, "%zu token%s of %zu number%s", e->n, plural(e->n), e->x_width, plural(e->x_width));
        if (e->report->text->context != NULL)
            attn_buffer_format(facts, ", %zu of the context", e->n_keys);
        if (rule->head_dim != e->x_width)
            attn_buffer_format(facts, ", %zu a head", rule->head_dim);
        if (rule->n_kv_heads != rule->n_heads)
            attn_buffer_format(facts, ", key/value head %zu", head / (rule->n_heads / rule->n_kv_heads));
        put_settings(e, facts);
    }
    if (selected < e->n && e->report->request.queries == NULL && e->report->request.query_tokens.count == 0)
        attn_buffer_format(facts, ", %zu of %zu queries", selected, e->n);
    attn_buffer_byte(facts, '\0');
}
