/* explained_steps.c: see explained.h. What was kept of a layer as tables of steps. A step stands on a page only where
 * it changes something; as data the plain ones always do. */
#include "config.h"

#include "report/explained.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns of a query's table. */
enum { DOT, SCALED, CAPPED, BIAS, SCORE, TEMPERED, EXP, WEIGHT, LENGTH, WEIGHTED, N_NUMBERS = ATTN_N_EXPLAINED };
/* Which of their numbers there are: of pairs that the rule does not leave out, that the mask shows, of these the ones
 * on a page, and those with the sink. */
enum { MET, SEEN, ON_PAGE, WITH_SINK };

enum { MOST_IN_TITLE = 1000000 /* a larger number is not said in a title */ };

static attn_step number_step(const char *name, const char *title, const float *values)
{
    return (attn_step){
        .name = name, .title = title, .short_title = title, .width = 1, .values = values, .total = (double)NAN};
}

/* ---- a query's table ---- */

static float *column_of(const attn_explained *e, size_t column)
{
    return e->numbers + column * (e->n_keys + 1);
}

static uint8_t *marks_of(const attn_explained *e, size_t mark)
{
    return e->mine + mark * (e->n_keys + 1);
}

static bool is_biased(const attn_explained *e)
{
    const attn_rule *rule = &e->layer->rule;
    const attn_mask *mask = &e->layer->mask;
    bool matrices = mask->n_matrices > 0 && !(e->report->text->context != NULL && !e->layer->mask_given);
    return rule->slopes != NULL || rule->relative.values != NULL || matrices;
}

/* The numbers of the chosen keys, and which of them there are. */
static void take_numbers(attn_explained *e, const attn_explained_query *query, size_t n)
{
    const float *before =
        query->rows[ATTN_ROWS_CAPPED] != NULL ? query->rows[ATTN_ROWS_CAPPED] : query->rows[ATTN_ROWS_PRODUCT];
    for (size_t i = 0; i < n; i++) {
        size_t key = e->order[i];
        float score = query->rows[ATTN_ROWS_SCORES][key];
        column_of(e, DOT)[i] = query->rows[ATTN_ROWS_DOT][key];
        column_of(e, SCALED)[i] = query->rows[ATTN_ROWS_PRODUCT][key];
        column_of(e, CAPPED)[i] = before[key];
        column_of(e, BIAS)[i] = score - before[key];
        column_of(e, SCORE)[i] = score;
        column_of(e, TEMPERED)[i] = (float)((double)score / (double)e->layer->rule.temperature);
        column_of(e, WEIGHT)[i] = query->rows[ATTN_ROWS_WEIGHTS][key];
        marks_of(e, SEEN)[i] = query->visible[key];
        marks_of(e, MET)[i] = (uint8_t)(query->rows[ATTN_ROWS_DOT][key] != -INFINITY);
        marks_of(e, WITH_SINK)[i] = query->visible[key];
        marks_of(e, ON_PAGE)[i] = 0;
    }
}

typedef struct exponents {                /* of one query, over all keys it sees */
    double largest, sum, weights, scores; /* of s/T, of the exponentials, of the weights and the scores */
    size_t n_seen;
} exponents;

static exponents sum_up(const attn_explained *e, const attn_explained_query *query)
{
    const attn_rule *rule = &e->layer->rule;
    const float *scores = query->rows[ATTN_ROWS_SCORES];
    double temperature = (double)rule->temperature;
    double sink = rule->sinks != NULL ? (double)rule->sinks[query->head] / temperature : (double)-INFINITY;
    exponents x = {.largest = sink};
    for (size_t key = 0; key < e->n_keys; key++)
        if (query->visible[key] != 0 && (double)scores[key] / temperature > x.largest)
            x.largest = (double)scores[key] / temperature;
    x.sum = rule->sinks != NULL ? exp(sink - x.largest) : 0;
    for (size_t key = 0; key < e->n_keys; key++) {
        if (query->visible[key] == 0)
            continue;
        x.sum += exp((double)scores[key] / temperature - x.largest);
        x.weights += (double)query->rows[ATTN_ROWS_WEIGHTS][key];
        x.scores += (double)scores[key];
        x.n_seen++;
    }
    return x;
}

/* Without the number. */
static const char *exp_title(const attn_rule *rule)
{
    return rule->temperature != 1 ? "e^(t−max)" : "e^(s−max)";
}

/* The exponentials, and behind the keys that of the sink, which has no other number. *N grows by it. */
static void take_exponents(attn_explained *e, const attn_explained_query *query, const exponents *x, size_t *n)
{
    const attn_rule *rule = &e->layer->rule;
    for (size_t i = 0; i < *n; i++)
        column_of(e, EXP)[i] = (float)exp((double)column_of(e, SCORE)[i] / (double)rule->temperature - x->largest);
    const double largest = isfinite(x->largest) ? x->largest : 0; /* of what nobody sees there is none */
    const bool tempered = rule->temperature != 1, below = largest < 0;
    attn_put_step_title(e->titles.exponent,
                        tempered ? (below ? "e^(t + " : "e^(t − ") : (below ? "e^(s + " : "e^(s − "), fabs(largest),
                        ")");
    if (fabs(largest) > MOST_IN_TITLE)
        snprintf(e->titles.exponent, ATTN_TITLE_ROOM, "%s", exp_title(rule));
    if (rule->sinks == NULL)
        return;
    for (size_t mark = 0; mark < ATTN_N_MARKS; mark++)
        marks_of(e, mark)[*n] = mark == WITH_SINK;
    for (size_t column = 0; column < N_NUMBERS; column++)
        column_of(e, column)[*n] = 0;
    column_of(e, EXP)[*n] = (float)exp((double)rule->sinks[query->head] / (double)rule->temperature - x->largest);
    e->positions[*n] = ATTN_NO_POSITION;
    e->labels[*n] = attn_bytes_of("(sink)");
    ++*n;
}

/* Which rows a page shows: all where they are few; else those seen, in their order or the heaviest first. */
static void choose_shown(attn_explained *e, const exponents *x, size_t n, attn_step_rows *rows)
{
    size_t n_keys = e->layer->rule.sinks != NULL ? n - 1 : n, seen = 0;
    for (size_t i = 0; i < n_keys; i++)
        seen += marks_of(e, SEEN)[i];
    rows->n_more = x->n_seen - seen;
    if (e->report->top != ATTN_TOP_ALL) { /* they are chosen already */
        rows->n_masked = e->n_keys - x->n_seen;
        return;
    }
    if (n_keys <= e->limit)
        return;
    rows->shown = e->shown;
    rows->n_masked = n_keys - seen;
    e->top.capacity = seen <= e->limit ? seen : e->limit < e->n_keys ? e->limit : e->n_keys;
    attn_top_clear(&e->top);
    for (size_t i = 0; i < n_keys; i++)
        if (marks_of(e, SEEN)[i] != 0)
            attn_top_offer(&e->top, i, column_of(e, WEIGHT)[i]);
    attn_top_sort(&e->top);
    for (size_t i = 0; i < n_keys && seen <= e->limit; i++)
        if (marks_of(e, SEEN)[i] != 0)
            e->shown[rows->n_shown++] = i;
    for (size_t i = 0; i < e->top.n && seen > e->limit; i++)
        e->shown[rows->n_shown++] = e->top.indices[i];
    rows->n_more += seen - rows->n_shown;
    if (n > n_keys)
        e->shown[rows->n_shown++] = n_keys;
}

/* k, v and |f| of the rows on the page. */
static attn_status take_vectors(attn_explained *e, size_t head, const attn_step_rows *rows, attn_error *error)
{
    const attn_rule *rule = &e->layer->rule;
    const attn_kept *k = attn_explained_kept(e, ATTN_PART_KEY), *v = attn_explained_kept(e, ATTN_PART_VALUE);
    size_t shared = head / (rule->n_heads / rule->n_kv_heads), n = rows->shown != NULL ? rows->n_shown : rows->n;
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < n && status == ATTN_OK; i++) {
        size_t row = rows->shown != NULL ? rows->shown[i] : i, key = e->positions[row];
        float *value = e->values + row * rule->value_dim;
        double square = 0;
        if (key == ATTN_NO_POSITION)
            continue;
        memcpy(e->keys + row * rule->head_dim, attn_kept_row(k, shared, key), rule->head_dim * sizeof *e->keys);
        memcpy(value, attn_kept_row(v, shared, key), rule->value_dim * sizeof *value);
        status = attn_head_output(&e->outputs, head, attn_rows_of(value, 1, rule->value_dim), e->added,
                                  e->outputs.width, e->report->pool, error);
        for (size_t d = 0; d < e->outputs.width && status == ATTN_OK; d++)
            square += (double)e->added[d] * (double)e->added[d];
        column_of(e, LENGTH)[row] = (float)sqrt(square);
        column_of(e, WEIGHTED)[row] = (float)((double)column_of(e, WEIGHT)[row] * sqrt(square));
        marks_of(e, ON_PAGE)[row] = marks_of(e, SEEN)[row];
    }
    return status;
}

static const char *const f_titles[ATTN_N_SCORES] = {
    [ATTN_SCORE_SCALED] = "q·k",         [ATTN_SCORE_DOT] = "q·k",
    [ATTN_SCORE_COSINE] = "cosine",      [ATTN_SCORE_ADDITIVE] = "v_A·tanh(q + k)",
    [ATTN_SCORE_GAUSSIAN] = "−|q − k|²", [ATTN_SCORE_GRAVITY] = "1/|q − k|²",
};

static void add_step(const attn_explained *e, attn_step *columns, size_t *n, const char *name, const char *title,
                     size_t column, size_t mark)
{
    columns[*n] = number_step(name, title, column_of(e, column));
    columns[(*n)++].present = marks_of(e, mark);
}

/* From f to the score. */
static void add_scores(const attn_explained *e, const attn_explained_query *query, const exponents *x,
                       attn_step *columns, size_t *n)
{
    const attn_rule *rule = &e->layer->rule;
    bool product = rule->score == ATTN_SCORE_SCALED || rule->score == ATTN_SCORE_DOT;
    bool scaled = attn_rule_scale(rule) != 1, biased = is_biased(e);
    add_step(e, columns, n, "dot", f_titles[rule->score], DOT, MET);
    if (product) {
        columns[*n - 1].n_products = rule->head_dim;
        columns[*n - 1].left = attn_kept_row(attn_explained_kept(e, ATTN_PART_QUERY), query->head,
                                             e->report->query_units.positions[query->index]);
        columns[*n - 1].right = e->keys;
        columns[*n - 1].right_stride = rule->head_dim;
    }
    add_step(e, columns, n, "scaled", scaled ? e->titles.scale : NULL, SCALED, MET);
    if (rule->softcap > 0)
        add_step(e, columns, n, "capped", e->titles.cap, CAPPED, MET);
    if (biased)
        add_step(e, columns, n, "bias", "bias", BIAS, SEEN);
    add_step(e, columns, n, "score", biased ? "s" : NULL, SCORE, SEEN);
    if (!attn_score_of(rule->score)->softmax) /* what the scores are divided by, under the last one on the page */
        columns[biased ? *n - 1 : scaled ? 1 : 0].total = x->scores;
}

/* From the score to the weighted values. */
static void add_weights(const attn_explained *e, const exponents *x, attn_step *columns, size_t *n)
{
    const attn_rule *rule = &e->layer->rule;
    bool through = e->outputs.w.data != NULL || e->layer->head_mix != NULL;
    if (attn_score_of(rule->score)->softmax) {
        if (rule->temperature != 1)
            add_step(e, columns, n, "tempered", e->titles.temperature, TEMPERED, SEEN);
        add_step(e, columns, n, "exp", e->titles.exponent, EXP, WITH_SINK);
        columns[*n - 1].short_title = exp_title(rule);
        columns[*n - 1].total = x->sum;
    }
    add_step(e, columns, n, "weight", "weight", WEIGHT, SEEN);
    columns[*n - 1].total = x->weights;
    columns[*n - 1].shares = true;
    columns[*n] = attn_vector_step(NULL, "v", NULL, e->values, rule->value_dim);
    columns[(*n)++].present = marks_of(e, ON_PAGE);
    add_step(e, columns, n, NULL, NULL, LENGTH, ON_PAGE);
    columns[*n - 1].short_title = through ? "|f|" : "|v|";
    add_step(e, columns, n, NULL, NULL, WEIGHTED, ON_PAGE);
    columns[*n - 1].short_title = through ? "weight·|f|" : "weight·|v|";
}

/* ---- what comes of it ---- */

enum { MOST_COLUMNS = 16, MOST_RESULTS = 8 };

/* What the head makes of query POSITION; FACTOR and SUMMED: its weights and values. */
static attn_status add_head_results(attn_explained *e, size_t head, size_t position, const attn_step *factor,
                                    const attn_step *summed, attn_step *results, size_t *n, attn_error *error)
{
    const attn_kept *z = attn_explained_kept(e, ATTN_PART_HEADS);
    const float *row = attn_kept_row(z, head, position);
    results[*n] = attn_vector_step("mix", "Σ weight·v", NULL, row, z->width);
    results[*n].factor = factor;
    results[(*n)++].summed = summed;
    if (e->outputs.w.data == NULL && e->layer->head_mix == NULL)
        return ATTN_OK;
    attn_status status = attn_head_output(&e->outputs, head, attn_rows_of(row, 1, z->width), e->added, e->outputs.width,
                                          e->report->pool, error);
    results[(*n)++] = attn_vector_step("head", e->titles.head, e->titles.head, e->added, e->outputs.width);
    return status;
}

static void add_result(attn_step *results, size_t *n, const attn_kept *kept, size_t position, const char *name,
                       const char *title, const char *short_title)
{
    if (kept->values == NULL)
        return;
    results[*n] = attn_vector_step(name, title, short_title, attn_kept_row(kept, 0, position), kept->width);
    results[(*n)++].of_layer = true;
}

/* What the layer makes of its heads for query POSITION. BRANCH[width] is for the branch's norm. */
static void add_layer_results(const attn_explained *e, size_t position, float *branch, attn_step *results, size_t *n)
{
    const attn_layer *layer = e->layer;
    const attn_kept *attended = attn_explained_kept(e, ATTN_PART_ATTENDED);
    bool after = layer->attention_after.kind != ATTN_NORM_NONE,
         behind = attn_explained_kept(e, ATTN_PART_FED)->values != NULL;
    bool post = layer->attention_post_residual.kind != ATTN_NORM_NONE;
    bool several = layer->rule.n_heads > 1 && (layer->residual || behind || post || after);
    const char *together = several ? "all heads" : layer->o.bias != NULL ? "with b_O" : NULL;
    add_result(results, n, attended, position, "attended", together, together);
    if (after) {
        attn_norm_run(&layer->attention_after, attn_rows_of(attn_kept_row(attended, 0, position), 1, attended->width),
                      branch, attended->width, NULL);
        results[*n] = attn_vector_step("branch", "normed", "normed", branch, attended->width);
        results[(*n)++].of_layer = true;
    }
    if (layer->residual || post)
        add_result(results, n, attn_explained_kept(e, ATTN_PART_MIDDLE), position, "mid",
                   post     ? "with x, normed"
                   : behind ? "with x"
                            : NULL,
                   post ? "with x, normed" : NULL);
    add_result(results, n, attn_explained_kept(e, ATTN_PART_FED), position, "fed", "feed-forward", "feed-forward");
    if (e->out.values == NULL)
        return;
    bool moves = e->out.width == e->x_width;
    add_result(results, n, &e->out, position, "out", moves ? "moves" : "x becomes", moves ? "|x|" : "x becomes");
    results[*n - 1].from = moves ? e->x + position * e->x_width : NULL;
}

static size_t make_heading(const attn_explained *e, size_t head, size_t position, attn_step *heading)
{
    const attn_kept *q = attn_explained_kept(e, ATTN_PART_QUERY), *normed = attn_explained_kept(e, ATTN_PART_NORMED);
    size_t n = 0;
    heading[n++] = attn_vector_step(NULL, "x", "|x|", e->x + position * e->x_width, e->x_width);
    if (e->layer->attention_before.kind != ATTN_NORM_NONE)
        heading[n++] = attn_vector_step(NULL, "normed", "normed", attn_kept_row(normed, 0, position), normed->width);
    if (head != ATTN_HEAD_NONE)
        heading[n++] = attn_vector_step(NULL, "q", "|q|", attn_kept_row(q, head, position), q->width);
    return n;
}

static attn_step_table table_of(const attn_explained *e, size_t head, size_t index)
{
    return (attn_step_table){.layer = e->index,
                             .head = head,
                             .query = e->report->query_units.positions[index],
                             .query_label = attn_units_selected_label(&e->report->query_units, index)};
}

attn_status attn_explained_steps(attn_explained *e, const attn_explained_query *query, attn_error *error)
{
    attn_step columns[MOST_COLUMNS], heading[3], results[MOST_RESULTS];
    attn_step_table table = table_of(e, query->head, query->index);
    size_t n = attn_explained_choose(e, query);
    const exponents x = sum_up(e, query);
    attn_arena arena = {0};
    float *branch = attn_arena_alloc(&arena, e->outputs.width, sizeof *branch);
    take_numbers(e, query, n);
    for (size_t i = 0; i < n; i++) {
        e->positions[i] = e->order[i];
        e->labels[i] = attn_units_label(&e->report->key_units, e->order[i]);
    }
    if (attn_score_of(e->layer->rule.score)->softmax)
        take_exponents(e, query, &x, &n);
    table.rows = (attn_step_rows){.keys = true, .n = n, .positions = e->positions, .labels = e->labels};
    choose_shown(e, &x, n, &table.rows);
    attn_status status = branch != NULL ? take_vectors(e, query->head, &table.rows, error) : attn_fail_memory(error);
    add_scores(e, query, &x, columns, &table.n_columns);
    add_weights(e, &x, columns, &table.n_columns);
    const attn_step *last = columns + table.n_columns; /* weight, v, and two of lengths */
    if (status == ATTN_OK)
        status = add_head_results(e, query->head, table.query, last - 4, last - 3, results, &table.n_results, error);
    if (status == ATTN_OK && e->n_selected == 1)
        add_layer_results(e, table.query, branch, results, &table.n_results);
    table.n_heading = make_heading(e, query->head, table.query, heading);
    table.columns = columns;
    table.heading = heading;
    table.results = results;
    if (status == ATTN_OK)
        status = attn_writer_steps(e->report->writer, &table, error);
    attn_arena_free(&arena);
    return status;
}

attn_status attn_explained_layer(attn_explained *e, attn_error *error)
{
    attn_step heading[3], results[MOST_RESULTS];
    attn_status status = attn_explained_section(e, ATTN_HEAD_NONE, error);
    for (size_t i = 0; i < e->report->query_units.n_selected && status == ATTN_OK; i++) {
        attn_step_table table = table_of(e, ATTN_HEAD_NONE, i);
        table.n_heading = make_heading(e, ATTN_HEAD_NONE, table.query, heading);
        add_layer_results(e, table.query, e->added, results, &table.n_results);
        table.heading = heading;
        table.results = results;
        status = attn_writer_steps(e->report->writer, &table, error);
    }
    return status;
}
