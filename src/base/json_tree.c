/* json_tree.c: JSON values as a tree of cJSON nodes, for what is small and read out of order (a
 * config). The only file that includes cJSON: its nodes and its look-up serve here, its parser and
 * its allocator do not. All nodes of a tree lie in arenas that the root owns. */
#include "config.h"

#include "base/json_reader.h"

#include <cjson/cJSON.h>
#include <string.h>

/* A node has no more than cJSON's own fields, since a tree of a small file may have many: its line is in valueint. A
 * number that is written as an integer has the type NUMBER_EXACT; where a double does not hold it, it stands, as a
 * uint64_t, where valuestring points. */
struct attn_json_node {
    cJSON item; /* first: a pointer to one is a pointer to the other */
};
enum { NUMBER_EXACT = cJSON_Number | 1 << 16 };
#define DOUBLE_HOLDS (UINT64_C(1) << 53) /* every whole number up to here */

typedef struct json_tree {
    attn_json_node root;     /* first: the root is what the caller holds */
    attn_arena nodes, texts; /* apart: texts need no alignment */
} json_tree;

static bool read_node(attn_json *json, json_tree *tree, attn_json_node *node);

/* TEXT as a C string in the arena; NULL after a failure. */
static char *copy_string(attn_json *json, json_tree *tree, attn_bytes text, const uint8_t *at)
{
    if (text.size > 0 && memchr(text.data, '\0', text.size) != NULL) {
        attn_json_refuse_text(json, at, "\\u0000 can not stand in this string");
        return NULL;
    }
    char *copy = attn_arena_text(&tree->texts, (const char *)text.data, text.size);
    if (copy == NULL)
        attn_json_refuse_memory(json);
    return copy;
}

/* Reads the next value and adds it to PARENT, as its member KEY unless that is NULL. */
static bool read_child(attn_json *json, json_tree *tree, attn_json_node *parent, char *key)
{
    attn_json_node *child = attn_arena_alloc(&tree->nodes, 1, sizeof *child);
    if (child == NULL)
        return attn_json_refuse_memory(json);
    if (!read_node(json, tree, child))
        return false;
    child->item.string = key;
    cJSON_AddItemToArray(&parent->item, &child->item);
    return true;
}

static bool read_members(attn_json *json, json_tree *tree, attn_json_node *node)
{
    node->item.type = cJSON_Object;
    attn_bytes key;
    if (attn_json_object(json))
        while (attn_json_key(json, &key)) {
            char *copy = copy_string(json, tree, key, json->value);
            if (copy == NULL || !read_child(json, tree, node, copy))
                break;
        }
    return json->status == ATTN_OK;
}

static bool read_elements(attn_json *json, json_tree *tree, attn_json_node *node)
{
    node->item.type = cJSON_Array;
    if (attn_json_array(json))
        while (attn_json_element(json))
            if (!read_child(json, tree, node, NULL))
                break;
    return json->status == ATTN_OK;
}

static bool read_number(attn_json *json, json_tree *tree, attn_json_node *node)
{
    uint64_t integer;
    bool exact;
    node->item.type = cJSON_Number;
    if (!attn_json_node_value(json, &node->item.valuedouble, &integer, &exact))
        return false;
    if (exact)
        node->item.type = NUMBER_EXACT;
    if (!exact || integer <= DOUBLE_HOLDS)
        return true;
    uint64_t *large = attn_arena_alloc(&tree->nodes, 1, sizeof *large);
    if (large == NULL)
        return attn_json_refuse_memory(json);
    *large = integer;
    node->item.valuestring = (char *)large;
    return true;
}

static bool read_scalar(attn_json *json, json_tree *tree, attn_json_node *node, attn_json_type type)
{
    attn_bytes text;
    bool boolean;
    switch (type) {
    case ATTN_JSON_STRING:
        node->item.type = cJSON_String;
        if (!attn_json_string(json, &text))
            return false;
        node->item.valuestring = copy_string(json, tree, text, json->value);
        return node->item.valuestring != NULL;
    case ATTN_JSON_NUMBER:
        return read_number(json, tree, node);
    case ATTN_JSON_BOOL:
        if (!attn_json_bool(json, &boolean))
            return false;
        node->item.type = boolean ? cJSON_True : cJSON_False;
        return true;
    case ATTN_JSON_NULL:
        node->item.type = cJSON_NULL;
        return attn_json_null(json);
    default:
        return attn_json_refuse(json, json->at, "a JSON value");
    }
}

/* Recursion is bounded by the reader's limit on nesting. */
static bool read_node(attn_json *json, json_tree *tree, attn_json_node *node)
{
    attn_json_type type = attn_json_peek(json);
    memset(node, 0, sizeof *node);
    uint64_t line, column;
    attn_json_place(json, &line, &column);
    node->item.valueint = line < INT32_MAX ? (int)line : INT32_MAX;
    if (type == ATTN_JSON_OBJECT)
        return read_members(json, tree, node);
    if (type == ATTN_JSON_ARRAY)
        return read_elements(json, tree, node);
    return read_scalar(json, tree, node, type);
}

attn_json_node *attn_json_tree(attn_json *json)
{
    if (json->status != ATTN_OK)
        return NULL;
    json_tree *tree = attn_alloc(sizeof *tree);
    if (tree == NULL) {
        attn_json_refuse_memory(json);
        return NULL;
    }
    tree->nodes = tree->texts = (attn_arena){0};
    if (!read_node(json, tree, &tree->root)) {
        attn_json_tree_free(&tree->root);
        return NULL;
    }
    return &tree->root;
}

attn_status attn_json_tree_of(attn_bytes text, const char *file, attn_json_node **root, attn_error *error)
{
    attn_json *json = attn_json_open(text, file, error);
    *root = NULL;
    if (json == NULL)
        return ATTN_ENOMEM;
    *root = attn_json_tree(json);
    if (*root != NULL)
        attn_json_end(json);
    attn_status status = attn_json_status(json);
    if (status != ATTN_OK) {
        attn_json_tree_free(*root);
        *root = NULL;
    }
    attn_json_close(json);
    return status;
}

void attn_json_tree_free(attn_json_node *root)
{
    json_tree *tree = (json_tree *)root;
    if (tree == NULL)
        return;
    attn_arena_free(&tree->nodes);
    attn_arena_free(&tree->texts);
    attn_free(tree);
}

attn_json_type attn_json_node_type(const attn_json_node *node)
{
    if (node == NULL)
        return ATTN_JSON_INVALID;
    switch (node->item.type) {
    case cJSON_Object:
        return ATTN_JSON_OBJECT;
    case cJSON_Array:
        return ATTN_JSON_ARRAY;
    case cJSON_String:
        return ATTN_JSON_STRING;
    case cJSON_Number:
    case NUMBER_EXACT:
        return ATTN_JSON_NUMBER;
    case cJSON_NULL:
        return ATTN_JSON_NULL;
    default:
        return ATTN_JSON_BOOL;
    }
}

const attn_json_node *attn_json_node_member(const attn_json_node *object, const char *key)
{
    if (attn_json_node_type(object) != ATTN_JSON_OBJECT)
        return NULL;
    return (const attn_json_node *)cJSON_GetObjectItemCaseSensitive(&object->item, key);
}

size_t attn_json_node_size(const attn_json_node *node)
{
    return node != NULL ? (size_t)cJSON_GetArraySize(&node->item) : 0;
}

const attn_json_node *attn_json_node_first(const attn_json_node *node)
{
    return node != NULL ? (const attn_json_node *)node->item.child : NULL;
}

const attn_json_node *attn_json_node_next(const attn_json_node *node)
{
    return node != NULL ? (const attn_json_node *)node->item.next : NULL;
}

const char *attn_json_node_key(const attn_json_node *node)
{
    return node != NULL ? node->item.string : NULL;
}

const char *attn_json_node_text(const attn_json_node *node)
{
    return node != NULL ? cJSON_GetStringValue(&node->item) : NULL;
}

bool attn_json_node_number(const attn_json_node *node, double *value)
{
    if (attn_json_node_type(node) != ATTN_JSON_NUMBER)
        return false;
    *value = node->item.valuedouble;
    return true;
}

bool attn_json_node_u64(const attn_json_node *node, uint64_t limit, uint64_t *value)
{
    if (node == NULL || node->item.type != NUMBER_EXACT)
        return false;
    const uint64_t integer = node->item.valuestring != NULL ? *(const uint64_t *)(const void *)node->item.valuestring
                                                            : (uint64_t)node->item.valuedouble;
    if (integer > limit)
        return false;
    *value = integer;
    return true;
}

bool attn_json_node_bool(const attn_json_node *node, bool *value)
{
    if (attn_json_node_type(node) != ATTN_JSON_BOOL)
        return false;
    *value = node->item.type == cJSON_True;
    return true;
}

uint64_t attn_json_node_line(const attn_json_node *node)
{
    return node != NULL ? (uint64_t)node->item.valueint : 0;
}
