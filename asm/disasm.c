/* Listing of a text: one instruction a line, with labels at the places that are jumped to.
 *
 * What it prints can be assembled again to the same words: an instruction that would not encode to
 * what stands there is printed without its prefix folded, or as .word. Called by tools, and by the
 * compiler's dumps. */
#include "asm/listing.h"

#include <stdlib.h>
#include <string.h>

struct listing {
    const uint32_t *words;
    size_t count;
    uint32_t addr;
    const struct elf_image *image;
    uint8_t *targets;                  /* one per word: 1 when a branch of the text goes there, 2 behind a prefix */
    const struct elf_symbol **symbols; /* usable as labels, by address */
    size_t nsymbols;
    const struct note_line *lines; /* that are still to come */
    size_t nlines;
    const char **source; /* beginnings of the lines of the source, and the end; NULL: there is none */
    size_t nsource;      /* lines */
    size_t shown;        /* the last line of the source that was printed */
    enum isa_profile profile;
    FILE *out;
};

enum { CONTEXT = 5 }; /* lines that are printed at most in front of one that something was made of */

/* Does the text of this instruction, assembled, give these words? Text has no group bits of a prefix
 * beyond what its operands say, and names no regext. */
static bool text_carries(enum isa_profile profile, const struct insn *in, const uint32_t *words)
{
    uint32_t again[ISA_MAX_WORDS];
    struct insn said = *in;
    said.groups = 0;
    if (said.prefix == OP_REGEXT || said.prefix == OP_REGEXTI) said.prefix = 0;
    unsigned n = isa_encode_in(profile, &said, again, NULL);
    return n * 4 == in->size && !memcmp(again, words, 4 * n);
}

/* Decodes the instruction at word i such that encoding gives the same words back. */
static bool decode(const struct listing *l, size_t i, bool merge, struct insn *in)
{
    const uint32_t *words = l->words + i;
    if (merge && isa_decode_in(l->profile, words, l->count - i, in) && text_carries(l->profile, in, words)) return true;
    return isa_decode_raw(l->profile, words, l->count - i, in) && text_carries(l->profile, in, words);
}

static bool branch_target(const struct listing *l, size_t i, const struct insn *in, uint32_t *target)
{
    for (const char *p = isa_table[in->op].operands; *p; p++) {
        const struct isa_operand *o = isa_operand(*p);
        if (!o || o->kind != OPERAND_TARGET) continue;
        *target = l->addr + (uint32_t)(i * 4) + (uint32_t)in->size - 4 + (uint32_t)in->imm;
        return true;
    }
    return false;
}

/* A name from a file is printed only if the assembler would read it as a label. */
static bool is_label(const char *name)
{
    size_t n = strlen(name);
    return n < 256 && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$") == n && n &&
           !(name[0] >= '0' && name[0] <= '9') && strcmp(name, ".") && strncmp(name, ".L", 2);
}

static int by_address(const void *a, const void *b)
{
    const struct elf_symbol *x = *(const struct elf_symbol *const *)a, *y = *(const struct elf_symbol *const *)b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->function != y->function ? y->function - x->function : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const struct elf_symbol *const *)a)->name, (*(const struct elf_symbol *const *)b)->name);
}

/* Symbols of the text by address; a name that occurs twice would not assemble and is left out. */
static void collect_symbols(struct listing *l)
{
    size_t n = 0, kept = 0, total = l->image ? l->image->nsymbols : 0;
    l->symbols = calloc(total + 1, sizeof *l->symbols);
    if (!l->symbols) return;
    for (size_t i = 0; i < total; i++) {
        const struct elf_symbol *s = &l->image->symbols[i];
        if ((s->value - l->addr) / 4 < l->count && !(s->value & 3) && is_label(s->name)) l->symbols[n++] = s;
    }
    qsort(l->symbols, n, sizeof *l->symbols, by_name);
    for (size_t i = 0; i < n; i++)
        if (!kept || strcmp(l->symbols[kept - 1]->name, l->symbols[i]->name)) l->symbols[kept++] = l->symbols[i];
    qsort(l->symbols, kept, sizeof *l->symbols, by_address);
    l->nsymbols = kept;
}

/* Index of the first symbol at or behind an address. */
static size_t first_symbol(const struct listing *l, uint32_t addr)
{
    size_t low = 0, high = l->nsymbols;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (l->symbols[middle]->value < addr) low = middle + 1;
        else high = middle;
    }
    return low;
}

static const char *symbol_at(const struct listing *l, uint32_t addr)
{
    size_t i = first_symbol(l, addr);
    return i < l->nsymbols && l->symbols[i]->value == addr ? l->symbols[i]->name : NULL;
}

/* Name of a target in the text: its symbol, else one made of the address. */
static const char *label(const struct listing *l, uint32_t addr, char buf[24])
{
    const char *name = symbol_at(l, addr);
    if (name) return name;
    snprintf(buf, 24, ".L%08x", addr);
    return buf;
}

/* Marks the words that branches go to. The later words of a merged instruction cannot carry a label;
 * a branch there keeps its address. */
static void mark_targets(struct listing *l, bool merge)
{
    struct insn in;
    uint32_t target;
    for (size_t i = 0; i < l->count; i += in.size / 4u) {
        if (!decode(l, i, merge, &in)) {
            in.size = 4;
            continue;
        }
        for (unsigned k = 1; k < in.size / 4u; k++) l->targets[i + k] = 2;
        if (!branch_target(l, i, &in, &target)) continue;
        size_t word = (target - l->addr) / 4u;
        if (!(target & 3) && word < l->count && !l->targets[word]) l->targets[word] = 1;
    }
}

static void print_labels(const struct listing *l, size_t i)
{
    char buf[24];
    uint32_t addr = l->addr + (uint32_t)(i * 4);
    bool named = false;
    for (size_t k = first_symbol(l, addr); k < l->nsymbols && l->symbols[k]->value == addr; k++) {
        fprintf(l->out, "%s:\n", l->symbols[k]->name);
        named = true;
    }
    if (!named && l->targets && l->targets[i]) fprintf(l->out, "%s:\n", label(l, addr, buf));
}

/* Replaces the address of the target by a name, if it has a label. */
static void print_instruction(const struct listing *l, size_t i, const struct insn *in)
{
    char text[512], name[24], address[16];
    uint32_t pc = l->addr + (uint32_t)(i * 4), target;
    size_t length = (size_t)isa_print(in, pc, 0, text, sizeof text - 1);
    size_t word = branch_target(l, i, in, &target) ? (target - l->addr) / 4u : l->count;
    bool labelled = l->targets && word < l->count && !(target & 3) && l->targets[word] != 2;
    if (labelled) snprintf(address, sizeof address, "0x%08x", target);
    char *at = labelled ? strstr(text, address) : NULL;
    if (at) {
        fprintf(l->out, "%.*s%s%s\n", (int)(at - text), text, label(l, target, name), at + 10);
        return;
    }
    text[length] = '\n';
    fwrite(text, 1, length + 1, l->out);
}

/* "# N: text", without what a terminal might not bear. */
static void print_source_line(const struct listing *l, size_t n)
{
    fprintf(l->out, "# %zu: ", n);
    for (const char *p = l->source[n - 1]; p < l->source[n]; p++)
        if (*p != '\n' && *p != '\r') fputc((unsigned char)*p >= ' ' && *p != 127 ? *p : ' ', l->out);
    fputc('\n', l->out);
}

/* The line, and the few in front of it that were not printed yet; of a line further up, it alone. */
static void print_source(struct listing *l, size_t line)
{
    size_t from = line;
    if (line > l->shown) from = line - l->shown > CONTEXT + 1 ? line - CONTEXT : l->shown + 1;
    for (size_t n = from; n <= line; n++) print_source_line(l, n);
    if (line > l->shown) l->shown = line;
}

/* The line of the source that what begins here was made of. */
static void print_line(struct listing *l, uint32_t addr)
{
    uint32_t line = 0;
    for (; l->nlines && l->lines->pc <= addr; l->lines++, l->nlines--) line = l->lines->line;
    if (line && line <= l->nsource) print_source(l, line);
    else if (line) fprintf(l->out, "# line %u\n", line);
}

/* Where the lines of the source begin; without memory there are none. */
static void split_source(struct listing *l, const char *text, size_t size)
{
    size_t n = 1;
    for (size_t i = 0; i < size; i++) n += text[i] == '\n';
    l->source = text ? calloc(n + 1, sizeof *l->source) : NULL;
    if (!l->source) return;
    l->source[l->nsource++] = text;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\n') l->source[l->nsource++] = text + i + 1;
    l->source[l->nsource] = text + size;
}

/* "ADDRESS:<tab>WORD WORD<tab>", without printf, which would take most of the time. */
static void print_columns(const struct listing *l, size_t i, unsigned words, bool gnu)
{
    static const char digits[] = "0123456789abcdef";
    char line[8 + 3 + 9 * ISA_MAX_WORDS], *p = line;
    for (unsigned k = 0; k <= words; k++) {
        uint32_t v = k ? l->words[i + k - 1] : l->addr + (uint32_t)(i * 4);
        for (int shift = 28; shift >= 0; shift -= 4) *p++ = digits[v >> shift & 15];
        if (!k) *p++ = ':';
        if (gnu && k == words) *p++ = ' ';
        *p++ = k && k < words ? ' ' : '\t';
    }
    fwrite(line, 1, (size_t)(p - line), l->out);
}

static void print_listing(struct listing *l, const struct asm_listing *how)
{
    struct insn in;
    for (size_t i = 0; i < l->count; i += in.size / 4u) {
        const uint32_t pc = l->addr + (uint32_t)(i * 4);
        bool ok = decode(l, i, !how->raw, &in);
        if (!ok) in.size = 4;
        if (pc < how->start || (how->stop && pc >= how->stop)) continue;
        print_labels(l, i);
        if (l->nlines) print_line(l, pc);
        print_columns(l, i, in.size / 4u, how->gnu);
        if (ok) print_instruction(l, i, &in);
        else fprintf(l->out, ".word\t0x%08x\n", l->words[i]);
    }
}

void asm_disassemble(const struct asm_listing *how, const uint32_t *words, size_t nwords, uint32_t addr,
                     const struct elf_image *image, FILE *out)
{
    enum isa_profile profile = how->profile ? how->profile : PROFILE_DEFAULT;
    // clang-format off
    struct listing l = {.words = words, .count = nwords, .addr = addr, .image = image, .profile = profile,
        .targets = calloc(nwords + 1, 1), .lines = how->lines, .nlines = how->nlines, .out = out};
    // clang-format on
    if (profile != PROFILE_DEFAULT) fprintf(out, "\t.option profile, %s\n", isa_profile_name(profile));
    split_source(&l, how->source, how->source_size);
    collect_symbols(&l);
    if (l.targets) mark_targets(&l, !how->raw);
    print_listing(&l, how);
    free(l.targets);
    free(l.symbols);
    free(l.source);
}
