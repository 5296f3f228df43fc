/* pickle.h: Python's pickles read as data: the numbers, texts, tuples, lists and dictionaries that they build. A pickle
 * is a program; of its operations only those that build values are run, and what it names outside itself (globals,
 * calls, persistent ids) is the caller's to know or refuse. Nothing of Python is ever run. Protocols 2 to 5. */
#ifndef ATTN_FORMATS_PICKLE_H
#define ATTN_FORMATS_PICKLE_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

typedef enum attn_pickle_type {
    ATTN_PICKLE_NONE,
    ATTN_PICKLE_BOOL,    /* integer: 0 or 1 */
    ATTN_PICKLE_INTEGER, /* of 64 bits */
    ATTN_PICKLE_FLOAT,
    ATTN_PICKLE_TEXT, /* UTF-8 as it stands in the file, unchecked; bytes likewise */
    ATTN_PICKLE_BYTES,
    ATTN_PICKLE_TUPLE,
    ATTN_PICKLE_LIST,
    ATTN_PICKLE_DICT,
    ATTN_PICKLE_FOREIGN, /* what a hook made */
    ATTN_PICKLE_MARK     /* never seen by a hook */
} attn_pickle_type;

struct attn_pickle_list;

typedef struct attn_pickle_value {
    uint32_t type; /* attn_pickle_type */
    uint32_t size; /* texts: bytes; tuples: items; foreign values: the hook's own */
    union {
        int64_t integer;
        double number;
        const uint8_t *bytes; /* borrowed from the pickle */
        const struct attn_pickle_value *items;
        struct attn_pickle_list *list; /* of dictionaries too: keys and values by turns */
        const void *foreign;
    } as;
} attn_pickle_value;

/* One after the other of a list's items, of a dictionary's pairs. Begin with {value}. */
typedef struct attn_pickle_walk {
    const struct attn_pickle_list *list;
    const struct attn_pickle_chunk *chunk;
    size_t at; /* in the chunk */
    bool begun;
} attn_pickle_walk;

attn_pickle_walk attn_pickle_begin(const attn_pickle_value *value); /* of anything but a list or dict: empty */
bool attn_pickle_next(attn_pickle_walk *walk, attn_pickle_value *value);
bool attn_pickle_next_pair(attn_pickle_walk *walk, attn_pickle_value *key, attn_pickle_value *value);
bool attn_pickle_is_text(const attn_pickle_value *value, const char *text);
attn_bytes attn_pickle_text(const attn_pickle_value *value); /* of texts and bytes */

/* What the file means by names. Each fills *RESULT or ERROR. */
typedef struct attn_pickle_hooks {
    void *context;
    attn_status (*global)(void *context, attn_bytes module, attn_bytes name, attn_pickle_value *result,
                          attn_error *error);
    attn_status (*persistent)(void *context, const attn_pickle_value *id, attn_pickle_value *result, attn_error *error);
    /* CALLEE is foreign; ARGUMENTS a tuple. A *RESULT of type ATTN_PICKLE_DICT becomes an empty dictionary. */
    attn_status (*call)(void *context, const attn_pickle_value *callee, const attn_pickle_value *arguments,
                        attn_pickle_value *result, attn_error *error);
} attn_pickle_hooks;

/* Runs the pickle BYTES; *RESULT is what it ends with, in ARENA and in BYTES. Costs at most 12 times BYTES and 64 KB:
 * a pickle that builds more is refused, as are operations that call anything but what the hooks give. Messages say
 * the place as a byte of the pickle. */
attn_status attn_pickle_read(attn_bytes bytes, const attn_pickle_hooks *hooks, attn_arena *arena,
                             attn_pickle_value *result, attn_error *error);

#endif
