// One ALU: the scalars have one, and so has every lane.
//
// Everything is done in one cycle, division too. A real lane would divide a bit at a time; this is a lesson in how
// warps run, not in arithmetic.
module alu
  import simt_pkg::*, float_pkg::*;
(
    input op_t op,
    input logic [1:0] negate,   // of a float sum
    input word_t a, b, c,       // c: the third source
    input logic chosen,         // the lane's bit of v0, for vmerge
    input word_t lane,          // its number, for vid
    input bug_t bug,
    output word_t y
);
  logic [63:0] product;
  logic a_sign, b_sign, overflow;
  assign a_sign = (op == MULH || op == MULHSU || (op == MULHU && bug == BUG_MULHU)) && a[31];
  assign b_sign = op == MULH && b[31];
  assign product = {{32{a_sign}}, a} * {{32{b_sign}}, b};
  assign overflow = a == 32'h8000_0000 && b == '1;

  function automatic word_t flag(logic x);
    return word_t'(x);
  endfunction

  always_comb
    case (op)
      ADD: y = a + b;
      SUB: y = a - b;
      RSUB: y = b - a;
      AND: y = a & b;
      OR: y = a | b;
      XOR: y = a ^ b;
      SLL: y = a << b[4:0];
      SRL: y = a >> b[4:0];
      SRA: y = bug == BUG_SRA ? a >> b[4:0] : word_t'($signed(a) >>> b[4:0]);
      SEQ: y = flag(a == b);
      SNE: y = flag(a != b);
      SLT: y = flag($signed(a) < $signed(b));
      SLTU: y = bug == BUG_SLTU ? flag($signed(a) < $signed(b)) : flag(a < b);
      SGE: y = flag($signed(a) >= $signed(b));
      SGEU: y = flag(a >= b);
      SLE: y = flag($signed(a) <= $signed(b));
      SLEU: y = flag(a <= b);
      SGT: y = flag($signed(a) > $signed(b));
      SGTU: y = bug == BUG_VMSGTU ? flag(a >= b) : flag(a > b);
      MIN: y = $signed(a) < $signed(b) ? a : b;
      MINU: y = a < b ? a : b;
      MAX: y = $signed(a) > $signed(b) ? a : b;
      MAXU: y = a > b ? a : b;
      MUL: y = product[31:0];
      MULH, MULHSU, MULHU: y = product[63:32];
      DIV: y = b == 0 ? '1 : overflow ? a : word_t'($signed(a) / $signed(b));
      DIVU: y = b == 0 ? (bug == BUG_DIVU ? 0 : '1) : a / b;
      REM: y = b == 0 ? a : overflow ? 0 : word_t'($signed(a) % $signed(b));
      REMU: y = b == 0 ? a : a % b;
      MACC: y = c + product[31:0];
      NMSAC: y = c - product[31:0];
      MADD: y = bug == BUG_VMADD ? c + product[31:0] : b * c + a;
      NMSUB: y = a - b * c;
      SECOND: y = b;
      MERGE: y = chosen ? b : a;
      LANE: y = lane;
      default: y = float(op, negate, a, b, c);
    endcase
endmodule
