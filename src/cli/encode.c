/* encode.c: see encode.h. Knows tokenizers and the model's limit, no report. */
#include "config.h"

#include "cli/encode.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* The id of a token named on the command line. */
static attn_status find_token(const attn_model *model, const char *option, const char *name, uint32_t *id,
                              attn_error *error)
{
    *id = attn_tokenizer_find(model->tokenizer, attn_bytes_of(name));
    if (*id == ATTN_NO_TOKEN)
        return attn_fail(error, ATTN_EUSAGE, "%s: the vocabulary has no token '%s'", option, name);
    return ATTN_OK;
}

/* --unknown=skip|error|TOKEN */
static attn_status read_unknown(const char *text, const attn_model *model, attn_encode_options *options,
                                attn_error *error)
{
    if (text == NULL)
        return ATTN_OK;
    options->unknown = strcmp(text, "skip") == 0    ? ATTN_UNKNOWN_SKIP
                       : strcmp(text, "error") == 0 ? ATTN_UNKNOWN_ERROR
                                                    : ATTN_UNKNOWN_TOKEN;
    if (options->unknown != ATTN_UNKNOWN_TOKEN)
        return ATTN_OK;
    return find_token(model, "--unknown", text, &options->unknown_token, error);
}

/* A part of a text has no specials around it; and a word that is asked for by itself is not found by finding the
 * vocabulary's unknown token: it is left out, unless the user said otherwise. */
static attn_encode_options options_of_part(const attn_encode_options *options)
{
    attn_encode_options part = *options;
    part.add_special = false;
    if (part.unknown == ATTN_UNKNOWN_DEFAULT)
        part.unknown = ATTN_UNKNOWN_SKIP;
    return part;
}

attn_status attn_encoding_open(const attn_encode_request *request, const attn_model *model, bool any_length,
                               attn_messages *messages, attn_encoding *encoding, attn_error *error)
{
    attn_encode_options *options = &encoding->options;
    attn_status status = ATTN_OK;
    *encoding = (attn_encoding){.model = model,
                                .messages = messages,
                                .max_tokens = request->max_tokens,
                                .any_length = any_length,
                                .pad = ATTN_NO_TOKEN,
                                .options = attn_encode_options_default()};
    if (model->tokenizer == NULL)
        return ATTN_OK;
    options->add_special = !request->no_special;
    options->parse_special = request->parse_special;
    if (request->lowercase)
        options->lowercase = 1;
    status = read_unknown(request->unknown, model, options, error);
    if (status == ATTN_OK && request->pad_token != NULL)
        status = find_token(model, "--pad-token", request->pad_token, &encoding->pad, error);
    encoding->options_of_part = options_of_part(options);
    return status;
}

void attn_encoding_close(attn_encoding *encoding)
{
    attn_unknowns_free(&encoding->unknowns);
    attn_unknowns_free(&encoding->cut);
    attn_unknowns_free(&encoding->new_unknowns);
    attn_unknowns_free(&encoding->new_cut);
}

void attn_encoded_free(attn_encoded *encoded)
{
    attn_tokens_free(&encoded->tokens);
    attn_free(encoded->hidden);
    *encoded = (attn_encoded){0};
}

/* Adds what SOME tells to ALL. */
static attn_status join_unknowns(attn_unknowns *all, const attn_unknowns *some, attn_error *error)
{
    for (size_t i = 0; i < some->n_kept; i++)
        if (!attn_unknowns_note(all, attn_bytes_of(some->kept[i])))
            return attn_fail_memory(error);
    all->count += some->count - some->n_kept;
    all->more = all->more || some->more;
    return ATTN_OK;
}

/* Cut TOKENS to MOST, the ones that the model puts behind a text ([SEP]) kept at the end. */
static void cut_tokens(attn_tokens *tokens, size_t most)
{
    size_t behind = 0;
    while (behind < tokens->count && tokens->items[tokens->count - 1 - behind].special &&
           tokens->items[tokens->count - 1 - behind].start == tokens->items[tokens->count - 1 - behind].end)
        behind++;
    if (behind < most)
        memmove(tokens->items + most - behind, tokens->items + tokens->count - behind, behind * sizeof *tokens->items);
    tokens->count = most;
}

/* Cut to --max-tokens, or refuse what the model can not read. */
static attn_status limit_tokens(const attn_encoding *encoding, const char *file, attn_tokens *tokens, attn_error *error)
{
    const size_t most = encoding->max_tokens;
    const char *name = file[0] == '\0' ? "text" : strcmp(file, "-") == 0 ? "standard input" : file;
    if (most > 0 && tokens->count > most) {
        attn_message_warning(encoding->messages, "%s: cut from %zu to %zu tokens", name, tokens->count, most);
        cut_tokens(tokens, most);
    }
    return encoding->any_length ? ATTN_OK : attn_model_reads(encoding->model, tokens->count, error);
}

static attn_status mark_padding(const attn_encoding *encoding, attn_encoded *encoded, attn_error *error)
{
    const attn_tokens *tokens = &encoded->tokens;
    attn_free(encoded->hidden);
    encoded->hidden = NULL;
    if (encoding->pad == ATTN_NO_TOKEN)
        return ATTN_OK;
    encoded->hidden = attn_calloc_array(tokens->count, 1);
    if (encoded->hidden == NULL)
        return attn_fail_memory(error);
    for (size_t i = 0; i < tokens->count; i++)
        encoded->hidden[i] = tokens->items[i].id == encoding->pad;
    return ATTN_OK;
}

attn_status attn_encode(attn_encoding *encoding, attn_bytes text, const char *file, attn_encoded *encoded,
                        attn_error *error)
{
    attn_status status;
    attn_tokens_clear(&encoded->tokens);
    status = attn_tokenizer_encode(encoding->model->tokenizer, text, &encoding->options, &encoded->tokens,
                                   &encoding->new_unknowns, error);
    if (status == ATTN_OK)
        status = limit_tokens(encoding, file, &encoded->tokens, error);
    return status == ATTN_OK ? mark_padding(encoding, encoded, error) : status;
}

attn_status attn_encode_word(void *context, attn_bytes word, attn_tokens *tokens, attn_error *why, attn_error *error)
{
    attn_encoding *encoding = context;
    const attn_encode_options *options = &encoding->options_of_part;
    const size_t before = tokens->count;
    attn_unknowns *unknowns = &encoding->new_unknowns, *noted = NULL;
    attn_error fault = {0};
    attn_status status =
        attn_tokenizer_encode_word(encoding->model->tokenizer, word, options, tokens, unknowns, &fault);
    if (status == ATTN_OK && tokens->count == before)
        status =
            attn_fail(&fault, ATTN_EDATA, "'%.*s' is not in the vocabulary",
                      (int)(word.size < ATTN_UNKNOWN_SHOWN ? word.size : ATTN_UNKNOWN_SHOWN), (const char *)word.data);
    fault.line = fault.column = 0; /* of the word, not of the text */
    if (status == ATTN_EDATA && options->unknown != ATTN_UNKNOWN_ERROR) {
        if (why != NULL)
            *why = fault;
        noted = unknowns;
        status = ATTN_OK;
    } else if (status == ATTN_OK && tokens->count > before + 1) {
        noted = &encoding->new_cut;
    } else if (status != ATTN_OK && error != NULL) {
        *error = fault;
    }
    return noted == NULL || attn_unknowns_note(noted, word) ? status : attn_fail_memory(error);
}

attn_status attn_encoding_end_text(attn_encoding *encoding, bool printed, attn_error *error)
{
    attn_status status = ATTN_OK;
    if (printed)
        status = join_unknowns(&encoding->unknowns, &encoding->new_unknowns, error);
    if (printed && status == ATTN_OK)
        status = join_unknowns(&encoding->cut, &encoding->new_cut, error);
    attn_unknowns_free(&encoding->new_unknowns);
    attn_unknowns_free(&encoding->new_cut);
    return status;
}

/* "N WHAT words AFTER: 'a', 'b' …", where there are any. */
static void warn_of(attn_messages *messages, const attn_unknowns *words, const char *what, const char *after)
{
    char list[1024] = "";
    size_t used = 0;
    for (size_t i = 0; i < words->n_kept && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", i > 0 ? ", " : "", words->kept[i]);
    if (words->count > 0)
        attn_message_warning(messages, "%zu %sword%s %s: %s%s", words->count, what, words->count == 1 ? "" : "s", after,
                             list, words->more ? " …" : "");
}

void attn_encoding_warn(const attn_encoding *encoding)
{
    warn_of(encoding->messages, &encoding->unknowns, "unknown ", "left out");
    warn_of(encoding->messages, &encoding->cut, "", "cut into pieces, whose vectors are added");
}
