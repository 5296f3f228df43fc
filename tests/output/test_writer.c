/* test_writer.c: the formats, driven by hand-made rows. What is right: DESIGN 3 "Rows" word for
 * word (spelled out below by hand), RFC 8259 for JSON (read back by the strict scanner), numpy's
 * NEP 1 for npy. */
#include "config.h"

#include "testing.h"

#include "base/json.h"
#include "output/writer.h"
#include "testing/memory.h"
#include "testing/reports.h"
#include "testing/sinks.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const attn_column pair_columns[] = {{.name = "text", .kind = ATTN_COLUMN_TEXT},
                                           {.name = "layer", .kind = ATTN_COLUMN_LAYER},
                                           {.name = "head", .kind = ATTN_COLUMN_HEAD},
                                           {.name = "query", .kind = ATTN_COLUMN_QUERY},
                                           {.name = "query_token", .kind = ATTN_COLUMN_QUERY_LABEL},
                                           {.name = "key", .kind = ATTN_COLUMN_KEY},
                                           {.name = "key_token", .kind = ATTN_COLUMN_KEY_LABEL},
                                           {.name = "weight", .kind = ATTN_COLUMN_VALUE}};
static const attn_column odd_columns[] = {{.name = "weight", .kind = ATTN_COLUMN_VALUE},
                                          {.name = "key_token", .kind = ATTN_COLUMN_KEY_LABEL},
                                          {.name = "file", .kind = ATTN_COLUMN_FILE},
                                          {.name = "line", .kind = ATTN_COLUMN_LINE},
                                          {.name = "key", .kind = ATTN_COLUMN_KEY}};
static const attn_column vector_columns[] = {{.name = "text", .kind = ATTN_COLUMN_TEXT},
                                             {.name = "layer", .kind = ATTN_COLUMN_LAYER},
                                             {.name = "position", .kind = ATTN_COLUMN_QUERY},
                                             {.name = "token", .kind = ATTN_COLUMN_QUERY_LABEL},
                                             {.name = "v", .kind = ATTN_COLUMN_NUMBERS}};
static const attn_column record_columns[] = {{.name = "text", .kind = ATTN_COLUMN_TEXT},
                                             {.name = "rank", .kind = ATTN_COLUMN_CELL, .cell = 0},
                                             {.name = "neighbor", .kind = ATTN_COLUMN_CELL, .cell = 1},
                                             {.name = "similarity", .kind = ATTN_COLUMN_CELL, .cell = 2}};

static const attn_schema weights_schema = {.shape = ATTN_SHAPE_GRID,
                                           .columns = pair_columns,
                                           .n_columns = 8,
                                           .value = "weight",
                                           .values = "weights",
                                           .range = ATTN_RANGE_UNIT,
                                           .masked_is_zero = true};
static const attn_schema vectors_schema = {.shape = ATTN_SHAPE_VECTORS,
                                           .columns = vector_columns,
                                           .n_columns = 5,
                                           .values = "vectors",
                                           .width = 2,
                                           .has_at = true};
static const attn_schema records_schema = {.shape = ATTN_SHAPE_RECORDS, .columns = record_columns, .n_columns = 4};
static const attn_output_request plain = {0};

/* A text of two tokens, "a<tab>" and "그물", seen by both sides. */
static const size_t two_positions[] = {0, 1};
static attn_bytes two_labels[2];
static const float two_values[2][2] = {{1, 0}, {0.25f, 0.75f}};
static const uint8_t two_visible[2][2] = {{1, 0}, {1, 1}};

static attn_writer_text two_tokens(uint64_t number, const char *file, uint64_t line)
{
    attn_side side = {.n = 2, .n_all = 2, .positions = two_positions, .labels = two_labels};
    two_labels[0] = attn_bytes_of("a\t");
    two_labels[1] = attn_bytes_of("\xea\xb7\xb8\xeb\xac\xbc");
    return (attn_writer_text){
        .number = number, .file = file, .line = line, .queries = side, .keys = side, .n_layers = 1, .n_heads = 1};
}

typedef attn_status produce(attn_writer *writer);

static const char *output; /* of the last try_format */
static size_t output_size;

typedef struct trial {
    const char *format;
    const attn_schema *schema;
    const attn_output_request *request;
    produce *rows;
} trial;

static attn_status write_trial(attn_sink *sink, void *context, attn_error *error)
{
    const trial *t = context;
    attn_output_request whole = *t->request;
    const attn_output *chosen;
    attn_writer *writer;
    whole.format = reports_format(t->format);
    attn_status status = attn_output_choose(&whole, t->schema, sink, &chosen, error);
    if (status == ATTN_OK)
        status = attn_writer_open(chosen, &whole, t->schema, sink, &writer, error);
    if (status != ATTN_OK)
        return status;
    status = t->rows(writer);
    if (status == ATTN_OK)
        status = attn_writer_end(writer, error);
    attn_writer_close(writer);
    return status;
}

static attn_status try_format(const char *format, const attn_schema *schema, const attn_output_request *request,
                              produce *rows)
{
    trial t = {format, schema, request, rows};
    return sinks_run(write_trial, &t, &output, &output_size, NULL);
}

static const char *format_of(const char *format, const attn_schema *schema, const attn_output_request *request,
                             produce *rows)
{
    ck_assert_int_eq(try_format(format, schema, request, rows), ATTN_OK);
    return output;
}

/* A text of one row. */
static attn_status text_of_row(attn_writer *writer, const attn_writer_text *text, const attn_grid_row *row)
{
    attn_status status = attn_writer_text_begin(writer, text, NULL);
    if (status == ATTN_OK)
        status = attn_writer_grid(writer, row, NULL);
    return status == ATTN_OK ? attn_writer_text_end(writer, NULL) : status;
}

static attn_status grid_text(attn_writer *writer, const attn_writer_text *text, size_t layer, size_t head)
{
    attn_status status = attn_writer_text_begin(writer, text, NULL);
    for (size_t q = 0; q < 2 && status == ATTN_OK; q++) {
        attn_grid_row row = {
            .layer = layer, .head = head, .query = q, .values = two_values[q], .visible = two_visible[q]};
        status = attn_writer_grid(writer, &row, NULL);
    }
    return status == ATTN_OK ? attn_writer_text_end(writer, NULL) : status;
}

static attn_status one_grid(attn_writer *writer)
{
    attn_writer_text text = two_tokens(0, "f.txt", 0);
    return grid_text(writer, &text, 2, 1);
}

static attn_status two_texts(attn_writer *writer)
{
    attn_writer_text text = two_tokens(4, "b", 7);
    attn_status status = one_grid(writer);
    return status == ATTN_OK ? grid_text(writer, &text, 2, ATTN_HEAD_MEAN) : status;
}

static attn_status ordered_row(attn_writer *writer)
{
    static const size_t order[] = {1, 0};
    attn_writer_text text = two_tokens(0, "", 3);
    attn_grid_row row = {.query = 1, .values = two_values[1], .visible = two_visible[1], .order = order, .n_order = 2};
    return text_of_row(writer, &text, &row);
}

START_TEST(tsv_pairs)
{
    attn_schema odd = weights_schema;
    ck_assert_str_eq(format_of("tsv", &weights_schema, &plain, two_texts),
                     "text\tlayer\thead\tquery\tquery_token\tkey\tkey_token\tweight\n"
                     "0\t2\t1\t0\ta\\t\t0\ta\\t\t1\n"
                     "0\t2\t1\t1\t그물\t0\ta\\t\t0.25\n"
                     "0\t2\t1\t1\t그물\t1\t그물\t0.75\n"
                     "4\t2\tmean\t0\ta\\t\t0\ta\\t\t1\n"
                     "4\t2\tmean\t1\t그물\t0\ta\\t\t0.25\n"
                     "4\t2\tmean\t1\t그물\t1\t그물\t0.75\n");
    odd.columns = odd_columns;
    odd.n_columns = 5;
    ck_assert_str_eq(
        format_of("tsv", &odd, &(attn_output_request){.precision = {true, 2}, .no_header = true}, ordered_row),
        "0.75\t그물\t\t3\t1\n"
        "0.25\ta\\t\t\t3\t0\n");
}
END_TEST

START_TEST(matrix_rows)
{
    attn_schema scores = weights_schema;
    scores.masked_is_zero = false;
    ck_assert_str_eq(format_of("matrix", &weights_schema, &plain, two_texts),
                     "text\tlayer\thead\tquery\tquery_token\t0:a\\t\t1:그물\n"
                     "0\t2\t1\t0\ta\\t\t1\t0\n"
                     "0\t2\t1\t1\t그물\t0.25\t0.75\n"
                     "\n"
                     "text\tlayer\thead\tquery\tquery_token\t0:a\\t\t1:그물\n"
                     "4\t2\tmean\t0\ta\\t\t1\t0\n"
                     "4\t2\tmean\t1\t그물\t0.25\t0.75\n");
    ck_assert_str_eq(
        format_of("matrix", &scores, &(attn_output_request){.precision = {true, 1}, .no_header = true}, one_grid),
        "0\t2\t1\t0\ta\\t\t1.0\t\n"
        "0\t2\t1\t1\t그물\t0.2\t0.8\n");
}
END_TEST

START_TEST(table_grid)
{
    static const char *title = "text 0 (f.txt), layer 2, head 1\n";
    ck_assert_str_eq(format_of("table", &weights_schema, &plain, one_grid), "text 0 (f.txt), layer 2, head 1\n"
                                                                            "         a\\t    그물\n"
                                                                            "a\\t   1.0000       ·\n"
                                                                            "그물  0.2500  0.7500\n");
    ck_assert_ptr_nonnull(
        strstr(format_of("table", &weights_schema, &plain, two_texts), "\n\ntext 4 (b:7), layer 2, head mean\n"));
    format_of("table", &weights_schema, &(attn_output_request){.precision = {true, 1}, .color = ATTN_COLOR_ALWAYS},
              one_grid);
    ck_assert_mem_eq(output, title, strlen(title));
    /* .75 is the seventh of eight steps, .25 the third; black and white letters; what is masked has no color */
    ck_assert_ptr_nonnull(strstr(output, "\033[38;5;231;48;5;60m0.2\033[0m"));
    ck_assert_ptr_nonnull(strstr(output, "\033[38;5;16;48;5;119m0.8\033[0m\n"));
    ck_assert_ptr_nonnull(strstr(output, "\033[38;5;16;48;5;226m1.0\033[0m     ·\n"));
}
END_TEST

static attn_status put_record(attn_writer *writer, uint64_t rank, const char *word, float similarity)
{
    attn_cell cells[] = {attn_cell_count(rank), attn_cell_label(attn_bytes_of(word)), attn_cell_number(similarity)};
    return attn_writer_record(writer, cells, NULL);
}

static attn_status some_records(attn_writer *writer)
{
    attn_writer_text text = {.number = 3, .file = "x"};
    attn_status status = attn_writer_text_begin(writer, &text, NULL);
    if (status == ATTN_OK)
        status = put_record(writer, 1, " \"q\\\n", 0.5f);
    if (status == ATTN_OK)
        status = put_record(writer, 10, "그물\x01\x1b", NAN);
    if (status == ATTN_OK)
        status = put_record(writer, 11, "", -INFINITY);
    return status == ATTN_OK ? attn_writer_text_end(writer, NULL) : status;
}

START_TEST(records_in_each_format)
{
    ck_assert_str_eq(format_of("tsv", &records_schema, &plain, some_records), "text\trank\tneighbor\tsimilarity\n"
                                                                              "3\t1\t \"q\\\\\\n\t0.5\n"
                                                                              "3\t10\t그물\x01\x1b\tnan\n"
                                                                              "3\t11\t\t-inf\n");
    ck_assert_str_eq(format_of("table", &records_schema, &plain, some_records),
                     "text  rank  neighbor      similarity\n"
                     "   3     1  ␣\"q\\\\n            0.5000\n"
                     "   3    10  그물\\x01\\x1B         nan\n"
                     "   3    11                      -inf\n");
    ck_assert_str_eq(format_of("json", &records_schema, &plain, some_records),
                     "{\"text\":3,\"rank\":1,\"neighbor\":\" \\\"q\\\\\\n\",\"similarity\":0.5}\n"
                     "{\"text\":3,\"rank\":10,\"neighbor\":\"그물\\u0001\\u001b\",\"similarity\":null}\n"
                     "{\"text\":3,\"rank\":11,\"neighbor\":\"\",\"similarity\":null}\n");
    ck_assert_int_eq(try_format("matrix", &records_schema, &plain, some_records), ATTN_EUSAGE);
    ck_assert_int_eq(try_format("npy", &records_schema, &plain, some_records), ATTN_EUSAGE);
}
END_TEST

/* Each line must be one JSON value. */
static void check_json_lines(void)
{
    for (const char *line = output, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        attn_json_node *root;
        attn_error error;
        attn_status status =
            attn_json_tree_of((attn_bytes){(const uint8_t *)line, (size_t)(end - line)}, "line", &root, &error);
        ck_assert_msg(status == ATTN_OK, "%s", error.message);
        attn_json_tree_free(root);
    }
}

static attn_status unselected(attn_writer *writer)
{
    static const size_t one[] = {1};
    attn_writer_text text = two_tokens(0, "bad\xff\"name", 0);
    attn_grid_row row = {.values = two_values[1], .visible = two_visible[1]};
    text.queries = (attn_side){.n = 1, .n_all = 2, .positions = one, .labels = two_labels + 1};
    return text_of_row(writer, &text, &row);
}

START_TEST(json_grids)
{
    ck_assert_str_eq(format_of("json", &weights_schema, &plain, two_texts),
                     "{\"text\":0,\"file\":\"f.txt\",\"layer\":2,\"head\":1,\"queries\":[\"a\\t\",\"그물\"],"
                     "\"keys\":[\"a\\t\",\"그물\"],\"weights\":[[1,null],[0.25,0.75]]}\n"
                     "{\"text\":4,\"file\":\"b\",\"line\":7,\"layer\":2,\"head\":\"mean\",\"queries\":[\"a\\t\","
                     "\"그물\"],\"keys\":[\"a\\t\",\"그물\"],\"weights\":[[1,null],[0.25,0.75]]}\n");
    check_json_lines();
    format_of("json", &weights_schema, &plain, unselected);
    ck_assert_ptr_nonnull(strstr(output, "\"file\":\"bad\\\\xFF\\\"name\""));
    ck_assert_ptr_nonnull(strstr(output, "\"queries\":[\"그물\"],\"query_positions\":[1],\"keys\""));
    check_json_lines();
}
END_TEST

static attn_status some_vectors(attn_writer *writer)
{
    static const float values[2][2] = {{-0.0f, 1e9f}, {NAN, 0.5f}};
    attn_writer_text text = two_tokens(0, "", 0);
    attn_status status = attn_writer_text_begin(writer, &text, NULL);
    for (size_t q = 0; q < 2 && status == ATTN_OK; q++) {
        attn_vector_row row = {.layer = 5, .after = true, .query = q, .values = values[q]};
        status = attn_writer_vector(writer, &row, NULL);
    }
    return status == ATTN_OK ? attn_writer_text_end(writer, NULL) : status;
}

START_TEST(vectors_in_each_format)
{
    static const char *const axes[] = {"size", "animal"};
    attn_schema named = vectors_schema;
    named.axes = axes;
    ck_assert_str_eq(format_of("tsv", &vectors_schema, &plain, some_vectors), "text\tlayer\tposition\ttoken\tv0\tv1\n"
                                                                              "0\t5\t0\ta\\t\t0\t1000000000\n"
                                                                              "0\t5\t1\t그물\tnan\t0.5\n");
    ck_assert_str_eq(format_of("table", &named, &plain, some_vectors),
                     "text  layer  position  token    size           animal\n"
                     "   0      5         0  a\\t    0.0000  1000000000.0000\n"
                     "   0      5         1  그물      nan           0.5000\n");
    ck_assert_str_eq(format_of("json", &named, &plain, some_vectors),
                     "{\"text\":0,\"file\":null,\"layer\":5,\"at\":\"after\",\"tokens\":[\"a\\t\",\"그물\"],"
                     "\"axes\":[\"size\",\"animal\"],\"vectors\":[[0,1000000000],[null,0.5]]}\n");
}
END_TEST

/* NEP 1: magic, version, little-endian length, a Python dictionary padded with spaces to 64, ending
 * in \n. */
START_TEST(npy_file)
{
    const char *shape = "'shape': (1, 1, 2, 2)";
    float values[4];
    format_of("npy", &weights_schema, &plain, one_grid);
    ck_assert_mem_eq(output, "\x93NUMPY\x01\x00", 8);
    size_t header = 10 + (size_t)(uint8_t)output[8] + 256 * (size_t)(uint8_t)output[9];
    ck_assert_uint_eq(header % 64, 0);
    ck_assert_uint_eq(output_size, header + sizeof values);
    ck_assert_int_eq(output[header - 1], '\n');
    ck_assert_ptr_nonnull(strstr(output + 10, shape));
    ck_assert_ptr_nonnull(strstr(output + 10, "'descr': '<f4', 'fortran_order': False"));
    memcpy(values, output + header, sizeof values); /* this host is little-endian, or the test tells */
    ck_assert(values[0] == 1 && values[1] == 0 && values[2] == 0.25f && values[3] == 0.75f);
    format_of("npy", &vectors_schema, &plain, some_vectors);
    ck_assert_ptr_nonnull(strstr(output + 10, "'shape': (1, 2, 2)"));
}
END_TEST

/* What the request asks for, of rows as in SCHEMA: the format's name, or the message that refuses it. */
static const char *chosen(const attn_output_request *request, const attn_schema *schema)
{
    static attn_error error;
    const attn_output *format;
    attn_sink *sink;
    ck_assert_int_eq(attn_sink_open("/dev/null", &sink, NULL), ATTN_OK);
    attn_status status = attn_output_choose(request, schema, sink, &format, &error);
    attn_sink_close(sink);
    return status == ATTN_OK ? format->name : error.message;
}

/* Right: DESIGN 3, "tsv (default elsewhere)"; the lists are the rows of the formats that fit, read by hand. */
START_TEST(a_format_that_can_is_chosen)
{
    const attn_output_request npy = {.format = reports_format("npy")};
    const attn_output_request json_columns = {.format = reports_format("json"), .columns = "key"};
    attn_schema schema = records_schema;
    schema.report = "nearest";
    ck_assert_str_eq(chosen(&plain, &schema), "tsv");
    ck_assert_str_eq(chosen(&npy, &schema), "--print=nearest has no --format=npy: use tsv, table or json");
    ck_assert_str_eq(chosen(&json_columns, &schema), "json");
    schema = vectors_schema;
    ck_assert_str_eq(chosen(&npy, &schema), "npy");
    ck_assert_str_eq(chosen(&json_columns, &schema), "--columns does not apply to --format=json: use tsv or table");
    schema.both = true;
    ck_assert_str_eq(chosen(&npy, &schema), "an npy file holds one array: choose --at=before or --at=after");
    schema = weights_schema;
    schema.several_texts = true;
    ck_assert_str_eq(
        chosen(&npy, &schema),
        "an npy file holds one text: run attn once for each, or use tsv, table, matrix, json, heat or html");
}
END_TEST

/* Right: the manual's FORMATS says which formats take --width, --shade and --draw. */
START_TEST(what_a_format_can_not_do_is_refused)
{
    attn_schema schema = records_schema;
    const attn_output_request width = {.format = reports_format("tsv"), .width = 40};
    const attn_output_request shade = {.format = reports_format("table"), .shade = ATTN_SHADE_ROW};
    const attn_output_request maps = {.format = reports_format("heat"), .draw = ATTN_DRAW_LARGE, .columns = "rank"};
    const attn_output_request large = {.format = reports_format("json"), .draw = ATTN_DRAW_LARGE};
    ck_assert_str_eq(chosen(&width, &records_schema), "--width does not apply to --format=tsv: use table");
    ck_assert_str_eq(chosen(&shade, &weights_schema), "table");
    ck_assert_str_eq(chosen(&shade, &vectors_schema), "--shade does not apply to --format=table");
    schema.report = "heads";
    ck_assert_str_eq(chosen(&maps, &schema), "--print=heads has no --format=heat: use tsv, table or json");
    schema.by_head = true;
    ck_assert_str_eq(chosen(&maps, &schema), "heat");
    ck_assert_str_eq(chosen(&maps, &weights_schema), "--columns does not apply to --format=heat: use tsv or table");
    ck_assert_str_eq(chosen(&large, &schema), "--draw=large does not apply to --format=json: use heat or svg");
    ck_assert_str_eq(chosen(&large, &records_schema), "--draw=large does not apply to --format=json");
}
END_TEST

static attn_status second_text_refused(attn_writer *writer)
{
    attn_writer_text text = two_tokens(1, "b", 0);
    attn_error error;
    ck_assert_int_eq(one_grid(writer), ATTN_OK);
    ck_assert_int_eq(attn_writer_text_begin(writer, &text, &error), ATTN_EUSAGE);
    ck_assert_ptr_nonnull(strstr(error.message, "one text"));
    return ATTN_OK;
}

START_TEST(npy_holds_one_text)
{
    format_of("npy", &weights_schema, &plain, second_text_refused);
    ck_assert_uint_eq(output_size, 128 + 16);
}
END_TEST

static attn_status long_label(attn_writer *writer)
{
    enum { SIZE = 100000 };
    static char label[SIZE];
    attn_writer_text text = two_tokens(0, "", 0);
    attn_grid_row row = {.values = two_values[1], .visible = two_visible[1]};
    memset(label, 'x', SIZE);
    two_labels[1] = (attn_bytes){(const uint8_t *)label, SIZE};
    return text_of_row(writer, &text, &row);
}

static attn_status overridden_record(attn_writer *writer)
{
    attn_writer_text text = {.number = 3, .file = "x"};
    attn_status status = attn_writer_text_begin(writer, &text, NULL);
    if (status == ATTN_OK)
        status = put_record(writer, 1, "a\u202eb\u2066", 0.5f);
    return status == ATTN_OK ? attn_writer_text_end(writer, NULL) : status;
}

/* U+202E would show what stands behind it from right to left. */
START_TEST(only_tables_escape_the_direction)
{
    ck_assert_ptr_nonnull(
        strstr(format_of("table", &records_schema, &plain, overridden_record), "a\\xE2\\x80\\xAEb\\xE2\\x81\\xA6 "));
    ck_assert_ptr_nonnull(strstr(format_of("tsv", &records_schema, &plain, overridden_record), "a\u202eb\u2066\t"));
    ck_assert_ptr_nonnull(strstr(format_of("json", &records_schema, &plain, overridden_record), "a\u202eb\u2066\""));
}
END_TEST

/* A pseudo-terminal is one by isatty (POSIX). */
START_TEST(a_terminal_gets_no_binary)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    const attn_output *npy = NULL, *format;
    attn_output_request request = {0};
    attn_error error;
    attn_sink *sink;
    for (size_t i = 0; (format = attn_output_at(i)) != NULL; i++)
        npy = strcmp(format->name, "npy") == 0 ? format : npy;
    request.format = npy;
    ck_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    ck_assert_int_eq(attn_sink_open(ptsname(terminal), &sink, NULL), ATTN_OK);
    ck_assert_int_eq(attn_output_choose(&request, &weights_schema, sink, &format, &error), ATTN_EUSAGE);
    ck_assert_str_eq(error.message, "an npy file is nothing for a terminal: use --output=FILE or a pipe "
                                    "(--output=- insists)");
    request.path = "-";
    ck_assert_int_eq(attn_output_choose(&request, &weights_schema, sink, &format, &error), ATTN_OK);
    attn_sink_close(sink);
    ck_assert_int_eq(attn_sink_open("/dev/null", &sink, NULL), ATTN_OK);
    request.path = NULL;
    ck_assert_int_eq(attn_output_choose(&request, &weights_schema, sink, &format, &error), ATTN_OK);
    attn_sink_close(sink);
    close(terminal);
}
END_TEST

START_TEST(labels_longer_than_the_buffer)
{
    ck_assert_int_eq(try_format("tsv", &weights_schema, &plain, long_label), ATTN_OK);
    ck_assert_int_eq(try_format("matrix", &weights_schema, &plain, long_label), ATTN_OK);
    ck_assert_int_eq(try_format("table", &weights_schema, &plain, long_label), ATTN_OK);
    ck_assert_int_eq(try_format("json", &weights_schema, &plain, long_label), ATTN_OK);
}
END_TEST

static attn_status write_again(void *context, attn_error *error)
{
    attn_status status = sinks_run(write_trial, context, &output, &output_size, error);
    return status == ATTN_ENOMEM ? attn_fail_memory(error) : status; /* the rows' producers fill none */
}

/* While any of its allocations fails there is no output, and then what it gives undisturbed. */
static void fail_each_allocation(const char *format, const attn_schema *schema, produce *rows)
{
    trial t = {format, schema, &plain, rows};
    char right[4096];
    format_of(format, schema, &plain, rows);
    size_t right_size = output_size;
    ck_assert_uint_le(right_size, sizeof right);
    memcpy(right, output, right_size);
    ck_assert_uint_gt(memory_fail_each(write_again, &t, MEMORY_FROM).failures, 1);
    ck_assert_uint_eq(output_size, right_size);
    ck_assert_mem_eq(output, right, right_size);
}

START_TEST(every_failed_allocation_is_told)
{
    static const char *const names[] = {"tsv", "matrix", "table", "json", "npy"};
    for (size_t f = 0; f < 5; f++)
        fail_each_allocation(names[f], &weights_schema, one_grid);
    fail_each_allocation("tsv", &vectors_schema, some_vectors);
    fail_each_allocation("table", &vectors_schema, some_vectors);
    fail_each_allocation("json", &vectors_schema, some_vectors);
    fail_each_allocation("tsv", &records_schema, some_records);
    fail_each_allocation("table", &records_schema, some_records);
    fail_each_allocation("json", &records_schema, some_records);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("writer");
    TCase *tests = tcase_create("writer");
    tcase_add_test(tests, tsv_pairs);
    tcase_add_test(tests, matrix_rows);
    tcase_add_test(tests, table_grid);
    tcase_add_test(tests, records_in_each_format);
    tcase_add_test(tests, json_grids);
    tcase_add_test(tests, vectors_in_each_format);
    tcase_add_test(tests, npy_file);
    tcase_add_test(tests, npy_holds_one_text);
    tcase_add_test(tests, a_format_that_can_is_chosen);
    tcase_add_test(tests, what_a_format_can_not_do_is_refused);
    tcase_add_test(tests, only_tables_escape_the_direction);
    tcase_add_test(tests, a_terminal_gets_no_binary);
    tcase_add_test(tests, labels_longer_than_the_buffer);
    tcase_add_test(tests, every_failed_allocation_is_told);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
