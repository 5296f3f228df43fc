/* bert_normal.h: BERT's normal form, as WordPiece and tokenizer.json's BertNormalizer fold a text. Only files of text/
 * include it. */
#ifndef ATTN_TEXT_UNICODE_BERT_NORMAL_H
#define ATTN_TEXT_UNICODE_BERT_NORMAL_H

#include "text/spec.h"
#include "text/unicode/form.h"

typedef struct attn_bert_fold {
    attn_bert_rules rules;
    bool clean_text;    /* control characters, NUL and U+FFFD leave, white space becomes ' ' */
    bool split_cjk;     /* a space before and behind each ideograph */
    bool strip_accents; /* canonical decomposition, without nonspacing marks (Mn) */
    bool lowercase;
    bool replace; /* ill-formed bytes are U+FFFD; else they stay as they are */
} attn_bert_fold;

attn_status attn_bert_rewrite(const attn_bert_fold *fold, attn_rewrite *rewrite);

#endif
