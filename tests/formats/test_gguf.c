/* test_gguf.c: GGUF files. Right values: shared/cases 061 and 062 (copied to tests/data/formats),
 * the one model that shared/data/stories260K holds in three formats, and files written here by hand
 * after GGUF's description. */
#include "config.h"

#include "testing/containers.h"

typedef struct image { /* a file under way */
    uint8_t data[4096];
    size_t size;
} image;

static void put(image *file, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        file->data[file->size++] = (uint8_t)(value >> (8 * i) & 255);
}

static void put_text(image *file, const char *text)
{
    put(file, strlen(text), 8);
    memcpy(file->data + file->size, text, strlen(text));
    file->size += strlen(text);
}

static image begin(uint32_t version, uint64_t n_tensors, uint64_t n_keys)
{
    image file = {.size = 0};
    memcpy(file.data, "GGUF", 4);
    file.size = 4;
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
    for (size_t i = 0; i < count; i++) {
        float value = (float)(i + 1);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        put(file, bits, 4);
    }
}

static void refused(const image *file, const char *word)
{
    formats_refused_bytes("x.gguf", file->data, file->size, word);
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
    formats_refused("061-gguf-hostile-sizes/arr.gguf", "array");
    formats_refused("061-gguf-hostile-sizes/ndims.gguf", "dimensions");
    formats_refused("061-gguf-hostile-sizes/ntens.gguf", "tensors");
    formats_refused("061-gguf-hostile-sizes/past.gguf", "fit");
    formats_refused("061-gguf-hostile-sizes/strlen.gguf", "bytes");
    formats_refused("061-gguf-hostile-sizes/v0.gguf", "version");
    formats_refused("061-gguf-hostile-sizes/v99.gguf", "version");
    formats_refused("061-gguf-hostile-sizes/wrap1.gguf", "large");
    formats_refused("061-gguf-hostile-sizes/wrap2.gguf", "dimension");
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
    ck_assert_int_eq(formats_open("062-gguf-q4_0-q8_0-values/q.gguf", &container, NULL), ATTN_OK);
    formats_values(&container, "q4", 1, (size_t[]){32}, q4);
    formats_values(&container, "q8", 1, (size_t[]){32}, q8);
    attn_container_close(&container);
}
END_TEST

START_TEST(metadata_of_every_kind)
{
    image file = valid();
    attn_container container;
    const attn_meta *meta;
    float numbers[3];
    ck_assert_int_eq(formats_open_bytes("x", file.data, file.size, &container, NULL), ATTN_OK);
    ck_assert_str_eq(container.format->name, "gguf");
    ck_assert_uint_eq(container.n_meta, 8);
    meta = attn_container_meta(&container, "u8");
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
    attn_tensor_to_f32(&meta->numbers, numbers);
    ck_assert(numbers[0] == 1.0f && numbers[1] == -1.0f && numbers[2] == 7.0f);
    ck_assert_ptr_null(attn_container_meta(&container, "absent"));
    formats_values(&container, "one", 1, (size_t[]){5}, (float[]){1, 2, 3, 4, 5});
    formats_values(&container, "two", 1, (size_t[]){2}, (float[]){17, 18});
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
    ck_assert_int_eq(formats_open_bytes("x", file.data, file.size, &container, NULL), ATTN_OK);
    formats_values(&container, "m", 2, (size_t[]){2, 3}, (float[]){1, 2, 3, 4, 5, 6});
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
        {16, 256, 0, "IQ2_XXS"},
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
    formats_truncate("x.gguf", file.data, file.size, false);
}
END_TEST

START_TEST(every_allocation_fails)
{
    image file = valid();
    formats_fail_allocations("x.gguf", file.data, file.size);
}
END_TEST

START_TEST(a_small_file_costs_little)
{
    static const char *const names[] = {"arr", "ndims", "ntens", "past", "strlen", "wrap1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        attn_file file;
        snprintf(name, sizeof name, "tests/data/formats/061-gguf-hostile-sizes/%s.gguf", names[i]);
        ck_assert_int_eq(attn_file_open(testing_source(name), NULL, &file, NULL), ATTN_OK);
        ck_assert_uint_lt(formats_cost("x.gguf", file.bytes.data, file.bytes.size), 8192);
        attn_file_close(&file);
    }
}
END_TEST

/* The largest difference of two tensors of one size. */
static void same_numbers(const attn_container *a, const char *name_a, const attn_container *b, const char *name_b)
{
    const attn_tensor *left = attn_container_find(a, name_a);
    const attn_tensor *right = attn_container_find(b, name_b);
    size_t count, other;
    float *x, *y;
    ck_assert_msg(left != NULL && right != NULL, "%s, %s", name_a, name_b);
    ck_assert(attn_tensor_count(left, &count) && attn_tensor_count(right, &other));
    ck_assert_uint_eq(count, other);
    x = attn_alloc_array(count, sizeof *x);
    y = attn_alloc_array(count, sizeof *y);
    attn_tensor_to_f32(left, x);
    attn_tensor_to_f32(right, y);
    ck_assert_int_eq(memcmp(x, y, count * sizeof *x), 0);
    attn_free(x);
    attn_free(y);
}

START_TEST(one_model_in_two_formats)
{
    const char *path = testing_shared("data/stories260K/stories260K.gguf");
    attn_container gguf, safetensors;
    if (path == NULL) {
        printf("SKIP: shared/data/stories260K is absent\n");
        return;
    }
    ck_assert_int_eq(attn_container_open(path, NULL, &gguf, NULL), ATTN_OK);
    path = testing_shared("data/stories260K/hf/model.safetensors");
    ck_assert_int_eq(attn_container_open(path, NULL, &safetensors, NULL), ATTN_OK);
    ck_assert_uint_eq(attn_container_meta(&gguf, "llama.context_length")->u64, 2048);
    ck_assert_uint_eq(attn_container_meta(&gguf, "tokenizer.ggml.tokens")->n_elements, 512);
    same_numbers(&gguf, "token_embd.weight", &safetensors, "model.embed_tokens.weight");
    same_numbers(&gguf, "blk.3.ffn_up.weight", &safetensors, "model.layers.3.mlp.up_proj.weight");
    attn_container_close(&gguf);
    attn_container_close(&safetensors);
}
END_TEST

START_TEST(published_vocabularies_load)
{
    static const char *const names[] = {"data/vocab/gpt2", "data/vocab/bert", "data/vocab/llama"};
    static const char *const files[] = {"ggml-vocab-gpt-2.gguf", "ggml-vocab-bert-bge.gguf",
                                        "ggml-vocab-llama-spm.gguf"};
    for (size_t i = 0; i < 3; i++) {
        char name[128];
        const char *path;
        attn_container container;
        snprintf(name, sizeof name, "%s/%s", names[i], files[i]);
        path = testing_shared(name);
        if (path == NULL) {
            printf("SKIP: %s is absent\n", name);
            continue;
        }
        ck_assert_int_eq(attn_container_open(path, NULL, &container, NULL), ATTN_OK);
        ck_assert_uint_gt(attn_container_meta(&container, "tokenizer.ggml.tokens")->n_elements, 30000);
        attn_container_close(&container);
    }
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
    tcase_add_test(tests, published_vocabularies_load);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
