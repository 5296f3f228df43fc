/* load.c: from a path to a tokenizer: finds the file in a directory, tells the format by its
 * content, lets the format's reader fill a spec. It knows no format. */
#include "config.h"

#include "base/foreign.h"
#include "text/vocab/reader.h"
#include "text/tokenizer.h"

#include <string.h>

/* Says that there is none, and under which names one was looked for. */
static attn_status none_in(const char *directory, attn_error *error)
{
    attn_buffer names = {0};
    attn_status status;
    attn_vocab_file_names(&names);
    attn_buffer_byte(&names, '\0');
    if (names.failed)
        status = attn_fail_memory(error);
    else
        status = attn_fail(error, ATTN_EDATA, "expected a vocabulary (%s) in the directory, found none", names.data);
    attn_buffer_free(&names);
    attn_error_file(error, directory);
    return status;
}

/* SPEC from SOURCE and from what lies beside it. */
static attn_status read_spec(const attn_vocab_source *source, attn_tokenizer_spec *spec, attn_error *error)
{
    const attn_vocab_reader *reader;
    attn_status status = attn_vocab_reader_of(source, &reader, error);
    if (status == ATTN_OK)
        status = reader->read(source, spec, error);
    return status == ATTN_OK && !reader->complete ? attn_vocab_beside(source, spec, error) : status;
}

attn_status attn_tokenizer_of_file(const char *path, const attn_file *file, const attn_kind *kind,
                                   attn_tokenizer **tokenizer, attn_error *error)
{
    attn_arena arena = {0};
    attn_error unwanted; /* readers look at their error */
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    const attn_vocab_source source = {
        .path = path, .files = file->list, .bytes = attn_bytes_without_bom(file->bytes), .arena = &arena};
    error = error != NULL ? error : &unwanted;
    attn_status status = attn_foreign_refuse(file->bytes, error);
    if (status == ATTN_OK)
        status = attn_foreign_refuse_page(file->bytes, error);
    if (status == ATTN_OK)
        status = read_spec(&source, &spec, error);
    *tokenizer = NULL;
    if (status == ATTN_OK) {
        attn_spec_override(&spec, kind);
        status = attn_tokenizer_open(&spec, tokenizer, error);
    }
    if (status != ATTN_OK)
        attn_error_file(error, file->name);
    attn_arena_free(&arena);
    return status;
}

attn_status attn_tokenizer_load(const char *path, attn_file_list *files, const attn_kind *kind,
                                attn_tokenizer **tokenizer, attn_error *error)
{
    attn_file file = {0};
    char *found = NULL;
    bool is_directory;
    attn_status status = attn_path_is_directory(path, &is_directory, error);
    *tokenizer = NULL;
    if (status == ATTN_OK && is_directory) {
        status = attn_vocab_find(path, &found, error);
        if (status == ATTN_OK && found == NULL)
            return none_in(path, error);
        path = found;
    }
    if (status == ATTN_OK)
        status = attn_file_open(path, files, &file, error);
    if (status == ATTN_OK)
        status = attn_tokenizer_of_file(path, &file, kind, tokenizer, error);
    attn_file_close(&file);
    attn_free(found);
    return status;
}
