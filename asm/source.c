/* The "source" record of a module note (docs/architecture.md): the name of the file that a program was made of,
 * and its text if the program carries it. Called by tools, for listings. */
#include "asm.h"

#include <stdlib.h>
#include <string.h>

/* The record's line, up to *end; NULL: there is none. */
static const char *find_record(const char *note, const char **end)
{
    static const char word[] = "source ";
    for (const char *p = note; p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
        if (strncmp(p, word, sizeof word - 1)) continue;
        *end = p + strcspn(p, "\n");
        return p + sizeof word - 1;
    }
    return NULL;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *p = c ? strchr(digits, c) : NULL;
    return p ? (int)(p - digits) & 15 : -1;
}

/* Undoes %XX; a broken one stays as it is. */
static char *unescape(const char *p, size_t n, size_t *size)
{
    char *out = malloc(n + 1), *to = out;
    for (const char *end = p + n; out && p < end; p++) {
        int high = *p == '%' && end - p > 2 ? hex_digit(p[1]) : -1, low = high < 0 ? -1 : hex_digit(p[2]);
        *to++ = low < 0 ? *p : (char)(high << 4 | low);
        if (low >= 0) p += 2;
    }
    if (out) *to = 0, *size = (size_t)(to - out);
    return out;
}

bool asm_source(const char *note, char **name, char **text, size_t *size)
{
    const char *end = NULL, *p = note ? find_record(note, &end) : NULL;
    size_t name_size;
    bool ok = true;
    *name = *text = NULL;
    *size = 0;
    for (size_t n; p && p < end && ok; p += n + (p[n] == ' ')) {
        n = strcspn(p, " \n");
        if (!strncmp(p, "name=", 5) && !*name) ok = (*name = unescape(p + 5, n - 5, &name_size)) != NULL;
        if (!strncmp(p, "text=", 5) && !*text) ok = (*text = unescape(p + 5, n - 5, size)) != NULL;
    }
    if (ok) return true;
    free(*name);
    free(*text);
    *name = *text = NULL;
    return false;
}
