/* Bytes that grow, and numbers as the protocol writes them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "debug/parts.h"

void text_free(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}

void text_clear(struct text *t)
{
    t->n = 0;
    t->failed = false;
    if (t->data) *t->data = 0;
}

static bool reserve(struct text *t, size_t more)
{
    if (t->n + more < t->room) return true;
    size_t room = 2 * (t->n + more) + 64;
    char *data = realloc(t->data, room);
    if (!data) return !(t->failed = true);
    t->data = data;
    t->room = room;
    return true;
}

void text_bytes(struct text *t, const void *bytes, size_t n)
{
    if (!reserve(t, n)) return;
    if (n) memcpy(t->data + t->n, bytes, n);
    t->n += n;
    t->data[t->n] = 0;
}

void text_add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0 || !reserve(t, (size_t)n)) return;
    va_start(args, format);
    vsnprintf(t->data + t->n, (size_t)n + 1, format, args);
    va_end(args);
    t->n += (size_t)n;
}

void text_hex(struct text *t, const void *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *b = bytes;
    if (!reserve(t, 2 * n)) return;
    for (size_t i = 0; i < n; i++) {
        t->data[t->n++] = digits[b[i] >> 4];
        t->data[t->n++] = digits[b[i] & 15];
    }
    t->data[t->n] = 0;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool hex_number(const char **s, uint64_t *value)
{
    const char *begin = *s;
    *value = 0;
    for (int d; (d = digit(**s)) >= 0; ++*s) {
        if (*value >> 60) return false;
        *value = *value << 4 | (uint64_t)d;
    }
    return *s != begin;
}

bool hex_bytes(const char **s, void *bytes, size_t n)
{
    uint8_t *b = bytes;
    for (size_t i = 0; i < n; i++, *s += 2) {
        int high = digit((*s)[0]), low = high < 0 ? -1 : digit((*s)[1]);
        if (low < 0) return false;
        b[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}
