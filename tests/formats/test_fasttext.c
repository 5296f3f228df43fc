/* test_fasttext.c: fastText's models. Right values: what fastText 0.9.2 prints of the words of tests/data/formats/fasttext
 * (tiny.txt, five digits; formats/fasttext.sh trained the model). */
#include "config.h"

#include "testing.h"

#include "formats/vectors.h"
#include "testing/containers.h"
#include "testing/files.h"
#include "testing/memory.h"

#include <math.h>
#include <string.h>

enum { DIM = 3, SETTINGS = 8, DICTIONARY = 64 };

static char *model;
static size_t model_size;

static void load(void)
{
    model = files_read(testing_source("tests/data/formats/fasttext/tiny.bin"), &model_size);
}

static void unload(void)
{
    free(model);
}

static attn_status take(const void *data, size_t size, attn_vectors *vectors, attn_error *error)
{
    attn_file file = containers_file("it", data, size);
    return attn_vectors_take(&file, vectors, NULL, NULL, error);
}

START_TEST(vectors_as_fasttext_prints_them)
{
    attn_vectors vectors;
    attn_error error = {0};
    char word[64];
    float theirs[DIM], ours[DIM];
    int n = 0;
    FILE *file = fopen(testing_source("tests/data/formats/fasttext/tiny.txt"), "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_msg(take(model, model_size, &vectors, &error) == ATTN_OK, "%s", error.message);
    ck_assert_str_eq(vectors.format, "fasttext");
    ck_assert_uint_eq(vectors.dim, DIM);
    for (; fscanf(file, "%63s %f %f %f", word, &theirs[0], &theirs[1], &theirs[2]) == 4; n++) {
        ck_assert(attn_vectors_knows(&vectors, attn_bytes_of(word)));
        ck_assert(attn_vectors_compose(&vectors, attn_bytes_of(word), ours));
        for (size_t i = 0; i < DIM; i++)
            ck_assert_msg(fabsf(ours[i] - theirs[i]) <= 6e-5f * fabsf(theirs[i]), "%s: %g, not %g", word,
                          (double)ours[i], (double)theirs[i]);
        for (size_t w = 0; w < vectors.n_words; w++)
            if (attn_bytes_are(vectors.words[w], word))
                ck_assert(memcmp(vectors.values + w * DIM, ours, sizeof ours) == 0);
    }
    ck_assert_int_eq(n, 11);
    fclose(file);
    attn_vectors_close(&vectors);
}
END_TEST

/* "<" and ">" alone are an n-gram of two, but of no word. */
START_TEST(a_word_without_ngrams_is_not_known)
{
    attn_vectors vectors;
    float row[DIM] = {1, 1, 1};
    model[SETTINGS + 9 * 4] = 4; /* the least characters of an n-gram */
    ck_assert_int_eq(take(model, model_size, &vectors, NULL), ATTN_OK);
    ck_assert(!attn_vectors_knows(&vectors, attn_bytes_of("z")));
    ck_assert(!attn_vectors_compose(&vectors, attn_bytes_of("z"), row));
    ck_assert(row[0] == 0 && row[2] == 0);
    ck_assert(attn_vectors_knows(&vectors, attn_bytes_of("zq")));
    attn_vectors_close(&vectors);
}
END_TEST

static void put_u32(size_t at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        model[at + i] = (char)(value >> 8 * i);
}

/* A setting, or a count of the dictionary, that is another; the word of the message. */
static const struct {
    size_t at;
    uint32_t value;
    const char *word;
} changes[] = {
    {4, 13, "version 13"},
    {SETTINGS, 4, "number or width"},                /* dim */
    {SETTINGS + 8 * 4, 0, "number or width"},        /* buckets */
    {SETTINGS + 8 * 4, 21, "number or width"},       /* more than there are rows */
    {SETTINGS + 10 * 4, 0x7fffffff, "far too long"}, /* characters of an n-gram */
    {DICTIONARY, 0x7fffffff, "counts"},
    {DICTIONARY + 4, 0, "counts"},
    {DICTIONARY + 20, 1, "quantized"}, /* pruned entries */
};

START_TEST(what_is_refused)
{
    attn_vectors vectors;
    attn_error error = {0};
    put_u32(changes[_i].at, changes[_i].value);
    if (changes[_i].at == DICTIONARY + 20)
        put_u32(changes[_i].at + 4, 0);
    ck_assert_int_ne(take(model, model_size, &vectors, &error), ATTN_OK);
    ck_assert_msg(strstr(error.message, changes[_i].word) != NULL, "no '%s' in: %s", changes[_i].word, error.message);
}
END_TEST

/* What lies behind the rows is the output's, which attn has no use for. */
START_TEST(cut_at_every_byte)
{
    attn_vectors vectors;
    size_t loads = 0;
    for (size_t size = 4; size < model_size; size++) {
        attn_error error = {0};
        if (take(model, size, &vectors, &error) == ATTN_OK)
            loads++;
        else
            ck_assert_msg(error.message[0] != '\0', "no message at %zu", size);
        attn_vectors_close(&vectors);
    }
    ck_assert_uint_lt(loads, model_size / 2);
}
END_TEST

START_TEST(every_byte_changed)
{
    static const uint8_t bytes[] = {0x00, 0x01, 0x7f, 0xff};
    for (size_t i = 4; i < model_size; i++)
        for (size_t j = 0; j < sizeof bytes; j++) {
            attn_vectors vectors;
            float row[4096];
            const char kept = model[i];
            model[i] = (char)bytes[j];
            if (take(model, model_size, &vectors, NULL) == ATTN_OK && vectors.dim <= 4096)
                attn_vectors_compose(&vectors, attn_bytes_of("zq"), row);
            attn_vectors_close(&vectors);
            model[i] = kept;
        }
}
END_TEST

static attn_status take_model(void *context, attn_error *error)
{
    attn_vectors vectors;
    attn_status status = take(model, model_size, &vectors, error);
    (void)context;
    attn_vectors_close(&vectors);
    return status;
}

START_TEST(every_failed_allocation_is_said)
{
    ck_assert_uint_ge(memory_fail_each(take_model, NULL, MEMORY_ONE).failures, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fasttext");
    TCase *tests = tcase_create("fasttext");
    tcase_add_checked_fixture(tests, load, unload);
    tcase_add_test(tests, vectors_as_fasttext_prints_them);
    tcase_add_test(tests, a_word_without_ngrams_is_not_known);
    tcase_add_loop_test(tests, what_is_refused, 0, sizeof changes / sizeof *changes);
    tcase_add_test(tests, cut_at_every_byte);
    tcase_add_test(tests, every_byte_changed);
    tcase_add_test(tests, every_failed_allocation_is_said);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
