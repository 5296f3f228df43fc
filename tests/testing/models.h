/* models.h: models that open, and those that must be refused. */
#ifndef ATTN_TESTING_MODELS_H
#define ATTN_TESTING_MODELS_H

#include "load/load.h"
#include "pass/forward.h"

/* A request for the model at PATH (NULL: none) with nothing else said. */
attn_model_request models_request(const char *path);
/* Opens it; the test fails with the message when that can not be. */
void models_open_request(const attn_model_request *request, attn_model *model);
void models_open(attn_model *model, const char *path);
/* A toy from its JSON. */
void models_open_toy(attn_model *model, const char *json);

/* The whole message, file and hint too, with which opening REQUEST ends; it must. */
const char *models_refusal(const attn_model_request *request);
/* … and it holds PART. */
void models_refuse(const attn_model_request *request, const char *part);

/* Opens the model at PATH, runs it over IDS, all that can be wanted, and closes it: for what must not crash. */
attn_status models_run(const char *path, const uint32_t *ids, size_t n, attn_error *error);

#endif
