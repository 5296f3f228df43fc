/* test_gguf_vocab.c: the tokenizers in GGUF's metadata against llama.cpp's own conformance texts
 * (shared/data/vocab: 47 texts and their ids, a file each for GPT-2, BERT and Llama). */
#include "config.h"

#include "testing/capture.h"
#include "testing.h"

#include <string.h>

typedef struct vocabulary {
    const char *folder, *file;
} vocabulary;

static const vocabulary vocabularies[] = {
    {"data/vocab/gpt2", "ggml-vocab-gpt-2.gguf"},
    {"data/vocab/bert", "ggml-vocab-bert-bge.gguf"},
    {"data/vocab/llama", "ggml-vocab-llama-spm.gguf"},
};

static const char marker[] = "\n__ggml_vocab_test__\n";

/* The next text of INPUT; false at its end. */
static bool next_text(const attn_file *input, size_t *at, attn_bytes *text)
{
    size_t n = sizeof marker - 1, i;
    if (*at > input->bytes.size) /* a marker at the file's end opens an empty text */
        return false;
    for (i = *at; i + n <= input->bytes.size; i++)
        if (memcmp(input->bytes.data + i, marker, n) == 0)
            break;
    if (i + n > input->bytes.size)
        i = input->bytes.size;
    text->data = input->bytes.data + *at;
    text->size = i - *at;
    *at = i + n;
    return true;
}

/* TOKENS as the next line of OUTPUT has them. */
static void check_line(const attn_tokens *tokens, const attn_file *output, size_t *at, size_t number)
{
    size_t i = 0;
    while (*at < output->bytes.size && output->bytes.data[*at] != '\n') {
        unsigned long id = 0;
        while (*at < output->bytes.size && output->bytes.data[*at] == ' ')
            (*at)++;
        if (*at == output->bytes.size || output->bytes.data[*at] == '\n')
            break;
        while (*at < output->bytes.size && output->bytes.data[*at] >= '0' && output->bytes.data[*at] <= '9')
            id = id * 10 + (unsigned long)(output->bytes.data[(*at)++] - '0');
        ck_assert_msg(i < tokens->count, "text %zu: %zu tokens are too few", number, tokens->count);
        ck_assert_msg(tokens->items[i].id == id, "text %zu: token %zu is %lu, right is %lu", number, i,
                      (unsigned long)tokens->items[i].id, id);
        i++;
    }
    (*at)++;
    ck_assert_msg(i == tokens->count, "text %zu: %zu tokens, right is %zu", number, tokens->count, i);
}

START_TEST(conformance)
{
    const vocabulary *v = &vocabularies[_i];
    attn_model model;
    attn_model_request request = {0};
    attn_file input, output;
    attn_error error;
    attn_bytes text;
    attn_encode_options options = attn_encode_options_default();
    char folder[4096];
    size_t at = 0, out = 0, count = 0;
    if (testing_shared(v->folder) == NULL) {
        printf("SKIP: %s is not there\n", v->folder);
        return;
    }
    snprintf(folder, sizeof folder, "%s", testing_shared(v->folder));
    request.vocab = capture_join(folder, v->file);
    request.overrides = attn_overrides_none();
    ck_assert_int_eq(attn_model_open(&request, &model, &error), ATTN_OK);
    ck_assert_int_eq(attn_file_open(capture_join(folder, "conformance.inp"), NULL, &input, &error), ATTN_OK);
    ck_assert_int_eq(attn_file_open(capture_join(folder, "conformance.out"), NULL, &output, &error), ATTN_OK);
    options.add_special = false;
    while (next_text(&input, &at, &text)) {
        attn_tokens tokens = {0};
        ck_assert_int_eq(attn_tokenizer_encode(model.tokenizer, text, &options, &tokens, NULL, &error), ATTN_OK);
        check_line(&tokens, &output, &out, count++);
        attn_tokens_free(&tokens);
    }
    ck_assert_uint_eq(count, 47);
    attn_file_close(&input);
    attn_file_close(&output);
    attn_model_close(&model);
}
END_TEST

static Suite *vocab_suite(void)
{
    Suite *suite = suite_create("gguf vocab");
    TCase *ids = tcase_create("ids");
    tcase_set_timeout(ids, 120);
    tcase_add_loop_test(ids, conformance, 0, 3);
    suite_add_tcase(suite, ids);
    return suite;
}

int main(void)
{
    return testing_run(vocab_suite());
}
