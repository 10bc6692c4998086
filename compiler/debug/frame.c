/* Frames: where a routine's return address is, from instruction to instruction. It comes in x31 and is a value like any
 * other from then on, so its register is tracked as those of variables are.
 *
 * There is no stack pointer: the private memory of a function has fixed addresses. What tells frames apart is where the
 * code is, since a function lies behind all that it calls, and none calls itself. */
#include "compiler/debug/debug.h"

static uint32_t identity(uint32_t address) { return 4 * (address - ABI_CODE_BASE) + 16; }

struct places_writer {
    struct func *f;
    struct debug_code *d;
    bool begun; /* before, it is where the call has put it */
};

static struct frame_place place_now(const struct func *f, uint32_t word, const bits *facts)
{
    const struct tracked *r = &f->track->list[f->track->link];
    if (!bit_test(facts, (uint32_t)f->track->link)) return (struct frame_place){4 * word, FRAME_LOST, 0};
    if (r->reg == NOREG) return (struct frame_place){4 * word, FRAME_MEMORY, r->slot};
    struct home home = debug_home(f, r->reg);
    return (struct frame_place){4 * word, home.memory ? FRAME_MEMORY : FRAME_REGISTER, home.at};
}

static void at_word(void *user, uint32_t word, const bits *facts)
{
    struct places_writer *w = user;
    struct debug_code *d = w->d;
    struct frame_place now = place_now(w->f, word, facts), *last = d->nlinks ? &d->links[d->nlinks - 1] : NULL;
    w->begun |= now.kind != FRAME_LOST;
    if (!w->begun || (last && last->kind == now.kind && last->number == now.number)) return;
    d->links = cc_grow(w->f->cc, d->links, d->nlinks, &d->links_room, sizeof *d->links);
    d->links[d->nlinks++] = now;
}

void frames_write(struct func *f, struct places_state *state)
{
    struct places_writer w = {.f = f, .d = f->kernel->code.debug};
    if (!f->kernel->is_routine) return;
    if (state) {
        places_walk(state, at_word, &w);
    } else { /* so much code is not looked through */
        w.d->links = cc_alloc(f->cc, sizeof *w.d->links);
        w.d->links[w.d->nlinks++] = (struct frame_place){.kind = FRAME_LOST};
    }
}

/* ---- the section ---- */

/* The registers that a routine writes: no value of its caller survives in them. */
static uint32_t *written(struct cc *cc, const struct isa_registers *r, uint32_t *n)
{
    uint32_t *list = cc_alloc(cc, (ISA_XREGS + ISA_VREGS) * sizeof *list);
    *n = 0;
    for (uint32_t i = 1; i < ISA_XREGS; i++)
        if (i != REG_LINK && r->x >> i & 1) list[(*n)++] = abi_dwarf_x(i);
    for (uint32_t i = 0; i < ISA_VREGS; i++)
        if (r->v[i / 64] >> i % 64 & 1) list[(*n)++] = abi_dwarf_v(i);
    return list;
}

static void add_routine(struct cc *cc, struct bytes *section, uint32_t common, const struct kernel *k)
{
    const struct debug_code *d = k->code.debug;
    struct frame frame = {.common = common,
                          .address = k->address,
                          .bytes = 4 * k->code.nwords,
                          .identity = identity(k->address),
                          .link = REG_LINK,
                          .places = d->links,
                          .nplaces = d->nlinks};
    frame.lost = written(cc, &k->code.written, &frame.nlost);
    frame_add(cc, section, &frame);
}

/* lldb takes registers for lost which no rule is for, when RISC-V's convention says so. */
static uint32_t all_registers(uint32_t list[ISA_XREGS + ISA_VREGS])
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < ISA_XREGS; i++) list[n++] = abi_dwarf_x(i);
    for (uint32_t i = 0; i < ISA_VREGS; i++) list[n++] = abi_dwarf_v(i);
    return n;
}

struct bytes frames_section(struct cc *cc)
{
    struct bytes section = {0};
    uint32_t outermost = frame_common(cc, &section, REG_RA, NULL, 0), start = UINT32_MAX;
    for (uint32_t i = 0; i < cc->nkernels; i++) {
        const struct kernel *k = &cc->kernels[i];
        if (k->address < start) start = k->address;
        frame_add(cc, &section,
                  &(struct frame){.common = outermost,
                                  .address = k->address,
                                  .bytes = 4 * k->code.nwords,
                                  .identity = identity(k->address)});
    }
    for (uint32_t i = 0; i < cc->nroutines; i++)
        if (cc->routines[i].address < start) start = cc->routines[i].address;
    frame_add(cc, &section,
              &(struct frame){.common = outermost,
                              .address = ABI_CODE_BASE,
                              .bytes = start - ABI_CODE_BASE,
                              .identity = identity(ABI_CODE_BASE)});
    if (!cc->nroutines) return section;
    uint32_t same[ISA_XREGS + ISA_VREGS], nsame = all_registers(same);
    uint32_t common = frame_common(cc, &section, REG_LINK, same, nsame);
    for (uint32_t i = 0; i < cc->nroutines; i++) add_routine(cc, &section, common, &cc->routines[i]);
    return section;
}
