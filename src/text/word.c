/* word.c: a word that is asked for by itself, as `similar` does: the token that it is in a running text, or else its
 * pieces there. Knows of kinds what their rows say. */
#include "config.h"

#include "text/kinds/kinds.h"
#include "text/unicode/compose.h"

/* Whether tokens of the kind hold the space before a word. */
static bool holds_space(const attn_tokenizer *tokenizer)
{
    return tokenizer->label == ATTN_LABEL_BYTE_LEVEL || tokenizer->label == ATTN_LABEL_SENTENCEPIECE;
}

/* " WORD" in SPACED, which the caller frees. */
static attn_bytes behind_space(attn_bytes word, attn_buffer *spaced)
{
    attn_buffer_byte(spaced, ' ');
    attn_buffer_put(spaced, word.data, word.size);
    return attn_buffer_bytes(spaced);
}

/* WORD with the mark of a word's end. */
static uint32_t find_ended(const attn_tokenizer *tokenizer, attn_bytes word)
{
    attn_buffer ended = {0};
    uint32_t id = ATTN_NO_TOKEN;
    attn_buffer_put(&ended, word.data, word.size);
    attn_buffer_text(&ended, tokenizer->spec.word_suffix);
    if (!ended.failed)
        id = attn_tokenizer_find(tokenizer, attn_buffer_bytes(&ended));
    attn_buffer_free(&ended);
    return id;
}

/* The id of WORD in its form that follows a space (Ġking, ▁king) or ends (king</w>) where the vocabulary has one, else
 * of the bare one. */
static uint32_t find_form(const attn_tokenizer *tokenizer, attn_bytes word)
{
    attn_buffer spaced = {0};
    uint32_t id = ATTN_NO_TOKEN;
    if (tokenizer->spec.word_suffix != NULL)
        return find_ended(tokenizer, word);
    if (holds_space(tokenizer)) {
        const attn_bytes form = behind_space(word, &spaced);
        id = spaced.failed ? ATTN_NO_TOKEN : attn_tokenizer_find(tokenizer, form);
        attn_buffer_free(&spaced);
    }
    return id != ATTN_NO_TOKEN ? id : attn_tokenizer_find(tokenizer, word);
}

/* The same of WORD in lower case, made as the kind's texts are. */
static uint32_t find_lower(const attn_tokenizer *tokenizer, attn_bytes word)
{
    const attn_kind *kind = tokenizer->kind;
    const bool folds = tokenizer->label == ATTN_LABEL_PLAIN && kind->normalize != NULL;
    attn_normal normal = {0};
    uint32_t id = ATTN_NO_TOKEN;
    const attn_status status =
        folds ? kind->normalize(tokenizer, true, word, false, &normal, NULL) : attn_compose(word, true, &normal, NULL);
    if (status == ATTN_OK)
        id = find_form(tokenizer, normal.same ? word : attn_buffer_bytes(&normal.text));
    attn_normal_free(&normal);
    return id;
}

/* What the user lower-cases is looked for in lower case only, as in a text; where the vocabulary's file says it, its own
 * spellings are known too ([MASK]). */
static uint32_t find_word(const attn_tokenizer *tokenizer, attn_bytes word, const attn_encode_options *options)
{
    const bool asked = options->lowercase > 0;
    const bool lowers = asked || (options->lowercase < 0 && tokenizer->spec.lowercase);
    const uint32_t id = lowers ? find_lower(tokenizer, word) : ATTN_NO_TOKEN;
    return id != ATTN_NO_TOKEN || asked ? id : find_form(tokenizer, word);
}

static attn_status take_whole(attn_tokens *tokens, uint32_t id, attn_bytes word, attn_error *error)
{
    void *items = tokens->items;
    if (!attn_grow(&items, &tokens->capacity, tokens->count, sizeof *tokens->items))
        return attn_fail_memory(error);
    tokens->items = items;
    tokens->items[tokens->count++] = (attn_token){.id = id, .end = word.size};
    return ATTN_OK;
}

static bool begins_with_space(const attn_tokenizer *tokenizer, uint32_t id)
{
    attn_buffer label = {0};
    bool space;
    attn_tokenizer_label(tokenizer, id, false, &label);
    space = label.size > 0 && label.data[0] == ' ';
    attn_buffer_free(&label);
    return space;
}

/* Whether the first piece of WORD needs a space written before it to be one that follows a space. */
static bool lacks_space(const attn_tokenizer *tokenizer, attn_bytes word, const attn_encode_options *options)
{
    attn_tokens tokens = {0};
    bool lacks = holds_space(tokenizer) &&
                 attn_tokenizer_encode(tokenizer, word, options, &tokens, NULL, NULL) == ATTN_OK && tokens.count > 0 &&
                 !begins_with_space(tokenizer, tokens.items[0].id);
    attn_tokens_free(&tokens);
    return lacks;
}

attn_status attn_tokenizer_encode_word(const attn_tokenizer *tokenizer, attn_bytes word,
                                       const attn_encode_options *options, attn_tokens *tokens, attn_unknowns *unknowns,
                                       attn_error *error)
{
    const uint32_t id = find_word(tokenizer, word, options);
    attn_buffer spaced = {0};
    attn_bytes form = word;
    attn_status status;
    if (id != ATTN_NO_TOKEN)
        return take_whole(tokens, id, word, error);
    if (lacks_space(tokenizer, word, options))
        form = behind_space(word, &spaced);
    status = spaced.failed ? attn_fail_memory(error)
                           : attn_tokenizer_encode(tokenizer, form, options, tokens, unknowns, error);
    attn_buffer_free(&spaced);
    return status;
}
