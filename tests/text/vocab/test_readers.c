/* merges.txt, vocab.json, tiktoken ranks and SentencePiece models: what they say, what is refused and where. Files
 * are written here byte by byte from their formats' descriptions; expected ids are worked out by hand. */
#include "config.h"

#include "testing/bpe.h"

#include "base/utf8.h"
#include "text/vocab/base64.h"
#include "text/unicode/normalize.h"
#include "text/vocab/vocab_list.h"

#include <utf8proc.h>

/* ---- merges ---- */

static attn_status read_merges(const char *text, attn_tokenizer_spec *spec, attn_arena *arena, attn_error *error)
{
    *spec = attn_tokenizer_spec_default();
    return attn_read_merges_text(attn_bytes_of(text), "m.txt", arena, spec, error);
}

/* Case 010: only "#version" is a header. */
START_TEST(merges_and_their_header)
{
    static const struct {
        const char *text;
        size_t count;
        const char *left, *right; /* of the first */
    } files[] = {{"#version: 0.2\na b\nab c\n", 2, "a", "b"},
                 {"# #\n## #\n", 2, "#", "#"},
                 {"a b\r\nc d", 2, "a", "b"},
                 {"#version 1\n#version 2\n", 1, "#version", "2"},
                 {"\n\na b\n\n", 1, "a", "b"},
                 {"Ġ t", 1, "Ġ", "t"},
                 {"", 0, NULL, NULL}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        attn_arena arena = {0};
        attn_tokenizer_spec spec;
        ck_assert_int_eq(read_merges(files[i].text, &spec, &arena, NULL), ATTN_OK);
        ck_assert_uint_eq(spec.n_merges, files[i].count);
        if (files[i].count > 0) {
            ck_assert(attn_bytes_are(spec.merges[0][0], files[i].left));
            ck_assert(attn_bytes_are(spec.merges[0][1], files[i].right));
        }
        attn_arena_free(&arena);
    }
}
END_TEST

START_TEST(wrong_merges_have_a_line)
{
    static const char *const wrong[] = {"a b\nab\n", "a b\na b c\n", "a b\n b\n", "a b\nb \n", "a b\na  b\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        attn_arena arena = {0};
        attn_tokenizer_spec spec;
        attn_error error = {0};
        ck_assert_int_eq(read_merges(wrong[i], &spec, &arena, &error), ATTN_EDATA);
        ck_assert_uint_eq(error.line, 2);
        ck_assert_str_eq(error.file, "m.txt");
        attn_arena_free(&arena);
    }
}
END_TEST

/* ---- vocab.json, base64, tiktoken ---- */

START_TEST(vocab_json_alone_is_a_list)
{
    attn_tokenizer *tokenizer;
    attn_error error = {0};
    ck_assert_int_eq(bpe_open_bytes(attn_vocab_reader_vocab_json.read, "-",
                                    attn_bytes_of("{\"b\":3,\"a\":1,\"[UNK]\":0}"), &tokenizer, &error),
                     ATTN_OK);
    ck_assert_uint_eq(attn_tokenizer_size(tokenizer), 4);
    ck_assert_ptr_null(attn_tokenizer_spelling(tokenizer, 2).data);
    bpe_expect(tokenizer, attn_bytes_of("a x b"), "1 0 3");
    attn_tokenizer_close(tokenizer);
}
END_TEST

/* RFC 4648's examples. */
START_TEST(base64)
{
    static const char *const pairs[][2] = {{"", ""},
                                           {"Zg==", "f"},
                                           {"Zm8=", "fo"},
                                           {"Zm9v", "foo"},
                                           {"Zm9vYg==", "foob"},
                                           {"Zm9vYmE=", "fooba"},
                                           {"Zm9vYmFy", "foobar"},
                                           {"Zm8", "fo"}};
    static const char *const wrong[] = {"Z", "Zm9v!", "Zm 8=", "====", "Zm9vY"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        attn_buffer out = {0};
        ck_assert(attn_base64_decode(attn_bytes_of(pairs[i][0]), &out));
        ck_assert(attn_bytes_are(attn_buffer_bytes(&out), pairs[i][1]));
        attn_buffer_free(&out);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        attn_buffer out = {0};
        ck_assert_msg(!attn_base64_decode(attn_bytes_of(wrong[i]), &out), "%s", wrong[i]);
        attn_buffer_free(&out);
    }
}
END_TEST

START_TEST(tiktoken_refusals)
{
    static const struct {
        const char *text;
        attn_status status;
        uint64_t line;
    } files[] = {{"IQ== 0\nIg== 1\n", ATTN_EUNSUPPORTED, 0}, /* not a published number of ranks */
                 {"IQ== 0\nI 1\n", ATTN_EDATA, 2},
                 {"IQ== 0\nIg== x\n", ATTN_EDATA, 2},
                 {"IQ== 0\nIg== 0\n", ATTN_EDATA, 2},
                 {"IQ== 99999999\n", ATTN_EDATA, 1},
                 {"IQ==\n", ATTN_EDATA, 1}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        attn_tokenizer *tokenizer;
        attn_error error = {0};
        ck_assert_int_eq(
            bpe_open_bytes(attn_vocab_reader_tiktoken.read, "x", attn_bytes_of(files[i].text), &tokenizer, &error),
            files[i].status);
        ck_assert_uint_eq(error.line, files[i].line);
    }
}
END_TEST

/* ---- SentencePiece's protobuf ---- */

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
    uint64_t type; /* 1 Unigram, 2 BPE */
    bool byte_fallback, dummy, collapse, escape;
    const void *charsmap;
    size_t charsmap_size;
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
} spm[] = {{{1, false, true, true, true, NULL, 0}, "ab", "2 5"}, /* ▁ ab −4 beats ▁a b −5.25 */
           {{1, false, true, true, true, NULL, 0}, "  a   a ", "6 6"},
           {{1, false, true, false, true, NULL, 0}, " a", "2 6"},
           {{1, false, false, true, true, NULL, 0}, "a", "3"},
           {{1, false, true, true, true, NULL, 0}, "   ", ""},
           {{1, false, true, true, true, NULL, 0}, "bb", "2 4 4"}, /* −5 beats −6 */
           {{2, false, true, true, true, NULL, 0}, "bb", "2 10"},  /* BPE joins what it can */
           {{2, false, true, true, true, NULL, 0}, "ab", "6 4"},   /* ▁a −2.75 goes before ab −3 */
           {{2, true, true, true, true, NULL, 0}, "éß", "2 7 8 0"},
           {{2, false, true, true, true, NULL, 0}, "éß", "2 0"},      /* unknown neighbours are one */
           {{2, false, true, true, true, NULL, 0}, "a[x]a", "6 9 3"}, /* user-defined: whole, no second prefix */
           {{2, false, true, true, true, NULL, 0}, "<s>", "2 0"}};    /* control: text is only text */

START_TEST(sentencepiece_models)
{
    attn_buffer file = {0};
    attn_tokenizer *tokenizer;
    attn_error error = {0};
    put_model(&file, spm[_i].model);
    ck_assert_msg(bpe_open_bytes(attn_vocab_reader_spm_model.read, "-", attn_buffer_bytes(&file), &tokenizer, &error) ==
                      ATTN_OK,
                  "%s", error.message);
    bpe_expect(tokenizer, attn_bytes_of(spm[_i].text), spm[_i].ids);
    attn_tokenizer_close(tokenizer);
    attn_buffer_free(&file);
}
END_TEST

START_TEST(sentencepiece_cut_short)
{
    attn_buffer file = {0};
    size_t n_refused = 0;
    put_model(&file, (model){2, true, true, true, true, NULL, 0});
    for (size_t size = 0; size < file.size; size++) {
        uint8_t *copy = attn_alloc(size);
        attn_tokenizer *tokenizer;
        attn_error error = {0};
        attn_status status;
        memcpy(copy, file.data, size);
        status = bpe_open_bytes(attn_vocab_reader_spm_model.read, "-", (attn_bytes){copy, size}, &tokenizer, &error);
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
    static const uint64_t types[] = {3, 4, 0, 99};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        attn_buffer file = {0};
        attn_tokenizer *tokenizer;
        attn_error error = {0};
        put_model(&file, (model){types[i], false, true, true, true, NULL, 0});
        ck_assert_int_eq(
            bpe_open_bytes(attn_vocab_reader_spm_model.read, "-", attn_buffer_bytes(&file), &tokenizer, &error),
            ATTN_EUNSUPPORTED);
        attn_buffer_free(&file);
    }
}
END_TEST

static void write_bytes(const char *directory, const char *name, const void *data, size_t size, char path[256])
{
    FILE *file;
    snprintf(path, 256, "%s/%s", directory, name);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, size, file), size);
    fclose(file);
}

/* CamemBERT's ids, after the tables of its tokenizer in transformers: five of its own (<unk> is 3), the file's from <s>
 * on at 5, <mask> behind all, and <s> (</s> is not in this file) around a text. XLM-RoBERTa's are case 143. */
START_TEST(camembert_ids)
{
    static const char config[] = "{\"tokenizer_class\": \"CamembertTokenizerFast\"}";
    char directory[] = "test_readers_XXXXXX", config_path[256], path[256];
    attn_encode_options options = attn_encode_options_default();
    attn_buffer file = {0};
    attn_tokenizer *tokenizer;
    attn_error error = {0};
    ck_assert_ptr_nonnull(mkdtemp(directory));
    put_model(&file, (model){1, false, true, true, true, NULL, 0});
    write_bytes(directory, "tokenizer_config.json", config, sizeof config - 1, config_path);
    write_bytes(directory, "sentencepiece.bpe.model", file.data, file.size, path);
    ck_assert_msg(attn_tokenizer_load(directory, NULL, NULL, &tokenizer, &error) == ATTN_OK, "%s", error.message);
    ck_assert_uint_eq(attn_tokenizer_size(tokenizer), 16);
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("ab x"), &options), "5 6 9 6 3");
    options.parse_special = true;
    ck_assert_str_eq(texts_ids(tokenizer, attn_bytes_of("ab <mask>"), &options), "5 6 9 15");
    attn_tokenizer_close(tokenizer);
    attn_buffer_free(&file);
    unlink(path);
    unlink(config_path);
    rmdir(directory);
}
END_TEST

/* ---- the precompiled character map ---- */

/* "A" → "ab", "AB" → "b", as a double array by hand: root 0 leads by 'A' to 1, whose leaf is 2; by 'B' on to 64,
 * whose leaf is 65. A unit: label, 1 << 8 where a leaf is, offset << 10; a leaf: value | 1 << 31. */
static size_t put_charsmap(uint8_t *blob)
{
    enum { N_UNITS = 66 };
    uint32_t units[N_UNITS] = {[0] = 64 << 10,
                               [1] = 'A' | 1 << 8 | 3 << 10,
                               [2] = 1U << 31 | 0,
                               [64] = 'B' | 1 << 8 | 1 << 10,
                               [65] = 1U << 31 | 3};
    const uint32_t size = sizeof units;
    memcpy(blob, &size, 4);
    memcpy(blob + 4, units, sizeof units);
    memcpy(blob + 4 + sizeof units, "ab\0b", 5);
    return 4 + sizeof units + 5;
}

/* What the quick look takes for composed is its own NFC by utf8proc, each code point and next to any other. */
START_TEST(composed_stays)
{
    uint32_t state = 9;
    int32_t before = 'a';
    size_t n = 0;
    for (size_t i = 0; i < 3 * 0x110000; i++) {
        const uint32_t code = i < 0x110000 ? (uint32_t)i : bpe_random(&state, 0xd7a4);
        uint8_t text[9] = {0};
        size_t size;
        utf8proc_uint8_t *composed;
        if (code == 0 || (code >= 0xd800 && code < 0xe000))
            continue;
        size = attn_utf8_encode((uint32_t)before, text);
        size += attn_utf8_encode(code, text + size);
        if (!attn_is_in_form(ATTN_NORMALIZE_NFC, (attn_bytes){text, size}))
            continue;
        composed = utf8proc_NFC(text);
        ck_assert_msg(strcmp((const char *)composed, (const char *)text) == 0, "U+%04X", (unsigned)code);
        free(composed);
        before = (int32_t)code;
        n++;
    }
    ck_assert_uint_gt(n, 100000);
    ck_assert(!attn_is_in_form(ATTN_NORMALIZE_NFKC, attn_bytes_of("é")));
}
END_TEST

START_TEST(character_map)
{
    static const struct {
        bool graphemes;
        const char *text, *normal;
    } examples[] = {{false, "xAB-A", "xb-ab"},  /* the longest entry */
                    {true, "xAB-A", "xabB-ab"}, /* cluster by cluster */
                    {false, "B\xFF", "B\xFF"}};
    uint8_t blob[512];
    const size_t size = put_charsmap(blob);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const attn_normalize_step step = {
            .op = ATTN_NORMALIZE_PRECOMPILED, .pattern = {blob, size}, .graphemes = examples[i].graphemes};
        const struct attn_normalizer list = {&step, 1};
        attn_normalize_program *program;
        attn_normal normal = {0};
        ck_assert_int_eq(attn_normalize_open(&list, &program, NULL), ATTN_OK);
        ck_assert_int_eq(attn_normalize_run(program, false, true, attn_bytes_of(examples[i].text), &normal, NULL),
                         ATTN_OK);
        ck_assert(attn_bytes_are(attn_buffer_bytes(&normal.text), examples[i].normal));
        attn_normal_free(&normal);
        attn_normalize_close(program);
    }
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = attn_alloc(cut);
        attn_charsmap map;
        memcpy(copy, blob, cut);
        ck_assert(attn_charsmap_open((attn_bytes){copy, cut}, &map, NULL) == ATTN_EDATA || cut >= size - 2);
        attn_free(copy);
    }
}
END_TEST

START_TEST(character_map_in_a_model)
{
    uint8_t blob[512];
    attn_buffer file = {0};
    attn_tokenizer *tokenizer;
    put_model(&file, (model){1, false, true, true, true, blob, put_charsmap(blob)});
    ck_assert_int_eq(bpe_open_bytes(attn_vocab_reader_spm_model.read, "-", attn_buffer_bytes(&file), &tokenizer, NULL),
                     ATTN_OK);
    bpe_expect(tokenizer, attn_bytes_of("A"), "2 5");
    attn_tokenizer_close(tokenizer);
    attn_buffer_free(&file);
}
END_TEST

START_TEST(survives_failing_allocations)
{
    uint8_t blob[512];
    attn_buffer file = {0};
    attn_status status = ATTN_ENOMEM;
    put_model(&file, (model){1, true, true, true, true, blob, put_charsmap(blob)});
    for (size_t n = 0; status != ATTN_OK; n++) {
        size_t left = n;
        attn_tokenizer *tokenizer;
        attn_tokens tokens = {0};
        attn_set_alloc_hook(texts_count_down, &left);
        status = bpe_open_bytes(attn_vocab_reader_spm_model.read, "-", attn_buffer_bytes(&file), &tokenizer, NULL);
        if (status == ATTN_OK)
            status = attn_tokenizer_encode(tokenizer, attn_bytes_of("Aa ab[x] éß"), NULL, &tokens, NULL, NULL);
        attn_set_alloc_hook(NULL, NULL);
        attn_tokens_free(&tokens);
        attn_tokenizer_close(tokenizer);
        ck_assert_msg(status == ATTN_OK || status == ATTN_ENOMEM, "allocation %zu: status %d", n, status);
    }
    attn_buffer_free(&file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("readers");
    TCase *tests = tcase_create("readers");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, merges_and_their_header);
    tcase_add_test(tests, wrong_merges_have_a_line);
    tcase_add_test(tests, vocab_json_alone_is_a_list);
    tcase_add_test(tests, base64);
    tcase_add_test(tests, tiktoken_refusals);
    tcase_add_loop_test(tests, sentencepiece_models, 0, sizeof spm / sizeof *spm);
    tcase_add_test(tests, sentencepiece_cut_short);
    tcase_add_test(tests, sentencepiece_refusals);
    tcase_add_test(tests, camembert_ids);
    tcase_add_test(tests, composed_stays);
    tcase_add_test(tests, character_map);
    tcase_add_test(tests, character_map_in_a_model);
    tcase_add_test(tests, survives_failing_allocations);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
