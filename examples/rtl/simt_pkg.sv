// Words that all modules share: sizes, types, the table of planted bugs, and what an instruction word means.
//
// An instruction is decoded once, into `decoded_t`: which unit executes it, what its two operands are, and where the
// result goes. Scalar and vector instructions differ in that alone: a lane is an ALU like that of the scalars. The
// encodings are those of isa/*.def; what is not decoded here is ILLEGAL and ends the launch.
package simt_pkg;

  // -DLANES=8 and so on for other sizes, powers of two. A warp has as many threads as there are lanes.
`ifndef LANES
`define LANES 32
`endif
`ifndef WARPS
`define WARPS 8
`endif
`ifndef LINE_WORDS
`define LINE_WORDS 32
`endif
  localparam int unsigned LANES = `LANES;      // threads of a warp: 4, 8, 16 or 32
  localparam int unsigned WARPS = `WARPS;      // resident warps: 2 or more
  localparam int unsigned SLOTS = 4;           // resident work-groups
  localparam int unsigned LDS_BYTES = 65536;   // local memory, shared by the work-groups
  localparam int unsigned LINE_WORDS = `LINE_WORDS;  // of a line, which one access to memory can reach: 2 to 64
  localparam int unsigned DEPTH = LANES;       // entries of a SIMT stack: enough, as the smaller side runs first
  localparam int unsigned WARP_BITS = $clog2(WARPS), SLOT_BITS = $clog2(SLOTS), DEPTH_BITS = $clog2(DEPTH + 1);

  typedef logic [31:0] word_t;
  typedef logic [LANES-1:0] mask_t;
  typedef logic [LANES-1:0][31:0] vector_t;  // one word of each lane, lane 0 in the lowest bits
  typedef logic [WARP_BITS-1:0] warp_t;
  typedef logic [WARPS-1:0] warps_t;         // a set of warps
  typedef logic [SLOT_BITS-1:0] slot_t;
  typedef logic [LINE_WORDS-1:0][31:0] line_t;
  typedef logic [LINE_WORDS-1:0][3:0] bytes_t;  // which bytes of a line

  // What one ALU computes of a, b and, in some cases, c.
  typedef enum logic [5:0] {
    ADD, SUB, RSUB, AND, OR, XOR, SLL, SRL, SRA, SEQ, SNE, SLT, SLTU, SGE, SGEU, SLE, SLEU, SGT, SGTU, MIN, MINU, MAX,
    MAXU, MUL, MULH, MULHSU, MULHU, DIV, DIVU, REM, REMU, MACC, NMSAC, MADD, NMSUB, SECOND, MERGE, LANE,
    FADD, FMUL, FMACC, FMADD, FDIV, FRDIV, FSQRT, FSGNJ, FSGNJN, FSGNJX, FMIN, FMAX, FEQ, FNE, FLT, FLE, FGT, FGE, FCLASS,
    F_TO_S, F_TO_U, F_TO_S_RTZ, F_TO_U_RTZ, S_TO_F, U_TO_F
  } op_t;

  typedef enum logic [3:0] {
    ALU, BRANCH, VBRANCH, JUMP, CSR, VSET, LOAD, STORE, JOIN, SETRPC, TO_SCALAR, BARRIER, FINISH, PREFIX, NOTHING, ILLEGAL
  } unit_t;

  typedef enum logic [1:0] {A_X1, A_PC, A_V2, A_V1} a_t;              // where operand a comes from
  typedef enum logic [2:0] {B_X2, B_X1, B_IMM, B_V1, B_V2} b_t;       // and operand b
  typedef enum logic [1:0] {NONE, TO_X, TO_V} result_t;               // what is written
  // Addresses of an access: one of the warp; one of each lane; an offset in each lane's private memory; base and offset of each lane.
  typedef enum logic [1:0] {SCALAR, FLAT, PRIVATE, INDEXED} space_t;

  // A prefix in front of an instruction: upper bits of its register numbers, or of its immediate.
  typedef struct packed {
    logic [2:0] x3, x2, x1, xd;
    logic has_imm;
    logic [5:0] imm;
  } prefix_t;

  typedef struct packed {
    unit_t unit;
    op_t op;
    logic [1:0] negate;            // of a float sum: bit 0 the product (or a), bit 1 the addend
    a_t a;
    b_t b;
    result_t result;
    logic masked;                  // only lanes whose v0 is odd
    logic [7:0] rd, rs1, rs2, rs3; // registers, scalar or vector; rs3 is added to products, or stored by index
    word_t imm;
    space_t space;
    logic [1:0] size;              // of an access: 1 << size bytes
    logic is_signed;               // a load extends the sign
  } decoded_t;

  // Why a launch ends early.
  typedef enum logic [2:0] {FINE, BAD_INSTRUCTION, BAD_ALIGNMENT, NO_MEMORY, STACK_FULL} fault_t;

  // What the core tells of an instruction that completes, for a reference that compares.
  typedef struct packed {
    warp_t warp;
    word_t pc, word;
    result_t result;
    logic [7:0] rd;
    word_t x;        // the scalar result
    vector_t v;      // the vector result, and its lanes
    mask_t lanes;
  } retired_t;

  // Bugs that are put in on purpose; bugs.txt says what each does.
  typedef enum logic [4:0] {
    NO_BUG, BUG_SRA, BUG_LANE, BUG_SLTU, BUG_MULHU, BUG_VMSGTU, BUG_DIVU, BUG_X0, BUG_REGEXT, BUG_PREFIX, BUG_WRITE_MASK,
    BUG_PATH, BUG_JOIN_MASK, BUG_JOIN_PC, BUG_BARRIER, BUG_GIDY, BUG_EXTEND, BUG_STROBE, BUG_PRIVATE, BUG_COALESCE,
    BUG_LAST_WARP, BUG_LDS_BASE, BUG_VMADD, BUG_JALR
  } bug_t;
  localparam int unsigned BUGS = 32'(BUG_JALR);

  // A word, with some of its bytes from another one.
  function automatic word_t blend(word_t old, word_t from, logic [3:0] which);
    word_t bits = {{8{which[3]}}, {8{which[2]}}, {8{which[1]}}, {8{which[0]}}};
    return (old & ~bits) | (from & bits);
  endfunction

  // ---- decoding ----

  localparam logic [6:0] OP_LUI = 7'h37, OP_AUIPC = 7'h17, OP_JAL = 7'h6f, OP_JALR = 7'h67, OP_BRANCH = 7'h63,
    OP_LOAD = 7'h03, OP_STORE = 7'h23, OP_IMM = 7'h13, OP_REG = 7'h33, OP_FENCE = 7'h0f, OP_SYSTEM = 7'h73,
    OP_V = 7'h57, OP_VLOAD = 7'h07, OP_VSTORE = 7'h27, OP_VENTUS = 7'h0b, OP_VBRANCH = 7'h5b, OP_FLAT = 7'h7b,
    OP_PRIVATE = 7'h2b, OP_FP = 7'h53, OP_FMADD = 7'h43, OP_FMSUB = 7'h47, OP_FNMSUB = 7'h4b, OP_FNMADD = 7'h4f;
  localparam logic [2:0] OPIVV = 0, OPFVV = 1, OPFVF = 5, OPMVV = 2, OPIVI = 3, OPIVX = 4, OPMVX = 6;
  localparam logic [7:0] VTYPE_MASK = 8'h3f, VTYPE_E32 = 8'h10;  // e32, m1; the bits ta and ma are free

  function automatic word_t sign12(logic [11:0] x);
    return {{20{x[11]}}, x};
  endfunction

  // RV32I and M, register with register (`is_reg`) or with an immediate.
  function automatic op_t scalar_op(word_t w, logic is_reg, output logic legal);
    legal = !is_reg || w[31:25] == 0;
    if (is_reg && w[31:25] == 1) begin
      legal = 1;
      case (w[14:12])
        0: return MUL;
        1: return MULH;
        2: return MULHSU;
        3: return MULHU;
        4: return DIV;
        5: return DIVU;
        6: return REM;
        7: return REMU;
      endcase
    end
    case (w[14:12])
      0: begin
        if (is_reg && w[31:25] == 7'h20) legal = 1;
        return is_reg && w[30] ? SUB : ADD;
      end
      1: begin legal = w[31:25] == 0; return SLL; end
      2: return SLT;
      3: return SLTU;
      4: return XOR;
      5: begin legal = w[31:25] == 0 || w[31:25] == 7'h20; return w[30] ? SRA : SRL; end
      6: return OR;
      7: return AND;
    endcase
  endfunction

  // Zfinx: floats in x registers. Only rounding to nearest even, and truncation of what becomes an integer.
  function automatic op_t scalar_float(word_t w, output logic legal);
    logic [2:0] f3 = w[14:12];
    logic nearest = f3 == 0 || f3 == 7, is_first = w[24:20] == 0;
    legal = nearest;
    case (w[31:25])
      7'h00, 7'h04: return FADD;
      7'h08: return FMUL;
      7'h0c: return FDIV;
      7'h2c: begin legal = nearest && is_first; return FSQRT; end
      7'h10: begin legal = f3 < 3; return f3 == 0 ? FSGNJ : f3 == 1 ? FSGNJN : FSGNJX; end
      7'h14: begin legal = f3 < 2; return f3 == 0 ? FMIN : FMAX; end
      7'h50: begin legal = f3 < 3; return f3 == 0 ? FLE : f3 == 1 ? FLT : FEQ; end
      7'h60: begin
        legal = (nearest || f3 == 1) && w[24:21] == 0;
        return f3 == 1 ? (w[20] ? F_TO_U_RTZ : F_TO_S_RTZ) : w[20] ? F_TO_U : F_TO_S;
      end
      7'h68: begin legal = nearest && w[24:21] == 0; return w[20] ? U_TO_F : S_TO_F; end
      7'h70: begin legal = f3 == 1 && is_first; return FCLASS; end
      default: begin legal = 0; return FADD; end
    endcase
  endfunction

  // Branches of scalars and of lanes have the same six conditions.
  function automatic op_t condition(logic [2:0] f3, output logic legal);
    legal = 1;
    case (f3)
      0: return SEQ;
      1: return SNE;
      4: return SLT;
      5: return SGE;
      6: return SLTU;
      7: return SGEU;
      default: begin legal = 0; return SEQ; end
    endcase
  endfunction

  // Vector integer operations: funct6 of OPI, and which of the forms vv, vx, vi there are.
  function automatic op_t vector_op(logic [5:0] f6, logic vv, logic vi, output logic legal);
    legal = 1;
    case (f6)
      6'h00: return ADD;
      6'h02: begin legal = !vi; return SUB; end
      6'h03: begin legal = !vv; return RSUB; end
      6'h04: begin legal = !vi; return MINU; end
      6'h05: begin legal = !vi; return MIN; end
      6'h06: begin legal = !vi; return MAXU; end
      6'h07: begin legal = !vi; return MAX; end
      6'h09: return AND;
      6'h0a: return OR;
      6'h0b: return XOR;
      6'h17: return MERGE;
      6'h18: return SEQ;
      6'h19: return SNE;
      6'h1a: begin legal = !vi; return SLTU; end
      6'h1b: begin legal = !vi; return SLT; end
      6'h1c: return SLEU;
      6'h1d: return SLE;
      6'h1e: begin legal = !vv; return SGTU; end
      6'h1f: begin legal = !vv; return SGT; end
      6'h25: return SLL;
      6'h28: return SRL;
      6'h29: return SRA;
      default: begin legal = 0; return ADD; end
    endcase
  endfunction

  // funct6 of OPM: products and quotients.
  function automatic op_t product_op(logic [5:0] f6, output logic legal);
    legal = 1;
    case (f6)
      6'h20: return DIVU;
      6'h21: return DIV;
      6'h22: return REMU;
      6'h23: return REM;
      6'h24: return MULHU;
      6'h25: return MUL;
      6'h26: return MULHSU;
      6'h27: return MULH;
      6'h29: return MADD;
      6'h2b: return NMSUB;
      6'h2d: return MACC;
      6'h2f: return NMSAC;
      default: begin legal = 0; return MUL; end
    endcase
  endfunction

  // funct6 of OPF. Conversions and roots have a funct5 in the place of vs1.
  function automatic op_t float_op(logic [5:0] f6, logic [4:0] f5, logic vv, output logic legal);
    legal = 1;
    case (f6)
      6'h00, 6'h02: return FADD;
      6'h04: return FMIN;
      6'h06: return FMAX;
      6'h08: return FSGNJ;
      6'h09: return FSGNJN;
      6'h0a: return FSGNJX;
      6'h17: begin legal = !vv; return MERGE; end
      6'h18: return FEQ;
      6'h19: return FLE;
      6'h1b: return FLT;
      6'h1c: return FNE;
      6'h1d: begin legal = !vv; return FGT; end
      6'h1f: begin legal = !vv; return FGE; end
      6'h20: return FDIV;
      6'h21: begin legal = !vv; return FRDIV; end
      6'h24: return FMUL;
      6'h27: begin legal = !vv; return FADD; end
      6'h28, 6'h29, 6'h2a, 6'h2b: return FMADD;
      6'h2c, 6'h2d, 6'h2e, 6'h2f: return FMACC;
      6'h12: begin
        legal = vv && f5 < 8 && f5[2:1] != 2;
        return f5 == 0 ? F_TO_U : f5 == 1 ? F_TO_S : f5 == 2 ? U_TO_F : f5 == 3 ? S_TO_F : f5 == 6 ? F_TO_U_RTZ : F_TO_S_RTZ;
      end
      6'h13: begin
        legal = vv && (f5 == 0 || f5 == 16);
        return f5 == 0 ? FSQRT : FCLASS;
      end
      default: begin legal = 0; return FADD; end
    endcase
  endfunction

  function automatic decoded_t decode_vector(word_t w, decoded_t start);
    decoded_t d = start;
    logic legal;
    logic [2:0] f3 = w[14:12];
    logic [5:0] f6 = w[31:26];
    d.unit = ALU;
    d.result = TO_V;
    d.masked = !w[25];
    d.a = A_V2;
    d.b = f3 == OPIVI ? B_IMM : f3 == OPIVV || f3 == OPFVV || f3 == OPMVV ? B_V1 : B_X1;
    case (f3)
      OPIVV, OPIVX, OPIVI: d.op = vector_op(f6, f3 == OPIVV, f3 == OPIVI, legal);
      OPFVV, OPFVF: begin
        d.op = float_op(f6, w[19:15], f3 == OPFVV, legal);
        d.negate = f6[5:3] == 5 ? {f6[1] ^ f6[0], f6[0]} : {f6 == 6'h02, f6 == 6'h27};
      end
      OPMVV, OPMVX: begin
        d.op = product_op(f6, legal);
        if (f3 == OPMVV && f6 == 6'h14 && w[24:15] == 10'h11) begin  // vid.v
          d.op = LANE;
          legal = 1;
        end
      end
      default: begin  // vsetvli and vsetivli
        d.unit = VSET;
        d.result = TO_X;
        d.masked = 0;
        d.b = w[31] ? B_IMM : B_X1;
        d.imm = word_t'(w[19:15]);
        legal = (!w[31] || w[30]) && w[30:28] == {w[31], 2'b0} && (w[27:20] & VTYPE_MASK) == VTYPE_E32;
      end
    endcase
    if (d.op == MERGE && w[25]) begin  // vmv.v.v, vfmv.v.f and such
      d.op = SECOND;
      legal = legal && w[24:20] == 0;
    end
    if (f6 == 6'h10 && w[25] && (f3 == OPMVX || f3 == OPFVF) && w[24:20] == 0) begin  // vmv.s.x, vfmv.s.f
      d.op = SECOND;
      legal = 1;
    end
    if (f6 == 6'h10 && w[25] && (f3 == OPMVV || f3 == OPFVV) && w[19:15] == 0) begin  // vmv.x.s, vfmv.f.s
      d.unit = TO_SCALAR;
      d.result = TO_X;
      legal = 1;
    end
    if (!legal) d.unit = ILLEGAL;
    return d;
  endfunction

  // Loads and stores of lanes: flat, private (bit 31 says which of load and store it is), and by index.
  function automatic decoded_t decode_lanes(word_t w, decoded_t start);
    decoded_t d = start;
    logic [2:0] f3 = w[14:12];
    logic is_store = w[6:0] == OP_PRIVATE ? w[31] : w[6:0] == OP_FLAT ? f3 == 3 || f3[2:1] == 3 : w[6:0] == OP_VSTORE;
    logic [11:0] offset = is_store ? {w[31:25], w[11:7]} : w[31:20];
    d.unit = is_store ? STORE : LOAD;
    d.result = is_store ? NONE : TO_V;
    d.a = A_V1;
    d.space = w[6:0] == OP_PRIVATE ? PRIVATE : FLAT;
    d.imm = sign12(w[6:0] == OP_PRIVATE ? {offset[10], offset[10:0]} : offset);
    d.size = f3[1:0];
    d.is_signed = !f3[2];
    if (w[6:0] == OP_FLAT && is_store) d.size = f3 == 6 ? 2 : f3 == 3 ? 1 : 0;
    if (d.size == 3 || (d.size == 2 && !is_store && f3[2]) || (w[6:0] == OP_PRIVATE && is_store && f3[2])) d.unit = ILLEGAL;
    if (w[6:0] == OP_VLOAD || w[6:0] == OP_VSTORE) begin  // vloxei32.v, vluxei32.v and their stores
      d.space = INDEXED;
      d.imm = 0;
      d.size = 2;
      d.masked = !w[25];
      d.unit = f3 == 6 && (w[31:26] == 6'h01 || w[31:26] == 6'h03) ? is_store ? STORE : LOAD : ILLEGAL;
    end
    return d;
  endfunction

  // Prefixes and ends of a warp, additions of 12 bits, vector branches.
  function automatic decoded_t decode_ventus(word_t w, decoded_t start);
    decoded_t d = start;
    logic legal = 1;
    if (w[6:0] == OP_VBRANCH) begin
      d.unit = VBRANCH;
      d.a = A_V1;
      d.b = B_V2;
      case (w[14:12])
        2: d.unit = JOIN;
        3: begin
          d.unit = SETRPC;
          d.a = A_X1;
          d.b = B_IMM;
          d.imm = sign12(w[31:20]);
          d.result = TO_X;
        end
        default: d.op = condition(w[14:12], legal);
      endcase
    end else
      case (w[14:12])
        0: begin  // vadd12.vi
          d.unit = ALU;
          d.a = A_V1;
          d.b = B_IMM;
          d.imm = word_t'(w[31:20]);
          d.result = TO_V;
        end
        2, 3: d.unit = PREFIX;
        4: d.unit = w[31:25] == 0 ? FINISH : w[31:25] == 2 ? BARRIER : w[31:25] == 3 ? NOTHING : ILLEGAL;
        default: legal = 0;
      endcase
    if (!legal) d.unit = ILLEGAL;
    return d;
  endfunction

  function automatic decoded_t decode(word_t w, prefix_t prefix);
    decoded_t d = '0;
    logic legal = 1;
    d.unit = ALU;
    d.op = ADD;
    d.rd = {prefix.xd, w[11:7]};
    d.rs1 = {prefix.x1, w[19:15]};
    d.rs2 = {prefix.x2, w[24:20]};
    d.rs3 = {prefix.x3, w[11:7]};
    d.a = A_X1;
    d.b = B_IMM;
    d.imm = sign12(w[31:20]);
    d.size = w[13:12];
    d.is_signed = !w[14];
    d.result = TO_X;
    case (w[6:0])
      OP_LUI, OP_AUIPC: begin
        d.op = w[6:0] == OP_LUI ? SECOND : ADD;
        d.a = A_PC;
        d.imm = {w[31:12], 12'b0};
      end
      OP_JAL: begin
        d.unit = JUMP;
        d.a = A_PC;
        d.imm = {{12{w[31]}}, w[19:12], w[20], w[30:21], 1'b0};
      end
      OP_JALR: begin
        d.unit = JUMP;
        legal = w[14:12] == 0;
      end
      OP_BRANCH, OP_VBRANCH, OP_VENTUS: begin
        d.unit = BRANCH;
        d.b = B_X2;
        d.result = NONE;
        d.imm = {{20{w[31]}}, w[7], w[30:25], w[11:8], 1'b0};
        if (w[6:0] == OP_BRANCH) d.op = condition(w[14:12], legal);
        else d = decode_ventus(w, d);
      end
      OP_LOAD: begin
        d.unit = LOAD;
        legal = d.size != 3 && !(d.size == 2 && w[14]);
      end
      OP_STORE: begin
        d.unit = STORE;
        d.imm = sign12({w[31:25], w[11:7]});
        d.result = NONE;
        legal = w[14:12] < 3;
      end
      OP_IMM: d.op = scalar_op(w, 0, legal);
      OP_REG: begin
        d.op = scalar_op(w, 1, legal);
        d.b = B_X2;
      end
      OP_FP: begin
        d.op = scalar_float(w, legal);
        d.b = B_X2;
        d.negate = {w[31:25] == 7'h04, 1'b0};
      end
      OP_FMADD, OP_FMSUB, OP_FNMSUB, OP_FNMADD: begin
        d.op = FMACC;
        d.b = B_X2;
        d.rs3 = {prefix.x3, w[31:27]};
        d.negate = {w[2], w[3]};
        legal = w[26:25] == 0 && (w[14:12] == 0 || w[14:12] == 7);
      end
      OP_FENCE: begin  // accesses of a warp are in order anyway
        d.unit = NOTHING;
        d.result = NONE;
        legal = w[14:12] == 0;
      end
      OP_SYSTEM: begin
        d.unit = CSR;
        legal = w[13:12] != 0;
      end
      OP_V: begin
        d.imm = prefix.has_imm ? {{21{prefix.imm[5]}}, prefix.imm, w[19:15]} : {{27{w[19]}}, w[19:15]};
        d = decode_vector(w, d);
      end
      OP_FLAT, OP_PRIVATE, OP_VLOAD, OP_VSTORE: d = decode_lanes(w, d);
      default: legal = 0;
    endcase
    if (!legal) d.unit = ILLEGAL;
    return d;
  endfunction

  // regext: three bits for each of four registers; regexti: six of the immediate, three each of rs2 and rd.
  function automatic prefix_t decode_prefix(word_t w);
    prefix_t p = '0;
    p.has_imm = w[12];
    p.imm = w[31:26];
    if (w[12]) {p.x2, p.xd} = w[25:20];
    else {p.x3, p.x2, p.x1, p.xd} = w[31:20];
    return p;
  endfunction

endpackage
