/* default_model.c: see default_model.h. The installed place comes from configure (ATTN_DATADIR). */
#include "config.h"

#include "cli/default_model.h"
#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

/* "models/NAME" beside the running program: there in a build tree, not in a bin directory. */
static attn_status beside_program(char **path, attn_error *error)
{
    char program[PATH_ROOM];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    bool there = false;
    if (length <= 0)
        return ATTN_OK;
    program[length] = '\0';
    *path = attn_path_beside(program, "models/" ATTN_DEFAULT_MODEL);
    if (*path == NULL)
        return attn_fail_memory(error);
    attn_status status = attn_path_is_directory(*path, &there, error);
    if (!there) {
        attn_free(*path);
        *path = NULL;
    }
    return status;
}

static attn_status copy(const char *name, char **path, attn_error *error)
{
    *path = attn_copy_text(name, strlen(name));
    return *path != NULL ? ATTN_OK : attn_fail_memory(error);
}

static attn_status find_model(char **path, attn_error *error)
{
    const char *named = getenv("ATTN_MODEL");
    const char *installed = ATTN_DATADIR "/" ATTN_DEFAULT_MODEL;
    bool there = false;
    if (named != NULL && named[0] != '\0')
        return copy(named, path, error);
    attn_status status = beside_program(path, error);
    if (status == ATTN_OK && *path == NULL)
        status = attn_path_is_directory(installed, &there, error);
    return status == ATTN_OK && there ? copy(installed, path, error) : status;
}

attn_status attn_default_model(attn_model_request *request, char **owned, attn_error *error)
{
    *owned = NULL;
    if (request->model != NULL || request->vocab != NULL || request->embeddings != NULL || request->weights != NULL)
        return ATTN_OK;
    attn_status status = find_model(owned, error);
    request->model = *owned;
    if (status == ATTN_OK && *owned == NULL)
        return attn_fail(error, ATTN_EUSAGE, "no model: give one with -m, or word vectors with -e (see --help)");
    return status;
}
