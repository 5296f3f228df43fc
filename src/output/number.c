/* number.c: see number.h. Used by every writer; knows no stream and no locale.
 *
 * Shortest: a float32 is c·2^q. Every decimal strictly between the midpoints to its neighbours reads back to
 * it (the midpoints too when c is even). With k = floor(log10(width of that interval)) the interval holds at
 * least one multiple of 10^k and at most one of 10^(k+1), so the answer is one of four candidates next to
 * c·2^q. They are found with one 64-bit approximation of 10^−k, rounded up, and products whose lost bits are
 * kept as a sticky bit, which is enough to compare exactly (R. Giulietti, "The Schubfach way to render
 * doubles", 2020, section 9, for float32).
 *
 * Fixed decimals: c·10^p is exact in 64 bits for p <= 12, and a shift rounds it; longer ones go through
 * whole limbs. */
#include "config.h"

#include "output/number.h"

#include <stdbool.h>
#include <string.h>

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
    0x81CEB32C4B43FCF5, 0xA2425FF75E14FC32, 0xCAD2F7F5359A3B3F, 0xFD87B5F28300CA0E,
    0x9E74D1B791E07E49, 0xC612062576589DDB, 0xF79687AED3EEC552, 0x9ABE14CD44753B53,
    0xC16D9A0095928A28, 0xF1C90080BAF72CB2, 0x971DA05074DA7BEF, 0xBCE5086492111AEB,
    0xEC1E4A7DB69561A6, 0x9392EE8E921D5D08, 0xB877AA3236A4B44A, 0xE69594BEC44DE15C,
    0x901D7CF73AB0ACDA, 0xB424DC35095CD810, 0xE12E13424BB40E14, 0x8CBCCC096F5088CC,
    0xAFEBFF0BCB24AAFF, 0xDBE6FECEBDEDD5BF, 0x89705F4136B4A598, 0xABCC77118461CEFD,
    0xD6BF94D5E57A42BD, 0x8637BD05AF6C69B6, 0xA7C5AC471B478424, 0xD1B71758E219652C,
    0x83126E978D4FDF3C, 0xA3D70A3D70A3D70B, 0xCCCCCCCCCCCCCCCD, 0x8000000000000000,
    0xA000000000000000, 0xC800000000000000, 0xFA00000000000000, 0x9C40000000000000,
    0xC350000000000000, 0xF424000000000000, 0x9896800000000000, 0xBEBC200000000000,
    0xEE6B280000000000, 0x9502F90000000000, 0xBA43B74000000000, 0xE8D4A51000000000,
    0x9184E72A00000000, 0xB5E620F480000000, 0xE35FA931A0000000, 0x8E1BC9BF04000000,
    0xB1A2BC2EC5000000, 0xDE0B6B3A76400000, 0x8AC7230489E80000, 0xAD78EBC5AC620000,
    0xD8D726B7177A8000, 0x878678326EAC9000, 0xA968163F0A57B400, 0xD3C21BCECCEDA100,
    0x84595161401484A0, 0xA56FA5B99019A5C8, 0xCECB8F27F4200F3A, 0x813F3978F8940985,
    0xA18F07D736B90BE6, 0xC9F2C9CD04674EDF, 0xFC6F7C4045812297, 0x9DC5ADA82B70B59E,
    0xC5371912364CE306, 0xF684DF56C3E01BC7, 0x9A130B963A6C115D, 0xC097CE7BC90715B4,
    0xF0BDC21ABB48DB21, 0x96769950B50D88F5, 0xBC143FA4E250EB32, 0xEB194F8E1AE525FE,
    0x92EFD1B8D0CF37BF, 0xB7ABC627050305AE, 0xE596B7B0C643C71A, 0x8F7E32CE7BEA5C70,
    0xB35DBF821AE4F38C,
};

static const char digit_pairs[201] = "00010203040506070809101112131415161718192021222324"
                                     "25262728293031323334353637383940414243444546474849"
                                     "50515253545556575859606162636465666768697071727374"
                                     "75767778798081828384858687888990919293949596979899";

/* floor(x / 2^shift) of a number that may be negative. */
static int floor_shift(int x, int shift)
{
    const int64_t bias = INT64_C(1) << 40;
    return (int)((x + bias) >> shift) - (int)(bias >> shift);
}

/* floor(log2(10^e)), floor(log10(2^q)) and floor(log10(¾·2^q)): the factors are the logarithms in 2^−19 and
 * 2^−22, exact over the exponents of float32. */
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

/* The upper 32 of the 96 bits of POWER·x; bit 0 is also set when what is cut off is not nothing. The
 * approximation's own error stays below 2 units of the next 32 bits. */
static uint32_t product_with_sticky(uint64_t power, uint32_t x)
{
    uint64_t low = (power & UINT32_MAX) * x;
    uint64_t high = (power >> 32) * x + (low >> 32);
    return (uint32_t)(high >> 32) | ((uint32_t)high > 1);
}

static decimal shortest(binary b)
{
    uint32_t inside = (b.c & 1) == 0 ? 0 : 1; /* even: the midpoints themselves read back to it */
    int k = b.lower_is_closer ? log10_of_three_quarters(b.q) : log10_of_power2(b.q);
    int h = b.q + log2_of_power10(-k) + 1;
    uint64_t power = powers[-k - POWER_MIN];
    /* four times the value and its two midpoints, in units of 10^k */
    uint32_t lower = product_with_sticky(power, (4 * b.c - (b.lower_is_closer ? 1 : 2)) << h) + inside;
    uint32_t value = product_with_sticky(power, 4 * b.c << h);
    uint32_t upper = product_with_sticky(power, (4 * b.c + 2) << h) - inside;
    uint32_t s = value / 4;
    bool down, up;
    if (s >= 10) { /* a multiple of 10^(k+1)? */
        uint32_t tens = s / 10;
        down = lower <= 40 * tens;
        up = 40 * tens + 40 <= upper;
        if (down != up)
            return (decimal){tens + up, k + 1};
    }
    down = lower <= 4 * s;
    up = 4 * s + 4 <= upper;
    if (down == up) /* both read back: the nearer, on a tie the even one */
        up = value > 4 * s + 2 || (value == 4 * s + 2 && (s & 1) == 1);
    return (decimal){s + up, k};
}

static void put_eight(uint32_t digits, char *text)
{
    uint32_t high = digits / 10000, low = digits % 10000;
    memcpy(text, digit_pairs + 2 * (high / 100), 2);
    memcpy(text + 2, digit_pairs + 2 * (high % 100), 2);
    memcpy(text + 4, digit_pairs + 2 * (low / 100), 2);
    memcpy(text + 6, digit_pairs + 2 * (low % 100), 2);
}

static size_t count_digits(uint32_t digits)
{
    size_t n = 1;
    for (uint32_t limit = 10; n < 10 && digits >= limit; limit *= 10)
        n++;
    return n;
}

size_t attn_number_u64(uint64_t value, char *text)
{
    char digits[24];
    size_t at = sizeof digits;
    while (value >= 100) {
        at -= 2;
        memcpy(digits + at, digit_pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(digits + at, digit_pairs + 2 * value, 2);
    } else {
        digits[--at] = (char)('0' + value);
    }
    memcpy(text, digits + at, sizeof digits - at);
    return sizeof digits - at;
}

/* DIGITS·10^EXPONENT to TEXT; more than its length may be written, less than 64 bytes. */
static size_t put_decimal(decimal number, char *text)
{
    char digits[32] = "0000000000000000000000";
    size_t n, fraction, whole;
    if (number.exponent > 0) {
        n = attn_number_u64(number.digits, text);
        memset(text + n, '0', (size_t)number.exponent);
        return n + (size_t)number.exponent;
    }
    while (number.exponent < 0 && number.digits % 10 == 0) {
        number.digits /= 10;
        number.exponent++;
    }
    n = count_digits(number.digits);
    fraction = (size_t)-number.exponent;
    digits[0] = (char)('0' + number.digits / 1000000000);
    digits[1] = (char)('0' + number.digits / 100000000 % 10);
    put_eight(number.digits % 100000000, digits + 2);
    if (fraction >= n) {
        size_t zeros = fraction - n;
        memcpy(text, "0.000000000000000000000000000000000000000000000000", 50);
        memcpy(text + 2 + zeros, digits + 10 - n, 10);
        return 2 + fraction;
    }
    whole = n - fraction;
    memcpy(text, digits + 10 - n, 10);
    if (fraction == 0)
        return whole;
    text[whole] = '.';
    memcpy(text + whole + 1, digits + 10 - fraction, 10);
    return n + 1;
}

/* c·2^q rounded to PRECISION <= FAST_PRECISION decimals, as an integer of that many decimals. False: it does
 * not fit 64 bits. */
static bool round_fast(binary b, int precision, uint64_t *rounded)
{
    static const uint64_t tens[FAST_PRECISION + 1] = {
        1,       10,       100,       1000,       10000,       100000,       1000000,
        10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000};
    uint64_t scaled = b.c * tens[precision]; /* < 2^24·10^12 < 2^64 */
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
    if (rest > half || (rest == half && (*rounded & 1) == 1))
        ++*rounded;
    return true;
}

static size_t put_fixed(uint64_t rounded, int precision, char *text)
{
    char digits[ATTN_NUMBER_ROOM];
    size_t n = attn_number_u64(rounded, digits), fraction = (size_t)precision, used = 0;
    if (n > fraction) {
        memcpy(text, digits, n - fraction);
        used = n - fraction;
    } else {
        text[used++] = '0';
    }
    if (fraction == 0)
        return used;
    text[used++] = '.';
    for (size_t zeros = n < fraction ? fraction - n : 0; zeros > 0; zeros--)
        text[used++] = '0';
    if (n > fraction)
        memcpy(text + used, digits + n - fraction, fraction);
    else
        memcpy(text + used, digits, n);
    return used + (n < fraction ? n : fraction);
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
        for (int i = 0; i < 24; i++) /* bit i of c stands for 2^(i+q), bit 160+i+q of the fraction */
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

static size_t put_magnitude(binary b, int precision, char *text)
{
    uint64_t rounded;
    if (precision < 0) {
        if (b.q <= 0 && b.q > -24 && (b.c & ((UINT32_C(1) << -b.q) - 1)) == 0)
            return attn_number_u64(b.c >> -b.q, text);
        return put_decimal(shortest(b), text);
    }
    if (precision <= FAST_PRECISION && round_fast(b, precision, &rounded))
        return put_fixed(rounded, precision, text);
    return put_exact(b, precision < 60 ? precision : 60, text);
}

static bool all_zero(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] != '0' && text[i] != '.')
            return false;
    return true;
}

size_t attn_number_f32(float value, int precision, char *text)
{
    uint32_t bits, exponent;
    bool negative;
    binary b;
    size_t size;
    memcpy(&bits, &value, sizeof bits);
    exponent = bits >> MANTISSA_BITS & 0xff;
    negative = bits >> 31 != 0;
    b.c = bits & ((UINT32_C(1) << MANTISSA_BITS) - 1);
    if (exponent == 0xff) {
        const char *name = b.c != 0 ? "nan" : negative ? "-inf" : "inf";
        size = strlen(name);
        memcpy(text, name, size);
        return size;
    }
    b.lower_is_closer = b.c == 0 && exponent > 1;
    b.c |= exponent != 0 ? UINT32_C(1) << MANTISSA_BITS : 0;
    b.q = (exponent != 0 ? (int)exponent : 1) - EXPONENT_BIAS;
    if (b.c == 0)
        b = (binary){0, 0, false};
    size = put_magnitude(b, precision, text + negative);
    if (!negative)
        return size;
    if (all_zero(text + 1, size)) { /* −0, or what rounds to it */
        memmove(text, text + 1, size);
        return size;
    }
    text[0] = '-';
    return size + 1;
}
