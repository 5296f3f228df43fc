/* pattern_translate.c: from the regular expressions of published tokenizers to the same in PCRE2's
 * terms.
 *
 *   \s \S     Unicode White_Space: PCRE2's own adds U+180E
 *   \w \W \b  Alphabetic, marks, decimal digits, connectors: PCRE2's own has no marks; and, as Oniguruma has it (Rust's
 *             has not), the numbers of Latin-1 (²³¹¼½¾)
 *   \p{Han}   the script, where PCRE2 means the script extensions
 *   [a&&b]    intersection, and classes within classes, which PCRE2 does not know
 *   \uXXXX    a code point
 *
 * What it does not know it refuses by name: a wrong split is worse than an error. Used by
 * pattern.c. */
#include "config.h"

#include "text/split/pattern.h"

#include <string.h>

#define SPACE_ITEMS                                                                                                    \
    "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}"                        \
    "\\x{205f}\\x{3000}"
#define NOT_SPACE_ITEMS                                                                                                \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{"                         \
    "1fff}"                                                                                                            \
    "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{"                       \
    "10ffff}"
#define WORD_ITEMS "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}"
#define WORD "[" WORD_ITEMS "]"

enum { DEPTH = 32 }; /* of classes within classes */

typedef struct reader {
    attn_cursor in;
    attn_buffer *out;
    attn_error *error;
} reader;

static int peek(const reader *r, size_t ahead)
{
    size_t at = r->in.position + ahead;
    return at < r->in.bytes.size ? r->in.bytes.data[at] : -1;
}

static bool follows(const reader *r, const char *text)
{
    size_t size = strlen(text);
    return attn_cursor_left(&r->in) >= size && memcmp(r->in.bytes.data + r->in.position, text, size) == 0;
}

static bool accept(reader *r, const char *text)
{
    return follows(r, text) && attn_cursor_skip(&r->in, strlen(text));
}

/* Refuses the SIZE bytes at the reader. */
static attn_status refuse(reader *r, size_t size)
{
    size_t left = attn_cursor_left(&r->in);
    return attn_fail(r->error, ATTN_EUNSUPPORTED,
                     "the split pattern uses '%.*s', which is not supported (at byte %zu of the pattern)",
                     (int)(size < left ? size : left), (const char *)r->in.bytes.data + r->in.position, r->in.position);
}

/* ---- escapes ---- */

/* \xHH, \x{H…}, \u{H…} and \uHHHH, the backslash at the reader. */
static attn_status code_point(reader *r)
{
    const bool braces = peek(r, 2) == '{';
    size_t at = braces ? 3 : 2, digits = 0, most = braces ? 8 : peek(r, 1) == 'x' ? 2 : 4;
    uint32_t code = 0;
    for (; digits < most && attn_hex_digit(peek(r, at)) >= 0; at++, digits++)
        code = code << 4 | (uint32_t)attn_hex_digit(peek(r, at));
    if (digits == 0 || (braces ? peek(r, at) != '}' : digits < most) || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff) || (!braces && peek(r, 1) == 'x' && code > 0x7f))
        return refuse(r, at);
    attn_buffer_format(r->out, "\\x{%lx}", (unsigned long)code);
    attn_cursor_skip(&r->in, at + braces);
    return ATTN_OK;
}

/* The general categories' long names, and the binary properties that PCRE2 calls the same. */
static const char *property_name(const char *name, size_t size)
{
    static const char *const names[][2] = {{"Letter", "L"},
                                           {"Mark", "M"},
                                           {"Number", "N"},
                                           {"Punctuation", "P"},
                                           {"Symbol", "S"},
                                           {"Separator", "Z"},
                                           {"Other", "C"},
                                           {"Uppercase_Letter", "Lu"},
                                           {"Lowercase_Letter", "Ll"},
                                           {"Titlecase_Letter", "Lt"},
                                           {"Modifier_Letter", "Lm"},
                                           {"Other_Letter", "Lo"},
                                           {"Nonspacing_Mark", "Mn"},
                                           {"Spacing_Mark", "Mc"},
                                           {"Enclosing_Mark", "Me"},
                                           {"Decimal_Number", "Nd"},
                                           {"Letter_Number", "Nl"},
                                           {"Other_Number", "No"},
                                           {"Any", "Any"},
                                           {"Alphabetic", "Alphabetic"},
                                           {"Uppercase", "Uppercase"},
                                           {"Lowercase", "Lowercase"},
                                           {"White_Space", "White_Space"},
                                           {"Emoji", "Emoji"},
                                           {"Emoji_Presentation", "Emoji_Presentation"},
                                           {"Extended_Pictographic", "Extended_Pictographic"},
                                           {"Ideographic", "Ideographic"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i][0]) == size && memcmp(names[i][0], name, size) == 0)
            return names[i][1];
    return NULL;
}

/* \p{NAME}, \P{NAME}, \p{^NAME} or \pL. */
static attn_status property(reader *r)
{
    const char *data = (const char *)r->in.bytes.data + r->in.position;
    size_t left = attn_cursor_left(&r->in), size = 0;
    bool negated = data[1] == 'P';
    const char *known;
    if (left >= 3 && data[2] != '{') {
        attn_buffer_format(r->out, "\\%c{%c}", data[1], data[2]);
        attn_cursor_skip(&r->in, 3);
        return ATTN_OK;
    }
    while (size < left && data[size] != '}')
        size++;
    if (size == left || size < 4)
        return refuse(r, size);
    attn_cursor_skip(&r->in, size + 1);
    data += 3;
    size -= 3;
    if (data[0] == '^' && size > 1) {
        negated = !negated;
        data++;
        size--;
    }
    known = property_name(data, size);
    attn_buffer_format(r->out, "\\%c{", negated ? 'P' : 'p');
    if (known != NULL) {
        attn_buffer_text(r->out, known);
    } else {
        if (size > 2 && memchr(data, '=', size) == NULL && memchr(data, ':', size) == NULL)
            attn_buffer_text(r->out, "sc:");
        attn_buffer_put(r->out, data, size);
    }
    attn_buffer_byte(r->out, '}');
    return ATTN_OK;
}

typedef struct escape {
    char letter;
    const char *outside, *inside; /* of a class; NULL: refused there */
} escape;

static const escape escapes[] = {{'s', "[" SPACE_ITEMS "]", SPACE_ITEMS},
                                 {'S', "[^" SPACE_ITEMS "]", NOT_SPACE_ITEMS},
                                 {'w', WORD, WORD_ITEMS},
                                 {'W', "[^" WORD_ITEMS "]", NULL},
                                 {'d', "\\p{Nd}", "\\p{Nd}"},
                                 {'D', "\\P{Nd}", "\\P{Nd}"},
                                 {'b', "(?:(?<=" WORD ")(?!" WORD ")|(?<!" WORD ")(?=" WORD "))", "\\x{8}"},
                                 {'B', "(?:(?<=" WORD ")(?=" WORD ")|(?<!" WORD ")(?!" WORD "))", NULL},
                                 {'A', "\\A", NULL},
                                 {'z', "\\z", NULL},
                                 {'n', "\\n", "\\n"},
                                 {'r', "\\r", "\\r"},
                                 {'t', "\\t", "\\t"},
                                 {'f', "\\f", "\\f"},
                                 {'v', "\\x{b}", "\\x{b}"},
                                 {'a', "\\a", "\\a"},
                                 {'e', "\\e", "\\e"},
                                 {'0', "\\x{0}", "\\x{0}"}};

static attn_status read_escape(reader *r, bool in_class)
{
    int letter = peek(r, 1);
    if (letter == 'x' || letter == 'u')
        return code_point(r);
    if (letter == 'p' || letter == 'P')
        return property(r);
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++)
        if (letter == escapes[i].letter) {
            const char *meaning = in_class ? escapes[i].inside : escapes[i].outside;
            if (meaning == NULL)
                break;
            attn_buffer_text(r->out, meaning);
            attn_cursor_skip(&r->in, 2);
            return ATTN_OK;
        }
    if (letter < 0 || letter >= 0x80 || (letter >= '0' && letter <= '9') ||
        ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z'))
        return refuse(r, 2);
    attn_buffer_put(r->out, r->in.bytes.data + r->in.position, 2);
    attn_cursor_skip(&r->in, 2);
    return ATTN_OK;
}

/* ---- classes ---- */

static attn_status read_class(reader *r, size_t depth);

/* Puts the items of one side of && into ITEMS and whole classes inside it as alternatives into
 * OTHERS. */
static attn_status read_items(reader *r, attn_buffer *items, attn_buffer *others, bool first, size_t depth)
{
    attn_buffer *outside = r->out;
    attn_status status = ATTN_OK;
    while (status == ATTN_OK) {
        int c = peek(r, 0);
        if (c < 0 || (c == ']' && !first) || follows(r, "&&"))
            break;
        first = false;
        if (c == '[') {
            if (peek(r, 1) == ':')
                return refuse(r, 9);
            attn_buffer_byte(others, '|');
            r->out = others;
            status = read_class(r, depth + 1);
        } else if (c == '\\') {
            r->out = items;
            status = read_escape(r, true);
        } else if (follows(r, "--") || follows(r, "~~")) {
            status = refuse(r, 2);
        } else {
            attn_buffer_byte(items, (char)c);
            attn_cursor_skip(&r->in, 1);
        }
        r->out = outside;
    }
    return status;
}

/* One side of &&: [ITEMS], or (?:[ITEMS]|…) with classes inside. */
static attn_status read_side(reader *r, attn_buffer *side, bool first, size_t depth)
{
    attn_buffer items = {0}, others = {0};
    attn_status status = read_items(r, &items, &others, first, depth);
    if (status == ATTN_OK && (items.failed || others.failed))
        status = attn_fail_memory(r->error);
    if (status == ATTN_OK && items.size == 0 && others.size == 0)
        status = attn_fail(r->error, ATTN_EDATA, "an empty class in the split pattern");
    if (status == ATTN_OK) {
        attn_bytes rest = attn_buffer_bytes(&others);
        attn_buffer_text(side, others.size > 0 ? "(?:" : "");
        if (items.size > 0) {
            attn_buffer_byte(side, '[');
            attn_buffer_put(side, items.data, items.size);
            attn_buffer_byte(side, ']');
        } else {
            rest.data++;
            rest.size--;
        }
        attn_buffer_put(side, rest.data, rest.size);
        attn_buffer_text(side, others.size > 0 ? ")" : "");
    }
    attn_buffer_free(&items);
    attn_buffer_free(&others);
    return status;
}

/* Appends SIDE to OUT; a negated simple class becomes PCRE2's own. */
static void put_class(attn_buffer *out, const attn_buffer *sides, size_t n_sides, bool negated)
{
    const attn_buffer *last = &sides[n_sides - 1];
    bool simple = n_sides == 1 && last->size > 0 && last->data[0] == '[';
    if (simple) {
        attn_buffer_text(out, negated ? "[^" : "[");
        attn_buffer_put(out, last->data + 1, last->size - 1);
        return;
    }
    attn_buffer_text(out, negated ? "(?:(?!" : "(?:");
    for (size_t i = 0; i + 1 < n_sides; i++) {
        attn_buffer_text(out, "(?=");
        attn_buffer_put(out, sides[i].data, sides[i].size);
        attn_buffer_byte(out, ')');
    }
    attn_buffer_put(out, last->data, last->size);
    attn_buffer_text(out, negated ? ")(?s:.))" : ")");
}

enum { MAX_SIDES = 8 };

static attn_status read_class(reader *r, size_t depth)
{
    attn_buffer sides[MAX_SIDES] = {0};
    size_t n_sides = 0;
    bool negated, first = true;
    attn_status status = ATTN_OK;
    if (depth >= DEPTH)
        return refuse(r, 1);
    accept(r, "[");
    negated = accept(r, "^");
    do {
        if (n_sides == MAX_SIDES)
            status = refuse(r, 2);
        else
            status = read_side(r, &sides[n_sides++], first, depth);
        first = false;
    } while (status == ATTN_OK && accept(r, "&&"));
    if (status == ATTN_OK && !accept(r, "]"))
        status = attn_fail(r->error, ATTN_EDATA, "expected ']' in the split pattern, found its end");
    for (size_t i = 0; i < n_sides && status == ATTN_OK; i++)
        if (sides[i].failed)
            status = attn_fail_memory(r->error);
    if (status == ATTN_OK)
        put_class(r->out, sides, n_sides, negated);
    for (size_t i = 0; i < n_sides; i++)
        attn_buffer_free(&sides[i]);
    return status;
}

/* ---- the rest ---- */

static attn_status read_group(reader *r)
{
    static const char *const openings[] = {"(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i)"};
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++)
        if (accept(r, openings[i])) {
            attn_buffer_text(r->out, openings[i]);
            return ATTN_OK;
        }
    if (follows(r, "(?") || follows(r, "(*"))
        return refuse(r, 3);
    attn_buffer_text(r->out, "(?:"); /* nobody looks at what a group captured */
    attn_cursor_skip(&r->in, 1);
    return ATTN_OK;
}

attn_status attn_pattern_translate(attn_bytes source, attn_buffer *out, attn_error *error)
{
    reader r = {attn_cursor_at(source), out, error};
    attn_status status = ATTN_OK;
    while (status == ATTN_OK && attn_cursor_left(&r.in) > 0) {
        int c = peek(&r, 0);
        if (c == '\\') {
            status = read_escape(&r, false);
        } else if (c == '[') {
            status = read_class(&r, 0);
        } else if (c == '(') {
            status = read_group(&r);
        } else {
            attn_buffer_byte(out, (char)c);
            attn_cursor_skip(&r.in, 1);
        }
    }
    if (status == ATTN_OK && out->failed)
        status = attn_fail_memory(error);
    return status;
}
