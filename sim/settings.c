/* Reads files of settings (settings.h). config.c and timing/parameters.c call it. */
#include "sim/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool settings_number(const char *text, uint64_t most, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    uint64_t v = strtoull(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
    if (shift) end++;
    if (errno || *end || v > most >> shift) return false;
    *value = v << shift;
    return true;
}

/* Cuts the comment and the white space at both ends off. */
static char *trim(char *s)
{
    static const char space[] = " \t\r\n";
    s[strcspn(s, "#")] = 0;
    s += strspn(s, space);
    size_t n = strlen(s);
    while (n && strchr(space, s[n - 1])) n--;
    s[n] = 0;
    return s;
}

enum { MOST_LINES = 10000 }; /* a stream need not end: of one, 5 MB are read at most */

bool settings_read(FILE *f, const char *path, settings_set *set, void *user, char *why, size_t why_size)
{
    char buf[512], what[400];
    unsigned number = 0;
    const char *wrong = NULL;
    while (!wrong && fgets(buf, sizeof buf, f)) {
        bool whole = strchr(buf, '\n') || feof(f);
        char *line = trim(buf), *equals = strchr(line, '=');
        number++;
        if (number > MOST_LINES) wrong = "the file has too many lines";
        else if (!whole) wrong = "the line is too long";
        else if (!*line) continue;
        else if (!equals) wrong = "a line is 'name = value'";
        else {
            *equals = 0;
            wrong = set(user, trim(line), trim(equals + 1), what, sizeof what);
        }
    }
    if (wrong) snprintf(why, why_size, "%s:%u: %s", path, number, wrong);
    else if (ferror(f)) snprintf(why, why_size, "%s: cannot be read", path);
    else return true;
    return false;
}
