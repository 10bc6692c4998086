/* The files that somebody wants of a profile (profile.h). */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "sim/output.h"

static const struct form {
    const char *ending; /* of the file's name */
    void (*put)(const struct profile *profile, FILE *out);
    bool (*put_with_files)(const struct profile *profile, const char *name, FILE *out, char *why, size_t why_size);
} forms[] = {{".speedscope.json", .put = profile_speedscope},
             {".json", .put = profile_json},
             {".html", .put = profile_html},
             {".callgrind", .put_with_files = profile_callgrind},
             {"", .put = profile_table}};

static bool put_file(const struct profile *p, const char *name, char *why, size_t why_size)
{
    const struct form *form = forms;
    while (!output_ends_with(name, form->ending)) form++;
    FILE *out = output_open(name, why, why_size);
    if (!out) return false;
    bool ok = true;
    if (form->put) form->put(p, out);
    else ok = form->put_with_files(p, name, out, why, why_size);
    return output_close(out, name, why, why_size) && ok;
}

bool profile_write(const struct profile *p, const char *files, char *why, size_t why_size)
{
    bool ok = true;
    char *list = strdup(files), *rest = list;
    if (!*files || !strcmp(files, "1")) profile_table(p, stderr);
    else
        for (char *name; list && (name = strsep(&rest, ","));)
            if (*name) ok &= put_file(p, name, why, why_size);
    free(list);
    return ok;
}
