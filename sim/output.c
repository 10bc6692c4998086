/* Files that are written whole or not at all. Called by the observers in trace/, and by the tools. */
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

void output_json_string(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < ' ' || c == 0x7f) fprintf(out, "\\u%04x", c);
        else putc(c, out);
    }
    putc('"', out);
}
