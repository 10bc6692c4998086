/* How long the special-function unit takes: from its taking an operation to write-back (section 7). */
#include "timing/model.h"

enum { BASE = 2, DIVIDE = 5, LESS = 3, TRIVIAL = 2 };

static unsigned leading_zeros(uint32_t n) { return n ? (unsigned)__builtin_clz(n) : 32; }

static uint32_t magnitude(uint32_t n, bool is_signed) { return is_signed && n >> 31 ? -n : n; }

/* Cycles that one integer division adds. */
static uint32_t divide(uint32_t dividend, uint32_t divisor, bool is_signed)
{
    if (!divisor || (is_signed && dividend == 1u << 31 && divisor == ~0u)) return TRIVIAL;
    uint32_t a = magnitude(dividend, is_signed), b = magnitude(divisor, is_signed);
    if (a < b) return LESS;
    unsigned k = leading_zeros(b) - leading_zeros(a);
    return DIVIDE + (k == 31 ? 0 : k);
}

static uint32_t value(const struct warp *w, uint16_t reg, unsigned lane)
{
    return reg == NO_REGISTER ? 0 : reg < 256 ? w->x[reg] : w->v[reg - 256][lane];
}

static uint32_t lane_cycles(const struct op *op, const struct warp *w, unsigned lane, uint32_t of_float)
{
    const char *name = isa_table[op->in.op].name;
    bool is_signed = name[0] == 'v' ? name[4] != 'u' : name[3] != 'u';
    if (op->class == C_FLOAT_SLOW) return of_float;
    if (op->destination < 256) return divide(value(w, op->source[0], lane), value(w, op->source[1], lane), is_signed);
    return divide(value(w, op->source[1], lane), value(w, op->source[0], lane), is_signed);
}

uint32_t sfu_cycles(const struct core *c, const struct op *op, const struct warp *w)
{
    const struct timing_config *config = &c->model->config;
    unsigned lanes = c->model->lanes, width = lanes / config->sfu_divisor;
    uint32_t active = op->destination < 256 ? 1 : op->in.vm ? w->active : w->active & w->v[0][0], sum = BASE;
    if (!width) width = 1;
    for (unsigned first = 0; first < lanes; first += width) {
        uint32_t longest = 0;
        for (unsigned i = first; i < first + width && i < ISA_LANES; i++) {
            uint32_t n = active >> i & 1 ? lane_cycles(op, w, i, config->sfu_float) : 0;
            if (n > longest) longest = n;
        }
        sum += longest;
    }
    return sum > BASE ? sum : BASE + 1;
}
