/* Registers and memory of a work-item as a debugger sees them.
 *
 * A vector register is the work-item's own lane of it. Addresses below 2^24 are its private memory; the window above it
 * (isa/abi.h, ABI_WINDOW) has its registers and ids as memory, because gdb has no numbers for most of them. */
#include <string.h>

#include "debug/parts.h"
#include "isa/abi.h"
#include "sim/layout.h"

/* ---- registers ---- */

static const struct {
    uint16_t number;
    const char *name;
} csrs[] = {
#define CSR(number, NAME, name, access, state, meaning) {number, name},
#include "isa/csr.def"
#undef CSR
};
enum { CSRS = sizeof csrs / sizeof *csrs };

uint32_t register_count(void) { return REG_CSR + CSRS; }

const char *register_name(uint32_t n, char name[16])
{
    static const char *const abi[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "pc"};
    if (n <= REG_PC) return abi[n];
    if (n >= REG_CSR) return csrs[n - REG_CSR].name;
    if (n < REG_X32) snprintf(name, 16, "v%u", n - REG_V);
    else snprintf(name, 16, "x%u", 32 + n - REG_X32);
    return name;
}

static bool read_x(struct item item, uint32_t n, uint32_t *value)
{
    *value = n < item.warp->group->launch->sgprs ? item.warp->x[n] : 0;
    return n < item.warp->group->launch->sgprs;
}

static bool read_v(struct item item, uint32_t n, uint32_t *value)
{
    bool there = n < item.warp->group->launch->vgprs;
    *value = there ? item.warp->v[n][item.lane] : 0;
    return there;
}

/* x0 is there without a work-item, too: lldb finds out with it whether single registers can be read and written, and
 * else writes all of them, also those that it has never read. */
bool register_read(struct item item, uint32_t n, uint32_t *value)
{
    *value = 0;
    if (!n) return true;
    if (n == REG_PC) {
        *value = item_pc(item);
        return true;
    }
    if (!item.warp || n >= register_count()) return false;
    if (n < REG_PC) return read_x(item, n, value);
    if (n < REG_X32) return read_v(item, n - REG_V, value);
    if (n < REG_CSR) return read_x(item, 32 + n - REG_X32, value);
    return warp_csr(item.warp, csrs[n - REG_CSR].number, value);
}

/* Moves all lanes that are active with it. Lanes that wait have a pc of their own, which cannot be moved. */
static bool write_pc(struct item item, uint32_t pc)
{
    if (item_pc(item) == pc) return true;
    if (!(item.warp->mask >> item.lane & 1) || item.warp->state != WARP_READY) return false;
    warp_set_pc(item.warp, pc);
    return true;
}

/* An instruction that has begun cannot be led elsewhere, and relies on its code and control registers. */
static bool is_late(const struct debugger *d, uint32_t n) { return d->begun && (n == REG_PC || n >= REG_CSR); }

bool register_write(const struct debugger *d, struct item item, uint32_t n, uint32_t value)
{
    uint32_t now;
    if (!item.warp || n >= register_count()) return false;
    if (is_late(d, n)) return register_read(item, n, &now) && now == value;
    if (n == REG_PC) return write_pc(item, value);
    if (n < REG_PC) return warp_set_x(item.warp, n, value);
    if (n < REG_X32) return warp_set_v(item.warp, n - REG_V, item.lane, value);
    if (n < REG_CSR) return warp_set_x(item.warp, 32 + n - REG_X32, value);
    return warp_set_csr(item.warp, csrs[n - REG_CSR].number, value);
}

/* ---- the window ---- */

static bool read_id(struct item item, uint32_t n, uint32_t *value)
{
    uint32_t local[3], global[3];
    item_ids(item, local, global);
    if (n >= ABI_WINDOW_GROUP && n < ABI_WINDOW_GROUP + 3) *value = item.warp->group->index[n - ABI_WINDOW_GROUP];
    else if (n >= ABI_WINDOW_LOCAL && n < ABI_WINDOW_LOCAL + 3) *value = local[n - ABI_WINDOW_LOCAL];
    else if (n >= ABI_WINDOW_GLOBAL && n < ABI_WINDOW_GLOBAL + 3) *value = global[n - ABI_WINDOW_GLOBAL];
    else if (n == ABI_WINDOW_LANE) *value = item.lane;
    else if (n == ABI_WINDOW_WARP) *value = item.warp->wid;
    else if (n == ABI_WINDOW_ACTIVE) *value = item.warp->active;
    else return false;
    return true;
}

/* A word of it, by its number. */
static bool window_read(struct item item, uint32_t word, uint32_t *value)
{
    *value = 0;
    if (!item.warp) return false;
    if (word < ABI_WINDOW_X) return read_v(item, word - ABI_WINDOW_V, value);
    if (word < ABI_WINDOW_IDS) return read_x(item, word - ABI_WINDOW_X, value);
    if (word < ABI_WINDOW_CSR) return read_id(item, word - ABI_WINDOW_IDS, value);
    if (word < ABI_WINDOW_LANES) return warp_csr(item.warp, word - ABI_WINDOW_CSR, value);
    struct item other = {item.warp, (word - ABI_WINDOW_LANES) % ISA_LANES};
    return read_v(other, (word - ABI_WINDOW_LANES) / ISA_LANES, value);
}

static bool window_write(const struct debugger *d, struct item item, uint32_t word, uint32_t value)
{
    if (!item.warp) return false;
    if (word < ABI_WINDOW_X) return warp_set_v(item.warp, word - ABI_WINDOW_V, item.lane, value);
    if (word < ABI_WINDOW_IDS) return warp_set_x(item.warp, word - ABI_WINDOW_X, value);
    if (word < ABI_WINDOW_CSR) return false;
    if (word < ABI_WINDOW_LANES) return !d->begun && warp_set_csr(item.warp, word - ABI_WINDOW_CSR, value);
    uint32_t at = word - ABI_WINDOW_LANES;
    return warp_set_v(item.warp, at / ISA_LANES, at % ISA_LANES, value);
}

static bool in_window(uint64_t addr) { return addr - ABI_WINDOW < ABI_WINDOW_BYTES; }

/* ---- memory ---- */

/* Where the byte is in memory. False: nowhere. */
static bool device_address(struct item item, uint64_t addr, uint64_t *at)
{
    *at = addr;
    if (!private_is_flat(addr)) return true;
    if (!item.warp || addr >= item.warp->group->launch->pds_bytes) return false;
    *at = private_address(item.warp, addr, item.lane);
    return true;
}

static const uint8_t *byte_at(const struct debugger *d, struct item item, uint64_t addr)
{
    uint64_t at;
    if (!device_address(item, addr, &at)) return NULL;
    if (item.warp) return warp_memory(item.warp, at, 1);
    return at <= UINT32_MAX ? gpu_mem(d->gpu, (uint32_t)at, 1) : NULL;
}

static bool read_byte(const struct debugger *d, struct item item, uint64_t addr, uint8_t *byte)
{
    uint32_t word;
    if (in_window(addr)) {
        if (!window_read(item, (uint32_t)(addr - ABI_WINDOW) / 4, &word)) return false;
        *byte = (uint8_t)(word >> addr % 4 * 8);
        return true;
    }
    const uint8_t *from = byte_at(d, item, addr);
    if (from) *byte = *from;
    return from;
}

uint32_t memory_read(const struct debugger *d, struct item item, uint64_t addr, void *bytes, uint32_t n)
{
    uint32_t done = 0;
    while (done < n && read_byte(d, item, addr + done, (uint8_t *)bytes + done)) done++;
    return done;
}

/* Between launches, what the device has open. */
static bool write_device(const struct debugger *d, uint64_t addr, uint8_t byte)
{
    uint8_t *to = addr <= UINT32_MAX ? gpu_mem(d->gpu, (uint32_t)addr, 1) : NULL;
    bool data = to && addr - ABI_CODE_BASE >= ABI_CODE_LIMIT - ABI_CODE_BASE;
    if (!data) return false;
    history_write(d->history, NULL, addr, 1);
    *to = byte;
    return true;
}

/* The instruction that has begun may be there, whatever its address is called with SV39. */
static bool is_code_in_use(const struct debugger *d, struct item item, uint64_t addr)
{
    return d->begun && item.warp && warp_memory_is_code(item.warp, addr);
}

static bool write_byte(const struct debugger *d, struct item item, uint64_t addr, uint8_t byte)
{
    uint64_t at;
    uint32_t word;
    if (in_window(addr)) {
        uint32_t number = (uint32_t)(addr - ABI_WINDOW) / 4, shift = (uint32_t)(addr % 4 * 8);
        if (!window_read(item, number, &word)) return false;
        return window_write(d, item, number, (word & ~(0xffu << shift)) | (uint32_t)byte << shift);
    }
    if (!device_address(item, addr, &at) || is_code_in_use(d, item, at)) return false;
    return item.warp ? warp_set_memory(item.warp, at, &byte, 1) : write_device(d, at, byte);
}

bool memory_write(const struct debugger *d, struct item item, uint64_t addr, const void *bytes, uint32_t n)
{
    uint32_t done = 0;
    while (done < n && write_byte(d, item, addr + done, ((const uint8_t *)bytes)[done])) done++;
    return done == n;
}
