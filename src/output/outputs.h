/* outputs.h: the formats of -f, in --help's order. Each line stands for the row attn_output_NAME, with which the
 * format's file ends. */
#ifndef ATTN_OUTPUT_OUTPUTS_H
#define ATTN_OUTPUT_OUTPUTS_H

/* clang-format off */
#define ATTN_OUTPUTS(OUTPUT) \
    OUTPUT(table)            \
    OUTPUT(tsv)              \
    OUTPUT(matrix)           \
    OUTPUT(json)             \
    OUTPUT(npy)              \
    OUTPUT(heat)             \
    OUTPUT(svg)              \
    OUTPUT(html)
/* clang-format on */

#endif
