/* output.h: what a format's file defines and may use. Private to output/. */
#ifndef ATTN_OUTPUT_OUTPUT_H
#define ATTN_OUTPUT_OUTPUT_H

#include "base/buffer.h"
#include "output/escape.h"
#include "output/number.h"
#include "output/outputs.h"
#include "output/screen.h"
#include "output/writer.h"

#define ATTN_DECLARE(name) extern const attn_output attn_output_##name;
ATTN_OUTPUTS(ATTN_DECLARE)
#undef ATTN_DECLARE

typedef struct attn_writer_options {
    int precision; /* ATTN_SHORTEST, or decimals */
    attn_shade shade;
    attn_drawing draw;
    attn_screen screen;
    bool no_header;
} attn_writer_options;

struct attn_writer { /* each format's own state begins with one */
    const attn_output *format;
    attn_sink *sink; /* borrowed */
    attn_schema schema;
    attn_writer_options options;
    attn_writer_text text; /* the current one */
    attn_writer *narrow;   /* owned; writes the texts that do not fit; NULL: this one writes all */
    bool is_narrow;        /* it writes the current one */
    uint64_t n_texts;      /* begun so far */
    uint64_t n_not_finite; /* numbers written that are NaN or infinite */
};

/* The formats that can write what this one can not: "tsv, table or json". */
enum { ATTN_FORMAT_LIST_ROOM = 256 };
const char *attn_other_formats(const attn_writer *writer, char list[ATTN_FORMAT_LIST_ROOM]);

/* Many texts in one buffer: text i is [starts[i], starts[i+1]). Initialise with {0}. */
typedef struct attn_labels {
    attn_buffer bytes;
    size_t *starts; /* owned; [n + 1] */
    size_t n;
} attn_labels;
typedef void attn_put_label(const void *context, size_t index, attn_buffer *out);
/* Makes N of them, PUT appending each. */
attn_status attn_labels_make(attn_labels *labels, size_t n, attn_put_label *put, const void *context,
                             attn_error *error);
attn_bytes attn_labels_at(const attn_labels *labels, size_t index);
void attn_labels_free(attn_labels *labels);

void attn_buffer_count(attn_buffer *buffer, uint64_t count);
void attn_buffer_number(attn_buffer *buffer, float number, int precision);
/* N numbers, each behind SEPARATOR, straight into the sink; MASKED stands for an invisible one. VISIBLE NULL: all
 * are visible. */
void attn_put_numbers(const attn_writer *writer, const float *values, const uint8_t *visible, size_t n, char separator,
                      const char *masked);
/* A head's number, "mean", or nothing of ATTN_HEAD_NONE. */
void attn_put_head(size_t head, attn_buffer *out);
/* "text 0 (a.txt:3)", for eyes. */
void attn_put_text_title(const attn_writer *writer, attn_buffer *out);
typedef struct attn_row_place {
    size_t layer, head, position;
    bool after;
} attn_row_place;
/* Appends a column that is the same for a whole row: text, file, line, layer, head, at, position. False: the kind
 * is none of these. */
bool attn_put_place(const attn_writer *writer, attn_column_kind kind, const attn_row_place *place, attn_buffer *out);
/* How many decimals a number for eyes has. */
int attn_table_decimals(const attn_writer *writer);

#endif
