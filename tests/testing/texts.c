/* texts.c: see texts.h. */
#include "config.h"

#include "testing/texts.h"

#include "testing.h"

#include "base/buffer.h"
#include "testing/files.h"

#include <string.h>

enum { MOST_TOKENS = 64, CONFORMANCE_TEXTS = 47 };

attn_tokenizer *texts_tokenizer(const attn_kind *kind, const char *list, bool lowercase)
{
    attn_bytes tokens[MOST_TOKENS];
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_tokenizer *tokenizer = NULL;
    for (const char *at = list; *at != '\0';) {
        size_t size = strcspn(at, "\n");
        ck_assert_uint_lt(spec.n_tokens, MOST_TOKENS);
        tokens[spec.n_tokens++] = (attn_bytes){(const uint8_t *)at, size};
        at += size + (at[size] == '\n');
    }
    spec.kind = kind;
    spec.tokens = tokens;
    spec.lowercase = lowercase;
    ck_assert_int_eq(attn_tokenizer_open(&spec, &tokenizer, NULL), ATTN_OK);
    return tokenizer;
}

attn_tokenizer *texts_load(const char *path, const attn_kind *kind)
{
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    attn_status status = attn_tokenizer_load(path, NULL, kind, &tokenizer, &error);
    ck_assert_msg(status == ATTN_OK, "%s: %s", path, error.message);
    return tokenizer;
}

attn_tokenizer *texts_load_list(const void *list, size_t size, const char *config)
{
    const char *folder = files_folder();
    files_write(files_join(folder, "vocab.txt"), list, size);
    if (config != NULL)
        files_write(files_join(folder, "tokenizer_config.json"), config, strlen(config));
    return texts_load(folder, NULL);
}

attn_status texts_open(const attn_vocab_reader *reader, const char *path, attn_bytes bytes, attn_tokenizer **tokenizer,
                       attn_error *error)
{
    attn_arena arena = {0};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    const attn_vocab_source source = {.path = path, .bytes = bytes, .arena = &arena};
    attn_error unwanted;
    attn_status status = reader->read(&source, &spec, error != NULL ? error : &unwanted);
    *tokenizer = NULL;
    if (status == ATTN_OK)
        status = attn_tokenizer_open(&spec, tokenizer, error);
    attn_arena_free(&arena);
    return status;
}

attn_tokenizer *texts_open_json(const char *json)
{
    attn_tokenizer *tokenizer;
    attn_error error = {0};
    char message[2048] = "";
    attn_status status = texts_open(&attn_vocab_reader_tokenizer_json, "-", attn_bytes_of(json), &tokenizer, &error);
    attn_error_text(&error, message, sizeof message);
    ck_assert_msg(status == ATTN_OK, "%s\n%s", message, json);
    return tokenizer;
}

attn_encode_options texts_plain(void)
{
    attn_encode_options options = attn_encode_options_default();
    options.add_special = false;
    return options;
}

typedef void put_token(const attn_tokenizer *tokenizer, const attn_token *token, attn_buffer *out);

static void put_label(const attn_tokenizer *tokenizer, const attn_token *token, attn_buffer *out)
{
    attn_tokenizer_label(tokenizer, token->id, false, out);
    attn_buffer_format(out, "@%zu-%zu", token->start, token->end);
}

static void put_id(const attn_tokenizer *tokenizer, const attn_token *token, attn_buffer *out)
{
    (void)tokenizer;
    attn_buffer_format(out, "%lu", (unsigned long)token->id);
}

static const char *encoded(const attn_tokenizer *tokenizer, attn_bytes text, const attn_encode_options *options,
                           attn_unknowns *unknowns, put_token *put)
{
    attn_tokens tokens = {0};
    attn_error error = {0};
    attn_buffer out = {0};
    if (attn_tokenizer_encode(tokenizer, text, options, &tokens, unknowns, &error) != ATTN_OK) {
        char message[2048];
        attn_error_text(&error, message, sizeof message);
        attn_tokens_free(&tokens);
        return files_print("ERROR: %s", message);
    }
    for (size_t i = 0; i < tokens.count; i++) {
        if (i > 0)
            attn_buffer_byte(&out, ' ');
        put(tokenizer, &tokens.items[i], &out);
    }
    ck_assert(!out.failed);
    const char *shown = files_print("%.*s", (int)out.size, out.size > 0 ? out.data : "");
    attn_buffer_free(&out);
    attn_tokens_free(&tokens);
    return shown;
}

const char *texts_show(const attn_tokenizer *tokenizer, attn_bytes text, const attn_encode_options *options,
                       attn_unknowns *unknowns)
{
    return encoded(tokenizer, text, options, unknowns, put_label);
}

const char *texts_ids(const attn_tokenizer *tokenizer, attn_bytes text, const attn_encode_options *options)
{
    return encoded(tokenizer, text, options, NULL, put_id);
}

void texts_expect(const attn_tokenizer *tokenizer, attn_bytes text, const char *ids)
{
    const attn_encode_options options = texts_plain();
    ck_assert_str_eq(texts_ids(tokenizer, text, &options), ids);
}

/* The text of *REST up to SEPARATOR, which *REST then begins behind. */
static attn_bytes cut(attn_bytes *rest, const char *separator)
{
    attn_bytes part = *rest;
    const size_t size = strlen(separator);
    const uint8_t *at = rest->size >= size ? memmem(rest->data, rest->size, separator, size) : NULL;
    if (at == NULL) {
        rest->size = 0;
        return part;
    }
    part.size = (size_t)(at - part.data);
    *rest = (attn_bytes){at + size, rest->size - part.size - size};
    return part;
}

void texts_conform(const attn_tokenizer *tokenizer, const char *folder)
{
    attn_bytes texts, lines;
    char *input = files_read(files_join(folder, "conformance.inp"), &texts.size);
    char *output = files_read(files_join(folder, "conformance.out"), &lines.size);
    texts.data = (const uint8_t *)input;
    lines.data = (const uint8_t *)output;
    for (size_t i = 0; i < CONFORMANCE_TEXTS; i++) { /* the file ends in a separator: the last text is empty */
        const attn_encode_options options = texts_plain();
        attn_bytes text = cut(&texts, "\n__ggml_vocab_test__\n"), line = cut(&lines, "\n");
        const char *found = texts_ids(tokenizer, text, &options);
        while (line.size > 0 && line.data[0] == ' ')
            line = (attn_bytes){line.data + 1, line.size - 1};
        ck_assert_msg(attn_bytes_are(line, found), "text %zu '%.*s': expected '%.*s', found '%s'", i, (int)text.size,
                      (const char *)text.data, (int)line.size, (const char *)line.data, found);
    }
    ck_assert_uint_eq(texts.size, 0);
    ck_assert_uint_eq(lines.size, 0);
    free(input);
    free(output);
}

/* "A" → "ab", "AB" → "b", as a double array by hand: root 0 leads by 'A' to 1, whose leaf is 2; by 'B' on to 64,
 * whose leaf is 65. A unit: label, 1 << 8 where a leaf is, offset << 10; a leaf: value | 1 << 31. */
size_t texts_charsmap(uint8_t *blob)
{
    enum { N_UNITS = 66 };
    uint32_t units[N_UNITS] = {[0] = 64 << 10,
                               [1] = 'A' | 1 << 8 | 3 << 10,
                               [2] = 1U << 31 | 0,
                               [64] = 'B' | 1 << 8 | 1 << 10,
                               [65] = 1U << 31 | 3};
    const uint32_t size = sizeof units;
    memcpy(blob, &size, 4);
    memcpy(blob + 4, units, sizeof units);
    memcpy(blob + 4 + sizeof units, "ab\0b", 5);
    return 4 + sizeof units + 5;
}
