/* decimal.c: see decimal.h. Three ways, each tried where the one before can not be sure:
 *   1. one double operation (powers of ten up to 10^22 are exact, a mantissa of up to 53 bits is;
 *      W. Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990), rounded to float32
 *      only where that rounding can not be a second one that matters;
 *   2. a 128-bit product with known bounds on its error: both bounds round alike, or else
 *   3. exact integers (decimal_exact.c). */
#include "config.h"

#include "base/decimal_exact.h"
#include "base/decimal_short.h"

#include <float.h>

enum { MANTISSA_DIGITS = 19, EXACT_POWER = 22, COARSE_STEP = 16, COARSE_MIN = -352 };

/* Whatever 19 digits stand before it, 10^LEAST makes a double 0 and 10^MOST makes it overflow. */
enum { LEAST_EXPONENT = -345, MOST_EXPONENT = 309 };

static const double exact_powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

typedef struct wide { /* 128 bits */
    uint64_t high, low;
} wide;

/* The first 128 bits of 10^COARSE_MIN, 10^(COARSE_MIN+16), …, cut (not rounded); exact from 10^0 to 10^48. */
static const wide coarse_powers[] = {
    {0xcd42a11346f34f7dU, 0x0092757bf2623727U}, /* 10^-352 */
    {0xe3e27a444d8d98b7U, 0xfd1b1b2308169b25U}, /* 10^-336 */
    {0xfd00b897478238d0U, 0x8920b098955522b4U}, /* 10^-320 */
    {0x8c71dcd9ba0b4925U, 0x9ff0c08b7f1d0b14U}, /* 10^-304 */
    {0x9becce62836ac577U, 0x4ee367f9430aec32U}, /* 10^-288 */
    {0xad1c8eab5ee43b66U, 0xda3243650005eecfU}, /* 10^-272 */
    {0xc0314325637a1939U, 0xfa911155fefb5308U}, /* 10^-256 */
    {0xd5605fcdcf32e1d6U, 0xfb1e4a9a90880a64U}, /* 10^-240 */
    {0xece53cec4a314ebdU, 0xa4f8bf5635246428U}, /* 10^-224 */
    {0x8380dea93da4bc60U, 0x4247cb9e59f71e6dU}, /* 10^-208 */
    {0x91ff83775423cc06U, 0x7b6306a34627ddcfU}, /* 10^-192 */
    {0xa21727db38cb002fU, 0xb8ada00e5a506a7cU}, /* 10^-176 */
    {0xb3f4e093db73a093U, 0x59ed216765690f56U}, /* 10^-160 */
    {0xc7caba6e7c5382c8U, 0xfe64a52ee96b8fc0U}, /* 10^-144 */
    {0xddd0467c64bce4a0U, 0xac7cb3f6d05ddbdeU}, /* 10^-128 */
    {0xf64335bcf065d37dU, 0x4d4617b5ff4a16d5U}, /* 10^-112 */
    {0x88b402f7fd75539bU, 0x11dbcb0218ebb414U}, /* 10^-96 */
    {0x97c560ba6b0919a5U, 0xdccd879fc967d41aU}, /* 10^-80 */
    {0xa87fea27a539e9a5U, 0x3f2398d747b36224U}, /* 10^-64 */
    {0xbb127c53b17ec159U, 0x5560c018580d5d52U}, /* 10^-48 */
    {0xcfb11ead453994baU, 0x67de18eda5814af2U}, /* 10^-32 */
    {0xe69594bec44de15bU, 0x4c2ebe687989a9b3U}, /* 10^-16 */
    {0x8000000000000000U, 0x0000000000000000U}, /* 10^0 */
    {0x8e1bc9bf04000000U, 0x0000000000000000U}, /* 10^16 */
    {0x9dc5ada82b70b59dU, 0xf020000000000000U}, /* 10^32 */
    {0xaf298d050e4395d6U, 0x9670b12b7f410000U}, /* 10^48 */
    {0xc2781f49ffcfa6d5U, 0x3cbf6b71c76b25fbU}, /* 10^64 */
    {0xd7e77a8f87daf7fbU, 0xdc33745ec97be906U}, /* 10^80 */
    {0xefb3ab16c59b14a2U, 0xc5cfe94ef3ea101eU}, /* 10^96 */
    {0x850fadc09923329eU, 0x03e2cf6bc604ddb0U}, /* 10^112 */
    {0x93ba47c980e98cdfU, 0xc66f336c36b10137U}, /* 10^128 */
    {0xa402b9c5a8d3a6e7U, 0x5f16206c9c6209a6U}, /* 10^144 */
    {0xb616a12b7fe617aaU, 0x577b986b314d6009U}, /* 10^160 */
    {0xca28a291859bbf93U, 0x7d7b8f7503cfdcfeU}, /* 10^176 */
    {0xe070f78d3927556aU, 0x85bbe253f47b1417U}, /* 10^192 */
    {0xf92e0c3537826145U, 0xa7709a56ccdf8a82U}, /* 10^208 */
    {0x8a5296ffe33cc92fU, 0x82bd6b70d99aaa6fU}, /* 10^224 */
    {0x9991a6f3d6bf1765U, 0xacca6da1e0a8ef29U}, /* 10^240 */
    {0xaa7eebfb9df9de8dU, 0xddbb901b98feeab7U}, /* 10^256 */
    {0xbd49d14aa79dbc82U, 0x4b2d8644d8a74e18U}, /* 10^272 */
    {0xd226fc195c6a2f8cU, 0x73832eec6fff3111U}, /* 10^288 */
    {0xe950df20247c83fdU, 0x47c6b82ef32a2069U}, /* 10^304 */
};

static bool is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') <= 9;
}

/* An exponent "e[+-]digits" at P: its end, or P where there is none. */
static const uint8_t *scan_exponent(const uint8_t *p, const uint8_t *end, int64_t *exponent)
{
    const int64_t enough = INT64_C(1000000000000000);
    const uint8_t *q = p + 1;
    bool negative = false;
    int64_t value = 0;
    if (q < end && (*q == '+' || *q == '-'))
        negative = *q++ == '-';
    if (q == end || !is_digit(*q))
        return p;
    for (; q < end && is_digit(*q); q++)
        if (value < enough)
            value = value * 10 + (*q - '0');
    *exponent = negative ? -value : value;
    return q;
}

/* The digits (and perhaps a point) from P to END, more than the mantissa holds: the first 19
 * significant ones, and what was left out. */
static void scan_long(const uint8_t *p, const uint8_t *end, attn_decimal *decimal, int64_t *exponent)
{
    size_t kept = 0;
    bool fraction = false;
    decimal->mantissa = 0;
    *exponent = 0;
    for (; p < end; p++) {
        if (*p == '.') {
            fraction = true;
        } else if (kept < MANTISSA_DIGITS) {
            decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(*p - '0');
            kept += decimal->mantissa != 0;
            *exponent -= fraction;
        } else {
            decimal->truncated |= *p != '0';
            *exponent += !fraction;
        }
    }
}

/* The digits from P on go behind those of *MANTISSA (which too many overflow); past them. */
static const uint8_t *scan_digits(const uint8_t *p, const uint8_t *end, uint64_t *mantissa)
{
    while (end - p >= 8) {
        uint64_t word = attn_load_u64(p);
        size_t count = attn_decimal_digits8(word);
        if (count > 0)
            *mantissa = *mantissa * attn_decimal_power8(count) + attn_decimal_value8(word, count);
        p += count;
        if (count < 8)
            return p;
    }
    for (; p < end && is_digit(*p); p++)
        *mantissa = *mantissa * 10 + (uint64_t)(*p - '0');
    return p;
}

bool attn_decimal_scan(attn_bytes text, attn_decimal *decimal)
{
    const uint8_t *p = text.data, *end = p + text.size;
    size_t fraction = 0;
    uint64_t mantissa = 0;
    int64_t exponent = 0, written = 0;
    bool explicit_plus = false, point = false;
    *decimal = (attn_decimal){.text = text};
    if (p < end && (*p == '-' || *p == '+')) {
        decimal->negative = *p == '-';
        explicit_plus = *p == '+';
        p++;
    }
    const uint8_t *digits = p;
    p = scan_digits(p, end, &mantissa);
    size_t whole = (size_t)(p - digits);
    if (p < end && *p == '.') {
        const uint8_t *from = ++p;
        point = true;
        p = scan_digits(p, end, &mantissa);
        fraction = (size_t)(p - from);
    }
    if (whole + fraction == 0)
        return false;
    decimal->mantissa = mantissa;
    exponent = -(int64_t)fraction;
    if (whole + fraction > MANTISSA_DIGITS)
        scan_long(digits, p, decimal, &exponent);
    decimal->json = !explicit_plus && whole > 0 && (whole == 1 || *digits != '0') && (!point || fraction > 0);
    if (p < end && (*p == 'e' || *p == 'E'))
        p = scan_exponent(p, end, &written);
    decimal->exponent = exponent + written;
    decimal->used = (size_t)(p - text.data);
    return true;
}

static wide multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)a * b;
    return (wide){.high = (uint64_t)(product >> 64), .low = (uint64_t)product};
#else
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), cross = a0 * b1 + (middle & UINT32_MAX);
    return (wide){.high = a1 * b1 + (middle >> 32) + (cross >> 32), .low = cross << 32 | (low & UINT32_MAX)};
#endif
}

static wide plus(wide a, uint64_t b)
{
    wide sum = {.high = a.high, .low = a.low + b};
    sum.high += sum.low < b;
    return sum;
}

static wide shift_left(wide a, int count) /* count < 128 */
{
    if (count >= 64)
        return (wide){.high = a.low << (count - 64)};
    return count == 0 ? a : (wide){.high = a.high << count | a.low >> (64 - count), .low = a.low << count};
}

/* The upper 128 bits of a·b, cut. */
static wide multiply_high(wide a, wide b)
{
    wide top = multiply(a.high, b.high), x = multiply(a.high, b.low), y = multiply(a.low, b.high);
    wide low = multiply(a.low, b.low), middle = plus((wide){.low = low.high}, x.low);
    middle = plus(middle, y.low);
    top = plus(top, x.high);
    top = plus(top, y.high);
    return plus(top, middle.high);
}

static int leading_zeros(wide a) /* of a number that is not 0 */
{
    uint64_t word = a.high != 0 ? a.high : a.low;
    int count = a.high != 0 ? 0 : 64;
    for (int step = 32; step > 0; step /= 2)
        if (word >> (64 - step) == 0) {
            word <<= step;
            count += step;
        }
    return count;
}

/* The bits of the number of FORMAT nearest to A·2^EXPONENT, ties to even; from format->infinity on: too large. */
static uint64_t round_bits(wide a, int exponent, const attn_float_format *format)
{
    int zeros = leading_zeros(a);
    uint64_t biased = 1;
    a = shift_left(a, zeros);
    int top = exponent - zeros + 127; /* A's leading bit is worth 2^top */
    int drop = 128 - format->bits;
    if (top < format->least)
        drop += format->least - top;
    else
        biased = (uint64_t)(top - format->least) + 1;
    if (drop > 128)
        return 0;
    uint64_t mantissa = drop == 128 ? 0 : a.high >> (drop - 64); /* drop >= 64: no format has more than 64 bits */
    wide rest = shift_left(a, 128 - drop);
    bool half = rest.high >> 63 != 0;
    bool more = rest.high << 1 != 0 || rest.low != 0;
    if (half && (more || (mantissa & 1) != 0))
        mantissa++;
    return ((biased - 1) << (format->bits - 1)) + mantissa; /* a carry runs into the exponent */
}

/* A number's bits from below and from above. */
typedef struct bounds {
    uint64_t low, high;
} bounds;

/* mantissa·10^ten as a 128-bit product: it lies in [cut product, cut product + 2). */
static bounds bound_bits(uint64_t mantissa, int ten, const attn_float_format *format)
{
    int step = (ten - COARSE_MIN) / COARSE_STEP;
    int coarse = COARSE_MIN + step * COARSE_STEP;
    size_t fine = (size_t)(ten - coarse), half = fine / 2;
    wide product = multiply(mantissa, attn_decimal_power8(half) * attn_decimal_power8(fine - half));
    int zeros = leading_zeros(product);
    /* floor(coarse·log2(10)), which 217706/65536 gives for every power in the table; 2000 keeps it positive */
    int log2 = (217706 * coarse + 2000 * 65536) / 65536 - 2000;
    int exponent = log2 + 1 - zeros;
    product = multiply_high(shift_left(product, zeros), coarse_powers[step]);
    return (bounds){.low = round_bits(product, exponent, format),
                    .high = round_bits(plus(product, 2), exponent, format)};
}

/* Ways 2 and 3. */
static uint64_t nearest_bits(const attn_decimal *decimal, const attn_float_format *format)
{
    if (decimal->mantissa == 0 || decimal->exponent < LEAST_EXPONENT)
        return 0;
    if (decimal->exponent >= MOST_EXPONENT)
        return format->infinity;
    int ten = (int)decimal->exponent;
    bounds found = bound_bits(decimal->mantissa, ten, format);
    if (decimal->truncated)
        found.high = bound_bits(decimal->mantissa + 1, ten, format).high;
    if (found.low == found.high || found.low >= format->infinity)
        return found.low;
    int order = attn_decimal_compare(decimal, found.low, format);
    return found.low + (order > 0 || (order == 0 && (found.low & 1) != 0));
}

/* Way 1: true and *VALUE is within 2 units in the last place; the nearest double where the mantissa
 * has no more than 53 bits. */
static bool near_double(const attn_decimal *decimal, double *value)
{
    if (FLT_EVAL_METHOD != 0 || decimal->truncated || decimal->exponent < -EXACT_POWER ||
        decimal->exponent > EXACT_POWER)
        return false;
    *value = (double)decimal->mantissa;
    if (decimal->exponent < 0)
        *value /= exact_powers[-decimal->exponent];
    else
        *value *= exact_powers[decimal->exponent];
    return true;
}

attn_decimal_result attn_decimal_to_f32(const attn_decimal *decimal, float *value)
{
    static const attn_float_format format = {
        .bits = FLT_MANT_DIG, .least = FLT_MIN_EXP - 1, .infinity = UINT64_C(0xff) << 23};
    double near;
    uint64_t bits;
    float rounded;
    if (near_double(decimal, &near) && near < (double)FLT_MAX && attn_decimal_round(near, &rounded)) {
        *value = decimal->negative ? -rounded : rounded;
        return ATTN_DECIMAL_OK;
    }
    bits = nearest_bits(decimal, &format);
    if (bits >= format.infinity)
        return ATTN_DECIMAL_OVERFLOW;
    *value = attn_float_of_bits((uint32_t)bits | (uint32_t)decimal->negative << 31);
    return ATTN_DECIMAL_OK;
}

attn_decimal_result attn_decimal_to_f64(const attn_decimal *decimal, double *value)
{
    static const attn_float_format format = {
        .bits = DBL_MANT_DIG, .least = DBL_MIN_EXP - 1, .infinity = UINT64_C(0x7ff) << 52};
    uint64_t bits;
    double near;
    if (decimal->mantissa <= UINT64_C(1) << DBL_MANT_DIG && near_double(decimal, &near)) {
        *value = decimal->negative ? -near : near;
        return ATTN_DECIMAL_OK;
    }
    bits = nearest_bits(decimal, &format);
    if (bits >= format.infinity)
        return ATTN_DECIMAL_OVERFLOW;
    *value = attn_double_of_bits(bits | (uint64_t)decimal->negative << 63);
    return ATTN_DECIMAL_OK;
}

attn_decimal_result attn_decimal_f32(attn_bytes text, float *value, size_t *used)
{
    attn_decimal decimal;
    bool found = attn_decimal_scan(text, &decimal);
    *used = decimal.used;
    return found ? attn_decimal_to_f32(&decimal, value) : ATTN_DECIMAL_NONE;
}

bool attn_decimal_u64(attn_bytes text, uint64_t limit, uint64_t *value)
{
    uint64_t result = 0;
    if (text.size == 0)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        uint64_t digit = (uint64_t)text.data[i] - '0';
        if (!is_digit(text.data[i]) || result > (UINT64_MAX - digit) / 10)
            return false;
        result = result * 10 + digit;
    }
    if (result > limit)
        return false;
    *value = result;
    return true;
}
