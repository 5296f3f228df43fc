/* hints.c: see hints.h. */
#include "config.h"

#include "text/hints.h"
#include "text/label.h"
#include "base/utf8.h"
#include "text/unicode/unicode.h"

#include <stdio.h>
#include <string.h>

void attn_unknowns_free(attn_unknowns *unknowns)
{
    for (size_t i = 0; i < unknowns->n_kept; i++)
        attn_free(unknowns->kept[i]);
    *unknowns = (attn_unknowns){0};
}

static attn_bytes bytes_at(const attn_encoder *encoder, attn_span span)
{
    return (attn_bytes){encoder->original.data + span.start, span.end - span.start};
}

/* What a person reads for WORD, cut where it is long, with a NUL of its own at the end; failed
 * buffer: no memory. */
static void show(attn_bytes word, attn_buffer *out)
{
    size_t size = word.size;
    size_t start = 0;
    if (size > ATTN_UNKNOWN_SHOWN) {
        size = ATTN_UNKNOWN_SHOWN;
        while (size > 0 && (word.data[size] & 0xC0) == 0x80)
            size--;
    }
    for (size_t at = 0; at < size; at++)
        if (word.data[at] == '\0') {
            attn_label_escape((attn_bytes){word.data + start, at - start}, out);
            attn_buffer_text(out, "\\x00");
            start = at + 1;
        }
    attn_label_escape((attn_bytes){word.data + start, size - start}, out);
    if (size < word.size)
        attn_buffer_text(out, "…");
    attn_buffer_byte(out, '\0');
}

bool attn_unknowns_note(attn_unknowns *unknowns, attn_bytes word)
{
    attn_buffer shown = {0};
    bool noted = true;
    unknowns->count++;
    if (unknowns->more)
        return true;
    show(word, &shown);
    noted = !shown.failed;
    if (!noted)
        goto done;
    for (size_t i = 0; i < unknowns->n_kept; i++)
        if (strcmp(unknowns->kept[i], shown.data) == 0)
            goto done;
    if (unknowns->n_kept == ATTN_UNKNOWNS_KEPT) {
        unknowns->more = true;
        goto done;
    }
    unknowns->kept[unknowns->n_kept] = attn_copy_text(shown.data, shown.size - 1);
    noted = unknowns->kept[unknowns->n_kept] != NULL;
    unknowns->n_kept += noted;
done:
    attn_buffer_free(&shown);
    return noted;
}

attn_status attn_unknowns_add(attn_encoder *encoder, attn_span span)
{
    if (encoder->unknowns == NULL || attn_unknowns_note(encoder->unknowns, bytes_at(encoder, span)))
        return ATTN_OK;
    return attn_fail_memory(encoder->error);
}

/* Shortens FORM, a word's, to an entry of the vocabulary; false: there is none. */
typedef bool find_form(const attn_encoder *encoder, attn_bytes *form);

static bool find_whole(const attn_encoder *encoder, attn_bytes *form)
{
    size_t id;
    return form->size <= ATTN_UNKNOWN_SHOWN && attn_map_find(&encoder->tokenizer->vocabulary.ids, *form, &id);
}

/* The longest entry that TEXT begins with: its bytes, 0 when there is none. */
static size_t beginning(const attn_encoder *encoder, attn_bytes text)
{
    size_t id;
    for (; text.size > 0; text.size--)
        if (attn_map_find(&encoder->tokenizer->vocabulary.ids, text, &id))
            return text.size;
    return 0;
}

/* Whether TEXT's script puts no spaces between words, or writes particles onto them. */
static bool goes_on_behind_words(attn_bytes text)
{
    size_t length;
    const int32_t code = attn_utf8_decode(text, 0, &length);
    const bool hangul = (code >= 0x1100 && code <= 0x11FF) || (code >= 0xAC00 && code <= 0xD7FF);
    return hangul || attn_char_is_unspaced(code);
}

/* What the word begins with, where `longest` helps: entries make up all of it, or its script is one whose words stand
 * in longer runs. That 'Author' begins with 'a' is no reason. */
static bool find_beginning(const attn_encoder *encoder, attn_bytes *form)
{
    const attn_bytes word = *form;
    attn_bytes rest = word;
    size_t size;
    if (rest.size > ATTN_UNKNOWN_SHOWN)
        rest.size = ATTN_UNKNOWN_SHOWN;
    form->size = size = beginning(encoder, rest);
    if (size == 0 || goes_on_behind_words(word))
        return size > 0;
    for (; size > 0; size = beginning(encoder, rest)) {
        rest.data += size;
        rest.size -= size;
    }
    return rest.size == 0 && word.size <= ATTN_UNKNOWN_SHOWN;
}

/* The hint "'WORD'BETWEEN'form'AFTER", where FIND finds one of WORD's composed form: true when it was given. */
static bool hint(attn_encoder *encoder, attn_bytes word, bool lowercase, find_form *find, const char *between,
                 const char *after)
{
    attn_normal normal = {0};
    attn_buffer shown = {0};
    attn_bytes form;
    bool found = false;
    if (attn_compose_normalize(encoder->tokenizer, lowercase, word, false, &normal, NULL) == ATTN_OK) {
        form = normal.same ? word : attn_buffer_bytes(&normal.text);
        found = find(encoder, &form);
        show(word, &shown);
        if (found && !shown.failed)
            attn_error_hint(encoder->error, "'%s'%s'%.*s'%s", shown.data, between, (int)form.size,
                            (const char *)form.data, after);
    }
    attn_normal_free(&normal);
    attn_buffer_free(&shown);
    return found;
}

/* "'King': 'king' is there", or else "'어부가' begins with '어부'". */
static void give_hint(attn_encoder *encoder)
{
    const attn_kind *kind = encoder->tokenizer->kind;
    if (!kind->hints || encoder->error == NULL)
        return;
    for (size_t i = 0; i < encoder->n_missing && !encoder->lowercase; i++)
        if (hint(encoder, bytes_at(encoder, encoder->missing[i]), true, find_whole, ": ", " is there, try --lowercase"))
            return;
    for (size_t i = 0; i < encoder->n_missing && kind->hints_longest; i++)
        if (hint(encoder, bytes_at(encoder, encoder->missing[i]), encoder->lowercase, find_beginning, " begins with ",
                 ": try -t longest"))
            return;
}

/* "BEFORE'word'AFTER" with the place of the word at SPAN. */
static attn_status fail_at(attn_encoder *encoder, attn_span span, const char *before, const char *after)
{
    attn_buffer shown = {0};
    show(bytes_at(encoder, span), &shown);
    if (shown.failed) {
        attn_buffer_free(&shown);
        return attn_fail_memory(encoder->error);
    }
    attn_fail(encoder->error, ATTN_EDATA, "%s'%s'%s", before, shown.data, after);
    attn_error_offset(encoder->error, span.start);
    attn_buffer_free(&shown);
    return ATTN_EDATA;
}

attn_status attn_fail_unknown(attn_encoder *encoder, attn_span span)
{
    attn_status status = fail_at(encoder, span, "", " is not in the vocabulary");
    if (status == ATTN_EDATA)
        give_hint(encoder);
    return status;
}

attn_status attn_fail_needs_unknown(attn_encoder *encoder, attn_span span)
{
    attn_buffer after = {0};
    attn_status status;
    attn_buffer_format(&after,
                       " is not in the vocabulary, and the unknown token '%s' that would stand for it is not either",
                       encoder->tokenizer->spec.unknown_name);
    attn_buffer_byte(&after, '\0');
    status = after.failed ? attn_fail_memory(encoder->error) : fail_at(encoder, span, "", after.data);
    if (status == ATTN_EDATA && encoder->error != NULL)
        attn_error_hint(encoder->error, "--unknown=skip leaves such words out");
    attn_buffer_free(&after);
    return status;
}

attn_status attn_fail_not_id(attn_encoder *encoder, attn_span span)
{
    char expected[64];
    snprintf(expected, sizeof expected, "expected a token id below %zu, found ",
             encoder->tokenizer->vocabulary.n_tokens);
    return fail_at(encoder, span, expected, "");
}

void attn_fail_place(attn_encoder *encoder)
{
    attn_error *error = encoder->error;
    uint64_t line = 1;
    size_t line_start = 0;
    if (error == NULL || !error->has_offset)
        return;
    for (size_t i = 0; i < error->offset && i < encoder->original.size; i++)
        if (encoder->original.data[i] == '\n') {
            line++;
            line_start = i + 1;
        }
    error->has_offset = false;
    attn_error_line(error, line, error->offset - line_start + 1);
}

attn_status attn_fail_none_known(attn_encoder *encoder)
{
    attn_buffer list = {0};
    for (size_t i = 0; i < encoder->n_missing && i < 3; i++) {
        attn_buffer_text(&list, i > 0 ? ", '" : "'");
        show(bytes_at(encoder, encoder->missing[i]), &list);
        if (!list.failed)
            list.size--; /* show's NUL */
        attn_buffer_byte(&list, '\'');
    }
    if (encoder->n_unknown > 3)
        attn_buffer_text(&list, ", …");
    attn_buffer_byte(&list, '\0');
    if (list.failed) {
        attn_buffer_free(&list);
        return attn_fail_memory(encoder->error);
    }
    attn_fail(encoder->error, ATTN_EDATA, "nothing of the text is in the vocabulary: %s", list.data);
    give_hint(encoder);
    attn_buffer_free(&list);
    return ATTN_EDATA;
}
