/* test_gguf_vocab.c: the tokenizers in GGUF's metadata against llama.cpp's own conformance texts
 * (shared/data/vocab: 47 texts and their ids, a file each for GPT-2, BERT and Llama). */
#include "config.h"

#include "testing.h"

#include "base/buffer.h"
#include "testing/files.h"
#include "testing/models.h"
#include "testing/texts.h"

#include <math.h>
#include <string.h>

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

/* ---- what stands around a text where the file does not say: llama-vocab.cpp's add_bos and add_eos ---- */

static void put_text(attn_buffer *out, const char *text)
{
    const uint64_t size = strlen(text);
    attn_buffer_put(out, &size, 8);
    attn_buffer_text(out, text);
}

static void put_u32(attn_buffer *out, uint32_t value)
{
    attn_buffer_put(out, &value, 4);
}

enum { U32 = 4, I32 = 5, F32 = 6, BOOL = 7, STRING = 8, ARRAY = 9 }; /* GGUF's types of values */

/* A file of metadata alone: the tokens <s>, </s>, ▁a, a, b, ▁ and ab, and what MODEL and PRE need. EOS and
 * LOWERCASE: -1, nothing is said; 0, add_eos_token or normalizer.lowercase is false. */
static const char *write_vocab(const char *model, const char *pre, int eos, int lowercase)
{
    static const char *const tokens[] = {"<s>", "</s>", "▁a", "a", "b", "▁", "ab"};
    const uint64_t n = 7,
                   counts[2] = {0, 8 + (uint64_t)(pre != NULL) + (uint64_t)(eos >= 0) + (uint64_t)(lowercase >= 0)},
                   two = 2;
    attn_buffer out = {0};
    attn_buffer_text(&out, "GGUF");
    put_u32(&out, 3);
    attn_buffer_put(&out, counts, sizeof counts);
    put_text(&out, "general.architecture"), put_u32(&out, STRING), put_text(&out, "llama");
    put_text(&out, "tokenizer.ggml.model"), put_u32(&out, STRING), put_text(&out, model);
    if (pre != NULL)
        put_text(&out, "tokenizer.ggml.pre"), put_u32(&out, STRING), put_text(&out, pre);
    put_text(&out, "tokenizer.ggml.tokens"), put_u32(&out, ARRAY), put_u32(&out, STRING);
    attn_buffer_put(&out, &n, 8);
    for (size_t i = 0; i < n; i++)
        put_text(&out, tokens[i]);
    put_text(&out, "tokenizer.ggml.scores"), put_u32(&out, ARRAY), put_u32(&out, F32);
    attn_buffer_put(&out, &n, 8);
    for (size_t i = 0; i < n; i++)
        put_u32(&out, 0xbf800000); /* -1 */
    put_text(&out, "tokenizer.ggml.token_type"), put_u32(&out, ARRAY), put_u32(&out, I32);
    attn_buffer_put(&out, &n, 8);
    for (size_t i = 0; i < n; i++)
        put_u32(&out, i < 2 ? 3 : 1);
    put_text(&out, "tokenizer.ggml.merges"), put_u32(&out, ARRAY), put_u32(&out, STRING);
    attn_buffer_put(&out, &two, 8);
    put_text(&out, "▁ a"), put_text(&out, "a b");
    put_text(&out, "tokenizer.ggml.bos_token_id"), put_u32(&out, U32), put_u32(&out, 0);
    put_text(&out, "tokenizer.ggml.eos_token_id"), put_u32(&out, U32), put_u32(&out, 1);
    if (eos >= 0)
        put_text(&out, "tokenizer.ggml.add_eos_token"), put_u32(&out, BOOL), attn_buffer_byte(&out, (char)eos);
    if (lowercase >= 0)
        put_text(&out, "tokenizer.ggml.normalizer.lowercase"), put_u32(&out, BOOL),
            attn_buffer_byte(&out, (char)lowercase);
    const char *path = files_bytes(out.data, out.size);
    attn_buffer_free(&out);
    return path;
}

static const struct {
    const char *model, *pre;
    int eos;
    const char *ids; /* of "ab a"; T5: ▁ and ab before ▁a and b, which are as likely and found later */
} around[] = {{"t5", NULL, -1, "5 6 2 1"},      {"t5", NULL, 0, "5 6 2"},        {"llama", NULL, -1, "0 2 4 2"},
              {"gpt2", "gpt-2", -1, "6 3"},     {"gpt2", "tekken", -1, "0 6 3"}, {"gpt2", "llama-bpe", -1, "0 6 3"},
              {"gpt2", "gemma4", -1, "0 6 2"},  {"gemma4", NULL, -1, "0 6 2"},   {"gpt2", "sarvam-moe", 1, "6 2 1"},
              {"gpt2", "whitespace", -1, "6 3"}};

START_TEST(around_a_text)
{
    attn_encode_options options = attn_encode_options_default();
    attn_model model;
    attn_model_request request = models_request(NULL);
    request.vocab = write_vocab(around[_i].model, around[_i].pre, around[_i].eos, -1);
    options.unknown = ATTN_UNKNOWN_SKIP; /* GPT-2's spell the space, which these tokens have not, in another way */
    models_open_request(&request, &model);
    ck_assert_str_eq(texts_ids(model.tokenizer, attn_bytes_of("ab a"), &options), around[_i].ids);
    attn_model_close(&model);
}
END_TEST

/* ---- scores and types that are none ---- */

/* Three tokens, the last with SCORE and TYPE. */
static const char *small_vocab(float score, int32_t type)
{
    static const char *const tokens[] = {"<unk>", "a", "b"};
    const float scores[] = {0, -1, score};
    const int32_t types[] = {2, 1, type};
    const uint64_t n = 3, counts[2] = {0, 4};
    attn_buffer out = {0};
    attn_buffer_text(&out, "GGUF");
    put_u32(&out, 3);
    attn_buffer_put(&out, counts, sizeof counts);
    put_text(&out, "tokenizer.ggml.model"), put_u32(&out, STRING), put_text(&out, "llama");
    put_text(&out, "tokenizer.ggml.tokens"), put_u32(&out, ARRAY), put_u32(&out, STRING);
    attn_buffer_put(&out, &n, 8);
    for (size_t i = 0; i < n; i++)
        put_text(&out, tokens[i]);
    put_text(&out, "tokenizer.ggml.scores"), put_u32(&out, ARRAY), put_u32(&out, F32);
    attn_buffer_put(&out, &n, 8);
    attn_buffer_put(&out, scores, sizeof scores);
    put_text(&out, "tokenizer.ggml.token_type"), put_u32(&out, ARRAY), put_u32(&out, I32);
    attn_buffer_put(&out, &n, 8);
    attn_buffer_put(&out, types, sizeof types);
    const char *path = files_bytes(out.data, out.size);
    attn_buffer_free(&out);
    return path;
}

static const struct {
    float score;
    int32_t type;
    const char *refusal; /* NULL: it is read */
} small[] = {
    {-2, 1, NULL},
    {-2, 0, NULL}, /* llama.cpp's "undefined" */
    {-2, 6, NULL},
    {NAN, 1, "tokenizer.ggml.scores: token 2: expected a finite number"},
    {-INFINITY, 1, "tokenizer.ggml.scores: token 2: expected a finite number"},
    {-2, 7, "tokenizer.ggml.token_type: token 2: expected a type from 0 to 6"},
    {-2, -1, "tokenizer.ggml.token_type: token 2: expected a type from 0 to 6"},
    {-2, 1000000, "tokenizer.ggml.token_type: token 2: expected a type from 0 to 6"},
};

START_TEST(scores_and_types)
{
    attn_model model;
    attn_model_request request = models_request(NULL);
    request.vocab = small_vocab(small[_i].score, small[_i].type);
    if (small[_i].refusal != NULL) {
        models_refuse(&request, small[_i].refusal);
        return;
    }
    models_open_request(&request, &model);
    ck_assert_uint_eq(attn_tokenizer_size(model.tokenizer), 3);
    attn_model_close(&model);
}
END_TEST

/* A BERT whose pieces have no capitals is lower case unless the file says otherwise (llama-vocab.cpp reads the key). */
START_TEST(case_of_bert)
{
    static const char *const ids[] = {"0 2 1", "0 2 2 1"};
    attn_encode_options options = attn_encode_options_default();
    options.unknown = ATTN_UNKNOWN_SKIP;
    for (int lowercase = -1; lowercase <= 1; lowercase++) {
        attn_model model;
        attn_model_request request = models_request(NULL);
        request.vocab = write_vocab("bert", NULL, -1, lowercase);
        models_open_request(&request, &model);
        ck_assert_str_eq(texts_ids(model.tokenizer, attn_bytes_of("A a"), &options), ids[lowercase != 0]);
        attn_model_close(&model);
    }
}
END_TEST

static Suite *vocab_suite(void)
{
    Suite *suite = suite_create("gguf vocab");
    TCase *ids = tcase_create("ids");
    tcase_set_timeout(ids, 120);
    tcase_add_loop_test(ids, conformance, 0, 3);
    tcase_add_test(ids, bert_has_no_final_sigma);
    tcase_add_test(ids, case_of_bert);
    tcase_add_loop_test(ids, around_a_text, 0, sizeof around / sizeof *around);
    tcase_add_loop_test(ids, scores_and_types, 0, sizeof small / sizeof *small);
    suite_add_tcase(suite, ids);
    return suite;
}

int main(void)
{
    return testing_run(vocab_suite());
}
