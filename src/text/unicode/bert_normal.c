/* bert_normal.c: see bert_normal.h. Used by wordpiece.c and normalize.c. Unicode's tables are utf8proc's.
 *
 * There are two sets of rules, and a vocabulary is read by that of the program its file is for (spec.h): Python's,
 * class BasicTokenizer of Google's BERT and of transformers, which reads vocab.txt; and that of the Rust library
 * tokenizers (normalizers/bert.rs), which reads tokenizer.json, and after it of llama.cpp (llm_tokenizer_wpm), which
 * reads GGUF. They differ in three places:
 *
 *   ideographs   Rust's ranges leave U+2B820 … U+2B91F out (a slip of the pen for Python's, which llama.cpp follows
 *                knowingly)
 *   lower case   Python's str.lower() looks at the whole word: Σ at its end is ς. Rust's and llama.cpp's go character
 *                by character: Σ is σ
 *   clean-up     Google's drops the general categories Cc and Cf, Rust's Cc, Cf and private use, transformers' all of
 *                C, with it what the Unicode it was built with had not assigned. attn does as Rust's for both
 */
#include "config.h"

#include "text/unicode/bert_normal.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/unicode/unicode.h"

#include <utf8proc.h>

enum {
    CAPITAL_SIGMA = 0x3A3,
    SMALL_SIGMA = 0x3C3,
    FINAL_SIGMA = 0x3C2,
    DOTTED_I = 0x130,
    DOT_ABOVE = 0x307,
    REPLACEMENT = 0xFFFD,
    CHUNK = 16 * 1024 /* bytes that are folded at once, and then up to the next blank: nothing is joined over it */
};

static bool is_dropped(int32_t code)
{
    utf8proc_category_t category;
    if (code == '\t' || code == '\n' || code == '\r')
        return false;
    if (code < 0x7F || attn_char_is_east_asian(code))
        return code >= 0 && code < 0x20;
    category = utf8proc_category(code);
    return code == REPLACEMENT || category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
           category == UTF8PROC_CATEGORY_CO;
}

static bool is_ideograph(attn_bert_rules rules, int32_t code)
{
    static const int32_t ranges[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
                                        {0x2B740, 0x2B81F}, {0x2B820, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
    if (rules == ATTN_BERT_RUST && code >= 0x2B820 && code <= 0x2B91F)
        return false;
    for (size_t i = 0; code >= 0x3400 && i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

static bool collect_code(const attn_bert_fold *fold, int32_t code, size_t start, size_t end, attn_codes *codes)
{
    if (code == DOTTED_I && fold->lowercase) /* the only character whose lower case is two */
        return attn_codes_add(codes, 'i', start, end) &&
               (fold->strip_accents || attn_codes_add(codes, DOT_ABOVE, start, end));
    return fold->strip_accents ? attn_codes_decompose(codes, code, false, start, end)
                               : attn_codes_add(codes, code, start, end);
}

/* The characters START … END of TEXT, cleaned, ideographs set apart, decomposed where accents go. */
static bool collect(const attn_bert_fold *fold, attn_bytes text, size_t start, size_t end, attn_codes *codes)
{
    size_t length;
    bool fine = true;
    for (size_t at = start; at < end && fine; at += length) {
        int32_t code = attn_utf8_decode(text, at, &length);
        if (code < 0 && fold->replace)
            code = REPLACEMENT;
        if (fold->clean_text && is_dropped(code))
            continue;
        if (fold->clean_text && attn_char_is_space(code))
            code = ' ';
        if (fold->split_cjk && is_ideograph(fold->rules, code))
            fine = attn_codes_add(codes, ' ', at, at + length) && collect_code(fold, code, at, at + length, codes) &&
                   attn_codes_add(codes, ' ', at, at + length);
        else
            fine = collect_code(fold, code, at, at + length, codes);
    }
    return fine;
}

/* Takes nonspacing marks out; the character before one then covers its bytes too. */
static void strip_marks(attn_codes *codes)
{
    size_t kept = 0;
    for (size_t i = 0; i < codes->count; i++) {
        const attn_code from = codes->items[i];
        if (from.code >= 0x300 && !attn_char_is_east_asian(from.code) &&
            utf8proc_category(from.code) == UTF8PROC_CATEGORY_MN) {
            if (kept > 0 && codes->items[kept - 1].code != ' ' && from.end > codes->items[kept - 1].end)
                codes->items[kept - 1].end = from.end;
            continue;
        }
        codes->items[kept++] = from;
    }
    codes->count = kept;
}

/* ---- lower case ---- */

/* Unicode's Cased and Case_Ignorable, for the final sigma (Unicode 3.13, table 3-17). */
static bool is_cased(int32_t code)
{
    utf8proc_category_t category = utf8proc_category(code);
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL || category == UTF8PROC_CATEGORY_LT ||
           utf8proc_tolower(code) != code || utf8proc_toupper(code) != code;
}

static bool is_case_ignorable(int32_t code)
{
    switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
        return true;
    default:
        return code == '\'' || code == '.' || code == ':' || code == 0xB7 || code == 0x387 || code == 0x55F ||
               code == 0x5F4 || code == 0x2018 || code == 0x2019 || code == 0x2024 || code == 0x2027 ||
               code == 0xFE13 || code == 0xFE52 || code == 0xFE55 || code == 0xFF07 || code == 0xFF0E || code == 0xFF1A;
    }
}

/* A sigma after a cased letter and not before one is final. */
static bool is_final(const attn_codes *codes, size_t at)
{
    size_t before = at;
    size_t after = at + 1;
    while (before > 0 && is_case_ignorable(codes->items[before - 1].code))
        before--;
    if (before == 0 || !is_cased(codes->items[before - 1].code))
        return false;
    while (after < codes->count && is_case_ignorable(codes->items[after].code))
        after++;
    return after == codes->count || !is_cased(codes->items[after].code);
}

static int32_t lower(attn_bert_rules rules, const attn_codes *codes, size_t at)
{
    const int32_t code = codes->items[at].code;
    if (attn_char_is_east_asian(code))
        return code;
    if (code == CAPITAL_SIGMA && rules == ATTN_BERT_PYTHON)
        return is_final(codes, at) ? FINAL_SIGMA : SMALL_SIGMA;
    return attn_char_lower(code);
}

/* In place: what is_final asks of a neighbour is the same for both its cases. */
static void lower_codes(attn_bert_rules rules, attn_codes *codes)
{
    for (size_t i = 0; i < codes->count; i++)
        codes->items[i].code = lower(rules, codes, i);
}

/* ---- the text ---- */

static attn_status fold_chunk(const attn_bert_fold *fold, attn_codes *codes, size_t start, size_t end,
                              attn_rewrite *rewrite)
{
    attn_status status;
    codes->count = 0;
    if (!collect(fold, rewrite->text, start, end, codes) || (fold->strip_accents && !attn_codes_order(codes)))
        return attn_fail_memory(rewrite->error);
    if (fold->strip_accents)
        strip_marks(codes);
    if (fold->lowercase)
        lower_codes(fold->rules, codes);
    status = attn_rewrite_skip(rewrite, start, end);
    return status == ATTN_OK ? attn_rewrite_codes(rewrite, codes->items, codes->count) : status;
}

/* The end of the chunk at AT. */
static size_t chunk_end(attn_bytes text, size_t at)
{
    if (text.size - at <= CHUNK)
        return text.size;
    for (at += CHUNK; at < text.size && text.data[at - 1] != ' ' && text.data[at - 1] != '\n'; at++)
        continue;
    return at;
}

attn_status attn_bert_rewrite(const attn_bert_fold *fold, attn_rewrite *rewrite)
{
    attn_codes codes = {0};
    attn_status status = ATTN_OK;
    for (size_t at = 0, end; at < rewrite->text.size && status == ATTN_OK; at = end) {
        end = chunk_end(rewrite->text, at);
        status = fold_chunk(fold, &codes, at, end, rewrite);
    }
    attn_codes_free(&codes);
    return status;
}
