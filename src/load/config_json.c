/* config_json.c: see config_json.h. What becomes of the settings that nobody read is config_unknown.c's. */
#include "config.h"

#include "load/config_json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

attn_status attn_config_open(attn_bytes text, const char *file, attn_config *config, attn_error *error)
{
    *config = (attn_config){0};
    attn_status status = attn_json_tree_of(text, file, &config->root, error);
    if (status != ATTN_OK)
        return status;
    config->file = file;
    config->error = error;
    config->object = config->root;
    if (attn_json_node_type(config->root) != ATTN_JSON_OBJECT) {
        attn_config_close(config);
        attn_fail(error, ATTN_EDATA, "expected an object of settings");
        return attn_error_file(error, file);
    }
    config->n_keys = attn_json_node_size(config->root);
    config->used = attn_calloc_array(config->n_keys, sizeof *config->used);
    if (config->used == NULL) {
        attn_config_close(config);
        return attn_fail_memory(error);
    }
    return ATTN_OK;
}

attn_status attn_config_enter(attn_config *config, const char *key)
{
    const attn_json_node *node = attn_json_node_member(config->object, key);
    size_t n = attn_json_node_size(node);
    if (attn_json_node_type(node) != ATTN_JSON_OBJECT)
        return ATTN_OK;
    bool *used = attn_calloc_array(n, sizeof *used);
    if (used == NULL)
        return config->status = attn_fail_memory(config->error);
    attn_free(config->used);
    config->used = used;
    config->n_keys = n;
    config->object = node;
    return ATTN_OK;
}

void attn_config_close(attn_config *config)
{
    attn_json_tree_free(config->root);
    attn_free(config->used);
    *config = (attn_config){0};
}

attn_status attn_config_fail(attn_config *config, const char *key, const char *format, ...)
{
    char message[512];
    const attn_json_node *node = attn_json_node_member(config->object, key);
    va_list arguments;
    if (config->status != ATTN_OK)
        return config->status;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    config->status = ATTN_EDATA;
    attn_fail(config->error, ATTN_EDATA, "%.80s: %s", key, message);
    attn_error_file(config->error, config->file);
    if (node != NULL)
        attn_error_line(config->error, attn_json_node_line(node), 0);
    return ATTN_EDATA;
}

bool attn_setting_ignored(const attn_strings *ignored, const char *name)
{
    for (size_t i = 0; ignored != NULL && i < ignored->count; i++)
        if (strcmp(ignored->items[i], name) == 0)
            return true;
    return false;
}

const attn_json_node *attn_config_get(attn_config *config, const char *key)
{
    const attn_json_node *node = attn_json_node_first(config->object);
    for (size_t i = 0; node != NULL; i++, node = attn_json_node_next(node)) {
        if (strcmp(attn_json_node_key(node), key) != 0)
            continue;
        config->used[i] = true;
        return attn_json_node_type(node) == ATTN_JSON_NULL || attn_setting_ignored(config->ignored, key) ? NULL : node;
    }
    return NULL;
}

bool attn_config_has(const attn_config *config, const char *key)
{
    return attn_json_node_member(config->object, key) != NULL && !attn_setting_ignored(config->ignored, key);
}

size_t attn_config_count(attn_config *config, const char *key, size_t fallback)
{
    const attn_json_node *node = attn_config_get(config, key);
    uint64_t value = 0;
    if (node == NULL) {
        if (fallback != ATTN_CONFIG_REQUIRED)
            return fallback;
        attn_config_fail(config, key, "expected a count, found none");
        return 0;
    }
    if (!attn_json_node_u64(node, ATTN_CONFIG_MAX, &value) || (value == 0 && fallback == ATTN_CONFIG_REQUIRED))
        attn_config_fail(config, key, "expected a whole number from %d to %d", fallback == ATTN_CONFIG_REQUIRED ? 1 : 0,
                         (int)ATTN_CONFIG_MAX);
    return (size_t)value;
}

double attn_config_number(attn_config *config, const char *key, double fallback)
{
    const attn_json_node *node = attn_config_get(config, key);
    double value = 0.0;
    if (node == NULL) {
        if (isnan(fallback))
            attn_config_fail(config, key, "expected a number, found none");
        return fallback;
    }
    if (!attn_json_node_number(node, &value) || !isfinite(value))
        attn_config_fail(config, key, "expected a number");
    return value;
}

bool attn_config_bool(attn_config *config, const char *key, bool fallback)
{
    const attn_json_node *node = attn_config_get(config, key);
    bool value = fallback;
    if (node != NULL && !attn_json_node_bool(node, &value))
        attn_config_fail(config, key, "expected true or false");
    return value;
}

const char *attn_config_text(attn_config *config, const char *key, const char *fallback)
{
    const attn_json_node *node = attn_config_get(config, key);
    if (node == NULL) {
        if (fallback == NULL)
            attn_config_fail(config, key, "expected a name, found none");
        return fallback != NULL ? fallback : "";
    }
    if (attn_json_node_text(node) == NULL) {
        attn_config_fail(config, key, "expected a name");
        return "";
    }
    return attn_json_node_text(node);
}

void attn_config_only_bool(attn_config *config, const char *key, bool value)
{
    if (attn_config_bool(config, key, value) != value)
        attn_config_fail(config, key, "only %s is supported", value ? "true" : "false");
}

void attn_config_only_text(attn_config *config, const char *key, const char *value)
{
    const char *found = attn_config_text(config, key, value);
    if (strcmp(found, value) != 0)
        attn_config_fail(config, key, "only '%s' is supported, found '%.60s'", value, found);
}

void attn_config_only_null(attn_config *config, const char *key)
{
    if (attn_config_get(config, key) != NULL)
        attn_config_fail(config, key, "not supported");
}
