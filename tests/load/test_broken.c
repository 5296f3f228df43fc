/* test_broken.c: wrong and half-downloaded models end in a message that names what is wrong; cut
 * and altered files never crash. */
#include "config.h"

#include "testing.h"

#include "testing/files.h"
#include "testing/models.h"

#include <string.h>

static const char *folder; /* this test's */

static void make_folder(void)
{
    folder = files_folder();
}

static void write_text(const char *name, const char *text)
{
    files_write(files_join(folder, name), text, strlen(text));
}

/* A file of a family's folder. */
static char *read_family(const char *family, const char *name, size_t *size)
{
    return files_read(testing_source(files_print("tests/model/families/%s/%s", family, name)), size);
}

/* … into ours. */
static void copy(const char *family, const char *name)
{
    size_t size;
    char *data = read_family(family, name, &size);
    files_write(files_join(folder, name), data, size);
    free(data);
}

static void must_refuse(const char *part, const char *other)
{
    const attn_model_request request = models_request(folder);
    const char *text = models_refusal(&request);
    if (strstr(text, part) == NULL || strstr(text, other) == NULL)
        ck_abort_msg("expected '%s' and '%s' in: %s", part, other, text);
}

START_TEST(parts_of_a_directory)
{
    must_refuse("config.json", folder);
    copy("llama", "config.json");
    must_refuse("model.safetensors", "none");
    write_text("tf_model.h5", "x");
    must_refuse("tf_model.h5", "convert");
    write_text("pytorch_model.bin", "x");
    must_refuse("pytorch_model.bin", "format");
    write_text("model.safetensors.index.json",
               "{\"weight_map\": {\"model.norm.weight\": \"model-00002-of-00002.safetensors\"}}");
    must_refuse("model-00002-of-00002.safetensors", folder);
}
END_TEST

START_TEST(config_of_another_model)
{
    copy("mistral", "config.json");
    copy("llama", "model.safetensors");
    must_refuse("self_attn.q_proj.weight", "[24][16]"); /* mistral's heads are 6 wide: 4·6 rows */
    copy("gpt2", "config.json");
    must_refuse("no tensor", "wte.weight");
    copy("bert", "model.safetensors");
    must_refuse("no tensor", "wte.weight");
}
END_TEST

START_TEST(unknown_families)
{
    copy("gpt2", "model.safetensors");
    write_text("config.json", "{\"model_type\": \"lama\"}");
    must_refuse("lama", "it knows"); /* all that there are: what is spelled alike may be quite another kind */
    must_refuse("lama", " llama,");
    write_text("config.json", "{\"model_type\": \"mixtral\"}");
    must_refuse("mixtral", "experts");
    write_text("config.json", "{\"hidden_size\": 4}");
    must_refuse("model_type", "config.json");
    write_text("config.json", "{\"model_type\": \"gpt2\", \"n_embd\": 16, \"n_layer\": 9999999, \"n_head\": 4, "
                              "\"n_positions\": 12, \"vocab_size\": 24}");
    must_refuse("9999999 layers", "tensors");
}
END_TEST

/* A vocabulary larger than the embeddings: a warning at once, and an error where such a token is
 * used. */
START_TEST(vocabulary_beyond_the_embeddings)
{
    attn_model model;
    attn_input input = {.ids = (const uint32_t[]){24}, .n = 1};
    const attn_observer observer = {0};
    attn_error error;
    char list[26 * 6 + 1] = "";
    copy("gpt2", "config.json");
    copy("gpt2", "model.safetensors");
    for (int i = 0; i < 26; i++)
        snprintf(list + 6 * i, 7, "word%c\n", 'a' + i);
    write_text("vocab.txt", list);
    models_open(&model, folder);
    ck_assert_ptr_nonnull(strstr(model.warning, "26 tokens"));
    ck_assert_int_eq(attn_forward(&model, &input, &observer, NULL, &error), ATTN_EDATA);
    ck_assert_ptr_nonnull(strstr(error.message, "'wordy'"));
    ck_assert_ptr_nonnull(strstr(error.message, "24 rows"));
    attn_model_close(&model);
}
END_TEST

/* The model at PATH runs, or there is a message. */
static void run_or_refuse(const char *path)
{
    attn_error error = {0};
    attn_status status = models_run(path, (const uint32_t[]){1, 2}, 2, &error);
    ck_assert_int_eq(status, error.status);
    ck_assert(status == ATTN_OK || error.message[0] != '\0');
}

static const struct {
    const char *family, *name;
    bool alone; /* the file is the model, not its folder */
} cut_files[] = {
    {"qwen3", "model.safetensors", false}, {"qwen3", "model.gguf", true}, {"gemma3_text", "config.json", false}};

/* Cut anywhere: refused or, where only padding went, loaded. */
START_TEST(cut_everywhere)
{
    const char *family = cut_files[_i].family, *path = files_join(folder, cut_files[_i].name);
    size_t n;
    char *data = read_family(family, cut_files[_i].name, &n);
    copy(family, "config.json");
    for (size_t cut = 0; cut < n; cut += cut < 200 ? 1 : 61) {
        files_write(path, data, cut);
        run_or_refuse(cut_files[_i].alone ? path : folder);
    }
    free(data);
}
END_TEST

/* Bytes of the head altered one at a time: whatever becomes of it, no crash; what loads also runs. */
START_TEST(altered_files)
{
    static const char *const names[] = {"model.safetensors", "model.gguf", "config.json"};
    const char *path = files_join(folder, names[_i]);
    size_t n;
    char *data = read_family("qwen3", names[_i], &n);
    copy("qwen3", "config.json");
    copy("qwen3", "model.safetensors");
    for (size_t at = 0; at < n && at < 1500; at++) {
        char old = data[at];
        data[at] = (char)(at % 3 == 0 ? old ^ 1 : at % 3 == 1 ? '9' : (char)0xFF);
        files_write(path, data, n);
        data[at] = old;
        run_or_refuse(_i == 1 ? path : folder);
    }
    free(data);
}
END_TEST

static Suite *broken_suite(void)
{
    Suite *suite = suite_create("broken");
    TCase *directories = tcase_create("directories"), *files = tcase_create("files");
    tcase_add_checked_fixture(directories, make_folder, NULL);
    tcase_add_checked_fixture(files, make_folder, NULL);
    tcase_add_test(directories, parts_of_a_directory);
    tcase_add_test(directories, config_of_another_model);
    tcase_add_test(directories, unknown_families);
    tcase_add_test(directories, vocabulary_beyond_the_embeddings);
    tcase_set_timeout(files, 300);
    tcase_add_loop_test(files, cut_everywhere, 0, 3);
    tcase_add_loop_test(files, altered_files, 0, 3);
    suite_add_tcase(suite, directories);
    suite_add_tcase(suite, files);
    return suite;
}

int main(void)
{
    return testing_run(broken_suite());
}
