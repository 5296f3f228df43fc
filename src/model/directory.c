/* directory.c: published models, as directories and as single files. */
#include "config.h"

#include "model/loader.h"

attn_status attn_load_directory(attn_loader *loader, const char *path)
{
    return attn_fail(loader->error, ATTN_EUNSUPPORTED, "%s: model directories can not be read yet", path);
}

attn_status attn_load_container_model(attn_loader *loader, const char *path, const char *format,
                                      attn_file *file)
{
    attn_file_close(file);
    return attn_fail(loader->error, ATTN_EUNSUPPORTED, "%s: a model in %s can not be read yet", path, format);
}

attn_status attn_load_gguf_vocab(attn_loader *loader, const char *path)
{
    return attn_fail(loader->error, ATTN_EUNSUPPORTED, "%s: a vocabulary in GGUF can not be read yet", path);
}
