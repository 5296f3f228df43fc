/* arrays.h: arrays of outside values, and how near what was found comes to them. */
#ifndef ATTN_TESTING_ARRAYS_H
#define ATTN_TESTING_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

/* The one array of the file PATH (.npy) as float32; *COUNT its numbers. NULL: it is not there. Owned by the caller:
 * free. */
float *arrays_npy(const char *path, size_t *count);
/* The same of whole numbers; it must be there. */
uint32_t *arrays_ids(const char *path, size_t *count);

/* Fails, naming WHAT, unless |found − right| <= tolerance · max(1, largest |right|) for all COUNT numbers. */
void arrays_near(const float *found, const float *right, size_t count, double tolerance, const char *what);
/* Fails, naming WHAT, unless all COUNT numbers are equal; NaN equals NaN. */
void arrays_equal(const float *found, const float *right, size_t count, const char *what);

#endif
