/* grids.h: the points that GGUF's IQ types choose from, packed (grids.c says how). Only tensor/ includes it. */
#ifndef ATTN_TENSOR_GRIDS_H
#define ATTN_TENSOR_GRIDS_H

#include <stdint.h>

/* eight elements a point, 2 bits each */
extern const uint16_t attn_grid_iq2_xxs[256], attn_grid_iq2_xs[512], attn_grid_iq2_s[1024], attn_grid_iq1_s[2048];
/* four elements, 3 bits each */
extern const uint16_t attn_grid_iq3_xxs[256], attn_grid_iq3_s[512];

#endif
