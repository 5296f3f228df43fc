/* mask_file.h: masks in files and in toy models: JSON or npy, [queries][keys] or [heads][queries][keys]. Booleans keep
 * (true) or hide (false), numbers are added to the scores, null hides. */
#ifndef ATTN_LOAD_MASK_FILE_H
#define ATTN_LOAD_MASK_FILE_H

#include "attention/mask.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

typedef struct attn_mask_file {
    attn_mask_matrix matrix; /* values in the arena given */
} attn_mask_file;

/* Reads PATH by its content and notes it in FILES (or NULL). Refused: ragged or empty rows, NaN, +infinity, other ranks
 * than 2 and 3, numbers that are only 0 and 1 (both). */
attn_status attn_mask_file_read(const char *path, attn_file_list *files, attn_arena *arena, attn_mask_file *mask,
                                attn_error *error);
/* The same for the next value of a JSON reader (an array); false: the reader has failed. */
bool attn_mask_file_json(attn_json *json, attn_arena *arena, attn_mask_file *mask);
/* The same inside the array, its first element at hand. */
bool attn_mask_file_json_rest(attn_json *json, attn_arena *arena, attn_mask_file *mask);

#endif
