/* byte_alphabet.c: see byte_alphabet.h. Used by the byte-level BPE, by bytes and by labels. */
#include "config.h"

#include "base/utf8.h"
#include "text/byte_alphabet.h"

enum { FIRST_STAND_IN = 0x100, N_STAND_INS = 68 };

static bool stands_for_itself(uint32_t byte)
{
    return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

uint32_t attn_byte_alphabet_code(uint8_t byte)
{
    if (stands_for_itself(byte))
        return byte;
    if (byte <= ' ')
        return FIRST_STAND_IN + byte;
    return byte == 0xAD ? FIRST_STAND_IN + N_STAND_INS - 1U : FIRST_STAND_IN + 33U + byte - 0x7FU;
}

int attn_byte_alphabet_byte(int32_t code)
{
    int32_t stand_in = code - FIRST_STAND_IN;
    if (code >= 0 && code < FIRST_STAND_IN)
        return stands_for_itself((uint32_t)code) ? (int)code : -1;
    if (stand_in < 0 || stand_in >= N_STAND_INS)
        return -1;
    if (stand_in <= ' ')
        return (int)stand_in;
    return stand_in == N_STAND_INS - 1 ? 0xAD : 0x7F + (int)stand_in - 33;
}

void attn_byte_alphabet_decode(attn_bytes spelling, attn_buffer *out)
{
    size_t length;
    for (size_t at = 0; at < spelling.size; at += length) {
        int byte = attn_byte_alphabet_byte(attn_utf8_decode(spelling, at, &length));
        if (byte >= 0)
            attn_buffer_byte(out, (char)byte);
        else
            attn_buffer_put(out, spelling.data + at, length);
    }
}

void attn_byte_alphabet_encode(attn_bytes bytes, attn_buffer *out)
{
    uint8_t code[4];
    for (size_t i = 0; i < bytes.size; i++)
        attn_buffer_put(out, code, attn_utf8_encode(attn_byte_alphabet_code(bytes.data[i]), code));
}

int attn_byte_token(attn_bytes spelling)
{
    const uint8_t *s = spelling.data;
    int high, low;
    if (spelling.size != 6 || s[0] != '<' || s[1] != '0' || s[2] != 'x' || s[5] != '>')
        return -1;
    high = attn_hex_digit(s[3]);
    low = attn_hex_digit(s[4]);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}
