/* test_wordvec.c: `similar` against word2vec's own `distance`: shared/data/wordvec/NAME.nn.tsv
 * lists, for some words of NAME.bin, the nearest ones with six decimals. The order must be the
 * same, the cosines within the float32 rounding of that program (2e-6). */
#include "config.h"

#include "testing.h"

#include "testing/files.h"
#include "testing/models.h"
#include "testing/reports.h"

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

/* The nearest words of QUERY as attn prints them. */
static const char *print_similar(reports_run *run, const char *query)
{
    const char *output;
    run->texts[0] = query;
    ck_assert_msg(reports_try(run, &output, NULL) == ATTN_OK, "%s: %s", query, run->error.message);
    return output;
}

static const char *const names[] = {"w2v1000", "kjv_w2v"};

START_TEST(as_distance_lists_them)
{
    static line lines[200];
    testing_need("data/wordvec");
    const char *folder = testing_shared("data/wordvec"), *output = "";
    attn_model_request request = models_request(NULL);
    reports_run run = {.request = {.kind = reports_kind("similar")},
                       .output = {.format = reports_format("tsv"),
                                  .precision = {true, 6},
                                  .no_header = true,
                                  .columns = "neighbor,similarity"}};
    size_t n = read_list(files_print("%s/%s.nn.tsv", folder, names[_i]), lines, sizeof lines / sizeof *lines);
    ck_assert_uint_ge(n, 50);
    request.embeddings = files_print("%s/%s.bin", folder, names[_i]);
    models_open_request(&request, &run.model);
    for (size_t i = 0; i < n; i++) {
        char word[64];
        double similarity;
        int used;
        if (i == 0 || strcmp(lines[i].query, lines[i - 1].query) != 0)
            output = print_similar(&run, lines[i].query);
        ck_assert_int_eq(sscanf(output, "%63s %lf\n%n", word, &similarity, &used), 2);
        output += used;
        ck_assert_str_eq(word, lines[i].word);
        ck_assert_msg(fabs(similarity - lines[i].similarity) < 2e-6, "%s %s: %g", lines[i].query, word, similarity);
    }
    reports_end(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wordvec");
    TCase *tests = tcase_create("wordvec");
    tcase_add_loop_test(tests, as_distance_lists_them, 0, sizeof names / sizeof names[0]);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
