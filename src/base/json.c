/* json.c: the reader's structure: objects, arrays, places, failures. Strings are read in
 * json_string.c, numbers in json_number.c, trees in json_tree.c. Knows nothing of what the values
 * mean. */
#include "config.h"

#include "base/foreign.h"
#include "base/json_reader.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 40 };

int attn_json_first(attn_bytes text)
{
    attn_bytes rest = attn_bytes_without_bom(text);
    for (size_t i = 0; i < rest.size; i++)
        if (rest.data[i] != ' ' && rest.data[i] != '\t' && rest.data[i] != '\r' && rest.data[i] != '\n')
            return rest.data[i];
    return -1;
}

attn_json *attn_json_open(attn_bytes text, const char *file, attn_error *error)
{
    static const uint8_t nothing[1];
    attn_json *json = attn_alloc(sizeof *json);
    if (json == NULL) {
        attn_fail_memory(error);
        return NULL;
    }
    text = attn_bytes_without_bom(text);
    json->start = text.data != NULL ? text.data : nothing;
    json->end = json->start + text.size;
    json->at = json->value = json->start;
    json->file = file;
    json->error = error;
    json->status = ATTN_OK;
    json->line_from = json->line_start = json->start;
    json->line = 1;
    json->string = (attn_buffer){0};
    json->keys = (attn_arena){0};
    json->depth = 0;
    json->frames = NULL;
    json->frame_capacity = 0;
    json->status = attn_foreign_refuse(text, error);
    if (json->status != ATTN_OK)
        attn_error_line(error, 1, 1);
    if (json->status != ATTN_OK && file != NULL)
        attn_error_file(error, file);
    return json;
}

void attn_json_close(attn_json *json)
{
    if (json == NULL)
        return;
    while (json->depth > 0)
        attn_map_free(&json->frames[--json->depth].many);
    attn_free(json->frames);
    attn_buffer_free(&json->string);
    attn_arena_free(&json->keys);
    attn_free(json);
}

attn_status attn_json_status(const attn_json *json)
{
    return json->status;
}

/* Line and column of AT. Remembers where it was: a caller that asks in order pays for one pass. */
static void place_of(attn_json *json, const uint8_t *at, uint64_t *line, uint64_t *column)
{
    if (at < json->line_from) {
        json->line_from = json->line_start = json->start;
        json->line = 1;
    }
    while (json->line_from < at) {
        const uint8_t *end = memchr(json->line_from, '\n', (size_t)(at - json->line_from));
        if (end == NULL)
            break;
        json->line++;
        json->line_from = json->line_start = end + 1;
    }
    json->line_from = at;
    *line = json->line;
    *column = (uint64_t)(at - json->line_start) + 1;
}

void attn_json_place(attn_json *json, uint64_t *line, uint64_t *column)
{
    json_space(json);
    if (json->depth > 0 && json->frames[json->depth - 1].begun && json->at < json->end && *json->at == ',') {
        const uint8_t *comma = json->at++;
        json_space(json);
        place_of(json, json->at, line, column);
        json->at = comma;
    } else {
        place_of(json, json->at, line, column);
    }
}

static bool failed_at(attn_json *json, attn_status status, const uint8_t *at)
{
    uint64_t line, column;
    place_of(json, at, &line, &column);
    attn_error_line(json->error, line, column);
    attn_error_file(json->error, json->file);
    json->status = status;
    return false;
}

static bool is_word(uint8_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '+' ||
           c == '-' || c == '_';
}

int attn_json_shown(const attn_json *json, const uint8_t *at)
{
    int size = 0;
    while (size < SHOWN && json->end - at > size && is_word(at[size]))
        size++;
    return size;
}

bool attn_json_refuse(attn_json *json, const uint8_t *at, const char *expected)
{
    static const char *const named[] = {"true", "false", "null"};
    int shown = attn_json_shown(json, at);
    if (json->status != ATTN_OK)
        return false;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if ((size_t)shown == strlen(named[i]) && memcmp(at, named[i], (size_t)shown) == 0) {
            attn_fail_found(json->error, expected, "%s", named[i]);
            return failed_at(json, ATTN_EDATA, at);
        }
    if (at >= json->end)
        attn_fail_found(json->error, expected, "the end of the text");
    else if (*at == '"')
        attn_fail_found(json->error, expected, "a string");
    else if (*at == '{')
        attn_fail_found(json->error, expected, "an object");
    else if (*at == '[')
        attn_fail_found(json->error, expected, "an array");
    else if (shown > 0)
        attn_fail_found(json->error, expected, "%.*s", shown, (const char *)at);
    else if (*at > 0x20 && *at < 0x7f)
        attn_fail_found(json->error, expected, "'%c'", *at);
    else
        attn_fail_found(json->error, expected, "byte 0x%02x", *at);
    return failed_at(json, ATTN_EDATA, at);
}

bool attn_json_refuse_last_comma(attn_json *json, const char *expected)
{
    bool closed = json->at < json->end && json->status == ATTN_OK;
    attn_json_refuse(json, json->at, expected);
    if (closed)
        attn_error_hint(json->error, "there is a comma before it that must go");
    return false;
}

static bool refuse_format(attn_json *json, const uint8_t *at, const char *format, va_list args) ATTN_PRINTF(3, 0);

static bool refuse_format(attn_json *json, const uint8_t *at, const char *format, va_list args)
{
    if (json->status != ATTN_OK)
        return false;
    char message[sizeof json->error->message];
    vsnprintf(message, sizeof message, format, args);
    attn_fail(json->error, ATTN_EDATA, "%s", message);
    return failed_at(json, ATTN_EDATA, at);
}

bool attn_json_refuse_text(attn_json *json, const uint8_t *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    refuse_format(json, at, format, args);
    va_end(args);
    return false;
}

bool attn_json_refuse_memory(attn_json *json)
{
    if (json->status == ATTN_OK)
        json->status = attn_fail_memory(json->error);
    return false;
}

attn_status attn_json_fail(attn_json *json, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    refuse_format(json, json->value, format, args);
    va_end(args);
    return json->status;
}

attn_status attn_json_end(attn_json *json)
{
    assert(json->status != ATTN_OK || json->depth == 0);
    json_space(json);
    if (json->status == ATTN_OK && json->at < json->end)
        attn_json_refuse(json, json->at, "nothing after the value");
    return json->status;
}

attn_json_type attn_json_peek(attn_json *json)
{
    if (json->status != ATTN_OK)
        return ATTN_JSON_INVALID;
    json_space(json);
    json->value = json->at;
    if (json->at == json->end)
        return ATTN_JSON_INVALID;
    switch (*json->at) {
    case '{':
        return ATTN_JSON_OBJECT;
    case '[':
        return ATTN_JSON_ARRAY;
    case '"':
        return ATTN_JSON_STRING;
    case 't':
    case 'f':
        return ATTN_JSON_BOOL;
    case 'n':
        return ATTN_JSON_NULL;
    default:
        return *json->at == '-' || (*json->at >= '0' && *json->at <= '9') ? ATTN_JSON_NUMBER : ATTN_JSON_INVALID;
    }
}

/* The next value, which must be of TYPE: json->value points at it. */
static bool expect(attn_json *json, attn_json_type type, const char *name)
{
    attn_json_type found = attn_json_peek(json);
    if (json->status == ATTN_OK && found != type)
        return attn_json_refuse(json, json->at, name);
    return json->status == ATTN_OK;
}

static bool open_frame(attn_json *json, bool object)
{
    if (json->depth == ATTN_JSON_DEPTH)
        return attn_json_refuse_text(json, json->at, "arrays and objects are nested deeper than %d levels",
                                     ATTN_JSON_DEPTH);
    void *frames = json->frames;
    if (!attn_grow(&frames, &json->frame_capacity, json->depth, sizeof *json->frames))
        return attn_json_refuse_memory(json);
    json->frames = frames;
    json_frame *frame = &json->frames[json->depth++];
    frame->start = json->at++;
    frame->object = object;
    frame->begun = false;
    frame->n_keys = 0;
    frame->many = (attn_map){0};
    return true;
}

/* After the closing brace or bracket: failures of meaning now point at the opening one. */
static bool close_frame(attn_json *json)
{
    json_frame *frame = &json->frames[--json->depth];
    json->at++;
    json->value = frame->start;
    attn_map_free(&frame->many);
    return false;
}

bool attn_json_object(attn_json *json)
{
    return expect(json, ATTN_JSON_OBJECT, "an object") && open_frame(json, true);
}

bool attn_json_array(attn_json *json)
{
    return expect(json, ATTN_JSON_ARRAY, "an array") && open_frame(json, false);
}

/* To the next member or element of FRAME, over the comma. False at CLOSE (the frame is closed then)
 * or after a failure. */
static bool advance(attn_json *json, json_frame *frame, uint8_t close, const char *next)
{
    json_space(json);
    if (json->at < json->end && *json->at == close)
        return close_frame(json);
    if (frame->begun) {
        if (json->at == json->end || *json->at != ',')
            return attn_json_refuse(json, json->at, close == '}' ? "',' or '}'" : "',' or ']'");
        json->at++;
        json_space(json);
        if (json->at == json->end || *json->at == close)
            return attn_json_refuse_last_comma(json, next);
    }
    frame->begun = true;
    return true;
}

/* Adds KEY to the keys of FRAME, whose KEY stands AT in the text. */
static bool add_key(attn_json *json, json_frame *frame, attn_bytes key, const uint8_t *at)
{
    attn_map_result added = ATTN_MAP_ADDED;
    if (frame->n_keys < JSON_FEW_KEYS) {
        for (size_t i = 0; i < frame->n_keys; i++)
            if (attn_bytes_equal(frame->few[i], key))
                added = ATTN_MAP_PRESENT;
        frame->few[frame->n_keys++] = key;
    } else {
        for (size_t i = 0; i < JSON_FEW_KEYS && frame->many.count < JSON_FEW_KEYS; i++)
            if (attn_map_add(&frame->many, frame->few[i], i) == ATTN_MAP_NOMEM)
                return attn_json_refuse_memory(json);
        added = attn_map_add(&frame->many, key, frame->n_keys);
    }
    if (added == ATTN_MAP_NOMEM)
        return attn_json_refuse_memory(json);
    if (added == ATTN_MAP_PRESENT)
        return attn_json_refuse_text(json, at, "the key '%.*s' is there twice",
                                     key.size < SHOWN ? (int)key.size : SHOWN, (const char *)key.data);
    return true;
}

bool attn_json_key(attn_json *json, attn_bytes *key)
{
    if (json->status != ATTN_OK)
        return false;
    assert(json->depth > 0 && json->frames[json->depth - 1].object);
    json_frame *frame = &json->frames[json->depth - 1];
    if (!advance(json, frame, '}', "a key"))
        return false;
    const uint8_t *at = json->value = json->at;
    if (at == json->end || *at != '"')
        return attn_json_refuse(json, at, "a key in double quotes");
    if (!attn_json_scan_string(json, &json->keys, key) || !add_key(json, frame, *key, at))
        return false;
    json_space(json);
    if (json->at == json->end || *json->at != ':')
        return attn_json_refuse(json, json->at, "':' after the key");
    json->at++;
    json_space(json);
    json->value = json->at;
    return true;
}

bool attn_json_element(attn_json *json)
{
    if (json->status != ATTN_OK)
        return false;
    assert(json->depth > 0 && !json->frames[json->depth - 1].object);
    if (!advance(json, &json->frames[json->depth - 1], ']', "a value"))
        return false;
    json->value = json->at;
    return true;
}

bool attn_json_string(attn_json *json, attn_bytes *value)
{
    return expect(json, ATTN_JSON_STRING, "a string") && attn_json_scan_string(json, NULL, value);
}

/* The word at json->at, which must be one of true, false, null. */
static bool take_word(attn_json *json, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)attn_json_shown(json, json->at) != size || memcmp(json->at, word, size) != 0)
        return attn_json_refuse(json, json->at, "a JSON value");
    json->at += size;
    return true;
}

bool attn_json_bool(attn_json *json, bool *value)
{
    if (!expect(json, ATTN_JSON_BOOL, "true or false"))
        return false;
    *value = *json->at == 't';
    return take_word(json, *value ? "true" : "false");
}

bool attn_json_null(attn_json *json)
{
    return expect(json, ATTN_JSON_NULL, "null") && take_word(json, "null");
}

bool attn_json_skip(attn_json *json)
{
    attn_bytes text;
    bool boolean;
    switch (attn_json_peek(json)) {
    case ATTN_JSON_OBJECT:
        if (attn_json_object(json))
            while (attn_json_key(json, &text))
                attn_json_skip(json);
        break;
    case ATTN_JSON_ARRAY:
        if (attn_json_array(json))
            while (attn_json_element(json))
                attn_json_skip(json);
        break;
    case ATTN_JSON_STRING:
        attn_json_string(json, &text);
        break;
    case ATTN_JSON_NUMBER:
        attn_json_skip_number(json);
        break;
    case ATTN_JSON_BOOL:
        attn_json_bool(json, &boolean);
        break;
    case ATTN_JSON_NULL:
        attn_json_null(json);
        break;
    case ATTN_JSON_INVALID:
        attn_json_refuse(json, json->at, "a JSON value");
        break;
    }
    return json->status == ATTN_OK;
}
