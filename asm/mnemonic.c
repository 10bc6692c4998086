/* First words of statements: the instructions of the present profile, and pseudo-instructions.
 *
 * Called by lex.c, which must know what begins a statement, and by the parsers of instructions. */
#include "asm/as.h"

#include <string.h>

enum { MNEMONIC_ROOM = 2048 };
_Static_assert(OP_COUNT < MNEMONIC_ROOM / 2, "the mnemonic table is too small");

/* By row of pseudo.c's table; `li`, which is no template, is behind it. */
static const char *const pseudos[] = {
#define PSEUDO(name, operands, text) name,
#include "pseudo.def"
#undef PSEUDO
    "li",
};

static struct mnemonic *slot(const struct as *as, const char *name, size_t length)
{
    struct mnemonic *table = as->mnemonics.table;
    size_t i = as_hash(name, length) & (MNEMONIC_ROOM - 1);
    while (table[i].name && (strncmp(table[i].name, name, length) || table[i].name[length]))
        i = (i + 1) & (MNEMONIC_ROOM - 1);
    return &table[i];
}

/* Matrix instructions of other profiles alone, for whose word this one has a name: what the document calls FP32 is TF32
 * in the public tools. */
static void add_other_names(const struct as *as)
{
    struct {
        uint32_t hash; /* of the pattern */
        uint16_t op;
    } here[OP_COUNT];
    unsigned n = 0;
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const char *pattern = isa_table[op].pattern;
        if (isa_table[op].kind != KIND_MMA || !(isa_table[op].revisions & as->mnemonics.profile)) continue;
        here[n].hash = as_hash(pattern, strlen(pattern));
        here[n++].op = (uint16_t)op;
    }
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const char *name = isa_table[op].name, *pattern = isa_table[op].pattern;
        if (isa_table[op].kind != KIND_MMA || isa_table[op].revisions & as->mnemonics.profile) continue;
        const uint32_t hash = as_hash(pattern, strlen(pattern));
        for (unsigned i = 0; i < n; i++)
            if (here[i].hash == hash && !strcmp(isa_table[here[i].op].pattern, pattern))
                *slot(as, name, strlen(name)) = (struct mnemonic){.name = name, .op = here[i].op};
    }
}

void as_profile(struct as *as, enum isa_profile profile)
{
    as->mnemonics.profile = profile;
    as->mnemonics.table = as_alloc(as, MNEMONIC_ROOM * sizeof *as->mnemonics.table);
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (!(isa_table[op].revisions & profile)) continue;
        struct mnemonic *m = slot(as, isa_table[op].name, strlen(isa_table[op].name));
        m->name = isa_table[op].name;
        if (!m->op) m->op = (uint16_t)op;
    }
    add_other_names(as);
    for (size_t row = 0; row < sizeof pseudos / sizeof *pseudos; row++) {
        struct mnemonic *m = slot(as, pseudos[row], strlen(pseudos[row]));
        m->name = pseudos[row];
        if (!m->pseudo) m->pseudo = (uint16_t)(row + 1);
    }
}

/* Looks a mnemonic up, with the suffixes of atomics. */
static const struct mnemonic *find(const struct as *as, const char *text, size_t length, bool *aq, bool *rl)
{
    static const struct {
        const char *text;
        bool aq, rl;
    } suffixes[] = {{".aq.rl", true, true}, {".aqrl", true, true}, {".aq", true, false}, {".rl", false, true}};
    const struct mnemonic *m = slot(as, text, length);
    *aq = *rl = false;
    for (size_t i = 0; !m->name && i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t n = strlen(suffixes[i].text);
        if (length <= n || memcmp(text + length - n, suffixes[i].text, n)) continue;
        const struct mnemonic *base = slot(as, text, length - n);
        if (!base->name || !base->op || !isa_has(base->op, ROLE_AQ)) continue;
        *aq = suffixes[i].aq;
        *rl = suffixes[i].rl;
        m = base;
    }
    return m->name ? m : NULL;
}

static const char *near(const struct as *as, const char *text, size_t length, unsigned distance)
{
    struct nearest n = {text, length, distance, NULL};
    for (size_t i = 0; i < MNEMONIC_ROOM; i++)
        if (as->mnemonics.table[i].name) near_offer(&n, as->mnemonics.table[i].name);
    return n.best;
}

const struct mnemonic *as_mnemonic(const struct as *as, const struct token *t, bool *aq, bool *rl)
{
    return find(as, t->text, t->length, aq, rl);
}

bool as_begins_statement(struct as *as, const char *word, size_t length)
{
    bool aq, rl;
    if (*word == '.' || find(as, word, length, &aq, &rl)) return true;
    if (as_find(as, word, length) && as_find(as, word, length)->macro) return true;
    return length >= 3 && near(as, word, length, 2);
}

bool as_hint_profiles(struct as *as, const struct token *t)
{
#define PROFILE(name, constant) constant,
    static const enum isa_profile all[] = {ISA_PROFILES(PROFILE, )};
#undef PROFILE
    char list[64] = "";
    unsigned revisions = 0, n = 0;
    for (unsigned op = 1; op < OP_COUNT; op++)
        if (token_named(t, isa_table[op].name)) revisions |= isa_table[op].revisions;
    for (unsigned p = 0; p < sizeof all / sizeof *all; p++) {
        if (!(revisions & all[p])) continue;
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", n++ ? ", " : "", isa_profile_name(all[p]));
    }
    if (revisions & as->mnemonics.profile) return false;
    if (n)
        as_hint(as, "it belongs to profile%s %s, this is %s", n > 1 ? "s" : "", list,
                isa_profile_name(as->mnemonics.profile));
    return n > 0;
}

bool as_unknown(struct as *as, const struct token *t)
{
    const char *meant = near(as, t->text, t->length, 3);
    as_error(as, t->at, "unknown instruction '%.*s'", t->length > 40 ? 40 : (int)t->length, t->text);
    if (!as_hint_profiles(as, t) && meant) as_hint(as, "did you mean '%s'?", meant);
    return false;
}
