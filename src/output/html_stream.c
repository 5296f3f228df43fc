/* html_stream.c: bytes through zlib and base64 into a sink, a piece at a time. Used by html.c and html_cells.c. */
#include "config.h"

#include "base/memory.h"
#include "output/html_cells.h"
#include "output/png.h"

#define ZLIB_CONST
#include <zlib.h>

enum { PIECE = 3 << 14 }; /* of which base64 leaves nothing over */

struct attn_html_stream {
    z_stream deflate;
    attn_sink *sink;
    attn_buffer text;   /* a piece in base64 */
    uint8_t out[PIECE]; /* deflated, not yet written */
};

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

attn_status attn_html_stream_open(attn_sink *sink, attn_html_stream **stream, attn_error *error)
{
    attn_html_stream *opened = attn_calloc_array(1, sizeof *opened);
    *stream = NULL;
    if (opened == NULL)
        return attn_fail_memory(error);
    opened->sink = sink;
    opened->deflate = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free};
    /* Z_RLE: planes of bytes have runs and a spread, and no phrases; a third of the time, and not longer */
    if (deflateInit2(&opened->deflate, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL - 1, Z_RLE) != Z_OK) {
        attn_free(opened);
        return attn_fail_memory(error);
    }
    opened->deflate.next_out = opened->out;
    opened->deflate.avail_out = PIECE;
    *stream = opened;
    return ATTN_OK;
}

/* What is deflated, as base64. */
static attn_status flush(attn_html_stream *stream, attn_error *error)
{
    const attn_bytes deflated = {stream->out, PIECE - stream->deflate.avail_out};
    stream->text.size = 0;
    attn_base64_put(deflated, &stream->text);
    if (stream->text.failed)
        return attn_fail_memory(error);
    attn_sink_put(stream->sink, stream->text.data, stream->text.size);
    stream->deflate.next_out = stream->out;
    stream->deflate.avail_out = PIECE;
    return attn_sink_status(stream->sink, error);
}

/* Deflates what is waiting; FINISH: to the end of the stream. */
static attn_status run(attn_html_stream *stream, bool finish, attn_error *error)
{
    attn_status status = ATTN_OK;
    while (status == ATTN_OK) {
        const int result = deflate(&stream->deflate, finish ? Z_FINISH : Z_NO_FLUSH);
        const bool done = finish ? result == Z_STREAM_END : stream->deflate.avail_in == 0;
        if (stream->deflate.avail_out == 0 || (done && finish))
            status = flush(stream, error);
        if (done)
            break;
    }
    return status;
}

attn_status attn_html_stream_put(attn_html_stream *stream, const uint8_t *bytes, size_t size, attn_error *error)
{
    attn_status status = ATTN_OK;
    for (size_t done = 0, piece; done < size && status == ATTN_OK; done += piece) {
        piece = size - done < PIECE ? size - done : PIECE;
        stream->deflate.next_in = bytes + done;
        stream->deflate.avail_in = (uInt)piece;
        status = run(stream, false, error);
    }
    return status;
}

attn_status attn_html_stream_end(attn_html_stream *stream, attn_error *error)
{
    stream->deflate.avail_in = 0;
    return run(stream, true, error);
}

void attn_html_stream_close(attn_html_stream *stream)
{
    if (stream == NULL)
        return;
    deflateEnd(&stream->deflate);
    attn_buffer_free(&stream->text);
    attn_free(stream);
}
