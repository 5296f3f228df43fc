/* test_form.c: normal forms, where their bytes came from, and how much work they are. Right values: Unicode Standard
 * Annex 15, figures 3 to 6, and by hand; normal_forms.py compares every code point with another program's tables. */
#include "config.h"

#include "testing.h"
#include "testing/memory.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/unicode/compose.h"
#include "text/unicode/form.h"

#include <string.h>
#include <utf8proc.h>

/* ---- how often Unicode's tables are asked: the linker sends the calls here ---- */

static uint64_t n_asked;

const utf8proc_property_t *__real_utf8proc_get_property(utf8proc_int32_t code);
const utf8proc_property_t *__wrap_utf8proc_get_property(utf8proc_int32_t code);
const utf8proc_property_t *__wrap_utf8proc_get_property(utf8proc_int32_t code)
{
    n_asked++;
    return __real_utf8proc_get_property(code);
}

utf8proc_ssize_t __real_utf8proc_normalize_utf32(utf8proc_int32_t *codes, utf8proc_ssize_t n,
                                                 utf8proc_option_t options);
utf8proc_ssize_t __wrap_utf8proc_normalize_utf32(utf8proc_int32_t *codes, utf8proc_ssize_t n,
                                                 utf8proc_option_t options);
utf8proc_ssize_t __wrap_utf8proc_normalize_utf32(utf8proc_int32_t *codes, utf8proc_ssize_t n, utf8proc_option_t options)
{
    n_asked += (uint64_t)n;
    return __real_utf8proc_normalize_utf32(codes, n, options);
}

/* ---- one text ---- */

/* TEXT in FORM; *STEPS (may be NULL) becomes the work. */
static attn_status form_of(attn_form form, attn_bytes text, attn_normal *normal, uint64_t *steps)
{
    attn_codes codes = {0};
    attn_rewrite rewrite = {.text = text, .out = normal};
    attn_status status = attn_form_rewrite(form, &codes, &rewrite);
    normal->same = rewrite.done == 0;
    if (steps != NULL)
        *steps = codes.steps;
    attn_codes_free(&codes);
    return status;
}

/* "NORMAL@START-END…": a run of characters of equal origins is shown once. */
static const char *show(attn_bytes text, const attn_normal *normal)
{
    static char shown[1024];
    const attn_bytes bytes = normal->same ? text : attn_buffer_bytes(&normal->text);
    size_t used = 0, length;
    shown[0] = '\0';
    for (size_t at = 0; at < bytes.size; at += length) {
        const size_t start = normal->same ? at : normal->starts[at];
        attn_utf8_decode(bytes, at, &length);
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%.*s@%zu-%zu", at > 0 ? " " : "", (int)length,
                                 (const char *)bytes.data + at, start,
                                 normal->same ? at + length : normal->ends[at + length - 1]);
    }
    return shown;
}

typedef struct example {
    attn_form form;
    const char *text, *expected;
} example;

static const example examples[] = {
    {ATTN_FORM_NFC, "", ""},
    {ATTN_FORM_NFC, "ab", "a@0-1 b@1-2"},
    {ATTN_FORM_NFC, "xe\u0301y", "x@0-1 \u00e9@1-4 y@4-5"},
    {ATTN_FORM_NFC, "\u212b", "\u00c5@0-3"},                          /* the angstrom sign */
    {ATTN_FORM_NFC, "s\u0323\u0307", "\u1e69@0-5"},                   /* dot below, dot above */
    {ATTN_FORM_NFC, "s\u0307\u0323", "\u1e69@0-5"},                   /* in the other order */
    {ATTN_FORM_NFC, "\u1e0b\u0323", "\u1e0d@0-5 \u0307@0-5"},         /* ḋ and a dot below */
    {ATTN_FORM_NFC, "a\u0316\u0301b", "\u00e1@0-5 \u0316@0-5 b@5-6"}, /* joined over a mark of another class */
    {ATTN_FORM_NFC, "a\u0316\u0301\u0315", "\u00e1@0-5 \u0316@0-5 \u0315@5-7"},
    {ATTN_FORM_NFC, "a\u0302\u0301x\u0301", "\u1ea5@0-5 x@5-6 \u0301@6-8"},
    {ATTN_FORM_NFC, "a\u0304\u0301", "\u0101@0-3 \u0301@3-5"}, /* no composite: the mark keeps its place */
    {ATTN_FORM_NFC, "a\u0301\u0304\u0301", "\u00e1@0-3 \u0304@3-5 \u0301@5-7"},
    {ATTN_FORM_NFC, "a\u030d\u0301", "a@0-1 \u030d@1-3 \u0301@3-5"}, /* blocked by a mark of the same class */
    {ATTN_FORM_NFC, "e\u0300\u0300", "\u00e8@0-3 \u0300@3-5"},
    {ATTN_FORM_NFC, "\u1112\u1161\u11ab", "\ud55c@0-9"}, /* ᄒ ᅡ ᆫ */
    {ATTN_FORM_NFC, "\uac00\u11a8\u11a8", "\uac01@0-6 \u11a8@6-9"},
    {ATTN_FORM_NFC, "\u1112\u0301\u1161", "\u1112@0-3 \u0301@3-5 \u1161@5-8"}, /* blocked by a mark */
    {ATTN_FORM_NFC, "\uac00\u11a7", "\uac00@0-3 \u11a7@3-6"},                  /* no final */
    {ATTN_FORM_NFC, "\u0301a", "\u0301@0-2 a@2-3"},
    {ATTN_FORM_NFC, "\u0301\u0316", "\u0316@0-4 \u0301@0-4"}, /* marks alone are ordered */
    {ATTN_FORM_NFC, "\ufb01", "\ufb01@0-3"},                  /* the ligature fi stays */
    {ATTN_FORM_NFKC, "\ufb01\u0301", "f@0-3 \u00ed@0-5"},     /* its second letter takes the mark */
    {ATTN_FORM_NFKC, "\uff76\uff9e", "\u30ac@0-6"},           /* half-width カ and its mark */
    {ATTN_FORM_NFKC, "\u3131\u314f", "\uac00@0-6"},           /* ㄱ ㅏ */
    {ATTN_FORM_NFD, "\u00e9", "e@0-2 \u0301@0-2"},
    {ATTN_FORM_NFD, "\ud55c", "\u1112@0-3 \u1161@0-3 \u11ab@0-3"},
    {ATTN_FORM_NFD, "\u1e69", "s@0-3 \u0323@0-3 \u0307@0-3"},
    {ATTN_FORM_NFD, "\u00e9\u0323", "e@0-2 \u0323@0-4 \u0301@0-4"},
    {ATTN_FORM_NFKD, "x\u00b2", "x@0-1 2@1-3"},
};

START_TEST(test_example)
{
    const example *e = &examples[_i];
    attn_normal normal = {0};
    ck_assert_int_eq(form_of(e->form, attn_bytes_of(e->text), &normal, NULL), ATTN_OK);
    const char *found = show(attn_bytes_of(e->text), &normal);
    ck_assert_msg(strcmp(found, e->expected) == 0, "%s: expected '%s', found '%s'", e->text, e->expected, found);
    attn_normal_free(&normal);
}
END_TEST

/* Nothing is ordered or composed over an ill-formed byte or a NUL, and they stay. */
START_TEST(test_ill_formed)
{
    static const char text[] = "a\xff\u0301e\u0301\0\u0301\xc3", right[] = "a\xff\u0301\u00e9\0\u0301\xc3";
    attn_normal normal = {0};
    ck_assert_int_eq(form_of(ATTN_FORM_NFC, (attn_bytes){(const uint8_t *)text, sizeof text - 1}, &normal, NULL), 0);
    ck_assert_uint_eq(normal.text.size, sizeof right - 1);
    ck_assert_mem_eq(normal.text.data, right, sizeof right - 1);
    attn_normal_free(&normal);
}
END_TEST

/* Words compare composed and, where asked, in lower case: one character stays one. */
START_TEST(test_compose)
{
    static const struct {
        bool lowercase;
        const char *text, *expected;
    } rows[] = {{false, "Abc", "A@0-1 b@1-2 c@2-3"},
                {true, "Abc", "a@0-1 b@1-2 c@2-3"},
                {true, "\u0130\u03a3", "i@0-2 \u03c3@2-4"},
                {true, "E\u0301X", "\u00e9@0-3 x@3-4"},
                {false, "E\u0301", "\u00c9@0-3"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        attn_normal normal = {0};
        ck_assert_int_eq(attn_compose(attn_bytes_of(rows[i].text), rows[i].lowercase, &normal, NULL), ATTN_OK);
        ck_assert_str_eq(show(attn_bytes_of(rows[i].text), &normal), rows[i].expected);
        ck_assert_int_eq(normal.same, i == 0);
        attn_normal_free(&normal);
    }
}
END_TEST

/* ---- work ---- */

typedef struct shape {
    const char *before, *unit, *after; /* the text is BEFORE, UNIT so many times, AFTER */
} shape;

static const shape shapes[] = {
    {"a", "\u0301\u0316", ""},                  /* out of order at every mark */
    {"", "\u0301\u0316", ""},                   /* the same without a letter */
    {"", "\u0345\u0301\u0315\u0323\u0334", ""}, /* five classes, descending */
    {"a", "\u0316", "\u0301"},                  /* the last joins the first over all others */
    {"a", "\u0301", ""},                        /* each blocked by the one before */
    {"", "\u1100\u1161\u11a8", ""},             /* syllables */
    {"", "\u1100", "\u1161"},                   /* and consonants that wait for a vowel */
    {"", "e\u0323\u0302", " "},
    {"", "\u03b1\u0345\u0313\u0301", ""},
    {"", "\u0958\ufb2c\u0344", ""}, /* decompose and may not be composed */
};

static attn_bytes make_text(const shape *s, size_t count)
{
    attn_buffer text = {0};
    attn_buffer_text(&text, s->before);
    for (size_t i = 0; i < count; i++)
        attn_buffer_text(&text, s->unit);
    attn_buffer_text(&text, s->after);
    ck_assert(!text.failed);
    return attn_buffer_bytes(&text);
}

/* The work over a text of COUNT units, and how often the tables were asked. */
static void measure(const shape *s, attn_form form, size_t count, uint64_t *steps, uint64_t *asked)
{
    const attn_bytes text = make_text(s, count);
    attn_normal normal = {0};
    n_asked = 0;
    ck_assert_int_eq(form_of(form, text, &normal, steps), ATTN_OK);
    *asked = n_asked;
    ck_assert_uint_le(*steps, 20 * text.size);
    ck_assert_uint_le(*asked, 20 * text.size);
    attn_normal_free(&normal);
    attn_free((void *)text.data);
}

/* Twice the text is twice the work, whatever is in it. */
START_TEST(test_linear)
{
    for (attn_form form = ATTN_FORM_NFC; form <= ATTN_FORM_NFKD; form++) {
        uint64_t steps, asked, double_steps, double_asked;
        measure(&shapes[_i], form, 20000, &steps, &asked);
        measure(&shapes[_i], form, 40000, &double_steps, &double_asked);
        ck_assert_uint_le(double_steps, 2 * steps + 64);
        ck_assert_uint_le(double_asked, 2 * asked + 64);
        ck_assert_uint_gt(steps, 20000);
        ck_assert(asked > 20000 || _i == 5 || _i == 6); /* Hangul is computed */
    }
}
END_TEST

/* Runs that are ordered in place, and runs that are counted: three marks of class 230 keep their order, those of class
 * 220 come before them. */
START_TEST(test_order_is_stable)
{
    static const char *const before[] = {"\u0301", "\u0300", "\u0316", "\u0308"};
    static const size_t lengths[] = {4, 28, 32, 36, 400};
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        attn_buffer text = {0}, right = {0};
        attn_normal normal = {0};
        for (size_t i = 0; i < lengths[l]; i++) {
            attn_buffer_text(&text, before[i % 4]);
            if (i % 4 == 2)
                attn_buffer_text(&right, before[2]); /* class 220: all come first */
        }
        for (size_t i = 0; i < lengths[l]; i++)
            if (i % 4 != 2)
                attn_buffer_text(&right, before[i % 4]); /* class 230, as they were */
        ck_assert_int_eq(form_of(ATTN_FORM_NFD, attn_buffer_bytes(&text), &normal, NULL), ATTN_OK);
        ck_assert(attn_bytes_equal(attn_buffer_bytes(&normal.text), attn_buffer_bytes(&right)));
        attn_normal_free(&normal);
        attn_buffer_free(&text);
        attn_buffer_free(&right);
    }
}
END_TEST

static attn_status compose_once(void *context, attn_error *error)
{
    const attn_bytes *text = context;
    attn_normal normal = {0};
    attn_status status = attn_compose(*text, true, &normal, error);
    attn_normal_free(&normal);
    return status;
}

START_TEST(test_no_memory)
{
    attn_bytes text = make_text(&shapes[0], 100);
    ck_assert_uint_ge(memory_every_failure(compose_once, &text), 4);
    attn_free((void *)text.data);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("form");
    TCase *tests = tcase_create("form");
    tcase_add_loop_test(tests, test_example, 0, sizeof examples / sizeof examples[0]);
    tcase_add_test(tests, test_ill_formed);
    tcase_add_test(tests, test_compose);
    tcase_add_loop_test(tests, test_linear, 0, sizeof shapes / sizeof shapes[0]);
    tcase_add_test(tests, test_order_is_stable);
    tcase_add_test(tests, test_no_memory);
    suite_add_tcase(suite, tests);
    return testing_run(suite);
}
