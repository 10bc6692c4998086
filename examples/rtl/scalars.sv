// The scalar registers of all warps: 64 of each, of which x0 is always 0.
module scalars
  import simt_pkg::*;
(
    input logic clock,
    input warp_t warp,
    input logic [5:0] rs1, rs2, rs3,
    output word_t x1, x2, x3,
    input logic write,
    input warp_t write_warp,
    input logic [5:0] rd,
    input word_t value,
    input bug_t bug
);
  word_t registers[WARPS*64];

  assign x1 = rs1 == 0 && bug != BUG_X0 ? 0 : registers[{warp, rs1}];
  assign x2 = rs2 == 0 && bug != BUG_X0 ? 0 : registers[{warp, rs2}];
  assign x3 = rs3 == 0 ? 0 : registers[{warp, rs3}];
  always_ff @(posedge clock) if (write) registers[{write_warp, rd}] <= value;
endmodule
