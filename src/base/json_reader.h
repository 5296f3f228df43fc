/* json_reader.h: the reader's inside, shared by json.c (structure), json_string.c, json_number.c
 * and json_tree.c. Nobody else includes it. */
#ifndef ATTN_BASE_JSON_READER_H
#define ATTN_BASE_JSON_READER_H

#include "base/buffer.h"
#include "base/json.h"
#include "base/map.h"

enum { JSON_FEW_KEYS = 8 };

typedef struct json_frame { /* an open object or array */
    const uint8_t *start;   /* its brace or bracket */
    bool object, begun;     /* begun: it holds something, so a comma comes next */
    size_t n_keys;
    attn_bytes few[JSON_FEW_KEYS]; /* the first keys: most objects have no more */
    attn_map many;                 /* all keys, once there are more than the few */
} json_frame;

struct attn_json {
    const uint8_t *start, *end; /* the text, borrowed, without its byte order mark */
    const uint8_t *at;          /* what is read next */
    const uint8_t *value;       /* where a failure of meaning points: the value last read or next */
    const char *file;           /* borrowed */
    attn_error *error;          /* borrowed */
    attn_status status;
    const uint8_t *line_from; /* the last place looked up, so that places in order cost one pass */
    const uint8_t *line_start;
    uint64_t line;
    attn_buffer string; /* the last string that had escapes */
    attn_arena keys;    /* keys that had escapes: they must outlive their object */
    size_t depth;
    json_frame *frames; /* owned; [depth] are open, room for frame_capacity */
    size_t frame_capacity;
};

static inline bool json_is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline void json_space(attn_json *json)
{
    while (json->at < json->end && json_is_space(*json->at))
        json->at++;
}

/* The failures. Each keeps the first error, and returns false for a return statement. */
/* "expected EXPECTED, found" what is AT. */
bool attn_json_refuse(attn_json *json, const uint8_t *at, const char *expected);
/* The same at a closing bracket (or the end) that a comma stands before. */
bool attn_json_refuse_last_comma(attn_json *json, const char *expected);
bool attn_json_refuse_text(attn_json *json, const uint8_t *at, const char *format, ...) ATTN_PRINTF(3, 4);

/* How much of what stands AT a message shows (a word, a number: at most 40 bytes). */
int attn_json_shown(const attn_json *json, const uint8_t *at);

/* The string at json->at (its opening quote), unescaped: borrowed from the text when it has no
 * escapes, else kept in ARENA, or in json->string when ARENA is NULL. */
bool attn_json_scan_string(attn_json *json, attn_arena *arena, attn_bytes *value);
/* Past the number at json->at, checked but not converted. */
bool attn_json_skip_number(attn_json *json);
/* A number as an exact integer where it is written as one (and fits), and as a double. */
bool attn_json_node_value(attn_json *json, double *value, uint64_t *integer, bool *exact);

#endif
