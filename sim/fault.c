/* Records which warp failed where, and describes a fault in one line.
 *
 * Engines call fault_raise with the warp's pc at the failing instruction; group.c calls fault_access when the host
 * has refused an access. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/machine.h"

/* By enum fault_kind. */
static const struct fault_text {
    const char *key, *name;
} fault_texts[] = {
#define VENTUS_FAULT_KIND(NAME, key, text) {key, text},
#include "sim/faults.def"
#undef VENTUS_FAULT_KIND
};
static const struct fault_text unknown = {"unknown", "unknown fault"};

static const struct fault_text *text_of(enum fault_kind kind)
{
    return kind < sizeof fault_texts / sizeof *fault_texts ? &fault_texts[kind] : &unknown;
}

const char *fault_name(enum fault_kind kind) { return text_of(kind)->name; }
const char *fault_key(enum fault_kind kind) { return text_of(kind)->key; }

/* Notes the words at pc: the prefix, if there is one, and the instruction behind it. */
static void note_words(struct sm *sm, struct fault *f)
{
    enum isa_profile profile = (enum isa_profile)sm->gpu->config.profile;
    uint32_t words[ISA_MAX_WORDS] = {0};
    struct insn in;
    size_t n = warp_code(sm->warp, f->pc, words);
    if (!n) return;
    bool prefix = n > 1 && isa_decode_raw(profile, words, n, &in) && isa_table[in.op].kind == KIND_PREFIX;
    if (prefix) f->prefix = words[0];
    f->word = words[prefix];
    if (n > (size_t)prefix + 1 && isa_decode_raw(profile, words + prefix, n - prefix, &in) &&
        isa_bits((enum isa_op)in.op) == 64)
        f->high = words[prefix + 1];
}

enum stop fault_raise(struct sm *sm, const struct warp *w, enum fault_kind kind, uint32_t lane, uint64_t addr,
                      const char *detail)
{
    struct fault *f = &sm->fault;
    *f = (struct fault){.kind = kind, .warp = w->wid, .lanes = w->mask, .lane = lane, .pc = w->pc, .addr = addr};
    f->profile = sm->gpu->config.profile;
    memcpy(f->group, w->group->index, sizeof f->group);
    if (detail) snprintf(f->detail, sizeof f->detail, "%s", detail);
    note_words(sm, f);
    return STOP_FAULT;
}

/* Says that the launch does not have the highest register, of 'v' or 'x', that an instruction names. */
static void name_register(char *text, size_t size, char file, unsigned reg, uint32_t have)
{
    snprintf(text, size, "%c%u is beyond the %u %s registers of the launch", file, reg, (unsigned)have,
             file == 'v' ? "vector" : "scalar");
}

enum stop fault_illegal(struct sm *sm, const struct warp *w, const struct decoded *d)
{
    const struct launch *l = w->group->launch;
    const char *why = NULL;
    char text[96] = "";
    if (d->vregs > l->vgprs) name_register(text, sizeof text, 'v', d->vregs - 1u, l->vgprs);
    else if (d->xregs > l->sgprs) name_register(text, sizeof text, 'x', d->xregs - 1u, l->sgprs);
    else why = code_refusal(d);
    return fault_raise(sm, w, FAULT_ILLEGAL, ISA_LANES, 0, *text ? text : why);
}

enum stop fault_vtype(struct sm *sm, const struct warp *w, uint32_t vtype)
{
    bool document = isa_is_document((enum isa_profile)sm->gpu->config.profile);
    char type[32], text[120];
    isa_print_vtype(vtype, type, sizeof type);
    snprintf(text, sizeof text, "vector type %s; %s", type,
             document ? "a lane has one element: e8, e16, e32 or e64 with m1, or e64 with m2"
                      : "lanes have elements of e32, m1");
    return fault_raise(sm, w, FAULT_ILLEGAL, ISA_LANES, 0, text);
}

enum stop fault_fetch(struct sm *sm, const struct warp *w)
{
    const char *why = w->pc & 3 ? "not on a word" : NULL;
    if (!why && mem_allows(sm->gpu, w->pc, 4, GPU_EXEC)) why = "the host has no memory for decoded code";
    return fault_raise(sm, w, FAULT_FETCH, ISA_LANES, 0, why);
}

enum stop fault_misaligned(struct sm *sm, const struct warp *w, uint32_t lanes)
{
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    return fault_raise(sm, w, FAULT_MISALIGNED, lane, sm->access.addr[lane], NULL);
}

_Noreturn void fault_throw(struct sm *sm, enum fault_kind kind, uint32_t lane, uint64_t addr, const char *detail)
{
    fault_raise(sm, sm->warp, kind, lane, addr, detail);
    siglongjmp(*sm->jump, 2);
}

void fault_access(struct sm *sm)
{
    const struct access *a = &sm->access;
    enum fault_kind kind = a->write ? FAULT_WRITE : FAULT_READ;
    unsigned want = a->write ? GPU_WRITE : GPU_READ;
    uint32_t lane = ISA_LANES;
    for (uint32_t i = 0; i < ISA_LANES && lane == ISA_LANES; i++)
        if ((a->lanes >> i & 1) && !mem_allows(sm->gpu, a->addr[i], a->size, want)) lane = i;
    fault_raise(sm, sm->warp, kind, lane, a->addr[lane % ISA_LANES], NULL);
}

/* Appends to buf as snprintf does; *len counts the full length, even beyond the buffer. */
__attribute__((format(printf, 4, 5))) static void append(char *buf, size_t size, int *len, const char *format, ...)
{
    va_list args;
    size_t used = (size_t)*len < size ? (size_t)*len : size;
    va_start(args, format);
    int n = vsnprintf(used < size ? buf + used : NULL, size - used, format, args);
    va_end(args);
    if (n > 0) *len += n;
}

static bool has_address(enum fault_kind kind)
{
    return kind == FAULT_READ || kind == FAULT_WRITE || kind == FAULT_MISALIGNED || kind == FAULT_PAGE;
}

static void print_insn(const struct fault *f, char *buf, size_t size)
{
    uint32_t words[ISA_MAX_WORDS] = {f->prefix ? f->prefix : f->word, f->prefix ? f->word : f->high, f->high};
    struct insn in;
    if (!isa_decode_in((enum isa_profile)f->profile, words, ISA_MAX_WORDS, &in)) {
        snprintf(buf, size, "word 0x%08x", (unsigned)f->word);
        return;
    }
    isa_print(&in, f->pc, 0, buf, size);
    for (char *p = buf; *p; p++)
        if (*p == '\t') *p = ' ';
}

int fault_print(const struct fault *f, char *buf, size_t size)
{
    int len = 0;
    append(buf, size, &len, "%s", fault_name(f->kind));
    if (has_address(f->kind)) append(buf, size, &len, " at 0x%08llx", (unsigned long long)f->addr);
    if (*f->detail) append(buf, size, &len, " (%s)", f->detail);
    if (f->kind == FAULT_NONE || f->kind == FAULT_LAUNCH) return len;
    append(buf, size, &len, ", ");
    size_t used = (size_t)len < size ? (size_t)len : size;
    return len + fault_print_place(f, used < size ? buf + used : NULL, size - used);
}

int fault_print_place(const struct fault *f, char *buf, size_t size)
{
    int len = 0;
    char insn[96];
    append(buf, size, &len, "work-group (%u,%u,%u) warp %u", (unsigned)f->group[0], (unsigned)f->group[1],
           (unsigned)f->group[2], (unsigned)f->warp);
    if (f->lane < ISA_LANES) append(buf, size, &len, " lane %u", (unsigned)f->lane);
    append(buf, size, &len, ", pc 0x%08x", (unsigned)f->pc);
    if (f->kind == FAULT_FETCH) return len;
    print_insn(f, insn, sizeof insn);
    append(buf, size, &len, ": %s", insn);
    return len;
}
