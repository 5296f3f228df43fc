/* weights_settings.c: what a container of weights (-w) says beside its matrices: arrays of one number called as a toy's
 * keys ("n_heads", "rope_theta", …), and GGUF's metadata. Used by weights.c; options come after it. */
#include "config.h"

#include "load/family/family.h"
#include "load/weights_settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum setting_kind { COUNT, NUMBER, POSITIVE } setting_kind; /* size_t, float, double above 0 */

typedef struct setting {
    const char *name, *meta; /* meta: GGUF's key behind the architecture's name; NULL: none */
    setting_kind kind;
    size_t offset;
} setting;

#define FIELD(field) offsetof(attn_layer_draft, field)
static const setting settings[] = {
    {"d_model", NULL, COUNT, FIELD(d_model)},
    {"n_heads", NULL, COUNT, FIELD(n_heads)},
    {"n_kv_heads", NULL, COUNT, FIELD(n_kv_heads)},
    {"head_dim", NULL, COUNT, FIELD(head_dim)},
    {"rotary_dim", ".rope.dimension_count", COUNT, FIELD(rotary_dim)},
    {"rope_theta", ".rope.freq_base", POSITIVE, FIELD(rope_theta)},
    {"partial_rotary_factor", NULL, POSITIVE, FIELD(partial_rotary_factor)},
    {"scale", NULL, NUMBER, FIELD(scale)},
    {"temperature", NULL, NUMBER, FIELD(temperature)},
    {"softcap", NULL, NUMBER, FIELD(softcap)},
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

/* VALUE to each draft; false: ROW can not be that. */
static bool set(const setting *row, double value, attn_layer_draft *drafts, size_t n_layers)
{
    if (!isfinite(value) || (row->kind == COUNT && (value < 1.0 || value > 1e6 || value != floor(value))) ||
        (row->kind == POSITIVE && value <= 0.0))
        return false;
    for (size_t l = 0; l < n_layers; l++) {
        void *field = (char *)&drafts[l] + row->offset;
        if (row->kind == COUNT)
            *(size_t *)field = (size_t)value;
        else if (row->kind == NUMBER)
            *(float *)field = (float)value;
        else
            *(double *)field = value;
    }
    return true;
}

bool attn_weights_setting(const attn_named_tensor *t, attn_layer_draft *drafts, size_t n_layers)
{
    size_t count;
    double whole;
    float value;
    for (size_t i = 0; i < N_SETTINGS; i++) {
        if (strcmp(t->name, settings[i].name) != 0)
            continue;
        if (!attn_tensor_count(&t->tensor, &count) || count != 1)
            return false;
        attn_tensor_to_f32(&t->tensor, &value);
        whole = (double)value;
        return set(&settings[i], whole, drafts, n_layers);
    }
    return false;
}

void attn_weights_meta(const attn_container *container, attn_layer_draft *drafts, size_t n_layers)
{
    const attn_meta *name = attn_container_meta(container, "general.architecture");
    char text[64], key[128];
    if (name == NULL || name->type != ATTN_META_STRING || name->string.size >= sizeof text)
        return;
    memcpy(text, name->string.data, name->string.size);
    text[name->string.size] = '\0';
    const attn_architecture *architecture = attn_architecture_find(text);
    for (size_t i = 0; i < N_SETTINGS; i++) {
        if (settings[i].meta == NULL)
            continue;
        snprintf(key, sizeof key, "%s%s", text, settings[i].meta);
        const attn_meta *meta = attn_container_meta(container, key);
        if (meta != NULL && (meta->type == ATTN_META_U64 || meta->type == ATTN_META_I64 || meta->type == ATTN_META_F64))
            set(&settings[i], meta->f64, drafts, n_layers);
    }
    for (size_t l = 0; l < n_layers && architecture != NULL; l++)
        drafts[l].rope_layout = architecture->rope_layout;
}
