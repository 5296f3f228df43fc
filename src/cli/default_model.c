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
static char *beside_program(void)
{
    char program[PATH_ROOM];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *path;
    if (length <= 0)
        return NULL;
    program[length] = '\0';
    path = attn_path_beside(program, "models/" ATTN_DEFAULT_MODEL);
    if (path != NULL && attn_path_is_directory(path))
        return path;
    attn_free(path);
    return NULL;
}

static char *find_model(void)
{
    const char *named = getenv("ATTN_MODEL");
    const char *installed = ATTN_DATADIR "/" ATTN_DEFAULT_MODEL;
    char *path;
    if (named != NULL && named[0] != '\0')
        return attn_copy_text(named, strlen(named));
    path = beside_program();
    if (path != NULL)
        return path;
    return attn_path_is_directory(installed) ? attn_copy_text(installed, strlen(installed)) : NULL;
}

attn_status attn_default_model(attn_model_request *request, char **owned, attn_error *error)
{
    *owned = NULL;
    if (request->model != NULL || request->vocab != NULL || request->embeddings != NULL || request->weights != NULL)
        return ATTN_OK;
    *owned = find_model();
    request->model = *owned;
    if (*owned == NULL)
        return attn_fail(error, ATTN_EUSAGE, "no model: give one with -m, or word vectors with -e (see --help)");
    return ATTN_OK;
}
