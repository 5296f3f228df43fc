/* fuzz_json.c: the JSON reader: skipping, a tree, and numbers, which must agree on what is JSON. */
#include "config.h"

#include "fuzz.h"

#include "base/json.h"

#include <math.h>

static attn_status skim(attn_bytes text, attn_error *error)
{
    attn_json *json = attn_json_open(text, "x.json", error);
    if (json == NULL)
        abort();
    if (attn_json_skip(json))
        attn_json_end(json);
    attn_status status = attn_json_status(json);
    attn_json_close(json);
    return status;
}

static void walk(const attn_json_node *node)
{
    static volatile size_t seen;
    double number;
    seen += attn_json_node_size(node) + (size_t)attn_json_node_line(node);
    if (attn_json_node_key(node) != NULL)
        seen += strlen(attn_json_node_key(node));
    if (attn_json_node_text(node) != NULL)
        seen += strlen(attn_json_node_text(node));
    if (attn_json_node_number(node, &number) && !isfinite(number))
        abort();
    for (const attn_json_node *child = attn_json_node_first(node); child != NULL; child = attn_json_node_next(child))
        walk(child);
    (void)seen;
}

/* Members that are arrays as matrices; anything else skipped. */
static void read_numbers(attn_bytes text)
{
    attn_error error = {0};
    attn_json *json = attn_json_open(text, NULL, &error);
    attn_json_numbers numbers;
    attn_bytes key;
    uint64_t line, column;
    if (json == NULL)
        abort();
    if (attn_json_peek(json) == ATTN_JSON_ARRAY && attn_json_matrix(json, NULL, 0, &numbers))
        attn_free(numbers.values);
    else if (attn_json_object(json))
        while (attn_json_key(json, &key)) {
            attn_json_place(json, &line, &column);
            if (attn_json_peek(json) != ATTN_JSON_ARRAY) {
                attn_json_skip(json);
            } else if (attn_json_matrix(json, "W", key.size % 3, &numbers)) {
                for (size_t i = 0; i < numbers.n_rows * numbers.n_columns; i++)
                    if (!isfinite(numbers.values[i]))
                        abort();
                attn_free(numbers.values);
            }
        }
    attn_json_end(json);
    attn_json_close(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = fuzz_copy(data, size);
    attn_bytes text = {copy, size};
    attn_error error = {0}, tree_error = {0};
    attn_json_node *root;
    fuzz_budget budget;
    attn_status skimmed, grown;
    fuzz_begin(&budget, size, 256);
    skimmed = skim(text, &error);
    grown = attn_json_tree_of(text, "x.json", &root, &tree_error);
    fuzz_end();
    if (grown == ATTN_OK)
        walk(root);
    if ((skimmed != ATTN_OK && grown == ATTN_OK) || skimmed != error.status || grown != tree_error.status)
        abort();
    /* a tree refuses more: U+0000 and doubles that overflow, but never earlier than the fault */
    if (skimmed != ATTN_OK && tree_error.line > error.line)
        abort();
    attn_json_tree_free(root);
    read_numbers(text);
    attn_free(copy);
    return 0;
}
