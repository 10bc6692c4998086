/* The reader of logs in the public simulator's format, as that simulator and `ventus run --trace` write them.
 *
 * Lines "core N: 3 0xPC (0xWORD) EFFECTS" say what hart N has executed; EFFECTS go on in lines that do not begin with
 * "core". All other lines are left out, and so is what the machine does not do: the boot code (below the code window),
 * the rounds of a hart that waits at a barrier, the code behind `endprg` that stops the simulator. A prefix becomes a
 * part of its instruction. A hart that boots anew is of the next work-group. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/abi.h"
#include "isa/effects.h"
#include "steps.h"
#include "tool.h"

enum { MOST_HARTS = 1 << 16, BOOT_PC = 0x1000 };

struct hart {
    uint64_t group;
    bool begun, ended; /* since it has booted */
    bool waits;        /* the last one was a barrier, at last_pc */
    uint32_t last_pc;
    uint32_t prefix, prefix_pc; /* waits for its instruction, at prefix_pc + 4 */
    bool has_prefix;
    uint32_t mask;
    bool has_mask;
};

struct log {
    struct trace_source source;
    char *line, *ahead; /* getline's; `ahead` is the next one */
    size_t room, ahead_room;
    bool has_ahead;
    uint64_t number; /* of `line` */
    uint64_t ahead_number;
    size_t rest_size, rest_room; /* of the step that is read */
    struct hart *harts;
    uint32_t nharts;
};

static _Noreturn void damaged(const struct log *r, const char *what)
{
    die("%s:%llu: %s", r->source.path, (unsigned long long)r->number, what);
}

/* ---- lines ---- */

static bool next_line(struct log *r)
{
    char *line = r->line;
    const size_t room = r->room;
    if (r->has_ahead) {
        r->has_ahead = false;
        r->line = r->ahead, r->room = r->ahead_room;
        r->ahead = line, r->ahead_room = room;
        r->number = r->ahead_number;
        return true;
    }
    errno = 0;
    if (getline(&r->line, &r->room, r->source.in) < 0) {
        if (ferror(r->source.in) || errno == ENOMEM) die("%s: cannot be read", r->source.path);
        return false;
    }
    r->number++;
    return true;
}

/* The next line is there, and goes on with what the last one says. */
static bool goes_on(struct log *r)
{
    if (!r->has_ahead) {
        if (getline(&r->ahead, &r->ahead_room, r->source.in) < 0) return false;
        r->ahead_number = r->number + 1;
        r->has_ahead = true;
    }
    return strncmp(r->ahead, "core", 4) != 0;
}

/* Lines that count have to be there to their ends. */
static void check_whole(const struct log *r)
{
    if (!strchr(r->line, '\n')) damaged(r, "the file ends within a line, or there is a zero byte");
}

/* ---- numbers ---- */

/* Hexadecimal digits, at most `most`, behind 0x if there is one; how many, 0: it is none. */
static unsigned hex(const char *p, unsigned most, uint64_t *value)
{
    unsigned n = 0;
    if (p[0] == '0' && p[1] == 'x') p += 2;
    for (*value = 0; isxdigit((unsigned char)*p) && n < most; p++, n++)
        *value = *value << 4 | (uint64_t)(isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10);
    return isxdigit((unsigned char)*p) ? 0 : n;
}

static bool is_end(char c) { return !c || isspace((unsigned char)c); }

/* A word of the effects that is all of a number. */
static unsigned number(const char *word, unsigned most, uint64_t *value)
{
    const unsigned n = word ? hex(word, most, value) : 0;
    const size_t begins = word && word[0] == '0' && word[1] == 'x' ? 2 : 0;
    return n && is_end(word[begins + n]) ? n : 0;
}

/* ---- effects ---- */

struct words {
    char *rest;
};

static char *next_word(struct words *w) { return strtok_r(NULL, " \t\r\n", &w->rest); }

static uint32_t number_behind(struct log *r, struct words *w, const char *what)
{
    uint64_t value;
    if (!number(next_word(w), 8, &value)) damaged(r, what);
    return (uint32_t)value;
}

/* Room for as many words as `text` has. */
static void rest_room(struct log *r, struct step *s, const char *text)
{
    const size_t size = r->rest_size + strlen(text) + 2;
    if (size > r->rest_room) s->rest = realloc(s->rest, r->rest_room = 2 * size);
    if (!s->rest) die("out of memory");
}

static void add_rest(struct log *r, const struct step *s, const char *word)
{
    const size_t n = strlen(word);
    if (r->rest_size) s->rest[r->rest_size++] = ' ';
    memcpy(s->rest + r->rest_size, word, n + 1);
    r->rest_size += n;
}

/* The mask and the values of lanes, the last one first; *next is the word behind them. How many values. */
static unsigned read_lanes(struct log *r, struct words *w, char *word, uint32_t values[ISA_LANES], uint32_t *mask,
                           char **next)
{
    unsigned n = 0;
    uint64_t value;
    if (number(word, 8, &value) != 8) damaged(r, "no mask behind the vector register");
    *mask = (uint32_t)value;
    while ((*next = next_word(w)) && number(*next, 8, &value) == 8) {
        if (n == ISA_LANES) damaged(r, "a vector of more than 32 lanes");
        values[n++] = (uint32_t)value;
    }
    return n;
}

/* The first simulators had no mask, and all values as one number. */
static unsigned read_number(struct log *r, const char *digits, uint32_t values[ISA_LANES])
{
    const size_t n = strspn(digits, "0123456789abcdef") / 8;
    if (!n || n > ISA_LANES || digits[8 * n]) damaged(r, "no values of 1 to 32 lanes behind the vector register");
    for (size_t i = 0; i < n; i++) {
        char text[9] = "";
        memcpy(text, digits + 8 * i, 8);
        values[i] = (uint32_t)strtoul(text, NULL, 16);
    }
    return (unsigned)n;
}

/* "v5 MASK VALUES" */
static void read_vector(struct log *r, struct step *s, struct words *w, uint32_t reg, char **next)
{
    uint32_t values[ISA_LANES], mask = ~0u;
    char *word = next_word(w);
    const bool old = word && !strncmp(word, "0x", 2);
    const unsigned n = old ? read_number(r, word + 2, values) : read_lanes(r, w, word, values, &mask, next);
    if (old) *next = next_word(w);
    struct step_write *write = step_add_write(s);
    *write = (struct step_write){
        .vector = true, .any_lanes = old, .reg = reg, .lanes = n < 32 ? mask & ((1u << n) - 1) : mask};
    for (unsigned i = 0; i < n; i++) write->value[i] = values[n - 1 - i];
    if (!old) s->mask = mask;
    s->has_mask |= !old;
    if (n > r->source.launch.threads) r->source.launch.threads = n;
}

/* "mem ADDRESS", and of a store its value, whose digits say the size. */
static void read_memory(struct log *r, struct step *s, struct words *w, char **next)
{
    uint64_t addr, value = 0;
    if (s->ntouches == 4 * ISA_LANES * 2) damaged(r, "more accesses than an instruction can have");
    if (!number(next_word(w), 16, &addr)) damaged(r, "no address behind 'mem'");
    *next = next_word(w);
    const unsigned digits = *next && !strncmp(*next, "0x", 2) ? number(*next, 8, &value) : 0;
    *step_add_touch(s) = (struct step_touch){.addr = addr,
                                             .value = (uint32_t)value,
                                             .size = digits > 4   ? 4
                                                     : digits > 2 ? 2
                                                     : digits     ? 1
                                                                  : 0,
                                             .lane = -1,
                                             .write = digits};
    if (digits) *next = next_word(w);
}

/* "current mask: M current npc: P stack size: N"; P of some lines is an old one. */
static void read_control(struct log *r, struct step *s, struct words *w)
{
    uint64_t value;
    char *word = next_word(w);
    if (!word) damaged(r, "nothing behind 'current'");
    if (!strcmp(word, "npc:")) {
        next_word(w);
        return;
    }
    if (strcmp(word, "mask:") != 0 || !number(next_word(w), 8, &value)) damaged(r, "no mask behind 'current'");
    s->mask_after = (uint32_t)value;
    s->has_simt = true;
}

static void read_depth(struct log *r, struct step *s, struct words *w)
{
    const char *size = next_word(w), *value = next_word(w);
    if (!size || strcmp(size, "size:") != 0 || !value || !isdigit((unsigned char)*value))
        damaged(r, "no size behind 'stack'");
    s->depth = (uint32_t)strtoul(value, NULL, 10);
}

/* 'x' or 'v' and a number of a register below `limit`. */
static bool is_register(const char *word, char kind, uint32_t limit, uint32_t *reg)
{
    char *end;
    if (word[0] != kind || !isdigit((unsigned char)word[1])) return false;
    const unsigned long n = strtoul(word + 1, &end, 10);
    *reg = (uint32_t)n;
    return !*end && n < limit;
}

static void read_effects(struct log *r, struct step *s, char *text)
{
    struct words w;
    uint32_t reg;
    rest_room(r, s, text);
    for (char *next, *word = strtok_r(text, " \t\r\n", &w.rest); word; word = next) {
        if (s->nwrites > ISA_VREGS) damaged(r, "more registers than there are");
        if (is_register(word, 'x', ISA_XREGS, &reg)) {
            *step_add_write(s) = (struct step_write){
                .reg = reg, .lanes = 1, .value = {number_behind(r, &w, "no value behind the register")}};
            next = next_word(&w);
        } else if (is_register(word, 'v', ISA_VREGS, &reg)) read_vector(r, s, &w, reg, &next);
        else if (!strcmp(word, "mem")) read_memory(r, s, &w, &next);
        else if (!strcmp(word, "current")) read_control(r, s, &w), next = next_word(&w);
        else if (!strcmp(word, "stack")) read_depth(r, s, &w), next = next_word(&w);
        else add_rest(r, s, word), next = next_word(&w);
    }
}

/* ---- harts ---- */

static struct hart *hart_of(struct log *r, unsigned long i)
{
    if (i >= MOST_HARTS) damaged(r, "a hart of a number beyond 65535");
    if (i >= r->nharts) {
        const uint32_t n = (uint32_t)i + 1;
        r->harts = realloc(r->harts, n * sizeof *r->harts);
        if (!r->harts) die("out of memory");
        memset(r->harts + r->nharts, 0, (n - r->nharts) * sizeof *r->harts);
        r->nharts = n;
    }
    return &r->harts[i];
}

/* Does the machine have this instruction, too? */
static bool counts(struct hart *h, uint32_t pc)
{
    if (pc == BOOT_PC) *h = (struct hart){.group = h->group + (h->begun || h->ended)};
    if (pc < ABI_CODE_BASE || h->ended) return false;
    if (h->waits && h->last_pc == pc) return false;
    h->begun = true;
    h->waits = false;
    h->last_pc = pc;
    return true;
}

static bool is_prefix(const struct log *r, const struct step *s)
{
    struct insn in;
    return s->nwords == 1 && !s->nwrites && !s->ntouches && !isa_decode_in(r->source.profile, s->words, 1, &in) &&
           isa_decode_raw(r->source.profile, s->words, 1, &in);
}

/* What the instruction is to those behind it. False: it is a prefix, and said with its instruction. */
static bool note(const struct log *r, struct hart *h, struct step *s)
{
    struct insn in;
    struct isa_effects effects;
    if (is_prefix(r, s)) {
        h->has_prefix = true;
        h->prefix = s->words[0];
        h->prefix_pc = s->pc;
        return false;
    }
    if (h->has_prefix && s->pc == h->prefix_pc + 4 && s->nwords < ISA_MAX_WORDS) {
        memmove(s->words + 1, s->words, s->nwords * sizeof *s->words);
        s->words[0] = h->prefix;
        s->pc = h->prefix_pc;
        s->nwords++;
    }
    h->has_prefix = false;
    if (!s->has_mask) s->mask = h->mask, s->has_mask = h->has_mask;
    h->mask = s->has_simt ? s->mask_after : s->mask;
    h->has_mask = s->has_simt || s->has_mask;
    if (!isa_decode_in(r->source.profile, s->words, s->nwords, &in)) return true;
    effects = isa_effects(&in, ISA_LANES);
    h->waits = effects.control == CONTROL_BARRIER;
    h->ended = effects.control == CONTROL_END;
    return true;
}

/* "core N: 3 0xPC (0xWORD)", the privilege being a digit; *effects is behind it. False: another line. */
static bool is_commit(char *line, unsigned long *hart, struct step *s, char **effects)
{
    char *p = line + 4;
    uint64_t pc, bits;
    if (strncmp(line, "core", 4) || !isspace((unsigned char)*p)) return false;
    *hart = strtoul(p, &p, 10);
    if (*p++ != ':' || *p++ != ' ' || !isdigit((unsigned char)*p) || p[1] != ' ' || p[2] != '0') return false;
    const unsigned digits = hex(p + 2, 8, &pc);
    p += 4 + digits;
    if (!digits || strncmp(p, " (0x", 4) != 0) return false;
    const unsigned wide = hex(p + 2, 16, &bits);
    p += 4 + wide;
    if (!wide || *p != ')') return false;
    *s = (struct step){
        .pc = (uint32_t)pc, .words = {(uint32_t)bits, (uint32_t)(bits >> 32)}, .nwords = wide > 8 ? 2 : 1};
    *effects = p + 1;
    return true;
}

/* ---- the source ---- */

static void read_step(struct log *r, struct step *s, const char *effects)
{
    char *text = strdup(effects);
    s->rest = strdup("");
    r->rest_size = r->rest_room = 0;
    if (!text || !s->rest) die("out of memory");
    read_effects(r, s, text);
    free(text);
    while (goes_on(r) && next_line(r)) {
        check_whole(r);
        read_effects(r, s, r->line);
    }
}

static enum traced next_step(struct trace_source *source, struct step *s)
{
    struct log *r = (struct log *)source;
    unsigned long hart;
    char *effects;
    while (next_line(r)) {
        if (!strncmp(r->line, "core", 4)) check_whole(r);
        if (!is_commit(r->line, &hart, s, &effects)) continue;
        struct hart *h = hart_of(r, hart);
        read_step(r, s, effects);
        s->warp = (uint32_t)hart;
        const bool is_step = counts(h, s->pc) && note(r, h, s);
        s->group = h->group;
        if (is_step) return TRACE_STEP;
        step_free(s);
    }
    return TRACE_END;
}

static void close_log(struct trace_source *source)
{
    struct log *r = (struct log *)source;
    free(r->line);
    free(r->ahead);
    free(r->harts);
    free(r);
}

struct trace_source *log_steps(FILE *in, const char *path)
{
    struct log *r = allocate(sizeof *r);
    r->source = (struct trace_source){
        .in = in, .path = path, .is_log = true, .profile = PROFILE_DEFAULT, .next = next_step, .close = close_log};
    return &r->source;
}
