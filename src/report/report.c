/* report.c: the reports by name, and what they share: checking the request against the model, the selections, the
 * texts' labels, the pass. Used by cli. */
#include "config.h"

#include "report/report.h"
#include "base/memory.h"
#include "report/columns.h"
#include "report/kind.h"
#include "report/lens.h"

#include <string.h>

#define ATTN_ROW(name) &attn_report_##name,
static const attn_report_kind *const kinds[] = {ATTN_REPORTS(ATTN_ROW)};
#undef ATTN_ROW
enum { N_KINDS = sizeof kinds / sizeof *kinds };

const attn_report_kind *attn_report_at(size_t index)
{
    return index < N_KINDS ? kinds[index] : NULL;
}

unsigned attn_report_takes(const attn_report_kind *kind)
{
    unsigned takes = kind->takes;
    if (kind->reads != ATTN_READS_TEXT)
        takes |= ATTN_TAKES_WEIGHTS | ATTN_TAKES_TEXTS; /* without a pass, too: they may be all there is of a model */
    if (kind->reads != ATTN_READS_TEXT && !kind->any_length)
        takes |= ATTN_TAKES_ATTENTION;
    return takes;
}

/* --at=before,after */
static attn_status read_at(attn_report *report, attn_error *error)
{
    const char *given = report->request.at;
    for (const char *at = given; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (length == 6 && strncmp(at, "before", length) == 0)
            report->before = true;
        else if (length == 5 && strncmp(at, "after", length) == 0)
            report->after = true;
        else
            return attn_fail(error, ATTN_EUSAGE, "--at: expected before, after or before,after; found '%s'", given);
        at += length + (at[length] == ',');
    }
    if (given != NULL && !report->before && !report->after)
        return attn_fail(error, ATTN_EUSAGE, "--at: expected before, after or before,after; found ''");
    return ATTN_OK;
}

static attn_status open_writer(attn_report *report, attn_error *error)
{
    const attn_output_request *output = &report->output;
    const attn_output *format;
    attn_status status;
    report->schema.both = report->before && report->after;
    status = attn_output_choose(output, &report->schema, report->sink, &format, error);
    if (status == ATTN_OK)
        status = attn_columns_make(report->kind, output->columns, report->schema.both, &report->arena, &report->schema,
                                   error);
    if (status == ATTN_OK)
        status = attn_writer_open(format, output, &report->schema, report->sink, &report->writer, error);
    return status;
}

static attn_status open_selections(attn_report *report, attn_error *error)
{
    const attn_report_request *r = &report->request;
    attn_status status = attn_list_parse("--query", r->queries, false, &report->arena, &report->queries, error);
    if (status == ATTN_OK)
        status = attn_list_parse("--key", r->keys, false, &report->arena, &report->keys, error);
    if (status == ATTN_OK)
        status = attn_token_filter_open("--query-token", &r->query_tokens, &report->query_filter, error);
    if (status == ATTN_OK)
        status = attn_token_filter_open("--key-token", &r->key_tokens, &report->key_filter, error);
    if (status != ATTN_OK || (report->kind->takes & ATTN_TAKES_LAYERS) == 0)
        return status;
    const attn_select_request request = {.model = report->model,
                                         .layers = r->layers,
                                         .heads = r->heads,
                                         .all_layers = report->kind->all_layers,
                                         .key_heads = report->kind->of_keys};
    return attn_select(&request, &report->arena, &report->selection, error);
}

static attn_status open_parts(attn_report *report, attn_error *error)
{
    attn_status status = read_at(report, error);
    if (status == ATTN_OK)
        status = open_selections(report, error);
    if (status == ATTN_OK && report->request.final_norm)
        status = attn_lens_check(report, error);
    if (status == ATTN_OK && report->kind->state_size > 0) {
        report->state = attn_calloc_array(1, report->kind->state_size);
        status = report->state != NULL ? ATTN_OK : attn_fail_memory(error);
    }
    if (status == ATTN_OK && report->kind->open != NULL)
        status = report->kind->open(report, error);
    return status == ATTN_OK ? open_writer(report, error) : status;
}

attn_status attn_report_open(const attn_report_request *request, const attn_output_request *output,
                             const attn_report_tools *tools, attn_report **report, attn_error *error)
{
    const attn_report_kind *kind = request->kind != NULL ? request->kind : kinds[0];
    attn_report *opened = attn_calloc_array(1, sizeof *opened);
    attn_status status;
    *report = NULL;
    if (opened == NULL)
        return attn_fail_memory(error);
    *opened = (attn_report){.kind = kind,
                            .request = *request,
                            .output = *output,
                            .model = tools->model,
                            .sink = tools->sink,
                            .pool = tools->pool,
                            .top = request->top.given ? request->top.value
                                   : kind->top != 0   ? kind->top
                                                      : ATTN_TOP_ALL,
                            .schema = {.report = kind->name,
                                       .shape = kind->shape,
                                       .range = kind->range,
                                       .by_head = kind->by_head,
                                       .plane = kind->plane,
                                       .filtered = request->min.given,
                                       .several_texts = tools->several_texts,
                                       .has_at = (kind->takes & ATTN_TAKES_AT) != 0,
                                       .titled = kind->titled}};
    opened->drawn = attn_output_draws(output->format, &opened->schema);
    status = open_parts(opened, error);
    if (status != ATTN_OK)
        attn_report_close(opened);
    else
        *report = opened;
    return status;
}

static void take_context(const attn_text *text, attn_units_request *request)
{
    if (text->context == NULL)
        return;
    request->text = text->context_bytes;
    request->tokens = text->context;
}

static bool has_key_units(const attn_report *report)
{
    return report->kind->shape == ATTN_SHAPE_GRID || (report->kind->takes & ATTN_TAKES_KEYS) != 0;
}

static attn_status make_units(attn_report *report, attn_error *error)
{
    const attn_text *text = report->text;
    const attn_report_request *r = &report->request;
    attn_units_request request = {
        .tokenizer = report->model->tokenizer,
        .text = text->bytes,
        .tokens = text->tokens,
        .by_word = r->by_word,
        .raw = r->raw_tokens,
        .option = "--query",
        .list = &report->queries,
        .filter = &report->query_filter,
        .is_side = report->kind->shape != ATTN_SHAPE_RECORDS,
    };
    if (report->kind->of_keys)
        take_context(text, &request);
    attn_status status = attn_units_make(&request, &report->query_units, error);
    if (status != ATTN_OK || !has_key_units(report))
        return status;
    request.option = "--key";
    request.list = &report->keys;
    request.filter = &report->key_filter;
    request.is_side = report->kind->shape == ATTN_SHAPE_GRID;
    take_context(text, &request);
    return attn_units_make(&request, &report->key_units, error);
}

static size_t heads_of_rows(const attn_report *report)
{
    return report->request.average_heads ? 1 : report->selection.n_heads;
}

attn_status attn_report_begin_rows(attn_report *report, attn_error *error)
{
    attn_writer_text text = {.number = report->text->number,
                             .file = report->text->file,
                             .line = report->text->line,
                             .n_layers = report->selection.n_layers,
                             .n_heads = heads_of_rows(report)};
    if (report->begun)
        return ATTN_OK;
    report->begun = true;
    if (report->kind->shape != ATTN_SHAPE_RECORDS)
        text.queries = attn_units_side(&report->query_units);
    if (report->kind->shape == ATTN_SHAPE_GRID)
        text.keys = attn_units_side(&report->key_units);
    return attn_writer_text_begin(report->writer, &text, error);
}

bool attn_report_shows(const attn_report *report, float value)
{
    return !report->request.min.given || value >= report->request.min.value;
}

attn_status attn_report_record(attn_report *report, const attn_cell *cells, attn_error *error)
{
    attn_status status = attn_report_begin_rows(report, error);
    return status == ATTN_OK ? attn_writer_record(report->writer, cells, error) : status;
}

static attn_status copy_ids(const attn_tokens *tokens, uint32_t **ids, attn_error *error)
{
    *ids = attn_alloc_array(tokens->count, sizeof **ids);
    if (*ids == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < tokens->count; i++)
        (*ids)[i] = tokens->items[i].id;
    return ATTN_OK;
}

/* The vectors of the words that TOKENS have beyond the vocabulary: [n][d_model]. */
static attn_status make_vectors(const attn_model *model, const attn_tokens *tokens, const float **made, size_t *n,
                                attn_error *error)
{
    size_t size;
    *n = tokens->made.count;
    if (*n == 0)
        return ATTN_OK;
    float *rows = attn_multiply(*n, model->d_model, &size) ? attn_alloc_array(size, sizeof *rows) : NULL;
    *made = rows;
    if (rows == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < *n; i++)
        attn_vectors_compose(model->vectors, attn_map_key(&tokens->made.entries[i]), rows + i * model->d_model);
    return ATTN_OK;
}

static void close_input(attn_input *input)
{
    attn_free((void *)(uintptr_t)input->made);
    attn_free((void *)(uintptr_t)input->context_made);
    attn_free((void *)input->ids);
    attn_free((void *)input->context_ids);
}

/* The current text as the pass takes it; close it whatever comes back. */
static attn_status open_input(const attn_report *report, attn_input *input, attn_error *error)
{
    const attn_text *text = report->text;
    uint32_t *ids, *context_ids;
    *input = (attn_input){.n = text->tokens->count, .hidden_keys = text->hidden_keys};
    attn_status status = copy_ids(text->tokens, &ids, error);
    input->ids = ids;
    if (status == ATTN_OK)
        status = make_vectors(report->model, text->tokens, &input->made, &input->n_made, error);
    if (status != ATTN_OK || text->context == NULL)
        return status;
    status = make_vectors(report->model, text->context, &input->context_made, &input->n_context_made, error);
    if (status != ATTN_OK)
        return status;
    status = copy_ids(text->context, &context_ids, error);
    input->context_ids = context_ids;
    input->n_context = text->context->count;
    input->context_hidden = text->context_hidden;
    return status;
}

attn_status attn_report_run(attn_report *report, unsigned wants, attn_order order, const attn_observer *callbacks,
                            attn_error *error)
{
    attn_observer observer = *callbacks;
    attn_input input;
    attn_lens lens = {0};
    if (report->query_units.n_selected == 0)
        return ATTN_OK;
    attn_status status = open_input(report, &input, error);
    input.progress = report->text->progress;
    input.progress_context = report->text->progress_context;
    observer.wants = wants;
    observer.order = order;
    observer.layers = report->selection.layers;
    observer.heads = report->selection.heads;
    observer.max_heads = report->selection.max_heads;
    if (report->query_units.n_selected < report->query_units.n && !report->kind->of_keys)
        observer.queries = report->query_units.token_selected;
    if (status == ATTN_OK && report->request.final_norm)
        status = attn_lens_open(&lens, report, callbacks, &observer, error);
    if (status == ATTN_OK)
        status = attn_forward(report->model, &input, &observer, report->pool, error);
    if (status == ATTN_OK)
        report->counts.masked_rows += input.n_masked_rows;
    attn_lens_close(&lens);
    close_input(&input);
    return status;
}

attn_status attn_report_run_layer(attn_report *report, const attn_hidden *before, const attn_observer *callbacks,
                                  uint64_t *masked_rows, attn_error *error)
{
    attn_observer observer = *callbacks;
    uint8_t *layers = attn_calloc_array(report->model->n_layers, 1);
    attn_input input;
    attn_status status = open_input(report, &input, error);
    if (status == ATTN_OK && layers == NULL)
        status = attn_fail_memory(error);
    if (status == ATTN_OK) {
        layers[before->layer] = 1;
        input.stream = before->values;
        input.start = before->layer;
        observer.layers = layers;
        observer.heads = report->selection.heads;
        observer.max_heads = report->selection.max_heads;
        status = attn_forward(report->model, &input, &observer, report->pool, error);
    }
    *masked_rows = input.n_masked_rows;
    attn_free(layers);
    close_input(&input);
    return status;
}

static attn_status run_text(attn_report *report, attn_error *error)
{
    attn_status status = ATTN_OK;
    if (report->kind->only_self && report->text->context != NULL)
        return attn_fail(error, ATTN_EUSAGE, "--print=%s looks at a text that attends to itself, not to --context",
                         report->kind->name);
    if (report->kind->reads == ATTN_READS_TOKENS)
        status = make_units(report, error);
    if (status == ATTN_OK)
        status = report->kind->text(report, error);
    if (status == ATTN_OK)
        status = attn_report_begin_rows(report, error);
    if (status == ATTN_OK)
        return attn_writer_text_end(report->writer, error);
    if (report->begun) /* what was begun is closed: the next text's rows must not run into it */
        attn_writer_text_end(report->writer, NULL);
    return status;
}

attn_status attn_report_text(attn_report *report, const attn_text *text, attn_error *error)
{
    attn_status status;
    report->text = text;
    report->begun = false;
    status = run_text(report, error);
    attn_units_free(&report->query_units);
    attn_units_free(&report->key_units);
    report->text = NULL;
    return status;
}

attn_status attn_report_flush(attn_report *report, attn_error *error)
{
    return attn_writer_flush(report->writer, error);
}

attn_status attn_report_end(attn_report *report, attn_error *error)
{
    attn_status status = report->kind->end != NULL ? report->kind->end(report, error) : ATTN_OK;
    if (status == ATTN_OK)
        status = attn_writer_end(report->writer, error);
    if (status == ATTN_OK)
        status = attn_token_filter_end(&report->query_filter, error);
    if (status == ATTN_OK)
        status = attn_token_filter_end(&report->key_filter, error);
    return status;
}

attn_report_counts attn_report_counted(const attn_report *report)
{
    attn_report_counts counts = report->counts;
    counts.not_finite = attn_writer_not_finite(report->writer);
    return counts;
}

void attn_report_close(attn_report *report)
{
    if (report == NULL)
        return;
    if (report->state != NULL && report->kind->close != NULL)
        report->kind->close(report);
    attn_free(report->state);
    attn_writer_close(report->writer);
    attn_token_filter_close(&report->query_filter);
    attn_token_filter_close(&report->key_filter);
    attn_units_free(&report->query_units);
    attn_units_free(&report->key_units);
    attn_arena_free(&report->arena);
    attn_free(report);
}
