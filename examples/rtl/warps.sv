// The front end: a table of warps, and the scheduler that chooses which of them fetches its next instruction.
//
// A warp has one instruction under way at a time, so that no instruction ever waits for a register, and nothing is
// forwarded. The pipeline is full as long as enough warps are ready: that is how a GPU hides latency. In each cycle the
// ready warp whose turn it is (round robin) sends its pc to memory, and is busy until its instruction completes. A memory
// instruction that finds the load-store unit occupied is not kept: its warp is ready again, and fetches it once more.
module warps
  import simt_pkg::*;
(
    input logic clock, reset,
    input logic start,                          // these warps begin, at this address
    input warps_t start_warps,
    input word_t start_pc,
    input logic complete,                       // an instruction of this warp has completed: the next one is there
    input warp_t complete_warp,
    input word_t complete_pc,
    input logic at_barrier, finishes,           // it was a barrier, or the warp's last
    input logic replay,                         // one has not, and begins anew
    input warp_t replay_warp,
    input warps_t slots[SLOTS],                 // the warps of each work-group that have not ended
    input bug_t bug,
    output logic fetch,
    output warp_t fetch_warp,
    output word_t fetch_pc,
    output word_t pcs[WARPS]
);
  typedef enum logic [1:0] {ABSENT, READY, BUSY, WAITING} state_t;
  state_t states[WARPS];
  warp_t last;
  warps_t ready, waiting, released;

  always_comb begin
    for (int w = 0; w < WARPS; w++) begin
      ready[w] = states[w] == READY;
      waiting[w] = states[w] == WAITING;
    end
    fetch = ready != 0;
    fetch_warp = last;
    for (int i = WARPS; i > 0; i--) if (ready[last + warp_t'(i)]) fetch_warp = last + warp_t'(i);
    fetch_pc = pcs[fetch_warp];

    // A barrier opens for a work-group when all of its warps that have not ended wait.
    released = 0;
    for (int s = 0; s < SLOTS; s++)
      if ((waiting & slots[s]) == slots[s] || (bug == BUG_BARRIER && $countones(slots[s] & ~waiting) == 1))
        released |= waiting & slots[s];
  end

  always_ff @(posedge clock)
    if (reset) begin
      for (int w = 0; w < WARPS; w++) states[w] <= ABSENT;
      last <= 0;
    end else begin
      if (fetch) begin
        states[fetch_warp] <= BUSY;
        last <= fetch_warp;
      end
      for (int w = 0; w < WARPS; w++) begin
        if (released[w]) states[w] <= READY;
        if (replay && replay_warp == warp_t'(w)) states[w] <= READY;
        if (complete && complete_warp == warp_t'(w)) begin
          states[w] <= finishes ? ABSENT : at_barrier ? WAITING : READY;
          pcs[w] <= complete_pc;
        end
        if (start && start_warps[w]) begin
          states[w] <= READY;
          pcs[w] <= start_pc;
        end
      end
    end
endmodule
