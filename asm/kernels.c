/* Kernels of a source: .kernel and .arg, and what the module note says of them.
 *
 * Called by directive.c for the directives, and by asm.c at the end. */
#include "asm/as.h"
#include "asm/note.h"
#include "asm/used.h"

enum { MAX_TEXTS = 4096 }; /* of .print_format, and of .print_string */

void kernels_begin(struct as *as)
{
    struct kernels *k = &as->kernels;
    k->last = &k->first;
    k->formats.last = &k->formats.first;
    k->strings.last = &k->strings.first;
}

static bool kernel_key(struct as *as, struct kernel_record *k)
{
    // clang-format off
    const struct { const char *name; int64_t *value, most; } keys[] = {
        {"vgpr", &k->vgpr, ISA_VREGS}, {"sgpr", &k->sgpr, ISA_XREGS}, {"lds", &k->lds, NOTE_MAX_LDS}, {"pds", &k->pds, NOTE_MAX_PDS},
        {"args", &k->args, NOTE_MAX_ARGS}};
    // clang-format on
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!token_named(as->t, keys[i].name)) continue;
        as->t++;
        return lex_expect(as, '=', "behind the key") &&
               expr_parse_known(as, keys[i].name, 0, keys[i].most, keys[i].value);
    }
    return as_error(as, as->t->at, "key expected: vgpr= sgpr= lds= pds= args=");
}

/* .kernel NAME[, vgpr=N][, sgpr=N][, lds=N][, pds=N][, args=N] */
bool directive_kernel(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    struct kernel_record *k = as_alloc(as, sizeof *k);
    *k = (struct kernel_record){.at = name->at, .vgpr = -1, .sgpr = -1, .pds = ABI_PRIVATE_BYTES};
    k->last = &k->first;
    const struct token *t = as->t;
    k->symbol = expr_symbol(as);
    if (!k->symbol) return false;
    for (const struct kernel_record *other = as->kernels.first; other; other = other->next)
        if (other->symbol == k->symbol) return as_error(as, t->at, "this kernel has a .kernel line already");
    k->symbol->function = k->symbol->global = true;
    while (lex_accept(as, ','))
        if (!kernel_key(as, k)) return false;
    if (as->kernels.n++ == NOTE_MAX_KERNELS) return as_error(as, t->at, "more than %d kernels", NOTE_MAX_KERNELS);
    *as->kernels.last = as->kernels.current = k;
    as->kernels.last = &k->next;
    return true;
}

/* The kinds of arguments that a kernel in assembly can have. */
static bool arg_kind(struct as *as, enum ventus_arg_kind *kind)
{
    for (unsigned i = VENTUS_ARG_VALUE; i <= VENTUS_ARG_LOCAL; i++)
        if (token_named(as->t, note_arg_kind(i))) return as->t++, *kind = (enum ventus_arg_kind)i, true;
    return as_error(as, as->t->at, "kind expected: value global constant local");
}

/* Puts an argument behind the others of a kernel. */
static bool add_arg(struct as *as, struct kernel_record *k, const char *at, const struct ventus_arg *arg)
{
    struct kernel_arg *a = as_alloc(as, sizeof *a);
    a->arg = *arg;
    a->arg.offset = abi_arg_offset((uint32_t)k->args, arg->size);
    k->args = a->arg.offset + arg->size;
    if (k->args > NOTE_MAX_ARGS) return as_error(as, at, "more than %d bytes of arguments", NOTE_MAX_ARGS);
    *k->last = a;
    k->last = &a->next;
    k->nargs++;
    return true;
}

/* .arg KIND, NAME[, SIZE[, ALIGNMENT]]: the next argument of the last kernel. */
bool directive_arg(struct as *as, const struct token *name, unsigned argument)
{
    (void)argument;
    struct ventus_arg a = {.access = "none"};
    int64_t width = 4, alignment = 0;
    if (!as->kernels.current) return as_error(as, name->at, ".arg belongs behind a .kernel");
    if (!arg_kind(as, &a.kind) || !lex_comma(as)) return false;
    const char *at = as->t->at;
    const struct symbol *s = expr_symbol(as); /* only its name matters */
    if (!s) return false;
    if (lex_accept(as, ',') && !expr_parse_known(as, "the size", 1, 1024, &width)) return false;
    if (lex_accept(as, ',') && !expr_parse_known(as, "the alignment", 1, NOTE_MAX_ALIGN, &alignment)) return false;
    if (alignment & (alignment - 1)) return as_error(as, at, "the alignment must be a power of two");
    bool value = a.kind == VENTUS_ARG_VALUE;
    if (!value && width != 4) return as_error(as, at, "a pointer has 4 bytes");
    if (!alignment) alignment = a.kind == VENTUS_ARG_LOCAL ? ABI_ANY_ALIGN : abi_arg_align((uint32_t)width);
    a.size = (uint32_t)width;
    a.align = (uint32_t)alignment;
    a.name = s->name;
    a.type = value ? "void" : "void*";
    a.address = value ? "private" : note_arg_kind(a.kind);
    return add_arg(as, as->kernels.current, at, &a);
}

/* .print_format NUMBER, "TEXT": with any, launches have a print buffer, for records with this number (isa/abi.h);
 * .print_string NUMBER, "TEXT": what %s prints for it. */
bool directive_print(struct as *as, const struct token *name, unsigned string)
{
    struct print_texts *all = string ? &as->kernels.strings : &as->kernels.formats;
    int64_t id;
    uint8_t *text;
    size_t n;
    if (!expr_parse_known(as, "the number", 0, UINT32_MAX, &id) || !lex_comma(as)) return false;
    const struct token *t = as->t;
    if (t->kind != TOKEN_STRING) return as_error(as, t->at, "string expected");
    if (!lex_string(as, t, &text, &n)) return false;
    if (memchr(text, 0, n)) return as_error(as, t->at, "a text that is printed has no zero bytes");
    for (const struct print_text *p = all->first; p; p = p->next)
        if (p->id == (uint32_t)id) return as_error(as, name->at, "number %u has a text already", p->id);
    if (all->n == MAX_TEXTS) return as_error(as, name->at, "more than %d texts to be printed", MAX_TEXTS);
    struct print_text *p = as_alloc(as, sizeof *p);
    *p = (struct print_text){.id = (uint32_t)id, .text = as_strdup(as, (char *)text, n)};
    *all->last = p;
    all->last = &p->next;
    all->n++;
    as->t++;
    return true;
}

static struct note_string *note_texts(struct as *as, const struct print_texts *all, size_t *count)
{
    struct note_string *out = as_alloc(as, (all->n + 1) * sizeof *out);
    for (const struct print_text *p = all->first; p; p = p->next)
        out[(*count)++] = (struct note_string){.id = p->id, .text = p->text};
    return out;
}

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
                                .vgprs = r->vgpr < 0 ? vgprs : abi_registers((uint32_t)r->vgpr),
                                .sgprs = r->sgpr < 0 ? sgprs : abi_registers((uint32_t)r->sgpr),
                                .lds_bytes = (uint32_t)r->lds,
                                .pds_bytes = (uint32_t)r->pds,
                                .args_size = ((uint32_t)r->args + 3) & ~3u,
                                .args = args};
    for (const struct kernel_arg *a = r->first; a; a = a->next) args[k->nargs++] = a->arg;
    return true;
}

bool kernels_said(const struct as *as)
{
    return as->kernels.first || as->kernels.formats.first || as->kernels.strings.first;
}

/* The records of .kernel and .print_format as the text of the module note. */
bool kernels_note(struct as *as, const struct elf_image *m, char **text)
{
    struct note note = {.kernels = as_alloc(as, (as->kernels.n + 1) * sizeof *note.kernels)};
    uint32_t vgprs = NOTE_AUTO, sgprs = NOTE_AUTO;
    note.formats = note_texts(as, &as->kernels.formats, &note.nformats);
    note.strings = note_texts(as, &as->kernels.strings, &note.nstrings);
    if (!as->object) asm_used_registers(as->mnemonics.profile, m->text, m->text_words, &vgprs, &sgprs);
    for (const struct kernel_record *r = as->kernels.first; r; r = r->next)
        if (!describe_kernel(as, r, vgprs, sgprs, &note.kernels[note.nkernels++])) return false;
    *text = note_write(&note, 1);
    return *text || as_error(as, NULL, "out of memory");
}
