/* split.c: see split.h. Each splitter is its pattern's alternatives in order, each tried once.
 * ASCII goes by a table; other characters by their Unicode category. Used by presplit.c and bpe.c;
 * knows no vocabulary. */
#include "config.h"

#include "text/split/split.h"

#include "base/utf8.h"
#include "text/unicode/unicode.h"

/* What the patterns ask about a character. */
enum { OTHER, LETTER, NUMBER, SPACE, WIDE /* not ASCII: ask for its category */ };

#define O OTHER
#define L LETTER
#define N NUMBER
#define S SPACE
#define W WIDE
#define ROW(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x
/* clang-format off */
static const uint8_t ascii_class[256] = {
    O, O, O, O, O, O, O, O, O, S, S, S, S, S, O, O, ROW(O), /* control characters, \t \n \v \f \r */
    S, O, O, O, O, O, O, O, O, O, O, O, O, O, O, O,
    N, N, N, N, N, N, N, N, N, N, O, O, O, O, O, O,
    O, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    L, L, L, L, L, L, L, L, L, L, L, O, O, O, O, O,
    O, L, L, L, L, L, L, L, L, L, L, L, L, L, L, L,
    L, L, L, L, L, L, L, L, L, L, L, O, O, O, O, O,
    ROW(W), ROW(W), ROW(W), ROW(W), ROW(W), ROW(W), ROW(W), ROW(W)};
/* clang-format on */
#undef O
#undef L
#undef N
#undef S
#undef W
#undef ROW

static unsigned wide_class(attn_bytes text, size_t at, size_t *length)
{
    switch (attn_char_class_of(attn_utf8_decode(text, at, length))) {
    case ATTN_CHAR_LETTER:
        return LETTER;
    case ATTN_CHAR_NUMBER:
        return NUMBER;
    case ATTN_CHAR_SPACE:
        return SPACE;
    default:
        return OTHER;
    }
}

/* The class of the character at AT and its length; past the end OTHER and 0. */
static inline unsigned class_at(attn_bytes text, size_t at, size_t *length)
{
    unsigned class;
    if (at >= text.size) {
        *length = 0;
        return OTHER;
    }
    class = ascii_class[text.data[at]];
    *length = 1;
    return class != WIDE ? class : wide_class(text, at, length);
}

#define ONES UINT64_C(0x0101010101010101)

/* How many of the eight bytes at DATA, from the first on, are ASCII letters: without a branch,
 * since how long a word is can not be predicted. */
static size_t leading_letters(const uint8_t *data)
{
    const uint64_t bytes = attn_load_u64(data);
    uint64_t low, letters, others;
    low = (bytes | 0x20 * ONES) & 0x7f * ONES;
    letters = (low + (0x80 - 'a') * ONES) & ~(low + (0x7f - 'z') * ONES) & ~bytes;
    others = ~letters >> 7 & ONES; /* the lowest bit of each byte that is none */
    return (size_t)((((others & (0 - others)) - 1) & ONES) * ONES >> 56);
}

/* The end of the run of CLASS from AT on. */
static size_t run_end(attn_bytes text, size_t at, unsigned class)
{
    while (class == LETTER && text.size - at >= 8) {
        size_t letters = leading_letters(text.data + at);
        at += letters;
        if (letters < 8)
            break;
    }
    while (at < text.size) {
        size_t length = 1;
        unsigned here = ascii_class[text.data[at]];
        if (here == WIDE)
            here = wide_class(text, at, &length);
        if (here != class)
            break;
        at += length;
    }
    return at;
}

static bool newline_at(attn_bytes text, size_t at)
{
    return at < text.size && (text.data[at] == '\n' || text.data[at] == '\r');
}

/* \s+(?!\S)|\s+ over the white space AT … END: it leaves its last character to what follows. */
static size_t space_end(attn_bytes text, size_t at, size_t end)
{
    size_t last = end - 1;
    if (end == text.size)
        return end;
    while (last > at && (text.data[last] & 0xc0) == 0x80)
        last--;
    return last > at ? last : end;
}

/* '(?:[sdmt]|ll|ve|re) at an apostrophe; AT itself where there is none. */
static size_t contraction_end(attn_bytes text, size_t at)
{
    const uint8_t *data = text.data + at;
    size_t left = text.size - at;
    if (left < 2)
        return at;
    if (data[1] == 's' || data[1] == 'd' || data[1] == 'm' || data[1] == 't')
        return at + 2;
    if (left >= 3 && ((data[1] == 'l' && data[2] == 'l') || (data[1] == 'v' && data[2] == 'e') ||
                      (data[1] == 'r' && data[2] == 'e')))
        return at + 3;
    return at;
}

/* The same in any case. The long s, U+017F, is an s there. */
static size_t contraction_end_caseless(attn_bytes text, size_t at)
{
    uint8_t folded[3] = {0};
    size_t end, left = text.size - at;
    for (size_t i = 0; i < 3 && i < left; i++) {
        uint8_t byte = text.data[at + i];
        folded[i] = byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte | 0x20) : byte;
    }
    end = contraction_end((attn_bytes){folded, left < 3 ? left : 3}, 0);
    if (end == 0 && folded[1] == 0xc5 && folded[2] == 0xbf)
        end = 3;
    return at + end;
}

/* 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
static size_t gpt2_end(attn_bytes text, size_t at)
{
    size_t length, next_length, end;
    unsigned class = class_at(text, at, &length);
    if (text.data[at] == '\'' && (end = contraction_end(text, at)) > at)
        return end;
    if (text.data[at] == ' ' && at + 1 < text.size) {
        unsigned next = class_at(text, at + 1, &next_length);
        if (next != SPACE)
            return run_end(text, at + 1 + next_length, next);
    }
    end = run_end(text, at + length, class);
    return class == SPACE ? space_end(text, at, end) : end;
}

/* \p{N}{1,LIMIT} */
static size_t digits_end(attn_bytes text, size_t at, size_t limit)
{
    size_t length;
    while (limit > 0 && class_at(text, at, &length) == NUMBER && length > 0) {
        at += length;
        limit--;
    }
    return at;
}

/* \s*[\r\n]+|\s+(?!\S)|\s+ */
static size_t lines_end(attn_bytes text, size_t at)
{
    size_t end = run_end(text, at, SPACE), line = end;
    while (line > at && !newline_at(text, line - 1))
        line--;
    return line > at ? line : space_end(text, at, end);
}

/* (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,DIGITS}|
 * ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+
 * |\s+(?!\S)|\s+ */
static size_t llama3_end(attn_bytes text, size_t at, size_t digits)
{
    size_t length, next_length, end;
    unsigned class = class_at(text, at, &length), next;
    if (text.data[at] == '\'' && (end = contraction_end_caseless(text, at)) > at)
        return end;
    if (class == LETTER)
        return run_end(text, at + length, LETTER);
    if (class == NUMBER)
        return digits_end(text, at, digits);
    next = class_at(text, at + length, &next_length);
    if (next == LETTER && !newline_at(text, at))
        return run_end(text, at + length + next_length, LETTER);
    if (class == OTHER || (text.data[at] == ' ' && next == OTHER && next_length > 0)) {
        end = run_end(text, at + length, OTHER);
        while (newline_at(text, end))
            end++;
        return end;
    }
    return lines_end(text, at);
}

size_t attn_split_end(attn_pretokenizer rule, attn_bytes text, size_t at)
{
    switch (rule) {
    case ATTN_SPLIT_GPT2:
        return gpt2_end(text, at);
    case ATTN_SPLIT_LLAMA3:
        return llama3_end(text, at, 3);
    case ATTN_SPLIT_QWEN2:
        return llama3_end(text, at, 1);
    case ATTN_SPLIT_NONE:
    case ATTN_SPLIT_PATTERN:
        break;
    }
    return text.size;
}

attn_pretokenizer attn_split_known(attn_bytes pattern)
{
#define LLAMA3_PATTERN(digits)                                                                                         \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|" digits                                               \
    "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
    static const struct {
        attn_pretokenizer rule;
        const char *pattern;
    } known[] = {
        {ATTN_SPLIT_GPT2, "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"},
        {ATTN_SPLIT_LLAMA3, LLAMA3_PATTERN("\\p{N}{1,3}")},
        {ATTN_SPLIT_QWEN2, LLAMA3_PATTERN("\\p{N}")},
    };
#undef LLAMA3_PATTERN
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (attn_bytes_are(pattern, known[i].pattern))
            return known[i].rule;
    return ATTN_SPLIT_PATTERN;
}
