/* test_llama2c.c: llama2.c's .bin models. Right values: shared/data/stories260K, which holds one
 * model as .bin and .gguf with equal numbers, and files laid out here by hand after llama2.c's
 * run.c. */
#include "config.h"

#include "testing.h"

#include "testing/containers.h"
#include "testing/files.h"

#include <string.h>

enum { DIM = 4, HIDDEN = 3, LAYERS = 2, HEADS = 2, KV_HEADS = 1, VOCAB = 5, POSITIONS = 3 };
enum {
    KV_DIM = DIM / HEADS * KV_HEADS,
    BEFORE_ROTARY =
        VOCAB * DIM + LAYERS * (DIM + DIM * DIM + 2 * KV_DIM * DIM + DIM * DIM + DIM + 3 * HIDDEN * DIM) + DIM,
    ROTARY = 2 * POSITIONS * (DIM / HEADS / 2)
};

typedef containers_image image;

static void put(image *file, int32_t value)
{
    containers_put(file, (uint32_t)value, 4);
}

/* The numbers count up from 0. */
static image valid(bool own_head)
{
    const int32_t header[] = {DIM, HIDDEN, LAYERS, HEADS, KV_HEADS, own_head ? -VOCAB : VOCAB, POSITIONS};
    image file = {.size = 0};
    for (size_t i = 0; i < 7; i++)
        put(&file, header[i]);
    containers_put_floats(&file, BEFORE_ROTARY + ROTARY + (own_head ? VOCAB * DIM : 0), 0);
    return file;
}

static void first_is(const attn_container *container, const char *name, size_t n_dims, size_t rows, size_t columns,
                     float first)
{
    const attn_tensor *tensor = attn_container_find(container, name);
    float out[64];
    ck_assert_msg(tensor != NULL, "no %s", name);
    ck_assert_uint_eq(tensor->n_dims, n_dims);
    ck_assert_uint_eq(tensor->shape[0], rows);
    if (n_dims == 2)
        ck_assert_uint_eq(tensor->shape[1], columns);
    attn_tensor_to_f32(tensor, out);
    ck_assert_msg(out[0] == first, "%s begins with %g", name, (double)out[0]);
}

START_TEST(places)
{
    for (int own_head = 0; own_head < 2; own_head++) {
        image file = valid(own_head == 1);
        attn_container container;
        float at = VOCAB * DIM;
        ck_assert_int_eq(containers_open_bytes("x", file.data, file.size, &container, NULL), ATTN_OK);
        ck_assert_str_eq(container.format->name, "llama2.c");
        first_is(&container, "token_embd.weight", 2, VOCAB, DIM, 0);
        first_is(&container, "blk.1.attn_norm.weight", 1, DIM, 0, at + DIM);
        at += LAYERS * DIM;
        first_is(&container, "blk.0.attn_q.weight", 2, DIM, DIM, at);
        at += LAYERS * DIM * DIM;
        first_is(&container, "blk.1.attn_k.weight", 2, KV_DIM, DIM, at + KV_DIM * DIM);
        first_is(&container, "output_norm.weight", 1, DIM, 0, BEFORE_ROTARY - DIM);
        if (own_head == 1)
            first_is(&container, "output.weight", 2, VOCAB, DIM, BEFORE_ROTARY + ROTARY);
        else
            ck_assert_ptr_null(attn_container_find(&container, "output.weight"));
        ck_assert_uint_eq(attn_container_meta(&container, "llama.attention.head_count_kv")->u64, KV_HEADS);
        attn_container_close(&container);
    }
}
END_TEST

START_TEST(the_size_must_be_exact)
{
    image file = valid(false);
    put(&file, 0);
    containers_refused_bytes("x.bin", file.data, file.size, "no known format");
    containers_truncate("x.bin", file.data, file.size - 4);
}
END_TEST

START_TEST(hostile_numbers)
{
    static const int32_t bad[][2] = {{0, 0}, {0, INT32_MAX}, {1, -1},        {2, INT32_MAX}, {3, 3}, {4, 3},
                                     {4, 0}, {5, 0},         {5, INT32_MIN}, {6, INT32_MAX}, {2, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        image file = valid(false), number = {.size = 0};
        put(&number, bad[i][1]);
        memcpy(file.data + 4 * bad[i][0], number.data, 4);
        containers_refused_bytes("x.bin", file.data, file.size, "no known format");
    }
}
END_TEST

START_TEST(newer_kinds_are_refused_by_name)
{
    image file = {.size = 0};
    put(&file, 0x616b3432);
    put(&file, 1);
    file.size = 256;
    containers_refused_bytes("x.bin", file.data, file.size, "ak42");
}
END_TEST

START_TEST(every_allocation_fails)
{
    image file = valid(true);
    containers_every_failure("x.bin", file.data, file.size);
}
END_TEST

START_TEST(one_model_in_two_formats)
{
    static const char *const names[] = {"token_embd.weight",     "blk.3.attn_q.weight",   "blk.4.attn_v.weight",
                                        "blk.0.ffn_down.weight", "blk.2.ffn_gate.weight", "output_norm.weight"};
    testing_need("data/stories260K");
    const char *folder = testing_shared("data/stories260K");
    attn_container bin, gguf;
    ck_assert_int_eq(attn_container_open(files_join(folder, "stories260K.bin"), NULL, &bin, NULL), ATTN_OK);
    ck_assert_int_eq(attn_container_open(files_join(folder, "stories260K.gguf"), NULL, &gguf, NULL), ATTN_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        containers_same(&bin, names[i], &gguf, names[i]);
    attn_container_close(&bin);
    attn_container_close(&gguf);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("llama2c");
    TCase *tests = tcase_create("llama2c");
    tcase_add_test(tests, places);
    tcase_add_test(tests, the_size_must_be_exact);
    tcase_add_test(tests, hostile_numbers);
    tcase_add_test(tests, newer_kinds_are_refused_by_name);
    tcase_add_test(tests, every_allocation_fails);
    tcase_add_test(tests, one_model_in_two_formats);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
