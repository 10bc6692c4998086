/* The tables as data, and the checks that hold them together.
 *
 * Invariant: after tables_once() has run the derived arrays are constant; every entry point calls
 * isa_init() first, which costs one atomic load. */
#include "flags.h"
#include "effects.h"
#include "tables.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <threads.h>

const struct isa_desc isa_table[OP_COUNT] = {
    {.name = "invalid", .pattern = "", .operands = "", .kind = KIND_ABSENT, .expr = "", .text = "no instruction"},
#define INSN(id, name, pattern, operands, kind, unit, flags, revisions, expr, text) \
    {name, pattern, operands, KIND_##kind, UNIT_##unit, revisions, flags, #expr, text},
#include "insn.def"
#undef INSN
};

const struct isa_csr isa_csrs[] = {
#define CSR(number, id, name, access, state, text) {number, ACCESS_##access, STATE_##state, name, text},
#include "csr.def"
#undef CSR
};
const size_t isa_ncsrs = sizeof isa_csrs / sizeof *isa_csrs;

static const struct {
    char letter;
    const char *name;
    uint8_t kind, role;
    const char *bits;
    uint8_t shift, form;
    const char *text;
} operand_rows[] = {
#define OPERAND(letter, name, kind, role, bits, shift, form, text) \
    {letter, name, OPERAND_##kind, ROLE_##role, bits, shift, FORM_##form, text},
#include "operand.def"
#undef OPERAND
};
enum { NOPERANDS = sizeof operand_rows / sizeof *operand_rows };

static struct isa_operand operands[128]; /* by letter; letter 0 marks an undefined one */
static struct isa_fixed fixed[OP_COUNT];

/* Operations by opcode (low seven bits), bits 14:12 and 31:28: lists ended by 0 inside one array. */
enum { BUCKETS = 1 << 14, BUCKET_ROOM = 1 << 16 };
static const uint32_t BUCKET_BITS = 0xf000707f;
static uint32_t bucket_start[BUCKETS];
static struct isa_candidate bucket_lists[BUCKET_ROOM];

enum { CSR_NUMBERS = 1 << 12 };
static uint8_t csr_at[CSR_NUMBERS]; /* index + 1 of the CSR with a number, 0: there is none */

static once_flag once = ONCE_FLAG_INIT;

static void parse_operand(unsigned i)
{
    struct isa_operand *o = &operands[(unsigned char)operand_rows[i].letter];
    *o = (struct isa_operand){.letter = operand_rows[i].letter,
                              .kind = operand_rows[i].kind,
                              .role = operand_rows[i].role,
                              .shift = operand_rows[i].shift,
                              .form = operand_rows[i].form,
                              .name = operand_rows[i].name,
                              .text = operand_rows[i].text};
    for (const char *p = operand_rows[i].bits; *p;) {
        unsigned hi = 0, lo;
        while (*p >= '0' && *p <= '9') hi = hi * 10 + (unsigned)(*p++ - '0');
        lo = hi;
        if (*p == ':')
            for (lo = 0, p++; *p >= '0' && *p <= '9'; p++) lo = lo * 10 + (unsigned)(*p - '0');
        if (*p == ',') p++;
        o->hi[o->nranges] = (uint8_t)hi;
        o->lo[o->nranges++] = (uint8_t)lo;
        o->width = (uint8_t)(o->width + hi - lo + 1);
    }
}

static void parse_pattern(unsigned op)
{
    struct isa_fixed *f = &fixed[op];
    const char *pattern = isa_table[op].pattern;
    unsigned bits = strlen(pattern) > 32 ? 64 : 32;
    f->bits = (uint8_t)bits;
    for (unsigned i = 0; i < bits && pattern[i]; i++) {
        uint64_t bit = 1ull << (bits - 1 - i);
        char c = pattern[i];
        if (c == '0' || c == '1') {
            f->mask |= bit;
            if (c == '1') f->match |= bit;
        } else if (c != '_' && !strchr(f->letters, c)) {
            f->letters[strlen(f->letters)] = c;
        }
    }
}

/* The word of a bucket's number, and back. */
static uint32_t bucket_word(uint32_t n) { return (n & 127) | (n >> 7 & 7) << 12 | n >> 10 << 28; }
static uint32_t bucket_number(uint32_t word) { return (word & 127) | (word >> 12 & 7) << 7 | word >> 28 << 10; }

static void fill_buckets(void)
{
    static uint16_t by_opcode[128][OP_COUNT]; /* too large for small stacks */
    unsigned fill[128] = {0};
    uint32_t at = 1; /* the list at 0 is empty */
    for (unsigned op = 1; op < OP_COUNT; op++) {
        unsigned opcode = (unsigned)fixed[op].match & 127;
        by_opcode[opcode][fill[opcode]++] = (uint16_t)op;
    }
    for (uint32_t n = 0; n < BUCKETS; n++) {
        uint32_t first = at;
        for (unsigned k = 0; k < fill[n & 127]; k++) {
            unsigned op = by_opcode[n & 127][k];
            const struct isa_fixed *f = &fixed[op];
            bool possible = !((bucket_word(n) ^ f->match) & f->mask & BUCKET_BITS);
            if (possible && at + 1 < BUCKET_ROOM)
                bucket_lists[at++] = (struct isa_candidate){(uint32_t)f->mask, (uint32_t)f->match, (uint16_t)op,
                                                            isa_table[op].revisions, f->bits};
        }
        bucket_start[n] = at > first ? first : 0;
        if (at > first && at + 1 < BUCKET_ROOM) at++;
    }
}

static void collect_operands(struct isa_fixed *f)
{
    for (unsigned k = 0; f->letters[k]; k++) {
        const struct isa_operand *o = &operands[(unsigned char)f->letters[k] & 127];
        f->operands[k] = o;
        f->roles |= 1u << o->role;
        if (o->kind == OPERAND_REG_X) f->scalars |= (uint8_t)(1u << o->role);
        if (o->kind == OPERAND_REG_V) f->vectors |= (uint8_t)(1u << o->role);
    }
}

static void tables_once(void)
{
    for (unsigned i = 0; i < NOPERANDS; i++) parse_operand(i);
    for (unsigned op = 1; op < OP_COUNT; op++) {
        parse_pattern(op);
        collect_operands(&fixed[op]);
    }
    fill_buckets();
    for (size_t i = 0; i < isa_ncsrs; i++) csr_at[isa_csrs[i].number] = (uint8_t)(i + 1);
}

void isa_init(void) { call_once(&once, tables_once); }

const struct isa_fixed *isa_fixed(unsigned op) { return &fixed[op]; }

const struct isa_candidate *isa_candidates(uint32_t word) { return bucket_lists + bucket_start[bucket_number(word)]; }

const struct isa_operand *isa_operand(char letter)
{
    isa_init();
    unsigned char c = (unsigned char)letter;
    return c < 128 && operands[c].letter ? &operands[c] : NULL;
}

const struct isa_operand *isa_trailer(const char *rest)
{
    const struct isa_operand *o = *rest == ',' ? isa_operand(rest[1]) : NULL;
    bool last = o && (!rest[2] || rest[2] == '{');
    return last && o->kind == OPERAND_FLAG ? o : NULL;
}

bool isa_has(enum isa_op op, enum operand_role role)
{
    isa_init();
    return isa_fixed(op)->roles >> role & 1;
}

uint64_t isa_mask(enum isa_op op)
{
    isa_init();
    return fixed[op].mask;
}
uint64_t isa_match(enum isa_op op)
{
    isa_init();
    return fixed[op].match;
}
unsigned isa_bits(enum isa_op op)
{
    isa_init();
    return fixed[op].bits;
}

// clang-format off
#define PROFILE(name, constant) {name, constant},
static const struct { const char *name; enum isa_profile profile; } profiles[] = {ISA_PROFILES(PROFILE, )};
#undef PROFILE
// clang-format on
enum { NPROFILES = sizeof profiles / sizeof *profiles };

bool isa_profile_find(const char *name, enum isa_profile *profile)
{
    for (unsigned i = 0; i < NPROFILES; i++)
        if (!strcmp(profiles[i].name, name)) {
            *profile = profiles[i].profile;
            return true;
        }
    return false;
}

const char *isa_profile_name(enum isa_profile profile)
{
    for (unsigned i = 0; i < NPROFILES; i++)
        if (profiles[i].profile == profile) return profiles[i].name;
    return "default";
}

bool isa_profile_known(uint32_t number)
{
    for (unsigned i = 0; i < NPROFILES; i++)
        if (profiles[i].profile == number) return true;
    return false;
}

bool isa_profile_join(uint32_t a, uint32_t b, enum isa_profile *both)
{
    *both = (enum isa_profile)(a | b);
    return !(a | b) || isa_profile_known(a | b);
}

bool isa_profile_runs(enum isa_profile machine, uint32_t program) { return !(program & ~(uint32_t)machine); }

enum isa_op isa_find_in(enum isa_profile profile, const char *mnemonic)
{
    for (unsigned op = 1; op < OP_COUNT; op++)
        if ((isa_table[op].revisions & profile) && !strcmp(isa_table[op].name, mnemonic)) return (enum isa_op)op;
    return OP_INVALID;
}

enum isa_op isa_find(const char *mnemonic) { return isa_find_in(PROFILE_DEFAULT, mnemonic); }

bool isa_has_vs3(enum isa_op op) { return isa_table[op].flags & ISA_READS_D && isa_table[op].kind != KIND_MMA; }

/* The parts of the control field of mma64, most significant first (ISA notes 10.3). */
static const struct isa_modifier mma64_control[] = {
    {"dt", ROLE_AUX, 12, 4}, {"shape", ROLE_AUX, 9, 3}, {"al", ROLE_AUX, 8, 1},
    {"bl", ROLE_AUX, 7, 1},  {"ct", ROLE_AUX, 6, 1},    {"sp", ROLE_AUX, 4, 2},
    {"rd", ROLE_AUX, 2, 2},  {"wg", ROLE_AUX, 1, 1},    {"a", ROLE_AUX, 0, 1},
};

/* Adds the modifiers that an operand string has in braces; a name that is there already stays. */
static size_t add_modifiers(const char *names, struct isa_modifier *out, size_t n)
{
    names = strchr(names, '{');
    for (const char *p = names ? names + 1 : "}"; *p != '}' && *p; p++) {
        const struct isa_operand *o = isa_operand(*p);
        bool seen = false;
        if (o && o->form == FORM_CODES) {
            for (size_t i = 0; i < sizeof mma64_control / sizeof *mma64_control && n < ISA_MAX_MODIFIERS; i++)
                out[n++] = mma64_control[i];
            continue;
        }
        for (size_t i = 0; i < n && o; i++) seen |= !strcmp(out[i].name, o->name);
        if (o && !seen && n < ISA_MAX_MODIFIERS) out[n++] = (struct isa_modifier){o->name, o->role, 0, o->width};
    }
    return n;
}

size_t isa_modifiers(const struct insn *in, struct isa_modifier out[ISA_MAX_MODIFIERS])
{
    size_t n = in->op < OP_COUNT ? add_modifiers(isa_table[in->op].operands, out, 0) : 0;
    if (in->op < OP_COUNT && isa_has_vs3((enum isa_op)in->op)) out[n++] = (struct isa_modifier){"vs3", ROLE_RS3, 0, 8};
    return in->prefix && in->prefix < OP_COUNT ? add_modifiers(isa_table[in->prefix].operands, out, n) : n;
}

const struct isa_csr *isa_csr_number(unsigned number)
{
    isa_init();
    return number < CSR_NUMBERS && csr_at[number] ? &isa_csrs[csr_at[number] - 1] : NULL;
}

bool isa_csr_per_lane(unsigned number)
{
    const struct isa_csr *csr = isa_csr_number(number);
    return csr && csr->access == ACCESS_LANES;
}

/* Is this the name of the register, with CSR_ or, in lower case, without? */
static bool csr_is_named(const struct isa_csr *csr, const char *name)
{
    static const char prefix[] = "CSR_";
    if (!strcasecmp(csr->name, name)) return true;
    if (strncmp(csr->name, prefix, sizeof prefix - 1) || strcasecmp(csr->name + sizeof prefix - 1, name)) return false;
    while (*name && (*name < 'A' || *name > 'Z')) name++;
    return !*name;
}

const struct isa_csr *isa_csr_name(const char *name)
{
    /* One table of the documents leaves a letter out. */
    static const char *const other[][2] = {
        {"CSR_GDX", "CSR_GIDX"}, {"CSR_GDY", "CSR_GIDY"}, {"CSR_GDZ", "CSR_GIDZ"},
        {"gdx", "CSR_GIDX"},     {"gdy", "CSR_GIDY"},     {"gdz", "CSR_GIDZ"},
    };
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (!strcasecmp(other[i][0], name)) name = other[i][1];
    for (size_t i = 0; i < isa_ncsrs; i++)
        if (csr_is_named(&isa_csrs[i], name)) return &isa_csrs[i];
    return NULL;
}

/* Does the set of bits that carry `letter` in the pattern equal the operand's ranges? */
static bool letter_in_place(const char *pattern, const struct isa_operand *o)
{
    uint64_t want = 0, have = 0;
    size_t bits = strlen(pattern);
    for (unsigned r = 0; r < o->nranges; r++)
        for (unsigned b = o->lo[r]; b <= o->hi[r]; b++) want |= 1ull << b;
    for (size_t i = 0; i < bits; i++)
        if (pattern[i] == o->letter) have |= 1ull << (bits - 1 - i);
    return want == have;
}

/* Are both operations active in some profile, and is there a word that is both? */
static bool overlap(unsigned a, unsigned b)
{
    if ((fixed[a].match ^ fixed[b].match) & fixed[a].mask & fixed[b].mask) return false;
    for (unsigned i = 0; i < NPROFILES; i++)
        if ((isa_table[a].revisions & profiles[i].profile) && (isa_table[b].revisions & profiles[i].profile))
            return true;
    return false;
}

/* Is the letter written behind the mnemonic, as aq and rl are, and not among the operands? */
static bool is_suffix(const struct isa_operand *o) { return o->role == ROLE_AQ || o->role == ROLE_RL; }

const char *isa_check_row(const struct isa_desc *d)
{
    static char why[128]; /* not of each thread: see driver/README.md */
    size_t bits = strlen(d->pattern);
    if (bits != 32 && bits != 64) {
        snprintf(why, sizeof why, "%s: the pattern has %zu bits", d->name, bits);
        return why;
    }
    for (const char *l = d->pattern; *l; l++) {
        const struct isa_operand *o = isa_operand(*l);
        const char *wrong = NULL;
        if (*l == '0' || *l == '1' || *l == '_') continue;
        if (!o) wrong = "undefined";
        else if (!letter_in_place(d->pattern, o)) wrong = "out of place";
        else if (!strchr(d->operands, *l) && !is_suffix(o)) wrong = "in the pattern, but not among the operands";
        if (!wrong) continue;
        snprintf(why, sizeof why, "%s: letter %c is %s", d->name, *l, wrong);
        return why;
    }
    for (const char *l = d->operands; *l && strcmp(l, "v0") != 0; l++)
        if (isa_operand(*l) && !strchr(d->pattern, *l)) {
            snprintf(why, sizeof why, "%s: letter %c is among the operands, but not in the pattern", d->name, *l);
            return why;
        }
    return NULL;
}

const char *isa_check(void)
{
    static char why[128];
    isa_init();
    if (bucket_lists[BUCKET_ROOM - 2].op) return "the decoder's lists are full";
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const char *wrong = isa_check_row(&isa_table[op]);
        if (wrong) return wrong;
        for (unsigned other = 1; other < op; other++)
            if (overlap(op, other)) {
                snprintf(why, sizeof why, "%s overlaps %s", isa_table[op].name, isa_table[other].name);
                return why;
            }
    }
    return NULL;
}
