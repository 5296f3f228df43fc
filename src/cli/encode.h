/* encode.h: texts to tokens, by what the command line says of it: specials, lower case, unknown words, the cut, the
 * model's limit, padding; and the run's count of unknown words. Every token of a run comes from here. */
#ifndef ATTN_CLI_ENCODE_H
#define ATTN_CLI_ENCODE_H

#include "cli/message.h"
#include "model/model.h"

typedef struct attn_encode_request { /* {0}: nothing said. Strings borrowed */
    const char *unknown;             /* "skip", "error", or the token that stands for unknown words */
    const char *pad_token;           /* hidden as a key */
    bool no_special;                 /* none of the tokens that the model puts around a text */
    bool parse_special, lowercase;
    size_t max_tokens; /* longer texts are cut; 0: none is */
} attn_encode_request;

typedef struct attn_encoding { /* a run's; {0} can be closed */
    const attn_model *model;   /* borrowed, as messages */
    attn_messages *messages;
    size_t max_tokens;
    bool any_length;                     /* the model's limit does not matter */
    uint32_t pad;                        /* or ATTN_NO_TOKEN */
    attn_encode_options options;         /* of a text */
    attn_encode_options options_of_part; /* of a word */
    attn_unknowns unknowns, cut;         /* owned; words left out of what was printed, and such as are no token */
    attn_unknowns new_unknowns, new_cut; /* owned; likewise, of the text that is being read */
} attn_encoding;

/* ATTN_EUSAGE when the vocabulary has not a token that REQUEST names. ANY_LENGTH: the pass will not run. */
attn_status attn_encoding_open(const attn_encode_request *request, const attn_model *model, bool any_length,
                               attn_messages *messages, attn_encoding *encoding, attn_error *error);
void attn_encoding_close(attn_encoding *encoding);

typedef struct attn_encoded { /* {0}: none yet */
    attn_tokens tokens;       /* owned */
    uint8_t *hidden;          /* owned; [tokens.count], 1: padding; NULL: there is none */
} attn_encoded;
void attn_encoded_free(attn_encoded *encoded);

/* The tokens of TEXT, read from FILE ("" or "-" where it is none), in the place of what ENCODED held. */
attn_status attn_encode(attn_encoding *encoding, attn_bytes text, const char *file, attn_encoded *encoded,
                        attn_error *error);
/* An attn_encode_part (report/report.h) of the attn_encoding ENCODING. */
attn_status attn_encode_word(void *encoding, attn_bytes word, attn_tokens *tokens, attn_error *why, attn_error *error);

/* The text that was encoded is PRINTED, and the run's warnings tell of its words; or it was refused, and what was said
 * then is enough. */
attn_status attn_encoding_end_text(attn_encoding *encoding, bool printed, attn_error *error);
/* At the end of a run: which words were left out, and which were cut. */
void attn_encoding_warn(const attn_encoding *encoding);

#endif
