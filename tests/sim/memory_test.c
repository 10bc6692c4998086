/* Every memory row of every revision against formulas written here: behind each memory prefix, with 32 and
 * 64-bit addresses, with 4 to 32 lanes and two warps. Scalar atomics and reservations, what faults name, and
 * what observers see. The model knows nothing but the documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "guest.h"
#include "sim/machine.h"

enum {
    PLAIN_BYTES = 0x4000, /* of GUEST_DATA: targets of plain and global accesses, ... */
    PDS = 0x4000,         /* ... private memory, ... */
    PDS_ITEM = 256,       /* ... of this many bytes for a work-item, ... */
    PARAMETERS = 0xc000,  /* ... what the program loads into registers, ... */
    DUMP = 0xe000,        /* ... and where it writes them back, ... */
    DUMP_WARP = 0x800,    /* ... each warp for itself */
    LDS_BYTES = 4096,
    LDS_USED = 1024,
    WARPS = 2,
};

static void assert_done(const struct guest *g)
{
    char text[300];
    fault_print(&g->result.fault, text, sizeof text);
    if (g->result.status != LAUNCH_DONE) fail_msg("status %d: %s", (int)g->result.status, text);
}

static void open_profile(struct guest *g, enum isa_profile profile)
{
    struct gpu_config config;
    gpu_config_default(&config);
    config.profile = profile;
    config.host_threads = 1; /* on several, a reservation does not see a store of the same value by another SM */
    guest_open_config(g, &config);
}

static void assemble(struct guest *g, const char *source)
{
    struct asm_options options = {.profile = (enum isa_profile)gpu_config_of(g->gpu)->profile};
    struct elf_image image;
    if (!asm_assemble_with(&options, "test", source, strlen(source), ABI_CODE_BASE, &image, stderr))
        fail_msg("%.200s", source);
    guest_code(g, image.text, image.text_words);
    elf_free(&image);
}

/* ---- rows: what the mnemonic says ---- */

enum from { X, V, P, D, GLOBAL, LOCAL, PRIVATE, UNIT, STRIDED, INDEXED };

struct row {
    enum isa_op op;
    bool store;
    unsigned bytes, index;
    bool sign;
    enum from from;
    bool wide_address;
};

// clang-format off
static const struct { const char *suffix; unsigned bytes; bool sign; } types[] = {
    {"w", 4, false}, {"h", 2, true}, {"b", 1, true}, {"hu", 2, false}, {"bu", 1, false},
};

/* Families of mnemonics, %s being the type; stores exist for the first three types. */
static const struct { const char *name; enum from from; } families[] = {
    {"%c%s", X},  {"v%c%s12.v", V}, {"v%c%s.v", P}, {"v%c%s12d.v", D},
    {"v%c%s_global.v", GLOBAL}, {"v%c%s_local.v", LOCAL}, {"v%c%s_private.v", PRIVATE},
};
static const struct { const char *name; enum from from; } vector_families[] = {
    {"v%ce%u.v", UNIT}, {"v%cse%u.v", STRIDED}, {"v%cuxei%u.v", INDEXED}, {"v%coxei%u.v", INDEXED},
};
// clang-format on

static struct row rows[128];
static unsigned nrows;

static void add_row(enum isa_profile profile, const char *name, struct row row)
{
    row.op = isa_find_in(profile, name);
    if (row.op != OP_INVALID) rows[nrows++] = row;
}

static void add_families(enum isa_profile profile)
{
    char name[32];
    for (unsigned f = 0; f < sizeof families / sizeof *families; f++)
        for (unsigned t = 0; t < 5; t++)
            for (unsigned store = 0; store < 1 + (t < 3); store++) {
                enum from from = families[f].from;
                snprintf(name, sizeof name, families[f].name, store ? 's' : 'l', types[t].suffix);
                add_row(profile, name,
                        (struct row){.store = store,
                                     .bytes = types[t].bytes,
                                     .sign = types[t].sign,
                                     .from = from,
                                     .wide_address = from == D});
            }
    for (unsigned f = 0; f < 4; f++)
        for (unsigned bits = 8; bits <= 32; bits *= 2)
            for (unsigned store = 0; store < 2; store++) {
                bool indexed = vector_families[f].from == INDEXED;
                snprintf(name, sizeof name, vector_families[f].name, store ? 's' : 'l', bits);
                add_row(profile, name,
                        (struct row){.store = store,
                                     .bytes = indexed ? 4 : bits / 8,
                                     .index = bits / 8,
                                     .sign = !indexed && bits < 32,
                                     .from = vector_families[f].from});
            }
    add_row(profile, "ld", (struct row){.bytes = 4, .from = X, .wide_address = true});
    add_row(profile, "sd", (struct row){.store = true, .bytes = 4, .from = X, .wide_address = true});
    add_row(profile, "flw", (struct row){.bytes = 4, .from = X});
    add_row(profile, "fsw", (struct row){.store = true, .bytes = 4, .from = X});
}

/* Every row of the profile that accesses memory is in the list, atomics apart. */
static void assert_complete(enum isa_profile profile)
{
    unsigned expected = 0;
    for (unsigned op = 1; op < OP_COUNT; op++) {
        const struct isa_desc *d = &isa_table[op];
        bool atomic = !strncmp(d->name, "amo", 3) || !strncmp(d->name, "lr.", 3) || !strncmp(d->name, "sc.", 3);
        if ((d->revisions & profile) && d->unit == UNIT_LSU && !atomic && strncmp(d->name, "fence", 5)) expected++;
    }
    assert_int_equal(nrows, expected);
}

/* ---- one experiment ---- */

struct experiment {
    enum isa_profile profile;
    struct row row;
    struct insn in;
    unsigned space, words; /* of the prefix; words: one, or as many as it says */
    bool wide;             /* 64-bit address */
    uint32_t x[64];
    uint32_t v[WARPS][64][32];
    uint32_t threads, items;
    uint32_t lds, gds;
    uint8_t data[GUEST_BYTES], local[LDS_BYTES];
};
static struct experiment e;

enum { DATA_A = 8, DATA_B = 40, ADDRESS = 12, INDEX = 14, XDATA_A = 20, XDATA_B = 40, XADDRESS = 24, XSTRIDE = 26 };
static const uint8_t loaded[] = {0, 8, 9, 10, 11, 12, 13, 14, 15, 40, 41, 42, 43};
static const uint8_t dumped[] = {8, 9, 10, 11, 40, 41, 42, 43};
static const uint8_t xdumped[] = {20, 21, 22, 23, 40, 41, 42, 43};

static bool is_scalar(void) { return e.row.from == X; }

/* Indices and strides, which are no pairs: behind regpair in registers of odd numbers. */
static unsigned odd(void) { return isa_table[e.in.prefix].flags & ISA_EVEN ? 1 : 0; }
static uint32_t *indices(unsigned warp) { return e.v[warp][INDEX + odd()]; }
static uint32_t *stride(void) { return &e.x[XSTRIDE + odd()]; }

/* The space that lane `lane` of a warp accesses, given its base address: 0 plain, 1 global, 2 private, 3 local. */
static unsigned space_of(uint64_t base)
{
    if (e.space) return e.space;
    switch (e.row.from) {
    case P:
    case PRIVATE: return 2;
    case GLOBAL: return 1;
    case LOCAL: return 3;
    case V: return e.profile == PROFILE_R2025 && base < 0x1000000 ? 2 : 0;
    default: return 0;
    }
}

static uint32_t private_place(uint64_t o, unsigned warp, unsigned lane)
{
    uint64_t word = o / 4, byte = o % 4;
    if (e.profile == PROFILE_R2025)
        return (uint32_t)(GUEST_DATA + PDS + warp * e.threads * PDS_ITEM + (word * e.threads + lane) * 4 + byte);
    return (uint32_t)(GUEST_DATA + PDS + (word * e.threads * WARPS + warp * e.threads + lane) * 4 + byte);
}

static uint64_t base_of(unsigned warp, unsigned lane)
{
    bool vector = e.row.from <= PRIVATE && e.row.from != X;
    uint64_t low = vector ? e.v[warp][ADDRESS][lane] : e.x[XADDRESS],
             high = vector ? e.v[warp][ADDRESS + 1][lane] : e.x[XADDRESS + 1];
    return e.wide ? high << 32 | low : low;
}

static uint64_t lane_offset(unsigned warp, unsigned lane)
{
    static const uint64_t masks[] = {0, 0xff, 0xffff, 0, 0xffffffff};
    switch (e.row.from) {
    case UNIT: return (uint64_t)lane * e.row.bytes;
    case STRIDED: return lane * (uint64_t)(int64_t)(int32_t)*stride();
    case INDEXED: return indices(warp)[lane] & masks[e.row.index];
    default: return (uint64_t)(int64_t)e.in.imm;
    }
}

static uint32_t target(unsigned warp, unsigned lane, unsigned word)
{
    uint64_t base = base_of(warp, lane), o = base + lane_offset(warp, lane) + 4 * word;
    if (!e.wide) o = (uint32_t)o;
    switch (space_of(base)) {
    case 1: return (uint32_t)(o + e.gds);
    case 2: return private_place(o, warp, lane);
    case 3: return (uint32_t)(o + e.lds);
    default: return (uint32_t)o;
    }
}

static uint8_t *model_byte(uint32_t addr)
{
    if (addr - GUEST_DATA < GUEST_BYTES) return &e.data[addr - GUEST_DATA];
    assert_true(addr - ABI_LOCAL_BASE < LDS_BYTES);
    return &e.local[addr - ABI_LOCAL_BASE];
}

static uint32_t model_load(uint32_t addr)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < e.row.bytes; i++) value |= (uint32_t)*model_byte(addr + i) << (8 * i);
    if (e.row.sign && e.row.bytes == 2) return (uint32_t)(int16_t)value;
    if (e.row.sign && e.row.bytes == 1) return (uint32_t)(int8_t)value;
    return value;
}

static void model_store(uint32_t addr, uint32_t value)
{
    for (unsigned i = 0; i < e.row.bytes; i++) *model_byte(addr + i) = (uint8_t)(value >> (8 * i));
}

static bool takes_part(unsigned warp, unsigned lane)
{
    uint32_t bit = isa_is_document(e.profile) ? e.v[warp][0][lane] : e.v[warp][0][0] >> lane;
    bool masked = !e.in.vm && !(bit & 1);
    return lane < e.threads && warp * e.threads + lane < e.items && !masked;
}

static unsigned data_register(void) { return e.row.store ? (e.row.from >= UNIT ? e.in.rs3 : e.in.rs2) : e.in.rd; }

static void model_lane(unsigned warp, unsigned lane, uint32_t result[4])
{
    for (unsigned k = 0; k < e.words; k++) {
        unsigned reg = data_register() + k;
        uint32_t value = is_scalar() ? e.x[reg] : e.v[warp][reg][lane];
        if (e.row.store) model_store(target(warp, lane, k), value);
        else result[k] = model_load(target(warp, lane, k));
    }
}

/* The x registers are the same in both warps before; a scalar load writes them. */
static void model_warp(unsigned warp, uint32_t x[64])
{
    uint32_t result[32][4];
    memcpy(x, e.x, sizeof e.x);
    for (unsigned lane = 0; lane < (is_scalar() ? 1 : 32); lane++) {
        if (!is_scalar() && !takes_part(warp, lane)) continue;
        model_lane(warp, lane, result[lane]);
    }
    for (unsigned lane = 0; lane < 32 && !e.row.store; lane++)
        for (unsigned k = 0; k < e.words; k++) {
            if (is_scalar() && lane == 0) x[data_register() + k] = result[0][k];
            if (!is_scalar() && takes_part(warp, lane)) e.v[warp][data_register() + k][lane] = result[lane][k];
        }
}

/* ---- random operands that stay inside the memory there is ---- */

static uint32_t below(uint32_t n) { return guest_random() % n; }

/* A base address for which the lane's access (all its words) is where it may be; the inverse of target(). */
static uint64_t choose_base(uint64_t offset, uint32_t span)
{
    unsigned space = space_of(UINT64_MAX);
    if (e.row.from == V && !e.space && e.profile == PROFILE_R2025 && below(2)) space = 2;
    uint32_t room = 0;
    uint64_t start = 0, align = space == 2 ? e.row.bytes : 1;
    switch (space) {
    case 0: start = below(4) ? GUEST_DATA : ABI_LOCAL_BASE, room = start == GUEST_DATA ? PLAIN_BYTES : LDS_USED; break;
    case 1: start = (uint64_t)GUEST_DATA - e.gds, room = PLAIN_BYTES; break;
    case 2: start = 0, room = PDS_ITEM; break;
    case 3: start = (uint64_t)ABI_LOCAL_BASE - e.lds, room = LDS_USED; break;
    }
    assert_true(room > span + 16);
    return start + below((room - span - 16) / (uint32_t)align + 1) * align - offset;
}

static void choose_vector_bases(void)
{
    for (unsigned w = 0; w < WARPS; w++)
        for (unsigned lane = 0; lane < 32; lane++) {
            uint64_t base = choose_base(lane_offset(w, lane), 0);
            e.v[w][ADDRESS][lane] = (uint32_t)base;
            if (e.wide) e.v[w][ADDRESS + 1][lane] = (uint32_t)(base >> 32);
        }
}

/* Indices below 128, on words; what an index of 8 or 16 bits does not use is random. */
static void choose_indices(void)
{
    static const uint32_t unused[] = {0, 0xffffff00, 0xffff0000, 0, 0};
    for (unsigned w = 0; w < WARPS; w++)
        for (unsigned lane = 0; lane < 32; lane++)
            indices(w)[lane] = (indices(w)[lane] & unused[e.row.index]) | below(32) * 4;
}

/* Returns the bytes that the lanes cover, and where the first one is in them. */
static uint32_t choose_stride(uint32_t *first)
{
    static const uint32_t strides[] = {0, 1, 2, 4, 8, 16, 3, 5};
    uint32_t bytes = e.space == 2 ? 4 : strides[below(8)];
    bool down = below(4) == 0;
    *stride() = down ? 0u - bytes : bytes;
    *first = down ? 32 * bytes : 0;
    return 32 * bytes;
}

/* One base for all lanes. */
static void choose_scalar_base(void)
{
    uint32_t span = 0, first = 0;
    if (e.row.from == UNIT) span = 32 * e.row.bytes;
    if (e.row.from == STRIDED) span = choose_stride(&first);
    if (e.row.from == INDEXED) choose_indices(), span = 128;
    uint64_t base = choose_base(is_scalar() ? (uint64_t)(int64_t)e.in.imm : 0, span) + first;
    e.x[XADDRESS] = (uint32_t)base;
    if (e.wide) e.x[XADDRESS + 1] = (uint32_t)(base >> 32);
}

/* The register operands, by their letters. */
static void choose_registers(void)
{
    bool high = below(2);
    unsigned data = is_scalar() ? (high ? XDATA_B : XDATA_A) : high ? DATA_B : DATA_A;
    bool vector_base = e.row.from <= PRIVATE && !is_scalar();
    if ((isa_table[e.in.prefix].flags & ISA_EVEN) && e.row.bytes < 4) data++;
    e.in.rs1 = vector_base ? ADDRESS : XADDRESS;
    if (e.row.from == STRIDED) e.in.rs2 = (uint8_t)(XSTRIDE + odd());
    if (e.row.from == INDEXED) e.in.rs2 = (uint8_t)(INDEX + odd());
    if (!e.row.store) e.in.rd = (uint8_t)data;
    else if (e.row.from >= UNIT) e.in.rs3 = (uint8_t)data;
    else e.in.rs2 = (uint8_t)data;
}

static void choose(struct guest *g, enum isa_profile profile, const struct row *row, enum isa_op prefix, bool pair)
{
    unsigned flags = isa_table[prefix].flags, width = flags >> ISA_WIDTH_SHIFT & 3;
    e.profile = profile;
    e.row = *row;
    e.space = flags >> ISA_SPACE_SHIFT & 3;
    e.words = row->bytes == 4 ? width + 1 : 1;
    bool even = flags & ISA_EVEN; /* addresses and words are in registers of even numbers */
    if (even && row->bytes == 4) e.words = 2;
    e.wide = pair || even || row->wide_address;
    e.in = (struct insn){.op = (uint16_t)row->op,
                         .prefix = (uint16_t)prefix,
                         .pair = pair,
                         .hint = prefix ? (uint8_t)below(16) : 0,
                         .vm = 1};
    if (row->from >= UNIT && below(3) == 0) e.in.vm = 0;
    if (row->from < UNIT) e.in.imm = (int32_t)below(row->from == P ? 2048 : 4096) - (row->from == P ? 1024 : 2048);
    if (row->from == V && profile == PROFILE_R2025 && e.in.imm > 0)
        e.in.imm = -e.in.imm; /* a base below 2^24 is private */
    if (row->from < UNIT && row->bytes > 1)
        e.in.imm &= ~(int32_t)(row->bytes - 1); /* private offsets stay on their words */
    e.threads = 4u << below(4);
    e.items = WARPS * e.threads - below(e.threads);
    e.lds = ABI_LOCAL_BASE;
    e.gds = below(2) ? guest_random() & ~3u : 0;
    for (unsigned i = 1; i < 64; i++) e.x[i] = guest_random();
    for (unsigned w = 0; w < WARPS; w++)
        for (unsigned i = 0; i < 64; i++)
            for (unsigned lane = 0; lane < 32; lane++) e.v[w][i][lane] = guest_random();
    choose_registers();
    if (e.row.from == X || e.row.from >= UNIT) choose_scalar_base();
    else choose_vector_bases();
    g->launch.warps = WARPS;
    g->launch.threads_per_warp = e.threads;
    g->launch.work_items = e.items;
    g->launch.pds_base = GUEST_DATA + PDS;
    g->launch.pds_bytes = PDS_ITEM;
    g->launch.csr_gds = e.gds;
}

/* ---- the program: registers from memory, the instruction, registers to memory ---- */

static uint32_t code[1024];
static unsigned ncode;

static void emit_as_is(struct insn in)
{
    const char *why = "";
    unsigned n = isa_encode(&in, code + ncode, &why);
    if (!n) fail_msg("%s: %s", isa_table[in.op].name, why);
    ncode += n;
}

static void emit(struct insn in)
{
    in.vm = 1;
    emit_as_is(in);
}

static void emit_li(unsigned rd, uint32_t value)
{
    int32_t low = (int32_t)(value << 20) >> 20;
    emit((struct insn){.op = OP_LUI, .rd = (uint8_t)rd, .imm = (int32_t)(value - (uint32_t)low)});
    emit((struct insn){.op = OP_ADDI, .rd = (uint8_t)rd, .rs1 = (uint8_t)rd, .imm = low});
}

static void emit_rows(const uint8_t *list, unsigned n, bool store)
{
    for (unsigned i = 0; i < n; i++) {
        emit((struct insn){
            .op = store ? OP_VSE32_V : OP_VLE32_V, .rd = store ? 0 : list[i], .rs3 = store ? list[i] : 0, .rs1 = 6});
        emit((struct insn){.op = OP_ADDI, .rd = 6, .rs1 = 6, .imm = 128});
    }
}

/* x6 = GUEST_DATA + at + CSR_WID * step */
static void emit_pointer(uint32_t at, uint32_t step)
{
    emit((struct insn){.op = OP_CSRRS, .rd = 6, .aux = CSR_WID});
    emit_li(7, step);
    emit((struct insn){.op = OP_MUL, .rd = 6, .rs1 = 6, .rs2 = 7});
    emit_li(7, GUEST_DATA + at);
    emit((struct insn){.op = OP_ADD, .rd = 6, .rs1 = 6, .rs2 = 7});
}

/* The first warp fills local memory from the beginning of data. */
static void emit_fill_local(void)
{
    emit((struct insn){.op = OP_CSRRS, .rd = 6, .aux = CSR_WID});
    emit((struct insn){.op = OP_BNE, .rs1 = 6, .rs2 = 0, .imm = 4 * (3 + 6)});
    emit((struct insn){.op = OP_LUI, .rd = 5, .imm = (int32_t)GUEST_DATA});
    emit((struct insn){.op = OP_LUI, .rd = 7, .imm = ABI_LOCAL_BASE});
    unsigned loop = ncode;
    emit((struct insn){.op = OP_LW, .rd = 8, .rs1 = 5});
    emit((struct insn){.op = OP_SW, .rs2 = 8, .rs1 = 7});
    emit((struct insn){.op = OP_ADDI, .rd = 5, .rs1 = 5, .imm = 4});
    emit((struct insn){.op = OP_ADDI, .rd = 7, .rs1 = 7, .imm = 4});
    emit((struct insn){.op = OP_ANDI, .rd = 8, .rs1 = 5, .imm = LDS_USED - 1});
    emit((struct insn){.op = OP_BNE, .rs1 = 8, .rs2 = 0, .imm = ((int32_t)loop - (int32_t)ncode) * 4});
}

static void build_program(struct guest *g)
{
    ncode = 0;
    emit_fill_local();
    emit_pointer(PARAMETERS + 0x100, sizeof loaded * 128);
    emit_rows(loaded, sizeof loaded, false);
    emit_li(5, GUEST_DATA + PARAMETERS);
    for (unsigned i = 8; i < 64; i++)
        emit((struct insn){.op = OP_LW, .rd = (uint8_t)i, .rs1 = 5, .imm = (int32_t)(4 * i)});
    emit_as_is(e.in);
    emit_pointer(DUMP, DUMP_WARP);
    emit_rows(dumped, sizeof dumped, true);
    for (unsigned i = 0; i < sizeof xdumped; i++)
        emit((struct insn){.op = OP_SW, .rs2 = xdumped[i], .rs1 = 6, .imm = (int32_t)(4 * i)});
    emit((struct insn){.op = OP_ENDPRG});
    guest_code(g, code, ncode);
}

static void put_parameters(void)
{
    memcpy(e.data + PARAMETERS, e.x, 4 * 64);
    for (unsigned w = 0; w < WARPS; w++)
        for (unsigned i = 0; i < sizeof loaded; i++)
            memcpy(e.data + PARAMETERS + 0x100 + (w * sizeof loaded + i) * 128, e.v[w][loaded[i]], 128);
}

/* What the machine dumped must be what the model has; then the rest of memory must be equal too. */
static void compare(struct guest *g, uint32_t x[WARPS][64])
{
    char text[160];
    uint8_t *dump = (uint8_t *)g->data + DUMP;
    isa_print(&e.in, 0, 0, text, sizeof text);
    for (unsigned w = 0; w < WARPS; w++, dump += DUMP_WARP) {
        const uint32_t *word = (const uint32_t *)dump;
        for (unsigned i = 0; i < sizeof dumped; i++)
            for (unsigned lane = 0; lane < 32; lane++)
                if (lane < e.threads && w * e.threads + lane < e.items &&
                    word[i * 32 + lane] != e.v[w][dumped[i]][lane])
                    fail_msg("%s: warp %u v%u[%u] is %08x, not %08x", text, w, dumped[i], lane, word[i * 32 + lane],
                             e.v[w][dumped[i]][lane]);
        for (unsigned i = 0; i < sizeof xdumped; i++)
            if (word[sizeof dumped * 32 + i] != x[w][xdumped[i]])
                fail_msg("%s: warp %u x%u is %08x, not %08x", text, w, xdumped[i], word[sizeof dumped * 32 + i],
                         x[w][xdumped[i]]);
    }
    const uint8_t *local = gpu_mem(g->gpu, ABI_LOCAL_BASE, LDS_BYTES);
    assert_non_null(local);
    const bool same = !memcmp(g->data, e.data, DUMP) && !memcmp(local, e.local, LDS_BYTES);
    for (unsigned i = 0; i < DUMP && !same; i++)
        if (((uint8_t *)g->data)[i] != e.data[i])
            fail_msg("%s: byte 0x%x of data is %02x, not %02x", text, i, ((uint8_t *)g->data)[i], e.data[i]);
    for (unsigned i = 0; i < LDS_BYTES && !same; i++)
        if (local[i] != e.local[i])
            fail_msg("%s: byte 0x%x of local memory is %02x, not %02x", text, i, local[i], e.local[i]);
}

/* Random numbers take as long as all the rest: they are made once, and each time from another place on. */
static void fill_data(void)
{
    static uint32_t numbers[2 * GUEST_BYTES / 4];
    while (!numbers[0])
        for (unsigned i = 0; i < sizeof numbers / 4; i++) numbers[i] = guest_random();
    memcpy(e.data, numbers + guest_random() % (GUEST_BYTES / 4), GUEST_BYTES);
}

static void experiment(struct guest *g, enum isa_profile profile, const struct row *row, enum isa_op prefix, bool pair)
{
    uint32_t x[WARPS][64];
    choose(g, profile, row, prefix, pair);
    fill_data();
    memset(e.local, 0, LDS_BYTES);
    memcpy(e.local, e.data, LDS_USED);
    put_parameters();
    memcpy(g->data, e.data, GUEST_BYTES);
    build_program(g);
    guest_run(g);
    assert_done(g);
    for (unsigned w = 0; w < WARPS; w++) model_warp(w, x[w]);
    compare(g, x);
}

static void test_row(struct guest *g, enum isa_profile profile, const struct row *row)
{
    for (unsigned n = 0; n < 4; n++) experiment(g, profile, row, OP_INVALID, false);
    for (unsigned n = 0; n < 4 && profile == PROFILE_R20; n++) experiment(g, profile, row, OP_REGPAIR, false);
    for (unsigned op = 1; op < OP_COUNT; op++) {
        if (!(isa_table[op].revisions & profile) || !(isa_table[op].flags & ISA_MEMORY)) continue;
        if (row->from == X && (isa_table[op].flags >> ISA_SPACE_SHIFT & 3) == 2) continue; /* refused: fault_cases */
        experiment(g, profile, row, (enum isa_op)op, false);
        experiment(g, profile, row, (enum isa_op)op, true);
    }
}

static void test_rows(void **state)
{
    static const enum isa_profile profiles[] = {PROFILE_DEFAULT, PROFILE_R20, PROFILE_R21, PROFILE_R2025};
    (void)state;
    for (unsigned p = 0; p < 4; p++) {
        struct guest g;
        nrows = 0;
        add_families(profiles[p]);
        assert_complete(profiles[p]);
        open_profile(&g, profiles[p]);
        for (unsigned i = 0; i < nrows; i++) test_row(&g, profiles[p], &rows[i]);
        guest_close(&g);
    }
}

/* ---- where private memory is: each lane writes its number into its word 3 ---- */

static void test_private_layout(void **state)
{
    // clang-format off
    static const struct { enum isa_profile profile; const char *store; } cases[] = {
        {PROFILE_DEFAULT, "vsw.v v2, 4(v3)"}, {PROFILE_R20, "vsw.v v2, 4(v3)"}, {PROFILE_R21, "vsw12.v v2, 4(v3) {pre_m_private_32}"},
        {PROFILE_R2025, "vsw_private.v v2, 4(v3)"}, {PROFILE_R2025, "vsw12.v v2, 4(v3)"},
    };
    // clang-format on
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct guest g;
        char source[256];
        open_profile(&g, cases[i].profile);
        snprintf(
            source, sizeof source,
            " csrr x6, CSR_TID\n vid.v v2\n vadd.vx v2, v2, x6\n vadd.vi v2, v2, 1\n vmv.v.i v3, 8\n %s\n endprg\n",
            cases[i].store);
        assemble(&g, source);
        for (uint32_t threads = 4; threads <= 32; threads *= 2) {
            bool per_warp = cases[i].profile == PROFILE_R2025;
            memset(g.data, 0, GUEST_BYTES);
            g.launch.warps = 3;
            g.launch.threads_per_warp = threads;
            g.launch.work_items = 3 * threads;
            g.launch.pds_base = GUEST_DATA;
            g.launch.pds_bytes = 14; /* reserved: a multiple of four */
            guest_run(&g);
            assert_done(&g);
            for (uint32_t t = 0; t < 3 * threads; t++) {
                uint32_t word = per_warp ? t / threads * threads * 4 + 3 * threads + t % threads : 3 * 3 * threads + t;
                assert_int_equal(g.data[word], t + 1);
                g.data[word] = 0;
            }
            for (uint32_t w = 0; w < GUEST_BYTES / 4; w++) assert_int_equal(g.data[w], 0);
        }
        guest_close(&g);
    }
}

/* The flat range check of r2025 looks at vs1 alone: an offset leads out of the range and not into it. */
static void test_flat_check(void **state)
{
    struct guest g;
    (void)state;
    open_profile(&g, PROFILE_R2025);
    g.launch.threads_per_warp = g.launch.work_items = 4;
    g.launch.pds_base = GUEST_DATA - 4 * 0x1000000;
    assemble(&g, " lui x5, 0x1000\n addi x5, x5, -4\n vmv.v.x v1, x5\n vid.v v2\n vsw12.v v2, 8(v1)\n"
                 " addi x5, x5, 4\n vmv.v.x v1, x5\n vlw12.v v3, -8(v1)\n endprg\n");
    memset(g.data, 0xff, 64);
    guest_run(&g);
    for (unsigned lane = 0; lane < 4; lane++) assert_int_equal(g.data[4 + lane], lane);
    assert_int_equal(g.result.fault.kind, FAULT_READ);
    assert_int_equal(g.result.fault.addr, 0xfffff8);
    guest_close(&g);
}

/* ---- scalar atomics ---- */

static const char *const amo_names[] = {"swap", "add", "xor", "and", "or", "min", "max", "minu", "maxu"};
enum { AMOS = 9 };

static uint32_t amo_result(unsigned i, uint32_t t, uint32_t s)
{
    switch (i) {
    case 0: return s;
    case 1: return t + s;
    case 2: return t ^ s;
    case 3: return t & s;
    case 4: return t | s;
    case 5: return (int32_t)t < (int32_t)s ? t : s;
    case 6: return (int32_t)t > (int32_t)s ? t : s;
    case 7: return t < s ? t : s;
    default: return t > s ? t : s;
    }
}

/* data[i] = amo(data[i], data[32 + i]), data[64 + i] = the old word; in local memory the word is moved there and back.
 */
static void test_scalar_amo(struct guest *g, bool local, bool wide)
{
    char source[2048];
    int n =
        snprintf(source, sizeof source, " lui x5, 0x90000\n lui x10, %s\n li x11, 0\n", local ? "0x70000" : "0x90000");
    for (unsigned i = 0; i < AMOS; i++) {
        if (local) n += snprintf(source + n, sizeof source - (size_t)n, " lw x8, %u(x5)\n sw x8, 0(x10)\n", 4 * i);
        n +=
            snprintf(source + n, sizeof source - (size_t)n, " lw x8, %u(x5)\n amo%s.%c x9, x8, (x10)\n sw x9, %u(x5)\n",
                     4 * (32 + i), amo_names[i], wide ? 'd' : 'w', 4 * (64 + i));
        if (local) n += snprintf(source + n, sizeof source - (size_t)n, " lw x8, 0(x10)\n sw x8, %u(x5)\n", 4 * i);
        else n += snprintf(source + n, sizeof source - (size_t)n, " addi x10, x10, 4\n");
    }
    n += snprintf(source + n, sizeof source - (size_t)n, " endprg\n");
    assert_true((size_t)n < sizeof source);
    assemble(g, source);
    for (unsigned round = 0; round < 20; round++) {
        uint32_t t[AMOS], s[AMOS];
        for (unsigned i = 0; i < AMOS; i++) {
            t[i] = g->data[i] = round & 1 ? guest_random() : guest_random() % 4 - 2;
            s[i] = g->data[32 + i] = round & 1 ? guest_random() : guest_random() % 4 - 2;
        }
        guest_run(g);
        assert_done(g);
        assert_int_equal(g->result.counters.atomics, AMOS);
        for (unsigned i = 0; i < AMOS; i++) {
            assert_int_equal(g->data[64 + i], t[i]);
            assert_int_equal(g->data[i], amo_result(i, t[i], s[i]));
        }
    }
}

static void test_scalar_atomics(void **state)
{
    static const enum isa_profile profiles[] = {PROFILE_R20, PROFILE_R21, PROFILE_R2025};
    (void)state;
    for (unsigned p = 0; p < 3; p++) {
        struct guest g;
        open_profile(&g, profiles[p]);
        for (unsigned local = 0; local < 2; local++)
            for (unsigned wide = 0; wide < 1 + (profiles[p] != PROFILE_R20); wide++) test_scalar_amo(&g, local, wide);
        guest_close(&g);
    }
}

/* A prefix names the space of scalar atomics, too: 4 + 5 at offset 8 of the global space, then 7 ^ 1 and a reservation
 * at offset 16 of the local one. */
static void test_spaces_of_atomics(void **state)
{
    static const enum isa_profile profiles[] = {PROFILE_R21, PROFILE_R2025};
    static const uint32_t expected[] = {4, 9, 7, 6, 0, 10};
    (void)state;
    for (unsigned p = 0; p < 2; p++) {
        struct guest g;
        open_profile(&g, profiles[p]);
        assemble(&g, " lui x5, 0x90000\n csrr x6, CSR_LDS\n li x7, 7\n sw x7, 16(x6)\n li x8, 4\n sw x8, 0x108(x5)\n"
                     " li x9, 5\n li x10, 8\n amoadd.w x11, x9, (x10) {pre_m_global_32}\n lw x12, 0x108(x5)\n"
                     " li x9, 1\n li x10, 16\n li x11, 0\n amoxor.d x13, x9, (x10) {pre_m_local_64}\n lw x14, 16(x6)\n"
                     " lr.w x15, (x10) {pre_m_local_32}\n addi x15, x15, 4\n sc.w x16, x15, (x10) {pre_m_local_32}\n"
                     " lw x17, 16(x6)\n sw x8, 0(x5)\n sw x12, 4(x5)\n sw x13, 8(x5)\n sw x14, 12(x5)\n"
                     " sw x16, 16(x5)\n sw x17, 20(x5)\n endprg\n");
        g.launch.csr_gds = GUEST_DATA + 0x100;
        guest_run(&g);
        assert_done(&g);
        for (unsigned i = 0; i < 6; i++) assert_int_equal(g.data[i], expected[i]);
        guest_close(&g);
    }
}

/* ---- reservations of scalar lr and sc ---- */

/* x20 to x23 of the first warp's results go to data[64 ...]; `other` is what the second warp does between the lr and
 * the sc of the first. */
static const struct {
    const char *between, *other;
    uint32_t failed;
} reservation_cases[] = {
    {"", "", 0},
    {" lw x9, 0(x5)\n", " lw x9, 0(x5)\n", 0},
    {" sw x9, 4(x5)\n", "", 0},
    {" sw x0, 0(x5)\n", "", 1},
    {" sb x0, 3(x5)\n", "", 1},
    {" sh x0, -1(x5)\n", "", 1},
    {" sw x0, -4(x5)\n", "", 0},
    {" addi x7, x5, 4\n lr.w x9, (x7)\n", "", 1}, /* one reservation for a warp */
    {" sc.w x9, x6, (x5)\n", "", 1},              /* the first sc has used it */
    {" addi x7, x5, 4\n sc.w x9, x6, (x7)\n", "", 1},
    {" amoadd.w x9, x0, (x5)\n", "", 1},
    {"", " sw x8, 0(x5)\n", 1}, /* with the same value */
    {"", " sw x8, 4(x5)\n", 0},
    {"", " amoor.w x9, x0, (x5)\n", 1},
    {"", " lr.w x9, (x5)\n sc.w x9, x8, (x5)\n", 1},
    {"", " lr.w x9, (x5)\n", 0},
};

static void test_scalar_reservations(void **state)
{
    static const enum isa_profile profiles[] = {PROFILE_R20, PROFILE_R2025};
    (void)state;
    for (unsigned p = 0; p < 2; p++) {
        struct guest g;
        open_profile(&g, profiles[p]);
        g.launch.warps = 2;
        g.launch.work_items = 64;
        for (unsigned i = 0; i < sizeof reservation_cases / sizeof *reservation_cases; i++) {
            char source[512];
            snprintf(source, sizeof source,
                     " lui x5, 0x90000\n addi x5, x5, 256\n li x6, 77\n csrr x10, CSR_WID\n bne x10, x0, second\n"
                     " lr.w x8, (x5)\n%s barrier 1\n barrier 1\n sc.w x20, x6, (x5)\n sc.w x21, x6, (x5)\n"
                     " sw x20, 16(x5)\n sw x21, 20(x5)\n sw x8, 24(x5)\n endprg\n"
                     "second: barrier 1\n lw x8, 0(x5)\n%s barrier 1\n endprg\n",
                     reservation_cases[i].between, reservation_cases[i].other);
            assemble(&g, source);
            g.data[64] = 5;
            guest_run(&g);
            assert_done(&g);
            if (g.data[68] != reservation_cases[i].failed) fail_msg("case %u: sc gave %u", i, g.data[68]);
            assert_int_equal(g.data[69], 1); /* none is left */
            assert_int_equal(g.data[70], 5);
            if (!reservation_cases[i].failed) assert_int_equal(g.data[64], 77);
        }
        guest_close(&g);
    }
}

/* Group 0 reserves and waits for group 1, which is on another SM and stores the same value. */
static void test_reservation_across_groups(void **state)
{
    struct guest g;
    (void)state;
    open_profile(&g, PROFILE_R21);
    g.launch.groups[0] = 2;
    assemble(&g, " lui x5, 0x90000\n csrr x6, CSR_GIDX\n li x9, 1\n bne x6, x0, second\n"
                 " li x11, 0\n mv x10, x5\n lr.d x7, (x10)\n sw x9, 4(x5)\nwait: lw x8, 8(x5)\n beq x8, x0, wait\n"
                 " sc.d x12, x9, (x10)\n sw x12, 12(x5)\n endprg\n"
                 "second: lw x8, 4(x5)\n beq x8, x0, second\n lw x7, 0(x5)\n sw x7, 0(x5)\n sw x9, 8(x5)\n endprg\n");
    g.data[0] = 3, g.data[3] = 9;
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(g.data[0], 3);
    assert_int_equal(g.data[3], 1);
    guest_close(&g);
}

/* Every warp of many groups adds one by lr and sc, on one host thread and on two. */
static void test_reservation_counter(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct gpu_config config;
        struct guest g;
        gpu_config_default(&config);
        config.profile = PROFILE_R2025;
        config.host_threads = threads;
        config.quantum = 3; /* turns end between lr and sc */
        guest_open_config(&g, &config);
        g.launch.groups[0] = 40;
        g.launch.warps = 3;
        g.launch.work_items = 96;
        assemble(&g, " lui x5, 0x90000\n li x6, 10\nagain: lr.w x7, (x5)\n addi x7, x7, 1\n sc.w x8, x7, (x5)\n bne "
                     "x8, x0, again\n"
                     " addi x6, x6, -1\n bne x6, x0, again\n endprg\n");
        guest_run(&g);
        assert_done(&g);
        assert_int_equal(g.data[0], 1200);
        guest_close(&g);
    }
}

/* ---- faults ---- */

/* v12 is GUEST_DATA, plus x8 in lane 3; v13 is 0, or x9 in lane 3; v8 to v11 and x20 to x23 have to stay. */
static const char fault_start[] = " lui x5, 0x90000\n vid.v v1\n li x7, 3\n vmseq.vx v2, v1, x7\n vmul.vx v13, v2, "
                                  "x9\n vmul.vx v12, v2, x8\n vadd.vx v12, v12, x5\n"
                                  " li x20, 20\n li x21, 21\n li x22, 22\n li x23, 23\n vmv.v.i v8, 8\n vmv.v.i v9, "
                                  "9\n vmv.v.i v10, 10\n vmv.v.i v11, 11\n";

static const struct fault_case {
    enum isa_profile profile;
    enum fault_kind kind;
    uint32_t lane;
    uint64_t addr;
    const char *before, *source, *detail;
} fault_cases[] = {
    {PROFILE_R21, FAULT_READ, 3, 0x90010000, "li x8, 0xfff4", "vlw12.v v8, 0(v12) {pre_m_128}", ""},
    {PROFILE_R21, FAULT_READ, 3, 0x9000fffe, "li x8, 0xfff6", "vlw12.v v8, 0(v12) {pre_m_128}", ""},
    {PROFILE_R2025, FAULT_WRITE, 3, 0x90010000, "li x8, 0xfff8", "vsw12.v v8, 0(v12) {pre_m_96}", ""},
    {PROFILE_R21, FAULT_READ, 3, 0x190000004, "li x9, 1", "vlw12d.v v8, 4(v12)", ""},
    {PROFILE_R2025, FAULT_WRITE, 3, 0xffffffff90000000, "li x9, -1", "vsb12d.v v8, 0(v12)", ""},
    {PROFILE_R21, FAULT_READ, 3, 0x190000000, "li x9, 1", "vlw12.v v8, 0(v12) {pre_m_32, pair}", ""},
    {PROFILE_R21, FAULT_READ, 32, 0x200000008, "li x18, 4\nli x19, 2", "ld x20, 4(x18)", ""},
    {PROFILE_R2025, FAULT_WRITE, 32, 0x200000003, "li x18, 4\nli x19, 2", "sd x20, -1(x18)", ""},
    {PROFILE_R21, FAULT_READ, 32, 0xfffffffffffffffc, "", "ld x20, -4(x0)", ""},
    {PROFILE_R21, FAULT_READ, 32, 0xfffffffe, "li x18, -2", "ld x20, 0(x18)", ""}, /* leaves 32 bits */
    {PROFILE_R21, FAULT_READ, 32, 0x90010000, "lui x18, 0x90010\naddi x18, x18, -8", "lw x20, 0(x18) {pre_m_128}", ""},
    {PROFILE_R21, FAULT_WRITE, 32, 0x90010000, "lui x18, 0x90010\naddi x18, x18, -8", "sw x20, 0(x18) {pre_m_96}", ""},
    {PROFILE_R2025, FAULT_WRITE, 32, 0x190000000, "lui x18, 0x90000\nli x19, 1", "amoadd.d x20, x21, (x18)", ""},
    {PROFILE_R2025, FAULT_READ, 32, 0x190000000, "lui x18, 0x90000\nli x19, 1", "lr.d x20, (x18)", ""},
    {PROFILE_R2025, FAULT_WRITE, 32, 0x90010000, "lui x18, 0x90010", "sc.w x20, x21, (x18)", ""},
    {PROFILE_R20, FAULT_WRITE, 32, 0x80000000, "lui x18, 0x80000", "amoswap.w x20, x21, (x18)", ""},
    {PROFILE_R20, FAULT_MISALIGNED, 32, 0x90000001, "lui x18, 0x90000\naddi x18, x18, 1", "amoswap.w x20, x21, (x18)",
     ""},
    {PROFILE_R21, FAULT_MISALIGNED, 32, 0x100000002, "li x18, 2\nli x19, 1", "lr.d x20, (x18)", ""},
    {PROFILE_R2025, FAULT_MISALIGNED, 32, 0x90000002, "lui x18, 0x90000\naddi x18, x18, 2", "sc.w x20, x21, (x18)", ""},
    {PROFILE_R2025, FAULT_MISALIGNED, 0, 0x90000002, "vmv.v.i v12, 2", "vlw_private.v v8, 0(v12)", ""},
    {PROFILE_R2025, FAULT_MISALIGNED, 3, 0x9000000f, "vmv.v.i v12, 0\nvmul.vx v2, v2, x7\nvadd.vv v12, v12, v2",
     "vlh12.v v8, 0(v12)", ""},
    {PROFILE_R21, FAULT_MISALIGNED, 0, 0x90000001, "vmv.v.i v12, 1", "vsw12.v v8, 0(v12) {pre_m_private_64}", ""},
    {PROFILE_R21, FAULT_READ, 0, 0x90010000, "lui x18, 1\nvmv.v.x v12, x18",
     "vlw12.v v8, -2048(v12) {pre_m_private_32}", ""},
    {PROFILE_R2025, FAULT_READ, 0, 0x70001000, "li x18, 0xffc\nvmv.v.x v12, x18", "vlw_local.v v8, 4(v12)", ""},
    {PROFILE_R2025, FAULT_READ, 0, 0x10, "", "vlw_global.v v8, 0(v12)", ""}, /* csr_gds takes it away */
    {PROFILE_R21, FAULT_ILLEGAL, 32, 0, "", "vlw12.v v62, 0(v12) {pre_m_96}", "v64 is beyond the 64 vector registers"},
    {PROFILE_R21, FAULT_ILLEGAL, 32, 0, "", "lw x62, 0(x5) {pre_m_128}", "x65 is beyond the 64 scalar registers"},
    {PROFILE_R21, FAULT_ILLEGAL, 32, 0, "", "lw x20, 0(x5) {pre_m_private_32}", "a scalar access of private memory"},
    {PROFILE_R2025, FAULT_ILLEGAL, 32, 0, "", "amoadd.d x20, x21, (x18) {pre_m_private_64}",
     "a scalar access of private memory"},
    {PROFILE_R21, FAULT_ILLEGAL, 32, 0, "", "vlw12d.v v8, 0(v11)", "a register pair has an even number"},
    {PROFILE_R2025, FAULT_ILLEGAL, 32, 0, "", "ld x8, 0(x11)", "a register pair has an even number"},
    {PROFILE_R2025, FAULT_ILLEGAL, 32, 0, "", "vlw12.v v8, 0(v11) {pre_m_32, pair}",
     "a register pair has an even number"},
    {PROFILE_R21, FAULT_ILLEGAL, 32, 0, "", "vlw12d.v v8, 0(v63)", "v64 is beyond the 64 vector registers"},
    {PROFILE_R21, FAULT_ILLEGAL, 32, 0, "", "ld x8, 0(x63)", "x64 is beyond the 64 scalar registers"},
    {PROFILE_R21, FAULT_ILLEGAL, 32, 0, "", "vse32.v v63, (x5) {pre_m_64}", "v64 is beyond the 64 vector registers"},
    {PROFILE_R20, FAULT_ILLEGAL, 32, 0, "", "lb x20, 0(x25) {regpair}", "data, an index or a stride"},
    {PROFILE_R20, FAULT_ILLEGAL, 32, 0, "", "vsh12.v v8, 0(v13) {regpair}", "data, an index or a stride"},
    {PROFILE_R20, FAULT_ILLEGAL, 32, 0, "", "vlse32.v v9, (x25), x26 {regpair}", "data, an index or a stride"},
    {PROFILE_R20, FAULT_ILLEGAL, 32, 0, "", "vluxei32.v v9, (x25), v14 {regpair}", "data, an index or a stride"},
    {PROFILE_R20, FAULT_ILLEGAL, 32, 0, "", "amoadd.w x20, x21, (x25) {regpair}", "data, an index or a stride"},
    {PROFILE_R21, FAULT_ILLEGAL, 32, 0, "", "vlw12.v v8, 0(v12) {prefix, pair}",
     "a prefix that this instruction does not take"},
};

static bool registers_kept;

static void look_at_registers(void *user, const struct group *group)
{
    const struct warp *w = &group->warps[0];
    (void)user;
    registers_kept = true;
    for (unsigned i = 0; i < 4; i++) {
        if (w->x[20 + i] != 20 + i) registers_kept = false;
        for (unsigned lane = 0; lane < 32; lane++)
            if (w->v[8 + i][lane] != 8 + i) registers_kept = false;
    }
}

static void test_fault_case(const struct fault_case *c)
{
    struct guest g;
    char source[1024], text[300];
    const struct observer observer = {.group_end = look_at_registers};
    open_profile(&g, c->profile);
    snprintf(source, sizeof source, "%s\n%s %s\n%s\n endprg\n", c->before, fault_start, c->before, c->source);
    assemble(&g, source);
    g.launch.pds_base = GUEST_DATA;
    g.launch.pds_bytes = 2048;
    g.launch.csr_gds = 0x70000010;
    for (unsigned traced = 0; traced < 2; traced++) {
        g.options.observers = traced ? &observer : NULL;
        for (unsigned i = 0; i < GUEST_BYTES / 4; i++) g.data[i] = i;
        guest_run(&g);
        fault_print(&g.result.fault, text, sizeof text);
        const struct fault *f = &g.result.fault;
        if (g.result.status != LAUNCH_FAULT || f->kind != c->kind || f->lane != c->lane || f->addr != c->addr)
            fail_msg("%s: %s (lane %u)", c->source, g.result.status == LAUNCH_FAULT ? text : "no fault", f->lane);
        if (!strstr(f->detail, c->detail)) fail_msg("%s: %s", c->source, text);
        if (traced && !registers_kept) fail_msg("%s: registers have changed", c->source);
        for (unsigned i = 0; i < GUEST_BYTES / 4; i++) assert_int_equal(g.data[i], i);
    }
    guest_close(&g);
}

static void test_faults(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof fault_cases / sizeof *fault_cases; i++) test_fault_case(&fault_cases[i]);
}

/* v255 and the launch that asks for all of them: there is no v256. */
static void test_last_register(void **state)
{
    struct guest g;
    (void)state;
    open_profile(&g, PROFILE_R21);
    g.launch.vgprs = 256;
    for (unsigned width = 64; width >= 32; width -= 32) {
        char source[160];
        snprintf(source, sizeof source, " lui x5, 0x90000\n vmv.v.x v1, x5\n vlw12.v v255, 0(v1) {pre_m_%u}\n endprg\n",
                 width);
        assemble(&g, source);
        guest_run(&g);
        assert_int_equal(g.result.status, width == 64 ? LAUNCH_FAULT : LAUNCH_DONE);
    }
    guest_close(&g);
}

/* ---- prefixes that do nothing, and observers ---- */

/* In front of something else even the register groups are void: this is v1 = 5, not v33. */
static void test_void_prefix(void **state)
{
    struct guest g;
    (void)state;
    open_profile(&g, PROFILE_R21);
    assemble(&g, " lui x5, 0x90000\n li x6, 5\n .word 0x0018003e\n vmv.v.x v1, x6\n vse32.v v1, (x5)\n endprg\n");
    guest_run(&g);
    assert_done(&g);
    for (unsigned i = 0; i < 32; i++) assert_int_equal(g.data[i], 5);
    guest_close(&g);
}

static struct {
    unsigned n;
    uint32_t lanes[8], size[8];
    uint64_t addr[8];
    bool write[8], atomic[8];
} seen;

static void see(void *user, const struct warp *w, const struct insn *in, const struct access *a)
{
    (void)user, (void)in;
    assert_ptr_equal(a, warp_access(w));
    assert_true(seen.n < 8);
    unsigned i = seen.n++;
    seen.lanes[i] = a->lanes;
    seen.size[i] = a->size;
    seen.write[i] = a->write;
    seen.atomic[i] = a->atomic;
    seen.addr[i] = a->addr[a->lanes ? 5 : 0] | (a->high ? (uint64_t)a->high[a->lanes ? 5 : 0] << 32 : 0);
}

static void test_observed(void **state)
{
    struct guest g;
    const struct observer observer = {.access = see};
    // clang-format off
    static const struct { uint32_t lanes, size; uint64_t addr; bool write, atomic; } expected[] = {
        {~0u, 4, 0x90000014, false, false}, {~0u, 4, 0x90000018, false, false},
        {0, 2, 0x90000006, true, false}, {0, 4, 0x90000004, true, true},
    };
    // clang-format on
    (void)state;
    open_profile(&g, PROFILE_R2025);
    assemble(
        &g,
        " lui x5, 0x90000\n addi x5, x5, 4\n li x6, 0\n vid.v v2\n vsll.vi v2, v2, 2\n vadd.vx v2, v2, x5\n vmv.v.i "
        "v3, 0\n"
        " vlw12.v v8, -4(v2) {pre_m_64, pair}\n sh x5, 2(x5)\n mv x8, x5\n li x9, 0\n amoadd.d x7, x6, (x8)\n"
        " vsetivli x7, 0, e32, m1, ta, ma\n vlw12.v v9, 0(v2)\n vsw_global.v v9, 0(v2)\n vse32.v v2, (x5)\n endprg\n");
    memset(&seen, 0, sizeof seen);
    g.options.observers = &observer;
    guest_run(&g);
    assert_done(&g);
    assert_int_equal(seen.n, 4); /* nothing of the instructions without an active lane */
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(seen.lanes[i], expected[i].lanes);
        assert_int_equal(seen.size[i], expected[i].size);
        assert_int_equal(seen.addr[i], expected[i].addr);
        assert_int_equal(seen.write[i], expected[i].write);
        assert_int_equal(seen.atomic[i], expected[i].atomic);
    }
    guest_close(&g);
}

int main(void)
{
    // clang-format off
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),                cmocka_unit_test(test_private_layout),
        cmocka_unit_test(test_flat_check),
        cmocka_unit_test(test_scalar_atomics),      cmocka_unit_test(test_spaces_of_atomics),
        cmocka_unit_test(test_scalar_reservations),
        cmocka_unit_test(test_reservation_across_groups), cmocka_unit_test(test_reservation_counter),
        cmocka_unit_test(test_faults),              cmocka_unit_test(test_last_register),
        cmocka_unit_test(test_void_prefix),         cmocka_unit_test(test_observed),
    };
    // clang-format on
    return guest_run_tests(tests);
}
