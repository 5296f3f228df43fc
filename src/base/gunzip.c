/* gunzip.c: see gunzip.h; on zlib. */
#include "config.h"

#include "base/gunzip.h"
#include "base/memory.h"

#define ZLIB_CONST
#include <zlib.h>

enum { GZIP = 16 + MAX_WBITS };

/* zlib counts in 32 bits: it is fed by pieces. */
#define PIECE ((size_t)1 << 30)

struct attn_gunzip {
    z_stream stream;
    attn_bytes packed;
    size_t used;
    bool ended;
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

bool attn_is_gzip(attn_bytes bytes)
{
    return bytes.size >= 3 && bytes.data[0] == 0x1F && bytes.data[1] == 0x8B && bytes.data[2] == 8;
}

attn_status attn_gunzip_open(attn_bytes packed, attn_gunzip **gunzip, attn_error *error)
{
    attn_gunzip *opened = attn_calloc_array(1, sizeof *opened);
    *gunzip = NULL;
    if (opened == NULL)
        return attn_fail_memory(error);
    opened->stream = (z_stream){.zalloc = zlib_alloc, .zfree = zlib_free};
    opened->packed = packed;
    if (inflateInit2(&opened->stream, GZIP) != Z_OK) {
        attn_free(opened);
        return attn_fail_memory(error);
    }
    *gunzip = opened;
    return ATTN_OK;
}

/* A member has ended: another begins, or there is none; zeros behind the last, as tapes have them, are no more of it. */
static attn_status turn_member(attn_gunzip *g, attn_error *error)
{
    g->ended = g->used == g->packed.size || g->packed.data[g->used] == 0;
    return g->ended || inflateReset(&g->stream) == Z_OK ? ATTN_OK : attn_fail_memory(error);
}

attn_status attn_gunzip_read(attn_gunzip *g, uint8_t *out, size_t size, size_t *got, attn_error *error)
{
    z_stream *stream = &g->stream;
    attn_status status = ATTN_OK;
    *got = 0;
    while (*got < size && !g->ended && status == ATTN_OK) {
        const size_t left = g->packed.size - g->used, wanted = size - *got;
        const uInt in = (uInt)(left < PIECE ? left : PIECE), room = (uInt)(wanted < PIECE ? wanted : PIECE);
        stream->next_in = g->packed.data + g->used;
        stream->avail_in = in;
        stream->next_out = out + *got;
        stream->avail_out = room;
        const int result = inflate(stream, Z_NO_FLUSH);
        g->used += in - stream->avail_in;
        *got += room - stream->avail_out;
        if (result == Z_STREAM_END)
            status = turn_member(g, error);
        else if (result == Z_MEM_ERROR)
            status = attn_fail_memory(error);
        else if (result == Z_BUF_ERROR || (result == Z_OK && g->used == g->packed.size && stream->avail_out > 0))
            status = attn_fail(error, ATTN_EDATA, "the gzip file ends early: it was cut short");
        else if (result != Z_OK)
            status = attn_fail(error, ATTN_EDATA, "the gzip file is damaged");
    }
    return status;
}

size_t attn_gunzip_used(const attn_gunzip *gunzip)
{
    return gunzip->used;
}

void attn_gunzip_close(attn_gunzip *gunzip)
{
    if (gunzip == NULL)
        return;
    inflateEnd(&gunzip->stream);
    attn_free(gunzip);
}
