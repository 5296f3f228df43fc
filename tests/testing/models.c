/* models.c: see models.h. */
#include "config.h"

#include "testing/models.h"

#include "testing.h"

#include "testing/files.h"

#include <string.h>

attn_model_request models_request(const char *path)
{
    return (attn_model_request){.model = path};
}

static const char *whole_message(const attn_error *error)
{
    char text[2048];
    attn_error_text(error, text, sizeof text);
    return files_print("%s", text);
}

void models_open_request(const attn_model_request *request, attn_model *model)
{
    attn_error error = {0};
    if (attn_model_open(request, model, &error) != ATTN_OK)
        ck_abort_msg("%s", whole_message(&error));
}

void models_open(attn_model *model, const char *path)
{
    const attn_model_request request = models_request(path);
    models_open_request(&request, model);
}

void models_open_toy(attn_model *model, const char *json)
{
    models_open(model, files_text(json));
}

const char *models_refusal(const attn_model_request *request)
{
    attn_model model;
    attn_error error = {0};
    attn_status status = attn_model_open(request, &model, &error);
    ck_assert_int_ne(status, ATTN_OK);
    ck_assert_int_eq(status, error.status);
    ck_assert_str_ne(error.message, "");
    return whole_message(&error);
}

void models_refuse(const attn_model_request *request, const char *part)
{
    const char *message = models_refusal(request);
    if (strstr(message, part) == NULL)
        ck_abort_msg("expected '%s' in: %s", part, message);
}

static attn_status see_block(void *context, const attn_block *block, attn_error *error)
{
    (void)context;
    (void)block;
    (void)error;
    return ATTN_OK;
}

static attn_status see_hidden(void *context, const attn_hidden *hidden, attn_error *error)
{
    (void)context;
    (void)hidden;
    (void)error;
    return ATTN_OK;
}

static attn_status see_logits(void *context, const attn_logits *logits, attn_error *error)
{
    (void)context;
    (void)logits;
    (void)error;
    return ATTN_OK;
}

attn_status models_run(const char *path, const uint32_t *ids, size_t n, attn_error *error)
{
    attn_model model;
    const attn_model_request request = models_request(path);
    attn_observer observer = {.wants = ATTN_WANT_SCORES | ATTN_WANT_WEIGHTS | ATTN_WANT_AFTER,
                              .block = see_block,
                              .hidden = see_hidden,
                              .logits = see_logits};
    attn_input input = {.ids = ids, .n = n};
    attn_status status = attn_model_open(&request, &model, error);
    if (status != ATTN_OK)
        return status;
    if (model.head.w.data != NULL)
        observer.wants |= ATTN_WANT_LOGITS;
    status = attn_forward(&model, &input, &observer, NULL, error);
    attn_model_close(&model);
    return status;
}
