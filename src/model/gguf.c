/* gguf.c: models in GGUF: metadata become the families' settings. */
#include "config.h"

#include "model/loader.h"

attn_status attn_load_gguf(attn_loader *loader, const attn_container *container)
{
    (void)container;
    return attn_fail(loader->error, ATTN_EUNSUPPORTED, "models in GGUF can not be read yet");
}

attn_status attn_load_gguf_tokenizer(attn_loader *loader, const attn_container *container)
{
    (void)container;
    return attn_fail(loader->error, ATTN_EUNSUPPORTED, "a vocabulary in GGUF can not be read yet");
}
