/* test_torch.c: PyTorch's checkpoints. Right values: what PyTorch 1.13 itself wrote into tests/data/formats/torch
 * (formats/make_torch.py), and the same GPT-2 as safetensors; the hostile pickles are made by hand there, after Python's
 * pickletools. */
#include "config.h"

#include "testing.h"

#include "testing/containers.h"
#include "testing/files.h"
#include "testing/models.h"

#include <string.h>

static const float a[] = {0, 1, 2, 3, 4, 5};

static void open_it(const char *name, attn_container *container)
{
    attn_error error = {0};
    const char *path = files_print("torch/%s", name);
    ck_assert_msg(containers_open(path, container, &error) == ATTN_OK, "%s: %s", name, error.message);
}

START_TEST(every_type_and_view)
{
    attn_container container;
    open_it("state.pt", &container);
    ck_assert_str_eq(container.format->name, "torch");
    ck_assert_uint_eq(container.n_tensors, 13);
    containers_values(&container, "w", 2, (size_t[]){2, 3}, a);
    containers_values(&container, "turned", 2, (size_t[]){3, 2}, (float[]){0, 3, 1, 4, 2, 5});
    containers_values(&container, "parameter", 2, (size_t[]){1, 3}, a + 3);
    containers_values(&container, "half", 2, (size_t[]){2, 3}, a);
    containers_values(&container, "brain", 2, (size_t[]){2, 3}, a);
    containers_values(&container, "double", 2, (size_t[]){2, 3}, a);
    containers_values(&container, "long", 1, (size_t[]){3}, (float[]){1, -2, 3});
    containers_values(&container, "int", 1, (size_t[]){3}, (float[]){1, -2, 3});
    containers_values(&container, "byte", 1, (size_t[]){3}, (float[]){1, 2, 255});
    containers_values(&container, "bool", 1, (size_t[]){2}, (float[]){1, 0});
    containers_values(&container, "scalar", 0, NULL, (float[]){5});
    containers_values(&container, "empty", 2, (size_t[]){0, 4}, NULL);
    containers_values(&container, "repeated", 1, (size_t[]){3}, (float[]){7, 7, 7});
    attn_container_close(&container);
}
END_TEST

START_TEST(tensors_are_found_where_people_put_them)
{
    static const struct {
        const char *file, *name;
    } rows[] = {{"trainer.pt", "m.w"}, {"mixed.pt", "w"}, {"one.pt", ""},  {"protocol4.pt", "w"},
                {"tagged.pt", "w"},    {"plain.pt", "w"}, {"loop.pt", "t"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        attn_container container;
        open_it(rows[i].file, &container);
        ck_assert_uint_eq(container.n_tensors, 1);
        containers_values(&container, rows[i].name, 2, (size_t[]){2, 3}, a);
        attn_container_close(&container);
    }
}
END_TEST

/* Rows 2 to 4, columns 3 and 4 of a table of 0 to 99. */
START_TEST(a_part_of_a_storage)
{
    attn_container container;
    open_it("slice.pt", &container);
    containers_values(&container, "v", 2, (size_t[]){3, 2}, (float[]){23, 24, 33, 34, 43, 44});
    attn_container_close(&container);
}
END_TEST

static const struct {
    const char *name, *word;
} refused[] = {
    {"bare.pt", "bare pickle"},
    {"legacy.pt", "before 1.6"},
    {"module.pt", "'torch.nn.modules.linear.Linear'"},
    {"system.pt", "'os.system'"},
    {"stack-global.pt", "'builtins.eval'"},
    {"never-put.pt", "never put there"},
    {"far-memo.pt", "far beyond"},
    {"no-end.pt", "no end"},
    {"no-value.pt", "no value"},
    {"no-mark.pt", "no mark"},
    {"not-callable.pt", "can not be called"},
    {"odd.pt", "a key without a value"},
    {"opcode.pt", "operation 0x50 at byte 9"},
    {"protocol1.pt", "protocol 1"},
    {"long.pt", "more than 64 bits"},
    {"text.pt", "longer than what is left"},
    {"bomb.pt", "more than its 20077 bytes"},
    {"doubling.pt", "can mean"},
    {"nested.pt", "can mean"},
    {"beyond.pt", "beyond its storage of 6"},
    {"offset.pt", "beyond its storage of 6"},
    {"negative.pt", "no way that PyTorch writes"},
    {"strides.pt", "beyond its storage"},
    {"repeated.pt", "claims 1099511627776 numbers in a file of"},
    {"dimensions.pt", "8 dimensions"},
    {"claims.pt", "7 numbers in 24 bytes"},
    {"missing.pt", "no member 'data/1'"},
    {"kind.pt", "a storage"},
    {"deflated.pt", "compressed"},
    {"order.pt", "big-endian"},
    {"nothing.pt", "a dictionary of tensors"},
    {"number.pt", "a dictionary of tensors"},
    {"tuple.pt", "a dictionary of tensors"},
};

START_TEST(what_is_refused)
{
    containers_refused(files_print("torch/%s", refused[_i].name), refused[_i].word);
}
END_TEST

static char *read_it(const char *name, size_t *size)
{
    return files_read(testing_source(files_print("tests/data/formats/torch/%s", name)), size);
}

/* 12 times the pickle, what the archive's directory takes, and 64 KB. */
START_TEST(a_bomb_costs_little)
{
    size_t size;
    char *data = read_it("bomb.pt", &size);
    ck_assert_uint_lt(containers_cost("x.pt", data, size), 12 * size + (128 << 10));
    free(data);
    data = read_it("repeated.pt", &size);
    ck_assert_uint_lt(containers_cost("x.pt", data, size), 64 << 10);
    free(data);
}
END_TEST

START_TEST(cut_at_every_byte)
{
    static const char *const names[] = {"state.pt", "protocol4.pt", "trainer.pt"};
    size_t size;
    char *data = read_it(names[_i], &size);
    containers_truncate("x.pt", data, size);
    free(data);
}
END_TEST

/* Each byte of the pickle set to each of a few values: an error or a load, never a crash. The checksum is not looked
 * at, so that the change comes through: it is that of the changed bytes. */
START_TEST(every_byte_changed)
{
    static const uint8_t bytes[] = {0x00, 0x01, '(', '0', '2', 'R', 'Q', 'b', 't', 'u', 0x7f, 0x85, 0xff};
    size_t size;
    char *data = read_it("tagged.pt", &size);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < sizeof bytes; j++) {
            attn_container container;
            const char kept = data[i];
            data[i] = (char)bytes[j];
            if (containers_open_bytes("x.pt", data, size, &container, NULL) == ATTN_OK)
                containers_touch(&container);
            attn_container_close(&container);
            data[i] = kept;
        }
    free(data);
}
END_TEST

START_TEST(every_allocation_fails)
{
    size_t size;
    char *data = read_it("tagged.pt", &size);
    containers_every_failure("x.pt", data, size);
    free(data);
}
END_TEST

static void same_tensors(const char *path)
{
    attn_container one, other;
    attn_error error = {0};
    ck_assert_int_eq(
        attn_container_open(testing_source("tests/model/families/gpt2/model.safetensors"), NULL, &one, &error),
        ATTN_OK);
    ck_assert_msg(attn_container_open(path, NULL, &other, &error) == ATTN_OK, "%s: %s", path, error.message);
    ck_assert_uint_eq(one.n_tensors, other.n_tensors);
    for (size_t i = 0; i < one.n_tensors; i++)
        containers_same(&one, one.tensors[i].name, &other, one.tensors[i].name);
    ck_assert_str_eq(other.format->name, "torch");
    attn_container_close(&one);
    attn_container_close(&other);
}

START_TEST(a_model_is_the_same_in_each_format)
{
    same_tensors(testing_source("tests/data/formats/torch/pytorch_model.bin"));
    same_tensors(testing_source("tests/data/formats/torch/pytorch_model.bin.index.json"));
}
END_TEST

static void copy(const char *from, const char *name, const char *folder)
{
    size_t size;
    char *data = files_read(testing_source(files_print("%s/%s", from, name)), &size);
    files_write(files_join(folder, name), data, size);
    free(data);
}

/* A directory that has nothing else; or the shards alone. */
START_TEST(a_directory_of_it)
{
    static const char *const names[2][4] = {
        {"pytorch_model.bin", NULL},
        {"pytorch_model.bin.index.json", "pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin", NULL}};
    const char *folder = files_folder();
    attn_model model;
    attn_error error = {0};
    copy("tests/model/families/gpt2", "config.json", folder);
    for (size_t i = 0; names[_i][i] != NULL; i++)
        copy("tests/data/formats/torch", names[_i][i], folder);
    const attn_model_request request = models_request(folder);
    ck_assert_msg(attn_model_open(&request, &model, &error) == ATTN_OK, "%s", error.message);
    ck_assert_str_eq(model.format, "torch");
    attn_model_close(&model);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("torch");
    TCase *tests = tcase_create("torch");
    tcase_add_test(tests, every_type_and_view);
    tcase_add_test(tests, tensors_are_found_where_people_put_them);
    tcase_add_test(tests, a_part_of_a_storage);
    tcase_add_loop_test(tests, what_is_refused, 0, sizeof refused / sizeof *refused);
    tcase_add_test(tests, a_bomb_costs_little);
    tcase_add_loop_test(tests, cut_at_every_byte, 0, 3);
    tcase_add_test(tests, every_byte_changed);
    tcase_add_test(tests, every_allocation_fails);
    tcase_add_test(tests, a_model_is_the_same_in_each_format);
    tcase_add_loop_test(tests, a_directory_of_it, 0, 2);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
