/* count.c: counts work without a clock, in a build of its own (tests/bounds/counted, see tests/local.mk): each basic
 * block that runs counts one, as gcc's -fsanitize-coverage=trace-pc tells, and 16 bytes that the C library passes over
 * count another. The sum stands at the end in the file that WORK names. Called by tests/bounds/work.py; one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long work;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    work++;
}

static void passed_over(size_t size)
{
    work += 1 + size / 16;
}

void *__real_memcpy(void *to, const void *from, size_t size);
void *__real_memmove(void *to, const void *from, size_t size);
void *__real_memset(void *to, int byte, size_t size);
int __real_memcmp(const void *a, const void *b, size_t size);
void *__real_memchr(const void *data, int byte, size_t size);
size_t __real_strlen(const char *text);
int __real_strcmp(const char *a, const char *b);

void *__wrap_memcpy(void *to, const void *from, size_t size);
void *__wrap_memmove(void *to, const void *from, size_t size);
void *__wrap_memset(void *to, int byte, size_t size);
int __wrap_memcmp(const void *a, const void *b, size_t size);
void *__wrap_memchr(const void *data, int byte, size_t size);
size_t __wrap_strlen(const char *text);
int __wrap_strcmp(const char *a, const char *b);

void *__wrap_memcpy(void *to, const void *from, size_t size)
{
    passed_over(size);
    return __real_memcpy(to, from, size);
}

void *__wrap_memmove(void *to, const void *from, size_t size)
{
    passed_over(size);
    return __real_memmove(to, from, size);
}

void *__wrap_memset(void *to, int byte, size_t size)
{
    passed_over(size);
    return __real_memset(to, byte, size);
}

/* What is alike at the beginning, and no more, is compared. */
int __wrap_memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *x = a, *y = b;
    size_t same = 0;
    while (same < size && x[same] == y[same])
        same++;
    passed_over(same);
    return __real_memcmp(a, b, size);
}

void *__wrap_memchr(const void *data, int byte, size_t size)
{
    void *found = __real_memchr(data, byte, size);
    passed_over(found != NULL ? (size_t)((const char *)found - (const char *)data) : size);
    return found;
}

size_t __wrap_strlen(const char *text)
{
    const size_t size = __real_strlen(text);
    passed_over(size);
    return size;
}

int __wrap_strcmp(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] != '\0' && a[same] == b[same])
        same++;
    passed_over(same);
    return __real_strcmp(a, b);
}

__attribute__((destructor)) static void say(void)
{
    const char *name = getenv("WORK");
    FILE *file = name != NULL ? fopen(name, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%llu\n", work);
        fclose(file);
    }
}
