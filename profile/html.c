/* A profile as one page, which needs no network (profile.h): profile/page.html with Chart.js and the profile's JSON in
 * it. */
#include <stdlib.h>
#include <string.h>

#include "profile/page.h"
#include "profile/profile.h"
#include "profile_chart_js.h"
#include "profile_page.h"

/* Inside of a script element the text must not end it: a "<" of JSON stands in strings only. */
static void put_json(const char *json, size_t size, FILE *out)
{
    for (size_t i = 0; i < size; i++)
        if (json[i] == '<') fputs("\\u003c", out);
        else fputc(json[i], out);
}

/* Writes the page from `at` on up to a mark; what follows the mark. */
static const char *put_until(const char *at, const char *mark, FILE *out)
{
    const char *end = strstr(at, mark);
    fwrite(at, 1, (size_t)(end - at), out);
    return end + strlen(mark);
}

void profile_page_put(const char *json, size_t size, FILE *out)
{
    const char *at = put_until(profile_page, "@CHART_JS@", out);
    fputs(profile_chart_js, out);
    at = put_until(at, "@PROFILE@", out);
    put_json(json, size, out);
    fputs(at, out);
}

void profile_html(const struct profile *p, FILE *out)
{
    char *json = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&json, &size);
    if (memory) profile_json(p, memory);
    if (memory && !fclose(memory)) profile_page_put(json, size, out);
    free(json);
}
