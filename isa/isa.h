/* The instruction set: one decoded form, one table, and the only ways in and out of it.
 *
 * Everything here is derived from the .def files of this folder. A word enters as bits and leaves
 * as `struct insn` (isa_decode), goes back to bits (isa_encode) or to text (isa_print). */
#ifndef VENTUS_ISA_H
#define VENTUS_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ISA_XREGS = 64,  /* scalar registers of a warp */
    ISA_VREGS = 256, /* vector registers of a warp */
    ISA_LANES = 32,  /* most lanes a warp can have */
};

enum isa_op {
    OP_INVALID,
#define INSN(id, ...) OP_##id,
#include "insn.def"
#undef INSN
    OP_COUNT
};

/* How an engine executes an operation; see kind.def. */
enum isa_kind {
#define KIND(id, ...) KIND_##id,
#include "kind.def"
#undef KIND
    KIND_COUNT
};

// clang-format off
enum isa_unit {
    UNIT_NONE, UNIT_SALU, UNIT_VALU, UNIT_MUL, UNIT_FPU, UNIT_SFU, UNIT_LSU, UNIT_CSR, UNIT_BRU, UNIT_TENSOR, UNIT_DMA,
};

enum isa_flags {
    ISA_ROUND = 1, ISA_V0 = 2, ISA_IMMHI = 4, ISA_EVEN = 8,
    ISA_MEMORY = 16, ISA_SPACE_SHIFT = 5, ISA_WIDTH_SHIFT = 7,
    ISA_FP = 1 << 9, ISA_SAT = 1 << 10,
    ISA_PAIR_D = 1 << 11, ISA_PAIR_1 = 1 << 12, ISA_PAIR_2 = 1 << 13, ISA_PAIR = ISA_PAIR_D | ISA_PAIR_1 | ISA_PAIR_2,
    ISA_SINGLE = 1 << 14, ISA_LONG = 1 << 15, ISA_READS_D = 1 << 16, ISA_VXRM = 1 << 17,
    ISA_BYTES_SHIFT = 18, ISA_SIGNED = 1 << 21, ISA_ALWAYS = 1 << 22,
    ISA_VALUES = 1 << 23, ISA_CANON = 1 << 24, ISA_NEAREST = 1 << 25,
};

enum isa_revision {
    ISA_R20 = 1, ISA_R21 = 2, ISA_R2025 = 4, ISA_IMPL = 8,
    ISA_EXTRA = 16,
    ISA_BASE = ISA_R20 | ISA_R21 | ISA_R2025 | ISA_IMPL,
};

/* A profile is the set of revisions whose lines are active together without overlap. */
enum isa_profile {
    PROFILE_R20 = ISA_R20, PROFILE_R21 = ISA_R21, PROFILE_R2025 = ISA_R2025, PROFILE_TOOLCHAIN = ISA_IMPL,
    PROFILE_DEFAULT = ISA_IMPL | ISA_EXTRA, /* tool-chain binaries, our compiler's output, DMA */
};
// clang-format on

/* One decoded instruction with its prefix folded in. Fields an operation does not have are 0,
 * except `vm`, which is 1. */
struct insn {
    uint16_t op;               /* enum isa_op */
    uint16_t aux;              /* CSR number, vtype, fence sets, prefix groups */
    int32_t imm;               /* sign- or zero-extended as the operand letter says, shift applied; branch
                                * targets and auipc count from the instruction word, at pc + size - 4 */
    uint8_t rd, rs1, rs2, rs3; /* register numbers: x 0..63, v 0..255 */
    uint8_t apart;             /* of a multiply-add: its third source is not rd but rs3, see isa_vs3 */
    uint8_t vm;                /* 1 = unmasked */
    uint8_t rm;                /* static rounding mode, 7 = frm */
    uint8_t aq, rl;
    uint8_t size; /* bytes taken, prefix included: 4, 8 or 12 */

    uint16_t prefix;           /* operation of the prefix folded in, 0 = none */
    uint16_t groups;           /* its twelve group bits, also those that extended nothing */
    uint8_t pair;              /* register operands are pairs; with a memory prefix the address alone is one */
    uint8_t abs, neg;          /* bit k: of source k + 1 */
    uint8_t hint;              /* cache hint */
    uint8_t space, width;      /* memory prefix: see MEMORY in insn.def */
    uint8_t opsel, omod, elem; /* 64-bit compute words */
};

struct isa_desc {
    const char *name;     /* mnemonic */
    const char *pattern;  /* 32 or 64 characters, most significant bit first */
    const char *operands; /* operand letters and literal text */
    uint8_t kind, unit, revisions;
    uint32_t flags;   /* set of enum isa_flags; insn.def explains them */
    const char *expr; /* semantic expression as text */
    const char *text; /* one-line meaning */
};

/* An operand letter of operand.def. */
enum operand_kind {
    OPERAND_REG_X,
    OPERAND_REG_V,
    OPERAND_SIMM,
    OPERAND_UIMM,
    OPERAND_TARGET,
    OPERAND_CSR,
    OPERAND_FLAG
};
// clang-format off
enum operand_role { ROLE_RD, ROLE_RS1, ROLE_RS2, ROLE_RS3, ROLE_IMM, ROLE_AUX, ROLE_VM, ROLE_RM, ROLE_AQ, ROLE_RL,
                    ROLE_PAIR, ROLE_HINT, ROLE_ABS, ROLE_NEG, ROLE_OMOD, ROLE_OPSEL, ROLE_ELEM };
// clang-format on
enum operand_form { FORM_NUMBER, FORM_HEX, FORM_UPPER, FORM_VTYPE, FORM_FENCE, FORM_LONG, FORM_BYTES, FORM_CODES };
struct isa_operand {
    char letter;
    uint8_t kind, role, shift, form;
    uint8_t nranges, width; /* number of bit ranges, bits in total */
    uint8_t hi[4], lo[4];   /* ranges, most significant first */
    const char *name, *text;
};

/* What can stand in braces behind the operands, "{name=value, name}": bits of a field of
 * `struct insn`. One that is not written is 0; the rounding mode is 7. */
struct isa_modifier {
    const char *name;
    uint8_t role, shift, width;
};
enum { ISA_MAX_MODIFIERS = 20 };

/* LANES: read-only, differs from lane to lane, a read goes to vector register rd; see csr.def. */
enum isa_access { ACCESS_RO, ACCESS_RW, ACCESS_LANES };
struct isa_csr {
    uint16_t number;
    uint8_t access; /* enum isa_access */
    uint16_t state; /* set of enum isa_state (effects.h) */
    const char *name, *text;
};

/* isa_table[op] describes operation `op`; entry 0 is the invalid operation. */
extern const struct isa_desc isa_table[OP_COUNT];
extern const struct isa_csr isa_csrs[];
extern const size_t isa_ncsrs;

/* The operand with this letter, or NULL. */
const struct isa_operand *isa_operand(char letter);

/* The mask or rounding mode that may be left out, if this is all that is left of an operand string but for modifiers:
 * ",m". NULL: it is not. */
const struct isa_operand *isa_trailer(const char *rest);

/* Whether an operation has an operand (or modifier) of this role. */
bool isa_has(enum isa_op op, enum operand_role role);

/* The modifiers of an instruction and of its prefix in->prefix; returns their number. */
size_t isa_modifiers(const struct insn *in, struct isa_modifier out[ISA_MAX_MODIFIERS]);

/* The operation with this mnemonic in a profile, or OP_INVALID; isa_find: in the default profile. */
enum isa_op isa_find(const char *mnemonic);
enum isa_op isa_find_in(enum isa_profile profile, const char *mnemonic);

/* The profiles: PROFILE(name, constant), with `between` between them. */
// clang-format off
#define ISA_PROFILES(PROFILE, between) \
    PROFILE("default", PROFILE_DEFAULT) between PROFILE("toolchain", PROFILE_TOOLCHAIN) between \
    PROFILE("r2.0", PROFILE_R20) between PROFILE("r2.1", PROFILE_R21) between PROFILE("r2025", PROFILE_R2025)
// clang-format on
#define ISA_PROFILE_NAME(name, constant) name
#define ISA_PROFILE_NAMES                ISA_PROFILES(ISA_PROFILE_NAME, ", ") /* for messages */

/* The profile of this name; false if there is none. */
bool isa_profile_find(const char *name, enum isa_profile *profile);
const char *isa_profile_name(enum isa_profile profile); /* the inverse */

/* Is this number, from outside, a profile? */
bool isa_profile_known(uint32_t number);

/* Is it the instruction set of a document, as it stands there, without what only the public tools and hardware have? */
static inline bool isa_is_document(enum isa_profile profile) { return !(profile & ISA_IMPL); }

/* The profile whose machines run programs of both profiles: the one that has all revisions of either. 0 means a program
 * that does not say, which goes with any. False if there is none. */
bool isa_profile_join(uint32_t a, uint32_t b, enum isa_profile *both);

/* Does a machine run programs of a profile (0: the program does not say)? */
bool isa_profile_runs(enum isa_profile machine, uint32_t program);

/* The CSR with this number / name (either case; in lower case also without CSR_, as the documents say), or NULL. */
const struct isa_csr *isa_csr_number(unsigned number);
const struct isa_csr *isa_csr_name(const char *name);

/* Is its access ACCESS_LANES? */
bool isa_csr_per_lane(unsigned number);

/* Fixed bits of an operation: word & mask == match exactly when the word is this operation.
 * isa_bits is 32 or 64, the length of that word. */
uint64_t isa_mask(enum isa_op op);
uint64_t isa_match(enum isa_op op);
unsigned isa_bits(enum isa_op op);

/* Decodes the instruction that begins at words[0], folding a prefix into the instruction behind it
 * (ISA notes 3). `nwords` (>= 1) words may be read. Returns false, with out->op = OP_INVALID and
 * out->size = 4, when the word is no instruction of the profile, names a scalar register above 63
 * or an odd pair, or the prefix has no instruction behind it. Never fails otherwise. */
bool isa_decode_in(enum isa_profile profile, const uint32_t *words, size_t nwords, struct insn *out);
bool isa_decode(const uint32_t *words, size_t nwords, struct insn *out); /* the default profile */

/* Is it a vector multiply-add? Its third source, vs3, shares the field of the destination, and so is the same register;
 * but the documents' prefixes have high bits of its own for it, so that it may be another one: `apart`, and number rs3.
 * The public tools and hardware extend both alike. Of matrices the documents say that vd is both, and so it stays. */
bool isa_has_vs3(enum isa_op op);
static inline unsigned isa_vs3(const struct insn *in) { return in->apart ? in->rs3 : in->rd; }

/* Decodes one instruction alone: a prefix is returned as the operation it is. */
bool isa_decode_raw(enum isa_profile profile, const uint32_t *words, size_t nwords, struct insn *out);
bool isa_decode_word(uint32_t word, struct insn *out); /* one word, the default profile */

enum { ISA_MAX_WORDS = 3 }; /* a prefix and a 64-bit word */

/* Encodes `in` into words of a profile, emitting the prefix in->prefix, or the one that a register above 31 or a
 * long immediate needs. Returns the number of words, or 0 when an operand does not fit; then *why,
 * if not NULL, names the operand. */
unsigned isa_encode_in(enum isa_profile profile, const struct insn *in, uint32_t words[ISA_MAX_WORDS],
                       const char **why);
unsigned isa_encode(const struct insn *in, uint32_t words[ISA_MAX_WORDS], const char **why); /* the default profile */

/* The bits of a 32-bit word that an operand's value gives; what does not fit is cut off. */
uint32_t isa_scatter(int32_t value, const struct isa_operand *operand);

/* Sets field `role` of `insn`; the inverse read is isa_get. */
void isa_set(struct insn *insn, enum operand_role role, int32_t value);
int32_t isa_get(const struct insn *insn, enum operand_role role);

enum isa_print_flags { ISA_PRINT_NUMERIC = 1 /* x5 instead of t0 */ };

/* Prints "mnemonic<tab>operands {modifiers}" of an instruction at `pc` (branch targets are printed as
 * absolute addresses). A prefix other than regext and regexti is the first of the modifiers. Returns
 * the length as snprintf does. */
int isa_print(const struct insn *insn, uint32_t pc, unsigned flags, char *buf, size_t size);
/* Prints a vector type as the operand of vsetvli, "e32,m1,ta,ma". */
void isa_print_vtype(unsigned vtype, char *buf, size_t size);

/* ABI name ("zero", "ra", "sp", ..., "x32"...) of scalar register r, 0..63. */
const char *isa_xreg_name(unsigned r);

/* Checks a row by itself: the pattern has 32 or 64 bits, every letter is defined and sits where operand.def says, and
 * pattern and operands name the same letters. Returns NULL, or a description of the first defect, which the next call
 * overwrites: for tests, in one thread. */
const char *isa_check_row(const struct isa_desc *row);

/* Checks the tables: each row by itself, and that patterns of one revision do not overlap. The result is that of
 * isa_check_row. */
const char *isa_check(void);

#endif
