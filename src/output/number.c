/* number.c: see number.h. Used by every writer; knows no stream and no locale.
 *
 * Shortest: a float32 is c·2^q. Every decimal strictly between the midpoints to its neighbours
 * reads back to it (the midpoints too when c is even). With k = floor(log10(width of that
 * interval)) the interval holds at least one multiple of 10^k and at most one of 10^(k+1), so the
 * answer is one of four candidates next to c·2^q. They are found with one 64-bit approximation of
 * 10^−k, rounded up, and products whose lost bits are kept as a sticky bit, which is enough to
 * compare exactly (R. Giulietti, "The Schubfach way to render doubles", 2020, section 9, for
 * float32).
 *
 * Fixed decimals: c·10^p is exact in 64 bits for p <= 12, and a shift rounds it; longer ones go
 * through whole limbs. */
#include "config.h"

#include "output/number.h"

#include <stdbool.h>
#include <string.h>

/* Not into the fast path: its registers and stack would be saved for nothing. */
#if defined(__GNUC__)
#define ATTN_APART __attribute__((noinline))
#else
#define ATTN_APART
#endif

enum {
    MANTISSA_BITS = 23,
    EXPONENT_BIAS = 127 + MANTISSA_BITS,
    LIMB_DIGITS = 9,
    LIMB_BASE = 1000000000,
    POWER_MIN = -31, /* the least power of ten the shortest form asks for */
    FAST_PRECISION = 12
};

typedef struct binary { /* c·2^q, c < 2^24 */
    uint32_t c;
    int q;
    bool lower_is_closer; /* c is a power of two: the next smaller number is only half as far */
} binary;

typedef struct decimal { /* digits·10^exponent */
    uint32_t digits;
    int exponent;
} decimal;

/* 10^e for e = POWER_MIN … 45: the upper 64 bits, rounded up. */
static const uint64_t powers[] = {
    0x81CEB32C4B43FCF5, 0xA2425FF75E14FC32, 0xCAD2F7F5359A3B3F, 0xFD87B5F28300CA0E, 0x9E74D1B791E07E49,
    0xC612062576589DDB, 0xF79687AED3EEC552, 0x9ABE14CD44753B53, 0xC16D9A0095928A28, 0xF1C90080BAF72CB2,
    0x971DA05074DA7BEF, 0xBCE5086492111AEB, 0xEC1E4A7DB69561A6, 0x9392EE8E921D5D08, 0xB877AA3236A4B44A,
    0xE69594BEC44DE15C, 0x901D7CF73AB0ACDA, 0xB424DC35095CD810, 0xE12E13424BB40E14, 0x8CBCCC096F5088CC,
    0xAFEBFF0BCB24AAFF, 0xDBE6FECEBDEDD5BF, 0x89705F4136B4A598, 0xABCC77118461CEFD, 0xD6BF94D5E57A42BD,
    0x8637BD05AF6C69B6, 0xA7C5AC471B478424, 0xD1B71758E219652C, 0x83126E978D4FDF3C, 0xA3D70A3D70A3D70B,
    0xCCCCCCCCCCCCCCCD, 0x8000000000000000, 0xA000000000000000, 0xC800000000000000, 0xFA00000000000000,
    0x9C40000000000000, 0xC350000000000000, 0xF424000000000000, 0x9896800000000000, 0xBEBC200000000000,
    0xEE6B280000000000, 0x9502F90000000000, 0xBA43B74000000000, 0xE8D4A51000000000, 0x9184E72A00000000,
    0xB5E620F480000000, 0xE35FA931A0000000, 0x8E1BC9BF04000000, 0xB1A2BC2EC5000000, 0xDE0B6B3A76400000,
    0x8AC7230489E80000, 0xAD78EBC5AC620000, 0xD8D726B7177A8000, 0x878678326EAC9000, 0xA968163F0A57B400,
    0xD3C21BCECCEDA100, 0x84595161401484A0, 0xA56FA5B99019A5C8, 0xCECB8F27F4200F3A, 0x813F3978F8940985,
    0xA18F07D736B90BE6, 0xC9F2C9CD04674EDF, 0xFC6F7C4045812297, 0x9DC5ADA82B70B59E, 0xC5371912364CE306,
    0xF684DF56C3E01BC7, 0x9A130B963A6C115D, 0xC097CE7BC90715B4, 0xF0BDC21ABB48DB21, 0x96769950B50D88F5,
    0xBC143FA4E250EB32, 0xEB194F8E1AE525FE, 0x92EFD1B8D0CF37BF, 0xB7ABC627050305AE, 0xE596B7B0C643C71A,
    0x8F7E32CE7BEA5C70, 0xB35DBF821AE4F38C,
};

static const char digit_pairs[201] = "00010203040506070809101112131415161718192021222324"
                                     "25262728293031323334353637383940414243444546474849"
                                     "50515253545556575859606162636465666768697071727374"
                                     "75767778798081828384858687888990919293949596979899";

/* floor(x / 2^shift) of a number above −2^28. */
static int floor_shift(int x, int shift)
{
    enum { BIAS = 1 << 28 };
    return (int)((uint32_t)(x + BIAS) >> shift) - (BIAS >> shift);
}

/* floor(log2(10^e)), floor(log10(2^q)) and floor(log10(¾·2^q)): the factors are the logarithms in
 * 2^−19 and 2^−22, exact over the exponents of float32. */
static int log2_of_power10(int e)
{
    return floor_shift(e * 1741647, 19);
}

static int log10_of_power2(int q)
{
    return floor_shift(q * 1262611, 22);
}

static int log10_of_three_quarters(int q)
{
    return floor_shift(q * 1262611 - 524031, 22);
}

/* The upper 32 of the 96 bits of POWER·x; bit 0 is also set when what is cut off is not nothing.
 * The approximation's own error stays below 2 units of the next 32 bits. */
static inline uint32_t product_with_sticky(uint64_t power, uint32_t x)
{
#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)power * x;
    return (uint32_t)(product >> 64) | ((uint64_t)product >= UINT64_C(2) << 32);
#else
    uint64_t low = (power & UINT32_MAX) * x;
    uint64_t high = (power >> 32) * x + (low >> 32);
    return (uint32_t)(high >> 32) | ((uint32_t)high > 1);
#endif
}

/* What the two logarithms of shortest_any come to, for each exponent of a float32 as it is stored:
 * eight times the index of 10^−k in powers, plus h. */
static const uint16_t scales[] = {
    609, 609, 610, 611, 601, 602, 603, 604, 593, 594, 595, 585, 586, 587, 577, 578, 579, 580, 569, 570, 571, 561,
    562, 563, 553, 554, 555, 556, 545, 546, 547, 537, 538, 539, 529, 530, 531, 532, 521, 522, 523, 513, 514, 515,
    505, 506, 507, 508, 497, 498, 499, 489, 490, 491, 481, 482, 483, 473, 474, 475, 476, 465, 466, 467, 457, 458,
    459, 449, 450, 451, 452, 441, 442, 443, 433, 434, 435, 425, 426, 427, 428, 417, 418, 419, 409, 410, 411, 401,
    402, 403, 404, 393, 394, 395, 385, 386, 387, 377, 378, 379, 380, 369, 370, 371, 361, 362, 363, 353, 354, 355,
    356, 345, 346, 347, 337, 338, 339, 329, 330, 331, 332, 321, 322, 323, 313, 314, 315, 305, 306, 307, 308, 297,
    298, 299, 289, 290, 291, 281, 282, 283, 284, 273, 274, 275, 265, 266, 267, 257, 258, 259, 249, 250, 251, 252,
    241, 242, 243, 233, 234, 235, 225, 226, 227, 228, 217, 218, 219, 209, 210, 211, 201, 202, 203, 204, 193, 194,
    195, 185, 186, 187, 177, 178, 179, 180, 169, 170, 171, 161, 162, 163, 153, 154, 155, 156, 145, 146, 147, 137,
    138, 139, 129, 130, 131, 132, 121, 122, 123, 113, 114, 115, 105, 106, 107, 108, 97,  98,  99,  89,  90,  91,
    81,  82,  83,  84,  73,  74,  75,  65,  66,  67,  57,  58,  59,  60,  49,  50,  51,  41,  42,  43,  33,  34,
    35,  36,  25,  26,  27,  17,  18,  19,  9,   10,  11,  1,   2,
};

/* CONDITION (0 or 1) ? a : b, without a branch that nobody could predict. */
static inline uint32_t pick(uint32_t condition, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & (0 - condition));
}

/* Of the usual c, 2^23 < c < 2^24, whose interval is as wide below as above: 10^k <= 2^q, so the
 * multiple of 10^k nearest to the value (on a tie the even one) is never further off than a
 * midpoint; and 2^q < 10^(k+1), so at most one of the two multiples of 10^(k+1) beside the value
 * reads back to it: that is the shorter one. */
static inline decimal shortest_usual(uint32_t c, int q)
{
    uint32_t odd = c & 1; /* even: the midpoints themselves read back to it */
    uint32_t scale = scales[q + EXPONENT_BIAS], index = scale >> 3, h = scale & 7;
    uint64_t power = powers[index];
    /* four times the value and its two midpoints, in units of 10^k */
    uint32_t lower = product_with_sticky(power, (4 * c - 2) << h) + odd;
    uint32_t value = product_with_sticky(power, 4 * c << h);
    uint32_t upper = product_with_sticky(power, (4 * c + 2) << h) - odd;
    uint32_t tens = value / 40, down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
    uint32_t ones = (value + 1 + (value >> 2 & 1)) >> 2;
    return (decimal){pick(down | up, 10 * (tens + up), ones), -POWER_MIN - (int)index};
}

/* Of any c > 0: also powers of two, whose interval is narrower below, and subnormal numbers. */
static ATTN_APART decimal shortest_any(uint32_t c, int q, bool lower_is_closer)
{
    uint32_t odd = c & 1;
    int k = lower_is_closer ? log10_of_three_quarters(q) : log10_of_power2(q);
    int h = q + log2_of_power10(-k) + 1;
    uint64_t power = powers[-k - POWER_MIN];
    uint32_t lower = product_with_sticky(power, (4 * c - (lower_is_closer ? 1 : 2)) << h) + odd;
    uint32_t value = product_with_sticky(power, 4 * c << h);
    uint32_t upper = product_with_sticky(power, (4 * c + 2) << h) - odd;
    uint32_t s = value / 4, tens = s / 10;
    bool down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
    if (s >= 10 && down != up)
        return (decimal){10 * (tens + up), k};
    down = lower <= 4 * s;
    up = 4 * s + 4 <= upper;
    if (down == up)
        up = value > 4 * s + 2 || (value == 4 * s + 2 && (s & 1) == 1);
    return (decimal){s + up, k};
}

/* The eight digits of NUMBER < 10^8 as bytes 0…9, the first in the lowest byte: split in halves,
 * then each half, then each quarter, all at once. The factors are 1/100 and 1/10 in 2^−20 and
 * 2^−10, exact in these ranges. */
static inline uint64_t eight_digits(uint32_t number)
{
    uint64_t fours = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

/* Spelled out, a compiler makes one store of it, and the host's byte order does not matter. */
static inline void put_digits(uint64_t digits, char *text)
{
    digits |= UINT64_C(0x3030303030303030);
    text[0] = (char)digits;
    text[1] = (char)(digits >> 8);
    text[2] = (char)(digits >> 16);
    text[3] = (char)(digits >> 24);
    text[4] = (char)(digits >> 32);
    text[5] = (char)(digits >> 40);
    text[6] = (char)(digits >> 48);
    text[7] = (char)(digits >> 56);
}

static inline void put_eight(uint32_t number, char *text)
{
    put_digits(eight_digits(number), text);
}

size_t attn_number_u64(uint64_t value, char *text)
{
    char digits[24];
    size_t at = sizeof digits;
    if (value < 10) {
        text[0] = (char)('0' + value);
        return 1;
    }
    while (value >= 100) {
        at -= 2;
        memcpy(digits + at, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(digits + at, digit_pairs + 2 * value, 2);
    } else if (value > 0) {
        digits[--at] = (char)('0' + value);
    }
    memcpy(text, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

static const uint64_t powers_of_ten[FAST_PRECISION + 1] = {
    1,        10,        100,        1000,        10000,        100000,       1000000,
    10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000};

/* How many of the eight digits are zeros at the end. */
static size_t zeros_behind(uint64_t digits)
{
    size_t zeros = 0;
    if (digits == 0)
        return 8;
#if defined(__GNUC__)
    zeros = (size_t)__builtin_clzll(digits) / 8;
#else
    for (; digits >> 56 == 0; digits <<= 8)
        zeros++;
#endif
    return zeros;
}

/* NUMBER, which is below 1: its last ten decimals are written in place, over zeros. More than the
 * length may be written, less than 64 bytes. */
static inline size_t put_below_one(decimal number, char *text)
{
    enum { TEN = 10 };
    size_t fraction = (size_t)-number.exponent, zeros;
    uint64_t last = number.digits, low;
    last *= powers_of_ten[fraction < TEN ? TEN - fraction : 0];
    fraction = fraction < TEN ? TEN : fraction;
    low = eight_digits((uint32_t)(last % 100000000));
    memcpy(text, "0.0000000000000000000000000000000000000000000000", 48);
    memcpy(text + fraction - 8, digit_pairs + 2 * (last / 100000000), 2);
    put_digits(low, text + fraction - 6);
    zeros = zeros_behind(low);
    if (zeros == 8) /* one or two digits are left */
        zeros += text[fraction - 7] == '0';
    return 2 + fraction - zeros;
}

/* NUMBER, which is 1 or more. */
static ATTN_APART size_t put_above_one(decimal number, char *text)
{
    uint32_t unit, whole;
    uint64_t low;
    size_t n;
    if (number.exponent >= 0) {
        n = attn_number_u64(number.digits, text);
        memset(text + n, '0', (size_t)number.exponent);
        return n + (size_t)number.exponent;
    }
    unit = (uint32_t)powers_of_ten[-number.exponent]; /* 10^7 at most: c < 2^24 */
    whole = number.digits / unit;
    n = attn_number_u64(whole, text);
    low = eight_digits((number.digits - whole * unit) * (100000000 / unit));
    text[n] = '.';
    put_digits(low, text + n + 1);
    return low != 0 ? n + 1 + 8 - zeros_behind(low) : n;
}

/* c·2^q rounded to PRECISION <= FAST_PRECISION decimals, as an integer of that many decimals.
 * False: it does not fit 64 bits. */
static bool round_fast(binary b, int precision, uint64_t *rounded)
{
    uint64_t scaled = b.c * powers_of_ten[precision]; /* < 2^24·10^12 < 2^64 */
    uint64_t rest, half;
    if (b.q >= 0) {
        if (b.q >= 40 || scaled >> (63 - b.q) != 0)
            return false;
        *rounded = scaled << b.q;
        return true;
    }
    if (b.q < -64) { /* below half a unit */
        *rounded = 0;
        return true;
    }
    if (b.q == -64) {
        *rounded = scaled > UINT64_C(1) << 63;
        return true;
    }
    *rounded = scaled >> -b.q;
    rest = scaled & ((UINT64_C(1) << -b.q) - 1);
    half = UINT64_C(1) << (-b.q - 1);
    *rounded += rest > half || (rest == half && (*rounded & 1) == 1);
    return true;
}

static size_t put_fixed(uint64_t rounded, int precision, char *text)
{
    uint64_t unit = powers_of_ten[precision], whole = 0;
    size_t n, fraction = (size_t)precision;
    if (rounded >= unit) {
        whole = rounded / unit;
        rounded -= whole * unit;
    }
    n = attn_number_u64(whole, text);
    if (precision == 0)
        return n;
    text[n] = '.';
    if (precision <= 8) {
        put_eight((uint32_t)(rounded * powers_of_ten[8 - precision]), text + n + 1);
    } else {
        unit = powers_of_ten[precision - 8];
        put_eight((uint32_t)(rounded / unit), text + n + 1);
        put_eight((uint32_t)(rounded % unit * powers_of_ten[16 - precision]), text + n + 9);
    }
    return n + 1 + fraction;
}

static void put_limb(uint32_t limb, char *text)
{
    text[0] = (char)('0' + limb / 100000000);
    put_eight(limb % 100000000, text + 1);
}

/* The digits of the integer c·2^q, q >= 0, right-aligned in DIGITS[45]. */
static void whole_digits(binary b, char *digits)
{
    enum { N = 5 };
    uint32_t limbs[N] = {b.c}; /* base 10^9, lowest first */
    for (int i = 0; i < b.q; i++) {
        uint32_t carry = 0;
        for (int j = 0; j < N; j++) {
            uint32_t twice = 2 * limbs[j] + carry;
            carry = twice >= LIMB_BASE;
            limbs[j] = carry ? twice - LIMB_BASE : twice;
        }
    }
    for (int j = 0; j < N; j++)
        put_limb(limbs[N - 1 - j], digits + j * LIMB_DIGITS);
}

/* 63 decimals of the fraction FRACTION/2^160, lowest limb first; what is left stays in FRACTION. */
static void fraction_digits(uint32_t fraction[5], char *digits)
{
    for (int i = 0; i < 7; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 5; j++) {
            carry += (uint64_t)fraction[j] * LIMB_BASE;
            fraction[j] = (uint32_t)carry;
            carry >>= 32;
        }
        put_limb((uint32_t)carry, digits + i * LIMB_DIGITS);
    }
}

/* Any value at any precision: all its digits, then one rounding. */
static size_t put_exact(binary b, int precision, char *text)
{
    enum { WHOLE = 45, FRACTION = 63 };
    char digits[1 + WHOLE + FRACTION]; /* a zero to carry into, the whole part, the decimals */
    uint32_t fraction[5] = {0};
    size_t end = (size_t)(1 + WHOLE + precision), first = 0, used;
    bool rest = false;
    binary whole = b;
    digits[0] = '0';
    if (b.q < 0) {
        whole = (binary){b.q > -32 ? b.c >> -b.q : 0, 0, false};
        b.c -= b.q > -32 ? whole.c << -b.q : 0;
        /* bit i of c stands for 2^(i+q), bit 160+i+q of the fraction */
        for (int i = 0; i < 24; i++)
            if (b.c >> i & 1)
                fraction[(160 + i + b.q) / 32] |= UINT32_C(1) << (160 + i + b.q) % 32;
    }
    whole_digits(whole, digits + 1);
    fraction_digits(fraction, digits + 1 + WHOLE);
    for (size_t i = end + 1; i < sizeof digits; i++)
        rest |= digits[i] != '0';
    for (int i = 0; i < 5; i++)
        rest |= fraction[i] != 0;
    if (digits[end] > '5' || (digits[end] == '5' && (rest || (digits[end - 1] & 1) == 1))) {
        size_t i = end - 1;
        while (digits[i] == '9')
            digits[i--] = '0';
        digits[i]++;
    }
    while (first < WHOLE && digits[first] == '0')
        first++;
    used = 1 + WHOLE - first;
    memcpy(text, digits + first, used);
    if (precision > 0) {
        text[used++] = '.';
        memcpy(text + used, digits + 1 + WHOLE, (size_t)precision);
        used += (size_t)precision;
    }
    return used;
}

static inline size_t put_decimal(decimal number, bool below_one, char *text)
{
    return below_one ? put_below_one(number, text) : put_above_one(number, text);
}

static bool all_zero(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] != '0' && text[i] != '.')
            return false;
    return true;
}

/* Fixed decimals, and 0; a sign only before what is not all zeros. */
static size_t put_rounded(binary b, int precision, bool negative, char *text)
{
    uint64_t rounded;
    size_t size;
    text[0] = '-';
    if (precision < 0)
        size = attn_number_u64(b.c, text + negative);
    else if (precision <= FAST_PRECISION && round_fast(b, precision, &rounded))
        size = put_fixed(rounded, precision, text + negative);
    else
        size = put_exact(b, precision < 60 ? precision : 60, text + negative);
    if (negative && all_zero(text + 1, size))
        memmove(text, text + 1, size);
    else
        size += negative;
    return size;
}

static size_t put_no_number(bool is_nan, bool negative, char *text)
{
    const char *name = is_nan ? "nan" : negative ? "-inf" : "inf";
    size_t size = strlen(name);
    memcpy(text, name, size);
    return size;
}

enum { EXPONENT_MASK = 0xff, ONE = 127 }; /* the stored exponents of NaN and infinity, and of 1 */
#define FRACTION_MASK ((UINT32_C(1) << MANTISSA_BITS) - 1)

static inline uint32_t exponent_of(uint32_t bits)
{
    return bits >> MANTISSA_BITS & EXPONENT_MASK;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A number for shortest_usual. */
static inline bool is_usual(uint32_t bits)
{
    return exponent_of(bits) - 1 < EXPONENT_MASK - 1 && (bits & FRACTION_MASK) != 0;
}

static inline decimal shortest_of_usual(uint32_t bits)
{
    return shortest_usual((bits & FRACTION_MASK) | (UINT32_C(1) << MANTISSA_BITS),
                          (int)exponent_of(bits) - EXPONENT_BIAS);
}

static ATTN_APART size_t put_unusual(uint32_t bits, int precision, char *text)
{
    uint32_t exponent = exponent_of(bits), fraction = bits & FRACTION_MASK;
    bool negative = bits >> 31 != 0;
    binary b = {fraction | (exponent != 0 ? UINT32_C(1) << MANTISSA_BITS : 0),
                (exponent != 0 ? (int)exponent : 1) - EXPONENT_BIAS, fraction == 0 && exponent > 1};
    if (exponent == EXPONENT_MASK)
        return put_no_number(fraction != 0, negative, text);
    if (precision >= 0 || b.c == 0)
        return put_rounded(b, precision, negative, text);
    text[0] = '-';
    return negative + put_decimal(shortest_any(b.c, b.q, b.lower_is_closer), exponent < ONE, text + negative);
}

size_t attn_number_f32(float value, int precision, char *text)
{
    uint32_t bits = bits_of(value), negative = bits >> 31;
    if (precision >= 0 || !is_usual(bits))
        return put_unusual(bits, precision, text);
    text[0] = '-';
    return negative + put_decimal(shortest_of_usual(bits), exponent_of(bits) < ONE, text + negative);
}

/* Digits are found some numbers ahead of writing them: where one number's text begins depends on
 * the one before, its digits do not, so the processor has more to do at once. */
size_t attn_numbers_f32(const float *values, size_t n, int precision, char separator, char *text)
{
    enum { AHEAD = 16 };
    char *at = text;
    for (size_t from = 0; from < n; from += AHEAD) {
        decimal ahead[AHEAD];
        size_t count = n - from < AHEAD ? n - from : AHEAD;
        for (size_t i = 0; i < count; i++) {
            uint32_t bits = bits_of(values[from + i]);
            ahead[i] = precision < 0 && is_usual(bits) ? shortest_of_usual(bits) : (decimal){0, 0};
        }
        for (size_t i = 0; i < count; i++) {
            uint32_t bits = bits_of(values[from + i]), negative = bits >> 31;
            *at++ = separator;
            if (ahead[i].digits == 0) {
                at += put_unusual(bits, precision, at);
                continue;
            }
            at[0] = '-';
            at += negative;
            at += put_decimal(ahead[i], exponent_of(bits) < ONE, at);
        }
    }
    return (size_t)(at - text);
}
