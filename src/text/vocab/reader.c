/* reader.c: the look-up in the list of vocabulary readers, by content and by file name, and the files beside a
 * vocabulary. Knows no format but by its row. */
#include "config.h"

#include "text/vocab/reader.h"
#include "text/tokenizer.h"

#include <string.h>

#define ATTN_ROW(name) &attn_vocab_reader_##name,
static const attn_vocab_reader *const readers[] = {ATTN_VOCAB_READERS(ATTN_ROW)};
#undef ATTN_ROW
enum { N_READERS = sizeof readers / sizeof readers[0] };

attn_status attn_vocab_reader_of(const attn_vocab_source *source, const attn_vocab_reader **reader, attn_error *error)
{
    for (size_t i = 0;; i++) {
        bool is = true;
        const attn_status status = readers[i]->is != NULL ? readers[i]->is(source, &is, error) : ATTN_OK;
        *reader = readers[i];
        if (status != ATTN_OK || is || i + 1 == N_READERS)
            return status;
    }
}

/* The file called NAME, or "*ENDING", in DIRECTORY; owned by the caller; NULL: none, or no memory. */
static attn_status find_file(const char *directory, const char *name, char **found, attn_error *error)
{
    if (name[0] == '*')
        return attn_path_ending(directory, name + 1, found, error);
    *found = attn_path_join(directory, name);
    if (*found == NULL)
        return attn_fail_memory(error);
    if (!attn_path_exists(*found)) {
        attn_free(*found);
        *found = NULL;
    }
    return ATTN_OK;
}

attn_status attn_vocab_find(const char *directory, char **found, attn_error *error)
{
    attn_status status = ATTN_OK;
    *found = NULL;
    for (size_t i = 0; i < N_READERS; i++)
        for (const char *const *name = readers[i]->files; *name != NULL; name++) {
            status = find_file(directory, *name, found, error);
            if (status != ATTN_OK || *found != NULL)
                return status;
        }
    return ATTN_OK;
}

void attn_vocab_file_names(attn_buffer *out)
{
    const char *last = NULL;
    const char *between = "";
    for (size_t i = 0; i < N_READERS; i++)
        for (const char *const *name = readers[i]->files; *name != NULL; name++) {
            if (last != NULL) {
                attn_buffer_text(out, between);
                attn_buffer_text(out, last);
                between = ", ";
            }
            last = *name;
        }
    attn_buffer_text(out, " or ");
    attn_buffer_text(out, last);
}

attn_status attn_vocab_open_beside(const attn_vocab_source *source, const char *const *names, attn_file *file,
                                   attn_error *error)
{
    attn_status status = ATTN_OK;
    *file = (attn_file){0};
    if (strcmp(source->path, "-") == 0)
        return ATTN_OK;
    for (; *names != NULL && file->name == NULL && status == ATTN_OK; names++) {
        char *path = attn_path_beside(source->path, *names);
        if (path == NULL)
            return attn_fail_memory(error);
        if (attn_path_exists(path))
            status = attn_file_open(path, source->files, file, error);
        attn_free(path);
    }
    return status;
}

attn_status attn_vocab_config(const attn_vocab_source *source, const char *name, attn_json_node **root,
                              attn_error *error)
{
    const char *const names[] = {name, NULL};
    attn_file file;
    attn_status status = attn_vocab_open_beside(source, names, &file, error);
    *root = NULL;
    if (status == ATTN_OK && file.name != NULL)
        status = attn_json_tree_of(file.bytes, file.name, root, error);
    attn_file_close(&file);
    return status;
}

attn_status attn_vocab_switch(const attn_vocab_source *source, const char *name, const attn_json_node *object,
                              const char *key, bool *value, attn_error *error)
{
    const attn_json_node *node = attn_json_node_member(object, key);
    char *path;
    if (node == NULL || attn_json_node_type(node) == ATTN_JSON_NULL || attn_json_node_bool(node, value))
        return ATTN_OK;
    path = attn_path_beside(source->path, name);
    if (path == NULL)
        return attn_fail_memory(error);
    attn_fail(error, ATTN_EDATA, "%s: expected true or false", key);
    attn_error_line(error, attn_json_node_line(node), 0);
    attn_error_file(error, path);
    attn_free(path);
    return ATTN_EDATA;
}
