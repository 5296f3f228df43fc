/* pattern.c: see pattern.h. The only file that includes pcre2.h. */
#include "config.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "text/split/pattern.h"

enum {
    SMALL_STACK = 32 * 1024,
    LARGE_STACK = 16 * 1024 * 1024, /* bytes a compiled match may use at the outside */
    MATCH_LIMIT = 50 * 1000 * 1000  /* steps of one match */
};

struct attn_pattern {
    pcre2_general_context *general; /* owned, as all below */
    pcre2_match_context *limits;
    pcre2_code *code;
    bool compiled; /* to machine code */
    char *source;  /* as it was given, for messages */
};

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

static attn_status compile(attn_pattern *pattern, attn_bytes translated, attn_error *error)
{
    int code = 0;
    PCRE2_SIZE offset = 0;
    pcre2_compile_context *context = pcre2_compile_context_create(pattern->general);
    if (context == NULL)
        return attn_fail_memory(error);
    pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    pattern->code =
        pcre2_compile(translated.data, translated.size,
                      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &code, &offset, context);
    pcre2_compile_context_free(context);
    if (pattern->code == NULL) {
        PCRE2_UCHAR message[200];
        if (code == PCRE2_ERROR_HEAP_FAILED)
            return attn_fail_memory(error);
        pcre2_get_error_message(code, message, sizeof message);
        return attn_fail(error, ATTN_EDATA, "expected a regular expression, found '%.*s' (%s)",
                         (int)(translated.size < 200 ? translated.size : 200), (const char *)translated.data,
                         (const char *)message);
    }
    pattern->compiled = pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE) == 0;
    return ATTN_OK;
}

attn_status attn_pattern_open(attn_bytes source, attn_pattern **pattern, attn_error *error)
{
    attn_buffer translated = {0};
    attn_pattern *made = attn_calloc_array(1, sizeof *made);
    attn_status status = attn_pattern_translate(source, &translated, error);
    *pattern = NULL;
    if (status == ATTN_OK && (made == NULL || translated.failed))
        status = attn_fail_memory(error);
    if (status == ATTN_OK) {
        made->general = pcre2_general_context_create(pattern_malloc, pattern_free, NULL);
        made->limits = made->general != NULL ? pcre2_match_context_create(made->general) : NULL;
        if (made->limits == NULL)
            status = attn_fail_memory(error);
        else
            pcre2_set_match_limit(made->limits, MATCH_LIMIT);
    }
    if (status == ATTN_OK && (made->source = attn_copy_text((const char *)source.data, source.size)) == NULL)
        status = attn_fail_memory(error);
    if (status == ATTN_OK)
        status = compile(made, attn_buffer_bytes(&translated), error);
    attn_buffer_free(&translated);
    if (status == ATTN_OK)
        *pattern = made;
    else
        attn_pattern_close(made);
    return status;
}

void attn_pattern_close(attn_pattern *pattern)
{
    if (pattern == NULL)
        return;
    pcre2_code_free(pattern->code);
    pcre2_match_context_free(pattern->limits);
    pcre2_general_context_free(pattern->general);
    attn_free(pattern->source);
    attn_free(pattern);
}

attn_status attn_pattern_begin(const attn_pattern *pattern, attn_bytes text, attn_pattern_search *search,
                               attn_error *error)
{
    *search = (attn_pattern_search){.pattern = pattern};
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

void attn_pattern_restart(attn_pattern_search *search, attn_bytes text)
{
    search->text = text;
    search->to = 0;
    if (!next_stretch(search))
        search->at = search->to;
}

/* One call of the engine. A compiled match that runs out of stack is tried again with more. */
static int match_once(attn_pattern_search *search)
{
    const attn_pattern *pattern = search->pattern;
    PCRE2_SPTR subject = search->text.data + search->from;
    size_t size = search->to - search->from, start = search->at - search->from;
    pcre2_match_context *context;
    int result = pcre2_match(pattern->code, subject, size, start, PCRE2_NO_UTF_CHECK, search->match, pattern->limits);
    if (result != PCRE2_ERROR_JIT_STACKLIMIT)
        return result;
    if (search->stack == NULL)
        search->stack = pcre2_jit_stack_create(SMALL_STACK, LARGE_STACK, pattern->general);
    context = pcre2_match_context_copy(pattern->limits);
    if (search->stack == NULL || context == NULL) {
        pcre2_match_context_free(context);
        return PCRE2_ERROR_NOMEMORY;
    }
    pcre2_jit_stack_assign(context, NULL, search->stack);
    result = pcre2_match(pattern->code, subject, size, start, PCRE2_NO_UTF_CHECK, search->match, context);
    pcre2_match_context_free(context);
    return result;
}

bool attn_pattern_next(attn_pattern_search *search, size_t *start, size_t *end)
{
    const PCRE2_SIZE *span = pcre2_get_ovector_pointer(search->match);
    while (search->fault == 0) {
        int result = search->at < search->to ? match_once(search) : PCRE2_ERROR_NOMATCH;
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
        if (*end > *start)
            return true;
        if (search->at < search->to) { /* an empty match splits nothing: on by one character */
            size_t length;
            attn_utf8_decode(search->text, search->at, &length);
            search->at += length;
        }
    }
    return false;
}

attn_status attn_pattern_status(const attn_pattern_search *search, attn_error *error)
{
    PCRE2_UCHAR message[200];
    if (search->fault == 0)
        return ATTN_OK;
    if (search->fault == PCRE2_ERROR_NOMEMORY)
        return attn_fail_memory(error);
    pcre2_get_error_message(search->fault, message, sizeof message);
    return attn_fail(error, ATTN_EDATA, "the pattern '%.200s' fails on this text: %s", search->pattern->source,
                     (const char *)message);
}

void attn_pattern_end(attn_pattern_search *search)
{
    pcre2_match_data_free(search->match);
    pcre2_jit_stack_free(search->stack);
    *search = (attn_pattern_search){0};
}
