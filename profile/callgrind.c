/* A profile in the format of Valgrind's callgrind (profile.h), with addresses and lines: `Ir` are instructions of
 * warps, `Lanes` the active lanes of these, `Div` branches at which lanes have diverged, `Cyc` cycles of warps. Text
 * without control characters. Source and machine code, which KCachegrind shows beside the counts, are files beside it:
 * a program's as it runs need not be in any other.
 */
#include <stdlib.h>
#include <string.h>

#include "asm/image.h"
#include "profile/profile.h"
#include "sim/output.h"

static void put_name(const char *key, const char *text, FILE *out)
{
    fprintf(out, "%s=", key);
    for (; *text; text++) fputc((unsigned char)*text < ' ' ? '?' : *text, out);
    fputc('\n', out);
}

/* ---- files beside it: NAME.1.elf and NAME.1.cl of program 1 ---- */

static const struct note_source *source_of(const struct profile_kernel *k)
{
    return k->note->nsources ? k->note->sources : NULL;
}

/* Of its program: no kernel in front of this one is of the same. */
static bool is_first(const struct profile *p, const struct profile_kernel *kernel)
{
    const struct profile_kernel *k = profile_kernels(p);
    while (k->program != kernel->program) k = k->next;
    return k == kernel;
}

/* The name of a file beside it, to be freed; NULL: out of memory. */
static char *name_beside(const char *name, uint64_t program, const char *ending)
{
    char *path;
    return asprintf(&path, "%s.%llu.%s", name, (unsigned long long)program, ending) < 0 ? NULL : path;
}

static bool write_beside(const char *name, uint64_t program, const char *ending, const void *bytes, size_t size,
                         char *why, size_t why_size)
{
    char *path = name_beside(name, program, ending);
    if (!path) return snprintf(why, why_size, "out of memory"), false;
    FILE *out = output_open(path, why, why_size);
    if (out) fwrite(bytes, 1, size, out);
    const bool ok = out && output_close(out, path, why, why_size);
    free(path);
    return ok;
}

/* The code with the names of its kernels. */
static bool write_code(const struct profile *p, const struct profile_kernel *k, const char *name, char *why,
                       size_t why_size)
{
    const struct note *n = k->note;
    struct elf_symbol *symbols = calloc(n->nkernels + 1, sizeof *symbols);
    uint32_t *words = calloc(k->size / 4 + 1, 4);
    void *bytes = NULL;
    size_t size = 0;
    const char *wrong = "out of memory";
    for (size_t i = 0; symbols && i < n->nkernels; i++)
        symbols[i] = (struct elf_symbol){.name = n->kernels[i].name, .value = n->kernels[i].entry, .function = true};
    if (words) memcpy(words, k->code, k->size);
    const struct elf_image image = {.profile = profile_config(p)->profile,
                                    .entry = k->base,
                                    .text_addr = k->base,
                                    .text = words,
                                    .text_words = k->size / 4,
                                    .symbols = symbols,
                                    .nsymbols = n->nkernels};
    bool ok = symbols && words && elf_write(&image, &bytes, &size, &wrong);
    if (!ok) snprintf(why, why_size, "%s", wrong);
    ok = ok && write_beside(name, k->program, "elf", bytes, size, why, why_size);
    free(bytes), free(words), free(symbols);
    return ok;
}

static bool write_program(const struct profile *p, const struct profile_kernel *k, const char *name, char *why,
                          size_t why_size)
{
    const struct note_source *s = source_of(k);
    return write_code(p, k, name, why, why_size) &&
           (!s || !s->text || write_beside(name, k->program, "cl", s->text, s->size, why, why_size));
}

/* ---- the profile ---- */

static void put_files(const struct profile_kernel *k, const char *name, FILE *out)
{
    const struct note_source *s = source_of(k);
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    char *code = name_beside(last, k->program, "elf"), *source = name_beside(last, k->program, "cl");
    put_name("ob", code ? code : "", out);
    put_name("fl", s && s->text && source ? source : s && *s->name ? s->name : "program.cl", out);
    free(code), free(source);
}

static void put_kernel(const struct profile *p, const struct profile_kernel *k, const char *name, FILE *out)
{
    struct profile_rows rows;
    if (profile_rows(p, k, &rows) && rows.ninsns) {
        put_files(k, name, out);
        put_name("fn", k->name, out);
    }
    for (size_t i = 0; i < rows.ninsns; i++)
        fprintf(out, "0x%x %u %llu %llu %llu %llu\n", (unsigned)rows.insns[i].pc, (unsigned)rows.insns[i].line,
                (unsigned long long)rows.insns[i].counts.executions, (unsigned long long)rows.insns[i].counts.lanes,
                (unsigned long long)rows.insns[i].counts.diverged,
                (unsigned long long)profile_cycles_of(&rows.insns[i].went));
    profile_rows_free(&rows);
}

bool profile_callgrind(const struct profile *p, const char *name, FILE *out, char *why, size_t why_size)
{
    bool ok = true;
    fputs("# callgrind format\nversion: 1\ncreator: ventus\npositions: instr line\n"
          "event: Ir : Instructions of warps\nevent: Lanes : Active lanes\nevent: Div : Divergent branches\n"
          "event: Cyc : Cycles of warps\nevents: Ir Lanes Div Cyc\n\n",
          out);
    for (const struct profile_kernel *k = profile_kernels(p); k; k = k->next) {
        if (is_first(p, k) && strcmp(name, "-") != 0) ok &= write_program(p, k, name, why, why_size);
        put_kernel(p, k, name, out);
    }
    return ok;
}
