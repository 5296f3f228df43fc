/* How published byte-pair tokenizers split, by each name of tokenizer.ggml.pre: the ids that llama.cpp gives with
 * GPT-2's vocabulary, or with a small one where a name stands for a BPE over characters. Made by
 * tests/text/npm_compare/gguf.js --store (npm's node-llama-cpp 3.22.1), which compares any number of texts. Texts of
 * which llama.cpp says that its pattern is not the published one are null there. */
#include "config.h"

#include "testing.h"

#include "base/json.h"
#include "base/memory.h"
#include "formats/container.h"
#include "testing/files.h"
#include "testing/texts.h"

#include <string.h>

enum { MAX_WAYS = 128 };

static attn_json_node *root;
static const attn_json_node *texts, *ways[MAX_WAYS];
static int n_ways;

static void read_file(void)
{
    attn_file file;
    attn_error error = {0};
    ck_assert_msg(attn_file_open(testing_source("tests/data/text/pre.json"), NULL, &file, &error) == ATTN_OK, "%s",
                  error.message);
    ck_assert_int_eq(attn_json_tree_of(file.bytes, file.name, &root, &error), ATTN_OK);
    attn_file_close(&file);
    texts = attn_json_node_first(attn_json_node_member(root, "texts"));
    for (const attn_json_node *node = attn_json_node_first(attn_json_node_member(root, "ways")); node != NULL;
         node = attn_json_node_next(node))
        ways[n_ways++] = node;
}

/* ---- vocabularies ---- */

typedef struct vocabulary {
    attn_arena arena;
    attn_container container;
    attn_tokenizer_spec spec;
} vocabulary;

static void put_merges(vocabulary *v, const attn_bytes *lines, size_t n)
{
    attn_bytes(*merges)[2] = attn_arena_alloc(&v->arena, n, sizeof *merges);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *space = memchr(lines[i].data + 1, ' ', lines[i].size - 1);
        const size_t left = (size_t)(space - lines[i].data);
        merges[i][0] = (attn_bytes){lines[i].data, left};
        merges[i][1] = (attn_bytes){space + 1, lines[i].size - left - 1};
    }
    v->spec.merges = (const attn_bytes(*)[2])merges;
    v->spec.n_merges = n;
}

static void open_gpt2(vocabulary *v)
{
    const attn_meta *tokens, *merges;
    const char *path = testing_shared("data/vocab/gpt2/ggml-vocab-gpt-2.gguf");
    ck_assert_int_eq(attn_container_open(path, NULL, &v->container, NULL), ATTN_OK);
    tokens = attn_container_meta(&v->container, "tokenizer.ggml.tokens");
    merges = attn_container_meta(&v->container, "tokenizer.ggml.merges");
    v->spec.tokens = tokens->strings;
    v->spec.n_tokens = tokens->n_elements;
    put_merges(v, merges->strings, merges->n_elements);
}

static const attn_bytes *strings_of(vocabulary *v, const attn_json_node *list, size_t *n)
{
    attn_bytes *strings = attn_arena_alloc(&v->arena, attn_json_node_size(list), sizeof *strings);
    *n = 0;
    for (const attn_json_node *node = attn_json_node_first(list); node != NULL; node = attn_json_node_next(node))
        strings[(*n)++] = attn_bytes_of(attn_json_node_text(node));
    return strings;
}

static void open_small(vocabulary *v, const attn_json_node *node)
{
    size_t n_merges;
    v->spec.tokens = strings_of(v, attn_json_node_member(node, "tokens"), &v->spec.n_tokens);
    const attn_bytes *lines = strings_of(v, attn_json_node_member(node, "merges"), &n_merges);
    put_merges(v, lines, n_merges);
}

/* ---- the names ---- */

static void expect_ids(const char *name, vocabulary *v, const attn_json_node *ids)
{
    const attn_json_node *text = texts;
    attn_encode_options options = attn_encode_options_default();
    attn_tokenizer *tokenizer = NULL;
    attn_error error = {0};
    bool begins = false;
    uint32_t bos = attn_spec_find(&v->spec, "<bos>");
    bos = bos != ATTN_NO_TOKEN ? bos : attn_spec_find(&v->spec, "<|endoftext|>");
    options.unknown = ATTN_UNKNOWN_SKIP;
    v->spec.kind = &attn_kind_bpe;
    ck_assert_msg(attn_spec_split_as(&v->spec, name, &begins, &error) == ATTN_OK, "%s", error.message);
    v->spec.prefix = &bos;
    v->spec.n_prefix = begins;
    ck_assert_msg(attn_tokenizer_open(&v->spec, &tokenizer, &error) == ATTN_OK, "%s: %s", name, error.message);
    for (; text != NULL; text = attn_json_node_next(text), ids = attn_json_node_next(ids)) {
        const char *given = attn_json_node_text(text), *expected = attn_json_node_text(ids), *found;
        char spaced[512];
        if (expected == NULL)
            continue;
        if (strcmp(name, "whitespace") == 0) { /* blanks are one there: llama.cpp dies of two */
            size_t n = 0;
            for (const char *at = given; *at != '\0'; at++)
                if (strchr("\t\r\n ", *at) == NULL)
                    spaced[n++] = *at;
                else if (n == 0 || spaced[n - 1] != ' ')
                    spaced[n++] = ' ';
            spaced[n] = '\0';
            given = spaced;
        }
        found = texts_ids(tokenizer, attn_bytes_of(given), &options);
        if (strstr(found, "nothing of the text") != NULL)
            found = "";
        ck_assert_msg(strcmp(found, expected) == 0, "%s: '%s': expected %s, found %s", name, given, expected, found);
    }
    attn_tokenizer_close(tokenizer);
}

START_TEST(ids_of_llama_cpp)
{
    testing_need("data/vocab/gpt2/ggml-vocab-gpt-2.gguf");
    vocabulary v = {.spec = attn_tokenizer_spec_default()};
    uint64_t characters = 0;
    (void)attn_json_node_u64(attn_json_node_member(ways[_i], "characters"), 2, &characters);
    const attn_json_node *small = attn_json_node_first(attn_json_node_member(root, "characters"));
    if (characters == 0)
        open_gpt2(&v);
    else
        open_small(&v, characters == 1 ? small : attn_json_node_next(small));
    for (const attn_json_node *name = attn_json_node_first(attn_json_node_member(ways[_i], "names")); name != NULL;
         name = attn_json_node_next(name))
        expect_ids(attn_json_node_text(name), &v, attn_json_node_first(attn_json_node_member(ways[_i], "ids")));
    attn_container_close(&v.container);
    attn_arena_free(&v.arena);
}
END_TEST

static bool is_in_file(const char *name)
{
    for (int i = 0; i < n_ways; i++)
        for (const attn_json_node *own = attn_json_node_first(attn_json_node_member(ways[i], "names")); own != NULL;
             own = attn_json_node_next(own))
            if (strcmp(attn_json_node_text(own), name) == 0)
                return true;
    return false;
}

/* Every name of the table is tried above, but for an alias of our own. */
START_TEST(all_names_are_tried)
{
    size_t n = 0;
    attn_tokenizer_spec spec = attn_tokenizer_spec_default();
    attn_error error = {0};
    bool begins;
    for (const char *name; (name = attn_split_name_at(n)) != NULL; n++)
        ck_assert_msg(is_in_file(name) || strcmp(name, "gpt2") == 0, "%s", name);
    ck_assert_uint_eq(n, 91);
    ck_assert_int_eq(attn_spec_split_as(&spec, "no such name", &begins, &error), ATTN_EUNSUPPORTED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tokenizer.ggml.pre");
    TCase *tests = tcase_create("tests");
    int status;
    read_file();
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, ids_of_llama_cpp, 0, n_ways);
    tcase_add_test(tests, all_names_are_tried);
    suite_add_tcase(suite, tests);
    status = testing_run(suite);
    attn_json_tree_free(root);
    return status;
}
