/* test_hash.c: hash tables that nobody can fill on purpose, and what is found in them whatever the secrets are. */
#include "config.h"

#include "testing.h"

#include "base/hash.h"
#include "base/map.h"

#include <string.h>

enum { BLOCKS = 12, N_CHOSEN = 1 << BLOCKS };

/* Words chosen against x ↦ (x ^ word)·K, x ^ x >> 29, whatever it begins with: the highest bit of a factor is the
 * highest of its product (2^63·K = 2^63 for an odd K), so it can be taken out again in the next word, with the bit that
 * the shift has made of it. Each block is one of two, which leave the same state behind. */
static void choose(uint8_t words[N_CHOSEN][16 * BLOCKS])
{
    for (size_t i = 0; i < N_CHOSEN; i++)
        for (size_t block = 0; block < BLOCKS; block++) {
            const uint64_t bit = UINT64_C(1) << 63;
            uint64_t pair[2] = {0x6162636465666768, 0x6162636465666768};
            if ((i >> block & 1) != 0) {
                pair[0] ^= bit;
                pair[1] ^= bit | bit >> 29;
            }
            memcpy(words[i] + 16 * block, pair, sizeof pair);
        }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Of 4096 numbers of 32 bits 0.002 pairs are equal by chance (4096² / 2 / 2³²). */
START_TEST(chosen_words_do_not_meet)
{
    static uint8_t words[N_CHOSEN][16 * BLOCKS];
    static uint64_t places[N_CHOSEN];
    choose(words);
    for (size_t i = 0; i < N_CHOSEN; i++)
        places[i] = attn_hash_bytes((attn_bytes){words[i], sizeof words[i]}) >> 32;
    qsort(places, N_CHOSEN, sizeof *places, by_value);
    size_t meetings = 0;
    for (size_t i = 1; i < N_CHOSEN; i++)
        meetings += places[i] == places[i - 1];
    ck_assert_uint_le(meetings, 2);
}
END_TEST

/* Half of the bits of a number change with a secret: 32 of 64, and 8 or more. */
START_TEST(places_are_secret)
{
    const attn_hash_secrets before = attn_hash_secret;
    const attn_bytes word = attn_bytes_of("orange");
    const uint64_t bytes = attn_hash_bytes(word), number = attn_hash_u64(12345);
    attn_hash_draw();
    ck_assert(attn_hash_secret.start != before.start && attn_hash_secret.factor != before.factor);
    ck_assert_uint_eq(attn_hash_secret.factor % 2, 1);
    ck_assert_int_ge(__builtin_popcountll(bytes ^ attn_hash_bytes(word)), 8);
    ck_assert_int_ge(__builtin_popcountll(number ^ attn_hash_u64(12345)), 8);
    attn_hash_secret.start = before.start; /* each of the two alone, too */
    ck_assert_int_ge(__builtin_popcountll(bytes ^ attn_hash_bytes(word)), 8);
    attn_hash_secret = (attn_hash_secrets){before.start + 1, before.factor};
    ck_assert_int_ge(__builtin_popcountll(bytes ^ attn_hash_bytes(word)), 8);
    attn_hash_secret = before;
}
END_TEST

/* The entries stand in the order they came, and each is found, before and after the table has grown. */
START_TEST(order_is_that_of_the_file)
{
    static char words[3000][8];
    for (int turn = 0; turn < 3; turn++) {
        attn_map map = {0};
        size_t value;
        attn_hash_draw();
        for (size_t i = 0; i < 3000; i++) {
            snprintf(words[i], sizeof words[i], "w%zu", i * 7919 % 3000);
            ck_assert_int_eq(attn_map_add(&map, attn_bytes_of(words[i]), 2 * i), ATTN_MAP_ADDED);
            ck_assert(attn_map_find(&map, attn_bytes_of(words[i / 2]), &value) && value == i / 2 * 2);
        }
        ck_assert_uint_eq(map.count, 3000);
        for (size_t i = 0; i < 3000; i++)
            ck_assert(attn_bytes_are(attn_map_key(&map.entries[i]), words[i]) && map.entries[i].value == 2 * i);
        attn_map_free(&map);
    }
}
END_TEST

/* Of equal keys the first; what is not added is not found. */
START_TEST(an_index_of_an_array)
{
    static const char *const words[] = {"pear", "", "orange", "pear", "android"};
    attn_bytes keys[5];
    attn_map map = {0};
    size_t value;
    for (size_t i = 0; i < 5; i++)
        keys[i] = attn_bytes_of(words[i]);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(attn_map_add_index(&map, keys, i), i == 3 ? ATTN_MAP_PRESENT : ATTN_MAP_ADDED);
    ck_assert_uint_eq(map.count, 3);
    ck_assert(attn_map_find(&map, attn_bytes_of("pear"), &value) && value == 0);
    ck_assert(attn_map_find(&map, attn_bytes_of("orange"), &value) && value == 2);
    ck_assert(attn_map_find(&map, attn_bytes_of(""), &value) && value == 1);
    ck_assert(!attn_map_find(&map, attn_bytes_of("android"), &value));
    ck_assert_ptr_null(map.entries);
    attn_map_free(&map);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("hash");
    TCase *tests = tcase_create("hash");
    tcase_add_test(tests, chosen_words_do_not_meet);
    tcase_add_test(tests, places_are_secret);
    tcase_add_test(tests, order_is_that_of_the_file);
    tcase_add_test(tests, an_index_of_an_array);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
