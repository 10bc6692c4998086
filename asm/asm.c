/* The assembler as a whole: memory, messages, symbols, statements, and the finished image.
 *
 * Nothing but the image outlives asm_assemble; an error never ends more than its statement, until
 * there are too many. Called by tools and by the compiler. */
#include "asm/note.h"
#include "asm/private.h"
#include "asm/used.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

struct chunk {
    struct chunk *next;
    size_t used, size;
};
enum { CHUNK_BYTES = 1 << 16, CHUNK_HEAD = (sizeof(struct chunk) + 15) & ~15 };

void *as_alloc(struct as *as, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    struct chunk *c = as->arena;
    if (!c || c->size - c->used < size) {
        size_t room = CHUNK_HEAD + (size > CHUNK_BYTES ? size : CHUNK_BYTES);
        c = malloc(room);
        if (!c) {
            as_error(as, as->cursor, "out of memory");
            longjmp(as->stop, 1);
        }
        *c = (struct chunk){as->arena, CHUNK_HEAD, room};
        as->arena = c;
    }
    void *p = (char *)c + c->used;
    c->used += size;
    return memset(p, 0, size);
}

char *as_strdup(struct as *as, const char *text, size_t length)
{
    char *p = as_alloc(as, length + 1);
    memcpy(p, text, length);
    return p;
}

static void free_arena(struct as *as)
{
    for (struct chunk *c = as->arena, *next; c; c = next) {
        next = c->next;
        free(c);
    }
}

/* ---- messages ---- */

/* The text a place lies in; of a repetition, the text that it is part of. */
static const struct source *source_of(const struct as *as, const char *at)
{
    for (const struct source *s = as->sources; s; s = s->all)
        if (s->name && at >= s->text && at <= s->end) return s;
    return NULL;
}

static unsigned line_number(const struct source *source, const char *at, const char **start)
{
    unsigned line = 1;
    *start = source->text;
    for (const char *p = source->text; p < at; p++)
        if (*p == '\n') line++, *start = p + 1;
    return line;
}

/* The source line and a caret below the place; tabs are kept so that both stay aligned. */
static void quote(const struct as *as, const char *end, const char *start, const char *at)
{
    const char *p = start;
    if (at - start > 200) return;
    fputs("    ", as->log);
    for (; p < end && *p != '\n' && p - start < 240; p++)
        fputc(*p == '\t' || isprint((unsigned char)*p) ? *p : *p == '\r' ? ' ' : '?', as->log);
    fputs("\n    ", as->log);
    for (p = start; p < at; p++) fputc(*p == '\t' ? '\t' : ' ', as->log);
    fputs("^\n", as->log);
}

/* For text of a macro or an included file: where it was entered, outwards. */
static void trace_back(const struct as *as, const struct source *s)
{
    const char *start;
    for (int i = 0; i < 5 && s->outer; i++) {
        const struct source *outer = source_of(as, s->at);
        if (!outer) return;
        fprintf(as->log, "    %s %s in %s:%u\n", s->file ? "included" : "expanded", s->file ? "" : s->name, outer->name,
                line_number(outer, s->at, &start));
        s = outer;
    }
}

bool as_error(struct as *as, const char *at, const char *format, ...)
{
    if (as->quiet) return false;
    as->errors++;
    if (as->errors > AS_MAX_ERRORS) {
        if (as->log) fprintf(as->log, "%s: error: more than %d errors, giving up\n", as->name, AS_MAX_ERRORS);
        longjmp(as->stop, 1);
    }
    if (!as->log) return false;
    const char *start;
    const struct source *source = source_of(as, at);
    if (!source) {
        source = source_of(as, as->first_text);
        at = source->text;
    }
    unsigned line = line_number(source, at, &start);
    va_list args;
    fprintf(as->log, "%s:%u:%u: error: ", source->name, line, (unsigned)(at - start) + 1);
    va_start(args, format);
    vfprintf(as->log, format, args);
    va_end(args);
    fputc('\n', as->log);
    quote(as, source->end, start, at);
    trace_back(as, source);
    return false;
}

void as_hint(struct as *as, const char *format, ...)
{
    va_list args;
    if (as->quiet || !as->log) return;
    fputs("    hint: ", as->log);
    va_start(args, format);
    vfprintf(as->log, format, args);
    va_end(args);
    fputc('\n', as->log);
}

/* ---- names ---- */

static uint32_t hash(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

static struct symbol **symbol_slot(struct as *as, const char *name, size_t length)
{
    size_t i = hash(name, length) & (as->symbol_room - 1);
    while (as->symbols[i] && (as->symbols[i]->length != length || memcmp(as->symbols[i]->name, name, length)))
        i = (i + 1) & (as->symbol_room - 1);
    return &as->symbols[i];
}

static void grow_symbols(struct as *as)
{
    struct symbol **old = as->symbols;
    size_t room = as->symbol_room;
    as->symbol_room = room ? room * 2 : 256;
    as->symbols = as_alloc(as, as->symbol_room * sizeof *as->symbols);
    for (size_t i = 0; i < room; i++)
        if (old[i]) *symbol_slot(as, old[i]->name, old[i]->length) = old[i];
}

struct symbol *as_symbol(struct as *as, const char *name, size_t length)
{
    if (2 * (as->nsymbols + 1) > as->symbol_room) grow_symbols(as);
    struct symbol **slot = symbol_slot(as, name, length);
    if (*slot) return *slot;
    struct symbol *s = as_alloc(as, sizeof *s);
    s->name = as_strdup(as, name, length);
    s->length = (uint32_t)length;
    s->hidden = memchr(name, '#', length) || (length > 1 && name[0] == '.' && name[1] == 'L');
    as->nsymbols++;
    return *slot = s;
}

struct symbol *as_find(struct as *as, const char *name, size_t length)
{
    return as->symbol_room ? *symbol_slot(as, name, length) : NULL;
}

bool as_define(struct as *as, struct symbol *s, const char *at)
{
    if (s->defined) {
        const char *start;
        const struct source *source = source_of(as, s->defined);
        as_error(as, at, "'%s' is defined already", s->name);
        if (source) as_hint(as, "the first definition is in line %u", line_number(source, s->defined, &start));
        return false;
    }
    s->defined = at;
    s->item = as_item(as, ITEM_LABEL, at);
    return true;
}

struct symbol *as_here(struct as *as)
{
    char name[24];
    int n = snprintf(name, sizeof name, "#%u", as->anonymous++);
    struct symbol *s = as_symbol(as, name, (size_t)n);
    as_define(as, s, as->t->at);
    return s;
}

struct item *as_item(struct as *as, enum item_kind kind, const char *at)
{
    struct item *i = as_alloc(as, sizeof *i);
    i->kind = (uint8_t)kind;
    i->section = (uint8_t)as->section;
    i->at = at;
    *as->last[as->section] = i;
    as->last[as->section] = &i->next;
    return i;
}

/* ---- mnemonics ---- */

enum { MNEMONIC_ROOM = 2048 };
_Static_assert(OP_COUNT < MNEMONIC_ROOM / 2, "the mnemonic table is too small");

static struct mnemonic *mnemonic_slot(struct as *as, const char *name, size_t length)
{
    size_t i = hash(name, length) & (MNEMONIC_ROOM - 1);
    while (as->mnemonics[i].name && (strncmp(as->mnemonics[i].name, name, length) || as->mnemonics[i].name[length]))
        i = (i + 1) & (MNEMONIC_ROOM - 1);
    return &as->mnemonics[i];
}

void as_profile(struct as *as, enum isa_profile profile)
{
    const char *name;
    as->profile = profile;
    as->mnemonics = as_alloc(as, MNEMONIC_ROOM * sizeof *as->mnemonics);
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (!(isa_table[op].revisions & profile)) continue;
        struct mnemonic *m = mnemonic_slot(as, isa_table[op].name, strlen(isa_table[op].name));
        m->name = isa_table[op].name;
        if (!m->op) m->op = (uint16_t)op;
    }
    for (size_t row = 0; (name = pseudo_name(row)); row++) {
        struct mnemonic *m = mnemonic_slot(as, name, strlen(name));
        m->name = name;
        if (!m->pseudo) m->pseudo = (uint16_t)(row + 1);
    }
}

/* Looks a mnemonic up, with the suffixes of atomics. */
static const struct mnemonic *find_mnemonic(struct as *as, const char *text, size_t length, bool *aq, bool *rl)
{
    static const struct {
        const char *text;
        bool aq, rl;
    } suffixes[] = {{".aq.rl", true, true}, {".aqrl", true, true}, {".aq", true, false}, {".rl", false, true}};
    const struct mnemonic *m = mnemonic_slot(as, text, length);
    *aq = *rl = false;
    for (size_t i = 0; !m->name && i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t n = strlen(suffixes[i].text);
        if (length <= n || memcmp(text + length - n, suffixes[i].text, n)) continue;
        const struct mnemonic *base = mnemonic_slot(as, text, length - n);
        if (!base->name || !base->op || !strchr(isa_table[base->op].pattern, 'a')) continue;
        *aq = suffixes[i].aq;
        *rl = suffixes[i].rl;
        m = base;
    }
    return m->name ? m : NULL;
}

static const char *near_mnemonic(struct as *as, const char *text, size_t length, unsigned distance)
{
    struct nearest n = {text, length, distance, NULL};
    for (size_t i = 0; i < MNEMONIC_ROOM; i++)
        if (as->mnemonics[i].name) near_offer(&n, as->mnemonics[i].name);
    return n.best;
}

bool as_begins_statement(struct as *as, const char *word, size_t length)
{
    bool aq, rl;
    if (*word == '.' || find_mnemonic(as, word, length, &aq, &rl)) return true;
    if (as_find(as, word, length) && as_find(as, word, length)->macro) return true;
    return length >= 3 && near_mnemonic(as, word, length, 2);
}

/* ---- statements ---- */

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
    if (revisions & as->profile) return false;
    if (n) as_hint(as, "it belongs to profile%s %s, this is %s", n > 1 ? "s" : "", list, isa_profile_name(as->profile));
    return n > 0;
}

static bool unknown(struct as *as, const struct token *t)
{
    const char *near = near_mnemonic(as, t->text, t->length, 3);
    as_error(as, t->at, "unknown instruction '%.*s'", t->length > 40 ? 40 : (int)t->length, t->text);
    if (!as_hint_profiles(as, t) && near) as_hint(as, "did you mean '%s'?", near);
    return false;
}

static bool instruction(struct as *as)
{
    const struct token *t = as->t++;
    bool aq, rl, found;
    if (t->kind != TOKEN_NAME) return as_error(as, t->at, "instruction expected");
    const struct symbol *s = as_find(as, t->text, t->length);
    if (s && s->macro && !as->expanding)
        return macro_run(as, s->macro, t) && (as->t->kind == TOKEN_END || as_error(as, as->t->at, "unexpected text"));
    const struct mnemonic *m = find_mnemonic(as, t->text, t->length, &aq, &rl);
    if (!m || (!m->op && as->expanding)) return unknown(as, t);
    if (m->pseudo && !as->expanding) {
        const struct token *operands = as->t;
        bool ok = pseudo_instruction(as, m->pseudo - 1u, t, m->op != 0, &found);
        if (found || !ok) return ok;
        as->t = operands;
    }
    return operand_instruction(as, m->op, t, aq, rl);
}

/* "7:" defines the next of the labels 7b and 7f refer to. */
static bool numeric_label(struct as *as, const struct token *t)
{
    char name[48];
    bool digits = t->length <= 10;
    for (uint32_t i = 0; i < t->length; i++) digits &= t->text[i] >= '0' && t->text[i] <= '9';
    if (!digits) return as_error(as, t->at, "a label is a name or a decimal number");
    struct symbol *counter = as_symbol(as, t->text, t->length);
    int n = snprintf(name, sizeof name, "%.*s#%u", (int)t->length, t->text, ++counter->uses);
    return as_define(as, as_symbol(as, name, (size_t)n), t->at);
}

static bool labels(struct as *as)
{
    while ((as->t->kind == TOKEN_NAME || as->t->kind == TOKEN_NUMBER) && token_is(as->t + 1, ':')) {
        const struct token *t = as->t;
        if (token_named(t, ".")) return as_error(as, t->at, "'.' is the current address, not a label");
        bool ok =
            t->kind == TOKEN_NUMBER ? numeric_label(as, t) : as_define(as, as_symbol(as, t->text, t->length), t->at);
        if (!ok) return false;
        as->t += 2;
    }
    return true;
}

bool as_statement(struct as *as)
{
    if (!labels(as)) return false;
    const struct token *t = as->t;
    if (t->kind == TOKEN_END) return true;
    if (t->kind == TOKEN_NAME && token_is(t + 1, '=')) {
        as->t += 2;
        return directive_set(as, t) &&
               (as->t->kind == TOKEN_END || as_error(as, as->t->at, "unexpected text behind the value"));
    }
    if (t->kind == TOKEN_NAME && t->text[0] == '.' &&
        !(as_find(as, t->text, t->length) && as_find(as, t->text, t->length)->macro)) {
        as->t++;
        return directive_run(as, t);
    }
    return instruction(as);
}

/* ---- the image ---- */

/* What .kernel and .arg say, as the note wants it. */
static bool describe_kernel(struct as *as, const struct kernel_record *r, uint32_t vgprs, uint32_t sgprs,
                            struct ventus_kernel *k)
{
    int64_t entry = 0;
    if (!as->object && !symbol_value(as, r->symbol, r->at, &entry)) return false;
    if (!r->symbol->item)
        return as_error(as, r->at, as->object ? "the kernel '%s' is not in this file" : "'%s' is no label",
                        r->symbol->name);
    struct ventus_arg *args = as_alloc(as, (r->nargs + 1) * sizeof *args);
    *k = (struct ventus_kernel){.name = r->symbol->name,
                                .entry = (uint32_t)entry,
                                .vgprs = r->vgpr < 0 ? vgprs : (uint32_t)r->vgpr,
                                .sgprs = r->sgpr < 0 ? sgprs : (uint32_t)r->sgpr,
                                .lds_bytes = (uint32_t)r->lds,
                                .pds_bytes = (uint32_t)r->pds,
                                .args_size = ((uint32_t)r->args + 3) & ~3u,
                                .args = args};
    for (const struct kernel_arg *a = r->first; a; a = a->next) args[k->nargs++] = a->arg;
    return true;
}

/* The records of .kernel as the text of the module note. */
static bool kernel_note(struct as *as, struct elf_image *m, char **text)
{
    struct note note = {.kernels = as_alloc(as, (as->nkernels + 1) * sizeof *note.kernels)};
    uint32_t vgprs = NOTE_AUTO, sgprs = NOTE_AUTO;
    if (!as->object) asm_used_registers(as->profile, m->text, m->text_words, &vgprs, &sgprs);
    for (const struct kernel_record *r = as->kernels; r; r = r->next)
        if (!describe_kernel(as, r, vgprs, sgprs, &note.kernels[note.nkernels++])) return false;
    *text = note_write(&note, 1);
    return *text || as_error(as, as->first_text, "out of memory");
}

static bool take_note(struct as *as, struct elf_image *m, struct owned *o, uint8_t *bytes, size_t size)
{
    while (size && !bytes[size - 1]) size--;
    if (size && as->kernels)
        return as_error(as, as->kernels->at, ".kernel and a .note.ventus section exclude each other");
    if (size && memchr(bytes, 0, size))
        return as_error(as, as->first[SECTION_NOTE]->at, "the module note is text, without zero bytes");
    bool ok = true;
    if (as->kernels) ok = kernel_note(as, m, &o->note);
    else if (size) ok = (o->note = strndup((char *)bytes, size)) || as_error(as, as->first_text, "out of memory");
    m->note = o->note;
    return ok;
}

static bool visible(const struct symbol *s) { return s && s->item && !s->hidden && s->item->section <= SECTION_BSS; }

static int by_address(const void *a, const void *b)
{
    const struct elf_symbol *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? -1 : 1) : strcmp(x->name, y->name);
}

static bool take_symbols(struct as *as, struct elf_image *m, struct owned *o)
{
    size_t count = 0, room = 1, n = 0;
    for (size_t i = 0; i < as->symbol_room; i++)
        if (visible(as->symbols[i])) count++, room += as->symbols[i]->length + 1;
    o->symbols = calloc(count + 1, sizeof *o->symbols);
    char *p = o->names = malloc(room);
    if (!o->symbols || !p) return as_error(as, as->first_text, "out of memory");
    for (size_t i = 0; i < as->symbol_room; i++) {
        const struct symbol *s = as->symbols[i];
        int64_t size = 0;
        if (!visible(s)) continue;
        if (s->size && !expr_value(as, s->size, &size)) return false;
        memcpy(p, s->name, s->length + 1);
        o->symbols[n++] =
            (struct elf_symbol){.name = p, .value = s->item->addr, .size = (uint32_t)size, .function = s->function};
        if (!strcmp(p, "_start")) m->entry = s->item->addr;
        p += s->length + 1;
    }
    qsort(o->symbols, n, sizeof *o->symbols, by_address);
    m->symbols = o->symbols;
    m->nsymbols = n;
    return true;
}

/* The resource records that the source spells out. */
static bool take_resources(struct as *as, struct owned *o, const uint8_t *bytes)
{
    const char *why = NULL;
    for (const struct resource_mark *m = as->marks; m; m = m->next) {
        size_t begin = m->item->addr, end = m->next ? m->next->item->addr : as->bytes[SECTION_RESOURCE];
        if (!resource_append_section(o, bytes + begin, end - begin, m->kernel, &why))
            return as_error(as, m->item->at, "%s", why);
    }
    return resource_own_names(o, &why) || as_error(as, as->first_text, "%s", why);
}

/* Hands sections and symbols over to the image; what was handed over is freed with it. */
static bool finish(struct as *as, struct elf_image *m, struct owned *o)
{
    size_t words = (as->bytes[SECTION_TEXT] + 3) / 4, note = as->bytes[SECTION_NOTE];
    size_t data = as->bytes[SECTION_BSS] ? as->base[SECTION_BSS] - as->base[SECTION_DATA] : as->bytes[SECTION_DATA];
    if (as->bytes[SECTION_SUMMARY])
        return as_error(as, as->first[SECTION_SUMMARY]->at,
                        ".ventus.resobj is for the linker; objects (as -c) can have it");
    o->text = calloc(words + 1, 4);
    o->rodata = calloc(as->bytes[SECTION_RODATA] + 1, 1);
    o->data = calloc(data + 1, 1);
    uint8_t *text = as_alloc(as, note + 1), *resources = as_alloc(as, as->bytes[SECTION_RESOURCE] + 1);
    if (!o->text || !o->rodata || !o->data) return as_error(as, as->first_text, "out of memory");
    uint8_t *out[SECTION_COUNT] = {(uint8_t *)o->text, o->rodata, o->data, NULL, text, resources, NULL};
    if (!layout_emit(as, out) || !take_resources(as, o, resources)) return false;
    *m = (struct elf_image){.entry = as->base[SECTION_TEXT],
                            .text_addr = as->base[SECTION_TEXT],
                            .text = o->text,
                            .text_words = words,
                            .rodata_addr = as->base[SECTION_RODATA],
                            .rodata = o->rodata,
                            .rodata_size = as->bytes[SECTION_RODATA],
                            .data_addr = as->base[SECTION_DATA],
                            .data = o->data,
                            .data_size = data,
                            .bss_size = as->bytes[SECTION_BSS],
                            .resources = o->resources,
                            .nresources = o->nresources,
                            .owner = o};
    return take_note(as, m, o, text, note) && take_symbols(as, m, o);
}

/* The object instead of an image. */
static bool finish_object(struct as *as, void **bytes, size_t *size)
{
    uint8_t *out[SECTION_COUNT] = {0};
    struct elf_image none = {0};
    struct owned owned = {0};
    for (int s = 0; s < SECTION_COUNT; s++)
        if (s != SECTION_BSS) out[s] = as_alloc(as, as->bytes[s] + 4);
    bool ok = layout_emit(as, out) && take_note(as, &none, &owned, out[SECTION_NOTE], as->bytes[SECTION_NOTE]) &&
              take_resources(as, &owned, out[SECTION_RESOURCE]) && object_write(as, out, &owned, bytes, size);
    free(owned.note);
    free(owned.resources);
    free(owned.kernels);
    return ok;
}

/* What becomes of the source: an image, or the bytes of an object. */
struct result {
    struct elf_image *image;
    struct owned *owned;
    void **bytes;
    size_t *size;
};

static void run(struct as *as, size_t size, const struct result *result)
{
    for (int s = 0; s < SECTION_COUNT; s++) as->last[s] = &as->first[s];
    as->last_kernel = &as->kernels;
    as->last_mark = &as->marks;
    as->last_relocation = &as->relocations;
    as_profile(as, as->profile);
    source_begin(as, as->name, as->first_text, size);
    while (lex_statement(as)) as_statement(as);
    if (as->errors || !layout_place(as)) return;
    if (as->object) finish_object(as, result->bytes, result->size);
    else finish(as, result->image, result->owned);
}

/* Runs the assembler over one source; true when it reported nothing. */
static bool assemble(const struct asm_options *options, const char *name, const char *source, size_t size,
                     uint32_t base, const struct result *result, FILE *log)
{
    struct as *as = calloc(1, sizeof *as);
    char *text = malloc(size + 1); /* ended by a zero, for strtof */
    bool ok = as && text;
    if (ok) {
        if (size) memcpy(text, source, size);
        text[size] = 0;
        *as = (struct as){.name = name,
                          .first_text = text,
                          .source = text,
                          .end = text,
                          .cursor = text,
                          .log = log,
                          .includes = options->includes,
                          .object = result->bytes != NULL,
                          .profile = options->profile ? options->profile : PROFILE_DEFAULT};
        as->base[SECTION_TEXT] = base;
        if (!setjmp(as->stop)) run(as, size, result);
        ok = !as->errors;
        free_arena(as);
    } else if (log) {
        fprintf(log, "%s: error: out of memory\n", name);
    }
    free(text);
    free(as);
    return ok;
}

bool asm_assemble(const char *name, const char *source, size_t size, uint32_t base, struct elf_image *image, FILE *log)
{
    const struct asm_options options = {.profile = PROFILE_DEFAULT};
    return asm_assemble_with(&options, name, source, size, base, image, log);
}

bool asm_assemble_with(const struct asm_options *options, const char *name, const char *source, size_t size,
                       uint32_t base, struct elf_image *image, FILE *log)
{
    struct elf_image made = {.owner = calloc(1, sizeof(struct owned))};
    const struct result result = {.image = &made, .owned = made.owner};
    bool ok = made.owner && assemble(options, name, source, size, base, &result, log);
    made.owner = result.owned;
    if (ok) *image = made;
    else if (made.owner) elf_free(&made);
    return ok;
}

bool asm_assemble_object(const struct asm_options *options, const char *name, const char *source, size_t size,
                         void **bytes, size_t *nbytes, FILE *log)
{
    const struct result result = {.bytes = bytes, .size = nbytes};
    *bytes = NULL;
    return assemble(options, name, source, size, 0, &result, log);
}
