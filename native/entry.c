/* Guards of translated code. */
#include "native/entry.h"

#include <stdbool.h>
#include <string.h>

#include "isa/abi.h"
#include "sim/lane.h"
#include "sim/machine.h"

static bool lanes_hold(const uint32_t *v, const struct entry_check *c)
{
    const uint32_t within = c->period - 1u;
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < ISA_LANES; i++) {
        const uint32_t bits = v[i];
        if (!(c->lanes >> i & 1)) continue;
        if (c->number && (bits & 0x7fffffff) > 0x7f800000) wrong |= bits ^ F_NAN;
        wrong |= bits & (uint32_t) ~(0xffffffffull >> c->zeros);
        if (c->repeat) wrong |= bits ^ v[i & (c->repeat - 1u)];
        if (!c->period) continue;
        const uint32_t first = v[i & ~within];
        wrong |= (bits ^ ((i & within) * c->value + first)) | ((first ^ c->first) & c->mask);
    }
    return !wrong;
}

static uint32_t word_of_metadata(const struct warp *w, uint32_t at)
{
    uint32_t bits;
    memcpy(&bits, w->group->sm->mem + w->group->launch->knl + at, sizeof bits);
    return bits;
}

uint32_t entry_holds(const struct warp *w, const struct entry_check *c)
{
    for (;; c++) {
        switch ((enum entry_check_kind)c->kind) {
        case CHECK_END: return 1;
        case CHECK_NEVER: return 0;
        case CHECK_SCALAR:
            if ((w->x[c->reg] ^ c->value) & c->mask) return 0;
            break;
        case CHECK_KNL:
            if (w->x[c->reg] != w->group->launch->knl) return 0;
            break;
        case CHECK_ARGS:
            if (w->x[c->reg] != word_of_metadata(w, ABI_META_ARGS)) return 0;
            break;
        case CHECK_ENTRY:
            if (word_of_metadata(w, ABI_META_ENTRY) != c->value) return 0;
            break;
        case CHECK_LANES:
            if (!lanes_hold(w->v[c->reg], c)) return 0;
        }
    }
}
