/* buffer.c: see buffer.h. */
#include "config.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *attn_buffer_room(attn_buffer *buffer, size_t count)
{
    if (count > buffer->capacity - buffer->size) {
        char *grown = NULL;
        size_t wanted;
        if (attn_add(buffer->size, count, &wanted) && attn_add(wanted, wanted / 2 + 64, &wanted))
            grown = attn_realloc_array(buffer->data, wanted, 1);
        if (grown == NULL) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = grown;
        buffer->capacity = wanted;
    }
    return buffer->data + buffer->size;
}

void attn_buffer_put(attn_buffer *buffer, const void *data, size_t size)
{
    char *room = size > 0 ? attn_buffer_room(buffer, size) : NULL;
    if (room != NULL) {
        memcpy(room, data, size);
        buffer->size += size;
    }
}

void attn_buffer_text(attn_buffer *buffer, const char *text)
{
    attn_buffer_put(buffer, text, strlen(text));
}

void attn_buffer_byte(attn_buffer *buffer, char byte)
{
    attn_buffer_put(buffer, &byte, 1);
}

void attn_buffer_format(attn_buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *room = length >= 0 ? attn_buffer_room(buffer, (size_t)length + 1) : NULL;
    if (room == NULL) {
        buffer->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(room, (size_t)length + 1, format, args);
    va_end(args);
    buffer->size += (size_t)length;
}

attn_bytes attn_buffer_bytes(const attn_buffer *buffer)
{
    return (attn_bytes){.data = (const uint8_t *)buffer->data, .size = buffer->size};
}

void attn_buffer_free(attn_buffer *buffer)
{
    attn_free(buffer->data);
    *buffer = (attn_buffer){0};
}
