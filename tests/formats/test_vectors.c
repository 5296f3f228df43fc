/* test_vectors.c: word vectors. Right values: the rows of shared/cases 030, 035, 037-039, 041-043
 * (written out in their expected.json, copied here), shared/data/wordvec, and rows written by hand.
 */
#include "config.h"

#include "testing.h"

#include "formats/vectors.h"
#include "testing/containers.h"
#include "testing/files.h"
#include "testing/random.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

/* A literal with NULs in it. */
#define BYTES(literal) literal, sizeof(literal) - 1

static attn_status take(const void *data, size_t size, attn_vectors *vectors, attn_error *error)
{
    attn_file file = containers_file("it", data, size);
    attn_status status = attn_vectors_take(&file, vectors, NULL, NULL, error);
    ck_assert_ptr_null(file.name);
    return status;
}

/* DATA holds exactly WORDS (NULL-terminated) with VALUES [n][dim]. */
static void holds(const void *data, size_t size, const char *format, const char *const *words, size_t dim,
                  const float *values)
{
    attn_vectors vectors;
    attn_error error = {0};
    size_t n = 0;
    ck_assert(attn_vectors_sniff((attn_bytes){data, size}));
    ck_assert_msg(take(data, size, &vectors, &error) == ATTN_OK, "%s", error.message);
    ck_assert_str_eq(vectors.format, format);
    ck_assert_uint_eq(vectors.dim, dim);
    for (; words[n] != NULL; n++) {
        ck_assert_uint_lt(n, vectors.n_words);
        ck_assert_msg(attn_bytes_are(vectors.words[n], words[n]), "word %zu is '%.*s', not '%s'", n,
                      (int)vectors.words[n].size, (const char *)vectors.words[n].data, words[n]);
    }
    ck_assert_uint_eq(vectors.n_words, n);
    ck_assert(memcmp(vectors.values, values, n * dim * sizeof *values) == 0);
    ck_assert(!vectors.has_more);
    ck_assert_uint_eq(vectors.n_duplicates, 0);
    attn_vectors_close(&vectors);
}

static void refused(const void *data, size_t size, const char *word, uint64_t line, uint64_t column)
{
    attn_vectors vectors;
    attn_error error = {0};
    attn_status status = take(data, size, &vectors, &error);
    ck_assert_msg(status == ATTN_EDATA || status == ATTN_EUNSUPPORTED, "not refused: '%.*s'", (int)size,
                  (const char *)data);
    ck_assert_msg(strstr(error.message, word) != NULL, "no '%s' in: %s", word, error.message);
    ck_assert_str_eq(error.file, "it");
    ck_assert_msg(error.line == line && error.column == column, "'%s' at %d:%d", error.message, (int)error.line,
                  (int)error.column);
    ck_assert_ptr_null(vectors.words);
}

static const char *const three_words[] = {"the", "cat", "sat", NULL};
static const float three_rows[] = {1, 0.5f, -0.25f, 2, 0.125f, -3};

START_TEST(glove_text)
{
    static const char *const words[] = {"the", ". . .", "to user@example.org", "1 2", "cat", NULL};
    static const float rows[] = {1, 2, 3, 0.5f, 0.25f, -1, 4, 5, 6, 7, 8, 9, 0, 1, 0};
    static const char *const two[] = {"the", "cat", NULL};
    static const float units[] = {1, 0, 0, 1};
    static const char *const one[] = {"a", NULL};
    static const char *const numerals[] = {"1", "2", NULL};
    static const float numeral_rows[] = {0.5f, 0.25f, 0.75f, 1};
    holds(BYTES("the 1 0.5\ncat -0.25 2\nsat 0.125 -3\n"), "glove", three_words, 2, three_rows);
    holds(BYTES("the 1 0.5\ncat -0.25 2\nsat 0.125 -3"), "glove", three_words, 2, three_rows);
    holds(BYTES("the 1 0.5 \n\ncat  -0.25  2\t\n  sat\t0.125\t-3\n \n"), "glove", three_words, 2, three_rows);
    holds(BYTES("\xef\xbb\xbfthe 1 0\r\ncat 0 1\r\n"), "glove", two, 2, units);
    holds(BYTES("the 1 2 3\n. . . 0.5 0.25 -1\nto user@example.org 4 5 6\n1 2 7 8 9\ncat 0 1 0\n"), "glove", words, 3,
          rows);
    holds(BYTES("a 1e0 +0 -.0e5 0."), "glove", one, 4, (const float[]){1, 0, -0.0f, 0});
    holds(BYTES("1 0.5 0.25\n2 0.75 1\n"), "glove", numerals, 2, numeral_rows);
}
END_TEST

START_TEST(word2vec_text)
{
    static const char *const two[] = {"b", "c", NULL};
    static const float halves[] = {0.5f, 0.25f};
    static const char *const spaced[] = {"a b", "7 8", NULL};
    static const float ones[] = {1, 2, 3, 4};
    holds(BYTES("3 2\nthe 1 0.5\ncat -0.25 2\nsat 0.125 -3\n"), "word2vec text", three_words, 2, three_rows);
    holds(BYTES("3 2\r\nthe 1 0.5 \r\ncat -0.25 2 \r\nsat 0.125 -3 \r\n"), "word2vec text", three_words, 2, three_rows);
    holds(BYTES("2 1\nb 0.5\nc 0.25\n"), "word2vec text", two, 1, halves); /* case 041: a header */
    holds(BYTES("2 2\na b 1 2\n7 8 3 4\n"), "word2vec text", spaced, 2, ones);
}
END_TEST

START_TEST(word2vec_binary)
{
    static const char *const xy[] = {"x", "y", NULL};
    static const float feed[] = {1, 6.64634644593697e-33f, 6.64634644593697e-33f, 2}; /* 0x0a0a0a0a */
    static const char *const odd[] = {"\xff\xfe", "", NULL};
    holds(BYTES("3 2\nthe \0\0\x80\x3f\0\0\0\x3f\ncat \0\0\x80\xbe\0\0\0\x40\nsat "
                "\0\0\0\x3e\0\0\x40\xc0\n"),
          "word2vec binary", three_words, 2, three_rows);
    holds(BYTES("3 2\nthe \0\0\x80\x3f\0\0\0\x3f"
                "cat \0\0\x80\xbe\0\0\0\x40"
                "sat \0\0\0\x3e\0\0\x40\xc0"),
          "word2vec binary", three_words, 2, three_rows);
    holds(BYTES("2 2\nx \0\0\x80\x3f\x0a\x0a\x0a\x0a"
                "y \x0a\x0a\x0a\x0a\0\0\0\x40"),
          "word2vec binary", xy, 2, feed);
    holds(BYTES("2 1\n\xff\xfe \0\0\x80\x3f \0\0\x80\x3f"), "word2vec binary", odd, 1, (const float[]){1, 1});
}
END_TEST

START_TEST(json_words)
{
    holds(BYTES(" {\"comment\": \"[1]\", \"the\": [1, 0.5], \"cat\": [-0.25, "
                "2],\n\"s\\u0061t\":[0.125,-3]}\n"),
          "json", three_words, 2, three_rows);
    refused(BYTES("{\"a\":[1,2],\n\"b\":[3]}"), "'b': expected 2 numbers, found fewer", 2, 5);
    refused(BYTES("{\"a\":[1,2],\"b\":[3,4,5]}"), "'b': expected 2 numbers, found more", 1, 16);
    refused(BYTES("{\"a\":[1,2],\"a\":[3,4]}"), "'a' is there twice", 1, 12);
    refused(BYTES("{\"a\":[1,2],\"b\":3}"), "'b': expected an array of numbers, found 3", 1, 16);
    refused(BYTES("{\"a\":[1,2]} x"), "nothing after the value", 1, 13);
}
END_TEST

START_TEST(what_is_wrong_is_said_where)
{
    refused(BYTES(""), "word vectors", 1, 1);
    refused(BYTES("the\ncat\n"), "rows of a word and its numbers, found 'the'", 1, 1);
    refused(BYTES("a 1 2 3\nb 1 2\n"), "expected a word and 3 numbers, found 3 fields", 2, 1);
    refused(BYTES("a 1 2\nb 1\n"), "expected a word and 2 numbers, found 2 fields", 2, 1);
    refused(BYTES("a 1 2\nb 1 2\n\nc 1 x\n"), "expected a number, found 'x'", 4, 5);
    refused(BYTES("a 1 2\nb 1 2\nc  nan 2\n"), "expected a number, found 'nan'", 3, 4);
    refused(BYTES("a 1 2\nb 1e39 2\n"), "1e39 is too large for a float32", 2, 3);
    refused(BYTES("a 1 2\nb 1 2\n 1 2\n"), "expected a word before the 2 numbers", 3, 1);
    refused(BYTES("3 3\nthe 1 0.5\ncat -0.25 2\n"), "", 2, 1); /* case 037: the second line */
    refused(BYTES("4 2\nthe 1 0.5\ncat -0.25 2\nsat 0.125 -3\n"), "promises 4 words, the file ends after 3", 5, 1);
    refused(BYTES("99999999999 300\nab \0\0\x80?\0\0\0@"), "promises 99999999999 words", 1, 1);
    refused(BYTES("-1 5\nab \0\0\x80?\0\0\0@"), "two whole numbers", 1, 1);
    refused(BYTES("3 0\nab \0\0\x80?\0\0\0@"), "nothing to read", 1, 1);
    refused(BYTES("0 3\n"), "nothing to read", 1, 1);
    refused(BYTES("4611686018427387904 4\nab \0\0\x80?\0\0\0@"), "promises 4611686018427387904", 1, 1);
    refused(BYTES("2 4611686018427387904\nab \0\0\x80?\0\0\0@"), "promises 2 words", 1, 1);
    refused(BYTES("99999999999999999999999 2\na 1 2\n"), "two whole numbers", 1, 1);
    refused(BYTES("3\nab \0\0\x80?\0\0\0@"), "found '3'", 1, 1);
    refused(BYTES("\xba\x16\x4f\x2f\x0c\0\0\0"), "fastText model", 0, 0);
}
END_TEST

START_TEST(a_binary_file_that_ends_early)
{
    static const char data[] = "3 2\nthe \0\0\x80\x3f\0\0\0\x3f\ncat \0\0\x80\xbe\0\0\0\x40\nsat \0\0\0\x3e";
    attn_vectors vectors;
    attn_error error = {0};
    ck_assert_int_eq(take(data, sizeof data - 1, &vectors, &error), ATTN_EDATA);
    ck_assert_msg(strstr(error.message, "ends in word 3") != NULL, "%s", error.message);
    ck_assert(error.has_offset);
    ck_assert_uint_eq(error.offset, 34);
}
END_TEST

START_TEST(the_first_of_a_word_is_kept)
{
    static const char data[] = "the 1 0\ncat 0 1\nthe 9 9\nthe 8 8\ndog 2 2\ncat 3 3\n";
    attn_vectors vectors;
    attn_error error = {0};
    ck_assert_int_eq(take(data, sizeof data - 1, &vectors, &error), ATTN_OK);
    ck_assert_uint_eq(vectors.n_words, 3);
    ck_assert_uint_eq(vectors.n_duplicates, 3);
    ck_assert_str_eq(vectors.duplicate, "the");
    ck_assert(memcmp(vectors.values, (const float[]){1, 0, 0, 1, 2, 2}, 6 * sizeof(float)) == 0);
    ck_assert(attn_bytes_are(vectors.words[2], "dog"));
    attn_vectors_close(&vectors);
}
END_TEST

START_TEST(rows_beyond_the_header_are_told)
{
    attn_vectors vectors;
    attn_error error = {0};
    ck_assert_int_eq(take(BYTES("2 2\nthe 1 0.5\ncat -0.25 2\n\nsat 0.125 -3\n"), &vectors, &error), ATTN_OK);
    ck_assert_uint_eq(vectors.n_words, 2);
    ck_assert(vectors.has_more);
    attn_vectors_close(&vectors);
}
END_TEST

START_TEST(what_looks_like_vectors)
{
    ck_assert(attn_vectors_sniff(attn_bytes_of("the 0.1 0.2\ncat")));
    ck_assert(attn_vectors_sniff(attn_bytes_of("the 0.1 0.2 0.3 0.4 0.")));
    ck_assert(attn_vectors_sniff(attn_bytes_of("400000 300\nthe ")));
    ck_assert(attn_vectors_sniff(attn_bytes_of("{\"the\": [0.1")));
    ck_assert(!attn_vectors_sniff(attn_bytes_of("")));
    ck_assert(!attn_vectors_sniff(attn_bytes_of("the\ncat\n")));
    ck_assert(!attn_vectors_sniff(attn_bytes_of("{\"the\": 0, \"cat\": 1}")));
    ck_assert(!attn_vectors_sniff(attn_bytes_of("{\"W_Q\": [[1]]}")));
    ck_assert(!attn_vectors_sniff(attn_bytes_of("{\"comment\": \"[1]\", \"layers\": []}")));
    ck_assert(!attn_vectors_sniff(attn_bytes_of("[[1,2]]")));
    ck_assert(!attn_vectors_sniff(attn_bytes_of("42\n")));
}
END_TEST

/* The quick way of reading a row against the thorough one: the same rows, written in its shape and
 * not. Values from strtof. */
START_TEST(rows_of_every_shape)
{
    enum { ROWS = 300, DIM = 12 };
    static char text[200000];
    static float values[ROWS * DIM];
    static char names[ROWS][16];
    static const char *words[ROWS + 1];
    static const char *const forms[] = {"%.3f", "%.6f", "%.8f", "%.9f", "%.16f", "%.17g", "%.0f", "%.4e", "%g"};
    size_t used = 0;
    uint64_t state = 1;
    for (size_t row = 0; row < ROWS; row++) {
        const char *blank = row % 17 == 3 ? "\t" : row % 17 == 5 ? "  " : " ";
        snprintf(names[row], sizeof names[row], row % 13 == 7 ? "w %zu" : "w%zu", row);
        words[row] = names[row];
        used += (size_t)snprintf(text + used, 32, "%s", names[row]);
        for (size_t i = 0; i < DIM; i++) {
            char number[64];
            snprintf(number, sizeof number, forms[(row / 3 + (row % 3 == 0) * i) % 9],
                     ((double)(random_next64(&state) >> 33) / 4294967296.0 - 0.25) * 7);
            values[row * DIM + i] = strtof(number, NULL);
            used += (size_t)snprintf(text + used, 80, "%s%s", blank, number);
        }
        used += (size_t)snprintf(text + used, 8, "%s", row % 5 == 0 ? " \n" : row % 7 == 0 ? "\r\n" : "\n");
    }
    holds(text, used, "glove", words, DIM, values);
}
END_TEST

/* Every beginning of a file: an error or fewer rows, never a read past its end. */
static void truncated(const void *data, size_t size)
{
    for (size_t cut = 0; cut <= size; cut++) {
        attn_vectors vectors;
        attn_error error = {0};
        attn_status status = take(data, cut, &vectors, &error);
        ck_assert_int_eq(status, error.status);
        attn_vectors_close(&vectors);
    }
}

START_TEST(truncation_at_every_byte)
{
    truncated(BYTES("\xef\xbb\xbfthe 1 0.51234567 0.25\r\ncat -0.25 2 0.125\r\nsat 0.125 -3.0000001 1e3 \r\n"));
    truncated(BYTES("3 2\nthe 1 0.5\ncat -0.25 2\nsat 0.1234567890 -3 \n"));
    truncated(BYTES("3 2\nthe \0\0\x80\x3f\0\0\0\x3f\ncat \0\0\x80\xbe\0\0\0\x40\nsat "
                    "\0\0\0\x3e\0\0\x40\xc0\n"));
    truncated(BYTES("{\"comment\":\"x\",\"the\":[1,0.5],\"cat\":[-0.25,2]}"));
}
END_TEST

/* DATA as gzip packs it; *SIZE then is the packed size. */
static uint8_t *pack(const void *data, size_t *size)
{
    z_stream stream = {0};
    ck_assert_int_eq(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    const size_t room = deflateBound(&stream, (uLong)*size) + 32;
    uint8_t *out = malloc(room);
    ck_assert_ptr_nonnull(out);
    stream.next_in = (Bytef *)(uintptr_t)data;
    stream.avail_in = (uInt)*size;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    *size = room - stream.avail_out;
    deflateEnd(&stream);
    return out;
}

static void holds_packed(const void *data, size_t size, const char *format)
{
    uint8_t *packed = pack(data, &size);
    holds(packed, size, format, three_words, 2, three_rows);
    free(packed);
}

START_TEST(packed_by_gzip)
{
    holds_packed(BYTES("\xef\xbb\xbfthe 1 0.5\r\n\ncat -0.25 2\nsat 0.125 -3"), "glove");
    holds_packed(BYTES("3 2\nthe 1 0.5\ncat -0.25 2\nsat 0.125 -3 \n"), "word2vec text");
    holds_packed(BYTES("3 2\nthe \0\0\x80\x3f\0\0\0\x3f\ncat \0\0\x80\xbe\0\0\0\x40\nsat \0\0\0\x3e\0\0\x40\xc0\n"),
                 "word2vec binary");
    holds_packed(BYTES("{\"the\":[1,0.5],\"cat\":[-0.25,2],\"sat\":[0.125,-3]}"), "json");
    holds_packed(BYTES("token\tv0\tv1\nthe\t1\t0.5\ncat\t-0.25\t2\nsat\t0.125\t-3\n"), "attn");
}
END_TEST

/* What `cat a.gz b.gz` gives. */
START_TEST(packed_in_two_members)
{
    size_t first = 13, second = 22;
    uint8_t *a = pack("the 1 0.5\ncat", &first), *b = pack(" -0.25 2\nsat 0.125 -3\n", &second);
    uint8_t *both = malloc(first + second);
    ck_assert_ptr_nonnull(both);
    memcpy(both, a, first);
    memcpy(both + first, b, second);
    holds(both, first + second, "glove", three_words, 2, three_rows);
    free(both);
    free(a);
    free(b);
}
END_TEST

START_TEST(packed_and_damaged)
{
    static const char text[] = "the 1 0.5\ncat -0.25 2\nsat 0.125 -3\n";
    for (size_t cut = 1; cut < 12; cut++) {
        size_t size = sizeof text - 1;
        uint8_t *packed = pack(text, &size);
        refused(packed, size - cut, "cut short", 0, 0);
        free(packed);
    }
    size_t size = sizeof text - 1;
    uint8_t *packed = pack(text, &size);
    packed[size - 6] ^= 1; /* the checksum */
    refused(packed, size, "damaged", 0, 0);
    free(packed);
}
END_TEST

/* A gzip file in a gzip file (there is one that unpacks to itself) is nothing that looks like vectors. */
START_TEST(packed_twice)
{
    size_t size = 10;
    uint8_t *once = pack("the 1 0.5\n", &size), *twice = pack(once, &size);
    ck_assert(!attn_vectors_sniff((attn_bytes){twice, size}));
    free(once);
    free(twice);
}
END_TEST

START_TEST(packed_beyond_reason)
{
    size_t size = 40 << 20;
    char *zeros = malloc(size);
    ck_assert_ptr_nonnull(zeros);
    for (size_t i = 0; i < size; i++)
        zeros[i] = i % 4 == 3 ? '\n' : "a 0"[i % 4];
    uint8_t *packed = pack(zeros, &size);
    refused(packed, size, "hundredfold", 0, 0);
    free(zeros);
    free(packed);
}
END_TEST

/* Rows over several windows, of every format: as from the bare file. */
static void same_packed(const char *text, size_t size)
{
    attn_vectors bare, unpacked;
    attn_error error = {0};
    size_t packed_size = size;
    uint8_t *packed = pack(text, &packed_size);
    ck_assert_int_eq(take(text, size, &bare, &error), ATTN_OK);
    ck_assert_msg(take(packed, packed_size, &unpacked, &error) == ATTN_OK, "%s", error.message);
    ck_assert_uint_eq(bare.n_words, unpacked.n_words);
    ck_assert_uint_eq(bare.dim, unpacked.dim);
    for (size_t i = 0; i < bare.n_words; i++)
        ck_assert(attn_bytes_equal(bare.words[i], unpacked.words[i]));
    ck_assert(memcmp(bare.values, unpacked.values, bare.n_words * bare.dim * sizeof(float)) == 0);
    attn_vectors_close(&bare);
    attn_vectors_close(&unpacked);
    free(packed);
}

START_TEST(packed_and_longer_than_a_window)
{
    enum { ROWS = 300000, ROOM = 40 };
    char *text = malloc((size_t)ROWS * ROOM);
    size_t size = 0;
    uint32_t state = (uint32_t)_i + 1;
    ck_assert_ptr_nonnull(text);
    if (_i > 0)
        size += (size_t)sprintf(text, "%d 2\n", ROWS);
    for (int i = 0; i < ROWS; i++) {
        size += (size_t)sprintf(text + size, "w%d ", i);
        if (_i == 2) {
            for (int j = 0; j < 8; j++)
                text[size++] = (char)(random_next(&state) & 0x3f);
            text[size++] = '\n';
        } else {
            size += (size_t)sprintf(text + size, "0.%u -1.%u\n", (unsigned)(random_next(&state) % 10000000),
                                    (unsigned)(random_next(&state) % 10000000));
        }
    }
    same_packed(text, size);
    free(text);
}
END_TEST

/* attn -p embeddings, its header and all; the tab and the backslash of tokens are escaped there. */
START_TEST(attns_own_rows)
{
    static const char *const words[] = {"the", "a\tb", "\\", " ", NULL};
    static const float rows[] = {1, 0.5f, -0.25f, 2, 0.125f, -3, 7, 8};
    holds(BYTES("text\tlayer\tposition\ttoken\tv0\tv1\n0\t0\t0\tthe\t1\t0.5\n0\t0\t1\ta\\tb\t-0.25\t2\r\n"
                "1\t0\t0\t\\\\\t0.125\t-3\n1\t0\t1\t \t7\t8\n"),
          "attn", words, 2, rows);
    refused(BYTES("token\tv0\tv1\nthe\t1\n"), "expected 3 fields", 2, 0);
    refused(BYTES("token\tv0\tv1\nthe\t1\tx\n"), "'x'", 2, 7);
}
END_TEST

static attn_status take_text(void *context, attn_error *error)
{
    const char *text = context;
    attn_vectors vectors;
    attn_status status = take(text, strlen(text), &vectors, error);
    attn_vectors_close(&vectors);
    return status;
}

START_TEST(every_failed_allocation_is_said) /* but making things smaller may fail */
{
    static const char *const texts[] = {"the 1 0.5\ncat -0.25 2\nthe 1 1\n", "2 2\nthe 1 0.5\ncat -0.25 2\n",
                                        "{\"the\":[1,0.5],\"c\\u0061t\":[-0.25,2]}", "1 1\nx \1\1\1\1"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_uint_ge(memory_fail_each(take_text, (char *)texts[i], MEMORY_ONE).failures, 4);
}
END_TEST

static void listen(void *context, double fraction)
{
    double *last = context;
    ck_assert(fraction >= *last && fraction <= 1);
    *last = fraction;
}

START_TEST(loading_is_told_to_who_listens)
{
    attn_vectors vectors;
    attn_error error = {0};
    double last = 0;
    attn_file file = containers_file("it", BYTES("the 1 0.5\n"));
    ck_assert_int_eq(attn_vectors_take(&file, &vectors, listen, &last, &error), ATTN_OK);
    ck_assert(last == 1);
    attn_vectors_close(&vectors);
}
END_TEST

/* A mapped file large enough to be given back in parts while it is read. */
START_TEST(a_large_mapped_file)
{
    enum { ROWS = 400000 };
    const char *path = files_text("");
    FILE *out = fopen(path, "w");
    attn_file file;
    attn_vectors vectors;
    attn_error error = {0};
    double last = 0;
    ck_assert_ptr_nonnull(out);
    for (int i = 0; i < ROWS; i++)
        fprintf(out, "word%d %d.25 -0.%05d 0.125 7\n", i, i % 10, i % 100000);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(attn_file_open(path, NULL, &file, &error), ATTN_OK);
    ck_assert_int_eq(attn_vectors_take(&file, &vectors, listen, &last, &error), ATTN_OK);
    ck_assert_uint_eq(vectors.n_words, ROWS);
    ck_assert_uint_eq(vectors.dim, 4);
    for (size_t i = 0; i < ROWS; i++) {
        char word[32];
        snprintf(word, sizeof word, "word%zu", i);
        ck_assert(attn_bytes_are(vectors.words[i], word));
        ck_assert(vectors.values[4 * i] == (float)(i % 10) + 0.25f);
    }
    attn_vectors_close(&vectors);
}
END_TEST

/* Sizes from the files' own headers; test_glove.txt has 76 lines of 50 numbers (awk's count). */
static const struct {
    const char *name, *format, *first;
    size_t n_words, dim;
    float value;
} published[] = {
    {"w2v1000.bin", "word2vec binary", "in", 1000, 300, 0.052956f},
    {"kjv_w2v.bin", "word2vec binary", "</s>", 2334, 50, 0.00800537132f},
    {"euclidean_vectors.bin", "word2vec binary", "the", 2747, 10, 0.421453267f},
    {"test_glove.txt", "glove", "the", 76, 50, 0.418f},
    {"word2vec_pre_kv_c", "word2vec text", "the", 1750, 10, -0.561106f},
    {"EN.1-10.cbow1_wind5_hs0_neg10_size300_smpl1e-05.txt", "word2vec text", "one", 20, 300,
     -1.671300083398818970e-02f},
};

START_TEST(published_files)
{
    const char *name = files_join("data/wordvec", published[_i].name);
    testing_need(name);
    attn_vectors vectors;
    attn_file file;
    attn_error error = {0};
    ck_assert_int_eq(attn_file_open(testing_shared(name), NULL, &file, &error), ATTN_OK);
    ck_assert_msg(attn_vectors_take(&file, &vectors, NULL, NULL, &error) == ATTN_OK, "%s: %s", name, error.message);
    ck_assert_str_eq(vectors.format, published[_i].format);
    ck_assert_uint_eq(vectors.n_words, published[_i].n_words);
    ck_assert_uint_eq(vectors.dim, published[_i].dim);
    ck_assert(attn_bytes_are(vectors.words[0], published[_i].first));
    ck_assert_msg(fabsf(vectors.values[0] - published[_i].value) < 1e-8f, "%s: %.9g", name, (double)vectors.values[0]);
    attn_vectors_close(&vectors);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vectors");
    TCase *tests = tcase_create("vectors");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, glove_text);
    tcase_add_test(tests, word2vec_text);
    tcase_add_test(tests, word2vec_binary);
    tcase_add_test(tests, json_words);
    tcase_add_test(tests, what_is_wrong_is_said_where);
    tcase_add_test(tests, a_binary_file_that_ends_early);
    tcase_add_test(tests, the_first_of_a_word_is_kept);
    tcase_add_test(tests, rows_beyond_the_header_are_told);
    tcase_add_test(tests, what_looks_like_vectors);
    tcase_add_test(tests, rows_of_every_shape);
    tcase_add_test(tests, packed_by_gzip);
    tcase_add_test(tests, packed_in_two_members);
    tcase_add_test(tests, packed_and_damaged);
    tcase_add_test(tests, packed_twice);
    tcase_add_test(tests, packed_beyond_reason);
    tcase_add_loop_test(tests, packed_and_longer_than_a_window, 0, 3);
    tcase_add_test(tests, attns_own_rows);
    tcase_add_test(tests, truncation_at_every_byte);
    tcase_add_test(tests, every_failed_allocation_is_said);
    tcase_add_test(tests, loading_is_told_to_who_listens);
    tcase_add_test(tests, a_large_mapped_file);
    tcase_add_loop_test(tests, published_files, 0, sizeof published / sizeof published[0]);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
