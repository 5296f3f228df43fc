/* config_json.h: a published model's config.json: each key is read, refused by name, or carries no numbers. A value of
 * the wrong kind, or a key nobody read that may change numbers, fails the whole. Used by the families' files; the reading
 * functions remember the first failure, so one check at the end (attn_config_finish) is enough. */
#ifndef ATTN_LOAD_CONFIG_JSON_H
#define ATTN_LOAD_CONFIG_JSON_H

#include "base/given.h"
#include "base/json.h"
#include "model/model.h"

typedef struct attn_settings_passed { /* settings that nobody knows and that carry no numbers */
    size_t count;
    char names[400]; /* of the first few */
} attn_settings_passed;

typedef struct attn_config {
    const char *file;             /* borrowed; for messages */
    attn_json_node *root;         /* owned */
    const attn_json_node *object; /* what is read: the root or its text_config */
    bool *used;                   /* owned; [n_keys] of the object */
    size_t n_keys;
    const attn_strings *ignored; /* borrowed; NULL: none. Settings that are taken as if they were not there: KEY, or
                                    KEY.NAME inside an object */
    attn_model *model;           /* borrowed; hears the warnings */
    attn_settings_passed passed_over;
    bool decoder;   /* the family is causal anyway: is_decoder may say so */
    bool quantized; /* only tensors that attn does not use are: quantization_config may say so */
    attn_error *error;
    attn_status status; /* the first failure */
} attn_config;

/* FILE's TEXT. On failure *CONFIG is {0}. */
attn_status attn_config_open(attn_bytes text, const char *file, attn_config *config, attn_error *error);
/* Where KEY is an object, read on inside it: a text model within a larger one (text_config). */
attn_status attn_config_enter(attn_config *config, const char *key);
void attn_config_close(attn_config *config);
/* config_unknown.c: */
/* What was not read: refused where it may change numbers, else a warning at most. */
attn_status attn_config_finish(attn_config *config);
/* The same for NAME inside the object KEY (NULL: at the top), whose value is VALUE. */
attn_status attn_config_unknown(attn_config *config, const char *key, const char *name, const attn_json_node *value);
/* Whether an unknown setting may change numbers: a number, anything that holds one, true, or the name of a kind. */
bool attn_setting_may_matter(const char *name, const attn_json_node *value);
/* Whether NAME says that its value is the name of a kind (…_type, …_impl, activation…, norm…). */
bool attn_setting_names_a_kind(const char *name);
bool attn_setting_ignored(const attn_strings *ignored, const char *name);
/* One more of them; one warning for all. */
void attn_setting_note(attn_settings_passed *passed, const char *name);
void attn_settings_warn(attn_model *model, const attn_settings_passed *passed, const char *file);
/* "config.json: KEY: message". */
attn_status attn_config_fail(attn_config *config, const char *key, const char *format, ...) ATTN_PRINTF(3, 4);

/* The value of KEY, marked as read; NULL when it is absent or null. */
const attn_json_node *attn_config_get(attn_config *config, const char *key);
/* Whether KEY is there, null included. */
bool attn_config_has(const attn_config *config, const char *key);
enum { ATTN_CONFIG_MAX = 1 << 24 };
#define ATTN_CONFIG_REQUIRED SIZE_MAX
/* A count 0…ATTN_CONFIG_MAX. FALLBACK ATTN_CONFIG_REQUIRED: it must be there (and then at least 1). */
size_t attn_config_count(attn_config *config, const char *key, size_t fallback);
/* A finite number. FALLBACK NAN: it must be there. */
double attn_config_number(attn_config *config, const char *key, double fallback);
bool attn_config_bool(attn_config *config, const char *key, bool fallback);
/* A string; FALLBACK NULL: it must be there. Borrowed from the config. */
const char *attn_config_text(attn_config *config, const char *key, const char *fallback);
/* KEY may be absent, null or VALUE; anything else is refused: attn can not do it. */
void attn_config_only_bool(attn_config *config, const char *key, bool value);
void attn_config_only_text(attn_config *config, const char *key, const char *value);
void attn_config_only_null(attn_config *config, const char *key);

#endif
