/* writer.h: rows to a format. A writer knows no attention and no text: a report describes its rows once
 * (schema), each text once (its labels are escaped then, not per row), and then hands over whole rows; there
 * is never a call a cell.
 *
 * Rows come in one of four shapes:
 *   grid     a row of numbers a (layer, head, query), one number a key, some of them masked: weights, scores
 *   vectors  rows of numbers a position: embeddings
 *   records  rows of cells: the other reports
 *   steps    sections of small tables, a row a token, a column a step of a calculation: explain
 *
 * A format is one file that ends in its row, an attn_output, and one line in outputs.h. What others must know of it
 * is said in the row: nobody else names it. */
#ifndef ATTN_OUTPUT_WRITER_H
#define ATTN_OUTPUT_WRITER_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/given.h"
#include "output/points.h"
#include "output/sink.h"

typedef enum attn_shape {
    ATTN_SHAPE_GRID = 1,
    ATTN_SHAPE_VECTORS = 2,
    ATTN_SHAPE_RECORDS = 4,
    ATTN_SHAPE_STEPS = 8,
    ATTN_SHAPE_MAPS = 16, /* in a format's row: records by head, whose columns it draws as maps */
    ATTN_SHAPE_PLANE = 32 /* in a format's row: records or vectors that can be drawn as points in a plane */
} attn_shape;

/* Where a column's value comes from. */
typedef enum attn_column_kind {
    ATTN_COLUMN_TEXT, /* the text: its number, file, line */
    ATTN_COLUMN_FILE,
    ATTN_COLUMN_LINE,
    ATTN_COLUMN_LAYER, /* the row's place; grid, vectors and steps */
    ATTN_COLUMN_HEAD,
    ATTN_COLUMN_AT,
    ATTN_COLUMN_QUERY, /* grid and steps; vectors: position and token */
    ATTN_COLUMN_QUERY_LABEL,
    ATTN_COLUMN_KEY,
    ATTN_COLUMN_KEY_LABEL,
    ATTN_COLUMN_STEP,      /* steps: its name */
    ATTN_COLUMN_DIMENSION, /* steps: which number of a vector */
    ATTN_COLUMN_VALUE,     /* grid, steps */
    ATTN_COLUMN_NUMBERS,   /* vectors: all of them, v0 v1 … */
    ATTN_COLUMN_NUMBER,    /* vectors: the one of that index */
    ATTN_COLUMN_CELL       /* records: the cell of that index */
} attn_column_kind;

/* What values a number may have, and with that what a color of it says. */
typedef enum attn_range {
    ATTN_RANGE_NONE,     /* no color */
    ATTN_RANGE_UNIT,     /* 0…1 */
    ATTN_RANGE_POSITIVE, /* 0… */
    ATTN_RANGE_SIGNED    /* on both sides of 0 */
} attn_range;

typedef struct attn_column {
    const char *name;
    attn_column_kind kind;
    size_t cell;      /* ATTN_COLUMN_CELL, ATTN_COLUMN_NUMBER */
    attn_range range; /* ATTN_COLUMN_CELL, of numbers */
    bool joined;      /* a position before its token: one column of a table with titles */
} attn_column;

typedef struct attn_schema { /* all borrowed for the writer's life */
    const char *report;      /* whose rows they are: "weights" … */
    attn_shape shape;
    const attn_column *columns; /* [n_columns], in output order */
    size_t n_columns;
    bool chosen;             /* the user chose them (--columns) */
    bool both;               /* vectors: those before and those after a layer */
    bool has_at;             /* vectors: they stand before or after something, and rows say which */
    bool heads;              /* vectors: they belong to heads, which come within a layer */
    size_t titled;           /* records: the first so many columns name a section, which a table says in a title; 0: no
                                sections */
    bool by_head;            /* records: one a (layer, head), which are cells 0 and 1: columns can be drawn as maps */
    bool plane;              /* the rows can be drawn as points in a plane */
    bool filtered;           /* the user said which numbers to leave out (--min) */
    bool several_texts;      /* more than one will come, as far as is known */
    attn_range range;        /* grid: of its numbers */
    const char *value;       /* grid: what the numbers are: "weight" or "score"; "weights", "scores" */
    const char *values;      /*       as the name of a JSON array */
    bool masked_is_zero;     /* grid: a masked weight is 0, a masked score is nothing */
    size_t width;            /* vectors: numbers a row */
    const char *const *axes; /* vectors: [width] names of the dimensions, or NULL */
} attn_schema;

typedef struct attn_side {    /* the selected queries or keys of a text */
    size_t n, n_all;          /* selected, and before the selection */
    const size_t *positions;  /* [n], ascending */
    const attn_bytes *labels; /* [n]; well-formed UTF-8, not escaped */
} attn_side;

typedef struct attn_writer_text { /* borrowed until the next text or the end */
    uint64_t number;
    const char *file;         /* "" when it is none */
    uint64_t line;            /* 0: none */
    attn_side queries, keys;  /* grid: both; vectors: queries holds the positions; records: neither */
    size_t n_layers, n_heads; /* grid, vectors: how many are selected, for formats that say so first; n_heads
                                  0: not the same in every layer */
} attn_writer_text;

#define ATTN_HEAD_MEAN SIZE_MAX

typedef struct attn_grid_row {
    size_t layer, head;     /* head ATTN_HEAD_MEAN: the mean over heads */
    size_t query;           /* index into the text's queries */
    const float *values;    /* [keys.n] */
    const uint8_t *visible; /* [keys.n]; 0: masked, or left out by a filter */
    const size_t *order;    /* [n_order] indices of the visible keys as lists show them; NULL: as they come */
    size_t n_order;
} attn_grid_row;

typedef struct attn_vector_row {
    size_t layer, head; /* head 0 where they belong to none */
    bool after;
    size_t query;        /* index into the text's queries */
    const float *values; /* [width] */
} attn_vector_row;

typedef enum attn_cell_type { ATTN_CELL_COUNT, ATTN_CELL_NUMBER, ATTN_CELL_LABEL, ATTN_CELL_NONE } attn_cell_type;
typedef struct attn_cell {
    attn_cell_type type;
    uint64_t count;   /* ATTN_CELL_COUNT */
    float number;     /* ATTN_CELL_NUMBER */
    attn_bytes label; /* ATTN_CELL_LABEL; well-formed UTF-8, not escaped */
} attn_cell;
attn_cell attn_cell_count(uint64_t count);
attn_cell attn_cell_number(float number);
attn_cell attn_cell_label(attn_bytes label);

/* ---- steps: how numbers came about ---- */

#define ATTN_HEAD_NONE (SIZE_MAX - 1) /* what belongs to a layer and to none of its heads */
#define ATTN_NO_POSITION SIZE_MAX     /* of what is no token of the text */

typedef struct attn_section { /* a head of a layer, or what is behind its heads */
    size_t layer, head;
    const char *facts; /* what holds for all of it, in words: "2 tokens of 2 numbers, no mask" */
} attn_section;

/* One step: a number, or a vector, for each row of a table (or alone). What is made of other steps says so, for formats
 * that show how. All but the name is for eyes. */
typedef struct attn_step {
    const char *name;        /* as data: "dot"; NULL: no data, since it follows from other steps */
    const char *title;       /* over it; NULL: not shown */
    const char *short_title; /* the same where vectors are too long to be written out and stand there by their lengths;
                                NULL: not shown then */
    bool of_layer;           /* and of none of its heads */
    bool vector;             /* its numbers are counted by dimension, also when it is one */
    bool shares;             /* what rows that are not shown have of TOTAL is worth saying */
    size_t width;            /* numbers a row */
    const float *values;     /* [n_rows][width] */
    const uint8_t *present;  /* [n_rows], 0: there is no such number; NULL: all are there */
    double total;            /* over all rows, also those that are left out; NAN: says nothing */
    /* it is Σ_k left[k]·right[row][k], rows RIGHT_STRIDE floats apart; n_products 0: it is not, or left to itself */
    const float *left, *right;
    size_t n_products, right_stride;
    const float *from; /* [width]: the vector whose place it takes; NULL: none */
    /* it is the sum over the rows of column FACTOR (a number) times column SUMMED (a vector); NULL: it is not */
    const struct attn_step *factor, *summed;
} attn_step;

typedef struct attn_step_rows { /* {0}: none */
    bool keys;                  /* else they are queries, as the positions and tokens of vectors are */
    size_t n;
    const size_t *positions;  /* [n] */
    const attn_bytes *labels; /* [n]; well-formed UTF-8, not escaped */
    const size_t *shown;      /* [n_shown] rows, in the order in which a page for eyes shows them; NULL: as they come */
    size_t n_shown;
    size_t n_more, n_masked; /* what such a page does not show: so many seen, so many masked */
} attn_step_rows;

typedef struct attn_step_table { /* one table, and what comes of it */
    size_t layer, head;
    size_t query; /* whose steps they are; ATTN_NO_POSITION: of all rows */
    attn_bytes query_label;
    attn_step_rows rows;
    const attn_step *columns; /* [n_columns] */
    size_t n_columns;
    const attn_step *heading; /* [n_heading] of the query, no data: they stand in another table */
    size_t n_heading;
    const attn_step *results; /* [n_results] of the query; one row each */
    size_t n_results;
    const char *note; /* what is to be said of the columns; NULL */
} attn_step_table;

typedef struct attn_writer attn_writer;

typedef struct attn_output { /* a format's row */
    const char *name;
    unsigned shapes;               /* attn_shape, or-ed: what it can write */
    unsigned columns;              /* likewise: where columns can be chosen */
    unsigned widths, shades;       /* likewise: where --width and --shade mean something */
    unsigned drawings;             /* 1 << attn_drawing, or-ed: what --draw may say */
    bool one_text;                 /* a file of it holds one text */
    bool one_array;                /* and one array: not the vectors before and after at once */
    bool binary;                   /* nothing for a terminal, unless -o says so */
    bool for_terminal, for_stream; /* the one that is taken when none is named, on a terminal and elsewhere */
    bool for_narrow; /* stands in for the one that is taken on a terminal, for texts that do not fit there */
    size_t size;     /* of its state, which begins with an attn_writer; cleared before open */
    /* Each may be NULL: nothing to do. Memory is freed by close, whatever failed before. A failed write is
     * seen by writer.c after each call. */
    attn_status (*open)(attn_writer *writer, attn_error *error);
    bool (*fits)(const attn_writer *writer, const attn_writer_text *text); /* on its screen, a grid; NULL: always */
    attn_status (*text_begin)(attn_writer *writer, attn_error *error);
    attn_status (*grid)(attn_writer *writer, const attn_grid_row *row, attn_error *error);
    attn_status (*vector)(attn_writer *writer, const attn_vector_row *row, attn_error *error);
    attn_status (*record)(attn_writer *writer, const attn_cell *cells, attn_error *error);
    attn_status (*section)(attn_writer *writer, const attn_section *section, attn_error *error);
    attn_status (*steps)(attn_writer *writer, const attn_step_table *steps, attn_error *error);
    attn_status (*plane)(attn_writer *writer, const attn_plane *plane, attn_error *error); /* once, after all texts */
    attn_status (*text_end)(attn_writer *writer, attn_error *error);
    attn_status (*flush)(attn_writer *writer, attn_error *error); /* what is held back and need not be, to the sink */
    attn_status (*end)(attn_writer *writer, attn_error *error);
    void (*close)(attn_writer *writer);
} attn_output;

/* In --help's order; NULL past the end. */
const attn_output *attn_output_at(size_t index);

typedef enum attn_color { ATTN_COLOR_UNSAID, ATTN_COLOR_AUTO, ATTN_COLOR_ALWAYS, ATTN_COLOR_NEVER } attn_color;

/* What is full color: 1 (or the largest of all, where numbers have no such bound), each row's largest, the map's. */
typedef enum attn_shade {
    ATTN_SHADE_UNSAID,
    ATTN_SHADE_LINEAR,
    ATTN_SHADE_SQRT, /* linear, of the square root */
    ATTN_SHADE_ROW,
    ATTN_SHADE_MAX
} attn_shade;

/* How a picture is drawn where there is a choice. */
typedef enum attn_drawing { ATTN_DRAW_UNSAID, ATTN_DRAW_LARGE, ATTN_DRAW_LINES, ATTN_DRAW_SQUARES } attn_drawing;

typedef struct attn_output_request { /* what is asked of the output; {0}: nothing. Strings borrowed */
    const attn_output *format;       /* NULL: the one for a terminal or a stream, whichever the sink is */
    const char *path;                /* of the sink; NULL: standard output */
    const char *columns;             /* LIST of names */
    attn_given_count precision;      /* decimals */
    attn_color color;
    attn_shade shade;
    attn_drawing draw;
    size_t width; /* columns of text a line; 0: the terminal's */
    bool no_header;
} attn_output_request;

/* The format of REQUEST for rows as in SCHEMA (its columns may still be missing), written to SINK. ATTN_EUSAGE when
 * it can not write such rows, or not all that is asked for; the message names those that can. */
attn_status attn_output_choose(const attn_output_request *request, const attn_schema *schema, const attn_sink *sink,
                               const attn_output **format, attn_error *error);
/* Whether FORMAT (NULL: a default one) draws rows as in SCHEMA as points in a plane; several texts then share a file. */
bool attn_output_draws(const attn_output *format, const attn_schema *schema);
/* Writes nothing yet. */
attn_status attn_writer_open(const attn_output *format, const attn_output_request *request, const attn_schema *schema,
                             attn_sink *sink, attn_writer **writer, attn_error *error);
/* The rows that follow belong to TEXT. Grid rows of a text come by layer, head, query. */
attn_status attn_writer_text_begin(attn_writer *writer, const attn_writer_text *text, attn_error *error);
/* How many of the numbers so far were NaN or infinite. */
uint64_t attn_writer_not_finite(const attn_writer *writer);
attn_status attn_writer_grid(attn_writer *writer, const attn_grid_row *row, attn_error *error);
attn_status attn_writer_vector(attn_writer *writer, const attn_vector_row *row, attn_error *error);
attn_status attn_writer_record(attn_writer *writer, const attn_cell *cells, attn_error *error);
/* Of the shape steps: what follows belongs to SECTION. All is borrowed for the call. */
attn_status attn_writer_section(attn_writer *writer, const attn_section *section, attn_error *error);
attn_status attn_writer_steps(attn_writer *writer, const attn_step_table *steps, attn_error *error);
/* Instead of rows, before the end: where attn_output_draws says that the format draws them so. */
attn_status attn_writer_plane(attn_writer *writer, const attn_plane *plane, attn_error *error);
attn_status attn_writer_text_end(attn_writer *writer, attn_error *error);
/* Who reads the rows has all that can be had of them by now. */
attn_status attn_writer_flush(attn_writer *writer, attn_error *error);
/* After the last text: what is still held back. The sink is not committed. */
attn_status attn_writer_end(attn_writer *writer, attn_error *error);
void attn_writer_close(attn_writer *writer);

#endif
