// The SIMT stack of every warp: which of its lanes run, and where the others wait.
//
// At a branch on which lanes disagree, two entries are pushed: where all of them meet again (the reconvergence point,
// which setrpc has named), with all of them; above it the start of the path that waits, with its lanes. The path with
// fewer lanes runs first, so that a stack never has more entries than the warp has lanes. A join at the reconvergence point
// takes the top entry: first the waiting path, and behind it the join once more, now with all lanes.
//
//        vbne A            stack (top first)            runs
//        x ...             [A: 0011] [join: 1111]       1100 at x
//        j join
//     A: y ...             [join: 1111]                 0011 at A, after the first join
//     join                 -                            1111 behind it, after the second, and a third that finds nothing
module simt_stack
  import simt_pkg::*;
(
    input logic clock,
    input logic start,           // these warps begin, with these lanes
    input warps_t start_warps,
    input mask_t start_masks[WARPS],
    input warp_t warp,           // of the instruction that executes now
    input logic branch, join_, setrpc,
    input word_t pc, target,
    input mask_t taken,          // lanes whose condition holds
    input bug_t bug,
    output mask_t mask,          // of that warp, before the instruction ...
    output mask_t next_mask,     // ... and after it
    output word_t next_pc,
    output logic [DEPTH_BITS-1:0] next_depth,
    output logic full
);
  typedef struct packed {
    word_t rpc, pc;
    mask_t lanes;
  } entry_t;

  entry_t stack[WARPS*DEPTH];
  logic [DEPTH_BITS-1:0] depths[WARPS];
  mask_t masks[WARPS];
  word_t rpcs[WARPS];

  function automatic int unsigned place(warp_t of, logic [DEPTH_BITS-1:0] depth);
    return 32'(of) * DEPTH + 32'(depth);
  endfunction

  mask_t rest;
  entry_t top;
  logic diverges, pops, taken_first;
  logic [DEPTH_BITS-1:0] depth;
  assign mask = masks[warp];
  assign depth = depths[warp];
  assign rest = mask & ~taken;
  assign diverges = branch && taken != 0 && rest != 0;
  assign taken_first = ($countones(taken) <= $countones(rest)) != (bug == BUG_PATH);
  assign top = depth == 0 ? '0 : stack[place(warp, depth - 1)];
  assign pops = join_ && depth != 0 && top.rpc == pc;
  assign full = diverges && 32'(depth) + 2 > DEPTH;

  always_comb begin
    next_pc = pc + 4;
    next_mask = mask;
    next_depth = depth;
    if (diverges) begin
      next_pc = taken_first ? target : pc + 4;
      next_mask = taken_first ? taken : rest;
      next_depth = depth + 2;
    end else if (branch) next_pc = taken != 0 ? target : pc + 4;
    else if (pops) begin
      next_pc = bug == BUG_JOIN_PC ? pc + 4 : top.pc;
      next_mask = bug == BUG_JOIN_MASK ? top.lanes | mask : top.lanes;
      next_depth = depth - 1;
    end
  end

  always_ff @(posedge clock) begin
    if (diverges && !full) begin
      stack[place(warp, depth)] <= '{rpcs[warp], rpcs[warp], mask};
      stack[place(warp, depth + 1)] <= '{rpcs[warp], taken_first ? pc + 4 : target, taken_first ? rest : taken};
    end
    if (setrpc) rpcs[warp] <= target;
    masks[warp] <= next_mask;
    depths[warp] <= next_depth;
    if (start)
      for (int w = 0; w < WARPS; w++)
        if (start_warps[w]) begin
          masks[w] <= start_masks[w];
          depths[w] <= 0;
          rpcs[w] <= 0;
        end
  end
endmodule
