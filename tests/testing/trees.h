/* trees.h: JSON files of outside values. What is not there or not right fails the test. */
#ifndef ATTN_TESTING_TREES_H
#define ATTN_TESTING_TREES_H

#include "base/json.h"

/* The tree of the file PATH; freed with attn_json_tree_free. */
attn_json_node *trees_read(const char *path);

/* Member KEY of NODE as a whole number. */
size_t trees_whole(const attn_json_node *node, const char *key);
/* Every number below NODE, however deep its arrays: owned by the caller, free; NULL and *COUNT 0 where there is none. */
float *trees_numbers(const attn_json_node *node, size_t *count);

#endif
