/* script.h: the script of a character, as tokenizer.json's UnicodeScripts has it, which stays with Unicode 9.0. Only files
 * of text/ include it. */
#ifndef ATTN_TEXT_UNICODE_SCRIPT_H
#define ATTN_TEXT_UNICODE_SCRIPT_H

#include <stdint.h>

enum { ATTN_SCRIPT_NONE = 0 }; /* unassigned in Unicode 9.0, ill-formed */

/* A number for CODE's script. Hiragana, Katakana and their sign for a long vowel have that of Han; Common and Inherited
 * are scripts as others are. */
uint8_t attn_script_of(int32_t code);

#endif
