/* decimal_exact.c: see decimal_exact.h. Both sides become integers of a bounded size: a middle of
 * two doubles has at most 767 significant digits, so of a longer decimal it is enough to know that
 * more follows. */
#include "config.h"

#include "base/decimal_exact.h"

#include <assert.h>

enum { KEPT_DIGITS = 800, LIMBS = 160, LIMB_BITS = 32 };

/* Enough: 801 digits are 2661 bits; 5^1150·2^54 are 2725; the smaller side is shifted up to the larger. */
typedef struct big {
    uint32_t limbs[LIMBS]; /* [count], the lowest first */
    size_t count;          /* the highest limb is not 0 */
} big;

static void multiply_add(big *number, uint32_t factor, uint32_t more)
{
    uint64_t carry = more;
    for (size_t i = 0; i < number->count; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
    if (carry != 0) {
        assert(number->count < LIMBS);
        number->limbs[number->count++] = (uint32_t)carry;
    }
}

static void multiply_power_of_five(big *number, int64_t power)
{
    const uint32_t five_to_13 = 1220703125;
    for (; power >= 13; power -= 13)
        multiply_add(number, five_to_13, 0);
    for (; power > 0; power--)
        multiply_add(number, 5, 0);
}

static void shift_up(big *number, int64_t bits)
{
    size_t whole = (size_t)(bits / LIMB_BITS);
    multiply_add(number, UINT32_C(1) << (bits % LIMB_BITS), 0);
    assert(number->count + whole <= LIMBS);
    for (size_t i = number->count; i-- > 0;)
        number->limbs[i + whole] = number->limbs[i];
    for (size_t i = 0; i < whole; i++)
        number->limbs[i] = 0;
    number->count += whole;
}

static int compare(const big *a, const big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (size_t i = a->count; i-- > 0;)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* The significant digits of DECIMAL as an integer; its value is that · 10^(the result). */
static int64_t read_digits(const attn_decimal *decimal, big *number)
{
    const uint8_t *p = decimal->text.data, *end = p + decimal->used;
    size_t kept = 0;
    int64_t left_out = 0;
    bool more = false;
    for (; p < end && *p != 'e' && *p != 'E'; p++) {
        bool digit = *p >= '0' && *p <= '9';
        if (!digit || (kept == 0 && *p == '0'))
            continue;
        if (kept < KEPT_DIGITS) {
            multiply_add(number, 10, (uint32_t)(*p - '0'));
            kept++;
        } else {
            more |= *p != '0';
            left_out++;
        }
    }
    if (more) { /* one digit stands for all that follow */
        multiply_add(number, 10, 1);
        left_out--;
        kept++;
    }
    /* decimal->exponent counts from the 19th significant digit (or the last, if there are fewer) */
    int64_t after_mantissa = (int64_t)kept + left_out - 19;
    return decimal->exponent - (after_mantissa > 0 ? after_mantissa : 0) + left_out;
}

int attn_decimal_compare(const attn_decimal *decimal, uint64_t bits, const attn_float_format *format)
{
    int stored = format->bits - 1;
    uint64_t fraction = bits & ((UINT64_C(1) << stored) - 1), biased = bits >> stored;
    big left = {.count = 0}, right = {.count = 0};
    if (biased > 0)
        fraction |= UINT64_C(1) << stored;
    else
        biased = 1;
    uint64_t middle = 2 * fraction + 1;
    int64_t two = format->least + (int64_t)biased - 1 - stored - 1; /* the middle is middle·2^two */
    multiply_add(&right, 1, (uint32_t)(middle >> LIMB_BITS));
    shift_up(&right, right.count > 0 ? LIMB_BITS : 0);
    multiply_add(&right, 1, (uint32_t)middle);
    int64_t ten = read_digits(decimal, &left);
    if (ten >= 0)
        multiply_power_of_five(&left, ten);
    else
        multiply_power_of_five(&right, -ten);
    two -= ten; /* left · 2^0 against right · 2^two */
    if (two >= 0)
        shift_up(&right, two);
    else
        shift_up(&left, -two);
    return compare(&left, &right);
}
