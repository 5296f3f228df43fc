/* principal.c: see principal.h. The two directions are found together by power iteration (orthogonal iteration: each
 * step applies the rows' scatter XᵀX, row by row, so that no matrix is made), then turned within their plane to its own
 * two axes (Rayleigh and Ritz), so that two spreads nearly alike do not hold it up. It begins with the row that lies
 * farthest from the mean and the row that lies farthest from the line through that one: nothing that spreads is at a
 * right angle to both, as a fixed vector may be. */
#include "config.h"

#include "report/principal.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { STEPS = 300 };

typedef struct spread { /* the rows around their mean, and room to work in */
    const float *rows;  /* [n][width] */
    size_t n, width;
    const double *mean; /* [width] */
    double *images[2];  /* owned; [width]: XᵀX times the directions */
} spread;

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double row_dot(const spread *s, size_t row, const double *direction)
{
    const float *x = s->rows + row * s->width;
    double sum = 0;
    for (size_t k = 0; k < s->width; k++)
        sum += ((double)x[k] - s->mean[k]) * direction[k];
    return sum;
}

static double row_square(const spread *s, size_t row)
{
    const float *x = s->rows + row * s->width;
    double sum = 0;
    for (size_t k = 0; k < s->width; k++)
        sum += ((double)x[k] - s->mean[k]) * ((double)x[k] - s->mean[k]);
    return sum;
}

/* IMAGE = XᵀX DIRECTION */
static void apply(const spread *s, const double *direction, double *image)
{
    memset(image, 0, s->width * sizeof *image);
    for (size_t i = 0; i < s->n; i++) {
        const double along = row_dot(s, i, direction);
        const float *x = s->rows + i * s->width;
        for (size_t k = 0; k < s->width; k++)
            image[k] += along * ((double)x[k] - s->mean[k]);
    }
}

/* Takes out of A what lies along B (of length 1 or 0). */
static void take_out(double *a, const double *b, size_t n)
{
    const double along = dot(a, b, n);
    for (size_t i = 0; i < n; i++)
        a[i] -= along * b[i];
}

/* To length 1; what is no longer than LEAST becomes 0. */
static void make_unit(double *a, size_t n, double least)
{
    const double length = sqrt(dot(a, a, n));
    for (size_t i = 0; i < n; i++)
        a[i] = length > least ? a[i] / length : 0;
}

static void copy_row(const spread *s, size_t row, double *out)
{
    for (size_t k = 0; k < s->width; k++)
        out[k] = (double)s->rows[row * s->width + k] - s->mean[k];
}

/* The row farthest from 0, and the one farthest from the line through it. */
static void begin(const spread *s, attn_principal *p)
{
    size_t first = 0, second = 0;
    double most = 0, scale;
    for (size_t i = 0; i < s->n; i++)
        if (row_square(s, i) > most) {
            most = row_square(s, i);
            first = i;
        }
    scale = sqrt(most);
    copy_row(s, first, p->directions[0]);
    make_unit(p->directions[0], s->width, 0);
    most = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double along = row_dot(s, i, p->directions[0]), off = row_square(s, i) - along * along;
        if (off > most) {
            most = off;
            second = i;
        }
    }
    copy_row(s, second, p->directions[1]);
    take_out(p->directions[1], p->directions[0], s->width);
    take_out(p->directions[1], p->directions[0], s->width);
    make_unit(p->directions[1], s->width, 1e-7 * scale); /* below is what rounding left */
}

static void iterate(spread *s, attn_principal *p, double scale)
{
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < 2; i++)
            apply(s, p->directions[i], s->images[i]);
        for (int i = 0; i < 2; i++)
            memcpy(p->directions[i], s->images[i], s->width * sizeof **s->images);
        make_unit(p->directions[0], s->width, 0);
        take_out(p->directions[1], p->directions[0], s->width);
        take_out(p->directions[1], p->directions[0], s->width);
        make_unit(p->directions[1], s->width, 1e-12 * scale);
    }
}

/* Turns the two within their plane: to the axes of the 2×2 scatter there. SPREADS: the variances along them. */
static void turn(spread *s, attn_principal *p, double spreads[2])
{
    for (int i = 0; i < 2; i++)
        apply(s, p->directions[i], s->images[i]);
    const double a = dot(p->directions[0], s->images[0], s->width), b = dot(p->directions[0], s->images[1], s->width),
                 c = dot(p->directions[1], s->images[1], s->width), angle = 0.5 * atan2(2 * b, a - c),
                 cosine = cos(angle), sine = sin(angle);
    for (size_t k = 0; k < s->width; k++) {
        const double x = p->directions[0][k], y = p->directions[1][k];
        p->directions[0][k] = cosine * x + sine * y;
        p->directions[1][k] = cosine * y - sine * x;
    }
    spreads[0] = a * cosine * cosine + 2 * b * cosine * sine + c * sine * sine;
    spreads[1] = a * sine * sine - 2 * b * cosine * sine + c * cosine * cosine;
}

/* A direction and its opposite are the same: the number of the largest size is the positive one. */
static void choose_sign(double *direction, size_t n)
{
    size_t largest = 0;
    for (size_t k = 1; k < n; k++)
        if (fabs(direction[k]) > fabs(direction[largest]) * (1 + 1e-9))
            largest = k;
    if (direction[largest] < 0)
        for (size_t k = 0; k < n; k++)
            direction[k] = -direction[k];
}

static void find(spread *s, attn_principal *p)
{
    double total = 0, spreads[2];
    for (size_t i = 0; i < s->n; i++)
        total += row_square(s, i);
    if (!(total > 0))
        return;
    begin(s, p);
    iterate(s, p, total);
    turn(s, p, spreads);
    for (int i = 0; i < 2; i++) {
        p->shares[i] = spreads[i] > 0 ? spreads[i] / total : 0;
        choose_sign(p->directions[i], s->width);
    }
}

attn_status attn_principal_open(attn_principal *principal, const float *rows, size_t n, size_t width, attn_error *error)
{
    spread s = {.rows = rows, .n = n, .width = width};
    *principal = (attn_principal){.width = width, .mean = attn_calloc_array(width, sizeof(double))};
    for (int i = 0; i < 2; i++) {
        principal->directions[i] = attn_calloc_array(width, sizeof(double));
        s.images[i] = attn_calloc_array(width, sizeof(double));
    }
    s.mean = principal->mean;
    const bool room = principal->mean != NULL && principal->directions[0] != NULL && principal->directions[1] != NULL &&
                      s.images[0] != NULL && s.images[1] != NULL;
    for (size_t i = 0; i < n && room; i++)
        for (size_t k = 0; k < width; k++)
            principal->mean[k] += (double)rows[i * width + k] / (double)n;
    if (room)
        find(&s, principal);
    attn_free(s.images[0]);
    attn_free(s.images[1]);
    return room ? ATTN_OK : attn_fail_memory(error);
}

void attn_principal_place(const attn_principal *principal, const float *x, double place[2])
{
    for (int i = 0; i < 2; i++) {
        place[i] = 0;
        for (size_t k = 0; k < principal->width; k++)
            place[i] += ((double)x[k] - principal->mean[k]) * principal->directions[i][k];
    }
}

void attn_principal_close(attn_principal *principal)
{
    attn_free(principal->mean);
    attn_free(principal->directions[0]);
    attn_free(principal->directions[1]);
    *principal = (attn_principal){0};
}
