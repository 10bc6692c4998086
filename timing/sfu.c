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

/* Division by and of zero, infinity and what is no number needs no steps; neither does the root of what is negative. */
static bool is_special(uint32_t n, bool root)
{
    uint32_t size = n & 0x7fffffff;
    return size == 0 || size >= 0x7f800000 || (root && n >> 31);
}

static uint32_t float_cycles(const struct op *op, const struct warp *w, unsigned lane,
                             const struct timing_config *config)
{
    bool root = op->source[0] == NO_REGISTER || op->source[1] == NO_REGISTER;
    for (int i = 0; i < 2; i++)
        if (op->source[i] != NO_REGISTER && is_special(value(w, op->source[i], lane), root)) return config->sfu_special;
    return config->sfu_float;
}

static uint32_t lane_cycles(const struct op *op, const struct warp *w, unsigned lane,
                            const struct timing_config *config)
{
    const char *name = isa_table[op->in.op].name;
    bool is_signed = name[0] == 'v' ? name[4] != 'u' : name[3] != 'u';
    if (op->class == C_FLOAT_SLOW) return float_cycles(op, w, lane, config);
    if (op->destination < 256) return divide(value(w, op->source[0], lane), value(w, op->source[1], lane), is_signed);
    return divide(value(w, op->source[1], lane), value(w, op->source[0], lane), is_signed);
}

/* Lanes `first` to `first` + `n` - 1 together: all of them, also those that are not active. */
static uint32_t group_cycles(const struct core *c, const struct op *op, const struct warp *w, unsigned first,
                             unsigned n)
{
    uint32_t longest = 0;
    for (unsigned lane = first; lane < first + n && lane < ISA_LANES; lane++) {
        uint32_t cycles = lane_cycles(op, w, lane, &c->model->config);
        if (cycles > longest) longest = cycles;
    }
    return longest;
}

/* Groups of lanes one after another, those without an active lane left out but for the first, which is computed when no
 * lane is active at all. */
uint32_t sfu_cycles(const struct core *c, const struct op *op, const struct warp *w)
{
    unsigned lanes = w->group->launch->threads_per_warp, width = lanes / c->model->config.sfu_divisor;
    bool scalar = op->destination < 256;
    uint32_t active = scalar ? 1 : op->in.vm ? w->active : w->active & warp_v0(w), sum = BASE;
    if (!width || scalar) width = 1;
    if (!active) active = 1;
    uint32_t group = width >= 32 ? ~0u : (1u << width) - 1;
    for (unsigned first = 0; first < lanes; first += width)
        if (active >> first & group) sum += group_cycles(c, op, w, first, width);
    return sum;
}
