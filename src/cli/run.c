/* run.c: the pipeline that joins the stages: request, model, texts, tokens, report, writer. Knows the order of things
 * and nothing of how they are done; what the command line says stands in the request of each stage already. */
#include "config.h"

#include "cli/run.h"
#include "base/foreign.h"
#include "base/memory.h"
#include "base/text_file.h"
#include "cli/default_model.h"
#include "cli/encode.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/texts.h"
#include "cli/usage.h"
#include "kernels/kernels.h"
#include "output/sink.h"

#include <stdlib.h>
#include <string.h>

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef struct run_state {
    attn_request request;
    attn_messages messages;
    attn_error error;
    const attn_report_kind *kind; /* what is printed */
    attn_pool *pool;              /* owned, as all below */
    attn_model model;
    char *default_model; /* its name, or NULL */
    attn_sink *sink;
    attn_report *report;
    attn_file_list inputs; /* all that is read but for the model's own files, which it remembers */
    attn_file context_file;
    attn_bytes context_text;
    attn_encoding encoding;
    attn_encoded text, context;
    bool failed; /* a text failed; the others went on */
    bool said_code_page, said_toy, said_converted;
} run_state;

static void show_reading(void *context, double fraction)
{
    attn_message_progress(context, "reading", fraction);
}

static void show_attending(void *context, double fraction)
{
    attn_message_progress(context, "attending", fraction);
}

/* A tokenizer that could not be read stops what needs a text, and nothing else. */
static attn_status need_tokenizer(run_state *run)
{
    const attn_error *why = run->model.no_tokenizer;
    char text[2048];
    if (why == NULL)
        return ATTN_OK;
    if (run->kind->reads != ATTN_READS_NOTHING) {
        run->error = *why;
        return why->status;
    }
    attn_error_text(why, text, sizeof text);
    attn_message_warning(&run->messages, "%s", text);
    return ATTN_OK;
}

static attn_status open_model(run_state *run)
{
    attn_model_request *request = &run->request.model;
    attn_status status = attn_default_model(request, &run->default_model, &run->error);
    if (status != ATTN_OK)
        return status;
    request->progress = show_reading;
    request->progress_context = &run->messages;
    status = attn_model_open(request, &run->model, &run->error);
    attn_message_progress(&run->messages, "reading", 1);
    if (status == ATTN_OK && run->model.warning[0] != '\0')
        attn_message_warning(&run->messages, "%s", run->model.warning);
    return status == ATTN_OK ? need_tokenizer(run) : status;
}

/* Bytes as tokens: nothing is said of what they mean. */
static bool takes_any_bytes(const run_state *run)
{
    const attn_tokenizer *tokenizer = run->model.tokenizer;
    return tokenizer != NULL && attn_kind_wordless(attn_tokenizer_kind_of(tokenizer)) == ATTN_WORDLESS_OWN;
}

/* Its bytes are taken as they stand, which hardly is what was meant; said once. */
static void warn_of_code_page(run_state *run, const attn_raw_text *raw)
{
    const char *name = raw->file[0] == '\0' ? "text" : strcmp(raw->file, "-") == 0 ? "standard input" : raw->file;
    size_t bad;
    if (run->said_code_page || takes_any_bytes(run) || !attn_foreign_is_code_page(raw->bytes, &bad))
        return;
    run->said_code_page = true;
    attn_message_warning(&run->messages,
                         "%s is no UTF-8 (at byte %zu), and looks like a code page; convert it: iconv -f CP949 -t "
                         "UTF-8 (or EUC-KR, SHIFT_JIS, GBK)",
                         name, bad);
}

/* It is taken as the text that it is, which hardly is what was meant; said once. */
static void warn_of_toy(run_state *run, const attn_raw_text *raw)
{
    if (run->said_toy || raw->file[0] == '\0' || strcmp(raw->file, "-") == 0 || !attn_foreign_is_toy(raw->bytes))
        return;
    run->said_toy = true;
    attn_message_warning(&run->messages, "%s looks like a toy model, and is taken as a text; did you mean -m %s?",
                         raw->file, raw->file);
}

/* What people see is another file than what is counted in; said once. */
static void warn_of_conversion(run_state *run, const char *file, const char *from)
{
    if (from == NULL || run->said_converted)
        return;
    run->said_converted = true;
    attn_message_warning(&run->messages, "%s is %s, and read as the UTF-8 that it stands for: bytes count in that",
                         strcmp(file, "-") == 0 ? "standard input" : file, from);
}

static attn_status read_context(run_state *run)
{
    const attn_texts_request *texts = &run->request.texts;
    const char *converted = NULL;
    attn_status status;
    if (texts->context == NULL)
        return ATTN_OK;
    status = attn_file_open_text(texts->context, &run->inputs, &run->context_file, &run->error);
    if (status != ATTN_OK)
        return status;
    if (!takes_any_bytes(run) && (status = attn_file_as_text(&run->context_file, &converted, &run->error)) != ATTN_OK)
        return status;
    warn_of_conversion(run, run->context_file.name, converted);
    run->context_text = attn_text_body(run->context_file.bytes, texts->keep_newline);
    status = attn_encode(&run->encoding, run->context_text, texts->context, &run->context, &run->error);
    if (status != ATTN_OK)
        attn_error_file(&run->error, run->context_file.name);
    return status == ATTN_OK ? attn_encoding_end_text(&run->encoding, true, &run->error) : status;
}

static attn_status open_output(run_state *run)
{
    const attn_request *request = &run->request;
    attn_status status = attn_usage_output(request, &run->inputs, &run->error);
    if (status == ATTN_OK)
        status = attn_usage_output(request, &run->model.files, &run->error);
    return status == ATTN_OK ? attn_sink_open(request->output.path, &run->sink, &run->error) : status;
}

static attn_status open_report(run_state *run)
{
    const attn_report_tools tools = {.model = &run->model,
                                     .sink = run->sink,
                                     .pool = run->pool,
                                     .several_texts = attn_texts_are_several(&run->request.texts)};
    return attn_report_open(&run->request.report, &run->request.output, &tools, &run->report, &run->error);
}

/* Everything is opened and checked before the first byte of output. */
static attn_status open_all(run_state *run)
{
    attn_status status = attn_pool_open(run->request.threads, &run->pool, &run->error);
    if (status == ATTN_OK)
        status = open_model(run);
    if (status == ATTN_OK)
        status = attn_encoding_open(&run->request.encode, &run->model, run->kind->any_length, &run->messages,
                                    &run->encoding, &run->error);
    if (status == ATTN_OK)
        status = read_context(run);
    if (status == ATTN_OK)
        status = open_output(run);
    return status == ATTN_OK ? open_report(run) : status;
}

static attn_status report_text(run_state *run, const attn_raw_text *raw)
{
    const bool has_tokens = run->kind->reads == ATTN_READS_TOKENS, has_context = run->request.texts.context != NULL;
    const attn_text text = {
        .file = raw->file,
        .number = raw->number,
        .line = raw->line,
        .bytes = raw->bytes,
        .tokens = has_tokens ? &run->text.tokens : NULL,
        .hidden_keys = run->text.hidden,
        .context_bytes = run->context_text,
        .context = has_context ? &run->context.tokens : NULL,
        .context_hidden = run->context.hidden,
        .encode_part = attn_encode_word,
        .encode_context = &run->encoding,
        .progress = show_attending,
        .progress_context = &run->messages,
    };
    attn_status status = attn_report_text(run->report, &text, &run->error);
    attn_message_progress(&run->messages, "attending", 1);
    return status;
}

/* Which text it was that failed. */
static void say_where(run_state *run, const attn_raw_text *raw)
{
    if (raw->file[0] == '\0' && run->request.texts.texts.count > 1) /* of several -T */
        attn_error_prefix(&run->error, "text %zu: ", raw->number);
    if (raw->line > 0 && run->error.file[0] == '\0') /* a place in the text counts from the text's own line */
        attn_error_line(&run->error, raw->line + run->error.line - (run->error.line > 0), run->error.column);
    attn_error_file(&run->error, strcmp(raw->file, "-") == 0 ? "standard input" : raw->file);
}

static attn_status one_text(run_state *run, const attn_raw_text *raw)
{
    attn_status status = ATTN_OK;
    warn_of_conversion(run, raw->file, raw->converted);
    warn_of_code_page(run, raw);
    warn_of_toy(run, raw);
    if (run->kind->reads == ATTN_READS_TOKENS)
        status = attn_encode(&run->encoding, raw->bytes, raw->file, &run->text, &run->error);
    if (status == ATTN_OK)
        status = report_text(run, raw);
    if (attn_encoding_end_text(&run->encoding, status == ATTN_OK, &run->error) != ATTN_OK)
        status = ATTN_ENOMEM;
    if (status != ATTN_OK && status != ATTN_ECLOSED)
        say_where(run, raw);
    return status;
}

/* Before a line that is not there yet: who waits for the rows of those before it has them. */
static void show_rows(void *context)
{
    run_state *run = context;
    attn_report_flush(run->report, NULL); /* what fails is seen with the next row */
}

/* A text that fails is reported and the others go on; a lost output or exhausted memory ends the run. */
static attn_status all_texts(run_state *run)
{
    attn_texts texts = attn_texts_of(&run->request.texts, takes_any_bytes(run));
    texts.waits = show_rows;
    texts.context = run;
    attn_raw_text text;
    attn_status fatal = ATTN_OK;
    attn_next next;
    if (run->kind->reads == ATTN_READS_NOTHING)
        return one_text(run, &(attn_raw_text){.file = ""});
    while (fatal == ATTN_OK && (next = attn_texts_next(&texts, &text, &run->error)) != ATTN_NEXT_END) {
        attn_status status = next == ATTN_NEXT_TEXT ? one_text(run, &text) : run->error.status;
        if (status == ATTN_OK)
            continue;
        if (status == ATTN_ECLOSED || status == ATTN_ENOMEM || status == ATTN_EUSAGE ||
            attn_sink_status(run->sink, NULL) != ATTN_OK) {
            fatal = status;
        } else {
            attn_message_error(&run->messages, &run->error);
            run->failed = true;
        }
    }
    attn_texts_close(&texts);
    return fatal;
}

static void warn_at_end(run_state *run)
{
    const attn_report_counts counts = attn_report_counted(run->report);
    attn_encoding_warn(&run->encoding);
    if (counts.not_finite > 0)
        attn_message_warning(
            &run->messages,
            "%llu of the numbers are NaN or infinite: the vectors, matrices or options hold such numbers "
            "or are too large for float32",
            (unsigned long long)counts.not_finite);
    if (counts.lost_queries > 0)
        attn_message_warning(&run->messages, "%llu vector%s NaN or infinity: no word is its neighbor",
                             (unsigned long long)counts.lost_queries, counts.lost_queries == 1 ? " holds" : "s hold");
    if (counts.lost_vectors > 0)
        attn_message_warning(&run->messages,
                             "%llu of the vocabulary's vectors hold%s NaN or infinity: nobody's neighbor",
                             (unsigned long long)counts.lost_vectors, counts.lost_vectors == 1 ? "s" : "");
    if (counts.masked_rows > 0)
        attn_message_warning(&run->messages, "%llu row%s with every key masked: weights and output 0",
                             (unsigned long long)counts.masked_rows, counts.masked_rows == 1 ? "" : "s");
}

/* -o FILE is whole or stays as it was: a text that failed would be missing in it. */
static attn_status commit(run_state *run)
{
    if (run->failed && attn_sink_replaces(run->sink)) {
        attn_message_warning(&run->messages, "%s is left as it was: a text failed", run->request.output.path);
        return ATTN_OK;
    }
    return attn_sink_commit(run->sink, &run->error);
}

static void warn_of_kernel(run_state *run)
{
    const char *name = getenv("ATTN_KERNEL");
    if (name != NULL && attn_kernels_named(name) == NULL)
        attn_message_warning(&run->messages, "ATTN_KERNEL: there are no kernels '%.40s' on this machine; %s is used",
                             name, attn_kernels()->name);
}

static attn_status print_reports(run_state *run)
{
    attn_status status = open_all(run);
    if (status == ATTN_OK)
        status = all_texts(run);
    if (status == ATTN_OK)
        status = attn_report_end(run->report, &run->error);
    if (status == ATTN_OK)
        status = attn_file_list_whole(&run->inputs, &run->error);
    if (status == ATTN_OK)
        status = attn_file_list_whole(&run->model.files, &run->error);
    if (status == ATTN_OK)
        status = commit(run);
    if (status == ATTN_OK)
        warn_at_end(run);
    return status;
}

static attn_status run_request(run_state *run, int argc, char **argv)
{
    attn_request *request = &run->request;
    attn_status status = attn_request_read(argc, argv, request, &run->error);
    if (status != ATTN_OK)
        return status;
    run->messages = attn_messages_open(request->quiet);
    if (request->help)
        return attn_help_print(attn_help_page, &run->error);
    if (request->version)
        return attn_help_print(attn_help_version, &run->error);
    run->kind = request->report.kind;
    status = attn_usage_check(request, &run->inputs, &run->error);
    if (status != ATTN_OK)
        return status;
    warn_of_kernel(run);
    return print_reports(run);
}

static void close_all(run_state *run)
{
    attn_report_close(run->report);
    attn_sink_close(run->sink);
    attn_encoded_free(&run->text);
    attn_encoded_free(&run->context);
    attn_encoding_close(&run->encoding);
    attn_file_close(&run->context_file);
    attn_model_close(&run->model);
    attn_free(run->default_model);
    attn_pool_close(run->pool);
    attn_file_list_free(&run->inputs);
    attn_request_free(&run->request);
}

int attn_cli_run(int argc, char **argv)
{
    run_state run = {0};
    attn_status status;
    bool failed;
    const bool pipe_default = attn_signals_catch();
    run.messages = attn_messages_open(false);
    status = run_request(&run, argc, argv);
    /* a reader that goes ends us silently: by SIGPIPE, or, where the caller ignores that, with a status */
    if (status != ATTN_OK && status != ATTN_ECLOSED)
        attn_message_error(&run.messages, &run.error);
    if (status == ATTN_EUSAGE)
        attn_message_usage_hint(&run.messages);
    failed = run.failed;
    close_all(&run);
    attn_signals_end(pipe_default, status == ATTN_ECLOSED);
    if (status == ATTN_EUSAGE)
        return EXIT_USAGE;
    return status != ATTN_OK || failed ? EXIT_FAILED : EXIT_FINE;
}
