/* locales.h: a locale in which the decimal point is a comma. */
#ifndef ATTN_TESTING_LOCALES_H
#define ATTN_TESTING_LOCALES_H

#include <stdbool.h>

/* Sets the process to one that is installed, or made for the test (Debian's package locales). False: neither can be;
 * the test is skipped. */
bool locales_decimal_comma(void);

#endif
