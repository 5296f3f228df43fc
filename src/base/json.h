/* json.h: the one strict JSON scanner (RFC 8259).
 *
 * A pull reader: the caller asks for the value it expects, the scanner refuses anything else with
 * line and column. Numbers stream straight to float32 (attn_json_matrix), vocabularies stream key
 * by key, and what is left (a config) becomes a small tree of nodes. Refused: trailing text,
 * duplicate keys, `01`, `1.`, NaN, Infinity, raw control characters, ill-formed UTF-8, lone
 * surrogates, nesting deeper than ATTN_JSON_DEPTH, numbers that overflow what they are read as. A
 * leading UTF-8 BOM is skipped.
 *
 * Every function that fails leaves the reader failed: later calls fail too and keep the first
 * error. The text must outlive the reader. Strings handed out are borrowed: valid until the next
 * call that reads a string, unless the header says otherwise. */
#ifndef ATTN_BASE_JSON_H
#define ATTN_BASE_JSON_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

enum { ATTN_JSON_DEPTH = 64 };

typedef enum attn_json_type {
    ATTN_JSON_INVALID, /* the reader has failed, or there is no value here */
    ATTN_JSON_OBJECT,
    ATTN_JSON_ARRAY,
    ATTN_JSON_STRING,
    ATTN_JSON_NUMBER,
    ATTN_JSON_BOOL,
    ATTN_JSON_NULL
} attn_json_type;

typedef struct attn_json attn_json; /* opaque */

/* The first byte of TEXT that is neither white space nor the byte order mark: '{' or '[' in most JSON; −1: none. */
int attn_json_first(attn_bytes text);
/* A reader over TEXT; FILE (borrowed) names it in messages; ERROR (borrowed) takes the first
 * failure. NULL: out of memory (ERROR filled). attn_json_close frees it. */
attn_json *attn_json_open(attn_bytes text, const char *file, attn_error *error);
void attn_json_close(attn_json *json);

/* ATTN_OK while nothing failed. */
attn_status attn_json_status(const attn_json *json);
/* After the outermost value: refuse trailing text. */
attn_status attn_json_end(attn_json *json);

/* The type of the next value, without reading it. */
attn_json_type attn_json_peek(attn_json *json);
/* Line and column (from 1) of the next value or key; for errors of meaning. */
void attn_json_place(attn_json *json, uint64_t *line, uint64_t *column);
/* Fail at the place of the value last read (or about to be read): "FILE:LINE:COL: message". */
attn_status attn_json_fail(attn_json *json, const char *format, ...) ATTN_PRINTF(2, 3);
/* Fail because the caller has no memory for what was read: ATTN_ENOMEM. False. */
bool attn_json_refuse_memory(attn_json *json);

/* Objects and arrays are walked so, each member or element read or skipped:
 *
 *     if (attn_json_object(json))
 *         while (attn_json_key(json, &key))
 *             attn_json_skip(json);
 *
 * attn_json_key and attn_json_element return false at the closing bracket or after a failure. A key
 * is unescaped and stays valid while its object is open. Duplicate keys are refused. */
bool attn_json_object(attn_json *json);
bool attn_json_key(attn_json *json, attn_bytes *key);
bool attn_json_array(attn_json *json);
bool attn_json_element(attn_json *json);

/* Values. Each returns false after filling the error when the next value is something else. */
bool attn_json_string(attn_json *json, attn_bytes *value); /* may hold NUL bytes (from \u0000) */
bool attn_json_f32(attn_json *json, float *value);
bool attn_json_f64(attn_json *json, double *value);
bool attn_json_u64(attn_json *json, uint64_t limit, uint64_t *value); /* not 1.5, 1e3, > LIMIT */
bool attn_json_bool(attn_json *json, bool *value);
bool attn_json_null(attn_json *json);
bool attn_json_skip(attn_json *json); /* any value, checked as strictly */

/* An array of numbers, or of rows of numbers, straight to float32. NAME is used in messages
 * ("W_Q"). Refused: ragged or empty rows, anything not a number. *VALUES is owned by the caller
 * (attn_free). rank 1: n_rows == 1. RANK is what the caller accepts: 1, 2, or 0 for either. */
typedef struct attn_json_numbers {
    float *values; /* owned; [n_rows][n_columns] */
    size_t n_rows, n_columns, rank;
} attn_json_numbers;
bool attn_json_matrix(attn_json *json, const char *name, size_t rank, attn_json_numbers *numbers);

/* An array of exactly COUNT numbers into VALUES[count], the caller's. */
bool attn_json_vector(attn_json *json, const char *name, float *values, size_t count);

/* The rest: any value as a tree (cJSON inside). Nodes are borrowed from the tree;
 * attn_json_tree_free frees it. Numbers are doubles. Line numbers are kept for messages. */
typedef struct attn_json_node attn_json_node;
/* The next value, owned by the caller; NULL: failed. */
attn_json_node *attn_json_tree(attn_json *json);
/* A whole file's text as a tree. */
attn_status attn_json_tree_of(attn_bytes text, const char *file, attn_json_node **root, attn_error *error);
void attn_json_tree_free(attn_json_node *root);

attn_json_type attn_json_node_type(const attn_json_node *node); /* NULL: ATTN_JSON_INVALID */
size_t attn_json_node_size(const attn_json_node *node);         /* members or elements */
/* The member KEY of OBJECT; NULL: none, or no object. */
const attn_json_node *attn_json_node_member(const attn_json_node *object, const char *key);
/* Walk members or elements: first child, then next sibling; NULL at the end. */
const attn_json_node *attn_json_node_first(const attn_json_node *node);
const attn_json_node *attn_json_node_next(const attn_json_node *node);
const char *attn_json_node_key(const attn_json_node *node); /* a member's key, NUL-terminated */
/* A string's value; NULL: no string. An inner NUL is refused when the tree is built. */
const char *attn_json_node_text(const attn_json_node *node);
bool attn_json_node_number(const attn_json_node *node, double *value);
bool attn_json_node_u64(const attn_json_node *node, uint64_t limit, uint64_t *value);
bool attn_json_node_bool(const attn_json_node *node, bool *value);
uint64_t attn_json_node_line(const attn_json_node *node);

#endif
