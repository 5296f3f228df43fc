/* sets.h: the tables that choose.c picks from. Only kernels/ includes it. */
#ifndef ATTN_KERNELS_SETS_H
#define ATTN_KERNELS_SETS_H

#include "kernels/kernels.h"

extern const attn_kernel_table attn_kernels_scalar;
extern const attn_kernel_table attn_kernels_avx2;
extern const attn_kernel_table attn_kernels_avx512;
extern const attn_kernel_table attn_kernels_neon;

#endif
