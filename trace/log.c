/* A log in the format of the public simulator: two lines for each instruction of each hart.
 *
 * The simulator runs one work-group at a time, a warp being a hart, and gives the harts one instruction
 * each in turn; a prefix is an instruction. Our warps run whole quanta, so each has a queue here, and the
 * turns are replayed when the queues are emptied. A hart at a barrier executes it again at each of its
 * turns, the last time after the last hart has arrived. Each group begins with the boot code and ends with
 * hart 0 running into the code behind endprg that stops the simulator; the machine does neither.
 * The order of the effects of a line is that of the simulator's tables. Called by trace.c. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "isa/abi.h"
#include "sim/output.h"
#include "trace/trace.h"

enum { BOOT_PC = 0x1000, BOOT_WORDS = 5, WORD_MASK_CONTROL = 0x5b, PRIVILEGE = 3 };

enum entry_kind { ENTRY_PLAIN, ENTRY_BARRIER, ENTRY_END };

/* One instruction still to be written. */
struct entry {
    enum entry_kind kind;
    uint32_t pc;
    uint32_t words[2];
    unsigned nwords;
    char *effects;
};

enum hart_state { HART_RUNS, HART_WAITS, HART_RELEASED /* the barrier once more */, HART_ENDED };

struct hart {
    enum hart_state state;
    struct entry *queue;
    size_t head, n, room;
    struct entry at; /* the barrier it waits at */
    uint32_t last_pc, last_word;
    unsigned executions; /* of the last instruction in a row */
    bool any;
    uint32_t npc; /* next pc that the SIMT stack last decided on */
    uint32_t end_pc;
};

struct trace_log {
    FILE *out;
    char *path;
    enum isa_profile profile;
    struct hart *harts;
    uint32_t nharts, turn;
};

/* ---- texts that grow ---- */

struct text {
    char *buf;
    size_t n, room;
    bool no_memory; /* something is missing */
};

enum { LONGEST_PIECE = 80 }; /* of what is added at once */

static bool make_room(struct text *t)
{
    if (t->room - t->n >= LONGEST_PIECE) return true;
    size_t room = t->room ? 2 * t->room : 256;
    char *buf = realloc(t->buf, room);
    if (!buf) return false;
    t->buf = buf;
    t->room = room;
    return true;
}

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list args;
    t->no_memory |= !make_room(t);
    if (t->no_memory) return;
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->buf + t->n, t->room - t->n, format, args);
    va_end(args);
}

/* ---- effects of one instruction ---- */

static void add_scalar(struct text *t, const struct event *e)
{
    for (unsigned i = 0; i < e->results && e->to_scalar; i++)
        if (e->insn->rd + i) add(t, " x%-2u 0x%08x", e->insn->rd + i, e->w->x[e->insn->rd + i]);
}

static void add_vtype(struct text *t, const struct event *e)
{
    add(t, " e%u m%u l%u", vtype_sew(e->w->vtype), 1u << (e->w->vtype & 7), e->w->vl);
}

/* The registers as they are now, highest lane first; nothing when no lane was active. */
static void add_vector(struct text *t, const struct event *e)
{
    add_vtype(t, e);
    for (unsigned i = 0; i < e->results && e->lanes; i++) {
        const uint32_t *row = e->w->v[e->insn->rd + i];
        add(t, " v%-2u %08x 0x", e->insn->rd + i, e->w->mask);
        for (uint32_t lane = e->w->vl < ISA_LANES ? e->w->vl : ISA_LANES; lane-- > 0;) add(t, "%08x ", row[lane]);
    }
}

static void add_csr_value(struct text *t, enum abi_csr number, const char *name, uint32_t value)
{
    add(t, " c%u_%s 0x%08x", (unsigned)number, name, value);
}

static void add_vstart(struct text *t) { add_csr_value(t, CSR_VSTART, "vstart", 0); }

static void add_fflags(struct text *t, const struct event *e) { add_csr_value(t, CSR_FFLAGS, "fflags", e->w->fflags); }

static void add_address(struct text *t, const struct access *a, uint32_t lane)
{
    if (a->high) add(t, " mem 0x%08x%08x", a->high[lane], a->addr[lane]);
    else add(t, " mem 0x%08x", a->addr[lane]);
}

static void add_value(struct text *t, uint32_t value, uint32_t size)
{
    if (size == 1) add(t, " 0x%01x", value & 0xff);
    else if (size == 2) add(t, " 0x%04x", value & 0xffff);
    else add(t, " 0x%08x", value);
}

/* All lanes of the first word, then those of the next. */
static void add_memory(struct text *t, const struct event *e, bool values)
{
    for (unsigned k = 0; k < e->accesses; k++) {
        const struct access *a = &e->access[k];
        for (uint32_t lanes = a->lanes ? a->lanes : 1; lanes; lanes &= lanes - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            add_address(t, a, lane);
            if (values) add_value(t, e->data[k][lane], a->size);
        }
    }
}

static void add_control_register(struct text *t, const struct event *e)
{
    const struct warp *w = e->w;
    switch (e->insn->aux) {
    case CSR_FFLAGS: add_fflags(t, e); break;
    case CSR_FRM: add_csr_value(t, CSR_FRM, "frm", w->frm); break;
    case CSR_FCSR:
        add_csr_value(t, CSR_FRM, "frm", w->frm);
        add_fflags(t, e);
        break;
    case CSR_VSTART: add_vstart(t); break;
    case CSR_VXSAT: add_csr_value(t, CSR_VXSAT, "vxsat", w->vxsat); break;
    case CSR_VXRM: add_csr_value(t, CSR_VXRM, "vxrm", w->vxrm); break;
    case CSR_MSTATUS: add_csr_value(t, CSR_MSTATUS, "mstatus", w->mstatus); break;
    case CSR_MTVEC: add_csr_value(t, CSR_MTVEC, "mtvec", w->mtvec); break;
    case CSR_PRINT: add_csr_value(t, CSR_PRINT, "print", w->print); break;
    default: break;
    }
}

static void add_csr(struct text *t, const struct event *e)
{
    const struct insn *in = e->insn;
    bool always = in->op == OP_CSRRW || in->op == OP_CSRRWI;
    if (e->to_vector) add_vector(t, e);
    add_scalar(t, e);
    if (always || in->rs1 || in->imm) add_control_register(t, e);
}

static void add_vset(struct text *t, const struct event *e)
{
    add_scalar(t, e);
    add_vstart(t);
    add_csr_value(t, CSR_VL, "vl", e->w->vl);
    add_csr_value(t, CSR_VTYPE, "vtype", e->w->vtype);
    add_csr_value(t, CSR_MSTATUS, "mstatus", e->w->mstatus);
}

/* Mask, next pc and SIMT stack, for branches, join and setrpc. The next pc of lines that decide on none is
 * that of the last one that did. */
static void add_control(struct text *t, const struct event *e, struct hart *h, bool decided)
{
    const struct warp *w = e->w;
    if (decided) h->npc = w->pc;
    add(t, " current mask:\t%08x current npc:\t%08x stack size: %u", w->mask, h->npc, w->depth);
    for (uint32_t i = w->depth; i-- > 0;)
        add(t, "\n[r_pc] %x [else_pc] %x [else_mask] %08x ", w->stack[i].rpc, w->stack[i].pc, w->stack[i].mask);
}

static void add_vector_result(struct text *t, const struct event *e)
{
    add_vstart(t);
    if (e->w->raised) add_fflags(t, e);
    add_vector(t, e);
}

/* Scalars come from scalars, or (vmv.x.s) from a lane. */
static void add_scalar_result(struct text *t, const struct event *e)
{
    bool of_lane = isa_kinds[isa_table[e->insn->op].kind].reads & STATE_SIMT;
    if (of_lane) add_vstart(t);
    else if (e->w->raised) add_fflags(t, e);
    add_scalar(t, e);
    if (of_lane) add_vtype(t, e);
}

static void add_load(struct text *t, const struct event *e)
{
    if (e->to_vector) add_vector(t, e);
    else add_scalar(t, e);
    if (e->to_vector && e->effects.memory.action == ACTION_LOAD) add_vstart(t);
    add_memory(t, e, false);
}

static void add_store(struct text *t, const struct event *e)
{
    unsigned address = e->effects.memory.address;
    if (address != ADDRESS_SCALAR) add_vstart(t);
    if (address != ADDRESS_SCALAR && address != ADDRESS_PRIVATE) add_vtype(t, e);
    add_memory(t, e, true);
}

static void add_access(struct text *t, const struct event *e)
{
    unsigned action = e->effects.memory.action;
    if (action == ACTION_STORE) {
        add_store(t, e);
        return;
    }
    add_load(t, e);
    if (action == ACTION_AMO || action == ACTION_SC) add_memory(t, e, true);
}

/* Instructions without an access; those that are not known to the simulator write a vector register, or show nothing.
 */
static void add_result(struct text *t, const struct event *e)
{
    const struct isa_kind_desc *kind = &isa_kinds[isa_table[e->insn->op].kind];
    if (kind->expression == EXPRESSION_NEW && kind->writes & STATE_VTYPE) add_vset(t, e);
    else if (kind->expression == EXPRESSION_NEW) add_csr(t, e);
    else if (e->to_vector) add_vector_result(t, e);
    else if (kind->expression == EXPRESSION_VALUE) add_scalar_result(t, e);
}

static void add_effects(struct text *t, const struct event *e, struct hart *h)
{
    if (e->effects.memory.words) {
        add_access(t, e);
        return;
    }
    switch ((enum isa_control)e->effects.control) {
    case CONTROL_JUMP:
    case CONTROL_INDIRECT: add_scalar(t, e); break;
    case CONTROL_VBRANCH:
        add_vstart(t);
        add_vtype(t, e);
        add_control(t, e, h, true);
        break;
    case CONTROL_JOIN: add_control(t, e, h, e->w->depth != e->depth); break;
    case CONTROL_SETRPC:
        add_scalar(t, e);
        add_csr_value(t, CSR_RPC, "rpc", e->w->rpc);
        add_control(t, e, h, false);
        break;
    default: add_result(t, e);
    }
}

/* ---- lines ---- */

static void write_bits(const struct trace_log *log, const struct entry *e)
{
    if (e->nwords == 2) fprintf(log->out, "(0x%08x%08x)", e->words[1], e->words[0]);
    else fprintf(log->out, "(0x%08x)", e->words[0]);
}

static void write_instruction(struct trace_log *log, uint32_t number, const struct entry *e)
{
    struct hart *h = &log->harts[number];
    char text[200];
    if (h->any && h->last_pc == e->pc && h->last_word == e->words[0]) {
        h->executions++;
        return;
    }
    if (h->executions > 1) fprintf(log->out, "core %3u: Executed %u times\n", number, h->executions);
    trace_asm(log->profile, e->words, e->nwords, text, sizeof text);
    fprintf(log->out, "core %3u: 0x%08x ", number, e->pc);
    write_bits(log, e);
    fprintf(log->out, " %s\n", text);
    h->any = true;
    h->executions = 1;
    h->last_pc = e->pc;
    h->last_word = e->words[0];
}

static void write_entry(struct trace_log *log, uint32_t number, const struct entry *e)
{
    write_instruction(log, number, e);
    fprintf(log->out, "core%4u: %u 0x%08x ", number, PRIVILEGE, e->pc);
    write_bits(log, e);
    fprintf(log->out, "%s\n", e->effects ? e->effects : "");
}

/* ---- turns ---- */

/* A hart has come to a barrier or its end: when that was the last one, the others may go on. */
static void arrive(struct trace_log *log, uint32_t number)
{
    for (uint32_t i = 0; i < log->nharts; i++)
        if (log->harts[i].state == HART_RUNS || log->harts[i].state == HART_RELEASED) return;
    for (uint32_t i = 0; i < log->nharts; i++)
        if (log->harts[i].state == HART_WAITS) log->harts[i].state = i == number ? HART_RUNS : HART_RELEASED;
}

/* One turn of a hart; false: what it does next is not known yet. */
static bool take_turn(struct trace_log *log, uint32_t number)
{
    struct hart *h = &log->harts[number];
    if (h->state == HART_ENDED) return true;
    if (h->state != HART_RUNS) {
        write_entry(log, number, &h->at);
        if (h->state == HART_RELEASED) h->state = HART_RUNS;
        return true;
    }
    if (!h->n) return false;
    struct entry e = h->queue[h->head];
    h->head = (h->head + 1) % h->room;
    h->n--;
    write_entry(log, number, &e);
    free(e.effects);
    e.effects = NULL;
    if (e.kind != ENTRY_PLAIN) {
        h->at = e;
        h->state = e.kind == ENTRY_END ? HART_ENDED : HART_WAITS;
        arrive(log, number);
    }
    return true;
}

static bool all_ended(const struct trace_log *log)
{
    for (uint32_t i = 0; i < log->nharts; i++)
        if (log->harts[i].state != HART_ENDED) return false;
    return true;
}

static void take_turns(struct trace_log *log)
{
    while (!all_ended(log) && take_turn(log, log->turn)) log->turn = (log->turn + 1) % log->nharts;
}

static bool grow(struct hart *h)
{
    size_t room = h->room ? 2 * h->room : 64;
    struct entry *queue = malloc(room * sizeof *queue);
    if (!queue) return false;
    for (size_t i = 0; i < h->n; i++) queue[i] = h->queue[(h->head + i) % h->room];
    free(h->queue);
    h->queue = queue;
    h->head = 0;
    h->room = room;
    return true;
}

/* Queues an instruction with these effects. False: the host has no memory. */
static bool push(struct hart *h, struct entry e, struct text *effects)
{
    if (effects->no_memory || (h->n == h->room && !grow(h))) {
        free(effects->buf);
        return false;
    }
    e.effects = effects->buf;
    h->queue[(h->head + h->n++) % h->room] = e;
    return true;
}

/* ---- boot code ---- */

static const uint32_t boot[BOOT_WORDS] = {0x00000297, 0x02028593, 0xf1402573, 0x0182a283, 0x00028067};

static bool push_boot(struct hart *h, uint32_t number, uint32_t start_pc)
{
    for (unsigned i = 0; i < BOOT_WORDS; i++) {
        struct text t = {0};
        switch (i) {
        case 0: add(&t, " x5  0x%08x", BOOT_PC); break;
        case 1: add(&t, " x11 0x%08x", BOOT_PC + 32); break;
        case 2: add(&t, " x10 0x%08x", number); break;
        case 3: add(&t, " x5  0x%08x mem 0x%08x", start_pc, BOOT_PC + 24); break;
        default: break;
        }
        if (!push(h, (struct entry){.pc = BOOT_PC + 4 * i, .words = {boot[i]}, .nwords = 1}, &t)) return false;
    }
    return true;
}

/* ---- the end: a few scalar instructions up to the store that stops the simulator ---- */

static bool execute(const struct insn *in, uint32_t *x, uint32_t *pc, struct text *t)
{
    uint32_t next = *pc + 4, value;
    switch (in->op) {
    case OP_JAL: next = *pc + (uint32_t)in->imm, value = *pc + 4; break;
    case OP_ADDI: value = x[in->rs1] + (uint32_t)in->imm; break;
    case OP_LUI: value = (uint32_t)in->imm; break;
    case OP_AUIPC: value = *pc + (uint32_t)in->imm; break;
    case OP_SW: add(t, " mem 0x%08x 0x%08x", x[in->rs1] + (uint32_t)in->imm, x[in->rs2]); return true;
    default: return false;
    }
    if (in->rd) {
        x[in->rd] = value;
        add(t, " x%-2u 0x%08x", in->rd, value);
    }
    *pc = next;
    return true;
}

static bool write_end(struct trace_log *log, const struct group *group)
{
    enum { MOST = 8 };
    struct entry entries[MOST];
    uint32_t x[ISA_XREGS], pc = log->harts[0].end_pc + 4;
    unsigned n = 0;
    bool stored = false, ok = true, memory = true;
    memcpy(x, group->warps[0].x, sizeof x);
    while (ok && n < MOST && !stored) {
        struct insn in;
        struct text t = {0};
        struct entry e = {.pc = pc, .nwords = 1};
        uint32_t words[ISA_MAX_WORDS];
        bool code = warp_code(&group->warps[0], pc, words);
        if (code) e.words[0] = words[0];
        ok = code && isa_decode_raw(log->profile, e.words, 1, &in) && execute(&in, x, &pc, &t);
        stored = ok && in.op == OP_SW;
        memory &= !t.no_memory;
        e.effects = t.buf;
        entries[n++] = e;
    }
    for (unsigned i = 0; i < n; i++) {
        if (stored) write_entry(log, 0, &entries[i]);
        free(entries[i].effects);
    }
    return memory;
}

/* ---- the interface ---- */

struct trace_log *log_open(const struct gpu_config *config, const char *path, char *why, size_t why_size)
{
    struct trace_log *log = calloc(1, sizeof *log);
    char *name = strdup(path);
    FILE *out = log && name ? output_open(path, why, why_size) : NULL;
    if (!log || !name) snprintf(why, why_size, "out of memory");
    if (!out) {
        free(log);
        free(name);
        return NULL;
    }
    *log = (struct trace_log){.out = out, .path = name, .profile = (enum isa_profile)config->profile};
    return log;
}

bool log_group_begin(struct trace_log *log, const struct group *group)
{
    log->harts = calloc(group->launch->warps, sizeof *log->harts);
    log->nharts = log->harts ? group->launch->warps : 0;
    log->turn = 0;
    for (uint32_t i = 0; i < log->nharts; i++)
        if (!push_boot(&log->harts[i], i, group->launch->start_pc)) return false;
    return log->harts;
}

bool log_event(struct trace_log *log, const struct event *event)
{
    struct hart *h = &log->harts[event->w->wid];
    const struct insn *in = event->insn;
    unsigned control = event->effects.control, prefix = in->prefix ? 1 : 0;
    struct text t = {0};
    add_effects(&t, event, h);
    struct entry first = {.pc = event->pc, .words = {event->words[0]}, .nwords = 1};
    if (prefix && !push(h, first, &(struct text){0})) t.no_memory = true;
    struct entry e = {.pc = event->pc + 4 * prefix, .nwords = in->size / 4u - prefix};
    for (unsigned i = 0; i < e.nwords && i < 2; i++) e.words[i] = event->words[prefix + i];
    if (control == CONTROL_BARRIER) e.kind = ENTRY_BARRIER;
    if (control == CONTROL_END) e.kind = ENTRY_END, h->end_pc = e.pc;
    if (!push(h, e, &t)) return false;
    take_turns(log);
    return true;
}

bool log_group_end(struct trace_log *log, const struct group *group)
{
    if (!log->nharts) return true;
    bool ok = !all_ended(log) || write_end(log, group);
    for (uint32_t i = 0; i < log->nharts; i++) { /* of a group that failed: what is left */
        struct hart *h = &log->harts[i];
        for (; h->n; h->n--, h->head = (h->head + 1) % h->room) {
            write_entry(log, i, &h->queue[h->head]);
            free(h->queue[h->head].effects);
        }
        free(h->queue);
    }
    free(log->harts);
    log->harts = NULL;
    log->nharts = 0;
    return ok;
}

bool log_close(struct trace_log *log, char *why, size_t why_size)
{
    bool ok = output_close(log->out, log->path, why, why_size);
    free(log->path);
    free(log);
    return ok;
}
