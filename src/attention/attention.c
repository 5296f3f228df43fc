/* attention.c: the entries of attention.h: check, then the streaming driver (and what it leaves in doubt), or exact
 * rows. */
#include "config.h"

#include "attention/attention.h"

#include "attention/rows.h"
#include "attention/settle.h"
#include "attention/stream.h"

#include "base/memory.h"

#include <string.h>

static attn_status check(const attn_attention *attention, attn_error *error)
{
    const attn_rule *rule = attention->rule;
    attn_status status = attn_rule_check(rule, error);
    if (status == ATTN_OK && rule->relative.values != NULL && rule->relative.n_buckets == 0)
        status = attn_fail(error, ATTN_EDATA, "a relative bias needs at least one bucket");
    if (status == ATTN_OK && attention->mask != NULL)
        status = attn_mask_check(attention->mask, rule->n_heads, attention->n_queries, attention->n_keys, error);
    return status;
}

attn_status attn_attention_run(const attn_attention *attention, float *out, size_t out_stride, attn_pool *pool,
                               attn_error *error)
{
    const attn_rule *rule = attention->rule;
    attn_status status = check(attention, error);
    if (status != ATTN_OK)
        return status;
    attn_doubts doubts = {.n_heads = rule->n_heads};
    doubts.rows = attn_calloc_array(doubts.n_heads, attention->n_queries);
    if (doubts.rows == NULL)
        return attn_fail_memory(error);
    if (attn_rows_are_wide(attention))
        memset(doubts.rows, 1, doubts.n_heads * attention->n_queries);
    else
        status = attn_stream(attention, out, out_stride, pool, &doubts, error);
    if (status == ATTN_OK)
        status = attn_settle(attention, &doubts, out, out_stride, pool, error);
    attn_free(doubts.rows);
    return status;
}

attn_status attn_attention_rows(const attn_attention *attention, attn_rows_kind kind, size_t head, size_t n_heads,
                                size_t query, size_t n_queries, float *rows, uint8_t *visible, attn_error *error)
{
    attn_rows_wanted wanted = {.kind = kind,
                               .head = head,
                               .n_heads = n_heads,
                               .query = query,
                               .n_queries = n_queries,
                               .rows = rows,
                               .visible = visible};
    attn_status status = check(attention, error);
    return status == ATTN_OK ? attn_exact_rows(attention, &wanted, error) : status;
}
