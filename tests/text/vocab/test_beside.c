/* What files beside a vocabulary say of it. Files are written here; the expected ids follow from transformers'
 * tokenizers in Python (build_inputs_with_special_tokens of each class; added tokens as PreTrainedTokenizer reads
 * them), worked out by hand. The outside cases 142 to 144 and 148 are run by tests/cases. */
#include "config.h"

#include "testing.h"

#include "base/file.h"
#include "testing/files.h"
#include "testing/texts.h"

#include <string.h>

#define BYTES_AND_SPECIALS                                                                                             \
    "{\"<s>\":0,\"</s>\":1,\"<mask>\":2,\"[CLS]\":3,\"[SEP]\":4,\"a\":5,\"b\":6,\"Ġ\":7,\"<|endoftext|>\":8,\"<\":9," \
    "\"x\":10,\">\":11}"
#define WORDS "[UNK]\n[CLS]\n[SEP]\na\n##b\n<s>\n</s>\n<mask>"

typedef struct directory {
    const char *name;
    const char *vocabulary;                   /* begins with '{': vocab.json, with merges.txt; else vocab.txt */
    const char *config, *model, *map, *added; /* the JSON files, or NULL */
    const char *text, *ids;                   /* with --parse-special */
} directory;

static const directory directories[] = {
    {"no class: bare", BYTES_AND_SPECIALS, "{}", NULL, NULL, NULL, "a <mask>b", "5 7 2 6"},
    {"RoBERTa by its class", BYTES_AND_SPECIALS, "{\"tokenizer_class\": \"RobertaTokenizerFast\"}", NULL, NULL, NULL,
     "a <mask>b", "0 5 2 6 1"},
    {"RoBERTa by its model", BYTES_AND_SPECIALS, NULL, "{\"model_type\": \"roberta\"}", NULL, NULL, "a", "0 5 1"},
    {"the class comes before the model", BYTES_AND_SPECIALS, "{\"tokenizer_class\": \"GPT2Tokenizer\"}",
     "{\"model_type\": \"roberta\"}", NULL, NULL, "a", "5"},
    {"BART", BYTES_AND_SPECIALS, NULL, "{\"model_type\": \"bart\"}", NULL, NULL, "a", "0 5 1"},
    /* tokenization_longformer.py and tokenization_led.py frame as RoBERTa's does */
    {"Longformer", BYTES_AND_SPECIALS, "{\"tokenizer_class\": \"LongformerTokenizer\"}", NULL, NULL, NULL, "a <mask>",
     "0 5 2 1"},
    {"LED", BYTES_AND_SPECIALS, NULL, "{\"model_type\": \"led\"}", NULL, NULL, "a <mask>", "0 5 2 1"},
    {"DeBERTa", BYTES_AND_SPECIALS, "{\"tokenizer_class\": \"DebertaTokenizer\"}", NULL, NULL, NULL, "a", "3 5 4"},
    {"GPT-2 asked for BOS", BYTES_AND_SPECIALS, "{\"tokenizer_class\": \"GPT2Tokenizer\", \"add_bos_token\": true}",
     NULL, NULL, NULL, "a", "8 5"},
    {"OPT names its BOS", BYTES_AND_SPECIALS,
     "{\"tokenizer_class\": \"GPT2Tokenizer\", \"add_bos_token\": true, \"bos_token\": {\"content\": \"</s>\"}}", NULL,
     NULL, NULL, "a", "1 5"},
    {"BERT", WORDS, NULL, "{\"model_type\": \"bert\"}", NULL, NULL, "ab", "1 3 4 2"},
    {"MPNet", WORDS, NULL, "{\"model_type\": \"mpnet\"}", NULL, NULL, "ab <mask>", "5 3 4 7 6"},
    {"added, plain", BYTES_AND_SPECIALS, NULL, NULL, NULL, "{\"<x>\": 12}", "a<x>", "5 12"},
    {"added, in lower case", WORDS, "{\"do_lower_case\": true}", NULL, NULL, "{\"[E1]\": 8}", "a [e1]", "1 3 8 2"},
    {"added and special", WORDS, "{\"do_lower_case\": true, \"additional_special_tokens\": [\"[E1]\"]}", NULL, NULL,
     "{\"[E1]\": 8}", "a [E1]a [e1]", "1 3 8 3 0 0 0 2"},
    {"the decoder comes before the list", BYTES_AND_SPECIALS,
     "{\"added_tokens_decoder\": {\"13\": {\"content\": \"<x>\", \"lstrip\": true}}}", NULL, NULL, "{\"<x>\": 12}",
     "a <x>", "5 13"},
};

static void write_file(const char *folder, const char *name, const char *text)
{
    if (text != NULL)
        files_write(files_join(folder, name), text, strlen(text));
}

static const char *write_directory(const directory *d)
{
    const char *folder = files_folder();
    const bool json = d->vocabulary[0] == '{';
    write_file(folder, json ? "vocab.json" : "vocab.txt", d->vocabulary);
    write_file(folder, "merges.txt", json ? "#version: 0.2\n" : NULL);
    write_file(folder, "tokenizer_config.json", d->config);
    write_file(folder, "config.json", d->model);
    write_file(folder, "special_tokens_map.json", d->map);
    write_file(folder, "added_tokens.json", d->added);
    return folder;
}

START_TEST(test_beside)
{
    const directory *d = &directories[_i];
    attn_encode_options options = attn_encode_options_default();
    attn_tokenizer *tokenizer = texts_load(write_directory(d), NULL);
    options.parse_special = true;
    const char *ids = texts_ids(tokenizer, attn_bytes_of(d->text), &options);
    ck_assert_msg(strcmp(ids, d->ids) == 0, "%s: expected %s, found %s", d->name, d->ids, ids);
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* <x> is special by special_tokens_map.json, so it is text unless --parse-special is given. */
START_TEST(test_special_is_text)
{
    const directory d = {.vocabulary = BYTES_AND_SPECIALS, .map = "{\"pad_token\": \"<x>\"}", .added = "{\"<x>\": 12}"};
    attn_tokenizer *tokenizer = texts_load(write_directory(&d), NULL);
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("a<x>"), NULL), "5 9 10 11");
    attn_tokenizer_close(tokenizer);
}
END_TEST

START_TEST(test_wrong)
{
    static const struct {
        const char *config, *added, *file;
    } wrong[] = {{NULL, "{\"<x>\": \"12\"}", "added_tokens.json"},
                 {"{\"added_tokens_decoder\": {\"x\": {\"content\": \"a\"}}}", NULL, "tokenizer_config.json"},
                 {"{\"added_tokens_decoder\": {\"12\": {}}}", NULL, "tokenizer_config.json"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const directory d = {.vocabulary = WORDS, .config = wrong[i].config, .added = wrong[i].added};
        attn_tokenizer *tokenizer = NULL;
        attn_error error = {0};
        ck_assert_int_eq(attn_tokenizer_load(write_directory(&d), NULL, NULL, &tokenizer, &error), ATTN_EDATA);
        ck_assert_ptr_nonnull(strstr(error.file, wrong[i].file));
        ck_assert_uint_eq(error.line, 1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("beside");
    TCase *tests = tcase_create("beside");
    tcase_add_loop_test(tests, test_beside, 0, sizeof directories / sizeof *directories);
    tcase_add_test(tests, test_special_is_text);
    tcase_add_test(tests, test_wrong);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
