// One lane: its part of the vector registers of all warps, and an ALU.
//
// All lanes get the same instruction of the same warp; that is what SIMT means. Which of them write is the warp's mask,
// which is decided elsewhere.
module lane
  import simt_pkg::*;
(
    input logic clock,
    input word_t number,       // which lane this is
    input warp_t warp,
    input decoded_t insn,
    input word_t x1,           // the scalar operand of vadd.vx and such
    input logic write,
    input warp_t write_warp,
    input logic [7:0] write_register,
    input word_t write_value,
    input bug_t bug,
    output word_t v1, v2, v3,  // what its registers hold
    output logic chosen,       // bit 0 of v0
    output word_t y
);
  /*verilator no_inline_module*/  // the simulator compiles it once

  word_t registers[WARPS*256];
  word_t v0;
  op_t op;

  assign v1 = registers[{warp, insn.rs1}];
  assign v2 = registers[{warp, insn.rs2}];
  assign v3 = registers[{warp, insn.rs3}];
  assign v0 = registers[{warp, 8'd0}];
  assign chosen = v0[0];
  assign op = bug == BUG_LANE && number == LANES - 1 && insn.op == SUB ? ADD : insn.op;

  alu alu (
      .op,
      .negate(insn.negate),
      .a(insn.a == A_V1 ? v1 : v2),
      .b(insn.b == B_V1 ? v1 : insn.b == B_V2 ? v2 : insn.b == B_X1 ? x1 : insn.imm),
      .c(v3),
      .chosen,
      .lane(number),
      .bug,
      .y
  );

  always_ff @(posedge clock) if (write) registers[{write_warp, write_register}] <= write_value;
endmodule
