/* Relocations of the RISC-V ABI: the words of the program that only the linker can fill in.
 *
 * Called by link.c, when sections have their places, their bytes and their names. */
#include "asm/bytes.h"
#include "asm/linker.h"

#include <stdlib.h>
#include <string.h>

static void patch(uint8_t *p, char letter, int32_t value)
{
    const struct isa_operand *o = isa_operand(letter);
    write32(p, (read32(p) & ~isa_scatter((int32_t)(~0u << o->shift), o)) | isa_scatter(value, o));
}

static bool fits(int64_t v, int bits) { return v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << (bits - 1); }

struct site {
    struct linker *l;
    struct object *o;
    const struct part *part; /* that is changed */
    const Elf32_Rela *highs; /* its relocations of %pcrel_hi, by offset */
    size_t nhighs;
    uint32_t addr; /* of the word */
    uint8_t *bytes;
};

static bool too_far(const struct site *s, int64_t distance)
{
    return link_error(s->l, s->o, "at 0x%08x: the target is %lld bytes away, which is too far", s->addr,
                      (long long)distance);
}

static int by_offset(const void *a, const void *b)
{
    const Elf32_Rela *x = a, *y = b;
    return x->r_offset < y->r_offset ? -1 : x->r_offset > y->r_offset;
}

/* The target of the %pcrel_hi at an address of this section. */
static bool high_target(const struct site *s, uint32_t addr, uint32_t *target)
{
    Elf32_Rela key = {.r_offset = addr - s->part->addr};
    const Elf32_Rela *r = bsearch(&key, s->highs, s->nhighs, sizeof key, by_offset);
    if (!r) return link_error(s->l, s->o, "at 0x%08x: %%pcrel_lo without its %%pcrel_hi", s->addr);
    if (!link_address(s->l, s->o, ELF32_R_SYM(r->r_info), target)) return false;
    *target += (uint32_t)r->r_addend;
    return true;
}

static bool apply_half(const struct site *s, const struct half *target, int64_t distance)
{
    const uint16_t mask = asm_half_bits(target, -1);
    uint16_t half;
    if (distance < -target->reach || distance >= target->reach || distance & 1) return too_far(s, distance);
    memcpy(&half, s->bytes, 2);
    half = (half & ~mask) | asm_half_bits(target, (int32_t)distance);
    memcpy(s->bytes, &half, 2);
    return true;
}

static bool apply(const struct site *s, unsigned type, uint32_t target)
{
    int64_t distance = (int32_t)(target - s->addr);
    uint32_t high;
    switch (type) {
    case R_RISCV_NONE:
    case R_RISCV_RELAX:
    case R_RISCV_ALIGN: return true;
    case R_RISCV_32: write32(s->bytes, target); return true;
    case R_RISCV_ADD32: write32(s->bytes, read32(s->bytes) + target); return true;
    case R_RISCV_SUB32: write32(s->bytes, read32(s->bytes) - target); return true;
    case R_RISCV_BRANCH:
        if (!fits(distance, 13) || distance & 1) return too_far(s, distance);
        patch(s->bytes, 'b', (int32_t)distance);
        return true;
    case R_RISCV_JAL:
        if (!fits(distance, 21) || distance & 1) return too_far(s, distance);
        patch(s->bytes, 'j', (int32_t)distance);
        return true;
    case R_RISCV_RVC_BRANCH:
    case R_RISCV_RVC_JUMP: return apply_half(s, asm_half_relocated(type), distance);
    case R_RISCV_CALL:
    case R_RISCV_CALL_PLT:
        high = ((uint32_t)distance + 0x800) & 0xfffff000;
        patch(s->bytes, 'U', (int32_t)high);
        patch(s->bytes + 4, 'i', (int32_t)((uint32_t)distance - high));
        return true;
    case R_RISCV_PCREL_HI20: patch(s->bytes, 'U', (int32_t)(((uint32_t)distance + 0x800) & 0xfffff000)); return true;
    case R_RISCV_HI20: patch(s->bytes, 'U', (int32_t)((target + 0x800) & 0xfffff000)); return true;
    case R_RISCV_LO12_I: patch(s->bytes, 'i', (int32_t)target); return true;
    case R_RISCV_LO12_S: patch(s->bytes, 'g', (int32_t)target); return true;
    case R_RISCV_PCREL_LO12_I:
    case R_RISCV_PCREL_LO12_S:
        if (!high_target(s, target, &high)) return false;
        patch(s->bytes, type == R_RISCV_PCREL_LO12_I ? 'i' : 'g', (int32_t)(high - target));
        return true;
    default: return link_error(s->l, s->o, "at 0x%08x: relocation type %u is not known", s->addr, type);
    }
}

static bool relocate_one(struct site *s, Elf32_Rela r)
{
    uint32_t target, size = (uint32_t)s->part->header.sh_size;
    unsigned type = ELF32_R_TYPE(r.r_info), room = 4;
    if (type == R_RISCV_CALL || type == R_RISCV_CALL_PLT) room = 8;
    if (asm_half_relocated(type)) room = 2;
    if (type == R_RISCV_NONE || type == R_RISCV_RELAX || type == R_RISCV_ALIGN) return true;
    if (r.r_offset > size || size - r.r_offset < room)
        return link_error(s->l, s->o, "a relocation lies outside its section");
    if (!link_address(s->l, s->o, ELF32_R_SYM(r.r_info), &target)) return false;
    s->addr = s->part->addr + r.r_offset;
    s->bytes = s->l->bytes[s->part->out] + (s->addr - s->l->base[s->part->out]);
    return apply(s, type, target + (uint32_t)r.r_addend);
}

static bool relocate_table(struct linker *l, struct object *o, const struct part *table)
{
    if (table->header.sh_info >= o->nparts) return link_error(l, o, "relocations of a section that is not there");
    const struct part *part = &o->parts[table->header.sh_info];
    size_t count = table->header.sh_size / sizeof(Elf32_Rela), n = 0;
    if (part->out == OUT_NONE) return true; /* of what does not get into the program */
    if (part->out == OUT_BSS) return link_error(l, o, "relocations in .bss");
    Elf32_Rela *highs = link_zeroed(count, sizeof *highs);
    if (!highs) return link_error(l, NULL, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (ELF32_R_TYPE(link_entry(o, table, i).r_info) == R_RISCV_PCREL_HI20) highs[n++] = link_entry(o, table, i);
    qsort(highs, n, sizeof *highs, by_offset);
    struct site s = {.l = l, .o = o, .part = part, .highs = highs, .nhighs = n};
    for (size_t i = 0; i < count && l->errors <= MAX_ERRORS; i++)
        relocate_one(&s, link_entry(o, table, i)); /* all mistakes are told */
    free(highs);
    return !l->errors;
}

bool link_relocate(struct linker *l)
{
    for (size_t k = 0; k < l->nobjects; k++)
        for (size_t i = 1; i < l->objects[k].nparts; i++) {
            struct part *p = &l->objects[k].parts[i];
            if (p->header.sh_type == SHT_REL)
                return link_error(l, &l->objects[k], "relocations without addends are not known");
            if (p->header.sh_type == SHT_RELA) relocate_table(l, &l->objects[k], p);
        }
    return !l->errors;
}
