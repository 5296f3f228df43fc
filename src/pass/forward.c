/* forward.c: the one forward pass: ids become vectors, vectors go through the layers, and the
 * observer sees what it asked for. It knows no file format and no report. What it computes for one
 * layer never depends on what is observed: blocks for the observer are computed beside the stream
 * (blocks.c). */
#include "config.h"

#include "pass/pass.h"

#include <string.h>

static const unsigned want_blocks =
    ATTN_WANT_DOT | ATTN_WANT_PRODUCT | ATTN_WANT_CAPPED | ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS;
/* Parts that need a layer's output (FINAL that of all), what attention adds, and queries and keys alone. */
static const unsigned output_parts = ATTN_PART_MIDDLE | ATTN_PART_FED | ATTN_PART_FINAL;
static const unsigned attended_parts = ATTN_PART_HEADS | ATTN_PART_ATTENDED;
static const unsigned score_parts = ATTN_PART_NORMED | ATTN_PART_NORMED_CONTEXT | ATTN_PART_QUERY_BEFORE |
                                    ATTN_PART_KEY_BEFORE | ATTN_PART_QUERY | ATTN_PART_KEY;

/* How far to go: `last` is the last layer with something to do, and is computed as far as `depth`; those before it
 * whole. */
typedef struct forward_plan {
    bool any;
    size_t first, last;
    attn_depth depth;
    bool logits;
} forward_plan;

static bool layer_selected(const attn_observer *observer, size_t layer)
{
    return observer->layers == NULL || observer->layers[layer] != 0;
}

static attn_depth depth_of(const attn_observer *observer)
{
    if ((observer->wants & (ATTN_WANT_AFTER | ATTN_WANT_LOGITS)) != 0 || (observer->parts & output_parts) != 0)
        return ATTN_DEPTH_OUTPUT;
    if ((observer->parts & attended_parts) != 0)
        return ATTN_DEPTH_ATTENDED;
    if ((observer->parts & ATTN_PART_VALUE) != 0)
        return ATTN_DEPTH_VALUES;
    if ((observer->wants & want_blocks) != 0 || (observer->parts & score_parts) != 0)
        return ATTN_DEPTH_SCORES;
    return ATTN_DEPTH_NOTHING;
}

static forward_plan plan_of(const attn_model *model, const attn_input *input, const attn_observer *observer)
{
    forward_plan plan = {
        .first = input->start,
        .depth = depth_of(observer),
        .logits = (observer->wants & ATTN_WANT_LOGITS) != 0,
    };
    bool all = plan.logits || (observer->parts & ATTN_PART_FINAL) != 0;
    for (size_t l = plan.first; l < model->n_layers; l++) {
        if (layer_selected(observer, l) || all) {
            plan.any = true;
            plan.last = l;
        }
    }
    return plan;
}

static attn_status check_ids(const attn_model *model, const uint32_t *ids, size_t n, size_t n_made, attn_error *error)
{
    attn_status status = attn_model_reads(model, n, error);
    if (status != ATTN_OK)
        return status;
    for (size_t i = 0; i < n && status == ATTN_OK; i++)
        if (ids[i] < model->n_vocab || ids[i] - model->n_vocab >= n_made)
            status = attn_model_has_vector(model, ids[i], error);
    return status;
}

static attn_status check_input(const attn_model *model, const attn_input *input, attn_error *error)
{
    attn_status status = check_ids(model, input->ids, input->n, input->n_made, error);
    if (status == ATTN_OK)
        status = attn_pass_check_edits(model, input, error);
    if (status == ATTN_OK && input->start > (input->stream != NULL ? model->n_layers : 0))
        status = attn_fail(error, ATTN_EUSAGE, "the pass can not begin at layer %zu", input->start);
    if (status != ATTN_OK || input->context_ids == NULL)
        return status;
    if (input->n_context == 0)
        return attn_fail(error, ATTN_EDATA, "the context (-c) has no tokens to attend to");
    return check_ids(model, input->context_ids, input->n_context, input->n_context_made, error);
}

/* Refuse before anything is shown what a layer that is cut short would be needed for. */
static attn_status check_layers(const attn_model *model, const forward_plan *plan, attn_error *error)
{
    for (size_t l = plan->first; plan->any && l <= plan->last; l++) {
        const char *why = model->layers[l].cut_short;
        if (why == NULL || (l == plan->last && plan->depth < ATTN_DEPTH_OUTPUT))
            continue;
        attn_fail(error, ATTN_EUNSUPPORTED, "layer %zu: %s", l, why);
        return attn_error_hint(error, "only what attention does in layer %zu can be shown", l);
    }
    return ATTN_OK;
}

static attn_status show_hidden(const attn_pass *pass, size_t layer, bool after, attn_error *error)
{
    const attn_hidden hidden = {
        .layer = layer, .after = after, .n_tokens = pass->n, .width = pass->width, .values = pass->x};
    return pass->observer->hidden(pass->observer->context, &hidden, error);
}

static attn_status run_layer(attn_pass *pass, size_t layer, attn_depth depth, attn_error *error)
{
    const attn_observer *observer = pass->observer;
    bool selected = layer_selected(observer, layer);
    attn_layer_work work = {.layer = layer, .blocks = selected && (observer->wants & want_blocks) != 0, .depth = depth};
    attn_status status = ATTN_OK;
    pass->layer = layer;
    pass->parts = selected ? observer->parts : 0;
    if (selected && (observer->wants & ATTN_WANT_BEFORE) != 0)
        status = show_hidden(pass, layer, false, error);
    if (status == ATTN_OK && depth > ATTN_DEPTH_NOTHING)
        status = attn_pass_layer(pass, &work, error);
    if (status == ATTN_OK && selected && (observer->wants & ATTN_WANT_AFTER) != 0)
        status = show_hidden(pass, layer, true, error);
    return status;
}

static attn_status show_final(attn_pass *pass, attn_error *error)
{
    attn_rows_in x = attn_rows_of(pass->x, pass->n, pass->width);
    pass->parts = pass->observer->parts;
    pass->layer = pass->model->n_layers;
    attn_status status = attn_pass_measure(pass, ATTN_PART_FINAL, &pass->model->final_norm, x, error);
    return status == ATTN_OK ? attn_pass_show(pass, ATTN_PART_FINAL, x, error) : status;
}

static attn_status run_layers(attn_pass *pass, const forward_plan *plan, attn_error *error)
{
    attn_status status = ATTN_OK;
    pass->layers_to_run = plan->last + 1 - plan->first;
    for (size_t l = plan->first; status == ATTN_OK && plan->any && l <= plan->last; l++) {
        pass->layers_done = l - plan->first;
        status = run_layer(pass, l, l < plan->last ? ATTN_DEPTH_OUTPUT : plan->depth, error);
    }
    if (status == ATTN_OK && (pass->observer->parts & ATTN_PART_FINAL) != 0)
        status = show_final(pass, error);
    return status;
}

float *attn_pass_room_for(attn_pass *pass, attn_room room, size_t n_rows, size_t width, attn_error *error)
{
    attn_pass_room *r = &pass->rooms[room];
    size_t count;
    if (!attn_multiply(n_rows, width, &count)) {
        attn_fail_memory(error);
        return NULL;
    }
    if (r->numbers != NULL && count <= r->size)
        return r->numbers;
    attn_free(r->numbers);
    r->size = 0;
    r->numbers = attn_alloc_aligned(count, sizeof *r->numbers);
    if (r->numbers == NULL)
        attn_fail_memory(error);
    else
        r->size = count;
    return r->numbers;
}

void attn_pass_free(attn_pass *pass)
{
    for (size_t i = 0; i < ATTN_N_ROOMS; i++)
        attn_free(pass->rooms[i].numbers);
    attn_pass_free_ropes(pass);
    attn_free(pass->x);
    attn_free(pass->context);
    attn_free(pass->positions);
    attn_free(pass->key_positions);
    attn_free(pass->sigma);
}

attn_status attn_forward(const attn_model *model, attn_input *input, const attn_observer *observer, attn_pool *pool,
                         attn_error *error)
{
    forward_plan plan = plan_of(model, input, observer);
    input->n_masked_rows = 0;
    if (input->n == 0)
        return ATTN_OK;
    attn_status status = check_input(model, input, error);
    if (status == ATTN_OK)
        status = check_layers(model, &plan, error);
    if (status != ATTN_OK)
        return status;
    attn_pass pass = {
        .model = model,
        .input = input,
        .observer = observer,
        .pool = pool,
        .n = input->n,
        .n_keys = input->context_ids != NULL ? input->n_context : input->n,
        .parts = observer->parts,
    };
    status = attn_pass_embed(&pass, error);
    if (status == ATTN_OK)
        status = run_layers(&pass, &plan, error);
    if (status == ATTN_OK && plan.logits)
        status = attn_pass_logits(&pass, error);
    attn_pass_free(&pass);
    return status;
}
