/* Writes files whole or not at all. The observers in trace/ and the tools call these functions. */
#include "sim/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *output_open(const char *path, char *why, size_t why_size)
{
    FILE *out = strcmp(path, "-") ? fopen(path, "wb") : stdout;
    if (!out) snprintf(why, why_size, "cannot write '%s': %s", path, strerror(errno));
    return out;
}

bool output_close(FILE *out, const char *path, char *why, size_t why_size)
{
    struct stat st;
    if (out == stdout) return true;
    bool removable = !fstat(fileno(out), &st) && S_ISREG(st.st_mode), bad = ferror(out);
    if (!fclose(out) && !bad) return true;
    int error = errno;
    if (removable) unlink(path);
    snprintf(why, why_size, "cannot write %s%s%s", path, error ? ": " : "", error ? strerror(error) : "");
    return false;
}

/* Returns the size in bytes of the character of UTF-8 that begins here and ends within `size`; 0: none does. */
static size_t character(const char *text, size_t size)
{
    const unsigned char *c = (const unsigned char *)text;
    const size_t n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    if (n > size) return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    /* too long a form, a half of a pair, beyond the last one */
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f)) return 0;
    return (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f) ? 0 : n;
}

/* Is it one of C0, DEL or C1, which a terminal obeys? */
static bool is_control(const unsigned char *c) { return *c < ' ' || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0); }

void output_plain(FILE *out, const char *text, size_t size, size_t most)
{
    for (size_t n; size && most; text += n, size -= n, most--) {
        n = character(text, size);
        if (!n) n = 1, fputs("\xef\xbf\xbd", out); /* U+FFFD */
        else if (is_control((const unsigned char *)text)) putc(' ', out);
        else fwrite(text, 1, n, out);
    }
}

void output_json_string(FILE *out, const char *text)
{
    putc('"', out);
    for (size_t n; *text; text += n ? n : 1) {
        const unsigned char c = (unsigned char)*text;
        n = character(text, 4);
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < ' ' || c == 0x7f) fprintf(out, "\\u%04x", c);
        else if (n) fwrite(text, 1, n, out);
        else fputs("\\ufffd", out);
    }
    putc('"', out);
}

bool output_ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), k = strlen(ending);
    return n >= k && !strcmp(path + n - k, ending);
}
