/* A profile for speedscope.app (profile.h): one stack for each line, kernel and line, as heavy as the instructions of
 * warps that it has. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "sim/output.h"

/* Frames and stacks are written in two passes over the same rows. */
enum pass { FRAMES, SAMPLES, WEIGHTS };

struct writer {
    FILE *out;
    size_t frames; /* written or passed so far */
    uint64_t all;
    bool begun;
};

static void separate(struct writer *w)
{
    fputs(w->begun ? ",\n  " : "\n  ", w->out);
    w->begun = true;
}

static void put_line_frame(struct writer *w, const struct profile_kernel *k, const struct profile_line *l)
{
    char *text = l->text ? strndup(l->text, l->size) : NULL, *name = NULL;
    if (asprintf(&name, "%s:%u%s%s", k->name, (unsigned)l->line, text ? " " : "", text ? text : "") < 0) name = NULL;
    separate(w);
    fputs("{\"name\": ", w->out);
    output_json_string(w->out, name ? name : k->name);
    if (k->note->nsources && *k->note->sources->name) {
        fputs(", \"file\": ", w->out);
        output_json_string(w->out, k->note->sources->name);
    }
    fprintf(w->out, ", \"line\": %u}", (unsigned)l->line);
    free(text);
    free(name);
}

static void put_kernel(struct writer *w, const struct profile *p, const struct profile_kernel *k, enum pass pass)
{
    struct profile_rows rows;
    const size_t own = w->frames++;
    if (pass == FRAMES) {
        separate(w);
        fputs("{\"name\": ", w->out);
        output_json_string(w->out, k->name);
        fputc('}', w->out);
    }
    profile_rows(p, k, &rows);
    for (size_t i = 0; i < rows.nlines; i++) {
        const size_t frame = w->frames++;
        if (pass == FRAMES) put_line_frame(w, k, &rows.lines[i]);
        if (pass == SAMPLES) separate(w), fprintf(w->out, "[%zu, %zu]", own, frame);
        if (pass == WEIGHTS) separate(w), fprintf(w->out, "%llu", (unsigned long long)rows.lines[i].executions);
        if (pass == WEIGHTS) w->all += rows.lines[i].executions;
    }
    profile_rows_free(&rows);
}

static void put_all(struct writer *w, const struct profile *p, enum pass pass)
{
    w->frames = 0;
    w->begun = false;
    for (const struct profile_kernel *k = profile_kernels(p); k; k = k->next) put_kernel(w, p, k, pass);
}

void profile_speedscope(const struct profile *p, FILE *out)
{
    struct writer w = {.out = out};
    fputs("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\", \"exporter\": \"ventus\",\n"
          " \"shared\": {\"frames\": [",
          out);
    put_all(&w, p, FRAMES);
    fputs("]},\n \"profiles\": [{\"type\": \"sampled\", \"name\": \"instructions of warps\", \"unit\": \"none\", "
          "\"samples\": [",
          out);
    put_all(&w, p, SAMPLES);
    fputs("], \"weights\": [", out);
    put_all(&w, p, WEIGHTS);
    fprintf(out, "], \"startValue\": 0, \"endValue\": %llu}]}\n", (unsigned long long)w.all);
}
