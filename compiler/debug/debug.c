/* The debug information of a program: one unit for all of its kernels and routines, with what is inlined into them.
 *
 * Called by output.c when every kernel has its address. */
#include "asm/image.h"
#include "compiler/debug/debug.h"
#include "version.h"

enum { FUNCTION_TYPES = 3 };

static uint32_t file_of(struct unit *u, LLVMMetadataRef scope) { return unit_file(u, LLVMDIScopeGetFile(scope)); }

/* ---- lines ---- */

static struct line_row row_at(struct unit *u, const struct kernel *k, const struct debug_row *r)
{
    return (struct line_row){.address = k->address + 4 * r->word,
                             .file = file_of(u, LLVMDILocationGetScope(r->location)),
                             .line = LLVMDILocationGetLine(r->location),
                             .column = LLVMDILocationGetColumn(r->location)};
}

/* What comes before the first row is the function's beginning: arguments are fetched. */
static void add_lines(struct unit *u, const struct kernel *k)
{
    const struct debug_code *d = k->code.debug;
    struct line_row *rows = cc_alloc(u->cc, (d->nrows + 1) * sizeof *rows);
    uint32_t n = 0;
    if (!d->nrows || d->rows[0].word)
        rows[n++] = (struct line_row){
            .address = k->address, .file = file_of(u, d->subprogram), .line = LLVMDISubprogramGetLine(d->subprogram)};
    for (uint32_t i = 0; i < d->nrows; i++) {
        rows[n++] = row_at(u, k, &d->rows[i]);
        rows[n - 1].prologue_end = i == 0;
    }
    line_sequence(u->cc, &u->program, rows, n, k->address + 4 * k->code.nwords);
}

/* ---- functions ---- */

static void describe_function(struct unit *u, struct die *d, LLVMMetadataRef subprogram)
{
    die_text(u->cc, d, DW_AT_name, subprogram_name(u->cc, subprogram));
    die_number(u->cc, d, DW_AT_decl_file, DW_FORM_udata, file_of(u, subprogram));
    die_number(u->cc, d, DW_AT_decl_line, DW_FORM_udata, LLVMDISubprogramGetLine(subprogram));
    die_flag(u->cc, d, DW_AT_prototyped);
    LLVMMetadataRef types = node_operand(u->cc, subprogram_type(u->cc, subprogram), FUNCTION_TYPES);
    type_refer(&u->types, d, node_operand(u->cc, types, 0)); /* the result; parameters have entries */
}

/* The entry that all inlined copies of a function refer to. */
static struct die *abstract_of(struct unit *u, LLVMMetadataRef subprogram)
{
    uint32_t known = *pair_number(u->cc, &u->abstract_numbers, subprogram, NULL);
    if (known) return u->abstracts[known - 1];
    struct die *d = die_new(u->cc, u->root, DW_TAG_subprogram);
    describe_function(u, d, subprogram);
    die_number(u->cc, d, DW_AT_inline, DW_FORM_udata, DW_INL_inlined);
    u->abstracts = cc_grow(u->cc, u->abstracts, u->nabstracts, &u->room, sizeof *u->abstracts);
    u->abstracts[u->nabstracts++] = d;
    *pair_number(u->cc, &u->abstract_numbers, subprogram, NULL) = u->nabstracts;
    return d;
}

static void describe_code(struct unit *u, struct die *d, const struct kernel *k, const struct scope *s)
{
    struct span *spans = unit_spans(u, k, s->spans, s->nspans);
    if (s->nspans == 1) {
        die_number(u->cc, d, DW_AT_low_pc, DW_FORM_addr, spans->from + ABI_CODE_BASE);
        die_number(u->cc, d, DW_AT_high_pc, DW_FORM_data4, spans->to - spans->from);
    } else {
        die_spans(u->cc, d, DW_AT_ranges, (struct spans){&u->ranges, spans, NULL, s->nspans});
    }
}

static void describe_call(struct unit *u, struct die *d, const struct scope *s)
{
    die_ref(u->cc, d, DW_AT_abstract_origin, abstract_of(u, s->node));
    die_number(u->cc, d, DW_AT_call_file, DW_FORM_udata, file_of(u, LLVMDILocationGetScope(s->inlined_at)));
    die_number(u->cc, d, DW_AT_call_line, DW_FORM_udata, LLVMDILocationGetLine(s->inlined_at));
    die_number(u->cc, d, DW_AT_call_column, DW_FORM_udata, LLVMDILocationGetColumn(s->inlined_at));
}

/* Private variables are counted from tp, which is 0: an address below 2^24 is one of private memory. */
static struct bytes frame_base(struct cc *cc)
{
    struct bytes b = {0};
    put_u8(cc, &b, DW_OP_breg0 + REG_TP);
    put_sleb(cc, &b, 0);
    return b;
}

static void describe_scope(struct unit *u, const struct kernel *k, struct scope *s)
{
    bool function = LLVMGetMetadataKind(s->node) == LLVMDISubprogramMetadataKind;
    enum dwarf_tag tag = !function       ? DW_TAG_lexical_block
                         : s->inlined_at ? DW_TAG_inlined_subroutine
                                         : DW_TAG_subprogram;
    s->die = die_new(u->cc, s->parent ? s->parent->die : u->root, tag);
    if (tag == DW_TAG_inlined_subroutine) describe_call(u, s->die, s);
    if (tag == DW_TAG_subprogram) {
        describe_function(u, s->die, s->node);
        die_flag(u->cc, s->die, DW_AT_external);
        /* Results are not where RISC-V's convention has them, so that a debugger must not show what is there. */
        die_number(u->cc, s->die, DW_AT_calling_convention, DW_FORM_udata, DW_CC_nocall);
        die_expression(u->cc, s->die, DW_AT_frame_base, frame_base(u->cc));
    }
    describe_code(u, s->die, k, s);
}

static void add_kernel(struct unit *u, const struct kernel *k)
{
    if (!k->code.debug->subprogram) return; /* its line numbers were left out, see frontend.c, or it is the library's */
    add_lines(u, k);
    struct scopes scopes = scopes_collect(u->cc, k);
    for (uint32_t i = 0; i < scopes.n; i++) describe_scope(u, k, scopes.list[i]);
    add_variables(u, k, &scopes);
    add_locals(u, k, &scopes);
}

/* ---- the unit ---- */

static void describe_unit(struct unit *u, LLVMMetadataRef subprogram, uint32_t text_end)
{
    const char *folder, *name;
    file_text(u->cc, LLVMDIScopeGetFile(subprogram), &folder, &name);
    u->root = die_new(u->cc, NULL, DW_TAG_compile_unit);
    u->types = (struct types){.cc = u->cc, .parent = u->root};
    die_text(u->cc, u->root, DW_AT_producer, "ventus-cc " VENTUS_VERSION);
    /* lldb has no language of its own for OpenCL, and then shows no variables. */
    die_number(u->cc, u->root, DW_AT_language, DW_FORM_udata, DW_LANG_C99);
    die_text(u->cc, u->root, DW_AT_name, name);
    die_text(u->cc, u->root, DW_AT_comp_dir, folder);
    die_number(u->cc, u->root, DW_AT_stmt_list, DW_FORM_sec_offset, 0);
    die_number(u->cc, u->root, DW_AT_low_pc, DW_FORM_addr, ABI_CODE_BASE);
    die_number(u->cc, u->root, DW_AT_high_pc, DW_FORM_data4, text_end - ABI_CODE_BASE);
    line_file(u->cc, &u->files, folder, name);
}

static const struct kernel *first_known(const struct cc *cc)
{
    for (uint32_t i = 0; i < cc->nkernels; i++)
        if (cc->kernels[i].code.debug && cc->kernels[i].code.debug->subprogram) return &cc->kernels[i];
    return NULL;
}

static void add_section(struct elf_section *list, size_t *n, const char *name, struct bytes bytes)
{
    if (bytes.n) list[(*n)++] = (struct elf_section){name, bytes.data, bytes.n};
}

const struct elf_section *debug_sections(struct cc *cc, uint32_t text_end, size_t *n)
{
    const struct kernel *first = first_known(cc);
    *n = 0;
    if (!first) return NULL;
    struct unit u = {.cc = cc};
    struct bytes info = {0}, abbrev = {0}, line = {0};
    describe_unit(&u, first->code.debug->subprogram, text_end);
    for (uint32_t i = 0; i < cc->nroutines; i++) add_kernel(&u, &cc->routines[i]);
    for (uint32_t i = 0; i < cc->nkernels; i++) add_kernel(&u, &cc->kernels[i]);
    add_globals(&u);
    info_write(cc, u.root, &info, &abbrev);
    line_write(cc, &line, &u.files, &u.program);
    lists_end(&u.ranges);
    lists_end(&u.locations);
    struct elf_section *list = cc_alloc(cc, 6 * sizeof *list);
    add_section(list, n, ".debug_frame", frames_section(cc));
    add_section(list, n, ".debug_info", info);
    add_section(list, n, ".debug_abbrev", abbrev);
    add_section(list, n, ".debug_line", line);
    add_section(list, n, ".debug_rnglists", u.ranges);
    add_section(list, n, ".debug_loclists", u.locations);
    return list;
}
