/* npy.c: numpy's .npy, version 1.0 (numpy's NEP 1): one array of little-endian float32.
 *
 *   \x93NUMPY 1 0 | header's length (u16) | header, padded to 64 bytes, ending in \n | data
 *
 * The shape stands first and standard output may be a pipe, so it is told before the rows come and
 * held against them at the end. One file holds one text. */
#include "config.h"

#include "base/memory.h"
#include "output/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_UNIT = 64, MAGIC = 10, BATCH = 1024 };

typedef struct npy {
    attn_writer writer;
    size_t n_expected, n_rows;
} npy;

static attn_status put_header(const attn_writer *writer, const size_t *shape, size_t n_dims, attn_error *error)
{
    char header[4 * HEADER_UNIT] = "\x93NUMPY\x01";
    size_t used = MAGIC, size;
    used +=
        (size_t)snprintf(header + used, sizeof header - used, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
    for (size_t i = 0; i < n_dims; i++)
        used += (size_t)snprintf(header + used, sizeof header - used, "%s%zu", i > 0 ? ", " : "", shape[i]);
    used += (size_t)snprintf(header + used, sizeof header - used, "), }");
    size = (used + HEADER_UNIT) / HEADER_UNIT * HEADER_UNIT; /* at least one byte for the line end */
    if (size > sizeof header)
        return attn_fail(error, ATTN_EUNSUPPORTED, "the array's shape is too long for an npy header");
    memset(header + used, ' ', size - used);
    header[size - 1] = '\n';
    header[8] = (char)((size - MAGIC) & 0xff);
    header[9] = (char)((size - MAGIC) >> 8);
    attn_sink_put(writer->sink, header, size);
    return ATTN_OK;
}

static attn_status begin_text(attn_writer *writer, attn_error *error)
{
    npy *n = (npy *)writer;
    const attn_writer_text *text = &writer->text;
    bool grid = writer->schema.shape == ATTN_SHAPE_GRID, heads = grid || writer->schema.heads;
    size_t shape[4], n_dims = 0;
    shape[n_dims++] = text->n_layers;
    if (heads)
        shape[n_dims++] = text->n_heads;
    shape[n_dims++] = text->queries.n;
    shape[n_dims++] = grid ? text->keys.n : writer->schema.width;
    char list[ATTN_FORMAT_LIST_ROOM];
    if (heads && text->n_heads == 0)
        return attn_fail(
            error, ATTN_EUSAGE,
            "npy needs the same number of heads in each selected layer: choose them by -L and -H, or use %s",
            attn_other_formats(writer, list));
    n->n_expected = shape[0] * shape[1] * (heads ? shape[2] : 1);
    return put_header(writer, shape, n_dims, error);
}

static void put_values(const attn_writer *writer, const float *values, const uint8_t *visible, size_t n)
{
    const float masked = writer->schema.masked_is_zero ? 0.0f : -INFINITY;
    for (size_t from = 0; from < n; from += BATCH) {
        size_t to = n - from < BATCH ? n : from + BATCH;
        char *room = attn_sink_room(writer->sink, (to - from) * 4), *at = room;
        for (size_t i = from; i < to; i++) {
            float value = visible == NULL || visible[i] != 0 ? values[i] : masked;
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            for (int shift = 0; shift < 32; shift += 8)
                *at++ = (char)(bits >> shift & 0xff);
        }
        attn_sink_advance(writer->sink, (size_t)(at - room));
    }
}

static attn_status put_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error)
{
    (void)error;
    put_values(writer, row->values, row->visible, writer->text.keys.n);
    ((npy *)writer)->n_rows++;
    return ATTN_OK;
}

static attn_status put_vector(attn_writer *writer, const attn_vector_row *row, attn_error *error)
{
    (void)error;
    put_values(writer, row->values, NULL, writer->schema.width);
    ((npy *)writer)->n_rows++;
    return ATTN_OK;
}

static attn_status end_text(attn_writer *writer, attn_error *error)
{
    const npy *n = (const npy *)writer;
    if (n->n_rows != n->n_expected)
        return attn_fail(error, ATTN_EIO, "the npy file is not whole: %zu of %zu rows were written", n->n_rows,
                         n->n_expected);
    return ATTN_OK;
}

const attn_output attn_output_npy = {
    .name = "npy",
    .shapes = ATTN_SHAPE_GRID | ATTN_SHAPE_VECTORS,
    .one_text = true,
    .one_array = true,
    .binary = true,
    .size = sizeof(npy),
    .text_begin = begin_text,
    .grid = put_grid,
    .vector = put_vector,
    .text_end = end_text,
};
