/* select.c: see select.h. */
#include "config.h"

#include "report/select.h"

#include <string.h>

enum { INDEX_MAX = 1 << 30 };

typedef struct scan {
    const char *option, *text, *at;
    const char *too_large; /* a number in text; NULL: none */
} scan;

static attn_status bad_list(const scan *s, attn_error *error)
{
    if (s->too_large != NULL)
        return attn_fail(error, ATTN_EUSAGE, "%s: %.*s is too large", s->option,
                         (int)strspn(s->too_large, "0123456789"), s->too_large);
    attn_fail(error, ATTN_EUSAGE, "%s: expected a list of numbers, found '%s'", s->option, s->text);
    return attn_error_hint(error, "write it like 3  0,3  5-7  2-  or -1 for the last");
}

/* [-]digits */
static bool scan_index(scan *s, int64_t *value)
{
    bool negative = *s->at == '-';
    int64_t number = 0;
    const char *digits = s->at + negative;
    if (*digits < '0' || *digits > '9')
        return false;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        if ((number = number * 10 + (*digits - '0')) > INDEX_MAX) {
            s->too_large = s->at + negative;
            return false;
        }
    if (negative && number == 0)
        return false;
    s->at = digits;
    *value = negative ? -number : number;
    return true;
}

static bool scan_item(scan *s, bool layers_too, attn_list_item *item)
{
    *item = (attn_list_item){0};
    if (!scan_index(s, &item->first))
        return false;
    if (layers_too && *s->at == '.') {
        s->at++;
        item->has_layer = true;
        item->layer = item->first;
        if (!scan_index(s, &item->first))
            return false;
    }
    item->last = item->first;
    if (*s->at != '-')
        return true;
    s->at++;
    item->range = true;
    item->open = *s->at == ',' || *s->at == '\0';
    return item->open || scan_index(s, &item->last);
}

attn_status attn_list_parse(const char *option, const char *text, bool layers_too, attn_arena *arena, attn_list *list,
                            attn_error *error)
{
    scan s = {.option = option, .text = text, .at = text};
    attn_list_item *items;
    size_t n = 1;
    *list = (attn_list){0};
    if (text == NULL)
        return ATTN_OK;
    for (const char *c = text; *c != '\0'; c++)
        n += *c == ',';
    items = attn_arena_alloc(arena, n, sizeof *items);
    if (items == NULL)
        return attn_fail_memory(error);
    *list = (attn_list){items, n, text};
    for (size_t i = 0; i < n; i++) {
        if (!scan_item(&s, layers_too, &items[i]) || *s.at != (i + 1 < n ? ',' : '\0')) {
            bad_list(&s, error);
            return ATTN_EUSAGE;
        }
        s.at++;
    }
    return ATTN_OK;
}

/* Index INDEX of COUNT, counted from the end when negative; may still lie outside. */
static int64_t absolute(int64_t index, size_t count)
{
    return index < 0 ? index + (int64_t)count : index;
}

static attn_status beyond(const char *option, const char *what, int64_t index, size_t count, attn_error *error)
{
    if (count == 0)
        return attn_fail(error, ATTN_EUSAGE, "%s: there are no %s", option, what);
    return attn_fail(error, ATTN_EUSAGE, "%s: %lld is not there: %s go from 0 to %zu", option, (long long)index, what,
                     count - 1);
}

/* The indices ITEM names among COUNT as [*from, *to). */
static attn_status resolve_item(const attn_list_item *item, const char *option, const char *what, size_t count,
                                bool strict, size_t *from, size_t *to, attn_error *error)
{
    int64_t first = absolute(item->first, count);
    int64_t last = item->open ? (int64_t)count - 1 : absolute(item->last, count);
    bool must_exist = strict || !item->range;
    *from = *to = 0;
    if (must_exist && (first < 0 || first >= (int64_t)count))
        return beyond(option, what, item->first, count, error);
    if (must_exist && (last < 0 || last >= (int64_t)count))
        return beyond(option, what, item->last, count, error);
    if (must_exist && last < first)
        return attn_fail(error, ATTN_EUSAGE, "%s: the range %lld-%lld runs backwards", option, (long long)item->first,
                         (long long)item->last);
    if (first < 0)
        first = 0;
    if (last >= (int64_t)count)
        last = (int64_t)count - 1;
    if (first <= last) {
        *from = (size_t)first;
        *to = (size_t)last + 1;
    }
    return ATTN_OK;
}

attn_status attn_list_resolve(const attn_list *list, const char *option, const char *what, size_t count, bool strict,
                              uint8_t *chosen, attn_error *error)
{
    attn_status status = ATTN_OK;
    if (count > 0)
        memset(chosen, list->text == NULL, count);
    for (size_t i = 0; i < list->n && status == ATTN_OK; i++) {
        size_t from, to;
        status = resolve_item(&list->items[i], option, what, count, strict, &from, &to, error);
        if (from < to)
            memset(chosen + from, 1, to - from);
    }
    return status;
}

static size_t heads_of(const attn_select_request *request, size_t layer)
{
    const attn_rule *rule = &request->model->layers[layer].rule;
    return request->key_heads ? rule->n_kv_heads : rule->n_heads;
}

/* Items without a layer count for all selected layers that have such a head; one that no layer has
 * is wrong. */
static attn_status resolve_heads(const attn_select_request *request, const attn_list *list, const uint8_t *layers,
                                 size_t max_heads, uint8_t *heads, attn_error *error)
{
    const attn_model *model = request->model;
    const char *what = request->key_heads ? "key/value heads" : "heads";
    for (size_t i = 0; i < list->n; i++) {
        const attn_list_item *item = &list->items[i];
        int64_t only = item->has_layer ? absolute(item->layer, model->n_layers) : -1;
        attn_status status = ATTN_OK;
        bool found = false;
        if (item->has_layer && (only < 0 || only >= (int64_t)model->n_layers))
            return beyond("--head", "layers", item->layer, model->n_layers, error);
        for (size_t layer = 0; layer < model->n_layers; layer++) {
            size_t from, to;
            if (item->has_layer ? (int64_t)layer != only : layers[layer] == 0)
                continue;
            status = resolve_item(item, "--head", what, heads_of(request, layer), true, &from, &to, error);
            if (status != ATTN_OK)
                continue;
            found = true;
            memset(heads + layer * max_heads + from, 1, to - from);
        }
        if (!found)
            return status != ATTN_OK ? status : beyond("--head", what, item->first, 0, error);
    }
    return ATTN_OK;
}

size_t attn_selected_heads(const attn_selection *selection, size_t layer)
{
    size_t n = 0;
    for (size_t i = 0; i < selection->max_heads; i++)
        n += selection->heads[layer * selection->max_heads + i];
    return n;
}

size_t attn_selected_last(const attn_selection *selection, size_t n_layers)
{
    size_t last = n_layers - 1;
    while (selection->layers[last] == 0)
        last--;
    return last;
}

/* Drops layers without a head, and heads of layers not selected; counts what is left. */
static attn_status settle(attn_selection *selection, size_t n_layers, uint8_t *layers, attn_error *error)
{
    bool same = true;
    for (size_t layer = 0; layer < n_layers; layer++) {
        size_t n = attn_selected_heads(selection, layer);
        layers[layer] = layers[layer] && n > 0;
        if (!layers[layer])
            continue;
        same = same && (selection->n_layers == 0 || n == selection->n_heads);
        selection->n_heads = n;
        selection->n_layers++;
    }
    if (!same)
        selection->n_heads = 0;
    if (selection->n_layers == 0)
        return attn_fail(error, ATTN_EUSAGE, "--layer and --head together select no head");
    return ATTN_OK;
}

attn_status attn_select(const attn_select_request *request, attn_arena *arena, attn_selection *selection,
                        attn_error *error)
{
    attn_list layer_list, head_list;
    size_t n_layers = request->model->n_layers, max_heads = 1, size;
    attn_status status = attn_list_parse("--layer", request->layers, false, arena, &layer_list, error);
    if (status == ATTN_OK)
        status = attn_list_parse("--head", request->heads, true, arena, &head_list, error);
    if (status != ATTN_OK)
        return status;
    for (size_t i = 0; i < n_layers; i++)
        if (heads_of(request, i) > max_heads)
            max_heads = heads_of(request, i);
    uint8_t *layers = attn_arena_alloc(arena, n_layers, 1);
    uint8_t *heads = attn_multiply(n_layers, max_heads, &size) ? attn_arena_alloc(arena, size, 1) : NULL;
    if (layers == NULL || heads == NULL)
        return attn_fail_memory(error);
    memset(heads, 0, size);
    status = attn_list_resolve(&layer_list, "--layer", "layers", n_layers, true, layers, error);
    if (status != ATTN_OK)
        return status;
    if (request->layers == NULL && !request->all_layers && n_layers > 0)
        memset(layers, 0, n_layers - 1);
    for (size_t i = 0; i < n_layers && request->heads == NULL; i++)
        memset(heads + i * max_heads, layers[i], heads_of(request, i));
    status = resolve_heads(request, &head_list, layers, max_heads, heads, error);
    *selection = (attn_selection){.layers = layers, .heads = heads, .max_heads = max_heads};
    return status == ATTN_OK ? settle(selection, n_layers, layers, error) : status;
}
