/* json_number.c: numbers of the JSON reader, and arrays of them straight to float32. */
#include "config.h"

#include "base/decimal.h"
#include "base/decimal_short.h"
#include "base/json_reader.h"

#include <inttypes.h>
#include <string.h>

static bool ends_number(const attn_json *json, const uint8_t *p)
{
    return attn_json_shown(json, p) == 0;
}

/* The number at json->at (white space before it is skipped), and past it. */
static bool scan_number(attn_json *json, attn_decimal *decimal)
{
    if (attn_json_peek(json) != ATTN_JSON_NUMBER)
        return attn_json_refuse(json, json->at, "a number");
    const uint8_t *at = json->at;
    if (!attn_decimal_scan((attn_bytes){.data = at, .size = (size_t)(json->end - at)}, decimal) || !decimal->json ||
        !ends_number(json, at + decimal->used))
        return attn_json_refuse_text(json, at, "'%.*s' is not a number as JSON writes them", attn_json_shown(json, at),
                                     (const char *)at);
    json->at += decimal->used;
    return true;
}

static bool too_large(attn_json *json, const attn_decimal *decimal, const char *type)
{
    const uint8_t *at = decimal->text.data;
    return attn_json_refuse_text(json, at, "%.*s is too large for a %s", attn_json_shown(json, at), (const char *)at,
                                 type);
}

bool attn_json_f32(attn_json *json, float *value)
{
    attn_decimal decimal;
    if (!scan_number(json, &decimal))
        return false;
    return attn_decimal_to_f32(&decimal, value) == ATTN_DECIMAL_OK || too_large(json, &decimal, "float32");
}

bool attn_json_f64(attn_json *json, double *value)
{
    attn_decimal decimal;
    if (!scan_number(json, &decimal))
        return false;
    return attn_decimal_to_f64(&decimal, value) == ATTN_DECIMAL_OK || too_large(json, &decimal, "double");
}

bool attn_json_u64(attn_json *json, uint64_t limit, uint64_t *value)
{
    attn_decimal decimal;
    if (!scan_number(json, &decimal))
        return false;
    const uint8_t *at = decimal.text.data;
    return attn_decimal_u64((attn_bytes){.data = at, .size = decimal.used}, limit, value) ||
           attn_json_refuse_text(json, at, "expected a whole number from 0 to %" PRIu64 ", found %.*s", limit,
                                 attn_json_shown(json, at), (const char *)at);
}

bool attn_json_skip_number(attn_json *json)
{
    attn_decimal decimal;
    return scan_number(json, &decimal);
}

bool attn_json_node_value(attn_json *json, double *value, uint64_t *integer, bool *exact)
{
    attn_decimal decimal;
    if (!scan_number(json, &decimal))
        return false;
    *exact = attn_decimal_u64((attn_bytes){.data = decimal.text.data, .size = decimal.used}, UINT64_MAX, integer);
    return attn_decimal_to_f64(&decimal, value) == ATTN_DECIMAL_OK || too_large(json, &decimal, "double");
}

/* As attn_json_f32, for the many numbers of an array: the common shape inline. */
static inline bool scan_f32(attn_json *json, float *value)
{
    const uint8_t *past = NULL;
    json_space(json);
    if (json->end - json->at > ATTN_DECIMAL_MARGIN)
        past = attn_decimal_short(json->at, value);
    if (past == NULL || (*past != ',' && *past != ']' && !json_is_space(*past)))
        return attn_json_f32(json, value);
    json->at = past;
    return true;
}

typedef struct number_list {
    float *values; /* owned; [count] */
    size_t count, capacity;
} number_list;

/* Room for one more. Every number to come takes two bytes of text, so the array never grows beyond
 * what the text can fill. */
static bool grow_list(attn_json *json, number_list *list)
{
    size_t most = list->count + (size_t)(json->end - json->at) / 2 + 1;
    size_t wanted = list->capacity + list->capacity / 2 + 64;
    if (wanted > most)
        wanted = most;
    float *grown = attn_realloc_array(list->values, wanted, sizeof *grown);
    if (grown == NULL)
        return attn_json_refuse_memory(json);
    list->values = grown;
    list->capacity = wanted;
    return true;
}

/* The numbers from json->at (past the opening bracket) to the closing one, and past it. */
static bool scan_row(attn_json *json, number_list *list)
{
    json_space(json);
    if (json->at < json->end && *json->at == ']') {
        json->at++;
        return true;
    }
    for (;;) {
        if (list->count == list->capacity && !grow_list(json, list))
            return false;
        if (!scan_f32(json, &list->values[list->count]))
            return false;
        list->count++;
        json_space(json);
        if (json->at == json->end || (*json->at != ',' && *json->at != ']'))
            return attn_json_refuse(json, json->at, "',' or ']'");
        if (*json->at++ == ']')
            return true;
        json_space(json);
        if (json->at < json->end && *json->at == ']')
            return attn_json_refuse_last_comma(json, "a number");
    }
}

static bool scan_vector(attn_json *json, number_list *list, attn_json_numbers *numbers)
{
    const uint8_t *at = json->at++;
    if (!scan_row(json, list))
        return false;
    json->value = at;
    if (list->count == 0)
        return attn_json_refuse_text(json, at, "the array is empty");
    numbers->n_rows = 1;
    numbers->n_columns = list->count;
    numbers->rank = 1;
    return true;
}

static bool scan_rows(attn_json *json, number_list *list, attn_json_numbers *numbers)
{
    const uint8_t *start = json->at;
    if (!attn_json_array(json))
        return false;
    while (attn_json_element(json)) {
        size_t before = list->count;
        const uint8_t *at = json->at;
        if (attn_json_peek(json) != ATTN_JSON_ARRAY)
            return attn_json_refuse(json, json->at, "a row of numbers");
        json->at++;
        if (!scan_row(json, list)) {
            attn_error_prefix(json->error, "row %zu: ", numbers->n_rows);
            return false;
        }
        size_t found = list->count - before;
        if (found == 0)
            return attn_json_refuse_text(json, at, "row %zu is empty", numbers->n_rows);
        if (numbers->n_rows > 0 && found != numbers->n_columns)
            return attn_json_refuse_text(json, at, "row %zu has length %zu, the rows before it have length %zu",
                                         numbers->n_rows, found, numbers->n_columns);
        numbers->n_columns = found;
        numbers->n_rows++;
    }
    json->value = start;
    numbers->rank = 2;
    return json->status == ATTN_OK;
}

/* Whether an array of arrays begins at json->at. */
static bool has_rows(const attn_json *json)
{
    const uint8_t *p = json->at + 1;
    while (p < json->end && json_is_space(*p))
        p++;
    return p < json->end && *p == '[';
}

static bool scan_numbers(attn_json *json, size_t rank, number_list *list, attn_json_numbers *numbers)
{
    static const char *const expected[] = {"an array of numbers or of rows of numbers", "an array of numbers",
                                           "an array of rows of numbers"};
    if (attn_json_peek(json) != ATTN_JSON_ARRAY)
        return attn_json_refuse(json, json->at, expected[rank]);
    if (rank == 1 || (rank == 0 && !has_rows(json)))
        return scan_vector(json, list, numbers);
    if (!scan_rows(json, list, numbers))
        return false;
    return numbers->n_rows > 0 || attn_json_refuse_text(json, json->value, "the array is empty");
}

static bool scan_vector_into(attn_json *json, float *values /* [count] */, size_t count)
{
    size_t found = 0;
    if (attn_json_peek(json) != ATTN_JSON_ARRAY)
        return attn_json_refuse(json, json->at, "an array of numbers");
    const uint8_t *start = json->at++;
    json_space(json);
    while (found < count && (found == 0 || json->at[-1] == ',')) {
        if (!scan_f32(json, &values[found]))
            return false;
        found++;
        json_space(json);
        if (json->at == json->end || (*json->at != ',' && *json->at != ']'))
            return attn_json_refuse(json, json->at, "',' or ']'");
        json->at++;
    }
    json->value = start;
    return (found == count && json->at[-1] == ']') ||
           attn_json_refuse_text(json, start, "expected %zu numbers, found %s", count,
                                 found < count ? "fewer" : "more");
}

bool attn_json_vector(attn_json *json, const char *name, float *values, size_t count)
{
    if (json->status != ATTN_OK)
        return false;
    if (scan_vector_into(json, values, count))
        return true;
    if (name != NULL)
        attn_error_prefix(json->error, "%s: ", name);
    return false;
}

bool attn_json_matrix(attn_json *json, const char *name, size_t rank, attn_json_numbers *numbers)
{
    number_list list = {0};
    *numbers = (attn_json_numbers){0};
    if (json->status != ATTN_OK)
        return false;
    if (!scan_numbers(json, rank, &list, numbers)) {
        attn_free(list.values);
        *numbers = (attn_json_numbers){0};
        if (name != NULL)
            attn_error_prefix(json->error, "%s: ", name);
        return false;
    }
    float *fitted = attn_realloc_array(list.values, list.count, sizeof *fitted);
    numbers->values = fitted != NULL ? fitted : list.values; /* smaller is nice, not necessary */
    return true;
}
