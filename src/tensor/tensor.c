/* tensor.c: views of numbers and their conversion to float32. Used by everything above; must not
 * know which file a tensor came from. */
#include "config.h"

#include "tensor/convert.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>

/* A transposed read goes by tiles: TILE_COLUMNS stored rows, at most TILE_ROWS elements of each. */
enum { TILE_COLUMNS = 16, TILE_ROWS = ATTN_MAX_BLOCK, TILE_STRIDE = TILE_ROWS + 16 };

attn_tensor attn_tensor_make(const void *data, attn_dtype dtype, size_t n_dims, const size_t *shape)
{
    attn_tensor tensor = {.data = data, .dtype = dtype, .n_dims = n_dims};
    size_t stride = 1;
    assert(n_dims <= ATTN_MAX_DIMS);
    for (size_t i = n_dims; i-- > 0;) {
        tensor.shape[i] = shape[i];
        tensor.strides[i] = (ptrdiff_t)stride;
        stride *= shape[i];
    }
    return tensor;
}

attn_tensor attn_tensor_f32(const float *data, size_t n_rows, size_t n_columns)
{
    static const union {
        uint16_t word;
        uint8_t first;
    } host = {.word = 1};
    attn_tensor tensor = attn_tensor_make(data, ATTN_F32, 2, (size_t[]){n_rows, n_columns});
    tensor.big_endian = host.first == 0;
    return tensor;
}

bool attn_tensor_count(const attn_tensor *tensor, size_t *count)
{
    /* A dimension of 0 counts as 1 here, so that the answer does not depend on the dimensions' order. */
    size_t product = 1;
    bool empty = false;
    for (size_t i = 0; i < tensor->n_dims; i++) {
        size_t size = tensor->shape[i];
        empty = empty || size == 0;
        if (!attn_multiply(product, size > 0 ? size : 1, &product) || product > PTRDIFF_MAX)
            return false;
    }
    *count = empty ? 0 : product;
    return true;
}

bool attn_tensor_is_empty(const attn_tensor *tensor)
{
    for (size_t i = 0; i < tensor->n_dims; i++)
        if (tensor->shape[i] == 0)
            return true;
    return false;
}

bool attn_tensor_bytes(attn_dtype dtype, size_t n_dims, const size_t *shape, size_t *bytes)
{
    const attn_dtype_info *info = attn_dtype_of(dtype);
    if (n_dims > ATTN_MAX_DIMS)
        return false;
    attn_tensor tensor = attn_tensor_make(NULL, dtype, n_dims, shape);
    size_t count;
    if (!attn_tensor_count(&tensor, &count))
        return false;
    if (info->block_elements > 1 && (n_dims == 0 || shape[n_dims - 1] % info->block_elements != 0))
        return false;
    size_t total;
    if (!attn_multiply(count / info->block_elements, info->block_bytes, &total) || total > PTRDIFF_MAX)
        return false;
    *bytes = total;
    return true;
}

/* Where the element OFFSET elements behind the first lies; of a block type: its block's first element. */
static const uint8_t *element_at(const attn_tensor *tensor, ptrdiff_t offset)
{
    const attn_dtype_info *info = attn_dtype_of(tensor->dtype);
    ptrdiff_t block = offset / (ptrdiff_t)info->block_elements;
    assert(offset % (ptrdiff_t)info->block_elements == 0);
    return tensor->data + block * (ptrdiff_t)info->block_bytes;
}

attn_tensor attn_tensor_transpose(attn_tensor matrix)
{
    attn_tensor transposed = matrix;
    assert(matrix.n_dims == 2);
    transposed.shape[0] = matrix.shape[1];
    transposed.shape[1] = matrix.shape[0];
    transposed.strides[0] = matrix.strides[1];
    transposed.strides[1] = matrix.strides[0];
    return transposed;
}

bool attn_tensor_as(const attn_tensor *tensor, size_t n_dims, const size_t *shape, attn_tensor *view)
{
    attn_tensor from = *tensor, to = *tensor;
    size_t at = 0, count;
    if (!attn_tensor_count(tensor, &count))
        return false;
    to.n_dims = n_dims;
    for (size_t i = 0; i < n_dims; i++) {
        while (at < from.n_dims && from.shape[at] == 1 && shape[i] != 1)
            at++;
        to.shape[i] = shape[i];
        to.strides[i] = (ptrdiff_t)count; /* of a dimension that is added: as of a stored row */
        if (at < from.n_dims && from.shape[at] == shape[i])
            to.strides[i] = from.strides[at++];
        else if (shape[i] != 1)
            return false;
    }
    while (at < from.n_dims && from.shape[at] == 1)
        at++;
    *view = to;
    return at == from.n_dims;
}

bool attn_tensor_as_matrix(const attn_tensor *tensor, attn_tensor *view)
{
    const size_t *shape = tensor->shape;
    size_t n = tensor->n_dims;
    if (n == 1)
        return attn_tensor_as(tensor, 2, (size_t[]){1, shape[0]}, view);
    while (n > 2 && shape[0] == 1) {
        shape++;
        n--;
    }
    while (n > 2 && shape[n - 1] == 1)
        n--;
    return n == 2 && attn_tensor_as(tensor, 2, shape, view);
}

static attn_tensor part(attn_tensor tensor, size_t dimension, size_t from, size_t count)
{
    assert(dimension < tensor.n_dims && from <= tensor.shape[dimension] && count <= tensor.shape[dimension] - from);
    if (from > 0 && count > 0)
        tensor.data = element_at(&tensor, (ptrdiff_t)from * tensor.strides[dimension]);
    tensor.shape[dimension] = count;
    return tensor;
}

attn_tensor attn_tensor_rows(attn_tensor tensor, size_t from, size_t count)
{
    return part(tensor, 0, from, count);
}

attn_tensor attn_tensor_columns(attn_tensor matrix, size_t from, size_t count)
{
    assert(matrix.n_dims == 2);
    return part(matrix, 1, from, count);
}

attn_tensor attn_tensor_at(attn_tensor tensor, size_t index)
{
    attn_tensor inner = part(tensor, 0, index, 1);
    inner.n_dims--;
    for (size_t i = 0; i < inner.n_dims; i++) {
        inner.shape[i] = tensor.shape[i + 1];
        inner.strides[i] = tensor.strides[i + 1];
    }
    return inner;
}

/* COUNT elements from OFFSET on, which lie one behind the other, to OUT[count]; blocks may be cut at both ends. */
static void read_run(const attn_tensor *tensor, ptrdiff_t offset, size_t count, float *out)
{
    const attn_dtype_row *row = attn_dtype_row_of(tensor->dtype);
    size_t elements = row->info.block_elements;
    if (elements == 1) {
        (tensor->big_endian ? row->big : row->little)(element_at(tensor, offset), count, out);
        return;
    }
    assert(offset >= 0);
    size_t skipped = (size_t)offset % elements;
    const uint8_t *block = element_at(tensor, offset - (ptrdiff_t)skipped);
    while (count > 0) {
        size_t used = elements - skipped < count ? elements - skipped : count;
        float whole[ATTN_MAX_BLOCK];
        row->little(block, elements, used == elements ? out : whole);
        if (used < elements)
            memcpy(out, whole + skipped, used * sizeof *out);
        out += used;
        count -= used;
        block += row->info.block_bytes;
        skipped = 0;
    }
}

/* The rows ROW… of columns COLUMN… where a stored row is a column of MATRIX: runs into a tile, then turned. */
static void read_tile(const attn_tensor *matrix, size_t row, size_t n_rows, size_t column, size_t n_columns, float *out,
                      size_t out_stride)
{
    float tile[TILE_COLUMNS * TILE_STRIDE]; /* [n_columns][n_rows] */
    for (size_t j = 0; j < n_columns; j++)
        read_run(matrix, (ptrdiff_t)row + (ptrdiff_t)(column + j) * matrix->strides[1], n_rows, tile + j * TILE_STRIDE);
    if (n_columns == TILE_COLUMNS) {
        for (size_t i = 0; i < n_rows; i++)
            for (size_t j = 0; j < TILE_COLUMNS; j++)
                out[i * out_stride + j] = tile[j * TILE_STRIDE + i];
    } else {
        for (size_t i = 0; i < n_rows; i++)
            for (size_t j = 0; j < n_columns; j++)
                out[i * out_stride + j] = tile[j * TILE_STRIDE + i];
    }
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void read_transposed(const attn_tensor *matrix, size_t row, size_t n_rows, size_t column, size_t n_columns,
                            float *out, size_t out_stride)
{
    for (size_t i = 0; i < n_rows;) {
        size_t rows = smaller(TILE_ROWS - (row + i) % TILE_ROWS, n_rows - i);
        for (size_t j = 0; j < n_columns; j += TILE_COLUMNS)
            read_tile(matrix, row + i, rows, column + j, smaller(TILE_COLUMNS, n_columns - j), out + i * out_stride + j,
                      out_stride);
        i += rows;
    }
}

void attn_tensor_read(const attn_tensor *matrix, size_t row, size_t n_rows, size_t column, size_t n_columns, float *out,
                      size_t out_stride)
{
    ptrdiff_t down = matrix->strides[0], along = matrix->strides[1];
    assert(matrix->n_dims == 2);
    assert(row <= matrix->shape[0] && n_rows <= matrix->shape[0] - row);
    assert(column <= matrix->shape[1] && n_columns <= matrix->shape[1] - column);
    if (along == 1) {
        for (size_t i = 0; i < n_rows; i++)
            read_run(matrix, (ptrdiff_t)(row + i) * down + (ptrdiff_t)column * along, n_columns, out + i * out_stride);
    } else if (down == 1) {
        read_transposed(matrix, row, n_rows, column, n_columns, out, out_stride);
    } else {
        for (size_t i = 0; i < n_rows; i++)
            for (size_t j = 0; j < n_columns; j++)
                read_run(matrix, (ptrdiff_t)(row + i) * down + (ptrdiff_t)(column + j) * along, 1,
                         out + i * out_stride + j);
    }
}

void attn_tensor_to_f32(const attn_tensor *tensor, float *out)
{
    attn_tensor matrix = *tensor;
    size_t count;
    if (!attn_tensor_count(tensor, &count) || count == 0)
        return;
    if (tensor->n_dims > 2) {
        size_t inner = count / tensor->shape[0];
        for (size_t i = 0; i < tensor->shape[0]; i++) {
            attn_tensor at = attn_tensor_at(*tensor, i);
            attn_tensor_to_f32(&at, out + i * inner);
        }
        return;
    }
    if (tensor->n_dims < 2) { /* one row, or one number */
        matrix.n_dims = 2;
        matrix.shape[0] = 1;
        matrix.shape[1] = count;
        matrix.strides[0] = 0;
        matrix.strides[1] = tensor->n_dims == 1 ? tensor->strides[0] : 1;
    }
    attn_tensor_read(&matrix, 0, matrix.shape[0], 0, matrix.shape[1], out, matrix.shape[1]);
}

const float *attn_tensor_as_f32(const attn_tensor *tensor)
{
    size_t stride = 1;
    if (tensor->data == NULL || tensor->dtype != ATTN_F32 ||
        tensor->big_endian != attn_tensor_f32(NULL, 0, 0).big_endian || (uintptr_t)tensor->data % sizeof(float) != 0)
        return NULL;
    for (size_t i = tensor->n_dims; i-- > 0;) {
        if (tensor->shape[i] != 1 && tensor->strides[i] != (ptrdiff_t)stride)
            return NULL;
        stride *= tensor->shape[i];
    }
    return (const float *)(const void *)tensor->data;
}

const float *attn_tensor_floats(const attn_tensor *tensor, attn_arena *arena)
{
    const float *there = attn_tensor_as_f32(tensor);
    size_t count;
    if (there != NULL || !attn_tensor_count(tensor, &count))
        return there;
    float *copy = attn_arena_aligned(arena, count, sizeof *copy);
    if (copy != NULL)
        attn_tensor_to_f32(tensor, copy);
    return copy;
}

void attn_tensor_describe(const attn_tensor *tensor, char *text, size_t size)
{
    int used = snprintf(text, size, "%s", attn_dtype_of(tensor->dtype)->name);
    for (size_t i = 0; i < tensor->n_dims && used >= 0 && (size_t)used < size; i++) {
        int more = snprintf(text + used, size - (size_t)used, "%s[%zu]", i == 0 ? " " : "", tensor->shape[i]);
        used = more < 0 ? more : used + more;
    }
}
