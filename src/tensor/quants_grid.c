/* quants_grid.c: GGUF's block types of one to three bits whose elements are points of a grid, to float32: IQ1, IQ2 and
 * IQ3. Used by the table in dtype.c; notation and source as in quants.c. All blocks are of 256 elements, in eight
 * groups of 32; a group has four octets, an octet one sign for each element and one point of eight levels, or two of
 * four.
 *
 * Where signs have 7 bits, the eighth makes their number even. */
#include "config.h"

#include "tensor/convert.h"
#include "tensor/grids.h"

enum { N_GROUPS = 8, N_OCTETS = 4 };

static const uint8_t iq2_levels[4] = {8, 25, 43, 0};
static const uint8_t iq3_xxs_levels[8] = {4, 12, 20, 28, 36, 44, 52, 62};
static const uint8_t iq3_s_levels[8] = {1, 3, 5, 7, 9, 11, 13, 15};

/* COUNT elements of POINT, BITS each; those whose bit is set in SIGNS are below 0. */
static void put_point(unsigned point, unsigned bits, const uint8_t *levels, float scale, unsigned signs, size_t count,
                      float *restrict out)
{
    const unsigned mask = (1u << bits) - 1;
    for (size_t j = 0; j < count; j++) {
        const float value = scale * (float)levels[point >> (j * bits) & mask];
        out[j] = (signs >> j & 1u) != 0 ? -value : value;
    }
}

static void put_eight(unsigned point, float scale, unsigned signs, float *restrict out)
{
    put_point(point, 2, iq2_levels, scale, signs, 8, out);
}

static void put_two_fours(unsigned first, unsigned second, const uint8_t *levels, float scale, unsigned signs,
                          float *restrict out)
{
    put_point(first, 3, levels, scale, signs, 4, out);
    put_point(second, 3, levels, scale, signs >> 4, 4, out + 4);
}

/* The eight signs of which SEVEN are stored. */
static unsigned with_parity(unsigned seven)
{
    unsigned odd = seven ^ seven >> 4;
    odd ^= odd >> 2;
    odd ^= odd >> 1;
    return seven | (odd & 1u) << 7;
}

/* d 2 | for each group: points 4, then u32 of four times 7 signs and a scale of 4 bits */
void attn_convert_iq2_xxs(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const float d = attn_half_at(block);
    (void)count;
    for (size_t group = 0; group < N_GROUPS; group++) {
        const uint8_t *points = block + 2 + group * 8;
        const uint32_t rest = attn_load_u32(points + 4);
        const float scale = d * (0.5f + (float)(rest >> 28)) * 0.25f;
        for (size_t l = 0; l < N_OCTETS; l++, out += 8)
            put_eight(attn_grid_iq2_xxs[points[l]], scale, with_parity(rest >> (7 * l) & 127u), out);
    }
}

/* The scale of octet L, of a group's byte that has 4 bits for each pair of them. */
static float scale_of_pair(float d, uint8_t scales, size_t l)
{
    return d * (0.5f + (float)(l < 2 ? scales & 15 : scales >> 4)) * 0.25f;
}

/* d 2 | points 64: u16 of 9 bits, and 7 signs | scales 8 */
void attn_convert_iq2_xs(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const float d = attn_half_at(block);
    (void)count;
    for (size_t i = 0; i < N_GROUPS * N_OCTETS; i++) {
        const unsigned point = attn_load_u16(block + 2 + 2 * i);
        const float scale = scale_of_pair(d, block[66 + i / N_OCTETS], i % N_OCTETS);
        put_eight(attn_grid_iq2_xs[point & 511u], scale, with_parity(point >> 9), out + 8 * i);
    }
}

/* d 2 | points, low bits 32 | signs 32 | points, 2 high bits each 8 | scales 8 */
void attn_convert_iq2_s(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const float d = attn_half_at(block);
    (void)count;
    for (size_t i = 0; i < N_GROUPS * N_OCTETS; i++) {
        const size_t group = i / N_OCTETS, l = i % N_OCTETS;
        const unsigned point = block[2 + i] | ((unsigned)block[66 + group] >> (2 * l) & 3u) << 8;
        put_eight(attn_grid_iq2_s[point], scale_of_pair(d, block[74 + group], l), block[34 + i], out + 8 * i);
    }
}

/* d 2 | points 64, two an octet | for each group u32 as in IQ2_XXS 32 */
void attn_convert_iq3_xxs(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const float d = attn_half_at(block);
    (void)count;
    for (size_t i = 0; i < N_GROUPS * N_OCTETS; i++) {
        const uint8_t *points = block + 2 + 2 * i;
        const uint32_t rest = attn_load_u32(block + 66 + i / N_OCTETS * 4);
        const float scale = d * (0.5f + (float)(rest >> 28)) * 0.5f;
        put_two_fours(attn_grid_iq3_xxs[points[0]], attn_grid_iq3_xxs[points[1]], iq3_xxs_levels, scale,
                      with_parity(rest >> (7 * (i % N_OCTETS)) & 127u), out + 8 * i);
    }
}

/* d 2 | points, low bits 64, two an octet | their ninth bits 8 | signs 32 | scales 4, of 4 bits a group */
void attn_convert_iq3_s(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const float d = attn_half_at(block);
    (void)count;
    for (size_t i = 0; i < N_GROUPS * N_OCTETS; i++) {
        const size_t group = i / N_OCTETS;
        const uint8_t *points = block + 2 + 2 * i;
        const unsigned ninth = (unsigned)block[66 + group] >> (2 * (i % N_OCTETS));
        const unsigned four = (unsigned)block[106 + group / 2] >> (group % 2 * 4) & 15u;
        put_two_fours(attn_grid_iq3_s[points[0] | (ninth & 1u) << 8], attn_grid_iq3_s[points[1] | (ninth & 2u) << 7],
                      iq3_s_levels, d * (float)(1 + 2 * four), block[74 + i], out + 8 * i);
    }
}

/* Eight of −1, 0, 1, moved by an eighth to either side. */
static void put_ternary(unsigned point, float scale, bool down, float *restrict out)
{
    const float delta = down ? -0.125f : 0.125f;
    for (size_t j = 0; j < 8; j++)
        out[j] = scale * ((float)((int)(point >> (2 * j) & 3u) - 1) + delta);
}

/* d 2 | points, low bits 32 | u16 a group 16: 3 high bits a point, a scale of 3 bits, the side */
void attn_convert_iq1_s(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const float d = attn_half_at(block);
    (void)count;
    for (size_t i = 0; i < N_GROUPS * N_OCTETS; i++) {
        const unsigned rest = attn_load_u16(block + 34 + i / N_OCTETS * 2);
        const unsigned high = rest >> (3 * (i % N_OCTETS)) & 7u;
        const float scale = d * (float)(2 * (rest >> 12 & 7u) + 1);
        put_ternary(attn_grid_iq1_s[block[2 + i] | high << 8], scale, (rest & 0x8000u) != 0, out + 8 * i);
    }
}

/* points, low bits 32 | 4 bits a point 16: 3 high bits, the side | four u16 of four scales of 3 bits 8, one for two
 * octets; their upper four bits are d's, the lowest first */
void attn_convert_iq1_m(const uint8_t *restrict block, size_t count, float *restrict out)
{
    const uint8_t half[2] = {(uint8_t)(block[49] >> 4 | (block[51] & 0xf0)),
                             (uint8_t)(block[53] >> 4 | (block[55] & 0xf0))};
    const float d = attn_half_at(half);
    (void)count;
    for (size_t i = 0; i < N_GROUPS * N_OCTETS; i++) {
        const unsigned four = (unsigned)block[32 + i / 2] >> (i % 2 * 4);
        const unsigned scale = (unsigned)attn_load_u16(block + 48 + i / 8 * 2) >> (i % 8 / 2 * 3) & 7u;
        put_ternary(attn_grid_iq1_s[block[i] | (four & 7u) << 8], d * (float)(2 * scale + 1), (four & 8u) != 0,
                    out + 8 * i);
    }
}
