/* test_wordvec.c: `similar` against word2vec's own `distance`: shared/data/wordvec/NAME.nn.tsv
 * lists, for some words of NAME.bin, the nearest ones with six decimals. The order must be the
 * same, the cosines within the float32 rounding of that program (2e-6). */
#include "config.h"

#include "testing.h"

#include "load/load.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

typedef struct line { /* of the outside list */
    char query[64], word[64];
    double similarity;
} line;

static size_t read_list(const char *path, line *lines, size_t room)
{
    FILE *file = fopen(path, "r");
    size_t n = 0;
    unsigned rank;
    ck_assert_ptr_nonnull(file);
    while (n < room &&
           fscanf(file, "%63s %u %63s %lf", lines[n].query, &rank, lines[n].word, &lines[n].similarity) == 4)
        n++;
    fclose(file);
    return n;
}

/* The ten nearest words of QUERY as attn prints them to PATH. */
static void print_similar(const attn_model *model, const char *query, const char *path)
{
    const attn_report_request request = {.kind = attn_report_find("similar")};
    const attn_output_request output = {
        .format = attn_output_find("tsv"), .precision = {true, 6}, .no_header = true, .columns = "neighbor,similarity"};
    attn_text text = {.file = "", .bytes = attn_bytes_of(query)};
    attn_sink *sink;
    attn_report *report;
    attn_error error;
    ck_assert_int_eq(attn_sink_open(path, &sink, &error), ATTN_OK);
    ck_assert_int_eq(
        attn_report_open(&request, &output, &(attn_report_tools){.model = model, .sink = sink}, &report, &error),
        ATTN_OK);
    ck_assert_msg(attn_report_text(report, &text, &error) == ATTN_OK, "%s", error.message);
    ck_assert_int_eq(attn_report_end(report, &error), ATTN_OK);
    ck_assert_int_eq(attn_sink_commit(sink, &error), ATTN_OK);
    attn_report_close(report);
    attn_sink_close(sink);
}

static void compare(const char *name)
{
    static line lines[200];
    char list[4096], table[4096], path[] = "/tmp/attn-wordvec-XXXXXX";
    attn_model_request request = {.embeddings = table, .overrides = attn_overrides_none()};
    attn_model model;
    attn_error error = {0};
    const char *directory = testing_shared("data/wordvec");
    size_t n;
    FILE *file = NULL;
    snprintf(list, sizeof list, "%s/%s.nn.tsv", directory, name);
    snprintf(table, sizeof table, "%s/%s.bin", directory, name);
    n = read_list(list, lines, sizeof lines / sizeof *lines);
    ck_assert_uint_ge(n, 50);
    ck_assert_msg(attn_model_open(&request, &model, &error) == ATTN_OK, "%s", error.message);
    close(mkstemp(path));
    for (size_t i = 0; i < n; i++) {
        char word[64];
        double similarity;
        if (i == 0 || strcmp(lines[i].query, lines[i - 1].query) != 0) {
            if (file != NULL)
                fclose(file);
            print_similar(&model, lines[i].query, path);
            file = fopen(path, "r");
        }
        ck_assert_int_eq(fscanf(file, "%63s %lf", word, &similarity), 2);
        ck_assert_str_eq(word, lines[i].word);
        ck_assert_msg(fabs(similarity - lines[i].similarity) < 2e-6, "%s %s: %g", lines[i].query, word, similarity);
    }
    fclose(file);
    unlink(path);
    attn_model_close(&model);
}

START_TEST(as_distance_lists_them)
{
    compare("w2v1000");
    compare("kjv_w2v");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wordvec");
    TCase *tests = tcase_create("wordvec");
    if (testing_shared("data/wordvec") == NULL) {
        puts("SKIP: no word vectors in the outside data");
        return 77;
    }
    tcase_add_test(tests, as_distance_lists_them);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
