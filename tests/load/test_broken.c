/* test_broken.c: wrong and half-downloaded models end in a message that names what is wrong; cut
 * and altered files never crash. */
#include "config.h"

#include "testing/capture.h"
#include "testing.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static const char *in_folder(const char *name)
{
    return capture_join(folder, name);
}

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "test_broken_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    static const char *const names[] = {"config.json",       "model.safetensors", "model.safetensors.index.json",
                                        "pytorch_model.bin", "model.gguf",        "vocab.txt"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(in_folder(names[i]));
    rmdir(folder);
}

static size_t read_all(const char *path, char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t n;
    ck_assert_msg(file != NULL, "%s is not there", path);
    n = fread(bytes, 1, room, file);
    fclose(file);
    return n;
}

static void write_all(const char *path, const char *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

/* A file of a family's folder into ours. */
static void copy(const char *family, const char *name)
{
    static char bytes[1 << 18];
    size_t n =
        read_all(capture_join(capture_join(testing_source("tests/model/families"), family), name), bytes, sizeof bytes);
    write_all(in_folder(name), bytes, n);
}

static attn_status open_path(const char *path, attn_model *model, char *text, size_t size)
{
    attn_model_request request = {0};
    attn_error error;
    attn_status status;
    memset(&error, 0, sizeof error);
    request.model = path;
    request.overrides = attn_overrides_none();
    status = attn_model_open(&request, model, &error);
    text[0] = '\0';
    if (status != ATTN_OK)
        attn_error_text(&error, text, size);
    return status;
}

static void must_refuse(const char *path, const char *part, const char *other)
{
    attn_model model;
    char text[2048];
    ck_assert_int_ne(open_path(path, &model, text, sizeof text), ATTN_OK);
    if (strstr(text, part) == NULL || strstr(text, other) == NULL)
        ck_abort_msg("expected '%s' and '%s' in: %s", part, other, text);
}

START_TEST(parts_of_a_directory)
{
    static const char index[] = "{\"weight_map\": {\"model.norm.weight\": \"model-00002-of-00002.safetensors\"}}";
    make_folder();
    must_refuse(folder, "config.json", folder);
    copy("llama", "config.json");
    must_refuse(folder, "model.safetensors", "neither");
    write_all(in_folder("pytorch_model.bin"), "x", 1);
    must_refuse(folder, "pytorch_model.bin", "convert");
    write_all(in_folder("model.safetensors.index.json"), index, sizeof index - 1);
    must_refuse(folder, "model-00002-of-00002.safetensors", folder);
    remove_folder();
}
END_TEST

START_TEST(config_of_another_model)
{
    make_folder();
    copy("mistral", "config.json");
    copy("llama", "model.safetensors");
    must_refuse(folder, "self_attn.q_proj.weight", "[24][16]"); /* mistral's heads are 6 wide: 4·6 rows */
    copy("gpt2", "config.json");
    must_refuse(folder, "no tensor", "wte.weight");
    copy("bert", "model.safetensors");
    must_refuse(folder, "no tensor", "wte.weight");
    remove_folder();
}
END_TEST

START_TEST(unknown_families)
{
    static const char unknown[] = "{\"model_type\": \"lama\"}", experts[] = "{\"model_type\": \"mixtral\"}",
                      none[] = "{\"hidden_size\": 4}",
                      many[] = "{\"model_type\": \"gpt2\", \"n_embd\": 16, \"n_layer\": 9999999, "
                               "\"n_head\": 4, \"n_positions\": 12, "
                               "\"vocab_size\": 24}";
    make_folder();
    copy("gpt2", "model.safetensors");
    write_all(in_folder("config.json"), unknown, sizeof unknown - 1);
    must_refuse(folder, "lama", "did you mean 'llama'");
    write_all(in_folder("config.json"), experts, sizeof experts - 1);
    must_refuse(folder, "mixtral", "experts");
    write_all(in_folder("config.json"), none, sizeof none - 1);
    must_refuse(folder, "model_type", "config.json");
    write_all(in_folder("config.json"), many, sizeof many - 1);
    must_refuse(folder, "9999999 layers", "tensors");
    remove_folder();
}
END_TEST

/* A vocabulary larger than the embeddings: a warning at once, and an error where such a token is
 * used. */
START_TEST(vocabulary_beyond_the_embeddings)
{
    attn_model model;
    attn_input input = {0};
    attn_observer observer = {0};
    attn_error error;
    char text[2048];
    const uint32_t ids[] = {24};
    FILE *file;
    int i;
    make_folder();
    copy("gpt2", "config.json");
    copy("gpt2", "model.safetensors");
    file = fopen(in_folder("vocab.txt"), "w");
    for (i = 0; i < 26; i++)
        fprintf(file, "word%c\n", 'a' + i);
    fclose(file);
    ck_assert_int_eq(open_path(folder, &model, text, sizeof text), ATTN_OK);
    ck_assert_ptr_nonnull(strstr(model.warning, "26 tokens"));
    input.ids = ids;
    input.n = 1;
    ck_assert_int_eq(attn_forward(&model, &input, &observer, NULL, &error), ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(error.message, "'wordy'"));
    ck_assert_ptr_nonnull(strstr(error.message, "24 rows"));
    attn_model_close(&model);
    remove_folder();
}
END_TEST

/* Cut anywhere: refused or, where only padding went, loaded. */
static void cut_everywhere(const char *family, const char *name, const char *path)
{
    static char bytes[1 << 18];
    attn_model model;
    char text[2048];
    size_t n, cut;
    make_folder();
    copy(family, "config.json");
    copy(family, name);
    n = read_all(in_folder(name), bytes, sizeof bytes);
    for (cut = 0; cut < n; cut += cut < 200 ? 1 : 61) {
        write_all(in_folder(name), bytes, cut);
        if (open_path(path[0] == '.' ? folder : in_folder(path), &model, text, sizeof text) == ATTN_OK)
            attn_model_close(&model);
        else
            ck_assert_str_ne(text, "");
    }
    remove_folder();
}

START_TEST(cut_files)
{
    cut_everywhere("qwen3", "model.safetensors", ".");
    cut_everywhere("qwen3", "model.gguf", "model.gguf");
    cut_everywhere("gemma3_text", "config.json", ".");
}
END_TEST

/* Bytes of the head altered one at a time: whatever becomes of it, no crash; what loads also runs.
 */
START_TEST(altered_files)
{
    static const char *const names[] = {"model.safetensors", "model.gguf", "config.json"};
    static char bytes[1 << 18];
    const char *name = names[_i];
    const uint32_t ids[] = {1, 2};
    attn_model model;
    char text[2048];
    size_t n, at;
    make_folder();
    copy("qwen3", "config.json");
    copy("qwen3", "model.safetensors");
    copy("qwen3", name);
    n = read_all(in_folder(name), bytes, sizeof bytes);
    for (at = 0; at < n && at < 1500; at++) {
        char old = bytes[at];
        bytes[at] = (char)(at % 3 == 0 ? old ^ 1 : at % 3 == 1 ? '9' : (char)0xFF);
        write_all(in_folder(name), bytes, n);
        bytes[at] = old;
        if (open_path(_i == 1 ? in_folder(name) : folder, &model, text, sizeof text) == ATTN_OK) {
            attn_input input = {0};
            attn_observer observer = {0};
            input.ids = ids;
            input.n = 2;
            attn_forward(&model, &input, &observer, NULL, NULL);
            attn_model_close(&model);
        }
    }
    remove_folder();
}
END_TEST

static Suite *broken_suite(void)
{
    Suite *suite = suite_create("broken");
    TCase *directories = tcase_create("directories"), *files = tcase_create("files");
    tcase_add_test(directories, parts_of_a_directory);
    tcase_add_test(directories, config_of_another_model);
    tcase_add_test(directories, unknown_families);
    tcase_add_test(directories, vocabulary_beyond_the_embeddings);
    tcase_set_timeout(files, 300);
    tcase_add_test(files, cut_files);
    tcase_add_loop_test(files, altered_files, 0, 3);
    suite_add_tcase(suite, directories);
    suite_add_tcase(suite, files);
    return suite;
}

int main(void)
{
    return testing_run(broken_suite());
}
