/* base64.c: see base64.h. */
#include "config.h"

#include "text/vocab/base64.h"

static int digit(uint8_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool attn_base64_decode(attn_bytes text, attn_buffer *out)
{
    uint32_t bits = 0;
    unsigned n_bits = 0;
    for (size_t i = 0; i < 2 && text.size > 0 && text.data[text.size - 1] == '='; i++)
        text.size--;
    if (text.size % 4 == 1)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        int value = digit(text.data[i]);
        if (value < 0)
            return false;
        bits = (bits << 6 | (uint32_t)value) & 0xfff;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            attn_buffer_byte(out, (char)(bits >> n_bits & 0xff));
        }
    }
    return true;
}
