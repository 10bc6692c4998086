/* A profile in the format of Valgrind's callgrind (profile.h), with addresses and lines: `Ir` are instructions of
 * warps, `Lanes` the active lanes of these, `Div` branches at which lanes have parted, `Cyc` cycles of warps. Text
 * without control characters.
 */
#include "profile/profile.h"

static void put_name(const char *key, const char *text, FILE *out)
{
    fprintf(out, "%s=", key);
    for (; *text; text++) fputc((unsigned char)*text < ' ' ? '?' : *text, out);
    fputc('\n', out);
}

static void put_kernel(const struct profile *p, const struct profile_kernel *k, FILE *out)
{
    struct profile_rows rows;
    const struct note *n = k->note;
    if (profile_rows(p, k, &rows) && rows.ninsns) {
        put_name("fl", n->nsources && *n->sources->name ? n->sources->name : "program.cl", out);
        put_name("fn", k->name, out);
    }
    for (size_t i = 0; i < rows.ninsns; i++)
        fprintf(out, "0x%x %u %llu %llu %llu %llu\n", (unsigned)rows.insns[i].pc, (unsigned)rows.insns[i].line,
                (unsigned long long)rows.insns[i].counts.executions, (unsigned long long)rows.insns[i].counts.lanes,
                (unsigned long long)rows.insns[i].counts.diverged,
                (unsigned long long)profile_cycles_of(&rows.insns[i].went));
    profile_rows_free(&rows);
}

void profile_callgrind(const struct profile *p, FILE *out)
{
    fputs("# callgrind format\nversion: 1\ncreator: ventus\npositions: instr line\n"
          "event: Ir : Instructions of warps\nevent: Lanes : Active lanes\nevent: Div : Divergent branches\n"
          "event: Cyc : Cycles of warps\nevents: Ir Lanes Div Cyc\n\n",
          out);
    for (const struct profile_kernel *k = profile_kernels(p); k; k = k->next) put_kernel(p, k, out);
}
