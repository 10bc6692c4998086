// The top: a streaming multiprocessor of its own, with three stages.
//
//   1 fetch     warps.sv chooses a warp; memory answers with its instruction, some cycles later
//   2 decode    simt_pkg.sv, with the prefix that the warp has met before
//   3 execute   registers are read, lanes compute, the result is written: the instruction completes. Loads and stores
//               complete later, in lsu.sv, when no other instruction completes
//
// Ports: a launch; two plain request/response ports to memory, one of words for instructions and one of lines for data; what
// completes, for whoever compares. A request is taken in its cycle; the answer comes in a later one, in the order of
// requests. driver/adaptors/verilator.cc stands on the other side.
module simt
  import simt_pkg::*;
(
    input logic clock, reset,
    input word_t bug,                 // which planted bug it has; 0: none
    output word_t has_bugs,

    // A launch begins when launch is 1 for a cycle behind a reset; the other inputs stay until it is done, or has failed.
    input logic launch,
    input word_t launch_pc, launch_knl, launch_groups_x, launch_groups_y, launch_groups_z, launch_warps,
    input word_t launch_items, launch_last_items, launch_last_of, launch_lds_bytes, launch_pds_base, launch_pds_bytes,
    input word_t launch_pds_groups,
    output logic done,
    output fault_t fault,
    output word_t fault_pc, fault_word,
    output word_t has_lanes, has_warps, has_slots, has_lds_bytes,  // the design's sizes

    output logic fetch_valid,
    output warp_t fetch_id,
    output word_t fetch_address,
    input logic fetched_valid, fetched_error,
    input warp_t fetched_id,
    input word_t fetched_data,

    output logic memory_valid, memory_write,
    output word_t memory_address,
    output line_t memory_data,
    output bytes_t memory_strobe,
    input logic answer_valid, answer_error,
    input line_t answer_data,

    // Work-groups come and go; hart is where the first warp of a new one is.
    output logic begin_valid,
    output word_t begin_slot, begin_hart, begin_group, begin_lds, begin_pds,
    output logic end_valid,
    output word_t end_slot,

    // An instruction completes.
    output logic retire_valid,
    output word_t retire_hart, retire_pc, retire_word,
    output logic retire_writes_x, retire_writes_v,
    output word_t retire_register, retire_x, retire_lanes,
    output vector_t retire_v,
    output logic retire_memory, retire_store,
    output word_t retire_bytes, retire_memory_lanes,  // 0: one access of the warp
    output vector_t retire_addresses, retire_data,
    output word_t retire_mask, retire_depth
);
  if (LANES < 4 || LANES > 32 || $countones(LANES) != 1) $error("LANES must be 4, 8, 16 or 32");
  if (WARPS < 2 || $countones(WARPS) != 1) $error("WARPS must be a power of two, 2 or more");
  if (LINE_WORDS < 2 || LINE_WORDS > 64 || $countones(LINE_WORDS) != 1) $error("LINE_WORDS must be 2, 4, 8, 16, 32 or 64");

  bug_t planted;
  assign planted = bug_t'(bug[4:0]);

  // ---- 1 fetch ----
  logic start, complete, at_barrier, finishes, replay;
  warps_t start_warps, slots[SLOTS];
  mask_t start_masks[WARPS];
  word_t pcs[WARPS], next_pc;
  slot_t start_slot;
  retired_t retired;

  warps warps (
      .clock, .reset, .start, .start_warps, .start_pc(launch_pc),
      .complete, .complete_warp(retired.warp), .complete_pc(next_pc), .at_barrier, .finishes,
      .replay, .replay_warp(ex_warp), .slots, .bug(planted),
      .fetch(fetch_valid), .fetch_warp(fetch_id), .fetch_pc(fetch_address), .pcs
  );

  // ---- 2 decode ----
  prefix_t prefixes[WARPS];
  logic ex_valid, ex_error;
  warp_t ex_warp;
  word_t ex_pc, ex_word;
  decoded_t ex;

  always_ff @(posedge clock) begin
    ex_valid <= fetched_valid && !reset;
    ex_error <= fetched_error;
    ex_warp <= fetched_id;
    ex_pc <= pcs[fetched_id];
    ex_word <= fetched_data;
    ex <= decode(fetched_data, prefixes[fetched_id]);
    if (complete && (ex_completes || planted != BUG_PREFIX)) begin
      prefixes[retired.warp] <= ex_completes && ex.unit == PREFIX ? decode_prefix(ex_word) : '0;
      if (planted == BUG_REGEXT) prefixes[retired.warp].x2 <= 0;
    end
    if (start) for (int w = 0; w < WARPS; w++) if (start_warps[w]) prefixes[w] <= '0;
  end

  // ---- 3 execute: operands ----
  logic ex_fault, ex_memory, ex_first, ex_completes;
  word_t x1, x2, x3, y;
  word_t vl[WARPS];
  mask_t mask, vl_mask, active, chosen, conditions;
  vector_t v1, v2, v3, vy;

  scalars scalars (
      .clock, .warp(ex_warp), .rs1(ex.rs1[5:0]), .rs2(ex.rs2[5:0]), .rs3(ex.rs3[5:0]), .x1, .x2, .x3,
      .write(complete && retired.result == TO_X), .write_warp(retired.warp), .rd(retired.rd[5:0]), .value(retired.x), .bug(planted)
  );
  alu scalar_alu (
      .op(ex.op), .negate(ex.negate), .a(ex.a == A_PC ? ex_pc : x1), .b(ex.b == B_X2 ? x2 : ex.b == B_X1 ? x1 : ex.imm), .c(x3), .chosen(0),
      .lane(0), .bug(planted), .y
  );
  for (genvar l = 0; l < LANES; l++) begin : g_lane
    lane lane (
        .clock, .number(l), .warp(ex_warp), .insn(ex), .x1,
        .write(complete && retired.result == TO_V && (retired.lanes[l] || planted == BUG_WRITE_MASK)),
        .write_warp(retired.warp), .write_register(retired.rd), .write_value(retired.v[l]), .bug(planted),
        .v1(v1[l]), .v2(v2[l]), .v3(v3[l]), .chosen(chosen[l]), .y(vy[l])
    );
    assign conditions[l] = vy[l][0];
    assign vl_mask[l] = l < vl[ex_warp];
  end
  assign active = mask & vl_mask & (ex.masked && ex.op != MERGE ? chosen : '1);

  // ---- 3 execute: control registers ----
  word_t csr, wid, gid_x, gid_y, gid_z, lds, pds;
  slot_t slot;
  logic csr_legal;
  logic [63:0] cycle;
  always_ff @(posedge clock) cycle <= reset ? 0 : cycle + 1;
  always_comb begin
    csr = 0;
    csr_legal = ex_word[13:12] == 2 && ex_word[19:15] == 0;  // only read
    case (ex_word[31:20])
      12'h300, 12'h305: csr_legal = ex.rd == 0;  // mstatus, mtvec: written by start code, and kept nowhere
      12'h800: csr = wid * LANES;
      12'h801: csr = launch_warps;
      12'h802: csr = LANES;
      12'h803: csr = launch_knl;
      12'h804: csr = word_t'(slot);
      12'h805: csr = wid;
      12'h806: csr = lds;
      12'h807: csr = pds;
      12'h808: csr = gid_x;
      12'h809: csr = planted == BUG_GIDY ? gid_x : gid_y;
      12'h80a: csr = gid_z;
      12'hc00, 12'hc01: csr = cycle[31:0];
      12'hc80, 12'hc81: csr = cycle[63:32];
      12'hc20: csr = vl[ex_warp];
      default: csr_legal = 0;
    endcase
  end

  // ---- 3 execute: what becomes of the instruction ----
  word_t new_vl, stack_pc;
  logic lsu_idle, lsu_done, stack_full;
  logic [DEPTH_BITS-1:0] depth;
  mask_t next_mask;
  fault_t lsu_fault;
  retired_t ex_retired, lsu_retired;

  assign ex_memory = ex.unit == LOAD || ex.unit == STORE;
  assign ex_fault = ex_valid && (ex_error || ex.unit == ILLEGAL || (ex.unit == CSR && !csr_legal) || stack_full);
  assign ex_completes = ex_valid && !ex_fault && !ex_memory;
  assign replay = ex_valid && !ex_fault && ex_memory && !lsu_idle;
  assign ex_first = ex_valid && !ex_memory;  // it may complete, and the load-store unit waits
  assign complete = ex_completes || (lsu_done && !ex_first);
  assign retired = ex_first ? ex_retired : lsu_retired;

  assign new_vl = ex.rs1 == 0 && ex.b == B_X1 ? (ex.rd == 0 ? vl[ex_warp] : LANES) : ex.b == B_X1 ? x1 : ex.imm;

  always_comb begin
    ex_retired = '{warp: ex_warp, pc: ex_pc, word: ex_word, result: ex.result, rd: ex.rd, x: y, v: vy,
        lanes: active};
    case (ex.unit)
      JUMP: ex_retired.x = ex_pc + (planted == BUG_JALR ? 8 : 4);
      CSR: ex_retired.x = csr;
      VSET: ex_retired.x = new_vl < LANES ? new_vl : LANES;
      TO_SCALAR: begin
        if (active == 0) ex_retired.result = NONE;
        for (int l = 0; l < LANES; l++) if (active[l]) ex_retired.x = v2[l];
      end
      default: ;
    endcase
    next_pc = retired.pc + 4;
    if (ex_completes)
      case (ex.unit)
        JUMP: next_pc = y & ~32'd1;
        BRANCH: if (y[0]) next_pc = ex_pc + ex.imm;
        VBRANCH, JOIN: next_pc = stack_pc;
        default: ;
      endcase
  end
  assign at_barrier = ex_completes && ex.unit == BARRIER;
  assign finishes = ex_completes && ex.unit == FINISH;

  always_ff @(posedge clock) begin
    if (ex_completes && ex.unit == VSET) vl[ex_warp] <= ex_retired.x;
    if (start) for (int w = 0; w < WARPS; w++) if (start_warps[w]) vl[w] <= LANES;
  end

  simt_stack simt_stack (
      .clock, .start, .start_warps, .start_masks, .warp(lsu_done && !ex_first ? lsu_retired.warp : ex_warp),
      .branch(ex_valid && ex.unit == VBRANCH), .join_(ex_completes && ex.unit == JOIN), .setrpc(ex_completes && ex.unit == SETRPC),
      .pc(ex_pc), .target(ex.unit == SETRPC ? y : ex_pc + ex.imm), .taken(conditions & active), .bug(planted),
      .mask, .next_mask, .next_pc(stack_pc), .next_depth(depth), .full(stack_full)
  );

  // ---- memory ----
  logic request, is_store, response, failed, is_local, local_valid, local_failed;
  word_t address;
  line_t data, answer, local_answer;
  bytes_t strobe;
  lsu lsu (
      .clock, .reset, .accept(ex_valid && !ex_fault && ex_memory && lsu_idle), .warp(ex_warp), .pc(ex_pc), .word(ex_word),
      .insn(ex), .active, .x1, .x2, .v1, .v2, .v3, .pds, .group_items(launch_warps * LANES), .tid(wid * LANES), .bug(planted),
      .idle(lsu_idle), .request, .is_store, .address, .data, .strobe, .response, .failed, .answer,
      .done(lsu_done), .taken(!ex_first), .fault(lsu_fault), .retired(lsu_retired),
      .retired_size, .retired_store(retire_store), .retired_scalar, .retired_addresses(retire_addresses),
      .retired_data(retire_data)
  );
  local_memory local_memory (
      .clock, .request(request && is_local), .is_store, .address(address & 32'h0fff_ffff), .data, .strobe,
      .response(local_valid), .failed(local_failed), .answer(local_answer)
  );
  assign is_local = address[31:28] == 7;
  assign {memory_valid, memory_write, memory_address, memory_data, memory_strobe} =
      {request && !is_local, is_store, address, data, strobe};
  assign {response, failed, answer} =
      local_valid ? {1'b1, local_failed, local_answer} : {answer_valid, answer_error, answer_data};

  // ---- work-groups ----
  dispatcher dispatcher (
      .clock, .reset, .launch, .groups_x(launch_groups_x), .groups_y(launch_groups_y), .groups_z(launch_groups_z),
      .group_warps(launch_warps), .group_items(launch_items), .last_items(launch_last_items), .last_of(launch_last_of[1:0]),
      .lds_bytes(launch_lds_bytes), .pds_base(launch_pds_base), .pds_bytes(launch_pds_bytes), .pds_groups(launch_pds_groups),
      .finishes, .finished_warp(ex_warp), .warp(ex_warp), .slot, .wid, .gid_x, .gid_y, .gid_z, .group_lds(lds), .group_pds(pds),
      .start, .start_slot, .start_group(begin_group), .start_warps, .start_masks, .start_lds(begin_lds), .start_pds(begin_pds),
      .ends(end_valid), .ended_slot, .slots, .done, .bug(planted)
  );
  slot_t ended_slot;
  assign begin_valid = start;
  assign begin_slot = word_t'(start_slot);
  assign begin_hart = word_t'(start_slot) * launch_warps;
  assign end_slot = word_t'(ended_slot);

  // ---- what has completed, and what has gone wrong ----
  assign {has_lanes, has_warps, has_slots, has_lds_bytes} = {LANES, WARPS, SLOTS, LDS_BYTES};
  assign has_bugs = BUGS;
  logic [1:0] retired_size;
  logic retired_scalar;
  assign retire_valid = complete;
  assign retire_hart = word_t'(retired.warp);
  assign retire_pc = retired.pc;
  assign retire_word = retired.word;
  assign retire_writes_x = retired.result == TO_X;
  assign retire_writes_v = retired.result == TO_V;
  assign retire_register = word_t'(retired.rd);
  assign retire_x = retired.x;
  assign retire_v = retired.v;
  assign retire_lanes = planted == BUG_WRITE_MASK ? word_t'(mask_t'('1)) : word_t'(retired.lanes);
  assign retire_memory = !ex_first && (retired_scalar || retired.lanes != 0);
  assign retire_bytes = 32'd1 << retired_size;
  assign retire_memory_lanes = retired_scalar ? 0 : word_t'(retired.lanes);
  assign retire_mask = word_t'(next_mask);
  assign retire_depth = word_t'(depth);

  always_ff @(posedge clock)
    if (reset) fault <= FINE;
    else if (fault == FINE && (ex_fault || lsu_fault != FINE)) begin
      fault <= lsu_fault != FINE ? lsu_fault : ex_error ? NO_MEMORY : stack_full ? STACK_FULL : BAD_INSTRUCTION;
      fault_pc <= lsu_fault != FINE ? lsu_retired.pc : ex_pc;
      fault_word <= lsu_fault != FINE ? lsu_retired.word : ex_word;
    end
endmodule
