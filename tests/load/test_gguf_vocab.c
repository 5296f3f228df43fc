/* test_gguf_vocab.c: the tokenizers in GGUF's metadata against llama.cpp's own conformance texts
 * (shared/data/vocab: 47 texts and their ids, a file each for GPT-2, BERT and Llama). */
#include "config.h"

#include "testing.h"

#include "testing/files.h"
#include "testing/models.h"
#include "testing/texts.h"

static const struct {
    const char *folder, *file;
} vocabularies[] = {
    {"data/vocab/gpt2", "ggml-vocab-gpt-2.gguf"},
    {"data/vocab/bert", "ggml-vocab-bert-bge.gguf"},
    {"data/vocab/llama", "ggml-vocab-llama-spm.gguf"},
};

START_TEST(conformance)
{
    testing_need(vocabularies[_i].folder);
    const char *folder = testing_shared(vocabularies[_i].folder);
    attn_model model;
    attn_model_request request = models_request(NULL);
    request.vocab = files_join(folder, vocabularies[_i].file);
    models_open_request(&request, &model);
    texts_conform(model.tokenizer, folder);
    attn_model_close(&model);
}
END_TEST

/* llama.cpp lower-cases character by character: a final Σ is σ, not ς as in Python's reading of the vocab.txt that the
 * file was made of. */
START_TEST(bert_has_no_final_sigma)
{
    testing_need(vocabularies[1].folder);
    const attn_encode_options plain = texts_plain();
    attn_model model;
    attn_model_request request = models_request(NULL);
    request.vocab = files_join(testing_shared(vocabularies[1].folder), vocabularies[1].file);
    models_open_request(&request, &model);
    ck_assert_str_eq(texts_show(model.tokenizer, attn_bytes_of("ΟΔΟΣ"), &plain, NULL), "ο@0-2 ##δ@2-4 ##ο@4-6 ##σ@6-8");
    attn_model_close(&model);
}
END_TEST

static Suite *vocab_suite(void)
{
    Suite *suite = suite_create("gguf vocab");
    TCase *ids = tcase_create("ids");
    tcase_set_timeout(ids, 120);
    tcase_add_loop_test(ids, conformance, 0, 3);
    tcase_add_test(ids, bert_has_no_final_sigma);
    suite_add_tcase(suite, ids);
    return suite;
}

int main(void)
{
    return testing_run(vocab_suite());
}
