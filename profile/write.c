/* The files that somebody wants of a profile (profile.h). */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "sim/output.h"

static const struct form {
    const char *ending; /* of the file's name */
    void (*put)(const struct profile *profile, FILE *out);
} forms[] = {{".speedscope.json", profile_speedscope},
             {".json", profile_json},
             {".html", profile_html},
             {".callgrind", profile_callgrind},
             {"", profile_table}};

static bool put_file(const struct profile *p, const char *name, char *why, size_t why_size)
{
    const struct form *form = forms;
    while (!output_ends_with(name, form->ending)) form++;
    FILE *out = output_open(name, why, why_size);
    if (!out) return false;
    form->put(p, out);
    return output_close(out, name, why, why_size);
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
