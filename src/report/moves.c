/* moves.c: the report `moves`: how far attention moves each token, and where it turns. The move is that of attention's
 * branch alone, as in pulls.h: before the feed-forward, in a post-norm model before the norm, without W_O's bias. */
#include "config.h"

#include "base/memory.h"
#include "report/moves.h"
#include "report/pulls.h"

#include <math.h>
#include <string.h>

typedef struct moves { /* one text */
    attn_report *report;
    float *x;   /* owned; [n][width]: the stream before the layer at hand */
    float *row; /* owned; [width] */
    size_t room, row_room;
} moves;

attn_status attn_moves_check(attn_report *report, attn_error *error)
{
    const attn_model *model = report->model;
    for (size_t layer = 0; layer < model->n_layers; layer++) {
        size_t before = attn_model_width(model, (ptrdiff_t)layer - 1),
               after = attn_model_width(model, (ptrdiff_t)layer);
        if (report->selection.layers[layer] == 0 || before == after)
            continue;
        attn_fail(error, ATTN_EUSAGE, "layer %zu takes vectors of %zu numbers and gives vectors of %zu: nothing moves",
                  layer, before, after);
        return attn_error_hint(error, "--print=embeddings --at=before or --at=after shows them");
    }
    return ATTN_OK;
}

static attn_status take_hidden(void *context, const attn_hidden *hidden, attn_error *error)
{
    moves *m = context;
    size_t count = hidden->n_tokens * hidden->width;
    if (count > m->room || hidden->width > m->row_room) {
        attn_free(m->x);
        attn_free(m->row);
        m->x = attn_alloc_array(count, sizeof *m->x);
        m->row = attn_alloc_array(hidden->width, sizeof *m->row);
        m->room = count;
        m->row_room = hidden->width;
        if (m->x == NULL || m->row == NULL)
            return attn_fail_memory(error);
    }
    memcpy(m->x, hidden->values, count * sizeof *m->x);
    return ATTN_OK;
}

/* From x and what is added to it (or takes its place): the cells behind the token. */
static void measure(const float *x, const float *added, size_t width, bool residual, attn_cell *cells)
{
    double distance = 0, before = 0, after = 0, product = 0;
    for (size_t k = 0; k < width; k++) {
        double from = (double)x[k], move = residual ? (double)added[k] : (double)added[k] - from;
        double to = residual ? from + move : (double)added[k];
        distance += move * move;
        before += from * from;
        after += to * to;
        product += from * to;
    }
    before = sqrt(before);
    after = sqrt(after);
    cells[0] = attn_cell_number((float)sqrt(distance));
    cells[1] = attn_cell_number(before == 0 || after == 0 ? 0 : (float)(product / (before * after)));
    cells[2] = attn_cell_number((float)before);
    cells[3] = attn_cell_number((float)after);
}

static attn_status take_part(void *context, const attn_part *part, attn_error *error)
{
    moves *m = context;
    const attn_layer *layer = &m->report->model->layers[part->layer];
    const attn_units *units = &m->report->query_units;
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < units->n_selected && status == ATTN_OK; i++) {
        size_t position = units->positions[i];
        const float *attended = part->values.data + position * part->values.row_stride;
        attn_cell cells[7] = {attn_cell_count(part->layer), attn_cell_count(position),
                              attn_cell_label(attn_units_selected_label(units, i))};
        for (size_t k = 0; k < part->width; k++)
            m->row[k] = attended[k] - (layer->o.bias != NULL ? layer->o.bias[k] : 0);
        attn_branch_norm(layer, m->row, 1, part->width, part->sigma != NULL ? part->sigma + position : NULL);
        measure(m->x + position * part->width, m->row, part->width, layer->residual, cells + 3);
        status = attn_report_record(m->report, cells, error);
    }
    return status;
}

static attn_status print_moves(attn_report *report, attn_error *error)
{
    moves m = {.report = report};
    const attn_observer callbacks = {
        .context = &m, .parts = ATTN_PART_ATTENDED, .hidden = take_hidden, .part = take_part};
    attn_status status = attn_report_run(report, ATTN_WANT_BEFORE, ATTN_BY_HEAD, &callbacks, error);
    attn_free(m.x);
    attn_free(m.row);
    return status;
}

const attn_report_kind attn_report_moves = {
    .name = "moves",
    .summary = "how far attention moves each token",
    .columns = "text layer position token distance cosine before after",
    .shape = ATTN_SHAPE_RECORDS,
    .cells = {.positive = "distance before after", .with_sign = "cosine"},
    .titled = 2,
    .takes = ATTN_TAKES_LAYERS | ATTN_TAKES_QUERIES,
    .open = attn_moves_check,
    .text = print_moves,
};
