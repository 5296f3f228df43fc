/* options.c: the reading of argv by the option table. Values are checked for form here and for meaning by the stage
 * that they belong to. */
#include "config.h"

#include "cli/options.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "base/suggest.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* getopt_long's own tables, made from ours. */
typedef struct getopt_tables {
    char letters[2 * ATTN_MOST_OPTIONS + 2];
    struct option longs[ATTN_MOST_OPTIONS + 1];
} getopt_tables;

enum { FIRST_LONG_ONLY = 256 };

static void make_tables(getopt_tables *tables)
{
    size_t used = 0;
    memset(tables, 0, sizeof *tables);
    tables->letters[used++] = ':'; /* a missing argument is ':' */
    for (size_t i = 0; i < attn_n_options; i++) {
        const attn_option *row = &attn_option_table[i];
        tables->longs[i].name = row->name;
        tables->longs[i].has_arg = row->argument != NULL ? required_argument : no_argument;
        tables->longs[i].val = FIRST_LONG_ONLY + (int)i;
        if (row->letter != 0) {
            tables->letters[used++] = row->letter;
            if (row->argument != NULL)
                tables->letters[used++] = ':';
        }
    }
}

static const attn_option *row_of(int code)
{
    for (size_t i = 0; i < attn_n_options; i++)
        if (code == FIRST_LONG_ONLY + (int)i || (code != 0 && code == attn_option_table[i].letter))
            return &attn_option_table[i];
    return NULL;
}

static const char *option_name_at(size_t index)
{
    return index < attn_n_options ? attn_option_table[index].name : NULL;
}

/* "--t": the options it may be short for, or false when it begins fewer than two. */
static bool ambiguous(const char *name, size_t length, attn_error *error)
{
    char all[256] = "";
    size_t used = 0, count = 0;
    for (size_t i = 0; i < attn_n_options; i++) {
        const char *known = attn_option_table[i].name;
        if (strncmp(known, name, length) != 0 || used + strlen(known) + 5 > sizeof all)
            continue;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s--%s", count > 0 ? ", " : "", known);
        count++;
    }
    if (count < 2)
        return false;
    attn_fail(error, ATTN_EUSAGE, "option '--%.*s' may be %s", (int)length, name, all);
    return true;
}

static attn_status unknown_option(const char *argument, int letter, attn_error *error)
{
    const char *near;
    char name[64];
    size_t length;
    if (letter != 0 && row_of(letter) == NULL)
        return attn_fail(error, ATTN_EUSAGE, "unknown option '-%c'", letter);
    length = strcspn(argument + 2, "=");
    if (row_of(letter) != NULL) /* --quiet=yes */
        return attn_fail(error, ATTN_EUSAGE, "option '--%s' takes no argument", row_of(letter)->name);
    if (length > 0 && ambiguous(argument + 2, length, error))
        return ATTN_EUSAGE;
    attn_fail(error, ATTN_EUSAGE, "unknown option '%.*s'", (int)length + 2, argument);
    if (length < sizeof name) {
        memcpy(name, argument + 2, length);
        name[length] = '\0';
        near = attn_suggest(name, option_name_at);
        if (near != NULL)
            attn_error_hint(error, "did you mean '--%s'?", near);
    }
    return ATTN_EUSAGE;
}

static attn_status unknown_choice(const attn_option *row, const char *value, attn_error *error)
{
    const char *near = attn_suggest(value, row->choices->name), *name;
    char all[512] = "";
    size_t used = 0;
    for (size_t i = 0; (name = row->choices->name(i)) != NULL && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", name);
    attn_fail(error, ATTN_EUSAGE, "--%s: expected one of %s; found '%s'", row->name, all, value);
    if (near != NULL)
        attn_error_hint(error, "did you mean '%s'?", near);
    return ATTN_EUSAGE;
}

static attn_status read_choice(const attn_option *row, const char *value, void *field, attn_error *error)
{
    const char *name;
    for (size_t i = 0; (name = row->choices->name(i)) != NULL; i++)
        if (strcmp(name, value) == 0) {
            row->choices->set(field, i);
            return ATTN_OK;
        }
    return unknown_choice(row, value, error);
}

static attn_status read_count(const attn_option *row, const char *value, size_t *field, attn_error *error)
{
    uint64_t number;
    if (!attn_decimal_u64(attn_bytes_of(value), row->most, &number) || number < row->least) {
        if (row->most >= SIZE_MAX / 2 && value[0] != '\0' && value[strspn(value, "0123456789")] == '\0' &&
            !attn_decimal_u64(attn_bytes_of(value), row->most, &number))
            return attn_fail(error, ATTN_EUSAGE, "--%s: %s is too large", row->name, value);
        if (row->most < SIZE_MAX / 2)
            return attn_fail(error, ATTN_EUSAGE, "--%s: expected a whole number from %zu to %zu, found '%s'", row->name,
                             row->least, row->most, value);
        return attn_fail(error, ATTN_EUSAGE, "--%s: expected a whole number of at least %zu, found '%s'", row->name,
                         row->least, value);
    }
    *field = (size_t)number;
    return ATTN_OK;
}

static attn_status read_given_count(const attn_option *row, const char *value, attn_given_count *field,
                                    attn_error *error)
{
    field->given = true;
    return read_count(row, value, &field->value, error);
}

static attn_status read_number(const attn_option *row, const char *value, attn_given_number *field, attn_error *error)
{
    const bool positive = row->kind == ATTN_OPTION_POSITIVE;
    attn_bytes text = attn_bytes_of(value);
    size_t used = 0;
    if (attn_decimal_f32(text, &field->value, &used) != ATTN_DECIMAL_OK || used != text.size ||
        (positive && !(field->value > 0)))
        return attn_fail(error, ATTN_EUSAGE, "--%s: expected a %snumber, found '%s'", row->name,
                         positive ? "positive " : "", value);
    field->given = true;
    return ATTN_OK;
}

static attn_status store(const attn_option *row, const char *value, attn_request *request, attn_error *error)
{
    void *field = (char *)request + row->offset;
    attn_strings *strings = field;
    request->given[row - attn_option_table] = true;
    switch (row->kind) {
    case ATTN_OPTION_FLAG:
        *(bool *)field = true;
        break;
    case ATTN_OPTION_TEXT:
        *(const char **)field = value;
        break;
    case ATTN_OPTION_TEXTS:
        strings->items[strings->count++] = value;
        break;
    case ATTN_OPTION_CHOICE:
        return read_choice(row, value, field, error);
    case ATTN_OPTION_COUNT:
        return read_count(row, value, field, error);
    case ATTN_OPTION_COUNT_FROM_0:
        return read_given_count(row, value, field, error);
    case ATTN_OPTION_NUMBER:
    case ATTN_OPTION_POSITIVE:
        return read_number(row, value, field, error);
    }
    return ATTN_OK;
}

size_t attn_option_values(const attn_option *row, const attn_request *request, const char *const **values)
{
    const void *field = (const char *)request + row->offset;
    const attn_strings *strings = field;
    *values = row->kind == ATTN_OPTION_TEXTS ? strings->items : (const char *const *)field;
    if (!request->given[row - attn_option_table])
        return 0;
    return row->kind == ATTN_OPTION_TEXTS ? strings->count : row->kind == ATTN_OPTION_TEXT;
}

/* The INDEXth list of strings in REQUEST: the FILEs at 0, then those of the options; NULL past the last. */
static attn_strings *strings_at(attn_request *request, size_t index)
{
    if (index == 0)
        return &request->texts.files;
    for (size_t i = 0; i < attn_n_options; i++)
        if (attn_option_table[i].kind == ATTN_OPTION_TEXTS && --index == 0)
            return (attn_strings *)(void *)((char *)request + attn_option_table[i].offset);
    return NULL;
}

static attn_status make_room(attn_request *request, int argc, attn_error *error)
{
    attn_strings *strings;
    *request = (attn_request){0};
    for (size_t i = 0; (strings = strings_at(request, i)) != NULL; i++) {
        strings->items = attn_calloc_array((size_t)argc + 1, sizeof *strings->items);
        if (strings->items == NULL)
            return attn_fail_memory(error);
    }
    return ATTN_OK;
}

attn_status attn_request_read(int argc, char **argv, attn_request *request, attn_error *error)
{
    getopt_tables tables;
    attn_status status = make_room(request, argc, error);
    attn_strings *files = &request->texts.files;
    int code;
    make_tables(&tables);
    opterr = 0;
    optind = 0; /* a fresh start: tests call this more than once in a process */
    while (status == ATTN_OK && (code = getopt_long(argc, argv, tables.letters, tables.longs, NULL)) != -1) {
        const char *argument = argv[optind > 0 ? optind - 1 : 0];
        if (code == '?')
            status = unknown_option(argument, optopt, error);
        else if (code == ':')
            status = attn_fail(error, ATTN_EUSAGE, "option '%s' needs an argument", argument);
        else
            status = store(row_of(code), optarg, request, error);
    }
    if (request->report.kind == NULL)
        request->report.kind = attn_report_at(0);
    for (int i = optind; status == ATTN_OK && i < argc; i++)
        files->items[files->count++] = argv[i];
    return status;
}

void attn_request_free(attn_request *request)
{
    attn_strings *strings;
    for (size_t i = 0; (strings = strings_at(request, i)) != NULL; i++) {
        attn_free(strings->items);
        *strings = (attn_strings){0};
    }
}
