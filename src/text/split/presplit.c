/* presplit.c: see presplit.h. A step finds stretches in each word and a behaviour says what becomes
 * of them: the same five behaviours as tokenizer.json's. Used by coder.c. */
#include "config.h"

#include "text/byte_alphabet.h"
#include "text/split/pattern.h"
#include "text/split/presplit.h"
#include "text/split/split.h"
#include "text/unicode/script.h"
#include "text/unicode/unicode.h"

#include "base/utf8.h"

#include <string.h>

typedef struct compiled_step {
    attn_presplit_step step; /* its bytes lie in the program's arena */
    attn_pattern *pattern;   /* the program's; PATTERN with a regular expression */
} compiled_step;

/* ---- finding ---- */

typedef bool character_test(int32_t code);

/* The next stretch at or after FROM that STEP finds in TEXT. */
typedef struct finder {
    const compiled_step *compiled;
    attn_bytes text;
    attn_pattern_search search; /* PATTERN with a regular expression */
} finder;

static bool find_character(attn_bytes text, size_t from, character_test *test, size_t *start, size_t *end)
{
    size_t length;
    for (size_t at = from; at < text.size; at += length)
        if (test(attn_utf8_decode(text, at, &length))) {
            *start = at;
            *end = at + length;
            return true;
        }
    return false;
}

/* \w+|[^\w\s]+ */
static bool find_words(attn_bytes text, size_t from, size_t *start, size_t *end)
{
    size_t length;
    int32_t code = 0;
    while (from < text.size && attn_char_is_space(code = attn_utf8_decode(text, from, &length)))
        from += length;
    if (from >= text.size)
        return false;
    const bool word = attn_char_is_word(code);
    *start = from;
    for (*end = from + length; *end < text.size; *end += length) {
        code = attn_utf8_decode(text, *end, &length);
        if (attn_char_is_word(code) != word || (!word && attn_char_is_space(code)))
            break;
    }
    return true;
}

/* COUNT characters. */
static bool find_length(attn_bytes text, size_t from, size_t count, size_t *start, size_t *end)
{
    size_t length;
    *start = *end = from;
    for (; *end < text.size && count > 0; count--, *end += length)
        attn_utf8_decode(text, *end, &length);
    return *end > from;
}

/* Characters of one script; Kana count as Han, a space and what is of no script go with what is before them. What stands
 * before the first character of a script is no part of any: it is left out. */
static bool find_script(attn_bytes text, size_t from, size_t *start, size_t *end)
{
    uint8_t script = ATTN_SCRIPT_NONE;
    size_t length;
    *start = text.size;
    for (*end = from; *end < text.size; *end += length) {
        const int32_t code = attn_utf8_decode(text, *end, &length);
        const uint8_t here = code == ' ' ? ATTN_SCRIPT_NONE : attn_script_of(code);
        if (here == ATTN_SCRIPT_NONE || here == script)
            continue;
        if (script != ATTN_SCRIPT_NONE)
            break;
        *start = *end;
        script = here;
    }
    return *start < text.size;
}

static bool find_string(attn_bytes text, size_t from, attn_bytes pattern, size_t *start, size_t *end)
{
    while (pattern.size > 0 && text.size >= pattern.size && from <= text.size - pattern.size) {
        const uint8_t *found = memchr(text.data + from, pattern.data[0], text.size - pattern.size - from + 1);
        if (found == NULL)
            return false;
        from = (size_t)(found - text.data);
        if (memcmp(found, pattern.data, pattern.size) == 0) {
            *start = from;
            *end = from + pattern.size;
            return true;
        }
        from++;
    }
    return false;
}

static bool find_next(finder *f, size_t from, size_t *start, size_t *end)
{
    const attn_presplit_step *step = &f->compiled->step;
    switch (step->op) {
    case ATTN_PRESPLIT_RULE:
        if (from >= f->text.size)
            return false;
        *start = from;
        *end = attn_split_end(step->rule, f->text, from);
        return true;
    case ATTN_PRESPLIT_PATTERN:
        return step->regex ? attn_pattern_next(&f->search, start, end)
                           : find_string(f->text, from, step->pattern, start, end);
    case ATTN_PRESPLIT_METASPACE:
        return find_string(f->text, from, step->pattern, start, end);
    case ATTN_PRESPLIT_WORDS:
        return find_words(f->text, from, start, end);
    case ATTN_PRESPLIT_WHITESPACE:
    case ATTN_PRESPLIT_BERT:
        return find_character(f->text, from, attn_char_is_space, start, end);
    case ATTN_PRESPLIT_DIGITS:
        return find_character(f->text, from, attn_char_is_number, start, end);
    case ATTN_PRESPLIT_PUNCTUATION:
        return find_character(f->text, from, attn_char_is_punctuation, start, end);
    case ATTN_PRESPLIT_LENGTH:
        return find_length(f->text, from, step->length, start, end);
    case ATTN_PRESPLIT_SCRIPTS:
        return find_script(f->text, from, start, end);
    case ATTN_PRESPLIT_PREFIX:
    case ATTN_PRESPLIT_SPELL:
        break;
    }
    return false;
}

/* ---- behaviours ---- */

static attn_status put_word(attn_words *words, size_t start, size_t end, attn_error *error)
{
    void *items = words->items;
    if (!attn_grow(&items, &words->capacity, words->count, sizeof *words->items))
        return attn_fail_memory(error);
    words->items = items;
    words->items[words->count++] = (attn_word){start, end};
    return ATTN_OK;
}

typedef struct splitting {
    attn_words *words;
    attn_split_behavior behavior;
    bool invert;
    size_t first;      /* index of the first word of the piece being split */
    bool found_before; /* what the last stretch was */
    bool pending;      /* MERGED_WITH_NEXT: a found stretch waits */
    size_t pending_at;
    attn_error *error;
} splitting;

/* A stretch of the piece: FOUND or between. What a pattern finds may be empty: words end and begin there. */
static attn_status put_stretch(splitting *s, size_t start, size_t end, bool found)
{
    attn_words *words = s->words;
    const bool before = s->found_before, any = words->count > s->first;
    if (start == end && !found)
        return ATTN_OK;
    found = found != s->invert;
    s->found_before = found;
    switch (s->behavior) {
    case ATTN_SPLIT_REMOVED:
        return found ? ATTN_OK : put_word(words, start, end, s->error);
    case ATTN_SPLIT_ISOLATED:
        break;
    case ATTN_SPLIT_CONTIGUOUS:
        if (any && before == found) {
            words->items[words->count - 1].end = end;
            return ATTN_OK;
        }
        break;
    case ATTN_SPLIT_MERGED_WITH_PREVIOUS:
        if (any && found && !before) {
            words->items[words->count - 1].end = end;
            return ATTN_OK;
        }
        break;
    case ATTN_SPLIT_MERGED_WITH_NEXT:
        if (found) { /* of several found in a row the last goes with what follows */
            attn_status status = s->pending ? put_word(words, s->pending_at, start, s->error) : ATTN_OK;
            s->pending = true;
            s->pending_at = start;
            return status;
        }
        start = s->pending ? s->pending_at : start;
        s->pending = false;
        break;
    }
    return put_word(words, start, end, s->error);
}

/* Takes out the empty words from FIRST on: what an empty match has left, which its neighbours may have joined. */
static void drop_empty(attn_words *words, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < words->count; i++)
        if (words->items[i].end > words->items[i].start)
            words->items[kept++] = words->items[i];
    words->count = kept;
}

/* How F's pattern has done in the word of RUN that begins at START. */
static attn_status pattern_status(const finder *f, const attn_run *run, size_t start, attn_error *error)
{
    const attn_rewrite origins = {.text = run->text, .starts = run->starts, .ends = run->ends};
    attn_status status = attn_pattern_status(&f->search, error);
    if (status == ATTN_EDATA)
        attn_error_offset(error, run->base + attn_rewrite_origin(&origins, start + f->search.at));
    return status;
}

/* Splits the word FROM by what F finds in it. */
static attn_status split_word(finder *f, const attn_words *words, attn_word word, splitting *s)
{
    size_t at = 0, start, end;
    attn_status status = ATTN_OK;
    f->text = (attn_bytes){words->run.text.data + word.start, word.end - word.start};
    s->first = s->words->count;
    s->pending = s->found_before = false;
    if (f->compiled->pattern != NULL)
        attn_pattern_restart(&f->search, f->text);
    while (status == ATTN_OK && find_next(f, at, &start, &end)) {
        status = put_stretch(s, word.start + at, word.start + start, false);
        if (status == ATTN_OK)
            status = put_stretch(s, word.start + start, word.start + end, true);
        at = end;
    }
    if (status == ATTN_OK && f->compiled->pattern != NULL)
        status = pattern_status(f, &words->run, word.start, s->error);
    if (status == ATTN_OK)
        status = put_stretch(s, word.start + at, word.end, false);
    if (status == ATTN_OK && s->pending)
        status = put_word(s->words, s->pending_at, word.end, s->error);
    if (f->compiled->pattern != NULL)
        drop_empty(s->words, s->first);
    return status;
}

static attn_split_behavior behavior_of(const attn_presplit_step *step)
{
    switch (step->op) {
    case ATTN_PRESPLIT_WHITESPACE:
    case ATTN_PRESPLIT_BERT:
    case ATTN_PRESPLIT_WORDS:
    case ATTN_PRESPLIT_SCRIPTS:
        return ATTN_SPLIT_REMOVED;
    case ATTN_PRESPLIT_METASPACE:
        return ATTN_SPLIT_MERGED_WITH_NEXT;
    case ATTN_PRESPLIT_LENGTH:
        return ATTN_SPLIT_ISOLATED;
    case ATTN_PRESPLIT_DIGITS:
        return step->individual ? ATTN_SPLIT_ISOLATED : ATTN_SPLIT_CONTIGUOUS;
    default:
        return step->behavior;
    }
}

/* Whether the step finds what stays, so that what lies between is removed. */
static bool finds_words(attn_presplit_op op)
{
    return op == ATTN_PRESPLIT_WORDS || op == ATTN_PRESPLIT_SCRIPTS;
}

/* Whether the step changes the text. */
static bool rewrites(attn_presplit_op op)
{
    return op == ATTN_PRESPLIT_PREFIX || op == ATTN_PRESPLIT_METASPACE || op == ATTN_PRESPLIT_SPELL;
}

/* Every word by STEP; the words change places with the spare ones. */
static attn_status split_words(const compiled_step *compiled, attn_words *words, attn_error *error)
{
    finder f = {.compiled = compiled};
    attn_words next = {.items = words->spare, .capacity = words->spare_capacity};
    splitting s = {.words = &next,
                   .behavior = behavior_of(&compiled->step),
                   .error = error,
                   .invert = compiled->step.invert || finds_words(compiled->step.op)};
    attn_status status = ATTN_OK;
    if (compiled->pattern != NULL)
        status = attn_pattern_begin(compiled->pattern, words->run.text, &f.search, error);
    f.search.empty = true;
    for (size_t i = 0; i < words->count && status == ATTN_OK; i++)
        status = split_word(&f, words, words->items[i], &s);
    if (compiled->pattern != NULL)
        attn_pattern_end(&f.search);
    words->spare = words->items;
    words->spare_capacity = words->capacity;
    words->items = next.items;
    words->count = next.count;
    words->capacity = next.capacity;
    return status;
}

/* ---- steps that change the text ---- */

static const attn_presplit_step bert_punctuation = {.op = ATTN_PRESPLIT_PUNCTUATION, .behavior = ATTN_SPLIT_ISOLATED};

/* Whether the word AT of SOURCE gets MARK put before it. */
static bool wants_prefix(const attn_presplit_step *step, const attn_words *words, attn_word word, attn_bytes mark)
{
    const uint8_t *data = words->run.text.data + word.start;
    size_t size = word.end - word.start,
           origin = words->run.starts != NULL ? words->run.starts[word.start] : word.start;
    if (step->op == ATTN_PRESPLIT_SPELL || (size >= mark.size && memcmp(data, mark.data, mark.size) == 0))
        return false;
    if (step->op == ATTN_PRESPLIT_PREFIX)
        return true;
    if (size > 0 && data[0] == ' ') /* it becomes a mark */
        return false;
    return step->prepend == ATTN_PREPEND_ALWAYS ||
           (step->prepend == ATTN_PREPEND_FIRST && words->run.base + origin == 0);
}

/* What becomes of the byte AT. */
static attn_status rewrite_byte(const attn_presplit_step *step, attn_bytes mark, size_t at, attn_rewrite *rewriting)
{
    const uint8_t byte = rewriting->text.data[at];
    if (step->op == ATTN_PRESPLIT_SPELL)
        return attn_rewrite_code(rewriting, at, at + 1, (int32_t)attn_byte_alphabet_code(byte));
    return step->op == ATTN_PRESPLIT_METASPACE && byte == ' '
               ? attn_rewrite_replace(rewriting, at, at + 1, mark.data, mark.size)
               : ATTN_OK;
}

/* One word: a mark before it where wanted, and for METASPACE ' ' as the mark; for SPELL its bytes as letters. */
static attn_status rewrite_word(const attn_presplit_step *step, const attn_words *words, attn_word word,
                                attn_bytes mark, attn_rewrite *rewriting)
{
    attn_status status = attn_rewrite_skip(rewriting, rewriting->done, word.start); /* what was taken out before it */
    if (status == ATTN_OK && wants_prefix(step, words, word, mark))
        status = attn_rewrite_put(rewriting, word.start, word.start, mark.data, mark.size);
    for (size_t at = word.start; at < word.end && status == ATTN_OK && step->op != ATTN_PRESPLIT_PREFIX; at++)
        status = rewrite_byte(step, mark, at, rewriting);
    return status == ATTN_OK ? attn_rewrite_skip(rewriting, word.end, word.end) : status;
}

/* Rewrites the text word by word. */
static attn_status rewrite(const attn_presplit_step *step, attn_words *words, attn_error *error)
{
    const attn_bytes space = {(const uint8_t *)" ", 1};
    const attn_bytes mark = step->op == ATTN_PRESPLIT_METASPACE ? step->pattern : space;
    attn_normal out = {0};
    attn_rewrite rewriting = {.text = words->run.text,
                              .starts = words->run.starts,
                              .ends = words->run.ends,
                              .out = &out,
                              .limit = attn_normalize_limit(words->run.text),
                              .error = error};
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < words->count && status == ATTN_OK; i++) {
        const size_t start = out.text.size;
        status = rewrite_word(step, words, words->items[i], mark, &rewriting);
        words->items[i] = (attn_word){start, out.text.size};
    }
    if (status != ATTN_OK) {
        attn_normal_free(&out);
        return status;
    }
    attn_normal_free(&words->text);
    words->text = out;
    words->run.text = attn_buffer_bytes(&out.text);
    words->run.starts = out.starts;
    words->run.ends = out.ends;
    return ATTN_OK;
}

static attn_status run_step(const compiled_step *compiled, attn_words *words, attn_error *error)
{
    const attn_presplit_step *step = &compiled->step;
    const compiled_step punctuation = {.step = bert_punctuation};
    attn_status status = ATTN_OK;
    if (rewrites(step->op))
        status = rewrite(step, words, error);
    if (status == ATTN_OK && (!rewrites(step->op) || (step->op == ATTN_PRESPLIT_METASPACE && step->split)))
        status = split_words(compiled, words, error);
    if (status == ATTN_OK && step->op == ATTN_PRESPLIT_BERT)
        status = split_words(&punctuation, words, error);
    return status;
}

/* ---- programs ---- */

static attn_status compile_step(attn_steps *program, size_t index, const void *list, attn_error *error)
{
    const struct attn_presplitter *presplitter = list;
    compiled_step *compiled = (compiled_step *)program->items + index;
    attn_presplit_step *step = &compiled->step;
    attn_status status;
    *step = presplitter->steps[index];
    if (!attn_steps_keep(program, &step->pattern))
        return attn_fail_memory(error);
    if (step->op != ATTN_PRESPLIT_PATTERN || !step->regex)
        return ATTN_OK;
    step->rule = attn_split_known(step->pattern);
    if (step->rule != ATTN_SPLIT_PATTERN) {
        step->op = ATTN_PRESPLIT_RULE;
        return ATTN_OK;
    }
    status = attn_pattern_open(step->pattern, &program->patterns[index], error);
    compiled->pattern = program->patterns[index];
    return status;
}

attn_status attn_presplit_open(const struct attn_presplitter *presplitter, attn_steps **program, attn_error *error)
{
    return attn_steps_open(presplitter != NULL ? presplitter->n_steps : 0, sizeof(compiled_step), compile_step,
                           presplitter, program, error);
}

/* Every stretch of a text is found by a hand-written rule, so keeping the found ones is the same as
 * isolating them. */
attn_pretokenizer attn_presplit_rule(const attn_steps *program)
{
    const attn_presplit_step *step;
    if (program == NULL || program->n != 1)
        return ATTN_SPLIT_NONE;
    step = &((const compiled_step *)program->items)->step;
    if (step->op != ATTN_PRESPLIT_RULE)
        return ATTN_SPLIT_NONE;
    return (step->behavior == ATTN_SPLIT_ISOLATED && !step->invert) ||
                   (step->behavior == ATTN_SPLIT_REMOVED && step->invert)
               ? step->rule
               : ATTN_SPLIT_NONE;
}

attn_status attn_presplit_run(const attn_steps *program, const attn_run *run, attn_words *words, attn_error *error)
{
    const compiled_step *steps = program != NULL ? program->items : NULL;
    attn_status status;
    words->run = *run;
    words->count = 0;
    status = put_word(words, 0, run->text.size, error);
    for (size_t i = 0; program != NULL && i < program->n && status == ATTN_OK; i++) {
        status = run_step(&steps[i], words, error);
        if (status == ATTN_EDATA)
            attn_error_prefix(error, "step %zu of the pre-tokenizer: ", i + 1);
    }
    return status;
}

void attn_words_free(attn_words *words)
{
    attn_free(words->items);
    attn_free(words->spare);
    attn_normal_free(&words->text);
    *words = (attn_words){0};
}
