/* gunzip.h: a gzip file unpacked piece by piece (RFC 1952): all its members, one behind the other. */
#ifndef ATTN_BASE_GUNZIP_H
#define ATTN_BASE_GUNZIP_H

#include "base/bytes.h"
#include "base/error.h"

typedef struct attn_gunzip attn_gunzip;

bool attn_is_gzip(attn_bytes bytes);
/* PACKED is borrowed. ATTN_OK or ATTN_ENOMEM. */
attn_status attn_gunzip_open(attn_bytes packed, attn_gunzip **gunzip, attn_error *error);
/* The next SIZE bytes to OUT; *GOT is less at the end only. ATTN_EDATA: the file is damaged or cut short; checksums are
 * looked at. */
attn_status attn_gunzip_read(attn_gunzip *gunzip, uint8_t *out, size_t size, size_t *got, attn_error *error);
size_t attn_gunzip_used(const attn_gunzip *gunzip); /* bytes of PACKED so far */
void attn_gunzip_close(attn_gunzip *gunzip);        /* NULL is fine */

#endif
