/* vectors_json.c: word vectors as a JSON object: {"word": [numbers], …}. */
#include "config.h"

#include "base/json.h"
#include "formats/vectors_reader.h"

#include <string.h>

/* Past white space from AT on. */
static size_t skip_space(attn_bytes text, size_t at)
{
    while (at < text.size &&
           (text.data[at] == ' ' || text.data[at] == '\t' || text.data[at] == '\n' || text.data[at] == '\r'))
        at++;
    return at;
}

/* Past the string whose opening quote stands at AT; the text's size if it does not end. */
static size_t skip_string(attn_bytes text, size_t at)
{
    for (at++; at < text.size && text.data[at] != '"'; at++)
        if (text.data[at] == '\\')
            at++;
    return at < text.size ? at + 1 : text.size;
}

/* Past C, which must be what comes next; the text's size if it is not. */
static size_t skip_one(attn_bytes text, size_t at, char c)
{
    at = skip_space(text, at);
    return at < text.size && text.data[at] == (uint8_t)c ? at + 1 : text.size;
}

bool attn_vectors_sniff_json(attn_bytes head)
{
    size_t at = skip_one(head, 0, '{'), value;
    for (;;) {
        at = skip_space(head, at);
        if (at >= head.size || head.data[at] != '"')
            return false;
        value = skip_space(head, skip_one(head, skip_string(head, at), ':'));
        if (value >= head.size)
            return false;
        if (head.data[value] != '"')
            break;
        at = skip_one(head, skip_string(head, value), ','); /* a comment, perhaps */
    }
    if (head.data[value] != '[')
        return false;
    value = skip_space(head, value + 1);
    return value < head.size && (head.data[value] == '-' || (head.data[value] >= '0' && head.data[value] <= '9'));
}

static bool is_comment(attn_json *json, attn_bytes key)
{
    return attn_bytes_are(key, "comment") && attn_json_peek(json) == ATTN_JSON_STRING;
}

/* The first word's vector says how long the others are. */
static bool read_first(vectors_reader *reader, attn_json *json, const char *name)
{
    attn_json_numbers numbers;
    if (!attn_json_matrix(json, name, 1, &numbers))
        return false;
    reader->out->dim = numbers.n_columns;
    float *values = attn_vectors_row(reader, 1);
    if (values != NULL)
        memcpy(values, numbers.values, numbers.n_columns * sizeof *values);
    attn_free(numbers.values);
    return values != NULL;
}

static attn_status read_member(vectors_reader *reader, attn_json *json, attn_bytes key)
{
    char name[64];
    size_t most = reader->text.size / (2 * reader->out->dim + 1) + 1;
    float *values;
    int shown = attn_vectors_shown(key);
    name[0] = '\'';
    memcpy(name + 1, key.data, (size_t)shown);
    memcpy(name + 1 + shown, "'", 2);
    if (reader->out->dim == 0) {
        if (!read_first(reader, json, name))
            return attn_json_status(json) != ATTN_OK ? attn_json_status(json) : ATTN_ENOMEM;
    } else {
        values = attn_vectors_row(reader, most);
        if (values == NULL)
            return ATTN_ENOMEM;
        if (!attn_json_vector(json, name, values, reader->out->dim))
            return attn_json_status(json);
    }
    return attn_vectors_keep(reader, key);
}

attn_status attn_vectors_read_json(vectors_reader *reader)
{
    attn_json *json = attn_json_open(reader->text, reader->file->name, reader->error);
    attn_status status = ATTN_OK;
    attn_bytes key;
    if (json == NULL)
        return ATTN_ENOMEM;
    reader->out->format = "json";
    if (attn_json_object(json))
        while (status == ATTN_OK && attn_json_key(json, &key)) {
            if (is_comment(json, key))
                attn_json_skip(json);
            else
                status = read_member(reader, json, key);
        }
    if (status == ATTN_OK)
        status = attn_json_end(json);
    attn_json_close(json);
    return status;
}
