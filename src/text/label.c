/* label.c: from a token's id to what a person reads, and back. Used by reports and by options that
 * name a token. */
#include "config.h"

#include "base/decimal.h"
#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/kinds/kinds.h"
#include "text/label.h"

#include <string.h>

void attn_label_escape(attn_bytes bytes, attn_buffer *out)
{
    size_t start = 0;
    size_t length;
    for (size_t at = 0; at < bytes.size; at += length) {
        if (bytes.data[at] < 0x80) {
            length = 1;
            continue;
        }
        if (attn_utf8_decode(bytes, at, &length) >= 0)
            continue;
        attn_buffer_put(out, bytes.data + start, at - start);
        attn_buffer_format(out, "\\x%02X", bytes.data[at]);
        start = at + length;
    }
    if (start < bytes.size)
        attn_buffer_put(out, bytes.data + start, bytes.size - start);
}

/* '▁' as a space. */
static void unmark(attn_bytes spelling, attn_buffer *out)
{
    size_t length;
    for (size_t at = 0; at < spelling.size; at += length) {
        bool mark = attn_is_word_mark(spelling, at);
        length = mark ? (size_t)ATTN_WORD_MARK_SIZE : 1;
        attn_buffer_byte(out, mark ? ' ' : (char)spelling.data[at]);
    }
}

/* The bytes of text that a token stands for. */
static void decode(const attn_tokenizer *tokenizer, uint32_t id, attn_buffer *out)
{
    attn_bytes spelling = tokenizer->vocabulary.tokens[id];
    attn_label_style style = tokenizer->vocabulary.is_plain[id] ? ATTN_LABEL_PLAIN : tokenizer->label;
    int byte = style == ATTN_LABEL_PLAIN || style == ATTN_LABEL_BYTE_LEVEL ? -1 : attn_byte_token(spelling);
    if (byte >= 0)
        attn_buffer_byte(out, (char)byte);
    else if (style == ATTN_LABEL_BYTE_LEVEL)
        attn_byte_alphabet_decode(spelling, out);
    else if (style == ATTN_LABEL_SENTENCEPIECE)
        unmark(spelling, out);
    else if (spelling.size > 0)
        attn_buffer_put(out, spelling.data, spelling.size);
}

void attn_tokenizer_label(const attn_tokenizer *tokenizer, uint32_t id, bool raw, attn_buffer *label)
{
    attn_buffer text = {0};
    if (id >= tokenizer->vocabulary.n_tokens)
        return;
    if (raw) {
        attn_label_escape(tokenizer->vocabulary.tokens[id], label);
        return;
    }
    decode(tokenizer, id, &text);
    attn_label_escape(attn_buffer_bytes(&text), label);
    label->failed = label->failed || text.failed;
    attn_buffer_free(&text);
}

void attn_tokens_label(const attn_tokens *tokens, const attn_tokenizer *tokenizer, uint32_t id, bool raw,
                       attn_buffer *label)
{
    const attn_bytes made = attn_tokens_made(tokens, tokenizer, id);
    if (made.data != NULL)
        attn_label_escape(made, label);
    else
        attn_tokenizer_label(tokenizer, id, raw, label);
}

/* The spelling that would be read as TOKEN. */
static void encode(attn_label_style style, attn_bytes token, attn_buffer *out)
{
    if (style == ATTN_LABEL_BYTE_LEVEL) {
        attn_byte_alphabet_encode(token, out);
        return;
    }
    if (style == ATTN_LABEL_BYTE && token.size == 1) {
        attn_buffer_format(out, "<0x%02X>", token.data[0]);
        return;
    }
    for (size_t i = 0; i < token.size; i++)
        if (style == ATTN_LABEL_SENTENCEPIECE && token.data[i] == ' ')
            attn_buffer_text(out, ATTN_WORD_MARK);
        else
            attn_buffer_byte(out, (char)token.data[i]);
}

/* The id of TOKEN in the kind's normal form: composed, or as WordPiece folds it. */
static bool find_normal(const attn_tokenizer *tokenizer, attn_bytes token, size_t *id)
{
    const attn_kind *kind = tokenizer->kind;
    attn_normal normal = {0};
    bool found = false;
    if (tokenizer->label == ATTN_LABEL_PLAIN && kind->normalize != NULL &&
        kind->normalize(tokenizer, tokenizer->spec.lowercase, token, false, &normal, NULL) == ATTN_OK && !normal.same)
        found = attn_map_find(&tokenizer->vocabulary.ids, attn_buffer_bytes(&normal.text), id);
    attn_normal_free(&normal);
    return found;
}

uint32_t attn_tokenizer_find(const attn_tokenizer *tokenizer, attn_bytes token)
{
    const attn_label_style style = tokenizer->label;
    attn_buffer spelled = {0};
    size_t id = ATTN_NO_TOKEN;
    bool found = false;
    if (tokenizer->vocabulary.numbered) {
        uint64_t number;
        found = attn_decimal_u64(token, tokenizer->vocabulary.n_tokens - 1, &number) &&
                attn_bytes_equal(tokenizer->vocabulary.tokens[number], token);
        return found ? (uint32_t)number : ATTN_NO_TOKEN;
    }
    if (style != ATTN_LABEL_PLAIN) { /* what it shows first: "é" is two bytes, not the letter for E9 */
        encode(style, token, &spelled);
        found = !spelled.failed && attn_map_find(&tokenizer->vocabulary.ids, attn_buffer_bytes(&spelled), &id);
        attn_buffer_free(&spelled);
    }
    found = found || attn_map_find(&tokenizer->vocabulary.ids, token, &id) || find_normal(tokenizer, token, &id);
    return found ? (uint32_t)id : ATTN_NO_TOKEN;
}
