/* npy.c: numpy's array files, versions 1.0 to 3.0: one array. Used by container.c and npz.c.
 *
 *   | \x93NUMPY | major, minor | header length u16 (version 1) or u32 | header | numbers |
 *
 * The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } (numpy's NEP 1). Only
 * what numpy writes is read, never evaluated: object arrays (pickles) and structured types are refused. */
#include "config.h"

#include "formats/container_reader.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC_SIZE = sizeof magic - 1 };

static const struct {
    const char *code; /* kind and size, as in '<f4' */
    const char *name; /* numpy's own, which it reads too */
    attn_dtype dtype;
} dtypes[] = {
    {"f4", "float32", ATTN_F32}, {"f8", "float64", ATTN_F64}, {"f2", "float16", ATTN_F16}, {"i1", "int8", ATTN_I8},
    {"i2", "int16", ATTN_I16},   {"i4", "int32", ATTN_I32},   {"i8", "int64", ATTN_I64},   {"u1", "uint8", ATTN_U8},
    {"u2", "uint16", ATTN_U16},  {"u4", "uint32", ATTN_U32},  {"u8", "uint64", ATTN_U64},  {"b1", "bool", ATTN_BOOL},
    {"?", "?", ATTN_BOOL},
};

typedef struct npy_header {
    bool has_descr, has_order, has_shape;
    attn_dtype dtype;
    bool big_endian, fortran;
    size_t n_dims, shape[ATTN_MAX_DIMS];
} npy_header;

static bool sniff(attn_bytes bytes)
{
    return bytes.size >= MAGIC_SIZE && memcmp(bytes.data, magic, MAGIC_SIZE) == 0;
}

/* The header's text is read by a cursor of its own: base is where it begins in the file. */
typedef struct header_text {
    attn_cursor cursor;
    size_t base;
    attn_error *error;
} header_text;

static int peek(const header_text *scanner)
{
    return attn_cursor_left(&scanner->cursor) > 0 ? scanner->cursor.bytes.data[scanner->cursor.position] : -1;
}

static void skip_space(header_text *scanner)
{
    int c = peek(scanner);
    while (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        attn_cursor_skip(&scanner->cursor, 1);
        c = peek(scanner);
    }
}

/* Skips white space, then C when it is next. */
static bool accept(header_text *scanner, char c)
{
    skip_space(scanner);
    return peek(scanner) == c && attn_cursor_skip(&scanner->cursor, 1);
}

static attn_status fail_here(const header_text *scanner, const char *expected)
{
    int c = peek(scanner);
    if (c < 0)
        attn_fail_found(scanner->error, expected, "the end of the header");
    else
        attn_fail_found(scanner->error, expected, "'%c'", c);
    attn_error_offset(scanner->error, scanner->base + scanner->cursor.position);
    return ATTN_EDATA;
}

static attn_status expect(header_text *scanner, char c, const char *expected)
{
    return accept(scanner, c) ? ATTN_OK : fail_here(scanner, expected);
}

/* 'text' or "text", without escapes. */
static attn_status read_string(header_text *scanner, attn_bytes *text)
{
    const attn_cursor *cursor = &scanner->cursor;
    skip_space(scanner);
    int quote = peek(scanner);
    if (quote != '\'' && quote != '"')
        return fail_here(scanner, "a string");
    attn_cursor_skip(&scanner->cursor, 1);
    size_t start = cursor->position;
    while (peek(scanner) >= 0 && peek(scanner) != quote)
        attn_cursor_skip(&scanner->cursor, 1);
    attn_bytes quoted = (attn_bytes){cursor->bytes.data + start, cursor->position - start};
    *text = quoted;
    return peek(scanner) == quote && attn_cursor_skip(&scanner->cursor, 1) ? ATTN_OK
                                                                           : fail_here(scanner, "the end of a string");
}

static attn_status fail_type(const header_text *scanner, const char *what, attn_bytes code)
{
    attn_fail(scanner->error, ATTN_EUNSUPPORTED,
              "its type '%.*s' %s; attn reads floats of 2, 4 and 8 bytes, integers and booleans",
              (int)(code.size < 24 ? code.size : 24), (const char *)code.data, what);
    return ATTN_EUNSUPPORTED;
}

/* Which of dtypes CODE, without its order, is; their number: none. A name has no order before it. */
static size_t find_dtype(attn_bytes code, bool has_order)
{
    size_t i = 0;
    while (i < sizeof dtypes / sizeof *dtypes && !attn_bytes_are(code, dtypes[i].code) &&
           (has_order || !attn_bytes_are(code, dtypes[i].name)))
        i++;
    return i;
}

/* '<f4' and the like; numpy takes '=f4', 'f4' and 'float32' for the order of the machine that reads, which it writes
 * for its own: all machines that write so are little-endian. Anything else is refused by name. */
static attn_status read_descr(header_text *scanner, npy_header *header)
{
    attn_bytes text;
    skip_space(scanner);
    if (peek(scanner) == '[')
        return attn_fail(scanner->error, ATTN_EUNSUPPORTED,
                         "it is an array of structures; save each field as an array of its own");
    attn_status status = read_string(scanner, &text);
    if (status != ATTN_OK)
        return status;
    const bool has_order = text.size > 0 && strchr("<>|=", text.data[0]) != NULL && text.data[0] != '\0';
    const attn_bytes code = has_order ? (attn_bytes){text.data + 1, text.size - 1} : text;
    if (attn_bytes_are(code, "O") || attn_bytes_are(code, "object"))
        return attn_fail(scanner->error, ATTN_EUNSUPPORTED,
                         "it is an array of Python objects (a pickle), which attn never loads");
    const size_t found = find_dtype(code, has_order);
    if (found == sizeof dtypes / sizeof *dtypes)
        return fail_type(scanner, "is not one of numbers that attn reads", text);
    header->dtype = dtypes[found].dtype;
    header->big_endian = has_order && text.data[0] == '>';
    header->has_descr = true;
    return ATTN_OK;
}

static attn_status read_order(header_text *scanner, npy_header *header)
{
    static const char *const words[] = {"False", "True"};
    skip_space(scanner);
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if (attn_cursor_left(&scanner->cursor) >= length &&
            memcmp(scanner->cursor.bytes.data + scanner->cursor.position, words[i], length) == 0) {
            attn_cursor_skip(&scanner->cursor, length);
            header->fortran = i == 1;
            header->has_order = true;
            return ATTN_OK;
        }
    }
    return fail_here(scanner, "True or False");
}

static attn_status read_size(header_text *scanner, size_t *size)
{
    int c = peek(scanner);
    uint64_t value = 0;
    if (c < '0' || c > '9')
        return fail_here(scanner, "a size");
    for (; c >= '0' && c <= '9'; c = peek(scanner)) {
        if (value > (PTRDIFF_MAX - 9) / 10)
            return fail_here(scanner, "a size that a file can have");
        value = value * 10 + (uint64_t)(c - '0');
        attn_cursor_skip(&scanner->cursor, 1);
    }
    accept(scanner, 'L'); /* Python 2's long integers */
    *size = (size_t)value;
    return ATTN_OK;
}

/* (), (3,), (3, 4) */
static attn_status read_shape(header_text *scanner, npy_header *header)
{
    attn_status status = expect(scanner, '(', "a shape in parentheses");
    bool comma = true;
    while (status == ATTN_OK && !accept(scanner, ')')) {
        if (!comma)
            return fail_here(scanner, "',' or ')'");
        if (header->n_dims == ATTN_MAX_DIMS)
            return attn_fail(scanner->error, ATTN_EUNSUPPORTED, "it has more than %d dimensions", ATTN_MAX_DIMS);
        status = read_size(scanner, &header->shape[header->n_dims++]);
        comma = accept(scanner, ',');
    }
    if (status == ATTN_OK && header->n_dims == 1 && !comma)
        return fail_here(scanner, "a tuple, not a number in parentheses");
    header->has_shape = true;
    return status;
}

static attn_status read_item(header_text *scanner, npy_header *header)
{
    attn_bytes key = {NULL, 0};
    attn_status status = read_string(scanner, &key);
    if (status == ATTN_OK)
        status = expect(scanner, ':', "':'");
    if (status != ATTN_OK)
        return status;
    if (attn_bytes_are(key, "descr") && !header->has_descr)
        return read_descr(scanner, header);
    if (attn_bytes_are(key, "fortran_order") && !header->has_order)
        return read_order(scanner, header);
    if (attn_bytes_are(key, "shape") && !header->has_shape)
        return read_shape(scanner, header);
    return fail_here(scanner, "the keys 'descr', 'fortran_order' and 'shape' once each");
}

static attn_status read_header(header_text *scanner, npy_header *header)
{
    attn_status status = expect(scanner, '{', "a dictionary");
    bool comma = true;
    while (status == ATTN_OK && !accept(scanner, '}')) {
        if (!comma)
            return fail_here(scanner, "',' or '}'");
        status = read_item(scanner, header);
        if (status == ATTN_OK)
            comma = accept(scanner, ',');
    }
    if (status != ATTN_OK)
        return status;
    skip_space(scanner);
    if (peek(scanner) >= 0)
        return fail_here(scanner, "nothing behind the dictionary");
    if (!header->has_descr || !header->has_order || !header->has_shape)
        return fail_here(scanner, "the keys 'descr', 'fortran_order' and 'shape' once each");
    return ATTN_OK;
}

/* The header's text, from behind the magic. */
static attn_status take_header(attn_cursor *cursor, attn_bytes *text, attn_error *error)
{
    uint8_t major, minor;
    uint16_t short_length = 0;
    uint32_t length = 0;
    bool good;
    if (!attn_cursor_skip(cursor, MAGIC_SIZE) || !attn_cursor_u8(cursor, &major) || !attn_cursor_u8(cursor, &minor))
        return attn_fail_found(error, "an npy header", "the end of the file");
    if (major < 1 || major > 3 || minor != 0)
        return attn_fail(error, ATTN_EUNSUPPORTED, "its version is %d.%d; attn reads npy versions 1.0 to 3.0", major,
                         minor);
    if (major == 1) {
        good = attn_cursor_u16(cursor, &short_length);
        length = short_length;
    } else {
        good = attn_cursor_u32(cursor, &length);
    }
    if (!good || !attn_cursor_take(cursor, length, text))
        return attn_fail_found(error, "an npy header that fits into the file",
                               "the length %lu where %zu bytes are left", (unsigned long)length,
                               attn_cursor_left(cursor));
    return ATTN_OK;
}

static void set_fortran_strides(attn_tensor *tensor)
{
    size_t stride = 1;
    for (size_t i = 0; i < tensor->n_dims; i++) {
        tensor->strides[i] = (ptrdiff_t)stride;
        stride *= tensor->shape[i];
    }
}

attn_status attn_npy_parse(attn_bytes bytes, attn_tensor *tensor, attn_error *error)
{
    attn_cursor cursor = attn_cursor_at(bytes);
    attn_bytes text;
    npy_header header = {0};
    size_t size;
    attn_status status = take_header(&cursor, &text, error);
    if (status != ATTN_OK)
        return status;
    status = read_header(&(header_text){attn_cursor_at(text), cursor.position - text.size, error}, &header);
    if (status != ATTN_OK)
        return status;
    if (!attn_tensor_bytes(header.dtype, header.n_dims, header.shape, &size))
        return attn_fail(error, ATTN_EDATA, "its shape is too large for any file");
    if (size != attn_cursor_left(&cursor)) {
        attn_fail(error, ATTN_EDATA, "its type and shape take %zu bytes, but %zu follow the header", size,
                  attn_cursor_left(&cursor));
        attn_error_offset(error, cursor.position);
        return ATTN_EDATA;
    }
    *tensor = attn_tensor_make(bytes.data + cursor.position, header.dtype, header.n_dims, header.shape);
    tensor->big_endian = header.big_endian;
    if (header.fortran)
        set_fortran_strides(tensor);
    return ATTN_OK;
}

static attn_status open_file(attn_container *container, attn_error *error)
{
    attn_tensor tensor;
    attn_status status = attn_npy_parse(container->files[0].bytes, &tensor, error);
    if (status != ATTN_OK)
        return status;
    return attn_container_add(container, "", tensor, container->files[0].name, error);
}

const attn_format attn_format_npy = {
    .name = "npy", .ending = ".npy", .in_out = true, .sniff = sniff, .open = open_file};
