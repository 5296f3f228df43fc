/* zip_read.c: the content of a zip archive's member: stored or inflated by zlib, its checksum checked. Used by
 * npz.c. */
#include "config.h"

#include "formats/zip.h"

#define ZLIB_CONST
#include <zlib.h>

/* zlib counts in 32 bits: it is fed by pieces. */
#define PIECE ((size_t)1 << 30)

static voidpf zlib_alloc(voidpf opaque, uInt count, uInt size)
{
    (void)opaque;
    return attn_alloc_array(count, size);
}

static void zlib_free(voidpf opaque, voidpf address)
{
    (void)opaque;
    attn_free(address);
}

static uInt piece(size_t left)
{
    return (uInt)(left < PIECE ? left : PIECE);
}

/* Runs the stream to its end; OUT is filled exactly or it is an error. */
static attn_status run(z_stream *stream, const attn_zip_member *member, attn_error *error)
{
    size_t in_left = member->data.size, out_left = member->size;
    int result = Z_OK;
    while (result == Z_OK) {
        uInt in = piece(in_left), out = piece(out_left);
        stream->avail_in = in;
        stream->avail_out = out;
        result = inflate(stream, Z_NO_FLUSH);
        in_left -= in - stream->avail_in;
        out_left -= out - stream->avail_out;
    }
    if (result == Z_MEM_ERROR)
        return attn_fail_memory(error);
    if (result != Z_STREAM_END || in_left > 0 || out_left > 0)
        return attn_fail(error, ATTN_EDATA, "its deflated data are damaged or do not give the %zu bytes it claims",
                         member->size);
    return ATTN_OK;
}

static attn_status inflate_into(const attn_zip_member *member, uint8_t *out, attn_error *error)
{
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free, .next_in = member->data.data};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) /* negative: without zlib's own header */
        return attn_fail_memory(error);
    stream.next_out = out;
    attn_status status = run(&stream, member, error);
    inflateEnd(&stream);
    return status;
}

attn_status attn_zip_read(const attn_zip_member *member, attn_arena *arena, attn_bytes *content, attn_error *error)
{
    *content = member->data;
    if (member->deflated) {
        uint8_t *out = attn_arena_aligned(arena, member->size, 1);
        attn_status status = out != NULL ? inflate_into(member, out, error) : attn_fail_memory(error);
        if (status != ATTN_OK)
            return status;
        *content = (attn_bytes){out, member->size};
    }
    if (crc32_z(0, content->data, content->size) != member->crc)
        return attn_fail(error, ATTN_EDATA, "its checksum is wrong: the data are damaged");
    return ATTN_OK;
}
