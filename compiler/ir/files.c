/* Files of the compiler's own: the built-in libraries, found through $VENTUS_BUILTINS, beside the program, or in
 * ../share/ventus, ../../share/ventus. Called by frontend.c, link.c and main.c. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/ir/ir.h"

static const char *find_library(struct cc *cc)
{
    const char *named = secure_getenv("VENTUS_BUILTINS");
    if (named && *named) return named;
    static const char *const places[] = {"", "/../share/ventus", "/../../share/ventus"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = cc_printf(cc, "%s%s/" LIBRARY, cc->tool_dir, places[i]);
        if (access(path, R_OK) == 0) return path;
    }
    return NULL;
}

const char *library_name(enum library which)
{
    static const char *const names[] = {LIBRARY, "ventus-families.bc", "ventus-double.bc", "ventus-half.bc"};
    return names[which];
}

const char *library_file(struct cc *cc, enum library which)
{
    const char *path = find_library(cc), *slash = path ? strrchr(path, '/') : NULL;
    if (which == LIBRARY_BASE || !path) return path;
    path = cc_printf(cc, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, library_name(which));
    return access(path, R_OK) == 0 ? path : NULL;
}
