/* normalize.c: runs a list of normalizing steps over a text, each from one buffer into another, and
 * composes where the bytes came from. Used by coder.c; knows no vocabulary. */
#include "config.h"

#include "text/unicode/normalize.h"
#include "text/split/pattern.h"
#include "text/unicode/unicode.h"

#include "base/utf8.h"

#include <string.h>

typedef struct compiled_step {
    attn_normalize_step step; /* its bytes lie in the program's arena */
    attn_pattern *pattern;    /* owned; REPLACE with a regular expression */
    attn_charsmap charsmap;   /* PRECOMPILED */
} compiled_step;

struct attn_normalize_program {
    attn_arena arena;
    compiled_step *steps; /* in the arena; [n_steps] */
    size_t n_steps;
};

/* ---- writing ---- */

/* Room for SIZE more bytes and their origins. */
static bool reserve(attn_normal *out, size_t size)
{
    size_t needed, capacity;
    size_t *starts, *ends;
    if (!attn_add(out->text.size, size, &needed) || attn_buffer_room(&out->text, size) == NULL)
        return false;
    if (needed <= out->capacity)
        return true;
    if (!attn_add(needed, needed / 2 + 64, &capacity))
        return false;
    starts = attn_realloc_array(out->starts, capacity, sizeof *starts);
    if (starts == NULL)
        return false;
    out->starts = starts;
    ends = attn_realloc_array(out->ends, capacity, sizeof *ends);
    if (ends == NULL)
        return false;
    out->ends = ends;
    out->capacity = capacity;
    return true;
}

bool attn_normal_copy(attn_normal *out, const attn_source *source, size_t from, size_t to)
{
    size_t size = to - from, at = out->text.size;
    if (size == 0)
        return true;
    if (!reserve(out, size))
        return false;
    memcpy(out->text.data + at, source->text.data + from, size);
    for (size_t i = 0; i < size; i++) {
        out->starts[at + i] = source->starts != NULL ? source->starts[from + i] : from + i;
        out->ends[at + i] = source->ends != NULL ? source->ends[from + i] : from + i + 1;
    }
    out->text.size += size;
    return true;
}

/* Where SOURCE's byte AT begins; past the end, where the last one ends. */
static size_t origin(const attn_source *source, size_t at)
{
    if (source->starts == NULL)
        return at;
    if (at < source->text.size)
        return source->starts[at];
    return at > 0 ? source->ends[at - 1] : 0;
}

bool attn_normal_replace(attn_normal *out, const attn_source *source, size_t from, size_t to, const void *data,
                         size_t size)
{
    size_t at = out->text.size;
    size_t start = origin(source, from), end = start;
    if (size == 0)
        return true;
    if (to > from)
        end = source->ends != NULL ? source->ends[to - 1] : to;
    if (!reserve(out, size))
        return false;
    memcpy(out->text.data + at, data, size);
    for (size_t i = 0; i < size; i++) {
        out->starts[at + i] = start;
        out->ends[at + i] = end;
    }
    out->text.size += size;
    return true;
}

/* ---- steps ---- */

static bool step_replace_string(const attn_normalize_step *step, const attn_source *source, attn_normal *out)
{
    attn_bytes text = source->text, pattern = step->pattern;
    size_t kept = 0, at = 0;
    while (pattern.size > 0 && text.size - at >= pattern.size) {
        const uint8_t *found = memchr(text.data + at, pattern.data[0], text.size - at - pattern.size + 1);
        if (found == NULL)
            break;
        at = (size_t)(found - text.data);
        if (memcmp(found, pattern.data, pattern.size) != 0) {
            at++;
            continue;
        }
        if (!attn_normal_copy(out, source, kept, at) ||
            !attn_normal_replace(out, source, at, at + pattern.size, step->content.data, step->content.size))
            return false;
        at += pattern.size;
        kept = at;
    }
    return attn_normal_copy(out, source, kept, text.size);
}

static bool step_replace_pattern(const compiled_step *compiled, const attn_source *source, attn_normal *out)
{
    attn_pattern_search search = {0};
    size_t kept = 0, start, end;
    bool done = attn_pattern_begin(compiled->pattern, source->text, &search, NULL) == ATTN_OK;
    while (done && attn_pattern_next(&search, &start, &end)) {
        done = attn_normal_copy(out, source, kept, start) &&
               attn_normal_replace(out, source, start, end, compiled->step.content.data, compiled->step.content.size);
        kept = end;
    }
    done = done && attn_pattern_status(&search, NULL) == ATTN_OK;
    attn_pattern_end(&search);
    return done && attn_normal_copy(out, source, kept, source->text.size);
}

static bool step_prepend(const attn_normalize_step *step, const attn_source *source, attn_normal *out)
{
    if (source->text.size > 0 && !attn_normal_replace(out, source, 0, 0, step->content.data, step->content.size))
        return false;
    return attn_normal_copy(out, source, 0, source->text.size);
}

static size_t skip_space(attn_bytes text, size_t at)
{
    size_t length;
    while (at < text.size && attn_char_is_space(attn_utf8_decode(text, at, &length)))
        at += length;
    return at;
}

static bool step_strip(const attn_normalize_step *step, const attn_source *source, attn_normal *out)
{
    attn_bytes text = source->text;
    size_t start = step->left ? skip_space(text, 0) : 0, end = text.size;
    while (step->right && end > start) {
        size_t last = end - 1, length;
        while (last > start && (text.data[last] & 0xc0) == 0x80)
            last--;
        if (!attn_char_is_space(attn_utf8_decode(text, last, &length)))
            break;
        end = last;
    }
    return attn_normal_copy(out, source, start, end);
}

static bool step_collapse(const attn_source *source, attn_normal *out)
{
    attn_bytes text = source->text;
    size_t at = 0, end;
    while (at < text.size && text.data[at] == ' ')
        at++;
    for (; at < text.size; at = end) {
        size_t word = at;
        while (word < text.size && text.data[word] != ' ')
            word++;
        for (end = word; end < text.size && text.data[end] == ' ';)
            end++;
        if (!attn_normal_copy(out, source, at, word) ||
            (end < text.size && !attn_normal_replace(out, source, word, end, " ", 1)))
            return false;
    }
    return true;
}

typedef bool plain_step(const attn_source *source, attn_normal *out);

/* One plain step from *SOURCE; *OUT takes the result and *SOURCE becomes it. */
static bool apply(plain_step *step, attn_source *source, attn_normal *out)
{
    if (!step(source, out))
        return false;
    *source = (attn_source){attn_buffer_bytes(&out->text), out->starts, out->ends};
    return true;
}

static bool step_nfd(const attn_source *source, attn_normal *out)
{
    return attn_step_normal_form(ATTN_NORMALIZE_NFD, source, out);
}

/* BERT's four switches in their order, through buffers of its own. */
static bool step_bert(const attn_normalize_step *step, const attn_source *source, attn_normal *out)
{
    attn_normal buffers[5] = {0};
    attn_source now = *source;
    bool done = (!step->clean_text || apply(attn_step_clean, &now, &buffers[0])) &&
                (!step->split_cjk || apply(attn_step_split_cjk, &now, &buffers[1])) &&
                (!step->strip_accents ||
                 (apply(step_nfd, &now, &buffers[2]) && apply(attn_step_strip_nonspacing, &now, &buffers[3]))) &&
                (!step->lowercase || apply(attn_step_lowercase, &now, &buffers[4])) &&
                attn_normal_copy(out, &now, 0, now.text.size);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        attn_normal_free(&buffers[i]);
    return done;
}

static bool run_step(const compiled_step *compiled, const attn_source *source, attn_normal *out)
{
    const attn_normalize_step *step = &compiled->step;
    switch (step->op) {
    case ATTN_NORMALIZE_NFC:
    case ATTN_NORMALIZE_NFD:
    case ATTN_NORMALIZE_NFKC:
    case ATTN_NORMALIZE_NFKD:
        return attn_step_normal_form(step->op, source, out);
    case ATTN_NORMALIZE_LOWERCASE:
        return attn_step_lowercase(source, out);
    case ATTN_NORMALIZE_STRIP_ACCENTS:
        return attn_step_strip_accents(source, out);
    case ATTN_NORMALIZE_BERT:
        return step_bert(step, source, out);
    case ATTN_NORMALIZE_REPLACE:
        return step->regex ? step_replace_pattern(compiled, source, out) : step_replace_string(step, source, out);
    case ATTN_NORMALIZE_PREPEND:
        return step_prepend(step, source, out);
    case ATTN_NORMALIZE_STRIP:
        return step_strip(step, source, out);
    case ATTN_NORMALIZE_PRECOMPILED:
        return attn_step_charsmap(&compiled->charsmap, step->graphemes, source, out);
    case ATTN_NORMALIZE_NMT:
        return attn_step_nmt(source, out);
    case ATTN_NORMALIZE_COLLAPSE_SPACES:
        return step_collapse(source, out);
    }
    return false;
}

/* ---- programs ---- */

static bool copy_bytes(attn_arena *arena, attn_bytes *bytes)
{
    char *copy = attn_arena_text(arena, (const char *)bytes->data, bytes->size);
    bytes->data = (const uint8_t *)copy;
    return copy != NULL;
}

static attn_status open_step(attn_normalize_program *program, compiled_step *compiled, attn_error *error)
{
    attn_normalize_step *step = &compiled->step;
    if (!copy_bytes(&program->arena, &step->pattern) || !copy_bytes(&program->arena, &step->content))
        return attn_fail_memory(error);
    if (step->op == ATTN_NORMALIZE_PRECOMPILED)
        return attn_charsmap_open(step->pattern, &compiled->charsmap, error);
    if (step->op == ATTN_NORMALIZE_REPLACE && step->regex)
        return attn_pattern_open(step->pattern, &compiled->pattern, error);
    return ATTN_OK;
}

attn_status attn_normalize_open(const struct attn_normalizer *normalizer, attn_normalize_program **program,
                                attn_error *error)
{
    attn_normalize_program *made;
    attn_status status = ATTN_OK;
    *program = NULL;
    if (normalizer == NULL || normalizer->n_steps == 0)
        return ATTN_OK;
    made = attn_calloc_array(1, sizeof *made);
    if (made == NULL)
        return attn_fail_memory(error);
    made->steps = attn_arena_alloc(&made->arena, normalizer->n_steps, sizeof *made->steps);
    if (made->steps == NULL)
        status = attn_fail_memory(error);
    for (size_t i = 0; i < normalizer->n_steps && status == ATTN_OK; i++) {
        made->steps[i] = (compiled_step){.step = normalizer->steps[i]};
        made->n_steps = i + 1;
        status = open_step(made, &made->steps[i], error);
    }
    if (status != ATTN_OK) {
        attn_normalize_close(made);
        return status;
    }
    *program = made;
    return ATTN_OK;
}

void attn_normalize_close(attn_normalize_program *program)
{
    if (program == NULL)
        return;
    for (size_t i = 0; i < program->n_steps; i++)
        attn_pattern_close(program->steps[i].pattern);
    attn_arena_free(&program->arena);
    attn_free(program);
}

static bool changes_nothing(const attn_normalize_step *step, bool is_text, attn_bytes text)
{
    if (step->op <= ATTN_NORMALIZE_NFKD)
        return attn_is_in_form(step->op, text);
    return step->dummy && !is_text;
}

attn_status attn_normalize_run(const attn_normalize_program *program, bool lowercase, bool is_text, attn_bytes raw,
                               attn_normal *normal, attn_error *error)
{
    const size_t n_steps = program != NULL ? program->n_steps : 0;
    const compiled_step lower = {.step = {.op = ATTN_NORMALIZE_LOWERCASE}};
    attn_source source = {raw, NULL, NULL};
    attn_normal now = {0};
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < n_steps + lowercase && status == ATTN_OK; i++) {
        const compiled_step *step = i < n_steps ? &program->steps[i] : &lower;
        attn_normal next = {0};
        if (changes_nothing(&step->step, is_text, source.text))
            continue;
        if (!run_step(step, &source, &next))
            status = attn_fail_memory(error);
        attn_normal_free(&now);
        now = next;
        source = (attn_source){attn_buffer_bytes(&now.text), now.starts, now.ends};
    }
    if (status != ATTN_OK || source.text.data == raw.data) {
        attn_normal_free(&now);
        now = (attn_normal){.same = status == ATTN_OK};
    }
    *normal = now;
    return status;
}
