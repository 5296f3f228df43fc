/* pattern.c: see pattern.h. The only file that includes pcre2.h. */
#include "config.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/split/pattern.h"

enum {
    WINDOW = 256,      /* bytes that a match sees at first: words are shorter */
    WINDOW_STEPS = 64, /* of the compiled code in a window; published patterns need 30 at most */
    SMALL_STACK = 32 * 1024,
    LARGE_STACK = 16 * 1024 * 1024, /* bytes that a counted match may use at the outside */
    LARGE_HEAP = 64 * 1024          /* the same in KB where there is no compiler for this machine */
};

struct attn_pattern {
    pcre2_general_context *general; /* owned, as all below */
    pcre2_match_context *limits;    /* of a match in a window */
    pcre2_code *code;
    bool compiled;          /* to machine code */
    char *source;           /* as it was given, for messages */
    attn_buffer translated; /* for the code that counts */
};

/* What counts the steps of a match: the same pattern with a callout at each of its items. */
typedef struct attn_pattern_slow {
    pcre2_code *code;             /* owned, as all below */
    pcre2_match_context *context; /* calls back */
    pcre2_jit_stack *stack;
    size_t last; /* where in the text the last callout was */
} attn_pattern_slow;

static void *pattern_malloc(size_t size, void *context)
{
    (void)context;
    return attn_alloc(size);
}

static void pattern_free(void *pointer, void *context)
{
    (void)context;
    attn_free(pointer);
}

/* ---- patterns ---- */

static attn_status compile(const attn_pattern *pattern, uint32_t options, pcre2_code **compiled, attn_error *error)
{
    const attn_bytes source = attn_buffer_bytes(&pattern->translated);
    int code = 0;
    PCRE2_SIZE offset = 0;
    PCRE2_UCHAR message[200];
    pcre2_compile_context *context = pcre2_compile_context_create(pattern->general);
    if (context == NULL)
        return attn_fail_memory(error);
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    *compiled = pcre2_compile(source.data, source.size,
                              PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | options, &code,
                              &offset, context);
    pcre2_compile_context_free(context);
    if (*compiled != NULL)
        return ATTN_OK;
    if (code == PCRE2_ERROR_HEAP_FAILED)
        return attn_fail_memory(error);
    pcre2_get_error_message(code, message, sizeof message);
    return attn_fail(error, ATTN_EDATA, "expected a regular expression, found '%.*s' (%s)",
                     (int)(source.size < 200 ? source.size : 200), (const char *)source.data, (const char *)message);
}

static attn_status open_contexts(attn_pattern *pattern, attn_bytes source, attn_error *error)
{
    pattern->source = attn_copy_text((const char *)source.data, source.size);
    pattern->general = pcre2_general_context_create(pattern_malloc, pattern_free, NULL);
    if (pattern->general != NULL)
        pattern->limits = pcre2_match_context_create(pattern->general);
    if (pattern->limits == NULL || pattern->source == NULL)
        return attn_fail_memory(error);
    pcre2_set_match_limit(pattern->limits, WINDOW_STEPS);
    return ATTN_OK;
}

attn_status attn_pattern_open(attn_bytes source, attn_pattern **pattern, attn_error *error)
{
    attn_pattern *made = attn_calloc_array(1, sizeof *made);
    attn_status status;
    *pattern = NULL;
    if (made == NULL)
        return attn_fail_memory(error);
    status = attn_pattern_translate(source, &made->translated, error);
    if (status == ATTN_OK && made->translated.failed)
        status = attn_fail_memory(error);
    if (status == ATTN_OK)
        status = open_contexts(made, source, error);
    if (status == ATTN_OK)
        status = compile(made, 0, &made->code, error);
    if (status != ATTN_OK) {
        attn_pattern_close(made);
        return status;
    }
    made->compiled = pcre2_jit_compile(made->code, PCRE2_JIT_COMPLETE | PCRE2_JIT_PARTIAL_HARD) == 0;
    *pattern = made;
    return ATTN_OK;
}

void attn_pattern_close(attn_pattern *pattern)
{
    if (pattern == NULL)
        return;
    pcre2_code_free(pattern->code);
    pcre2_match_context_free(pattern->limits);
    pcre2_general_context_free(pattern->general);
    attn_buffer_free(&pattern->translated);
    attn_free(pattern->source);
    attn_free(pattern);
}

/* ---- searches ---- */

uint64_t attn_pattern_limit(attn_bytes text)
{
    enum { BASE = 10 * 1000 * 1000, PER_BYTE = 1000 };
    return text.size < UINT64_MAX / (2 * PER_BYTE) ? BASE + PER_BYTE * (uint64_t)text.size : UINT64_MAX;
}

attn_status attn_pattern_begin(const attn_pattern *pattern, attn_bytes text, attn_pattern_search *search,
                               attn_error *error)
{
    *search = (attn_pattern_search){.pattern = pattern, .limit = attn_pattern_limit(text)};
    search->match = pcre2_match_data_create(1, pattern->general);
    if (search->match == NULL)
        return attn_fail_memory(error);
    attn_pattern_restart(search, text);
    return ATTN_OK;
}

/* The next well-formed stretch, from the stretch's end on; false: the text is done. */
static bool next_stretch(attn_pattern_search *search)
{
    size_t length, bad;
    attn_bytes rest;
    search->from = search->to;
    while (search->from < search->text.size && attn_utf8_decode(search->text, search->from, &length) < 0)
        search->from += length;
    rest = (attn_bytes){search->text.data + search->from, search->text.size - search->from};
    search->at = search->from;
    search->to = rest.size == 0 || attn_utf8_valid(rest, &bad) ? search->text.size : search->from + bad;
    return search->from < search->to;
}

void attn_pattern_restart(attn_pattern_search *search, attn_bytes part)
{
    search->text = part.data != NULL ? part : attn_bytes_of(""); /* offsets into NULL are undefined, 0 too */
    search->to = 0;
    search->last_end = SIZE_MAX;
    if (!next_stretch(search))
        search->at = search->to;
}

/* ---- a match that is counted ---- */

/* Called at each item of the pattern that is tried: a step, and one for each byte that the item before passed over. */
static int count_step(pcre2_callout_block *block, void *context)
{
    attn_pattern_search *search = context;
    const size_t at = block->current_position, last = search->slow->last;
    search->steps += 1 + (at > last ? at - last : last - at);
    search->slow->last = at;
    if (search->steps <= search->limit)
        return 0;
    search->at = search->from + block->start_match;
    return PCRE2_ERROR_MATCHLIMIT;
}

static void close_slow(attn_pattern_slow *slow)
{
    if (slow == NULL)
        return;
    pcre2_code_free(slow->code);
    pcre2_match_context_free(slow->context);
    pcre2_jit_stack_free(slow->stack);
    attn_free(slow);
}

static attn_pattern_slow *open_slow(attn_pattern_search *search)
{
    const attn_pattern *pattern = search->pattern;
    attn_pattern_slow *slow = attn_calloc_array(1, sizeof *slow);
    if (slow == NULL)
        return NULL;
    slow->context = pcre2_match_context_create(pattern->general);
    slow->stack = pcre2_jit_stack_create(SMALL_STACK, LARGE_STACK, pattern->general);
    if (slow->context == NULL || slow->stack == NULL ||
        compile(pattern, PCRE2_AUTO_CALLOUT, &slow->code, NULL) != ATTN_OK) {
        close_slow(slow);
        return NULL;
    }
    (void)pcre2_jit_compile(slow->code, PCRE2_JIT_COMPLETE); /* slower, where it can not */
    pcre2_jit_stack_assign(slow->context, NULL, slow->stack);
    pcre2_set_callout(slow->context, count_step, search);
    pcre2_set_match_limit(slow->context, UINT32_MAX); /* count_step has the limit */
    pcre2_set_heap_limit(slow->context, LARGE_HEAP);
    return slow;
}

/* A match from where the search is to the end of its stretch. */
static int match_counted(attn_pattern_search *search)
{
    const size_t start = search->at - search->from;
    if (search->slow == NULL && (search->slow = open_slow(search)) == NULL)
        return PCRE2_ERROR_NOMEMORY;
    search->slow->last = start;
    return pcre2_match(search->slow->code, search->text.data + search->from, search->to - search->from, start,
                       PCRE2_NO_UTF_CHECK, search->match, search->slow->context);
}

/* ---- a match in a window ---- */

/* Where a window that begins where the search is ends: between two characters. */
static size_t window_end(const attn_pattern_search *search)
{
    size_t end = search->at + WINDOW;
    if (search->to - search->at <= WINDOW)
        return search->to;
    while ((search->text.data[end] & 0xC0) == 0x80)
        end--;
    return end;
}

/* The next match. In the window the engine says when it would have to look beyond its end, so what it finds, and that
 * it finds nothing, holds for the whole text. */
static int match_next(attn_pattern_search *search)
{
    const attn_pattern *pattern = search->pattern;
    const PCRE2_SIZE *span = pcre2_get_ovector_pointer(search->match);
    const PCRE2_SPTR subject = search->text.data + search->from;
    while (search->at < search->to) {
        const size_t end = window_end(search), start = search->at - search->from;
        const uint32_t cut = end < search->to ? PCRE2_PARTIAL_HARD : 0;
        const int result = pattern->compiled ? pcre2_jit_match(pattern->code, subject, end - search->from, start, cut,
                                                               search->match, pattern->limits)
                                             : pcre2_match(pattern->code, subject, end - search->from, start,
                                                           PCRE2_NO_UTF_CHECK | cut, search->match, pattern->limits);
        if (result == PCRE2_ERROR_NOMATCH)
            search->at = end;
        else if (result == PCRE2_ERROR_PARTIAL && span[0] > start) /* no match begins before it */
            search->at = search->from + span[0];
        else if (result == PCRE2_ERROR_PARTIAL || result == PCRE2_ERROR_MATCHLIMIT ||
                 result == PCRE2_ERROR_JIT_STACKLIMIT || result == PCRE2_ERROR_HEAPLIMIT)
            return match_counted(search);
        else
            return result;
    }
    return PCRE2_ERROR_NOMATCH;
}

bool attn_pattern_next(attn_pattern_search *search, size_t *start, size_t *end)
{
    const PCRE2_SIZE *span = pcre2_get_ovector_pointer(search->match);
    while (search->fault == 0) {
        const int result = match_next(search);
        if (result == PCRE2_ERROR_NOMATCH) {
            if (!next_stretch(search))
                return false;
            continue;
        }
        if (result < 0) {
            search->fault = result;
            return false;
        }
        *start = search->from + span[0];
        *end = search->from + span[1];
        search->at = *end;
        const bool again = *start == *end && *end == search->last_end;
        if (*end > *start || (search->empty && !again)) {
            search->last_end = *end;
            return true;
        }
        if (search->at < search->to) { /* an empty match is where the next would begin: on by one character */
            size_t length;
            attn_utf8_decode(search->text, search->at, &length);
            search->at += length;
        }
    }
    return false;
}

attn_status attn_pattern_status(const attn_pattern_search *search, attn_error *error)
{
    PCRE2_UCHAR message[200] = "it takes too many steps";
    if (search->fault == 0)
        return ATTN_OK;
    if (search->fault == PCRE2_ERROR_NOMEMORY)
        return attn_fail_memory(error);
    if (search->fault != PCRE2_ERROR_MATCHLIMIT)
        pcre2_get_error_message(search->fault, message, sizeof message);
    return attn_fail(error, ATTN_EDATA, "the pattern '%.200s' fails on this text: %s", search->pattern->source,
                     (const char *)message);
}

void attn_pattern_end(attn_pattern_search *search)
{
    pcre2_match_data_free(search->match);
    close_slow(search->slow);
    *search = (attn_pattern_search){0};
}
