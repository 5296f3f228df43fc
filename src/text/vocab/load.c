/* load.c: from a path to a tokenizer: finds the file in a directory, tells the format by its
 * content, lets the format's reader fill a spec. It knows no format but through its row. */
#include "config.h"

#include "text/vocab/reader.h"
#include "text/tokenizer.h"

#include <string.h>

const attn_vocab_format attn_vocab_formats[] = {
    {"tokenizer.json", attn_is_tokenizer_json, attn_spec_read_tokenizer_json},
    {"vocab.json", attn_is_vocab_json, attn_spec_read_vocab_json},
    {"tokenizer.tiktoken", attn_is_tiktoken, attn_spec_read_tiktoken},
    {"tokenizer.model", attn_is_spm_model, attn_spec_read_spm_model},
    {"tokenizer.bin", attn_is_llama2c_vocab, attn_spec_read_llama2c_vocab},
    {"vocab.txt", attn_is_vocab_txt, attn_spec_read_vocab_txt},
    {NULL, NULL, NULL}};

/* The best vocabulary file in the directory PATH; owned by the caller. */
static attn_status find_in_directory(const char *path, char **found, attn_error *error)
{
    for (const attn_vocab_format *row = attn_vocab_formats; row->name != NULL; row++) {
        *found = attn_path_join(path, row->name);
        if (*found == NULL)
            return attn_fail_memory(error);
        if (attn_path_exists(*found))
            return ATTN_OK;
        attn_free(*found);
    }
    *found = NULL;
    attn_fail(error, ATTN_EDATA,
              "expected a vocabulary (tokenizer.json, vocab.json, tokenizer.tiktoken, "
              "tokenizer.model or vocab.txt) in the "
              "directory, found none");
    return attn_error_file(error, path);
}

static attn_bytes without_bom(attn_bytes bytes)
{
    if (bytes.size >= 3 && memcmp(bytes.data, "\xEF\xBB\xBF", 3) == 0)
        return (attn_bytes){bytes.data + 3, bytes.size - 3};
    return bytes;
}

attn_status attn_tokenizer_of_file(const char *path, const attn_file *file, const attn_kind *kind,
                                   attn_tokenizer **tokenizer, attn_error *error)
{
    attn_arena arena = {0};
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_vocab_source source = {.path = path, .arena = &arena};
    const attn_vocab_format *format = attn_vocab_formats;
    attn_status status;
    *tokenizer = NULL;
    source.bytes = without_bom(file->bytes);
    while (format->name != NULL && !format->is(&source))
        format++;
    if (format->name == NULL)
        status = attn_fail_found(error,
                                 "a vocabulary (token list, vocab.txt, vocab.json, tokenizer.json, "
                                 "tiktoken ranks)",
                                 "something else");
    else
        status = format->read(&source, &spec, error);
    if (status == ATTN_OK) {
        attn_spec_override(&spec, kind);
        status = attn_tokenizer_open(&spec, tokenizer, error);
    }
    if (status != ATTN_OK)
        attn_error_file(error, file->name);
    attn_arena_free(&arena);
    return status;
}

attn_status attn_tokenizer_load(const char *path, const attn_kind *kind, attn_tokenizer **tokenizer, attn_error *error)
{
    attn_file file = {0};
    char *found = NULL;
    attn_status status = ATTN_OK;
    *tokenizer = NULL;
    if (attn_path_is_directory(path))
        status = find_in_directory(path, &found, error);
    if (found != NULL)
        path = found;
    if (status == ATTN_OK)
        status = attn_file_open(path, &file, error);
    if (status == ATTN_OK)
        status = attn_tokenizer_of_file(path, &file, kind, tokenizer, error);
    attn_file_close(&file);
    attn_free(found);
    return status;
}
