/* fuzz_model.h: the body of the targets that open a model and run it over three tokens. */
#ifndef ATTN_TESTS_FUZZ_MODEL_H
#define ATTN_TESTS_FUZZ_MODEL_H

#include "fuzz.h"

#include "load/load.h"
#include "pass/forward.h"

#include <sys/mman.h>
#include <unistd.h>

enum { FUZZ_MODEL_FACTOR = 4096 }; /* bytes asked for a byte of file: tables, the pass's workspaces */

/* SIZE bytes at DATA as a file without a name on disk; its descriptor, to be closed. PATH: how to
 * open it. */
static inline int fuzz_file(const uint8_t *data, size_t size, char path[64])
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size))
        abort();
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static inline attn_status fuzz_see_block(void *context, const attn_block *block, attn_error *error)
{
    volatile float seen = 0.0f;
    size_t count = block->n_heads * block->n_queries * block->n_keys;
    (void)context;
    (void)error;
    for (size_t i = 0; i < count; i++)
        seen = block->values[i];
    (void)seen;
    return ATTN_OK;
}

static inline attn_status fuzz_see_hidden(void *context, const attn_hidden *hidden, attn_error *error)
{
    volatile float seen = 0.0f;
    (void)context;
    (void)error;
    for (size_t i = 0; i < hidden->n_tokens * hidden->width; i++)
        seen = hidden->values[i];
    (void)seen;
    return ATTN_OK;
}

static inline attn_status fuzz_see_logits(void *context, const attn_logits *logits, attn_error *error)
{
    volatile float seen = 0.0f;
    (void)context;
    (void)error;
    for (size_t i = 0; i < logits->n_positions * logits->n_vocab; i++)
        seen = logits->values[i];
    (void)seen;
    return ATTN_OK;
}

static inline void fuzz_run_model(const attn_model *model)
{
    const uint32_t ids[] = {0, model->n_vocab > 1 ? 1 : 0, (uint32_t)(model->n_vocab - 1)};
    attn_input input = {.ids = ids, .n = 3};
    attn_observer observer = {.wants = ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS | ATTN_WANT_BEFORE | ATTN_WANT_AFTER,
                              .block = fuzz_see_block,
                              .hidden = fuzz_see_hidden,
                              .logits = fuzz_see_logits};
    if (model->n_vocab == 0)
        return;
    if (model->head.w.data != NULL)
        observer.wants |= ATTN_WANT_LOGITS;
    if (model->max_tokens != 0 && model->max_tokens < input.n)
        input.n = model->max_tokens;
    for (size_t i = 0; i < model->n_layers; i++)
        if (model->layers[i].rule.n_heads > observer.max_heads)
            observer.max_heads = model->layers[i].rule.n_heads;
    attn_forward(model, &input, &observer, NULL, NULL);
}

/* Opens the model at PATH; SIZE is what of it comes from the fuzzer, for the memory limit. */
static inline void fuzz_model(const char *path, size_t size)
{
    attn_model_request request = {.model = path};
    attn_model model;
    attn_error error = {0};
    fuzz_budget budget;
    if (!attn_kind_find("ids", &request.tokenizer)) /* no text is read: what has no tokenizer is run all the same */
        abort();
    fuzz_begin(&budget, size + 512, FUZZ_MODEL_FACTOR);
    attn_status status = attn_model_open(&request, &model, &error);
    if (status == ATTN_OK) {
        fuzz_run_model(&model);
        attn_model_close(&model);
    } else if (error.status != status || error.message[0] == '\0') {
        abort();
    }
    fuzz_end();
}

#endif
