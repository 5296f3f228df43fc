/* toy_layer.c: a layer's keys in toy JSON: one table of names, readers and places. */
#include "config.h"

#include "base/suggest.h"
#include "load/mask_file.h"
#include "load/toy/toy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_COUNT = 1 << 20 }; /* of heads and dimensions, from a file */

typedef struct layer_key {
    const char *name;
    bool (*read)(attn_toy *toy, const struct layer_key *key, attn_layer_draft *draft);
    size_t offset; /* of the field, where the reader uses it */
    size_t rank;   /* of a matrix */
} layer_key;

static void *field_of(const layer_key *key, attn_layer_draft *draft)
{
    return (char *)draft + key->offset;
}

bool attn_toy_matrix(attn_toy *toy, const char *name, size_t rank, attn_draft_matrix *matrix)
{
    attn_json_numbers numbers = {0};
    attn_json_place(toy->json, &matrix->place.line, &matrix->place.column);
    if (!attn_json_matrix(toy->json, name, rank, &numbers))
        return false;
    size_t count = numbers.n_rows * numbers.n_columns;
    float *copy = attn_arena_aligned(toy->arena, count, sizeof *copy);
    matrix->name = name;
    if (copy == NULL) {
        attn_free(numbers.values);
        return attn_json_refuse_memory(toy->json);
    }
    memcpy(copy, numbers.values, count * sizeof *copy);
    matrix->tensor = attn_tensor_f32(copy, numbers.n_rows, numbers.n_columns);
    if (numbers.rank == 1) {
        matrix->tensor.n_dims = 1;
        matrix->tensor.shape[0] = count;
        matrix->tensor.strides[0] = 1;
    }
    attn_free(numbers.values);
    return true;
}

static bool read_matrix(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    return attn_toy_matrix(toy, key->name, key->rank, field_of(key, draft));
}

static bool read_count(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    uint64_t value;
    if (!attn_json_u64(toy->json, MAX_COUNT, &value))
        return false;
    if (value == 0) {
        attn_json_fail(toy->json, "%s: expected at least 1, found 0", key->name);
        return false;
    }
    *(size_t *)field_of(key, draft) = (size_t)value;
    return true;
}

static bool read_number(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    return attn_json_f32(toy->json, field_of(key, draft));
}

static bool read_positive(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    double *value = field_of(key, draft);
    if (!attn_json_f64(toy->json, value))
        return false;
    if (*value > 0.0)
        return true;
    attn_json_fail(toy->json, "%s: expected a number above 0", key->name);
    return false;
}

static bool read_bool(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    return attn_json_bool(toy->json, field_of(key, draft));
}

static bool read_comment(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    (void)key;
    (void)draft;
    return attn_json_skip(toy->json);
}

/* A string among names, as a NUL-terminated copy in TEXT. */
static bool read_name(attn_toy *toy, char *text, size_t size)
{
    attn_bytes value;
    if (!attn_json_string(toy->json, &value))
        return false;
    if (value.size >= size || memchr(value.data, 0, value.size) != NULL) {
        attn_json_fail(toy->json, "expected a short name, found %zu bytes", value.size);
        return false;
    }
    memcpy(text, value.data, value.size);
    text[value.size] = '\0';
    return true;
}

static const char *score_name_at(size_t index)
{
    return index < ATTN_N_SCORES ? attn_score_of((attn_score)index)->name : NULL;
}

static bool read_score(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    char text[64];
    if (!read_name(toy, text, sizeof text))
        return false;
    if (attn_score_find(text, &draft->score))
        return true;
    return attn_toy_unknown_name(toy, key->name, text, score_name_at);
}

static bool read_positions(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    char text[64];
    draft->positions_given = true;
    if (attn_json_peek(toy->json) == ATTN_JSON_ARRAY) {
        draft->positions = ATTN_POSITION_LEARNED;
        return attn_toy_matrix(toy, key->name, 2, &draft->position_table);
    }
    if (!read_name(toy, text, sizeof text))
        return false;
    if (attn_position_rule_find(text, &draft->positions))
        return true;
    attn_json_fail(toy->json,
                   "positions: expected none, rope, alibi, sinusoidal or a matrix of rows to add, found '%s'", text);
    return false;
}

static bool read_rope_layout(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    char text[64];
    if (!read_name(toy, text, sizeof text))
        return false;
    if (strcmp(text, "half") == 0 || strcmp(text, "interleaved") == 0) {
        draft->rope_layout = text[0] == 'h' ? ATTN_ROPE_HALF : ATTN_ROPE_INTERLEAVED;
        return true;
    }
    attn_json_fail(toy->json, "%s: expected half or interleaved, found '%s'", key->name, text);
    return false;
}

/* true: per head; "head", "full". */
static bool read_qk_norm(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    char text[64];
    if (attn_json_peek(toy->json) == ATTN_JSON_BOOL)
        return attn_json_bool(toy->json, &draft->qk_norm);
    if (!read_name(toy, text, sizeof text))
        return false;
    if (strcmp(text, "head") != 0 && strcmp(text, "full") != 0) {
        attn_json_fail(toy->json, "%s: expected true, false, \"head\" or \"full\", found '%s'", key->name, text);
        return false;
    }
    draft->qk_norm = true;
    draft->qk_norm_full = text[0] == 'f';
    return true;
}

static bool read_window(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    uint64_t value;
    if (!attn_json_u64(toy->json, UINT32_MAX, &value))
        return false;
    if (value == 0) {
        attn_json_fail(toy->json, "%s: expected at least 1 (the token itself counts), found 0", key->name);
        return false;
    }
    if (draft->mask.window == 0 || value < draft->mask.window) /* "mask" may bring one too */
        draft->mask.window = (size_t)value;
    draft->mask_given = true;
    return true;
}

static const char *mask_rule_at(size_t index)
{
    return attn_mask_rule_names[index];
}

static bool add_mask_rule(attn_toy *toy, attn_layer_draft *draft)
{
    char text[64];
    bool wrong = false;
    attn_error error;
    if (!read_name(toy, text, sizeof text))
        return false;
    error.message[0] = '\0';
    if (attn_mask_add_rule(&draft->mask, text, &wrong, &error))
        return true;
    char near[ATTN_SUGGESTION];
    if (wrong)
        attn_json_fail(toy->json, "mask: %s", error.message);
    else
        attn_json_fail(toy->json, "mask: expected causal, none, window:W, band:W, prefix:N or a matrix, found '%s'%s",
                       text, attn_suggestion(text, mask_rule_at, near));
    return false;
}

static bool add_mask_matrix(attn_toy *toy, attn_layer_draft *draft, const attn_mask_file *file)
{
    if (draft->mask.n_matrices == ATTN_MAX_MASK_MATRICES) {
        attn_json_fail(toy->json, "mask: more than %d matrices", (int)ATTN_MAX_MASK_MATRICES);
        return false;
    }
    draft->mask.matrices[draft->mask.n_matrices++] = file->matrix;
    return true;
}

/* A rule's name; a matrix; or an array of both that starts with a name. */
static bool read_mask(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    attn_mask_file file;
    attn_json *json = toy->json;
    (void)key;
    draft->mask_given = true;
    if (attn_json_peek(json) != ATTN_JSON_ARRAY)
        return add_mask_rule(toy, draft);
    if (!attn_json_array(json) || !attn_json_element(json)) {
        attn_json_fail(json, "mask: expected a rule, a matrix, or an array of them, found an empty array");
        return false;
    }
    if (attn_json_peek(json) != ATTN_JSON_STRING)
        return attn_mask_file_json_rest(json, toy->arena, &file) && add_mask_matrix(toy, draft, &file);
    do {
        if (attn_json_peek(json) == ATTN_JSON_ARRAY) {
            if (!attn_mask_file_json(json, toy->arena, &file) || !add_mask_matrix(toy, draft, &file))
                return false;
        } else if (!add_mask_rule(toy, draft)) {
            return false;
        }
    } while (attn_json_element(json));
    return attn_json_status(json) == ATTN_OK;
}

static bool read_heads(attn_toy *toy, const layer_key *key, attn_layer_draft *draft);

#define FIELD(field) offsetof(attn_layer_draft, field)
static const layer_key layer_keys[] = {
    {"comment", read_comment, 0, 0},
    {"d_model", read_count, FIELD(d_model), 0},
    {"n_heads", read_count, FIELD(n_heads), 0},
    {"n_kv_heads", read_count, FIELD(n_kv_heads), 0},
    {"head_dim", read_count, FIELD(head_dim), 0},
    {"W_Q", read_matrix, FIELD(w[ATTN_ROLE_Q]), 2},
    {"W_K", read_matrix, FIELD(w[ATTN_ROLE_K]), 2},
    {"W_V", read_matrix, FIELD(w[ATTN_ROLE_V]), 2},
    {"W_O", read_matrix, FIELD(w[ATTN_ROLE_O]), 2},
    {"b_Q", read_matrix, FIELD(b[ATTN_ROLE_Q]), 1},
    {"b_K", read_matrix, FIELD(b[ATTN_ROLE_K]), 1},
    {"b_V", read_matrix, FIELD(b[ATTN_ROLE_V]), 1},
    {"b_O", read_matrix, FIELD(b[ATTN_ROLE_O]), 1},
    {"v_A", read_matrix, FIELD(v_A), 0},
    {"heads", read_heads, 0, 0},
    {"head_mix", read_matrix, FIELD(head_mix), 1},
    {"score", read_score, 0, 0},
    {"scale", read_number, FIELD(scale), 0},
    {"temperature", read_number, FIELD(temperature), 0},
    {"softcap", read_number, FIELD(softcap), 0},
    {"mask", read_mask, 0, 0},
    {"window", read_window, 0, 0},
    {"residual", read_bool, FIELD(residual), 0},
    {"positions", read_positions, 0, 0},
    {"rope_theta", read_positive, FIELD(rope_theta), 0},
    {"rope_layout", read_rope_layout, 0, 0},
    {"rotary_dim", read_count, FIELD(rotary_dim), 0},
    {"partial_rotary_factor", read_positive, FIELD(partial_rotary_factor), 0},
    {"slopes", read_matrix, FIELD(slopes), 1},
    {"sinks", read_matrix, FIELD(sinks), 1},
    {"qk_norm", read_qk_norm, 0, 0},
};
enum { N_LAYER_KEYS = sizeof layer_keys / sizeof layer_keys[0] };

const char *attn_toy_layer_key_at(size_t index)
{
    return index < N_LAYER_KEYS ? layer_keys[index].name : NULL;
}

static const layer_key *find_key(attn_bytes key)
{
    for (size_t i = 0; i < N_LAYER_KEYS; i++)
        if (attn_bytes_are(key, layer_keys[i].name))
            return &layer_keys[i];
    return NULL;
}

bool attn_toy_is_layer_key(attn_bytes key)
{
    return find_key(key) != NULL;
}

bool attn_toy_layer_value(attn_toy *toy, attn_bytes key, attn_layer_draft *draft)
{
    const layer_key *found = find_key(key);
    attn_place place;
    if (found == NULL)
        return attn_toy_unknown_key(toy, key, attn_toy_layer_key_at);
    attn_json_place(toy->json, &place.line, &place.column);
    if (found->read(toy, found, draft))
        return true;
    attn_toy_name_key(toy, found->name, place);
    return false;
}

/* The names that NAME_AT gives, as many as TEXT takes. */
static void list_names(const char *(*name_at)(size_t), char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; name_at(i) != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", name_at(i));
}

bool attn_toy_unknown_key(attn_toy *toy, attn_bytes key, const char *(*name_at)(size_t))
{
    char text[64];
    size_t size = key.size < sizeof text - 1 ? key.size : sizeof text - 1;
    memcpy(text, key.data, size);
    text[size] = '\0';
    char near[ATTN_SUGGESTION];
    attn_json_fail(toy->json, "unknown key '%s'%s", text, attn_suggestion(text, name_at, near));
    char names[sizeof toy->loader->error->hint];
    list_names(name_at, names, sizeof names);
    attn_error_hint(toy->loader->error, "keys here are %s", names);
    return false;
}

bool attn_toy_unknown_name(attn_toy *toy, const char *key, const char *found, const char *(*name_at)(size_t))
{
    char near[ATTN_SUGGESTION], names[256];
    list_names(name_at, names, sizeof names);
    attn_json_fail(toy->json, "%s: expected one of %s; found '%s'%s", key, names, found,
                   attn_suggestion(found, name_at, near));
    return false;
}

void attn_toy_name_key(const attn_toy *toy, const char *key, attn_place place)
{
    attn_error *error = toy->loader->error;
    size_t size = strlen(key);
    if (error == NULL || error->line != place.line || error->column != place.column ||
        (strncmp(error->message, key, size) == 0 && error->message[size] == ':'))
        return;
    attn_error_prefix(error, "%s: ", key);
}

bool attn_toy_layer(attn_toy *toy, attn_layer_draft *draft)
{
    attn_bytes key;
    attn_json_place(toy->json, &draft->place.line, &draft->place.column);
    if (!attn_json_object(toy->json))
        return false;
    while (attn_json_key(toy->json, &key))
        if (!attn_toy_layer_value(toy, key, draft))
            return false;
    return attn_json_status(toy->json) == ATTN_OK;
}

/* ---- heads one by one ---- */

typedef struct head_key {
    const char *name;
    size_t offset, rank;
} head_key;

#define HEAD(field) offsetof(attn_draft_head, field)
static const head_key head_keys[] = {
    {"comment", 0, 0},
    {"W_Q", HEAD(w[ATTN_ROLE_Q]), 2},
    {"W_K", HEAD(w[ATTN_ROLE_K]), 2},
    {"W_V", HEAD(w[ATTN_ROLE_V]), 2},
    {"b_Q", HEAD(b[ATTN_ROLE_Q]), 1},
    {"b_K", HEAD(b[ATTN_ROLE_K]), 1},
    {"b_V", HEAD(b[ATTN_ROLE_V]), 1},
};
enum { N_HEAD_KEYS = sizeof head_keys / sizeof head_keys[0] };

static const char *head_key_at(size_t index)
{
    return index < N_HEAD_KEYS ? head_keys[index].name : NULL;
}

static bool read_head_value(attn_toy *toy, attn_bytes key, attn_draft_head *head)
{
    for (size_t i = 0; i < N_HEAD_KEYS; i++) {
        if (!attn_bytes_are(key, head_keys[i].name))
            continue;
        if (head_keys[i].rank == 0)
            return attn_json_skip(toy->json);
        return attn_toy_matrix(toy, head_keys[i].name, head_keys[i].rank,
                               (attn_draft_matrix *)(void *)((char *)head + head_keys[i].offset));
    }
    return attn_toy_unknown_key(toy, key, head_key_at);
}

static bool read_head(attn_toy *toy, attn_draft_head *head)
{
    attn_bytes key;
    *head = (attn_draft_head){0};
    attn_json_place(toy->json, &head->place.line, &head->place.column);
    if (!attn_json_object(toy->json))
        return false;
    while (attn_json_key(toy->json, &key))
        if (!read_head_value(toy, key, head))
            return false;
    return attn_json_status(toy->json) == ATTN_OK;
}

/* All of the file's together. */
static bool count_head(attn_toy *toy, const layer_key *key)
{
    const size_t most = ATTN_FREE_HEADS + toy->size / ATTN_BYTES_A_HEAD;
    if (toy->n_heads_listed++ < most)
        return true;
    attn_json_fail(toy->json, "%s: expected at most %zu heads in a file of %zu bytes, found more", key->name, most,
                   toy->size);
    return false;
}

static bool read_heads(attn_toy *toy, const layer_key *key, attn_layer_draft *draft)
{
    attn_draft_head *heads = NULL;
    size_t capacity = 0, count = 0;
    bool fine = attn_json_array(toy->json);
    while (fine && attn_json_element(toy->json)) {
        if (!attn_grow((void **)&heads, &capacity, count, sizeof *heads)) {
            fine = attn_json_refuse_memory(toy->json);
            break;
        }
        fine = count_head(toy, key) && read_head(toy, &heads[count]);
        count++;
    }
    fine = fine && attn_json_status(toy->json) == ATTN_OK;
    if (fine && count == 0) {
        attn_json_fail(toy->json, "%s: expected at least one head, found none", key->name);
        fine = false;
    }
    if (fine) {
        draft->heads = attn_arena_alloc(toy->arena, count, sizeof *heads);
        draft->n_listed = count;
        if (draft->heads != NULL)
            memcpy(draft->heads, heads, count * sizeof *heads);
        else
            attn_json_refuse_memory(toy->json);
        fine = draft->heads != NULL;
    }
    attn_free(heads);
    return fine;
}
