/* tokenizer.json as the tokenizers library reads it: ids that version 0.22.2 gave (npm's @anush008/tokenizers 0.6.0) for
 * files of the shapes that are published (CLIP, GPT-1, Falcon, words behind Whitespace …) and for files made at random of
 * all models, normalizers, pre-tokenizers and post-processors. Made by tests/text/npm_compare/library.js --store, which
 * compares any number of others where node and the package are at hand. */
#include "config.h"

#include "testing.h"

#include "base/json.h"
#include "testing/files.h"
#include "testing/texts.h"

#include <string.h>

static const char *const folder = "tests/data/text/library";
static attn_json_node *root;            /* of ids.json, owned */
static const attn_json_node *cases[64]; /* of the list */
static int n_cases;

static void read_cases(void)
{
    attn_file file;
    attn_error error = {0};
    const char *path = files_join(testing_source(folder), "ids.json");
    ck_assert_msg(attn_file_open(path, NULL, &file, &error) == ATTN_OK, "%s", error.message);
    ck_assert_int_eq(attn_json_tree_of(file.bytes, file.name, &root, &error), ATTN_OK);
    attn_file_close(&file);
    for (const attn_json_node *node = attn_json_node_first(root); node != NULL && n_cases < 64;
         node = attn_json_node_next(node))
        cases[n_cases++] = node;
}

/* Nothing known in a text is no failure for the library, and one with a hint for us. */
static bool same(const char *expected, const char *found)
{
    if (strcmp(expected, "error") == 0)
        return strncmp(found, "ERROR", 5) == 0;
    return strcmp(expected, found) == 0 ||
           (expected[0] == '\0' && strstr(found, "nothing of the text is in the vocabulary") != NULL);
}

START_TEST(ids_of_the_library)
{
    const char *name = attn_json_node_text(attn_json_node_member(cases[_i], "file"));
    const attn_json_node *text = attn_json_node_first(attn_json_node_member(cases[_i], "texts"));
    const attn_json_node *ids = attn_json_node_first(attn_json_node_member(cases[_i], "ids"));
    attn_tokenizer *tokenizer = texts_load(files_join(testing_source(folder), name), NULL);
    attn_encode_options options = attn_encode_options_default();
    options.parse_special = true;
    for (; text != NULL; text = attn_json_node_next(text), ids = attn_json_node_next(ids)) {
        const char *given = attn_json_node_text(text), *expected = attn_json_node_text(ids);
        const char *found = texts_ids(tokenizer, attn_bytes_of(given), &options);
        ck_assert_msg(same(expected, found), "%s: '%s': expected %s, found %s", name, given, expected, found);
    }
    attn_tokenizer_close(tokenizer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ids of the tokenizers library");
    TCase *tests = tcase_create("tests");
    int status;
    read_cases();
    tcase_add_loop_test(tests, ids_of_the_library, 0, n_cases);
    suite_add_tcase(suite, tests);
    status = testing_run(suite);
    attn_json_tree_free(root);
    return status;
}
