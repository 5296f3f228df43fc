/* units.c: see units.h. */
#include "config.h"

#include "report/units.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "output/escape.h"
#include "text/unicode/compose.h"

#include <stdio.h>
#include <string.h>

attn_status attn_token_filter_open(const char *option, const attn_strings *tokens, attn_token_filter *filter,
                                   attn_error *error)
{
    attn_status status = ATTN_OK;
    *filter = (attn_token_filter){.option = option, .tokens = tokens->items, .n = tokens->count};
    if (filter->n == 0)
        return ATTN_OK;
    filter->composed = attn_calloc_array(filter->n, sizeof *filter->composed);
    filter->matched = attn_calloc_array(filter->n, 1);
    filter->sense = attn_calloc_array(filter->n, 1);
    filter->nearest = attn_calloc_array(filter->n, (size_t)ATTN_NEAR_KEPT * ATTN_NEAR_SIZE);
    filter->distance = attn_calloc_array(filter->n, ATTN_NEAR_KEPT * sizeof *filter->distance);
    if (filter->composed == NULL || filter->matched == NULL || filter->sense == NULL || filter->nearest == NULL ||
        filter->distance == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < filter->n && status == ATTN_OK; i++)
        status = attn_compose(attn_bytes_of(filter->tokens[i]), false, &filter->composed[i], error);
    return status;
}

static char *near_at(const attn_token_filter *filter, size_t i, size_t rank)
{
    return filter->nearest + (i * ATTN_NEAR_KEPT + rank) * ATTN_NEAR_SIZE;
}

/* Those that are a slip of the hand away; or else, what there is that is like it. */
static void hint_nearest(const attn_token_filter *filter, size_t i, attn_error *error)
{
    const size_t *distance = filter->distance + i * ATTN_NEAR_KEPT, slip = 1 + strlen(filter->tokens[i]) / 3;
    const bool meant = near_at(filter, i, 0)[0] != '\0' && distance[0] <= slip;
    char list[ATTN_NEAR_KEPT * (ATTN_NEAR_SIZE + 8)] = "";
    size_t n = 0, used = 0;
    while (n < ATTN_NEAR_KEPT && near_at(filter, i, n)[0] != '\0' && (!meant || distance[n] <= slip))
        n++;
    for (size_t rank = 0; rank < n; rank++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'",
                                 rank == 0       ? ""
                                 : rank + 1 == n ? (meant ? " or " : " and ")
                                                 : ", ",
                                 near_at(filter, i, rank));
    if (n > 0 && meant)
        attn_error_hint(error, "did you mean %s?", list);
    else if (n > 0)
        attn_error_hint(error, "the nearest %s %s", n == 1 ? "is" : "are", list);
}

attn_status attn_token_filter_end(const attn_token_filter *filter, attn_error *error)
{
    for (size_t i = 0; i < filter->n; i++) {
        if (filter->matched[i] != 0)
            continue;
        attn_fail(error, ATTN_EDATA, "%s: no token of any text is '%s'", filter->option, filter->tokens[i]);
        hint_nearest(filter, i, error);
        return ATTN_EDATA;
    }
    return ATTN_OK;
}

void attn_token_filter_close(attn_token_filter *filter)
{
    for (size_t i = 0; i < filter->n && filter->composed != NULL; i++)
        attn_normal_free(&filter->composed[i]);
    attn_free(filter->composed);
    attn_free(filter->matched);
    attn_free(filter->sense);
    attn_free(filter->nearest);
    attn_free(filter->distance);
    *filter = (attn_token_filter){0};
}

static attn_bytes without_leading_spaces(attn_bytes label)
{
    while (label.size > 0 && *label.data == ' ') {
        label.data++;
        label.size--;
    }
    return label;
}

static void remember_near(attn_token_filter *filter, size_t i, attn_bytes label)
{
    size_t *distances = filter->distance + i * ATTN_NEAR_KEPT, rank = 0, distance;
    char text[ATTN_NEAR_SIZE];
    if (label.size == 0 || label.size >= sizeof text || memchr(label.data, '\0', label.size) != NULL)
        return;
    memcpy(text, label.data, label.size);
    text[label.size] = '\0';
    distance = attn_edit_distance(filter->tokens[i], text);
    for (size_t k = 0; k < ATTN_NEAR_KEPT; k++)
        if (strcmp(near_at(filter, i, k), text) == 0)
            return;
    while (rank < ATTN_NEAR_KEPT && near_at(filter, i, rank)[0] != '\0' && distances[rank] <= distance)
        rank++;
    if (rank == ATTN_NEAR_KEPT)
        return;
    for (size_t k = ATTN_NEAR_KEPT - 1; k > rank; k--) {
        memcpy(near_at(filter, i, k), near_at(filter, i, k - 1), ATTN_NEAR_SIZE);
        distances[k] = distances[k - 1];
    }
    distances[rank] = distance;
    memcpy(near_at(filter, i, rank), text, label.size + 1);
}

/* TEXT as it was composed. */
static attn_bytes form_of(attn_bytes text, const attn_normal *composed)
{
    return composed->same ? text : attn_buffer_bytes(&composed->text);
}

/* How a filter's text can mean a label: the first of these that any label of a text has is what it means there. */
typedef enum attn_token_sense { MEANS_NOTHING, MEANS_PRINTED, MEANS_ITSELF } attn_token_sense;

typedef struct unit_forms { /* what a unit may be called */
    attn_normal composed;   /* owned */
    attn_buffer tsv, table, spelling;
    attn_bytes label; /* borrowed from the above */
} unit_forms;

static void free_forms(unit_forms *forms)
{
    attn_normal_free(&forms->composed);
    attn_buffer_free(&forms->tsv);
    attn_buffer_free(&forms->table);
    attn_buffer_free(&forms->spelling);
}

static attn_status make_forms(const attn_units_request *request, const attn_units *units, size_t unit,
                              unit_forms *forms, attn_error *error)
{
    const attn_bytes label = attn_units_label(units, unit);
    const attn_status status = attn_compose(label, false, &forms->composed, error);
    if (status != ATTN_OK)
        return status;
    forms->label = form_of(label, &forms->composed);
    attn_escape_tsv(forms->label, &forms->tsv);
    attn_escape_table(forms->label, &forms->table);
    if (!request->by_word)
        attn_tokens_label(request->tokens, request->tokenizer, request->tokens->items[units->first[unit]].id, true,
                          &forms->spelling);
    if (forms->tsv.failed || forms->table.failed || forms->spelling.failed)
        return attn_fail_memory(error);
    return ATTN_OK;
}

static bool is_with_or_without_spaces(attn_bytes form, attn_bytes wanted)
{
    return attn_bytes_equal(form, wanted) || attn_bytes_equal(without_leading_spaces(form), wanted);
}

static attn_token_sense sense_of(const unit_forms *forms, attn_bytes wanted)
{
    if (is_with_or_without_spaces(forms->label, wanted))
        return MEANS_ITSELF;
    if (is_with_or_without_spaces(attn_buffer_bytes(&forms->tsv), wanted) ||
        attn_bytes_equal(attn_buffer_bytes(&forms->table), wanted) ||
        attn_bytes_equal(attn_buffer_bytes(&forms->spelling), wanted))
        return MEANS_PRINTED;
    return MEANS_NOTHING;
}

/* Asks UNIT: first (ANSWER false) what each text of the filter means here, then whether one of them means the unit,
 * which is else no longer selected. */
static attn_status ask_unit(const attn_units_request *request, attn_units *units, size_t unit, bool answer,
                            attn_error *error)
{
    attn_token_filter *filter = request->filter;
    unit_forms forms = {0};
    const attn_status status = make_forms(request, units, unit, &forms, error);
    bool any = false;
    for (size_t i = 0; i < filter->n && status == ATTN_OK; i++) {
        const attn_bytes wanted = form_of(attn_bytes_of(filter->tokens[i]), &filter->composed[i]);
        const attn_token_sense sense = sense_of(&forms, wanted);
        any = any || (sense != MEANS_NOTHING && sense == filter->sense[i]);
        if (sense > filter->sense[i])
            filter->sense[i] = sense;
        if (sense != MEANS_NOTHING)
            filter->matched[i] = 1;
        else if (filter->matched[i] == 0)
            remember_near(filter, i, without_leading_spaces(attn_units_label(units, unit)));
    }
    if (answer && !any)
        units->selected[unit] = 0;
    free_forms(&forms);
    return status;
}

static attn_status ask_filter(const attn_units_request *request, attn_units *units, attn_error *error)
{
    attn_status status = ATTN_OK;
    if (request->filter == NULL || request->filter->n == 0)
        return ATTN_OK;
    memset(request->filter->sense, MEANS_NOTHING, request->filter->n);
    for (size_t i = 0; i < units->n && status == ATTN_OK; i++)
        status = ask_unit(request, units, i, false, error);
    for (size_t i = 0; i < units->n && status == ATTN_OK; i++)
        status = ask_unit(request, units, i, true, error);
    return status;
}

static bool same_word(const attn_token *a, const attn_token *b)
{
    return !a->special && !b->special && a->word == b->word;
}

static attn_status cut_units(const attn_units_request *request, attn_units *units, attn_error *error)
{
    const attn_token *tokens = request->tokens->items;
    size_t n = request->tokens->count;
    units->n_tokens = n;
    units->first = n < UINT32_MAX ? attn_alloc_array(n + 1, sizeof *units->first) : NULL;
    if (units->first == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !request->by_word || !same_word(&tokens[i - 1], &tokens[i]))
            units->first[units->n++] = (uint32_t)i;
    units->first[units->n] = (uint32_t)n;
    return ATTN_OK;
}

void attn_put_readable(attn_bytes text, attn_buffer *out)
{
    for (size_t i = 0, length; i < text.size; i += length) {
        if (attn_utf8_decode(text, i, &length) < 0)
            attn_buffer_format(out, "\\x%02X", text.data[i]);
        else
            attn_buffer_put(out, text.data + i, length);
    }
}

/* The text a word was written as, without the space before it that some vocabularies keep in the
 * token. */
static void put_word(attn_bytes text, size_t start, size_t end, attn_buffer *out)
{
    attn_bytes word = {text.data + start, end - start};
    while (word.size > 0 && (*word.data == ' ' || (*word.data >= '\t' && *word.data <= '\r'))) {
        word.data++;
        word.size--;
    }
    attn_put_readable(word, out);
}

static attn_status make_labels(const attn_units_request *request, attn_units *units, attn_error *error)
{
    units->label_starts = attn_alloc_array(units->n + 1, sizeof *units->label_starts);
    if (units->label_starts == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < units->n; i++) {
        const attn_token *first = &request->tokens->items[units->first[i]];
        const attn_token *last = &request->tokens->items[units->first[i + 1] - 1];
        if (units->label_bytes.size > UINT32_MAX)
            return attn_fail_memory(error);
        units->label_starts[i] = (uint32_t)units->label_bytes.size;
        if (request->by_word && !first->special && first->start < last->end && last->end <= request->text.size)
            put_word(request->text, first->start, last->end, &units->label_bytes);
        else
            attn_tokens_label(request->tokens, request->tokenizer, first->id, request->raw, &units->label_bytes);
    }
    units->label_starts[units->n] = (uint32_t)units->label_bytes.size;
    return units->label_bytes.failed || units->label_bytes.size > UINT32_MAX ? attn_fail_memory(error) : ATTN_OK;
}

attn_bytes attn_units_label(const attn_units *units, size_t unit)
{
    size_t start = units->label_starts[unit], size = units->label_starts[unit + 1] - start;
    if (size == 0)
        return (attn_bytes){NULL, 0};
    return (attn_bytes){(const uint8_t *)units->label_bytes.data + start, size};
}

attn_bytes attn_units_selected_label(const attn_units *units, size_t index)
{
    return attn_units_label(units, units->positions[index]);
}

static attn_status select_units(const attn_units_request *request, attn_units *units, attn_error *error)
{
    const char *what = request->by_word ? "words" : "tokens";
    attn_status status;
    units->selected = attn_alloc_array(units->n, 1);
    units->token_selected = attn_alloc_array(units->n_tokens, 1);
    units->positions = attn_alloc_array(units->n, sizeof *units->positions);
    units->side_labels = request->is_side ? attn_alloc_array(units->n, sizeof *units->side_labels) : NULL;
    if (units->selected == NULL || units->token_selected == NULL || units->positions == NULL ||
        (request->is_side && units->side_labels == NULL))
        return attn_fail_memory(error);
    if (units->n == 0)
        return ATTN_OK;
    status = attn_list_resolve(request->list, request->option, what, units->n, false, units->selected, error);
    if (status != ATTN_OK) /* true of this text only: others may be longer */
        return error != NULL ? (error->status = ATTN_EDATA) : ATTN_EDATA;
    status = ask_filter(request, units, error);
    for (size_t i = 0; i < units->n && status == ATTN_OK; i++) {
        memset(units->token_selected + units->first[i], units->selected[i], units->first[i + 1] - units->first[i]);
        if (units->selected[i] == 0)
            continue;
        if (request->is_side)
            units->side_labels[units->n_selected] = attn_units_label(units, i);
        units->positions[units->n_selected++] = i;
    }
    return status;
}

attn_status attn_units_make(const attn_units_request *request, attn_units *units, attn_error *error)
{
    attn_status status;
    *units = (attn_units){0};
    status = cut_units(request, units, error);
    if (status == ATTN_OK)
        status = make_labels(request, units, error);
    if (status == ATTN_OK)
        status = select_units(request, units, error);
    return status;
}

void attn_units_free(attn_units *units)
{
    attn_free(units->first);
    attn_free(units->label_starts);
    attn_buffer_free(&units->label_bytes);
    attn_free(units->selected);
    attn_free(units->token_selected);
    attn_free(units->positions);
    attn_free(units->side_labels);
    *units = (attn_units){0};
}

attn_side attn_units_side(const attn_units *units)
{
    return (attn_side){
        .n = units->n_selected, .n_all = units->n, .positions = units->positions, .labels = units->side_labels};
}
