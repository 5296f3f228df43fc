/* trees.c: see trees.h. */
#include "config.h"

#include "testing/trees.h"

#include "testing.h"

#include "testing/files.h"

attn_json_node *trees_read(const char *path)
{
    size_t size;
    char *text = files_read(path, &size);
    attn_json_node *root = NULL;
    attn_error error = {0};
    attn_status status = attn_json_tree_of((attn_bytes){(const uint8_t *)text, size}, path, &root, &error);
    ck_assert_msg(status == ATTN_OK, "%s:%lu: %s", path, (unsigned long)error.line, error.message);
    free(text);
    return root;
}

size_t trees_whole(const attn_json_node *node, const char *key)
{
    uint64_t value = 0;
    ck_assert_msg(attn_json_node_u64(attn_json_node_member(node, key), 1 << 30, &value), "no whole number '%s'", key);
    return (size_t)value;
}

/* Counts and, with OUT, writes. */
static size_t gather(const attn_json_node *node, float *out)
{
    size_t n = 0;
    double value;
    if (attn_json_node_type(node) == ATTN_JSON_ARRAY) {
        const attn_json_node *item = attn_json_node_first(node);
        for (; item != NULL; item = attn_json_node_next(item))
            n += gather(item, out != NULL ? out + n : NULL);
        return n;
    }
    if (!attn_json_node_number(node, &value))
        return 0;
    if (out != NULL)
        *out = (float)value;
    return 1;
}

float *trees_numbers(const attn_json_node *node, size_t *count)
{
    *count = gather(node, NULL);
    if (*count == 0)
        return NULL;
    float *values = malloc(*count * sizeof *values);
    ck_assert_ptr_nonnull(values);
    gather(node, values);
    return values;
}
