/* kernels.h: the inner loops, one table an instruction set, chosen at run time.
 *
 * One tile serves scores, projections and the sum over values: A's rows against a panel of B.
 *
 *   packed A   [depth][tile_rows]     element k of row i at k·tile_rows + i
 *   panel of B [depth][ATTN_PANEL]    16 columns side by side, 64-byte aligned
 *   C          row-major, any stride, any alignment
 *
 * Every element of C is one chain of multiply-adds over k = 0, 1, …: it does not depend on `rows`,
 * on the row's place in the tile or on the panel's other columns. So results do not change with how
 * a product is cut into tiles. Packed A and panels are padded (with zeros) by pack_rows and
 * pack_panel; what stands in padding never reaches another row or column.
 *
 * Kernels differ from each other by rounding only: |difference| <= 2·depth·2^-24·Σ|a·b| for
 * products, the exponentials' bounds below. tests/kernels holds each against the scalar one. */
#ifndef ATTN_KERNELS_KERNELS_H
#define ATTN_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    ATTN_PANEL = 16,         /* columns of a panel, of every kernel */
    ATTN_MAX_TILE_ROWS = 16, /* no kernel's tile_rows is above */
    ATTN_KEY_BLOCK = 256     /* keys of one step of the online softmax; row stride of weigh's A */
};

typedef struct attn_kernel_table {
    const char *name;  /* as ATTN_KERNEL spells it */
    const char *needs; /* for --version: "AVX2 and FMA" */
    size_t tile_rows;

    /* C[rows][16] = A·B, added to C when ADD; rows <= tile_rows; other rows of C stay as they are. */
    void (*product)(size_t rows, size_t depth, const float *a /* [depth][tile_rows] */,
                    const float *b /* [depth][16] */, float *c /* [rows][16] */, size_t c_stride, bool add);

    /* C[i] = factor[i]·C[i] + Σ_k a[i][k]·b[k], rows of A ATTN_KEY_BLOCK floats apart. */
    void (*weigh)(size_t rows, size_t depth, const float *a /* [rows][ATTN_KEY_BLOCK] */,
                  const float *b /* [depth][16] */, const float *factor /* [rows] */, float *c /* [rows][16] */,
                  size_t c_stride);

    /* C[i][j] = Σ_k (a[i][k] − b[k][j])²; as product otherwise. */
    void (*distance)(size_t rows, size_t depth, const float *a, const float *b, float *c, size_t c_stride);

    /* panel[k][j] = factor·x[j][k] for j < rows <= 16, 0 beyond. NaN becomes the canonical one.
     * False: some number was not finite. */
    bool (*pack_panel)(size_t rows, size_t depth, const float *x /* [rows][depth] */, size_t x_stride, float factor,
                       float *panel /* [depth][16] */);

    /* panel[k][j] = x[k][j] for j < width <= 16, 0 beyond: W[in][out], or values. False as above;
     * NaN stays as it is. */
    bool (*copy_panel)(size_t depth, size_t width, const float *x /* [depth][width] */, size_t x_stride,
                       float *panel /* [depth][16] */);

    /* packed[k][i] = factor·x[i][k] for i < rows <= tile_rows, 0 beyond; else as pack_panel. */
    bool (*pack_rows)(size_t rows, size_t depth, const float *x /* [rows][depth] */, size_t x_stride, float factor,
                      float *packed /* [depth][tile_rows] */);

    /* The largest of x[n], n > 0; a NaN may be passed over. */
    float (*row_max)(const float *x, size_t n);

    /* One step of the online softmax over rows of scores; n is a multiple of ATTN_PANEL:
     *
     *   m = the larger of max[i] and the row's largest
     *   factor[i] = 2^(max[i] − m);  max[i] = m
     *   x[j] = 2^(x[j] − m);  sum[i] = factor[i]·sum[i] + Σ x[j]
     *
     * While m is −INFINITY the weights are 0, the factor 1. The power's error is <= 3 ulp where the
     * result is a normal number, <= 2^-126 below that; it is exactly 0 from −150 down (−INFINITY
     * too), exactly 1 at 0. A NaN among the scores makes the sum NaN. Weights of 0 at either end do
     * not change the order in which the others are summed. */
    void (*soften)(size_t rows, size_t n, float *x /* [rows][ATTN_KEY_BLOCK] */, float *max /* [rows] */,
                   float *sum /* [rows] */, float *factor /* [rows] */);

    /* x[j] = e^(factor·(x[j] − max)) for x[j] <= max, in place; error <= 1.25 ulp of a normal
     * result beside the rounding of the argument; 0 below the smallest normal number. NaN stays
     * NaN. */
    void (*exp_row)(float *x, size_t n, float max, float factor);

    /* x[j] = out·tanh(in·x[j]), in place; error <= 4 ulp where out and in are 1. NaN stays NaN. */
    void (*tanh_row)(float *x, size_t n, float in, float out);

    /* y[j] = factor·x[j] */
    void (*scale_row)(size_t n, float factor, const float *x /* [n] */, float *y /* [n] */);

    /* dots[r] = Σ_k a[k]·b[r][k]: N_ROWS rows B_STRIDE floats apart against one vector. Each dot is
     * summed in one fixed order that depends on depth alone. */
    void (*dots)(size_t n_rows, size_t depth, const float *a /* [depth] */, const float *b /* [n_rows][depth] */,
                 size_t b_stride, float *dots /* [n_rows] */);
} attn_kernel_table;

/* The kernels of this process: what ATTN_KERNEL names if this machine has it, else the best it has.
 * Chosen at the first call. */
const attn_kernel_table *attn_kernels(void);
/* By name; NULL: unknown, or not of this machine. */
const attn_kernel_table *attn_kernels_named(const char *name);
/* The INDEXth kernel compiled in, best first, and whether this machine can run it; NULL past the end. For --version
 * and tests. */
const attn_kernel_table *attn_kernels_list(size_t index, bool *usable);

#endif
