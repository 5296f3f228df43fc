/* run.c: the pipeline that joins the stages: options, model, texts, tokens, report, writer. Knows the order
 * of things and nothing of how they are done. */
#include "config.h"

#include "cli/run.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "cli/default_model.h"
#include "cli/help.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/texts.h"
#include "cli/usage.h"
#include "kernels/kernels.h"
#include "load/load.h"
#include "load/mask_file.h"
#include "output/sink.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef struct run_state {
    attn_options options;
    attn_messages messages;
    attn_error error;
    const attn_report_kind *kind; /* what is printed */
    attn_pool *pool;              /* owned, as all below */
    attn_model model;
    attn_sink *sink;
    attn_report *report;
    attn_arena arena;      /* mask files */
    attn_mask mask;        /* of -a */
    attn_file_list inputs; /* all that is read but for the model's own files, which it remembers */
    attn_file context_file;
    attn_bytes context_text;
    attn_tokens context, tokens;
    uint8_t *hidden, *context_hidden; /* [count] of padding, or NULL */
    attn_unknowns unknowns;
    attn_encode_options encode;
    uint32_t pad; /* --pad-token, or ATTN_NO_TOKEN */
    bool failed;  /* a text failed; the others went on */
} run_state;

static attn_status print_page(run_state *run, void (*page)(attn_buffer *out))
{
    attn_buffer text = {0};
    attn_status status;
    page(&text);
    status = text.failed ? attn_fail_memory(&run->error) : attn_sink_open(NULL, &run->sink, &run->error);
    if (status == ATTN_OK) {
        attn_sink_put(run->sink, text.data, text.size);
        status = attn_sink_commit(run->sink, &run->error);
    }
    attn_buffer_free(&text);
    return status;
}

static const char *mask_rule_at(size_t index)
{
    return attn_mask_rule_names[index];
}

/* NAME is no rule: it must be a file. A mistyped rule is wrong usage rather than a missing file. */
static attn_status check_mask_file(const char *name, attn_error *error)
{
    const char *near;
    if (strcmp(name, "-") == 0 || attn_path_exists(name))
        return ATTN_OK;
    near = attn_suggest(name, mask_rule_at);
    attn_fail(error, ATTN_EUSAGE, "--mask: expected causal, none, window:W, band:W, prefix:N or a file, found '%s'",
              name);
    if (near != NULL)
        attn_error_hint(error, "did you mean '%s'?", near);
    return ATTN_EUSAGE;
}

static attn_status read_masks(run_state *run)
{
    const attn_strings *masks = &run->options.masks;
    for (size_t i = 0; i < masks->count; i++) {
        attn_mask_file file;
        attn_status status;
        bool wrong;
        if (attn_mask_add_rule(&run->mask, masks->items[i], &wrong, &run->error))
            continue;
        if (wrong)
            return ATTN_EUSAGE;
        status = check_mask_file(masks->items[i], &run->error);
        if (status == ATTN_OK)
            status = attn_mask_file_read(masks->items[i], &run->inputs, &run->arena, &file, &run->error);
        if (status != ATTN_OK)
            return status;
        if (run->mask.n_matrices == ATTN_MAX_MASK_MATRICES)
            return attn_fail(&run->error, ATTN_EUSAGE, "more than %d mask files", ATTN_MAX_MASK_MATRICES);
        run->mask.matrices[run->mask.n_matrices++] = file.matrix;
        if (file.zero_one)
            attn_message_warning(&run->messages,
                                 "%s: the mask holds only 0 and 1, which are added to the scores; "
                                 "true keeps and false hides",
                                 masks->items[i]);
    }
    return ATTN_OK;
}

static void show_reading(void *context, double fraction)
{
    attn_message_progress(context, "reading", fraction);
}

static void show_attending(void *context, double fraction)
{
    attn_message_progress(context, "attending", fraction);
}

static attn_status open_model(run_state *run)
{
    const attn_options *o = &run->options;
    attn_model_request request = {0};
    char *fallback = NULL;
    attn_status status;
    request.model = o->model;
    request.vocab = o->vocab;
    request.embeddings = o->embeddings;
    request.weights = o->weights;
    if (o->tokenizer != NULL)
        attn_kind_find(o->tokenizer, &request.tokenizer);
    if (o->score != NULL)
        request.overrides.has_score = attn_score_find(o->score, &request.overrides.score);
    request.overrides.scale = o->scale;
    request.overrides.temperature = o->temperature;
    request.overrides.softcap = o->softcap;
    request.overrides.positions = o->positions;
    request.overrides.n_heads = o->n_heads;
    request.overrides.n_kv_heads = o->n_kv_heads;
    request.overrides.mask = o->masks.count > 0 ? &run->mask : NULL;
    request.progress = show_reading;
    request.progress_context = &run->messages;
    if (o->model == NULL && o->vocab == NULL && o->embeddings == NULL && o->weights == NULL) {
        request.model = fallback = attn_default_model();
        if (fallback == NULL)
            return attn_fail(&run->error, ATTN_EUSAGE,
                             "no model: give one with -m, or word vectors with -e (see --help)");
    }
    status = attn_model_open(&request, &run->model, &run->error);
    attn_free(fallback);
    attn_message_progress(&run->messages, "reading", 1);
    if (status == ATTN_OK && run->model.warning[0] != '\0')
        attn_message_warning(&run->messages, "%s", run->model.warning);
    return status;
}

/* The id of a token named on the command line. */
static attn_status find_token(run_state *run, const char *option, const char *name, uint32_t *id)
{
    *id = attn_tokenizer_find(run->model.tokenizer, attn_bytes_of(name));
    if (*id == ATTN_NO_TOKEN)
        return attn_fail(&run->error, ATTN_EUSAGE, "%s: the vocabulary has no token '%s'", option, name);
    return ATTN_OK;
}

static attn_status set_encoding(run_state *run)
{
    const attn_options *o = &run->options;
    attn_encode_options *encode = &run->encode;
    attn_status status = ATTN_OK;
    *encode = attn_encode_options_default();
    encode->add_special = o->special == NULL || strcmp(o->special, "none") != 0;
    encode->parse_special = o->parse_special;
    if (o->lowercase)
        encode->lowercase = 1;
    if (o->unknown != NULL && strcmp(o->unknown, "skip") == 0)
        encode->unknown = ATTN_UNKNOWN_SKIP;
    else if (o->unknown != NULL && strcmp(o->unknown, "error") == 0)
        encode->unknown = ATTN_UNKNOWN_ERROR;
    else if (o->unknown != NULL) {
        encode->unknown = ATTN_UNKNOWN_TOKEN;
        status = find_token(run, "--unknown", o->unknown, &encode->unknown_token);
    }
    run->pad = ATTN_NO_TOKEN;
    if (status == ATTN_OK && o->pad_token != NULL)
        status = find_token(run, "--pad-token", o->pad_token, &run->pad);
    return status;
}

/* Mark the padding of TOKENS in *HIDDEN, which is freed first. */
static attn_status mark_padding(run_state *run, const attn_tokens *tokens, uint8_t **hidden)
{
    attn_free(*hidden);
    *hidden = NULL;
    if (run->pad == ATTN_NO_TOKEN)
        return ATTN_OK;
    *hidden = attn_calloc_array(tokens->count, 1);
    if (*hidden == NULL)
        return attn_fail_memory(&run->error);
    for (size_t i = 0; i < tokens->count; i++)
        (*hidden)[i] = tokens->items[i].id == run->pad;
    return ATTN_OK;
}

/* Cut TOKENS to MOST, the ones that the model puts behind a text ([SEP]) kept at the end. */
static void cut_tokens(attn_tokens *tokens, size_t most)
{
    size_t behind = 0;
    while (behind < tokens->count && tokens->items[tokens->count - 1 - behind].special &&
           tokens->items[tokens->count - 1 - behind].start == tokens->items[tokens->count - 1 - behind].end)
        behind++;
    if (behind < most)
        memmove(tokens->items + most - behind, tokens->items + tokens->count - behind, behind * sizeof *tokens->items);
    tokens->count = most;
}

/* Cut to --max-tokens, or refuse what the model can not read. */
static attn_status limit_tokens(run_state *run, attn_tokens *tokens, const char *file)
{
    size_t most = run->options.max_tokens, readable = run->model.max_tokens;
    if (most > 0 && tokens->count > most) {
        attn_message_warning(&run->messages, "%s: cut from %zu to %zu tokens",
                             file[0] == '\0'          ? "text"
                             : strcmp(file, "-") == 0 ? "standard input"
                                                      : file,
                             tokens->count, most);
        cut_tokens(tokens, most);
    }
    if (readable > 0 && tokens->count > readable && !run->kind->any_length) {
        attn_fail(&run->error, ATTN_EDATA, "the text has %zu tokens, the model reads at most %zu", tokens->count,
                  readable);
        return attn_error_hint(&run->error, "--max-tokens=%zu cuts it", readable);
    }
    return ATTN_OK;
}

static attn_status encode(run_state *run, attn_bytes text, const char *file, attn_tokens *tokens, uint8_t **hidden)
{
    attn_status status;
    tokens->count = 0;
    status = attn_tokenizer_encode(run->model.tokenizer, text, &run->encode, tokens, &run->unknowns, &run->error);
    if (status == ATTN_OK)
        status = limit_tokens(run, tokens, file);
    if (status == ATTN_OK)
        status = mark_padding(run, tokens, hidden);
    return status;
}

static attn_status read_context(run_state *run)
{
    const char *path = run->options.context;
    attn_status status;
    if (path == NULL)
        return ATTN_OK;
    status = attn_file_open(path, &run->inputs, &run->context_file, &run->error);
    if (status != ATTN_OK)
        return status;
    run->context_text = attn_text_body(run->context_file.bytes, run->options.keep_newline);
    status = encode(run, run->context_text, path, &run->context, &run->context_hidden);
    if (status != ATTN_OK)
        attn_error_file(&run->error, run->context_file.name);
    return status;
}

static attn_color color_of(const char *name)
{
    if (name == NULL)
        return ATTN_COLOR_UNSAID;
    if (strcmp(name, "always") == 0)
        return ATTN_COLOR_ALWAYS;
    return strcmp(name, "auto") == 0 ? ATTN_COLOR_AUTO : ATTN_COLOR_NEVER;
}

static attn_status open_report(run_state *run)
{
    const attn_options *o = &run->options;
    const attn_report_request request = {
        .kind = run->kind,
        .layers = o->layers,
        .heads = o->heads,
        .queries = o->queries,
        .keys = o->keys,
        .query_tokens = o->query_tokens,
        .key_tokens = o->key_tokens,
        .min = {!isnan(o->min), o->min},
        .top = o->top,
        .at = o->at,
        .average_heads = o->average != NULL,
        .by_word = o->by_word,
        .with_self = o->with_self,
        .final_norm = o->final_norm,
        .raw_tokens = o->raw_tokens,
    };
    const attn_output_request output = {
        .format = o->format != NULL ? attn_output_find(o->format) : NULL,
        .columns = o->columns,
        .precision = {o->precision != ATTN_NO_PRECISION, o->precision},
        .color = color_of(o->color),
        .no_header = o->no_header,
    };
    const attn_report_tools tools = {.model = &run->model,
                                     .sink = run->sink,
                                     .pool = run->pool,
                                     .several_texts = o->files.count > 1 || o->texts.count > 1};
    return attn_report_open(&request, &output, &tools, &run->report, &run->error);
}

/* Everything is opened and checked before the first byte of output. */
static attn_status open_all(run_state *run)
{
    attn_status status = read_masks(run);
    if (status == ATTN_OK)
        status = attn_pool_open(run->options.threads, &run->pool, &run->error);
    if (status == ATTN_OK)
        status = open_model(run);
    if (status == ATTN_OK && run->model.tokenizer != NULL)
        status = set_encoding(run);
    if (status == ATTN_OK)
        status = read_context(run);
    if (status == ATTN_OK)
        status = attn_usage_output(&run->options, &run->inputs, &run->error);
    if (status == ATTN_OK)
        status = attn_usage_output(&run->options, &run->model.files, &run->error);
    if (status == ATTN_OK)
        status = attn_sink_open(run->options.output, &run->sink, &run->error);
    if (status == ATTN_OK)
        status = open_report(run);
    return status;
}

static attn_status one_text(run_state *run, const attn_raw_text *raw)
{
    attn_text text = {0};
    attn_status status = ATTN_OK;
    text.file = raw->file;
    text.number = raw->number;
    text.line = raw->line;
    text.bytes = raw->bytes;
    text.encode = &run->encode;
    text.unknowns = &run->unknowns;
    if (run->kind->reads == ATTN_READS_TOKENS) {
        status = encode(run, raw->bytes, raw->file, &run->tokens, &run->hidden);
        text.tokens = &run->tokens;
        text.hidden_keys = run->hidden;
    }
    if (run->options.context != NULL) {
        text.context_bytes = run->context_text;
        text.context = &run->context;
        text.context_hidden = run->context_hidden;
    }
    text.progress = show_attending;
    text.progress_context = &run->messages;
    if (status == ATTN_OK)
        status = attn_report_text(run->report, &text, &run->error);
    attn_message_progress(&run->messages, "attending", 1);
    if (status != ATTN_OK && status != ATTN_ECLOSED) {
        if (raw->file[0] == '\0' && run->options.texts.count > 1) /* of several -T */
            attn_error_prefix(&run->error, "text %zu: ", raw->number);
        attn_error_file(&run->error, strcmp(raw->file, "-") == 0 ? "standard input" : raw->file);
        if (raw->line > 0 && run->error.line == 0)
            attn_error_line(&run->error, raw->line, 0);
    }
    return status;
}

/* A text that fails is reported and the others go on; a lost output or exhausted memory ends the run. */
static attn_status all_texts(run_state *run)
{
    attn_texts texts = attn_texts_of(&run->options);
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
    const attn_unknowns *unknowns = &run->unknowns;
    uint64_t masked = run->report != NULL ? attn_report_masked_rows(run->report) : 0;
    uint64_t not_finite = run->report != NULL ? attn_report_not_finite(run->report) : 0;
    char list[1024] = "";
    size_t used = 0;
    for (size_t i = 0; i < unknowns->n_kept && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", i > 0 ? ", " : "", unknowns->kept[i]);
    if (unknowns->count > 0)
        attn_message_warning(&run->messages, "%zu unknown word%s left out: %s%s", unknowns->count,
                             unknowns->count == 1 ? "" : "s", list, unknowns->count > unknowns->n_kept ? " …" : "");
    if (not_finite > 0)
        attn_message_warning(&run->messages,
                             "%llu of the numbers are NaN or infinite: the vectors, "
                             "matrices or options are too large for float32",
                             (unsigned long long)not_finite);
    if (masked > 0)
        attn_message_warning(&run->messages, "%llu row%s with every key masked: weights and output 0",
                             (unsigned long long)masked, masked == 1 ? "" : "s");
}

/* -o FILE is whole or stays as it was: a text that failed would be missing in it. */
static attn_status commit(run_state *run)
{
    if (run->failed && attn_sink_replaces(run->sink)) {
        attn_message_warning(&run->messages, "%s is left as it was: a text failed", run->options.output);
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
        status = commit(run);
    if (status == ATTN_OK)
        warn_at_end(run);
    return status;
}

static attn_status run_options(run_state *run, int argc, char **argv)
{
    const attn_options *o = &run->options;
    attn_status status = attn_options_read(argc, argv, &run->options, &run->error);
    if (status != ATTN_OK)
        return status;
    run->messages = attn_messages_open(o->quiet);
    if (o->help)
        return print_page(run, attn_help_page);
    if (o->version)
        return print_page(run, attn_help_version);
    run->kind = o->print != NULL ? attn_report_find(o->print) : attn_report_at(0);
    status = attn_usage_check(o, &run->inputs, &run->error);
    if (status != ATTN_OK)
        return status;
    if (run->kind->reads != ATTN_READS_NOTHING && o->texts.count == 0 && o->files.count == 0 && isatty(STDIN_FILENO))
        return attn_fail(&run->error, ATTN_EUSAGE,
                         "no text: give FILEs, a text with -T, or pipe one into standard input");
    warn_of_kernel(run);
    return print_reports(run);
}

static void close_all(run_state *run)
{
    attn_report_close(run->report);
    attn_sink_close(run->sink);
    attn_tokens_free(&run->tokens);
    attn_tokens_free(&run->context);
    attn_free(run->hidden);
    attn_free(run->context_hidden);
    attn_unknowns_free(&run->unknowns);
    attn_file_close(&run->context_file);
    attn_model_close(&run->model);
    attn_pool_close(run->pool);
    attn_file_list_free(&run->inputs);
    attn_arena_free(&run->arena);
    attn_options_free(&run->options);
}

int attn_cli_run(int argc, char **argv)
{
    run_state run = {0};
    attn_status status;
    bool failed;
    run.messages = attn_messages_open(false);
    status = run_options(&run, argc, argv);
    /* SIGPIPE keeps its default and ends us when the reader goes; where it is ignored, so do we, silently */
    if (status != ATTN_OK && status != ATTN_ECLOSED)
        attn_message_error(&run.messages, &run.error);
    if (status == ATTN_EUSAGE)
        attn_message_usage_hint(&run.messages);
    failed = run.failed;
    close_all(&run);
    if (status == ATTN_EUSAGE)
        return EXIT_USAGE;
    return status != ATTN_OK || failed ? EXIT_FAILED : EXIT_FINE;
}
