/* test_gguf.c: GGUF files. Right values: shared/cases 061 and 062 (copied to tests/data/formats),
 * the one model that shared/data/stories260K holds in three formats, and files written here by hand
 * after GGUF's description. */
#include "config.h"

#include "testing.h"

#include "testing/containers.h"
#include "testing/files.h"

#include <string.h>

typedef containers_image image;

static void put(image *file, uint64_t value, size_t size)
{
    containers_put(file, value, size);
}

static void put_text(image *file, const char *text)
{
    put(file, strlen(text), 8);
    containers_put_bytes(file, text, strlen(text));
}

static image begin(uint32_t version, uint64_t n_tensors, uint64_t n_keys)
{
    image file = {.size = 0};
    containers_put_bytes(&file, "GGUF", 4);
    put(&file, version, 4);
    put(&file, n_tensors, 8);
    put(&file, n_keys, 8);
    return file;
}

static void put_key(image *file, const char *key, uint32_t type)
{
    put_text(file, key);
    put(file, type, 4);
}

static void put_tensor(image *file, const char *name, uint32_t type, uint64_t dim, uint64_t offset)
{
    put_text(file, name);
    put(file, 1, 4);
    put(file, dim, 8);
    put(file, type, 4);
    put(file, offset, 8);
}

/* Padding to a multiple of ALIGNMENT and COUNT numbers 1, 2, 3 … */
static void put_floats(image *file, size_t alignment, size_t count)
{
    while (file->size % alignment != 0)
        put(file, 0, 1);
    containers_put_floats(file, count, 1);
}

static void refused(const image *file, const char *word)
{
    containers_refused_bytes("x.gguf", file->data, file->size, word);
}

/* Keys of every type and two tensors, 64 bytes apart by alignment 64. */
static image valid(void)
{
    image file = begin(3, 2, 8);
    put_key(&file, "general.alignment", 4);
    put(&file, 64, 4);
    put_key(&file, "u8", 0);
    put(&file, 255, 1);
    put_key(&file, "i16", 3);
    put(&file, 0xfffe, 2);
    put_key(&file, "f32", 6);
    put(&file, 0x3fc00000, 4);
    put_key(&file, "bool", 7);
    put(&file, 1, 1);
    put_key(&file, "string", 8);
    put_text(&file, "Gr\xc3\xbc\xc3\x9f");
    put_key(&file, "strings", 9);
    put(&file, 8, 4);
    put(&file, 2, 8);
    put_text(&file, "a");
    put_text(&file, "");
    put_key(&file, "numbers", 9);
    put(&file, 5, 4);
    put(&file, 3, 8);
    put(&file, 1, 4);
    put(&file, 0xffffffff, 4);
    put(&file, 7, 4);
    put_tensor(&file, "one", 0, 5, 0);
    put_tensor(&file, "two", 0, 2, 64);
    put_floats(&file, 64, 18);
    return file;
}

START_TEST(hostile_sizes)
{
    containers_refused("061-gguf-hostile-sizes/arr.gguf", "array");
    containers_refused("061-gguf-hostile-sizes/ndims.gguf", "dimensions");
    containers_refused("061-gguf-hostile-sizes/ntens.gguf", "tensors");
    containers_refused("061-gguf-hostile-sizes/past.gguf", "fit");
    containers_refused("061-gguf-hostile-sizes/strlen.gguf", "bytes");
    containers_refused("061-gguf-hostile-sizes/v0.gguf", "version");
    containers_refused("061-gguf-hostile-sizes/v99.gguf", "version");
    containers_refused("061-gguf-hostile-sizes/wrap1.gguf", "large");
    containers_refused("061-gguf-hostile-sizes/wrap2.gguf", "dimension");
}
END_TEST

START_TEST(arrays_of_arrays)
{
    image file = begin(3, 0, 1);
    put_key(&file, "k", 9);
    put(&file, 9, 4);
    put(&file, 1, 8);
    put(&file, 9, 4);
    put(&file, 1, 8);
    refused(&file, "array of arrays");
}
END_TEST

START_TEST(values_of_block_types)
{
    attn_container container;
    float q4[32], q8[32];
    for (size_t i = 0; i < 16; i++) {
        q4[i] = ((float)i - 8.0f) * 0.5f;
        q4[i + 16] = (7.0f - (float)i) * 0.5f;
    }
    for (size_t i = 0; i < 32; i++)
        q8[i] = 0.25f * ((float)i - 16.0f) * 8.0f;
    ck_assert_int_eq(containers_open("062-gguf-q4_0-q8_0-values/q.gguf", &container, NULL), ATTN_OK);
    containers_values(&container, "q4", 1, (size_t[]){32}, q4);
    containers_values(&container, "q8", 1, (size_t[]){32}, q8);
    attn_container_close(&container);
}
END_TEST

START_TEST(metadata_of_every_kind)
{
    image file = valid();
    attn_container container;
    float numbers[3];
    ck_assert_int_eq(containers_open_bytes("x", file.data, file.size, &container, NULL), ATTN_OK);
    ck_assert_str_eq(container.format->name, "gguf");
    ck_assert_uint_eq(container.n_meta, 8);
    const attn_meta *meta = attn_container_meta(&container, "u8");
    ck_assert(meta->type == ATTN_META_U64 && meta->u64 == 255 && meta->f64 == 255.0);
    meta = attn_container_meta(&container, "i16");
    ck_assert(meta->type == ATTN_META_I64 && meta->i64 == -2 && meta->f64 == -2.0);
    meta = attn_container_meta(&container, "f32");
    ck_assert(meta->type == ATTN_META_F64 && meta->f64 == 1.5);
    meta = attn_container_meta(&container, "bool");
    ck_assert(meta->type == ATTN_META_BOOL && meta->boolean);
    meta = attn_container_meta(&container, "string");
    ck_assert(meta->type == ATTN_META_STRING && attn_bytes_are(meta->string, "Gr\xc3\xbc\xc3\x9f"));
    meta = attn_container_meta(&container, "strings");
    ck_assert(meta->type == ATTN_META_ARRAY && meta->element == ATTN_META_STRING);
    ck_assert(meta->n_elements == 2 && attn_bytes_are(meta->strings[0], "a") && meta->strings[1].size == 0);
    meta = attn_container_meta(&container, "numbers");
    ck_assert(meta->element == ATTN_META_I64 && meta->n_elements == 3);
    attn_tensor_to_f32(meta->numbers, numbers);
    ck_assert(numbers[0] == 1.0f && numbers[1] == -1.0f && numbers[2] == 7.0f);
    ck_assert_ptr_null(attn_container_meta(&container, "absent"));
    containers_values(&container, "one", 1, (size_t[]){5}, (float[]){1, 2, 3, 4, 5});
    containers_values(&container, "two", 1, (size_t[]){2}, (float[]){17, 18});
    attn_container_close(&container);
}
END_TEST

START_TEST(the_innermost_dimension_comes_first)
{
    image file = begin(2, 1, 0);
    attn_container container;
    put_text(&file, "m");
    put(&file, 2, 4);
    put(&file, 3, 8);
    put(&file, 2, 8);
    put(&file, 0, 4);
    put(&file, 0, 8);
    put_floats(&file, 32, 6);
    ck_assert_int_eq(containers_open_bytes("x", file.data, file.size, &container, NULL), ATTN_OK);
    containers_values(&container, "m", 2, (size_t[]){2, 3}, (float[]){1, 2, 3, 4, 5, 6});
    attn_container_close(&container);
}
END_TEST

/* A file with general.alignment of TYPE and VALUE and one tensor. */
static image with_alignment(uint32_t type, uint64_t value, size_t bytes)
{
    image file = begin(3, 1, 1);
    put_key(&file, "general.alignment", type);
    put(&file, value, bytes);
    put_tensor(&file, "t", 0, 1, 0);
    put_floats(&file, 64, 1);
    return file;
}

START_TEST(bad_alignments)
{
    image file = with_alignment(4, 0, 4);
    refused(&file, "alignment");
    file = with_alignment(4, 24, 4);
    refused(&file, "alignment");
    file = with_alignment(5, 0xffffffe0, 4);
    refused(&file, "alignment");
    file = with_alignment(10, UINT64_C(1) << 63, 8);
    refused(&file, "alignment");
    file = with_alignment(4, UINT32_C(1) << 31, 4);
    refused(&file, "fit");
    file = begin(3, 1, 0);
    put_tensor(&file, "t", 0, 1, 16);
    put_floats(&file, 32, 32);
    refused(&file, "multiple");
}
END_TEST

START_TEST(bad_tensors)
{
    static const struct {
        uint32_t type;
        uint64_t dim, offset;
        const char *word;
    } bad[] = {
        {0, 0, 0, "dimension"},
        {0, UINT64_MAX, 0, "dimension"},
        {0, UINT64_C(1) << 62, 0, "large"},
        {0, 5, 0, "fit"},
        {0, 1, 64, "fit"},
        {0, 1, UINT64_MAX - 31, "fit"},
        {0, 8, UINT64_MAX - 31, "fit"}, /* whose end wraps to 0 */
        {2, 33, 0, "blocks"},
        {9, 32, 0, "Q8_1"},
        {16, 255, 0, "blocks"},
        {16, 256, 0, "fit"},
        {4, 1, 0, "number 4"},
        {31, 1, 0, "number 31"},
        {UINT32_MAX, 1, 0, "number"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        image file = begin(3, 1, 0);
        put_tensor(&file, "t", bad[i].type, bad[i].dim, bad[i].offset);
        put_floats(&file, 32, 4);
        refused(&file, bad[i].word);
        refused(&file, "'t'");
    }
}
END_TEST

START_TEST(tensors_that_overlap)
{
    image file = begin(3, 2, 0);
    put_tensor(&file, "a", 0, 9, 0);
    put_tensor(&file, "b", 0, 1, 32);
    put_floats(&file, 32, 9);
    refused(&file, "overlap");
    file = begin(3, 2, 0);
    put_tensor(&file, "a", 0, 1, 0);
    put_tensor(&file, "a", 0, 1, 32);
    put_floats(&file, 32, 9);
    refused(&file, "two tensors 'a'");
}
END_TEST

START_TEST(bad_metadata)
{
    image file = begin(3, 0, 2);
    put_key(&file, "k", 0);
    put(&file, 1, 1);
    put_key(&file, "k", 0);
    put(&file, 1, 1);
    refused(&file, "twice");
    file = begin(3, 0, 1);
    put_key(&file, "k", 13);
    put(&file, 0, 8);
    refused(&file, "type");
    file = begin(3, 0, 1);
    put_key(&file, "k", 7);
    put(&file, 2, 1);
    refused(&file, "boolean");
    file = begin(3, 0, UINT64_MAX);
    put_key(&file, "k", 0);
    put(&file, 1, 1);
    refused(&file, "keys");
    file = begin(3, 0, 1);
    put_key(&file, "split.count", 2);
    put(&file, 3, 2);
    refused(&file, "parts");
    file = begin(0x03000000, 0, 0);
    refused(&file, "big-endian");
    file = begin(1, 0, 0);
    refused(&file, "version");
}
END_TEST

START_TEST(cut_at_every_byte)
{
    image file = valid();
    containers_truncate("x.gguf", file.data, file.size);
}
END_TEST

START_TEST(every_allocation_fails)
{
    image file = valid();
    containers_every_failure("x.gguf", file.data, file.size);
}
END_TEST

START_TEST(a_small_file_costs_little)
{
    static const char *const names[] = {"arr", "ndims", "ntens", "past", "strlen", "wrap1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *name = files_print("tests/data/formats/061-gguf-hostile-sizes/%s.gguf", names[i]);
        size_t size;
        char *data = files_read(testing_source(name), &size);
        ck_assert_uint_lt(containers_cost("x.gguf", data, size), 8192);
        free(data);
    }
}
END_TEST

START_TEST(one_model_in_two_formats)
{
    static const char *const names[][2] = {{"token_embd.weight", "model.embed_tokens.weight"},
                                           {"blk.3.ffn_up.weight", "model.layers.3.mlp.up_proj.weight"}};
    testing_need("data/stories260K");
    const char *folder = testing_shared("data/stories260K");
    attn_container gguf, safetensors;
    ck_assert_int_eq(attn_container_open(files_join(folder, "stories260K.gguf"), NULL, &gguf, NULL), ATTN_OK);
    ck_assert_int_eq(attn_container_open(files_join(folder, "hf/model.safetensors"), NULL, &safetensors, NULL),
                     ATTN_OK);
    ck_assert_uint_eq(attn_container_meta(&gguf, "llama.context_length")->u64, 2048);
    ck_assert_uint_eq(attn_container_meta(&gguf, "tokenizer.ggml.tokens")->n_elements, 512);
    for (size_t i = 0; i < 2; i++)
        containers_same(&gguf, names[i][0], &safetensors, names[i][1]);
    attn_container_close(&gguf);
    attn_container_close(&safetensors);
}
END_TEST

static const char *const vocabularies[] = {"data/vocab/gpt2/ggml-vocab-gpt-2.gguf",
                                           "data/vocab/bert/ggml-vocab-bert-bge.gguf",
                                           "data/vocab/llama/ggml-vocab-llama-spm.gguf"};

START_TEST(published_vocabularies_load)
{
    testing_need(vocabularies[_i]);
    attn_container container;
    ck_assert_int_eq(attn_container_open(testing_shared(vocabularies[_i]), NULL, &container, NULL), ATTN_OK);
    ck_assert_uint_gt(attn_container_meta(&container, "tokenizer.ggml.tokens")->n_elements, 30000);
    attn_container_close(&container);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gguf");
    TCase *tests = tcase_create("gguf");
    tcase_add_test(tests, hostile_sizes);
    tcase_add_test(tests, arrays_of_arrays);
    tcase_add_test(tests, values_of_block_types);
    tcase_add_test(tests, metadata_of_every_kind);
    tcase_add_test(tests, the_innermost_dimension_comes_first);
    tcase_add_test(tests, bad_alignments);
    tcase_add_test(tests, bad_tensors);
    tcase_add_test(tests, tensors_that_overlap);
    tcase_add_test(tests, bad_metadata);
    tcase_add_test(tests, cut_at_every_byte);
    tcase_add_test(tests, every_allocation_fails);
    tcase_add_test(tests, a_small_file_costs_little);
    tcase_add_test(tests, one_model_in_two_formats);
    tcase_add_loop_test(tests, published_vocabularies_load, 0, 3);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
