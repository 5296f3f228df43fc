/* test_safetensors.c: safetensors files and their shards. Right values: shared/cases 045, 046, 048,
 * 051, 053 (copied to tests/data/formats) and files written here by hand after the format's own
 * description. */
#include "config.h"

#include "testing.h"

#include "testing/containers.h"
#include "testing/files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define ST "x.safetensors"

/* A file with HEADER and as many zero bytes as N_DATA; returns its size. */
static size_t build(uint8_t *file, const char *header, size_t n_data)
{
    size_t length = strlen(header);
    for (size_t i = 0; i < 8; i++)
        file[i] = (uint8_t)(length >> (8 * i) & 255);
    memcpy(file + 8, header, length);
    memset(file + 8 + length, 0, n_data);
    return 8 + length + n_data;
}

static void refused(const char *header, size_t n_data, const char *word)
{
    uint8_t file[1024];
    containers_refused_bytes(ST, file, build(file, header, n_data), word);
}

static void accepted(const char *header, size_t n_data)
{
    uint8_t file[1024];
    attn_container container;
    attn_error error = {0};
    size_t size = build(file, header, n_data);
    ck_assert_msg(containers_open_bytes(ST, file, size, &container, &error) == ATTN_OK, "%s: %s", header,
                  error.message);
    containers_touch(&container);
    attn_container_close(&container);
}

/* A file of nothing but empty tensors: they are there, and have no numbers. */
START_TEST(empty_tensors_alone)
{
    uint8_t file[256];
    const char *header = "{\"a\":{\"dtype\":\"F32\",\"shape\":[0,4],\"data_offsets\":[0,0]}}";
    attn_container container;
    attn_error error;
    ck_assert_int_eq(containers_open_bytes(ST, file, build(file, header, 0), &container, &error), ATTN_OK);
    const attn_tensor *a = attn_container_find(&container, "a");
    ck_assert(a != NULL && a->data != NULL && attn_tensor_is_empty(a) && a->shape[1] == 4);
    attn_container_close(&container);
}
END_TEST

START_TEST(hostile_header_lengths)
{
    containers_refused("045-st-hostile-header-length/max.safetensors", "header");
    containers_refused("045-st-hostile-header-length/half.safetensors", "header");
    containers_refused("045-st-hostile-header-length/tb.safetensors", "header");
    containers_refused("045-st-hostile-header-length/past.safetensors", "header");
    containers_refused("045-st-hostile-header-length/zero.safetensors", "header");
    containers_refused("045-st-hostile-header-length/short.safetensors", "header");
    containers_refused("045-st-hostile-header-length/array.safetensors", "header");
    containers_refused("045-st-hostile-header-length/notjson.safetensors", "header");
}
END_TEST

START_TEST(shapes_and_offsets_that_disagree)
{
    containers_refused("046-st-shape-offset-mismatch/big.safetensors", "'a'");
    containers_refused("046-st-shape-offset-mismatch/small.safetensors", "'a'");
    containers_refused("046-st-shape-offset-mismatch/swap.safetensors", "'a'");
    containers_refused("046-st-shape-offset-mismatch/one.safetensors", "'a'");
    containers_refused("046-st-shape-offset-mismatch/neg.safetensors", "'a'");
    containers_refused("046-st-shape-offset-mismatch/ovf.safetensors", "'a'");
    containers_refused("046-st-shape-offset-mismatch/dtype.safetensors", "F37");
}
END_TEST

START_TEST(files_cut_short)
{
    containers_refused("048-st-truncated-shard/cut3.safetensors", "'b'");
    containers_refused("048-st-truncated-shard/cut8.safetensors", "'b'");
}
END_TEST

START_TEST(values)
{
    attn_container container;
    ck_assert_int_eq(containers_open("048-st-truncated-shard/ok.safetensors", &container, NULL), ATTN_OK);
    ck_assert_str_eq(container.format->name, "safetensors");
    ck_assert_uint_eq(container.n_tensors, 2);
    ck_assert_str_eq(container.tensors[1].name, "b");
    containers_values(&container, "a", 2, (size_t[]){2, 2}, (float[]){1, 2, 3, 4});
    containers_values(&container, "b", 1, (size_t[]){2}, (float[]){5, 6});
    ck_assert_ptr_null(attn_container_find(&container, "c"));
    attn_container_close(&container);
}
END_TEST

START_TEST(metadata_is_no_tensor)
{
    static const char *const names[] = {"051-st-metadata-odd/empty.safetensors", "051-st-metadata-odd/odd.safetensors"};
    for (size_t i = 0; i < 2; i++) {
        attn_container container;
        ck_assert_int_eq(containers_open(names[i], &container, NULL), ATTN_OK);
        ck_assert_uint_eq(container.n_tensors, 1);
        containers_values(&container, "a", 2, (size_t[]){2, 2}, (float[]){1, 2, 3, 4});
        attn_container_close(&container);
    }
    refused("{\"__metadata__\":{\"a\":1}}", 0, "string");
    refused("{\"__metadata__\":[]}", 0, "object");
}
END_TEST

#define F32(name, shape, begin, end)                                                                                   \
    "\"" name "\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]}"

START_TEST(layouts)
{
    accepted("{" F32("a", "[2]", "0", "8") "," F32("b", "[1]", "8", "12") "}", 12);
    accepted("{" F32("b", "[1]", "8", "12") "," F32("a", "[2]", "0", "8") "}  \n", 12);
    accepted("{" F32("a", "[]", "0", "4") "," F32("e", "[0,5]", "4", "4") "}", 4);
    accepted("{}", 0);
    refused("{" F32("a", "[2]", "0", "8") "," F32("b", "[1]", "4", "8") "}", 8, "overlap");
    refused("{" F32("a", "[2]", "0", "8") "," F32("b", "[2]", "0", "8") "}", 8, "overlap");
    refused("{" F32("a", "[1]", "0", "4") "," F32("b", "[1]", "8", "12") "}", 12, "'b'");
    refused("{" F32("a", "[1]", "4", "8") "}", 8, "'a'");
    refused("{" F32("a", "[1]", "0", "4") "}", 5, "1 bytes at the end");
    refused("{}", 1, "1 bytes at the end");
    refused("{" F32("a", "[1]", "0", "4") "," F32("a", "[1]", "4", "8") "}", 8, "a");
    refused("{" F32("a\\u0000b", "[1]", "0", "4") "}", 4, "NUL");
    refused("{" F32("a", "[1]", "0", "18446744073709551615") "}", 4, "'a'");
    refused("{" F32("a", "[18446744073709551616]", "0", "4") "}", 4, "'a'");
    refused("{" F32("a", "[1,1,1,1,1,1,1,1,1]", "0", "4") "}", 4, "dimensions");
    refused("{" F32("a", "[1.0]", "0", "4") "}", 4, "'a'");
    refused("{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "dtype");
    refused("{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "shape");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "data_offsets");
    refused("{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4, "F8_E4M3");
    refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,4]}}", 4, "'a'");
    refused("{\"a\":3}", 0, "'a'");
    refused("{\"a\":{}} {}", 0, "'a'");
    refused("{} x", 0, "");
    refused("{\"a\":", 0, "");
}
END_TEST

START_TEST(every_type)
{
    static const struct {
        const char *name;
        attn_dtype dtype;
    } types[] = {{"F64", ATTN_F64}, {"F32", ATTN_F32}, {"F16", ATTN_F16},  {"BF16", ATTN_BF16}, {"I64", ATTN_I64},
                 {"I32", ATTN_I32}, {"I16", ATTN_I16}, {"I8", ATTN_I8},    {"U64", ATTN_U64},   {"U32", ATTN_U32},
                 {"U16", ATTN_U16}, {"U8", ATTN_U8},   {"BOOL", ATTN_BOOL}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        uint8_t file[256];
        char header[128];
        attn_container container;
        size_t bytes = 3 * attn_dtype_of(types[i].dtype)->block_bytes;
        snprintf(header, sizeof header, "{\"t\":{\"dtype\":\"%s\",\"shape\":[3,1],\"data_offsets\":[0,%zu]}}",
                 types[i].name, bytes);
        ck_assert_int_eq(containers_open_bytes("noname", file, build(file, header, bytes), &container, NULL), ATTN_OK);
        ck_assert_int_eq(container.tensors[0].tensor.dtype, types[i].dtype);
        containers_touch(&container);
        attn_container_close(&container);
    }
}
END_TEST

START_TEST(the_index_decides)
{
    attn_container container;
    ck_assert_int_eq(containers_open("053-st-index-missing-shard/stray/model.safetensors.index.json", &container, NULL),
                     ATTN_OK);
    ck_assert_str_eq(container.format->name, "safetensors");
    containers_values(&container, "a", 2, (size_t[]){2, 2}, (float[]){1, 2, 3, 4});
    ck_assert_ptr_nonnull(strstr(container.tensors[0].file, "model-00001-of-00001.safetensors"));
    attn_container_close(&container);
    containers_refused("053-st-index-missing-shard/dup/model.safetensors.index.json", "a");
}
END_TEST

START_TEST(a_tensor_comes_from_its_own_shard)
{
    attn_container container;
    attn_error error = {0};
    ck_assert_msg(containers_open("shards/model.safetensors.index.json", &container, &error) == ATTN_OK, "%s",
                  error.message);
    ck_assert_uint_eq(container.n_tensors, 3);
    containers_values(&container, "a", 1, (size_t[]){1}, (float[]){3});
    containers_values(&container, "b", 1, (size_t[]){1}, (float[]){2});
    containers_values(&container, "c", 1, (size_t[]){1}, (float[]){4});
    attn_container_close(&container);
}
END_TEST

START_TEST(a_missing_shard_is_named)
{
    attn_container container;
    attn_error error;
    ck_assert_int_eq(
        containers_open("053-st-index-missing-shard/missing/model.safetensors.index.json", &container, &error),
        ATTN_EIO);
    ck_assert_ptr_nonnull(strstr(error.file, "model-00002-of-00002.safetensors"));
}
END_TEST

START_TEST(bad_indices)
{
    static const char *const bad[][2] = {
        {"{\"weight_map\":{\"a\":\"../x.safetensors\"}}", "beside"},
        {"{\"weight_map\":{\"a\":\"/etc/passwd\"}}", "beside"},
        {"{\"weight_map\":{\"a\":\"\"}}", "beside"},
        {"{\"weight_map\":{\"a\":\"..\"}}", "beside"},
        {"{\"weight_map\":{\"a\":\"x\\u0000y\"}}", "NUL"},
        {"{\"weight_map\":{\"a\":1}}", "string"},
        {"{\"weight_map\":[]}", "object"},
        {"{\"weight_map\":{}", ""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        containers_refused_bytes("m.index.json", bad[i][0], strlen(bad[i][0]), bad[i][1]);
}
END_TEST

START_TEST(a_tensor_must_be_where_the_index_says)
{
    static const char text[] = "{\"weight_map\":{\"a\":\"ok.safetensors\",\"x\":\"ok.safetensors\"}}";
    attn_container container;
    attn_error error;
    const char *path = testing_source("tests/data/formats/048-st-truncated-shard/m.index.json");
    ck_assert_int_eq(containers_open_bytes(path, text, sizeof text - 1, &container, &error), ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(error.message, "'x'"));
}
END_TEST

static size_t valid(uint8_t *file)
{
    return build(
        file, "{\"__metadata__\":{\"format\":\"pt\"}," F32("a", "[2,2]", "0", "16") "," F32("b", "[3]", "16", "28") "}",
        28);
}

START_TEST(cut_at_every_byte)
{
    uint8_t file[512];
    containers_truncate(ST, file, valid(file));
}
END_TEST

START_TEST(every_allocation_fails)
{
    uint8_t file[512];
    containers_every_failure(ST, file, valid(file));
}
END_TEST

START_TEST(a_small_file_costs_little)
{
    uint8_t file[128];
    size_t size = build(file, "{\"a\":{\"dtype\":\"F32\",\"shape\":[1000000]", 0);
    ck_assert_uint_lt(containers_cost(ST, file, size), 16384);
    size = build(file, "{" F32("a", "[0]", "0", "0") "}", 0);
    ck_assert_uint_lt(containers_cost(ST, file, size), 16384);
}
END_TEST

START_TEST(a_missing_tensor_hints)
{
    uint8_t file[512];
    attn_container container;
    attn_error error;
    size_t size = build(file,
                        "{" F32("w_q", "[0]", "0", "0") "," F32("wk", "[0]", "0", "0") "," F32(
                            "something.else", "[0]", "0", "0") "," F32("wv", "[0]", "0", "0") "}",
                        0);
    ck_assert_int_eq(containers_open_bytes(ST, file, size, &container, NULL), ATTN_OK);
    ck_assert_int_eq(attn_container_missing(&container, "wq", &error), ATTN_EDATA);
    ck_assert_str_eq(error.message, "there is no tensor 'wq'");
    ck_assert_str_eq(error.hint, "there is, for instance, 'w_q', 'wk', 'wv'");
    ck_assert_str_eq(error.file, ST);
    attn_container_close(&container);
}
END_TEST

/* Opens PATH ("-" or a FIFO) while a child process writes the file NAME into it, by FD when that is
 * not negative. */
static void from_a_pipe(const char *name, const char *path, int fd)
{
    attn_container container, direct;
    ck_assert_int_eq(containers_open(name, &direct, NULL), ATTN_OK);
    pid_t child = fork();
    if (child == 0) {
        attn_bytes file = direct.files[0].bytes;
        int out = fd >= 0 ? fd : open(path, O_WRONLY);
        _exit(write(out, file.data, file.size) == (ssize_t)file.size ? 0 : 1);
    }
    if (fd >= 0)
        close(fd);
    ck_assert_int_eq(attn_container_open(path, NULL, &container, NULL), ATTN_OK);
    ck_assert_str_eq(container.format->name, direct.format->name);
    ck_assert_uint_eq(container.n_tensors, direct.n_tensors);
    containers_touch(&container);
    attn_container_close(&container);
    attn_container_close(&direct);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
}

START_TEST(pipes)
{
    static const char *const names[] = {"048-st-truncated-shard/ok.safetensors", "054-npy-fortran-order/f.npy",
                                        "npz/compressed.npz", "062-gguf-q4_0-q8_0-values/q.gguf"};
    const char *path = files_join(files_folder(), "fifo");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int fds[2];
        from_a_pipe(names[i], path, -1);
        ck_assert_int_eq(pipe(fds), 0);
        ck_assert_int_eq(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
        close(fds[0]);
        from_a_pipe(names[i], "-", fds[1]);
    }
}
END_TEST

START_TEST(what_is_no_container)
{
    containers_refused_bytes("x", "", 0, "empty");
    containers_refused_bytes("x", "hello", 5, "safetensors");
    ck_assert_ptr_null(attn_format_of(attn_bytes_of("hello")));
    ck_assert_str_eq(attn_format_of(attn_bytes_of(" {\"W_Q\": [[1]]}"))->name, "json");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("safetensors");
    TCase *tests = tcase_create("safetensors");
    tcase_add_test(tests, empty_tensors_alone);
    tcase_add_test(tests, hostile_header_lengths);
    tcase_add_test(tests, shapes_and_offsets_that_disagree);
    tcase_add_test(tests, files_cut_short);
    tcase_add_test(tests, values);
    tcase_add_test(tests, metadata_is_no_tensor);
    tcase_add_test(tests, layouts);
    tcase_add_test(tests, every_type);
    tcase_add_test(tests, the_index_decides);
    tcase_add_test(tests, a_tensor_comes_from_its_own_shard);
    tcase_add_test(tests, a_missing_shard_is_named);
    tcase_add_test(tests, bad_indices);
    tcase_add_test(tests, a_tensor_must_be_where_the_index_says);
    tcase_add_test(tests, cut_at_every_byte);
    tcase_add_test(tests, every_allocation_fails);
    tcase_add_test(tests, a_small_file_costs_little);
    tcase_add_test(tests, a_missing_tensor_hints);
    tcase_add_test(tests, pipes);
    tcase_add_test(tests, what_is_no_container);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
