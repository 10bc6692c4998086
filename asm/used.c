/* Registers that a text uses: what its kernels ask for when nobody says a number.
 *
 * Called by the assembler and the linker for module notes. */
#include "asm/used.h"

#include "isa/abi.h"
#include "isa/effects.h"

static uint32_t at_most(uint32_t n, uint32_t limit) { return n < limit ? n : limit; }

void asm_used_registers(enum isa_profile profile, const uint32_t *text, size_t nwords, uint32_t *vgprs, uint32_t *sgprs)
{
    unsigned v = 1, x = 32; /* the start code's ABI registers are there in any case */
    struct insn in;
    for (size_t i = 0; i < nwords; i += in.size / 4u) {
        if (!isa_decode_in(profile, text + i, nwords - i, &in)) continue;
        struct isa_effects e = isa_effects(&in, ISA_LANES);
        if (e.v > v) v = e.v;
        if (e.x > x) x = e.x;
    }
    *sgprs = at_most(abi_registers(x), ISA_XREGS);
    *vgprs = at_most(abi_registers(v), ISA_VREGS);
}
