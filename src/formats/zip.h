/* zip.h: the members of a zip archive, for npz.c. Stored and deflated ones, zip64, data descriptors; after PKWARE's
 * APPNOTE. */
#ifndef ATTN_FORMATS_ZIP_H
#define ATTN_FORMATS_ZIP_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

typedef struct attn_zip_member {
    attn_bytes name; /* borrowed from the file */
    attn_bytes data; /* as it lies in the file; borrowed */
    size_t size;     /* of the content */
    uint32_t crc;    /* of the content */
    bool deflated;
} attn_zip_member;

typedef struct attn_zip {
    attn_zip_member *members; /* owned; [n_members], in the directory's order */
    size_t n_members;
} attn_zip;

/* Reads the directory of the archive FILE (borrowed). Refused before anything is inflated: members that overlap each
 * other or the directory, encrypted ones, other methods, several disks, contents that claim more than deflate can have
 * packed, and archives that would grow more than a hundredfold. */
attn_status attn_zip_open(attn_bytes file, attn_zip *zip, attn_error *error);
void attn_zip_close(attn_zip *zip); /* leaves {0} */

/* The content of MEMBER, its checksum checked: a view into the file, or inflated into ARENA. */
attn_status attn_zip_read(const attn_zip_member *member, attn_arena *arena, attn_bytes *content, attn_error *error);

#endif
