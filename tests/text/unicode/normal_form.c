/* normal_form: rewrites a text, for normal_forms.py, which knows what is right.
 *
 *   normal_form FORM ORIGINS <TEXT >NORMAL
 *
 * FORM: NFC, NFD, NFKC, NFKD, or how BERT's normal form is made: python, rust. ORIGINS: a file that gets two 32-bit
 * numbers for each byte of the normal form, where in TEXT it came from; "-": none. */
#include "config.h"

#include "base/file.h"
#include "text/unicode/bert_normal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static attn_status rewrite_as(const char *form, attn_rewrite *rewrite)
{
    static const char *const names[] = {
        [ATTN_FORM_NFC] = "NFC", [ATTN_FORM_NFD] = "NFD", [ATTN_FORM_NFKC] = "NFKC", [ATTN_FORM_NFKD] = "NFKD"};
    const attn_bert_fold fold = {.rules = strcmp(form, "rust") == 0 ? ATTN_BERT_RUST : ATTN_BERT_PYTHON,
                                 .clean_text = true,
                                 .split_cjk = true,
                                 .strip_accents = true,
                                 .lowercase = true};
    attn_codes codes = {0};
    attn_status status;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], form) == 0) {
            status = attn_form_rewrite((attn_form)i, &codes, rewrite);
            attn_codes_free(&codes);
            return status;
        }
    return attn_bert_rewrite(&fold, rewrite);
}

static bool write_origins(const char *path, const attn_normal *normal)
{
    FILE *file = fopen(path, "wb");
    bool fine = file != NULL;
    for (size_t i = 0; i < normal->text.size && fine; i++) {
        const uint32_t pair[] = {(uint32_t)normal->starts[i], (uint32_t)normal->ends[i]};
        fine = fwrite(pair, sizeof pair, 1, file) == 1;
    }
    return file != NULL && fclose(file) == 0 && fine;
}

int main(int argc, char **argv)
{
    attn_error error;
    attn_file file;
    attn_normal normal = {0};
    attn_rewrite rewrite = {.out = &normal, .error = &error};
    if (argc != 3 || attn_file_open("/dev/stdin", NULL, &file, &error) != ATTN_OK)
        return EXIT_FAILURE;
    rewrite.text = file.bytes;
    bool fine = rewrite_as(argv[1], &rewrite) == ATTN_OK;
    if (fine && rewrite.done == 0) /* nothing changed */
        fine = attn_rewrite_skip(&rewrite, file.bytes.size, file.bytes.size) == ATTN_OK;
    fine = fine && fwrite(normal.text.data, 1, normal.text.size, stdout) == normal.text.size;
    fine = fine && (strcmp(argv[2], "-") == 0 || write_origins(argv[2], &normal));
    attn_normal_free(&normal);
    attn_file_close(&file);
    return fine && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
