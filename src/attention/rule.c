/* rule.c: the table of score rules, and what a rule may be. The arithmetic itself is in the drivers. */
#include "config.h"

#include "attention/attention.h"

#include <math.h>
#include <string.h>

static const attn_score_info scores[ATTN_N_SCORES] = {
    [ATTN_SCORE_SCALED] = {"scaled", "q.k / sqrt(head_dim)", true},
    [ATTN_SCORE_DOT] = {"dot", "q.k", true},
    [ATTN_SCORE_COSINE] = {"cosine", "q.k / (|q| |k|)", true},
    [ATTN_SCORE_ADDITIVE] = {"additive", "v_A . tanh(q + k)", true},
    [ATTN_SCORE_GAUSSIAN] = {"gaussian", "-|q - k|^2 / 2", true},
    [ATTN_SCORE_GRAVITY] = {"gravity", "1 / |q - k|^2, divided by the row's sum", false},
};

const attn_score_info *attn_score_of(attn_score score)
{
    return &scores[score];
}

bool attn_score_find(const char *name, attn_score *score)
{
    for (size_t i = 0; i < ATTN_N_SCORES; i++) {
        if (strcmp(scores[i].name, name) == 0) {
            *score = (attn_score)i;
            return true;
        }
    }
    return false;
}

attn_rule attn_rule_default(void)
{
    return (attn_rule){.n_heads = 1, .n_kv_heads = 1, .score = ATTN_SCORE_SCALED, .scale = NAN, .temperature = 1};
}

float attn_rule_scale(const attn_rule *rule)
{
    if (!isnan(rule->scale))
        return rule->scale;
    switch (rule->score) {
    case ATTN_SCORE_SCALED:
        return (float)(1 / sqrt((double)rule->head_dim));
    case ATTN_SCORE_GAUSSIAN:
        return 0.5F;
    default:
        return 1;
    }
}

attn_status attn_rule_check(const attn_rule *rule, attn_error *error)
{
    if (rule->n_heads == 0 || rule->n_kv_heads == 0 || rule->head_dim == 0 || rule->value_dim == 0)
        return attn_fail(error, ATTN_EDATA, "attention needs at least one head of at least one number");
    if (rule->n_heads % rule->n_kv_heads != 0)
        return attn_fail(error, ATTN_EDATA, "%zu heads can not share %zu key/value heads evenly", rule->n_heads,
                         rule->n_kv_heads);
    if (!(rule->temperature > 0) || !isfinite(rule->temperature) || !isfinite(1 / rule->temperature))
        return attn_fail(error, ATTN_EDATA, "the temperature must be above 0, and 1/temperature finite");
    if (!(rule->softcap >= 0) || !isfinite(rule->softcap))
        return attn_fail(error, ATTN_EDATA, "the soft-cap must be 0 (none) or above");
    if (isinf(rule->scale))
        return attn_fail(error, ATTN_EDATA, "the scale must be finite");
    if (rule->score == ATTN_SCORE_ADDITIVE && rule->v_A == NULL)
        return attn_fail(error, ATTN_EDATA, "additive scores need the vector v_A");
    if (!scores[rule->score].softmax && (rule->softcap > 0 || rule->sinks != NULL))
        return attn_fail(error, ATTN_EDATA, "%s scores take no soft-cap and no sinks", scores[rule->score].name);
    return ATTN_OK;
}
