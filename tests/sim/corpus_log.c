/* Commit logs: "core  W: 3 0xPC (0xWORD) effects". Other lines are disassembly or go with the old
 * layout and are skipped; so is everything outside the program (boot code, the end of the simulator).
 * The comparison follows what a line says: scalar and vector registers, vl, reconvergence pc, mask,
 * stack. */
#include "corpus_log.h"

#include <stdlib.h>
#include <string.h>

#include "isa/abi.h"

enum { ENDPRG = 0x0000400b, BARRIER_MASK = 0xfe00707f, BARRIER_MATCH = 0x0400400b, BOOT_LIMIT = 0x10000000 };

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size >= 0 && fseek(f, 0, SEEK_SET) == 0) text = malloc((size_t)size + 1);
    if (text) text[fread(text, 1, (size_t)size, f)] = 0;
    if (f) fclose(f);
    return text;
}

static bool commit_line(char *line, unsigned *warp, struct commit *c)
{
    unsigned pc, word;
    int used = 0;
    if (sscanf(line, "core %u: 3 0x%x (0x%x)%n", warp, &pc, &word, &used) != 3 || !used) return false;
    *c = (struct commit){pc, word, line + used};
    return *warp < LOG_WARPS;
}

static bool is_barrier(uint32_t word) { return (word & BARRIER_MASK) == BARRIER_MATCH; }

/* A warp that waits is logged again and again; a warp that has ended runs the simulator's own code, until it
 * boots for another group. */
static bool belongs(const struct log *log, unsigned warp, const struct commit *c, bool *booted)
{
    size_t n = log->n[warp];
    if (c->pc < BOOT_LIMIT) {
        *booted = true;
        return false;
    }
    if (n == 0) return true;
    const struct commit *last = &log->commits[warp][n - 1];
    if (last->word == ENDPRG) return *booted;
    return !(is_barrier(c->word) && last->pc == c->pc);
}

bool log_read(const char *path, struct log *log)
{
    static size_t room[LOG_WARPS];
    static bool booted[LOG_WARPS];
    memset(room, 0, sizeof room);
    memset(booted, 0, sizeof booted);
    *log = (struct log){.text = read_text(path)};
    if (!log->text) return false;
    for (char *line = log->text, *next; line; line = next) {
        struct commit c;
        unsigned warp;
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (!commit_line(line, &warp, &c) || !belongs(log, warp, &c, &booted[warp])) continue;
        booted[warp] = false;
        if (warp >= log->harts) log->harts = warp + 1;
        if (log->n[warp] == room[warp]) {
            room[warp] = room[warp] ? room[warp] * 2 : 256;
            log->commits[warp] = realloc(log->commits[warp], room[warp] * sizeof c);
            if (!log->commits[warp]) return false;
        }
        log->commits[warp][log->n[warp]++] = c;
    }
    return true;
}

void log_free(struct log *log)
{
    for (unsigned i = 0; i < LOG_WARPS; i++) free(log->commits[i]);
    free(log->text);
}

bool log_finished(const struct log *log)
{
    for (unsigned i = 0; i < LOG_WARPS; i++)
        if (log->at[i] != log->n[i]) return false;
    return true;
}

/* ---- effects ---- */

/* Reads "0x..." or bare hex digits; the number of digits in *digits. */
static bool hex(const char **s, uint32_t *out, unsigned *digits)
{
    const char *p = *s + strspn(*s, " \t");
    char *end;
    if (p[0] == '0' && p[1] == 'x') p += 2;
    size_t n = strspn(p, "0123456789abcdef");
    if (n == 0 || n > 8) return false;
    *out = (uint32_t)strtoul(p, &end, 16);
    if (digits) *digits = (unsigned)n;
    *s = end;
    return true;
}

static bool word_is(const char **s, const char *word)
{
    const char *p = *s + strspn(*s, " \t");
    size_t n = strlen(word);
    if (strncmp(p, word, n)) return false;
    *s = p + n;
    return true;
}

static void differ(struct log *log, const struct warp *w, const struct commit *c, const char *what, uint32_t have,
                   uint32_t want)
{
    if (!*log->error)
        snprintf(log->error, sizeof log->error,
                 "warp %u pc 0x%08x word 0x%08x: %s is 0x%08x, the log says 0x%08x\n%.200s", w->wid, c->pc, c->word,
                 what, have, want, c->effects);
}

/* The hart that the log calls warp w. */
static unsigned hart(const struct log *log, const struct warp *w)
{
    return log->concurrent ? w->group->wgid * w->group->launch->warps + w->wid : w->wid;
}

/* Is this an address in local memory, which a concurrent group has elsewhere? */
static bool moved(const struct log *log, const struct warp *w, uint32_t have, uint32_t want)
{
    return log->concurrent && have - ABI_LOCAL_BASE < ABI_LOCAL_LIMIT - ABI_LOCAL_BASE &&
           have + log->shift[hart(log, w)] == want;
}

static void check(struct log *log, const struct warp *w, const struct commit *c, const char *what, uint32_t have,
                  uint32_t want)
{
    if (have != want && !moved(log, w, have, want)) differ(log, w, c, what, have, want);
}

/* vN mask, then the lanes, highest first. */
static const char *check_vector(struct log *log, const struct warp *w, const struct commit *c, const char *s)
{
    char name[16];
    uint32_t reg = (uint32_t)strtoul(s, (char **)&s, 10), mask, value;
    if (!hex(&s, &mask, NULL)) return s;
    check(log, w, c, "mask", w->mask, mask);
    for (uint32_t lane = w->vl; lane-- > 0;) {
        if (!hex(&s, &value, NULL)) {
            differ(log, w, c, "vector length", w->vl, w->vl - lane - 1);
            return s;
        }
        snprintf(name, sizeof name, "v%u[%u]", reg, lane);
        check(log, w, c, name, w->v[reg][lane], value);
    }
    return s;
}

static const char *check_scalar(struct log *log, const struct warp *w, const struct commit *c, const char *s)
{
    enum { READ_LDS = 0x80602073, READ_PDS = 0x80702073, WITHOUT_RD = ~0xf80 };
    char name[16];
    uint32_t reg = (uint32_t)strtoul(s, (char **)&s, 10), value, word = c->word & (uint32_t)WITHOUT_RD;
    if (!hex(&s, &value, NULL) || reg >= ISA_XREGS) return s;
    if (log->concurrent && word == READ_LDS) log->shift[hart(log, w)] = value - w->x[reg];
    if (log->concurrent && word == READ_PDS) return s;
    snprintf(name, sizeof name, "x%u", reg);
    check(log, w, c, name, w->x[reg], value);
    return s;
}

static const char *check_csr(struct log *log, const struct warp *w, const struct commit *c, const char *s)
{
    uint32_t number = (uint32_t)strtoul(s, (char **)&s, 10), value;
    s += strcspn(s, " ");
    if (!hex(&s, &value, NULL)) return s;
    if (number == 0x80c) check(log, w, c, "rpc", w->rpc, value);
    if (number == 0xc20) check(log, w, c, "vl", w->vl, value);
    if (number == 0xc21) check(log, w, c, "vtype", w->vtype, value);
    return s;
}

/* The npc of these lines is often stale; the pc of the next commit is compared anyway. */
static const char *check_control(struct log *log, const struct warp *w, const struct commit *c, const char *s)
{
    uint32_t v, e[3];
    if (!hex(&s, &v, NULL)) return s;
    check(log, w, c, "mask", w->mask, v);
    if (!word_is(&s, "current npc:") || !hex(&s, &v, NULL)) return s;
    if (!word_is(&s, "stack size:")) return s;
    v = (uint32_t)strtoul(s, (char **)&s, 10);
    check(log, w, c, "stack size", w->depth, v);
    for (uint32_t i = 0; i < v && i < w->depth; i++) {
        const struct simt_entry *have = &w->stack[w->depth - 1 - i];
        if (!word_is(&s, "[r_pc]") || !hex(&s, &e[0], NULL) || !word_is(&s, "[else_pc]") || !hex(&s, &e[1], NULL) ||
            !word_is(&s, "[else_mask]") || !hex(&s, &e[2], NULL))
            return s;
        check(log, w, c, "stack rpc", have->rpc, e[0]);
        check(log, w, c, "stack pc", have->pc, e[1]);
        check(log, w, c, "stack mask", have->mask, e[2]);
    }
    return s;
}

static void check_effects(struct log *log, const struct warp *w, const struct commit *c)
{
    for (const char *s = c->effects; *s;) {
        s += strspn(s, " \t\r");
        if (word_is(&s, "current mask:")) s = check_control(log, w, c, s);
        else if (*s == 'v') s = check_vector(log, w, c, s + 1);
        else if (*s == 'x') s = check_scalar(log, w, c, s + 1);
        else if (*s == 'c' && s[1] >= '0' && s[1] <= '9') s = check_csr(log, w, c, s + 1);
        else s += strcspn(s, " \t\r");
    }
}

static bool is_prefix(uint32_t word)
{
    struct insn in;
    return isa_decode_word(word, &in) && isa_table[in.op].kind == KIND_PREFIX;
}

void log_compare(void *user, const struct warp *w, uint32_t pc, const struct insn *insn)
{
    struct log *log = user;
    log->concurrent = log->harts > w->group->launch->warps;
    unsigned number = hart(log, w);
    if (*log->error || number >= LOG_WARPS) return;
    size_t *at = &log->at[number], n = log->n[number];
    const struct commit *commits = log->commits[number];
    if (insn->size == 8 && *at < n && is_prefix(commits[*at].word)) ++*at;
    if (*at == n) {
        snprintf(log->error, sizeof log->error, "warp %u goes on at 0x%08x, where its log ends", w->wid, pc);
        return;
    }
    const struct commit *c = &commits[(*at)++];
    check(log, w, c, "pc", pc + insn->size - 4u, c->pc);
    check_effects(log, w, c);
    log->compared++;
}

static int by_place(const void *a, const void *b)
{
    const struct commit *x = a, *y = b;
    return x->effects < y->effects ? -1 : x->effects > y->effects;
}

/* All commits in the order of the log, malloc'ed. */
static struct commit *in_order(const struct log *log, size_t *n)
{
    size_t total = 0;
    for (unsigned i = 0; i < log->harts; i++) total += log->n[i];
    struct commit *all = malloc((total + 1) * sizeof *all);
    *n = 0;
    for (unsigned i = 0; all && i < log->harts; i++) {
        memcpy(all + *n, log->commits[i], log->n[i] * sizeof *all);
        *n += log->n[i];
    }
    if (all) qsort(all, *n, sizeof *all, by_place);
    return all;
}

void log_stores(const struct log *log, void (*store)(void *user, uint32_t addr, uint32_t value, unsigned size),
                void *user)
{
    size_t n;
    struct commit *all = in_order(log, &n);
    for (size_t i = 0; i < n; i++)
        for (const char *s = strstr(all[i].effects, "mem 0x"); s; s = strstr(s, "mem 0x")) {
            uint32_t addr, value;
            unsigned digits;
            s += strlen("mem ");
            hex(&s, &addr, NULL);
            if (strncmp(s, " 0x", 3) || !hex(&s, &value, &digits)) continue; /* a load */
            store(user, addr, value, digits <= 2 ? 1 : digits <= 4 ? 2 : 4);
        }
    free(all);
}
