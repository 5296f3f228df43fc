/* parts.c: see parts.h. */
#include "config.h"

#include "testing/parts.h"

#include "testing.h"
#include "testing/files.h"

#include <dirent.h>
#include <string.h>

static size_t index_of(attn_part_kind kind)
{
    size_t i = 0;
    while ((1U << i) != (unsigned)kind)
        i++;
    ck_assert_uint_lt(i, PARTS_KINDS);
    return i;
}

static attn_status keep_part(void *context, const attn_part *part, attn_error *error)
{
    parts *p = context;
    ck_assert_uint_lt(part->layer, PARTS_LAYERS);
    part_kept *kept = &p->kept[index_of(part->kind)][part->layer];
    (void)error;
    ck_assert_msg(kept->values == NULL, "part %x of layer %zu is shown twice", (unsigned)part->kind, part->layer);
    *kept = (part_kept){
        .values = malloc((part->n_heads * part->n_rows * part->width + 1) * sizeof *kept->values),
        .n_heads = part->n_heads,
        .n_rows = part->n_rows,
        .width = part->width,
        .order = p->shown++,
    };
    ck_assert_ptr_nonnull(kept->values);
    for (size_t h = 0; h < part->n_heads; h++)
        for (size_t i = 0; i < part->n_rows; i++)
            memcpy(kept->values + (h * part->n_rows + i) * part->width,
                   part->values.data + i * part->values.row_stride + h * part->values.head_stride,
                   part->width * sizeof *kept->values);
    if (part->sigma == NULL)
        return ATTN_OK;
    kept->sigma = malloc((part->n_rows + 1) * sizeof *kept->sigma);
    ck_assert_ptr_nonnull(kept->sigma);
    memcpy(kept->sigma, part->sigma, part->n_rows * sizeof *kept->sigma);
    return ATTN_OK;
}

static attn_status keep_block(void *context, const attn_block *block, attn_error *error)
{
    parts *p = context;
    (void)error;
    ck_assert_uint_eq(block->n_keys, p->n_keys);
    if (p->block_order[block->layer] == 0)
        p->block_order[block->layer] = p->shown;
    p->shown++;
    for (size_t h = 0; h < block->n_heads; h++)
        for (size_t q = 0; q < block->n_queries; q++)
            memcpy(p->rows[block->kind] +
                       ((block->layer * p->max_heads + block->head + h) * p->n + block->query + q) * p->n_keys,
                   block->values + (h * block->n_queries + q) * p->n_keys, p->n_keys * sizeof(float));
    return ATTN_OK;
}

static attn_status keep_hidden(void *context, const attn_hidden *hidden, attn_error *error)
{
    parts *p = context;
    float **to = hidden->after ? &p->after[hidden->layer] : &p->before[hidden->layer];
    size_t size = hidden->n_tokens * hidden->width * sizeof **to;
    (void)error;
    *to = malloc(size + 1);
    ck_assert_ptr_nonnull(*to);
    memcpy(*to, hidden->values, size);
    return ATTN_OK;
}

static attn_status keep_logits(void *context, const attn_logits *logits, attn_error *error)
{
    parts *p = context;
    (void)error;
    memcpy(p->logits + logits->position * logits->n_vocab, logits->values,
           logits->n_positions * logits->n_vocab * sizeof(float));
    return ATTN_OK;
}

/* Up to the first layer that is cut short, whose attention can be had, and nothing behind it. */
static void make_room(parts *p, attn_observer *observer, uint8_t *layers)
{
    const attn_model *model = p->model;
    bool whole = true;
    for (size_t l = 0; l < model->n_layers; l++) {
        if (model->layers[l].rule.n_heads > p->max_heads)
            p->max_heads = model->layers[l].rule.n_heads;
        layers[l] = whole;
        p->n_layers += whole;
        whole = whole && model->layers[l].cut_short == NULL;
    }
    for (size_t kind = 0; kind < ATTN_N_ROWS_KINDS; kind++) {
        p->rows[kind] = calloc(p->n_layers * p->max_heads * p->n * p->n_keys + 1, sizeof(float));
        ck_assert_ptr_nonnull(p->rows[kind]);
    }
    observer->wants =
        ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS | ATTN_WANT_DOT | ATTN_WANT_PRODUCT | ATTN_WANT_CAPPED | ATTN_WANT_BEFORE;
    observer->parts = whole ? PARTS_ALL : PARTS_ALL & ~(ATTN_PART_MIDDLE | ATTN_PART_FED | ATTN_PART_FINAL);
    if (whole)
        observer->wants |= ATTN_WANT_AFTER;
    if (whole && model->head.w.data != NULL) {
        observer->wants |= ATTN_WANT_LOGITS;
        p->logits = calloc(p->n * model->head.w.shape[1], sizeof(float));
        ck_assert_ptr_nonnull(p->logits);
    }
}

void parts_run(parts *p, const attn_model *model, attn_input *input, attn_pool *pool)
{
    uint8_t layers[PARTS_LAYERS] = {0};
    attn_error error = {0};
    *p = (parts){.model = model, .n = input->n, .n_keys = input->context_ids != NULL ? input->n_context : input->n};
    ck_assert_uint_lt(model->n_layers, PARTS_LAYERS);
    attn_observer observer = {
        .context = p,
        .order = ATTN_BY_QUERY,
        .layers = layers,
        .block = keep_block,
        .hidden = keep_hidden,
        .logits = keep_logits,
        .part = keep_part,
    };
    make_room(p, &observer, layers);
    if (attn_forward(model, input, &observer, pool, &error) != ATTN_OK) {
        char text[2048];
        attn_error_text(&error, text, sizeof text);
        ck_abort_msg("%s", text);
    }
}

void parts_free(parts *p)
{
    for (size_t l = 0; l < PARTS_LAYERS; l++) {
        for (size_t kind = 0; kind < PARTS_KINDS; kind++) {
            free(p->kept[kind][l].values);
            free(p->kept[kind][l].sigma);
        }
        free(p->before[l]);
        free(p->after[l]);
    }
    for (size_t kind = 0; kind < ATTN_N_ROWS_KINDS; kind++)
        free(p->rows[kind]);
    free(p->logits);
    memset(p, 0, sizeof *p);
}

bool parts_shown(const parts *p, attn_part_kind kind, size_t layer)
{
    return p->kept[index_of(kind)][layer].values != NULL;
}

const part_kept *parts_of(const parts *p, attn_part_kind kind, size_t layer)
{
    ck_assert_msg(parts_shown(p, kind, layer), "part %x of layer %zu was not shown", (unsigned)kind, layer);
    return &p->kept[index_of(kind)][layer];
}

const float *parts_rows(const parts *p, attn_rows_kind kind, size_t layer, size_t head, size_t query)
{
    return p->rows[kind] + ((layer * p->max_heads + head) * p->n + query) * p->n_keys;
}

float *parts_added(const parts *p, size_t layer)
{
    const attn_rule *rule = &p->model->layers[layer].rule;
    const part_kept *v = parts_of(p, ATTN_PART_VALUE, layer);
    attn_head_outputs outputs;
    attn_error error;
    ck_assert_int_eq(attn_head_outputs_open(p->model, layer, &outputs, &error), ATTN_OK);
    size_t size = v->n_rows * outputs.width;
    float *f = malloc((rule->n_heads * size + 1) * sizeof *f);
    ck_assert_ptr_nonnull(f);
    for (size_t h = 0; h < rule->n_heads; h++) {
        size_t kv = h / (rule->n_heads / rule->n_kv_heads);
        attn_rows_in rows = attn_rows_of(v->values + kv * v->n_rows * v->width, v->n_rows, v->width);
        ck_assert_int_eq(attn_head_output(&outputs, h, rows, f + h * size, outputs.width, NULL, &error), ATTN_OK);
    }
    attn_head_outputs_close(&outputs);
    return f;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

const char *const *parts_folders(const char *root, int *n)
{
    struct dirent **entries;
    *n = root != NULL ? scandir(root, &entries, is_visible, alphasort) : 0;
    if (*n <= 0)
        return NULL;
    char **folders = calloc((size_t)*n, sizeof *folders);
    for (int i = 0; i < *n; i++) {
        size_t size = strlen(root) + strlen(entries[i]->d_name) + 2;
        folders[i] = malloc(size);
        snprintf(folders[i], size, "%s/%s", root, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return (const char *const *)folders;
}

/* The cells of LINE, which is cut up; the columns of the first line say how many. */
static char **cut(char *line, size_t n_columns)
{
    char **cells = calloc(n_columns + 1, sizeof *cells);
    ck_assert_ptr_nonnull(cells);
    for (size_t i = 0; i < n_columns && line != NULL; i++) {
        cells[i] = line;
        line = strchr(line, '\t');
        if (line != NULL)
            *line++ = '\0';
    }
    return cells;
}

void right_open(right_table *table, const char *path)
{
    size_t size;
    *table = (right_table){.text = files_read(path, &size), .n_columns = 1};
    table->rows = calloc(size + 1, sizeof *table->rows);
    ck_assert_ptr_nonnull(table->rows);
    for (char *c = table->text; *c != '\n' && *c != '\0'; c++)
        table->n_columns += *c == '\t';
    for (char *line = table->text, *end; *line != '\0'; line = end) {
        end = strchr(line, '\n');
        ck_assert_ptr_nonnull(end);
        *end++ = '\0';
        char **cells = cut(line, table->n_columns);
        if (table->header == NULL)
            table->header = cells;
        else
            table->rows[table->n_rows++] = cells;
    }
    ck_assert_uint_gt(table->n_rows, 0);
}

const char *right_cell(const right_table *table, size_t row, const char *column)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->header[i], column) == 0)
            return table->rows[row][i];
    ck_abort_msg("there is no column %s", column);
}

double right_number(const right_table *table, size_t row, const char *column)
{
    return strtod(right_cell(table, row, column), NULL);
}

size_t right_index(const right_table *table, size_t row, const char *column)
{
    return (size_t)right_number(table, row, column);
}

void right_close(right_table *table)
{
    for (size_t i = 0; i < table->n_rows; i++)
        free(table->rows[i]);
    free(table->rows);
    free(table->header);
    free(table->text);
}
