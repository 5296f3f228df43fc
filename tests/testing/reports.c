/* reports.c: see reports.h. */
#include "config.h"

#include "testing/reports.h"

#include "testing.h"

#include "testing/models.h"
#include "testing/sinks.h"

#include <string.h>

const attn_report_kind *reports_kind(const char *name)
{
    const attn_report_kind *kind;
    for (size_t i = 0; (kind = attn_report_at(i)) != NULL && strcmp(kind->name, name) != 0; i++)
        ;
    ck_assert_msg(kind != NULL, "there is no report '%s'", name);
    return kind;
}

const attn_output *reports_format(const char *name)
{
    const attn_output *format;
    for (size_t i = 0; (format = attn_output_at(i)) != NULL && strcmp(format->name, name) != 0; i++)
        ;
    ck_assert_msg(format != NULL, "there is no format '%s'", name);
    return format;
}

reports_run reports_start(const char *json, const char *print)
{
    reports_run run = {
        .request = {.kind = reports_kind(print)}, .output = {.format = reports_format("tsv")}, .texts = {"a b"}};
    models_open_toy(&run.model, json);
    return run;
}

reports_run reports_start_at(const char *path, const char *print)
{
    reports_run run = {
        .request = {.kind = reports_kind(print)}, .output = {.format = reports_format("tsv")}, .texts = {"a b"}};
    models_open(&run.model, path);
    return run;
}

reports_run reports_start_ids(const char *path, const char *print)
{
    reports_run run = {
        .request = {.kind = reports_kind(print)}, .output = {.format = reports_format("tsv")}, .texts = {"0 1"}};
    attn_model_request request = models_request(path);
    ck_assert(attn_kind_find("ids", &request.tokenizer));
    models_open_request(&request, &run.model);
    return run;
}

static attn_status one_text(reports_run *run, attn_report *report, size_t number)
{
    const attn_reads reads = run->request.kind->reads;
    attn_encoded encoded = {0}, context = {0};
    attn_text text = {.file = "",
                      .number = number,
                      .hidden_keys = run->hidden,
                      .encode_part = attn_encode_word,
                      .encode_context = &run->encoding};
    attn_status status = ATTN_OK;
    if (reads != ATTN_READS_NOTHING)
        text.bytes = attn_bytes_of(run->texts[number]);
    if (reads == ATTN_READS_TOKENS && run->tokens == NULL)
        status = attn_encode(&run->encoding, text.bytes, "", &encoded, &run->error);
    if (status == ATTN_OK && run->context != NULL) {
        text.context_bytes = attn_bytes_of(run->context);
        status = attn_encode(&run->encoding, text.context_bytes, "", &context, &run->error);
        text.context = &context.tokens;
    }
    text.tokens = reads != ATTN_READS_TOKENS ? NULL : run->tokens != NULL ? run->tokens : &encoded.tokens;
    if (status == ATTN_OK)
        status = attn_report_text(report, &text, &run->error);
    if (attn_encoding_end_text(&run->encoding, status == ATTN_OK, &run->error) != ATTN_OK)
        status = ATTN_ENOMEM;
    attn_encoded_free(&encoded);
    attn_encoded_free(&context);
    return status;
}

static attn_status write_report(attn_sink *sink, void *context, attn_error *error)
{
    reports_run *run = context;
    const attn_report_tools tools = {
        .model = &run->model, .sink = sink, .pool = run->pool, .several_texts = run->several_texts};
    attn_report *report;
    (void)error;
    attn_status status = attn_report_open(&run->request, &run->output, &tools, &report, &run->error);
    if (status != ATTN_OK)
        return status;
    for (size_t i = 0; status == ATTN_OK && i < 4 && (i == 0 || run->texts[i] != NULL); i++)
        status = one_text(run, report, i);
    if (status == ATTN_OK)
        status = attn_report_end(report, &run->error);
    attn_report_close(report);
    return status;
}

attn_status reports_try(reports_run *run, const char **output, size_t *size)
{
    const attn_encode_request plain = {0};
    attn_encoding_close(&run->encoding);
    ck_assert_int_eq(attn_encoding_open(&plain, &run->model, true, &run->messages, &run->encoding, &run->error),
                     ATTN_OK);
    return sinks_run(write_report, run, output, size, &run->error);
}

void reports_end(reports_run *run)
{
    attn_encoding_close(&run->encoding);
    attn_model_close(&run->model);
}

const char *reports_printed(reports_run *run)
{
    const char *output;
    attn_status status = reports_try(run, &output, NULL);
    ck_assert_msg(status == ATTN_OK, "%s", run->error.message);
    reports_end(run);
    return output;
}

const char *reports_refused(reports_run *run, attn_status status)
{
    size_t size;
    ck_assert_int_eq(reports_try(run, NULL, &size), status);
    ck_assert_int_eq(run->error.status, status);
    ck_assert_uint_eq(size, 0);
    reports_end(run);
    return run->error.message;
}

double reports_number(const char *output, size_t line, size_t column)
{
    for (; line > 0; line--)
        output = strchr(output, '\n') + 1;
    for (; column > 0; column--)
        output = strchr(output, '\t') + 1;
    return strtod(output, NULL);
}
