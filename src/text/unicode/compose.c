/* compose.c: see compose.h. The vocabularies of words, whitespace, longest and chars are composed, too (open.c). */
#include "config.h"

#include "base/utf8.h"
#include "text/kinds/kinds.h"
#include "text/unicode/by_character.h"
#include "text/unicode/compose.h"
#include "text/unicode/form.h"

bool attn_is_ascii(attn_bytes bytes)
{
    return attn_utf8_ascii_end(bytes, 0) == bytes.size;
}

attn_status attn_compose(attn_bytes raw, bool lowercase, attn_normal *normal, attn_error *error)
{
    attn_codes codes = {0};
    attn_normal small = {0};
    attn_rewrite composing = {.text = raw, .out = normal, .error = error};
    attn_rewrite lowering = {.out = &small, .error = error};
    attn_status status = attn_form_rewrite(ATTN_FORM_NFC, &codes, &composing);
    attn_codes_free(&codes);
    lowering.text = composing.done == 0 ? raw : attn_buffer_bytes(&normal->text);
    lowering.starts = normal->starts;
    lowering.ends = normal->ends;
    if (status == ATTN_OK && lowercase)
        status = attn_rewrite_lowercase(false, &lowering); /* one character stays one */
    if (status == ATTN_OK && lowering.done > 0) {
        attn_normal_free(normal);
        *normal = small;
    } else {
        attn_normal_free(&small);
    }
    normal->same = composing.done == 0 && lowering.done == 0;
    return status;
}

attn_status attn_compose_normalize(const attn_tokenizer *tokenizer, bool lowercase, attn_bytes raw, bool is_text,
                                   attn_normal *normal, attn_error *error)
{
    (void)tokenizer;
    (void)is_text;
    return attn_compose(raw, lowercase, normal, error);
}
