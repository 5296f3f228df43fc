/* fuzz_writers.c: the writers, fed with hostile tokens. An input is four bytes of choices (format, shape, options, how
 * many tokens), then the tokens, each behind a byte of its length. What was printed is read back: lines of TSV and JSON
 * have the very tokens, a picture is sound XML, a page has the tags that it has for harmless tokens, and nothing that
 * is for a terminal steers it. */
#include "config.h"

#include "fuzz_quiet.h"
#include "fuzz_xml.h"

#include "base/json.h"
#include "output/writer.h"

#include <math.h>
#include <sys/mman.h>

enum { MOST_TOKENS = 6, WRITERS_FACTOR = 1 << 14, TOKEN_BYTES = 63, ESCAPE = 0x1B };

static const attn_column grid_columns[] = {{.name = "query", .kind = ATTN_COLUMN_QUERY},
                                           {.name = "query_token", .kind = ATTN_COLUMN_QUERY_LABEL},
                                           {.name = "key", .kind = ATTN_COLUMN_KEY},
                                           {.name = "key_token", .kind = ATTN_COLUMN_KEY_LABEL},
                                           {.name = "weight", .kind = ATTN_COLUMN_VALUE}};
static const attn_column vector_columns[] = {{.name = "position", .kind = ATTN_COLUMN_QUERY},
                                             {.name = "token", .kind = ATTN_COLUMN_QUERY_LABEL},
                                             {.name = "v", .kind = ATTN_COLUMN_NUMBERS}};
static const attn_column record_columns[] = {{.name = "rank", .kind = ATTN_COLUMN_CELL, .cell = 0},
                                             {.name = "neighbor", .kind = ATTN_COLUMN_CELL, .cell = 1},
                                             {.name = "similarity", .kind = ATTN_COLUMN_CELL, .cell = 2}};
static const attn_schema schemas[] = {
    {.report = "weights",
     .shape = ATTN_SHAPE_GRID,
     .columns = grid_columns,
     .n_columns = 5,
     .value = "weight",
     .values = "weights",
     .range = ATTN_RANGE_UNIT,
     .masked_is_zero = true},
    {.report = "embeddings",
     .shape = ATTN_SHAPE_VECTORS,
     .columns = vector_columns,
     .n_columns = 3,
     .values = "vectors",
     .width = MOST_TOKENS},
    {.report = "nearest", .shape = ATTN_SHAPE_RECORDS, .columns = record_columns, .n_columns = 3}};
static const size_t positions[MOST_TOKENS] = {0, 1, 2, 3, 4, 5};
static const uint8_t all_visible[MOST_TOKENS] = {1, 1, 1, 1, 1, 1};

typedef struct run {
    const attn_output *format;
    const attn_schema *schema;
    attn_output_request request;
    attn_bytes labels[MOST_TOKENS];
    size_t n;
    float values[MOST_TOKENS];
    char file[TOKEN_BYTES + 1];
} run;

static void require(const run *r, bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz: %s: %s\n", r->format->name, what);
        abort();
    }
}

/* ---- what is written ---- */

static attn_status write_rows(const run *r, attn_writer *writer, attn_error *error)
{
    attn_status status = ATTN_OK;
    for (size_t i = 0; i < r->n && status == ATTN_OK; i++) {
        const attn_grid_row grid = {.query = i, .values = r->values, .visible = all_visible};
        const attn_vector_row vector = {.query = i, .values = r->values};
        const attn_cell cells[] = {attn_cell_count(i), attn_cell_label(r->labels[i]), attn_cell_number(r->values[i])};
        if (r->schema->shape == ATTN_SHAPE_GRID)
            status = attn_writer_grid(writer, &grid, error);
        else if (r->schema->shape == ATTN_SHAPE_VECTORS)
            status = attn_writer_vector(writer, &vector, error);
        else
            status = attn_writer_record(writer, cells, error);
    }
    return status;
}

static void write_all(const run *r, attn_sink *sink)
{
    const attn_side side = {.n = r->n, .n_all = r->n, .positions = positions, .labels = r->labels};
    const attn_writer_text text = {
        .number = 0, .file = r->file, .queries = side, .keys = side, .n_layers = 1, .n_heads = 1};
    const attn_output *chosen;
    attn_writer *writer = NULL;
    attn_error error = {0};
    attn_status status = attn_output_choose(&r->request, r->schema, sink, &chosen, &error);
    if (status != ATTN_OK)
        return; /* not this shape, or not a column of it */
    require(r, attn_writer_open(chosen, &r->request, r->schema, sink, &writer, &error) == ATTN_OK, error.message);
    status = attn_writer_text_begin(writer, &text, &error);
    if (status == ATTN_OK)
        status = write_rows(r, writer, &error);
    if (status == ATTN_OK)
        status = attn_writer_text_end(writer, &error);
    if (status == ATTN_OK)
        status = attn_writer_end(writer, &error);
    require(r, status == ATTN_OK, error.message);
    attn_writer_close(writer);
}

/* What the run prints, a NUL behind it; the caller's to free. */
static char *printed(const run *r, size_t input_size, size_t *size)
{
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    attn_sink *sink;
    attn_error error;
    fuzz_budget budget;
    fuzz_quiet quiet = {{-1, -1, -1}};
    fuzz_replace(&quiet, STDOUT_FILENO, file);
    fuzz_begin(&budget, input_size + 1024, WRITERS_FACTOR);
    require(r, attn_sink_open(NULL, &sink, &error) == ATTN_OK, "no sink");
    write_all(r, sink);
    require(r, attn_sink_commit(sink, &error) == ATTN_OK, "a lost output");
    attn_sink_close(sink);
    fuzz_end();
    fuzz_speak(&quiet);
    const off_t end = lseek(file, 0, SEEK_END);
    char *text = malloc((size_t)end + 1);
    if (text == NULL || pread(file, text, (size_t)end, 0) != end)
        abort();
    text[end] = '\0';
    *size = (size_t)end;
    close(file);
    return text;
}

/* ---- what is read back ---- */

/* Colors aside (ESC [ … m), nothing steers but the line ends. */
static void check_screen(const run *r, const char *text, size_t size)
{
    const attn_bytes bytes = {(const uint8_t *)text, size};
    size_t length;
    require(r, attn_utf8_valid(bytes, NULL), "no UTF-8");
    for (size_t at = 0; at < size; at += length) {
        if (text[at] == ESCAPE && r->request.color == ATTN_COLOR_ALWAYS && text[at + 1] == '[') {
            length = 2 + strspn(text + at + 2, "0123456789;");
            require(r, text[at + length++] == 'm', "another escape sequence than a color");
            continue;
        }
        const bool steers = attn_utf8_steers(bytes, at, &length);
        require(r, text[at] == '\n' || !steers, "what steers a terminal");
    }
}

/* A field of TSV as the manual says it is read: \t \n \r \\. */
static bool is_field(const char *field, size_t size, attn_bytes label)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        char c = field[i];
        if (c == '\\' && i + 1 < size) {
            c = field[++i];
            c = c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
        }
        if (n >= label.size || label.data[n++] != (uint8_t)c)
            return false;
    }
    return n == label.size;
}

static const char *field_at(const char *line, size_t index, size_t *size)
{
    for (; index > 0 && line != NULL; index--)
        line = strchr(line, '\t') != NULL ? strchr(line, '\t') + 1 : NULL;
    *size = line != NULL ? strcspn(line, "\t\n") : 0;
    return line;
}

/* Each line has the token of its query, or of its record, in the second column; labels hold no NUL. */
static void check_tsv(const run *r, const char *text, size_t size)
{
    const size_t lines_each = r->schema->shape == ATTN_SHAPE_GRID ? r->n : 1;
    size_t n = 0;
    require(r, strlen(text) == size && strchr(text, '\r') == NULL, "a NUL or a return");
    if (!r->request.no_header && size > 0)
        text = strchr(text, '\n') + 1;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1, n++) {
        size_t length;
        const char *field = field_at(line, 1, &length);
        require(r, n / lines_each < r->n && field != NULL && is_field(field, length, r->labels[n / lines_each]),
                "another token than was given");
    }
    require(r, size == 0 || n == r->n * lines_each, "another number of lines");
}

static void check_matrix(const run *r, const char *text, size_t size)
{
    size_t lines = 0;
    require(r, strlen(text) == size && strchr(text, '\r') == NULL, "a NUL or a return");
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1, lines++) {
        size_t tabs = 0;
        for (const char *c = line; *c != '\n'; c++)
            tabs += *c == '\t';
        require(r, tabs >= r->n, "too few columns");
    }
    require(r, size == 0 || lines == r->n + !r->request.no_header, "another number of lines");
}

/* Every line is JSON, and has the tokens where they are listed. */
static void check_json(const run *r, const char *text, size_t size)
{
    size_t n = 0;
    for (const char *line = text; line < text + size; n++) {
        const char *end = memchr(line, '\n', (size_t)(text + size - line));
        attn_json_node *root;
        require(r, end != NULL, "a line without an end");
        require(r,
                attn_json_tree_of((attn_bytes){(const uint8_t *)line, (size_t)(end - line)}, NULL, &root, NULL) ==
                    ATTN_OK,
                "no JSON");
        for (const attn_json_node *node = attn_json_node_first(root); node != NULL; node = attn_json_node_next(node)) {
            const bool list =
                strcmp(attn_json_node_key(node), "queries") == 0 || strcmp(attn_json_node_key(node), "tokens") == 0;
            const attn_json_node *token = list ? attn_json_node_first(node) : node;
            for (size_t i = 0; list && token != NULL; token = attn_json_node_next(token), i++)
                require(r, attn_bytes_are(r->labels[i], attn_json_node_text(token)), "another token than was given");
            if (strcmp(attn_json_node_key(node), "neighbor") == 0)
                require(r, attn_bytes_are(r->labels[n], attn_json_node_text(node)), "another token than was given");
        }
        attn_json_tree_free(root);
        line = end + 1;
    }
}

/* The names of all tags in their order: tokens must not add any. */
static void check_page(const run *r, const char *text, size_t size, size_t input_size)
{
    run harmless = *r;
    size_t other_size;
    for (size_t i = 0; i < r->n; i++)
        harmless.labels[i] = attn_bytes_of("a");
    memcpy(harmless.file, "a", 2);
    char *other = printed(&harmless, input_size, &other_size);
    const char *one = text, *two = other;
    require(r, strlen(text) == size && attn_utf8_valid((attn_bytes){(const uint8_t *)text, size}, NULL), "no UTF-8");
    for (;;) {
        one = strchr(one, '<'), two = strchr(two, '<');
        if (one == NULL || two == NULL)
            break;
        const size_t length = strcspn(one, " >\n=");
        require(r, strncmp(one, two, length) == 0, "another tag than for harmless tokens");
        one += length, two += length;
    }
    require(r, one == two, "more or fewer tags than for harmless tokens");
    free(other);
}

static void check(const run *r, const char *text, size_t size, size_t input_size)
{
    if (size == 0 || strcmp(r->format->name, "npy") == 0)
        return;
    if (strcmp(r->format->name, "tsv") == 0)
        check_tsv(r, text, size);
    else if (strcmp(r->format->name, "matrix") == 0)
        check_matrix(r, text, size);
    else if (strcmp(r->format->name, "json") == 0)
        check_json(r, text, size);
    else if (strcmp(r->format->name, "svg") == 0)
        require(r, fuzz_xml_sound(text, size), "no sound XML");
    else if (strcmp(r->format->name, "html") == 0)
        check_page(r, text, size, input_size);
    else
        check_screen(r, text, size);
}

/* ---- the input ---- */

/* A token as a tokenizer labels it, which is well-formed; NULs are what JSON's tree refuses. */
static bool is_label(attn_bytes label)
{
    return attn_utf8_valid(label, NULL) && (label.size == 0 || memchr(label.data, '\0', label.size) == NULL);
}

static void read_tokens(run *r, const uint8_t *data, size_t size, size_t most)
{
    static const float some[] = {0, 1, 0.5f, -2.25f, 1e-30f, 3e38f};
    while (r->n < most && size > 0) {
        const size_t length = data[0] % (TOKEN_BYTES + 1) < size ? data[0] % (TOKEN_BYTES + 1) : size - 1;
        const attn_bytes label = {data + 1, length};
        r->values[r->n] = r->schema->range == ATTN_RANGE_UNIT ? (float)(data[0] / 64) / 4 : some[data[0] / 64];
        r->labels[r->n++] = is_label(label) ? label : attn_bytes_of("\xEF\xBF\xBD");
        data += length + 1;
        size -= length + 1;
    }
    if (r->n > 0) /* a file's name may hold anything */
        memcpy(r->file, r->labels[0].data, r->labels[0].size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run r = {.n = 0};
    size_t n_formats = 0, printed_size;
    if (size < 5)
        return 0;
    while (attn_output_at(n_formats) != NULL)
        n_formats++;
    r.format = attn_output_at(data[0] % n_formats);
    r.schema = &schemas[data[1] % 3];
    r.request.format = r.format;
    r.request.no_header = data[2] & 1;
    r.request.color = data[2] & 2 ? ATTN_COLOR_ALWAYS : ATTN_COLOR_NEVER;
    r.request.precision = (attn_given_count){.given = data[2] & 4, .value = 3};
    if ((data[2] & 8) != 0 && (r.format->widths & r.schema->shape) != 0)
        r.request.width = 20 + data[2];
    r.request.draw = data[2] & 16 ? ATTN_DRAW_LARGE : data[2] & 32 ? ATTN_DRAW_LINES : ATTN_DRAW_UNSAID;
    if ((r.format->drawings & 1U << r.request.draw) == 0)
        r.request.draw = ATTN_DRAW_UNSAID;
    read_tokens(&r, data + 4, size - 4, 1 + data[3] % MOST_TOKENS);
    char *text = printed(&r, size, &printed_size);
    if (getenv("ATTN_FUZZ_LOUD") != NULL)
        fwrite(text, 1, printed_size, stderr);
    check(&r, text, printed_size, size);
    free(text);
    return 0;
}
