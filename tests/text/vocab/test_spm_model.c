/* SentencePiece models: what they say, what is refused. Files are written here byte by byte from the protobuf's
 * description; expected ids are worked out by hand, those of CHAR and WORD models, of blanks behind words, of user-defined
 * symbols and of sums beside large ones checked with SentencePiece 0.1.97. tests/text/npm_compare/spm.py compares any
 * number of models with SentencePiece where it is installed. */
#include "config.h"

#include "testing.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "testing/files.h"
#include "testing/memory.h"
#include "testing/texts.h"

#include <string.h>

static void put_varint(attn_buffer *out, uint64_t value)
{
    for (; value > 127; value >>= 7)
        attn_buffer_byte(out, (char)((value & 127) | 128));
    attn_buffer_byte(out, (char)value);
}

static void put_number(attn_buffer *out, unsigned field, uint64_t value)
{
    put_varint(out, field << 3);
    put_varint(out, value);
}

static void put_bytes(attn_buffer *out, unsigned field, const void *data, size_t size)
{
    put_varint(out, field << 3 | 2);
    put_varint(out, size);
    attn_buffer_put(out, data, size);
}

static void put_piece(attn_buffer *out, const char *text, float score, attn_token_type type)
{
    attn_buffer piece = {0};
    put_bytes(&piece, 1, text, strlen(text));
    put_varint(&piece, 2 << 3 | 5);
    attn_buffer_put(&piece, &score, sizeof score); /* little-endian here */
    put_number(&piece, 3, type);
    put_bytes(out, 1, piece.data, piece.size);
    attn_buffer_free(&piece);
}

typedef struct model {
    uint64_t type; /* 1 Unigram, 2 BPE, 3 WORD, 4 CHAR */
    bool byte_fallback, dummy, collapse, escape;
    const void *charsmap;
    size_t charsmap_size;
    bool suffix;
} model;

/* ids: <unk> 0, <s> 1, ▁ 2, a 3, b 4, ab 5, ▁a 6, <0xC3> 7, <0xA9> 8, [x] 9, bb 10 */
static void put_model(attn_buffer *out, model m)
{
    attn_buffer trainer = {0}, normalizer = {0};
    put_piece(out, "<unk>", 0, ATTN_TOKEN_UNKNOWN);
    put_piece(out, "<s>", 0, ATTN_TOKEN_CONTROL);
    put_piece(out, "▁", -1, ATTN_TOKEN_NORMAL);
    put_piece(out, "a", -2, ATTN_TOKEN_NORMAL);
    put_piece(out, "b", -2.5F, ATTN_TOKEN_NORMAL);
    put_piece(out, "ab", -3, ATTN_TOKEN_NORMAL);
    put_piece(out, "▁a", -2.75F, ATTN_TOKEN_NORMAL);
    put_piece(out, "<0xC3>", -20, ATTN_TOKEN_BYTE);
    put_piece(out, "<0xA9>", -20, ATTN_TOKEN_BYTE);
    put_piece(out, "[x]", 0, ATTN_TOKEN_USER);
    put_piece(out, "bb", -6, ATTN_TOKEN_NORMAL);
    put_number(&trainer, 3, m.type);
    put_number(&trainer, 24, m.suffix);
    put_number(&trainer, 35, m.byte_fallback);
    put_number(&trainer, 40, 0);
    put_number(&trainer, 43, UINT64_MAX);
    put_bytes(out, 2, trainer.data, trainer.size);
    put_number(&normalizer, 3, m.dummy);
    put_number(&normalizer, 4, m.collapse);
    put_number(&normalizer, 5, m.escape);
    if (m.charsmap != NULL)
        put_bytes(&normalizer, 2, m.charsmap, m.charsmap_size);
    put_bytes(out, 3, normalizer.data, normalizer.size);
    attn_buffer_free(&trainer);
    attn_buffer_free(&normalizer);
}

static const struct {
    model model;
    const char *text, *ids;
} spm[] = {{{1, false, true, true, true, NULL, 0, false}, "ab", "2 5"}, /* ▁ ab −4 beats ▁a b −5.25 */
           {{1, false, true, true, true, NULL, 0, false}, "  a   a ", "6 6"},
           {{1, false, true, false, true, NULL, 0, false}, " a", "2 6"},
           {{1, false, false, true, true, NULL, 0, false}, "a", "3"},
           {{1, false, true, true, true, NULL, 0, false}, "   ", ""},
           {{1, false, true, true, true, NULL, 0, false}, "bb", "2 4 4"}, /* −5 beats −6 */
           {{2, false, true, true, true, NULL, 0, false}, "bb", "2 10"},  /* BPE joins what it can */
           {{2, false, true, true, true, NULL, 0, false}, "ab", "6 4"},   /* ▁a −2.75 goes before ab −3 */
           {{2, true, true, true, true, NULL, 0, false}, "éß", "2 7 8 0"},
           {{2, false, true, true, true, NULL, 0, false}, "éß", "2 0"},      /* unknown neighbours are one */
           {{2, false, true, true, true, NULL, 0, false}, "a[x]a", "6 9 3"}, /* user-defined: whole, no second prefix */
           {{2, false, true, true, true, NULL, 0, false}, "<s>", "2 0"},     /* control: text is only text */
           {{.type = 4, .dummy = true, .collapse = true, .escape = true}, "a b", "2 3 2 4"},
           {{.type = 4, .dummy = true, .collapse = true, .escape = true}, "abé", "2 3 4 0"},
           {{.type = 4, .dummy = true, .collapse = true, .escape = true}, "a[x]b", "2 3 9 4"},
           {{.type = 4, .dummy = true, .collapse = true, .escape = true}, "éßa", "2 0 3"},
           {{.type = 4, .byte_fallback = true, .dummy = true, .collapse = true, .escape = true}, "éb", "2 7 8 4"},
           {{.type = 3, .dummy = true, .collapse = true, .escape = true}, "ab", "0"}, /* ▁ab is no word */
           {{.type = 3, .dummy = true, .collapse = true, .escape = true}, "a a", "6 6"},
           {{.type = 3, .dummy = true, .collapse = true, .escape = true}, "x y a", "0 6"},
           {{.type = 3, .dummy = true, .collapse = true, .escape = true}, "a[x]", "0"},
           {{.type = 3, .collapse = true, .escape = true}, "<s>", "0"},
           {{.type = 1, .dummy = true, .collapse = true, .escape = true, .suffix = true}, "ab", "5 2"},
           {{.type = 1, .dummy = true, .collapse = true, .escape = true, .suffix = true}, " a  b ", "3 2 4 2"},
           {{.type = 1, .dummy = true, .collapse = true, .escape = true}, "a[x]a", "6 9 3"},
           {{.type = 1, .dummy = true, .collapse = true, .escape = true}, "b [x] b", "2 4 2 9 2 4"},
           {{.type = 1, .dummy = true, .collapse = true, .escape = true}, "a▁", "6"}};

START_TEST(sentencepiece_models)
{
    attn_buffer file = {0};
    attn_tokenizer *tokenizer;
    attn_error error = {0};
    put_model(&file, spm[_i].model);
    ck_assert_msg(texts_open(&attn_vocab_reader_spm_model, "-", attn_buffer_bytes(&file), &tokenizer, &error) ==
                      ATTN_OK,
                  "%s", error.message);
    texts_expect(tokenizer, attn_bytes_of(spm[_i].text), spm[_i].ids);
    attn_tokenizer_close(tokenizer);
    attn_buffer_free(&file);
}
END_TEST

/* Sums of scores are float32 in SentencePiece (unigram_model.cc): a bc (−16777217, rounded to even) is as good as ab c
 * (−16777216), and of equals the one found first, from the left, stays. In double ab c would be better. */
START_TEST(sums_are_float32)
{
    attn_buffer file = {0};
    attn_tokenizer *tokenizer;
    put_piece(&file, "<unk>", 0, ATTN_TOKEN_UNKNOWN);
    put_piece(&file, "a", -16777216, ATTN_TOKEN_NORMAL);
    put_piece(&file, "bc", -1, ATTN_TOKEN_NORMAL);
    put_piece(&file, "ab", -16777216, ATTN_TOKEN_NORMAL);
    put_piece(&file, "c", 0, ATTN_TOKEN_NORMAL);
    put_bytes(&file, 3, "\x18", 2); /* no dummy prefix */
    ck_assert_int_eq(texts_open(&attn_vocab_reader_spm_model, "-", attn_buffer_bytes(&file), &tokenizer, NULL),
                     ATTN_OK);
    texts_expect(tokenizer, attn_bytes_of("abc"), "1 2");
    attn_tokenizer_close(tokenizer);
    attn_buffer_free(&file);
}
END_TEST

/* A sum goes through the whole text: behind one of −2^24 a word that is cut in one way by itself is cut in another. */
START_TEST(sums_go_through_the_text)
{
    attn_buffer file = {0};
    attn_tokenizer *tokenizer;
    put_piece(&file, "<unk>", 0, ATTN_TOKEN_UNKNOWN);
    put_piece(&file, "▁", 0, ATTN_TOKEN_NORMAL);
    put_piece(&file, "a", -1, ATTN_TOKEN_NORMAL);
    put_piece(&file, "bc", -0.5F, ATTN_TOKEN_NORMAL);
    put_piece(&file, "ab", -1, ATTN_TOKEN_NORMAL);
    put_piece(&file, "c", -0.25F, ATTN_TOKEN_NORMAL);
    put_piece(&file, "▁w", -16777216, ATTN_TOKEN_NORMAL);
    ck_assert_int_eq(texts_open(&attn_vocab_reader_spm_model, "-", attn_buffer_bytes(&file), &tokenizer, NULL),
                     ATTN_OK);
    texts_expect(tokenizer, attn_bytes_of("abc w abc"), "1 4 5 6 1 2 3");
    attn_tokenizer_close(tokenizer);
    attn_buffer_free(&file);
}
END_TEST

/* An unknown character costs 10 more than the least score of the normal pieces, not of a control symbol: éa b is −40,
 * an unknown é and ab −31. */
START_TEST(least_of_normal_pieces)
{
    attn_buffer file = {0};
    attn_tokenizer *tokenizer;
    put_piece(&file, "<unk>", 0, ATTN_TOKEN_UNKNOWN);
    put_piece(&file, "<c>", -100, ATTN_TOKEN_CONTROL);
    put_piece(&file, "éa", -20, ATTN_TOKEN_NORMAL);
    put_piece(&file, "b", -20, ATTN_TOKEN_NORMAL);
    put_piece(&file, "ab", -1, ATTN_TOKEN_NORMAL);
    put_bytes(&file, 3, "\x18", 2); /* no dummy prefix */
    ck_assert_int_eq(texts_open(&attn_vocab_reader_spm_model, "-", attn_buffer_bytes(&file), &tokenizer, NULL),
                     ATTN_OK);
    texts_expect(tokenizer, attn_bytes_of("éab"), "0 4");
    attn_tokenizer_close(tokenizer);
    attn_buffer_free(&file);
}
END_TEST

START_TEST(sentencepiece_cut_short)
{
    attn_buffer file = {0};
    size_t n_refused = 0;
    put_model(&file, (model){2, true, true, true, true, NULL, 0, false});
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *copy = attn_alloc(size);
        attn_tokenizer *tokenizer;
        attn_error error = {0};
        attn_status status;
        memcpy(copy, file.data, size);
        status = texts_open(&attn_vocab_reader_spm_model, "-", (attn_bytes){copy, size}, &tokenizer, &error);
        ck_assert(status == ATTN_OK || error.message[0] != '\0');
        n_refused += status != ATTN_OK;
        attn_tokenizer_close(tokenizer);
        attn_free(copy);
    }
    ck_assert_uint_gt(n_refused, file.size - 20); /* but for cuts between two fields */
    attn_buffer_free(&file);
}
END_TEST

START_TEST(sentencepiece_refusals)
{
    static const uint64_t types[] = {5, 0, 99};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        attn_buffer file = {0};
        attn_tokenizer *tokenizer;
        attn_error error = {0};
        put_model(&file, (model){types[i], false, true, true, true, NULL, 0, false});
        ck_assert_int_eq(texts_open(&attn_vocab_reader_spm_model, "-", attn_buffer_bytes(&file), &tokenizer, &error),
                         ATTN_EUNSUPPORTED);
        attn_buffer_free(&file);
    }
}
END_TEST

START_TEST(character_map_in_a_model)
{
    uint8_t blob[TEXTS_CHARSMAP_ROOM];
    attn_buffer file = {0};
    attn_tokenizer *tokenizer;
    put_model(&file, (model){1, false, true, true, true, blob, texts_charsmap(blob), false});
    ck_assert_int_eq(texts_open(&attn_vocab_reader_spm_model, "-", attn_buffer_bytes(&file), &tokenizer, NULL),
                     ATTN_OK);
    texts_expect(tokenizer, attn_bytes_of("A"), "2 5");
    attn_tokenizer_close(tokenizer);
    attn_buffer_free(&file);
}
END_TEST

/* CamemBERT's ids, after the tables of its tokenizer in transformers: five of its own (<unk> is 3), the file's from <s>
 * on at 5, <mask> behind all, and <s> (</s> is not in this file) around a text. XLM-RoBERTa's are case 143. */
START_TEST(camembert_ids)
{
    static const char config[] = "{\"tokenizer_class\": \"CamembertTokenizerFast\"}";
    const char *folder = files_folder();
    attn_encode_options options = attn_encode_options_default();
    attn_buffer file = {0};
    put_model(&file, (model){1, false, true, true, true, NULL, 0, false});
    files_write(files_join(folder, "tokenizer_config.json"), config, sizeof config - 1);
    files_write(files_join(folder, "sentencepiece.bpe.model"), file.data, file.size);
    attn_tokenizer *tokenizer = texts_load(folder, NULL);
    ck_assert_uint_eq(attn_tokenizer_size(tokenizer), 16);
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("ab x"), &options), "5 6 9 6 3");
    options.parse_special = true;
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("ab <mask>"), &options), "5 6 9 15");
    attn_tokenizer_close(tokenizer);
    attn_buffer_free(&file);
}
END_TEST

static attn_status read_and_encode(void *context, attn_error *error)
{
    const attn_buffer *file = context;
    attn_tokenizer *tokenizer;
    attn_tokens tokens = {0};
    attn_status status = texts_open(&attn_vocab_reader_spm_model, "-", attn_buffer_bytes(file), &tokenizer, error);
    if (status == ATTN_OK)
        status = attn_tokenizer_encode(tokenizer, attn_bytes_of("Aa ab[x] éß"), NULL, &tokens, NULL, error);
    attn_tokens_free(&tokens);
    attn_tokenizer_close(tokenizer);
    return status;
}

/* ---- what the class of the tokenizer does around a text and to it ----
 *
 * After transformers: build_inputs_with_special_tokens and preprocess_text of tokenization_albert.py and
 * tokenization_xlnet.py, tokenization_deberta_v2.py ([MASK] behind the vocabulary), tokenization_t5.py (the last id is
 * <extra_id_0>'s), tokenization_gemma.py (add_bos_token is on), tokenization_big_bird.py. npm_compare/spm.py has the same
 * rules in Python over SentencePiece itself. */

static void put_class_model(attn_buffer *out)
{
    static const char *const controls[] = {"[CLS]", "[SEP]", "<cls>", "<sep>", "</s>"};
    static const char *const letters[] = {"a", "e", "E", "A", "\"", "σ", "ς"};
    put_piece(out, "<unk>", 0, ATTN_TOKEN_UNKNOWN);
    for (size_t i = 0; i < 5; i++)
        put_piece(out, controls[i], 0, ATTN_TOKEN_CONTROL); /* 1 to 5 */
    put_piece(out, "▁", -1, ATTN_TOKEN_NORMAL);             /* 6 */
    for (size_t i = 0; i < 7; i++)
        put_piece(out, letters[i], -2, ATTN_TOKEN_NORMAL); /* 7 to 13 */
    put_piece(out, "<bos>", 0, ATTN_TOKEN_CONTROL);        /* 14 */
}

static const struct {
    const char *config, *text, *ids; /* with --parse-special */
} classes[] = {{"{\"tokenizer_class\":\"AlbertTokenizer\"}", " \u00c9  A``", "1 6 8 6 7 11 2"},
               {"{\"tokenizer_class\":\"AlbertTokenizerFast\",\"do_lower_case\":false,\"keep_accents\":true}",
                "\u00c9 A", "1 6 0 6 10 2"},
               {"{\"tokenizer_class\":\"AlbertTokenizer\"}", "ΣΣ", "1 6 12 13 2"}, /* Python's lower case */
               {"{\"tokenizer_class\":\"XLNetTokenizer\"}", "Ea", "6 9 7 4 3"},
               {"{\"tokenizer_class\":\"DebertaV2Tokenizer\"}", "a [MASK]a", "1 6 7 15 6 7 2"},
               {"{\"tokenizer_class\":\"DebertaV2Tokenizer\",\"added_tokens_decoder\":{\"20\":{\"content\":\"[MASK]\","
                "\"special\":true}}}",
                "[MASK]", "1 20 2"},
               {"{\"tokenizer_class\":\"DebertaV2Tokenizer\",\"do_lower_case\":true}", "A", "1 6 7 2"},
               {"{\"tokenizer_class\":\"BigBirdTokenizer\"}", "A", "1 6 10 2"},
               {"{\"tokenizer_class\":\"T5Tokenizer\"}", "a <extra_id_0> a<extra_id_99>", "6 7 114 6 7 15 5"},
               {"{\"tokenizer_class\":\"T5Tokenizer\",\"extra_ids\":2}", "<extra_id_1>a", "15 6 7 5"},
               {"{\"tokenizer_class\":\"T5Tokenizer\",\"extra_ids\":0}", "<e", "6 0 8 5"},
               {"{\"tokenizer_class\":\"GemmaTokenizer\"}", "a", "14 6 7"},
               {"{\"tokenizer_class\":\"GemmaTokenizer\",\"add_bos_token\":false}", "a", "6 7"}};

START_TEST(by_class)
{
    const char *folder = files_folder();
    attn_encode_options options = attn_encode_options_default();
    attn_buffer file = {0};
    put_class_model(&file);
    files_write(files_join(folder, "tokenizer_config.json"), classes[_i].config, strlen(classes[_i].config));
    files_write(files_join(folder, "spiece.model"), file.data, file.size);
    attn_tokenizer *tokenizer = texts_load(folder, NULL);
    options.parse_special = true;
    const char *found = texts_ids(tokenizer, attn_bytes_of(classes[_i].text), &options);
    ck_assert_msg(strcmp(found, classes[_i].ids) == 0, "%s: '%s': expected %s, found %s", classes[_i].config,
                  classes[_i].text, classes[_i].ids, found);
    attn_tokenizer_close(tokenizer);
    attn_buffer_free(&file);
}
END_TEST

START_TEST(survives_failing_allocations)
{
    uint8_t blob[TEXTS_CHARSMAP_ROOM];
    attn_buffer file = {0};
    put_model(&file, (model){1, true, true, true, true, blob, texts_charsmap(blob), false});
    ck_assert_uint_gt(memory_fail_each(read_and_encode, &file, MEMORY_FROM).failures, 10);
    attn_buffer_free(&file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spm_model");
    TCase *tests = tcase_create("spm_model");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, sentencepiece_models, 0, sizeof spm / sizeof *spm);
    tcase_add_test(tests, sums_are_float32);
    tcase_add_loop_test(tests, by_class, 0, sizeof classes / sizeof *classes);
    tcase_add_test(tests, sums_go_through_the_text);
    tcase_add_test(tests, least_of_normal_pieces);
    tcase_add_test(tests, sentencepiece_cut_short);
    tcase_add_test(tests, sentencepiece_refusals);
    tcase_add_test(tests, character_map_in_a_model);
    tcase_add_test(tests, camembert_ids);
    tcase_add_test(tests, survives_failing_allocations);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
