/* normalize.c: runs a list of normalizing steps over a text, each from one buffer into another. Used by coder.c; knows
 * no vocabulary. */
#include "config.h"

#include "text/unicode/normalize.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/split/pattern.h"
#include "text/unicode/bert_normal.h"
#include "text/unicode/by_character.h"
#include "text/unicode/charsmap.h"
#include "text/unicode/unicode.h"

#include <string.h>

typedef struct compiled_step {
    attn_normalize_step step; /* its bytes lie in the program's arena */
    attn_pattern *pattern;    /* the program's; REPLACE with a regular expression */
    attn_charsmap charsmap;   /* PRECOMPILED */
    attn_spm_normal spm;      /* SENTENCEPIECE */
} compiled_step;

/* ---- steps ---- */

_Static_assert((int)ATTN_FORM_NFC == (int)ATTN_NORMALIZE_NFC && (int)ATTN_FORM_NFKD == (int)ATTN_NORMALIZE_NFKD,
               "the forms are the first operations, in their order");

static attn_status step_form(const compiled_step *compiled, attn_rewrite *rewrite)
{
    attn_codes codes = {0};
    const attn_status status = attn_form_rewrite((attn_form)compiled->step.op, &codes, rewrite);
    attn_codes_free(&codes);
    return status;
}

static attn_status step_lowercase(const compiled_step *compiled, attn_rewrite *rewrite)
{
    (void)compiled;
    return attn_rewrite_lowercase(true, rewrite);
}

static attn_status step_strip_accents(const compiled_step *compiled, attn_rewrite *rewrite)
{
    return attn_rewrite_strip_marks(compiled->step.combining, rewrite);
}

static attn_status step_bert(const compiled_step *compiled, attn_rewrite *rewrite)
{
    const attn_normalize_step *step = &compiled->step;
    const attn_bert_fold fold = {.rules = step->python ? ATTN_BERT_PYTHON : ATTN_BERT_RUST,
                                 .clean_text = step->clean_text,
                                 .split_cjk = step->split_cjk,
                                 .strip_accents = step->strip_accents,
                                 .lowercase = step->lowercase};
    return attn_bert_rewrite(&fold, rewrite);
}

static attn_status replace_string(const attn_normalize_step *step, attn_rewrite *rewrite)
{
    const attn_bytes text = rewrite->text, pattern = step->pattern;
    attn_status status = ATTN_OK;
    size_t at = 0;
    while (pattern.size > 0 && text.size - at >= pattern.size && status == ATTN_OK) {
        const uint8_t *found = memchr(text.data + at, pattern.data[0], text.size - at - pattern.size + 1);
        if (found == NULL)
            break;
        at = (size_t)(found - text.data);
        if (memcmp(found, pattern.data, pattern.size) != 0) {
            at++;
            continue;
        }
        status = attn_rewrite_replace(rewrite, at, at + pattern.size, step->content.data, step->content.size);
        at += pattern.size;
    }
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}

static attn_status replace_pattern(const compiled_step *compiled, attn_rewrite *rewrite)
{
    const attn_bytes content = compiled->step.content;
    attn_pattern_search search = {0};
    size_t start, end;
    attn_status status = attn_pattern_begin(compiled->pattern, rewrite->text, &search, rewrite->error);
    search.empty = true;
    while (status == ATTN_OK && attn_pattern_next(&search, &start, &end))
        status = attn_rewrite_replace(rewrite, start, end, content.data, content.size);
    if (status == ATTN_OK && (status = attn_pattern_status(&search, rewrite->error)) == ATTN_EDATA)
        attn_error_offset(rewrite->error, attn_rewrite_origin(rewrite, search.at));
    attn_pattern_end(&search);
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}

static attn_status step_replace(const compiled_step *compiled, attn_rewrite *rewrite)
{
    return compiled->step.regex ? replace_pattern(compiled, rewrite) : replace_string(&compiled->step, rewrite);
}

static attn_status step_prepend(const compiled_step *compiled, attn_rewrite *rewrite)
{
    const attn_bytes content = compiled->step.content;
    attn_status status = ATTN_OK;
    if (rewrite->text.size > 0)
        status = attn_rewrite_replace(rewrite, 0, 0, content.data, content.size);
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}

static size_t skip_space(attn_bytes text, size_t at)
{
    size_t length;
    while (at < text.size && attn_char_is_space(attn_utf8_decode(text, at, &length)))
        at += length;
    return at;
}

static attn_status step_strip(const compiled_step *compiled, attn_rewrite *rewrite)
{
    const attn_bytes text = rewrite->text;
    const size_t start = compiled->step.left ? skip_space(text, 0) : 0;
    size_t end = text.size, last, length;
    attn_status status = attn_rewrite_skip(rewrite, 0, start);
    while (compiled->step.right && end > start) {
        for (last = end - 1; last > start && (text.data[last] & 0xc0) == 0x80; last--)
            continue;
        if (!attn_char_is_space(attn_utf8_decode(text, last, &length)))
            break;
        end = last;
    }
    if (status == ATTN_OK && end < text.size)
        status = attn_rewrite_skip(rewrite, end, text.size);
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}

static attn_status step_charsmap(const compiled_step *compiled, attn_rewrite *rewrite)
{
    return attn_charsmap_rewrite(&compiled->charsmap, compiled->step.graphemes, rewrite);
}

static attn_status step_nmt(const compiled_step *compiled, attn_rewrite *rewrite)
{
    (void)compiled;
    return attn_rewrite_nmt(rewrite);
}

static attn_status step_byte_level(const compiled_step *compiled, attn_rewrite *rewrite)
{
    attn_status status = ATTN_OK;
    (void)compiled;
    for (size_t at = 0; at < rewrite->text.size && status == ATTN_OK; at++)
        status = attn_rewrite_code(rewrite, at, at + 1, (int32_t)attn_byte_alphabet_code(rewrite->text.data[at]));
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}

static size_t skip_blanks(attn_bytes text, size_t at)
{
    while (at < text.size && text.data[at] == ' ')
        at++;
    return at;
}

static attn_status step_collapse(const compiled_step *compiled, attn_rewrite *rewrite)
{
    const attn_bytes text = rewrite->text;
    attn_status status = attn_rewrite_skip(rewrite, 0, skip_blanks(text, 0));
    (void)compiled;
    for (size_t at = rewrite->done, end; at < text.size && status == ATTN_OK; at = end) {
        const uint8_t *blank = memchr(text.data + at, ' ', text.size - at);
        if (blank == NULL)
            break;
        at = (size_t)(blank - text.data);
        end = skip_blanks(text, at);
        if (end == text.size)
            status = attn_rewrite_skip(rewrite, at, end);
        else if (end > at + 1)
            status = attn_rewrite_replace(rewrite, at, end, " ", 1);
    }
    return status == ATTN_OK ? attn_rewrite_end(rewrite) : status;
}

static attn_status step_sentencepiece(const compiled_step *compiled, attn_rewrite *rewrite)
{
    return attn_spm_normal_rewrite(&compiled->spm, rewrite);
}

static const struct {
    const char *name; /* in tokenizer.json; the last two are SentencePiece's own only */
    attn_status (*run)(const compiled_step *compiled, attn_rewrite *rewrite);
} operations[] = {[ATTN_NORMALIZE_NFC] = {"NFC", step_form},
                  [ATTN_NORMALIZE_NFD] = {"NFD", step_form},
                  [ATTN_NORMALIZE_NFKC] = {"NFKC", step_form},
                  [ATTN_NORMALIZE_NFKD] = {"NFKD", step_form},
                  [ATTN_NORMALIZE_LOWERCASE] = {"Lowercase", step_lowercase},
                  [ATTN_NORMALIZE_STRIP_ACCENTS] = {"StripAccents", step_strip_accents},
                  [ATTN_NORMALIZE_BERT] = {"BertNormalizer", step_bert},
                  [ATTN_NORMALIZE_REPLACE] = {"Replace", step_replace},
                  [ATTN_NORMALIZE_PREPEND] = {"Prepend", step_prepend},
                  [ATTN_NORMALIZE_STRIP] = {"Strip", step_strip},
                  [ATTN_NORMALIZE_PRECOMPILED] = {"Precompiled", step_charsmap},
                  [ATTN_NORMALIZE_NMT] = {"Nmt", step_nmt},
                  [ATTN_NORMALIZE_BYTE_LEVEL] = {"ByteLevel", step_byte_level},
                  [ATTN_NORMALIZE_COLLAPSE_SPACES] = {"remove_extra_whitespaces", step_collapse},
                  [ATTN_NORMALIZE_SENTENCEPIECE] = {"SentencePiece", step_sentencepiece}};

const char *attn_normalize_name(attn_normalize_op op)
{
    return operations[op].name;
}

/* ---- programs ---- */

static attn_status compile_sentencepiece(attn_steps *program, compiled_step *compiled, attn_error *error)
{
    const attn_normalize_step *step = &compiled->step;
    compiled->spm.rules = step->rules;
    compiled->spm.has_map = step->pattern.size > 0;
    if (!attn_spm_normal_open(&compiled->spm, &program->arena, step->symbols, step->n_symbols))
        return attn_fail_memory(error);
    return compiled->spm.has_map ? attn_charsmap_open(step->pattern, &compiled->spm.map, error) : ATTN_OK;
}

static attn_status compile_step(attn_steps *program, size_t index, const void *list, attn_error *error)
{
    const struct attn_normalizer *normalizer = list;
    compiled_step *compiled = (compiled_step *)program->items + index;
    attn_normalize_step *step = &compiled->step;
    attn_status status = ATTN_OK;
    *step = normalizer->steps[index];
    if (!attn_steps_keep(program, &step->pattern) || !attn_steps_keep(program, &step->content))
        return attn_fail_memory(error);
    if (step->op == ATTN_NORMALIZE_SENTENCEPIECE)
        return compile_sentencepiece(program, compiled, error);
    if (step->op == ATTN_NORMALIZE_PRECOMPILED)
        return attn_charsmap_open(step->pattern, &compiled->charsmap, error);
    if (step->op == ATTN_NORMALIZE_REPLACE && step->regex)
        status = attn_pattern_open(step->pattern, &program->patterns[index], error);
    compiled->pattern = program->patterns[index];
    return status;
}

attn_status attn_normalize_open(const struct attn_normalizer *normalizer, attn_steps **program, attn_error *error)
{
    return attn_steps_open(normalizer != NULL ? normalizer->n_steps : 0, sizeof(compiled_step), compile_step,
                           normalizer, program, error);
}

size_t attn_normalize_limit(attn_bytes raw)
{
    enum { TIMES = 64, SLACK = 64 * 1024 };
    size_t limit;
    return attn_multiply(raw.size, TIMES, &limit) && attn_add(limit, SLACK, &limit) ? limit : SIZE_MAX;
}

/* STEP, the INDEXth, from *NORMAL (RAW where that is the same) to *NORMAL. */
static attn_status apply(const compiled_step *step, size_t index, attn_bytes raw, attn_normal *normal,
                         attn_error *error)
{
    attn_normal next = {0};
    attn_rewrite rewrite = {.text = normal->same ? raw : attn_buffer_bytes(&normal->text),
                            .starts = normal->starts,
                            .ends = normal->ends,
                            .out = &next,
                            .limit = attn_normalize_limit(raw),
                            .error = error};
    attn_status status = operations[step->step.op].run(step, &rewrite);
    if (status == ATTN_EDATA)
        attn_error_prefix(error, "step %zu of the normalizer, %s: ", index + 1, attn_normalize_name(step->step.op));
    if (status == ATTN_OK && (rewrite.done > 0 || next.text.size > 0)) { /* something has changed */
        attn_normal_free(normal);
        *normal = next;
    } else {
        attn_normal_free(&next);
    }
    return status;
}

attn_status attn_normalize_run(const attn_steps *program, bool lowercase, bool is_text, attn_bytes raw,
                               attn_normal *normal, attn_error *error)
{
    const size_t n_steps = program != NULL ? program->n : 0;
    const compiled_step *steps = program != NULL ? program->items : NULL;
    const compiled_step lower = {.step = {.op = ATTN_NORMALIZE_LOWERCASE}};
    attn_status status = ATTN_OK;
    normal->same = true;
    for (size_t i = 0; i < n_steps + lowercase && status == ATTN_OK; i++) {
        const compiled_step *step = i < n_steps ? &steps[i] : &lower;
        if (is_text || !step->step.dummy)
            status = apply(step, i, raw, normal, error);
    }
    if (status != ATTN_OK)
        attn_normal_free(normal);
    return status;
}
