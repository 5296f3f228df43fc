/* spm_normal.h: SentencePiece's normalizer: its map of characters, what becomes of blanks, and the symbols that its user
 * has defined, which stay as they are. Only files of text/ include it. */
#ifndef ATTN_TEXT_UNICODE_SPM_NORMAL_H
#define ATTN_TEXT_UNICODE_SPM_NORMAL_H

#include "base/memory.h"
#include "text/unicode/charsmap.h"

typedef struct attn_spm_rules {
    bool prefix;   /* a blank before a text that is not empty … */
    bool suffix;   /* … or behind it instead */
    bool collapse; /* no blanks at the ends, one between words */
    bool escape;   /* a blank is written U+2581 */
} attn_spm_rules;

typedef struct attn_spm_normal {
    attn_spm_rules rules;
    bool has_map;
    attn_charsmap map;
    attn_bytes *symbols; /* in the arena; by first byte, then longest first */
    size_t first[257];   /* symbols of byte b: first[b] … first[b + 1] */
} attn_spm_normal;

/* Sorts the N SYMBOLS into ARENA. The map is the caller's to set. False: out of memory. */
bool attn_spm_normal_open(attn_spm_normal *normal, attn_arena *arena, const attn_bytes *symbols, size_t n);
attn_status attn_spm_normal_rewrite(const attn_spm_normal *normal, attn_rewrite *rewrite);

#endif
