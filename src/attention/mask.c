/* mask.c: which keys a query may see. The streaming driver asks for bounds, blocks that cross an edge ask
 * for rows. Knows nothing of scores. */
#include "config.h"

#include "attention/mask.h"
#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *const attn_mask_rule_names[] = {"causal", "none", "window:W", "band:W", "prefix:N", NULL};

/* The number behind NAME: in TEXT ("window:3"). *MATCHES: TEXT is NAME or begins with "NAME:". */
static bool rule_number(const char *text, const char *name, uint64_t least, bool *matches, size_t *number, bool *wrong,
                        attn_error *error)
{
    size_t length = strlen(name);
    *matches = strncmp(text, name, length) == 0 && (text[length] == ':' || text[length] == '\0');
    if (!*matches)
        return false;
    const char *digits = text + length + (text[length] == ':');
    uint64_t value;
    const bool fits = attn_decimal_u64(attn_bytes_of(digits), SIZE_MAX / 4, &value);
    if (text[length] == ':' && fits && value >= least) {
        *number = (size_t)value;
        return true;
    }
    *wrong = true;
    if (!fits && text[length] == ':' && *digits != '\0' && digits[strspn(digits, "0123456789")] == '\0') {
        attn_fail(error, ATTN_EUSAGE, "mask '%s': %s is too large", name, digits);
        return false;
    }
    attn_fail(error, ATTN_EUSAGE, "mask '%s': expected %s:N with a whole number N of at least %llu", text, name,
              (unsigned long long)least);
    return false;
}

/* All rules must allow: of two windows the narrower one holds. 0: no window yet. */
static size_t narrower(size_t old, size_t fresh)
{
    return old == 0 || fresh < old ? fresh : old;
}

bool attn_mask_add_rule(attn_mask *mask, const char *text, bool *wrong, attn_error *error)
{
    *wrong = false;
    if (strcmp(text, "none") == 0)
        return true;
    if (strcmp(text, "causal") == 0) {
        mask->causal = true;
        return true;
    }
    bool matches;
    size_t number;
    if (rule_number(text, "window", 1, &matches, &number, wrong, error))
        mask->window = narrower(mask->window, number);
    if (matches)
        return !*wrong;
    if (rule_number(text, "band", 1, &matches, &number, wrong, error))
        mask->band = narrower(mask->band, number);
    if (matches)
        return !*wrong;
    if (rule_number(text, "prefix", 0, &matches, &number, wrong, error)) {
        mask->prefix = mask->has_prefix && mask->prefix < number ? mask->prefix : number;
        mask->has_prefix = true;
    }
    return matches && !*wrong;
}

attn_status attn_mask_check(const attn_mask *mask, size_t n_heads, size_t n_queries, size_t n_keys, attn_error *error)
{
    for (size_t i = 0; i < mask->n_matrices; i++) {
        const attn_mask_matrix *m = &mask->matrices[i];
        if (m->n_queries != n_queries || m->n_keys != n_keys)
            return attn_fail(error, ATTN_EDATA,
                             "the mask has %zu rows and %zu columns, the text %zu queries and %zu keys", m->n_queries,
                             m->n_keys, n_queries, n_keys);
        if (m->n_heads != 1 && m->n_heads != n_heads)
            return attn_fail(error, ATTN_EDATA, "the mask is for %zu heads, the layer has %zu", m->n_heads, n_heads);
    }
    return ATTN_OK;
}

static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t at_least(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* a − b, or 0. */
static size_t less(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

/* The number of keys up to and with position P + AHEAD. */
static size_t keys_up_to(ptrdiff_t p, size_t ahead)
{
    ptrdiff_t last = p + (ptrdiff_t)ahead;
    return last < 0 ? 0 : (size_t)last + 1;
}

/* What the rules that are intervals say: [low, high) of QUERY. */
static void visible_span(const attn_mask *mask, size_t query, size_t n_keys, size_t *low, size_t *high)
{
    ptrdiff_t p = (ptrdiff_t)query + mask->past;
    size_t end = keys_up_to(p, 0);
    *low = 0;
    *high = n_keys;
    if (mask->causal || mask->window > 0)
        *high = at_most(*high, end);
    if (mask->window > 0)
        *low = at_least(*low, less(end, mask->window));
    if (mask->band > 0) {
        *low = at_least(*low, less(end, mask->band));
        *high = at_most(*high, keys_up_to(p, mask->band - 1));
    }
    if (mask->has_prefix)
        *high = at_most(*high, at_least(end, mask->prefix));
    *low = at_most(*low, n_keys);
    *high = at_least(*high, *low);
}

/* Padding at either end is no part of the span; the keys before the first hidden one are clear. */
static void leave_out_padding(const uint8_t *hidden, attn_mask_span *span)
{
    while (span->low < span->high && hidden[span->low] != 0)
        span->low++;
    while (span->high > span->low && hidden[span->high - 1] != 0)
        span->high--;
    span->clear_low = at_most(at_least(span->clear_low, span->low), span->high);
    span->clear_high = at_most(at_least(span->clear_high, span->clear_low), span->high);
    const uint8_t *first = memchr(hidden + span->clear_low, 1, span->clear_high - span->clear_low);
    if (first != NULL)
        span->clear_high = (size_t)(first - hidden);
}

attn_mask_span attn_mask_bounds(const attn_mask *mask, size_t query, size_t n_queries, size_t n_keys)
{
    attn_mask_span span = {.low = 0, .high = n_keys, .clear_low = 0, .clear_high = n_keys};
    if (mask == NULL || n_queries == 0)
        return span;
    /* both ends of the interval only grow with the query's position */
    visible_span(mask, query, n_keys, &span.low, &span.clear_high);
    size_t last_high, last_low;
    visible_span(mask, query + n_queries - 1, n_keys, &last_low, &last_high);
    span.high = last_high;
    span.clear_low = last_low;
    if (mask->n_matrices > 0)
        span.clear_high = span.clear_low;
    else if (mask->hidden_keys != NULL)
        leave_out_padding(mask->hidden_keys, &span);
    span.clear_high = at_least(span.clear_high, span.clear_low);
    return span;
}

static void hide(float *add, size_t from, size_t to)
{
    for (size_t j = from; j < to; j++)
        add[j] = -INFINITY;
}

static const float *matrix_row(const attn_mask_matrix *m, size_t head, size_t query)
{
    return m->values + ((m->n_heads > 1 ? head : 0) * m->n_queries + query) * m->n_keys;
}

static void add_matrix(const attn_mask_matrix *m, size_t head, size_t query, size_t key, size_t n_keys, float *add)
{
    const float *row = matrix_row(m, head, query) + key;
    for (size_t j = 0; j < n_keys; j++) {
        float sum = add[j] + row[j];
        bool hidden = add[j] == -INFINITY || row[j] == -INFINITY;
        add[j] = hidden ? -INFINITY : sum < -FLT_MAX ? -FLT_MAX : sum > FLT_MAX ? FLT_MAX : sum;
    }
}

double attn_mask_sum(const attn_mask *mask, size_t head, size_t query, size_t key)
{
    double sum = 0;
    for (size_t i = 0; mask != NULL && i < mask->n_matrices; i++)
        sum += (double)matrix_row(&mask->matrices[i], head, query)[key];
    return sum;
}

void attn_mask_row(const attn_mask *mask, size_t head, size_t query, size_t key, size_t n_keys, float *add)
{
    for (size_t j = 0; j < n_keys; j++)
        add[j] = 0;
    if (mask == NULL)
        return;
    size_t low, high;
    visible_span(mask, query, key + n_keys, &low, &high);
    hide(add, 0, at_most(less(low, key), n_keys));
    hide(add, at_most(less(high, key), n_keys), n_keys);
    for (size_t j = 0; mask->hidden_keys != NULL && j < n_keys; j++)
        if (mask->hidden_keys[key + j])
            add[j] = -INFINITY;
    for (size_t i = 0; i < mask->n_matrices; i++)
        add_matrix(&mask->matrices[i], head, query, key, n_keys, add);
}
