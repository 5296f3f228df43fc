/* embed.c: ids to vectors: the embedding rows, what is added to them by position and token type,
 * and the norm that BERT puts on the sum. Part of the forward pass; it knows no layer. */
#include "config.h"

#include "attention/position.h"
#include "pass/pass.h"

#include <string.h>

enum { EMBED_ROWS = 64 }; /* rows a task */

typedef struct embed_job {
    const attn_model *model;
    const uint32_t *ids;    /* [n] */
    const float *made;      /* of the ids from n_vocab on, [..][d_model] */
    const float *positions; /* [n] */
    size_t n;
    float *out; /* [n][d_model] */
} embed_job;

static void add_row(const attn_tensor *table, size_t row, float *out, float *scratch)
{
    size_t width = table->shape[1];
    attn_tensor_read(table, row, 1, 0, width, scratch, width);
    for (size_t i = 0; i < width; i++)
        out[i] += scratch[i];
}

/* What learned or sinusoidal positions add; else nothing. */
static void add_position(const attn_model *model, float position, float *out, float *scratch)
{
    if (model->positions == ATTN_POSITION_LEARNED) {
        add_row(&model->position_embeddings, (size_t)position + model->position_offset, out, scratch);
    } else if (model->positions == ATTN_POSITION_SINUSOIDAL) {
        attn_sinusoidal(position, model->d_model, scratch);
        for (size_t k = 0; k < model->d_model; k++)
            out[k] += scratch[k];
    }
}

static void embed_row(const embed_job *job, size_t i, float *out, float *scratch)
{
    const attn_model *model = job->model;
    size_t d = model->d_model;
    if (job->ids[i] >= model->n_vocab) {
        memcpy(out, job->made + (job->ids[i] - model->n_vocab) * d, d * sizeof *out);
    } else if (model->embeddings.data == NULL) {
        memset(out, 0, d * sizeof *out);
        out[job->ids[i]] = 1.0F;
    } else {
        attn_tensor_read(&model->embeddings, job->ids[i], 1, 0, d, out, d);
    }
    if (model->embedding_scale != 1.0F)
        for (size_t k = 0; k < d; k++)
            out[k] *= model->embedding_scale;
    add_position(model, job->positions[i], out, scratch);
    if (model->token_types.data != NULL)
        add_row(&model->token_types, 0, out, scratch);
}

typedef struct embed_tasks {
    const embed_job *job;
    float *scratch; /* [n_workers][d_model] */
} embed_tasks;

static void embed_task(void *context, size_t index, size_t worker)
{
    const embed_tasks *tasks = context;
    const embed_job *job = tasks->job;
    size_t d = job->model->d_model;
    size_t end = (index + 1) * EMBED_ROWS < job->n ? (index + 1) * EMBED_ROWS : job->n;
    for (size_t i = index * EMBED_ROWS; i < end; i++)
        embed_row(job, i, job->out + i * d, tasks->scratch + worker * d);
}

/* [n][d_model] of new memory to *OUT. */
static attn_status embed_text(const attn_pass *pass, embed_job *job, float **out, attn_error *error)
{
    const attn_model *model = job->model;
    size_t count, room;
    if (!attn_multiply(job->n, model->d_model, &count) ||
        !attn_multiply(attn_pool_size(pass->pool), model->d_model, &room))
        return attn_fail_memory(error);
    *out = attn_alloc_aligned(count, sizeof(float));
    embed_tasks tasks = {.job = job, .scratch = attn_alloc_aligned(room, sizeof(float))};
    if (*out == NULL || tasks.scratch == NULL) {
        attn_free(tasks.scratch);
        return attn_fail_memory(error);
    }
    job->out = *out;
    attn_pool_run(pass->pool, embed_task, &tasks, (job->n + EMBED_ROWS - 1) / EMBED_ROWS);
    attn_free(tasks.scratch);
    if (model->embedding_norm.kind != ATTN_NORM_NONE)
        attn_norm_run(&model->embedding_norm, attn_rows_of(*out, job->n, model->d_model), *out, model->d_model,
                      pass->pool);
    return ATTN_OK;
}

/* 0, 1, 2, … from the first token that is not padding; padding before it stands at 0. *PLAIN: no offset. */
static float *count_positions(const uint8_t *hidden, size_t n, bool *plain)
{
    float *positions = attn_alloc_array(n, sizeof *positions);
    size_t first = 0;
    if (positions == NULL)
        return NULL;
    if (hidden != NULL) {
        while (first < n && hidden[first] != 0)
            first++;
        if (first == n)
            first = 0;
    }
    for (size_t i = 0; i < n; i++)
        positions[i] = i < first ? 0.0F : (float)(i - first);
    *plain = first == 0;
    return positions;
}

static attn_status check_positions(const attn_model *model, const float *positions, size_t n, attn_error *error)
{
    if (model->positions != ATTN_POSITION_LEARNED)
        return ATTN_OK;
    size_t rows = model->position_embeddings.shape[0];
    size_t needed = (size_t)positions[n - 1] + model->position_offset + 1;
    if (needed <= rows)
        return ATTN_OK;
    attn_fail(error, ATTN_EDATA, "the text has %zu tokens, but the model has positions for %zu", n,
              rows - model->position_offset);
    return attn_error_hint(error, "cut it with --max-tokens=%zu", rows - model->position_offset);
}

/* The part POSITIONS, when it is wanted and there are such positions. */
static attn_status show_positions(attn_pass *pass, attn_error *error)
{
    size_t d = pass->model->d_model, count;
    bool adds = pass->model->positions == ATTN_POSITION_LEARNED || pass->model->positions == ATTN_POSITION_SINUSOIDAL;
    if ((pass->parts & ATTN_PART_POSITIONS) == 0 || !adds)
        return ATTN_OK;
    float *rows = attn_multiply(pass->n + 1, d, &count) ? attn_calloc_array(count, sizeof *rows) : NULL;
    if (rows == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < pass->n; i++) /* the last row is scratch */
        add_position(pass->model, pass->positions[i], rows + i * d, rows + pass->n * d);
    attn_status status = attn_pass_show(pass, ATTN_PART_POSITIONS, attn_rows_of(rows, pass->n, d), error);
    attn_free(rows);
    return status;
}

/* The stream that enters the first layer to run: what the input gives, or from the ids. */
static attn_status make_stream(attn_pass *pass, embed_job *job, attn_error *error)
{
    const attn_input *input = pass->input;
    size_t count;
    if (input->stream == NULL) {
        pass->width = pass->model->d_model;
        attn_status status = embed_text(pass, job, &pass->x, error);
        if (status == ATTN_OK)
            status = show_positions(pass, error);
        if (status != ATTN_OK)
            return status;
        return attn_pass_show(pass, ATTN_PART_EMBEDDED, attn_rows_of(pass->x, pass->n, pass->width), error);
    }
    pass->width = attn_model_width(pass->model, (ptrdiff_t)input->start - 1);
    pass->x = attn_multiply(pass->n, pass->width, &count) ? attn_alloc_aligned(count, sizeof(float)) : NULL;
    if (pass->x == NULL)
        return attn_fail_memory(error);
    memcpy(pass->x, input->stream, count * sizeof *pass->x);
    return ATTN_OK;
}

static attn_status make_context(attn_pass *pass, embed_job *job, attn_error *error)
{
    bool plain_keys = true;
    pass->key_positions = count_positions(pass->input->context_hidden, pass->n_keys, &plain_keys);
    if (pass->key_positions == NULL)
        return attn_fail_memory(error);
    pass->positions_plain = pass->positions_plain && plain_keys;
    attn_status status = check_positions(pass->model, pass->key_positions, pass->n_keys, error);
    if (status != ATTN_OK)
        return status;
    job->ids = pass->input->context_ids;
    job->made = pass->input->context_made;
    job->positions = pass->key_positions;
    job->n = pass->n_keys;
    status = embed_text(pass, job, &pass->context, error);
    if (status != ATTN_OK)
        return status;
    return attn_pass_show(pass, ATTN_PART_CONTEXT, attn_rows_of(pass->context, pass->n_keys, pass->model->d_model),
                          error);
}

attn_status attn_pass_embed(attn_pass *pass, attn_error *error)
{
    const attn_input *input = pass->input;
    pass->positions = count_positions(input->hidden_keys, pass->n, &pass->positions_plain);
    if (pass->positions == NULL)
        return attn_fail_memory(error);
    attn_status status = check_positions(pass->model, pass->positions, pass->n, error);
    if (status != ATTN_OK)
        return status;
    embed_job job = {
        .model = pass->model, .ids = input->ids, .made = input->made, .positions = pass->positions, .n = pass->n};
    status = make_stream(pass, &job, error);
    return status == ATTN_OK && input->context_ids != NULL ? make_context(pass, &job, error) : status;
}
