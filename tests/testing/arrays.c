/* arrays.c: see arrays.h. */
#include "config.h"

#include "testing/arrays.h"

#include "testing.h"

#include "formats/container.h"

#include <math.h>

float *arrays_npy(const char *path, size_t *count)
{
    attn_container container;
    if (path == NULL || attn_container_open(path, NULL, &container, NULL) != ATTN_OK)
        return NULL;
    ck_assert_uint_eq(container.n_tensors, 1);
    ck_assert(attn_tensor_count(&container.tensors[0].tensor, count));
    float *values = malloc((*count + 1) * sizeof *values);
    ck_assert_ptr_nonnull(values);
    attn_tensor_to_f32(&container.tensors[0].tensor, values);
    attn_container_close(&container);
    return values;
}

uint32_t *arrays_ids(const char *path, size_t *count)
{
    float *values = arrays_npy(path, count);
    ck_assert_msg(values != NULL, "%s is not there", path);
    uint32_t *ids = malloc((*count + 1) * sizeof *ids);
    ck_assert_ptr_nonnull(ids);
    for (size_t i = 0; i < *count; i++)
        ids[i] = (uint32_t)values[i];
    free(values);
    return ids;
}

void arrays_near(const float *found, const float *right, size_t count, double tolerance, const char *what)
{
    double largest = 1, worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(right[i]) && fabs((double)right[i]) > largest)
            largest = fabs((double)right[i]);
    for (size_t i = 0; i < count; i++) {
        double off = isnan(found[i]) ? (double)INFINITY : fabs((double)found[i] - (double)right[i]);
        if (off > worst) {
            worst = off;
            at = i;
        }
    }
    if (getenv("ATTN_SHOW") != NULL) /* how much of the tolerance is used */
        fprintf(stderr, "%s: %zu numbers, worst %g of %g\n", what, count, worst, largest);
    if (worst > tolerance * largest)
        ck_abort_msg("%s: number %zu of %zu is %.9g, right is %.9g (off by %.3g, allowed %.3g)", what, at, count,
                     (double)found[at], (double)right[at], worst, tolerance * largest);
}

void arrays_equal(const float *found, const float *right, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(found[i] == right[i] || (isnan(found[i]) && isnan(right[i])),
                      "%s: number %zu of %zu is %a, right is %a", what, i, count, (double)found[i], (double)right[i]);
}
