// The core of examples/rtl with its memory behind one AXI4 port, for the adaptor's port of that kind: instructions, an id for each
// warp, whose answers may come in any order, and lines, in bursts of beats of AXI_BITS or, if they are shorter, of a line. With
// ONE_ID all instructions have the same id, and come in order; with FETCH_PORT they have their plain port. There are five bugs
// more than in the core: 1 a burst FIXED, 2 beats too wide, 3 a burst beyond a page, 4 wlast a beat too early, 5 no strobe of
// the highest byte.
`ifndef AXI_BITS
`define AXI_BITS 64
`endif
module simt_axi
  import simt_pkg::*;
#(
    localparam int unsigned BITS = `AXI_BITS, BYTES = BITS / 8, LINE_BYTES = 4 * LINE_WORDS,
    localparam int unsigned BEAT = BYTES < LINE_BYTES ? BYTES : LINE_BYTES, BEATS = LINE_BYTES / BEAT,
    localparam int unsigned ID_BITS = WARP_BITS + 1
) (
    input logic clock, reset,
    input word_t bug,
    output word_t has_bugs,
    input logic launch,
    input word_t launch_pc, launch_knl, launch_groups_x, launch_groups_y, launch_groups_z, launch_warps,
    input word_t launch_items, launch_last_items, launch_last_of, launch_lds_bytes, launch_pds_base, launch_pds_bytes,
    input word_t launch_pds_groups,
    output logic done,
    output fault_t fault,
    output word_t fault_pc, fault_word,
    output word_t has_lanes, has_warps, has_slots, has_lds_bytes,

`ifdef FETCH_PORT
    output logic fetch_valid,
    output warp_t fetch_id,
    output word_t fetch_address,
    input logic fetched_valid, fetched_error,
    input warp_t fetched_id,
    input word_t fetched_data,
`endif
    output logic m_axi_arvalid, m_axi_awvalid, m_axi_wvalid, m_axi_wlast, m_axi_rready, m_axi_bready,
    input logic m_axi_arready, m_axi_awready, m_axi_wready, m_axi_rvalid, m_axi_rlast, m_axi_bvalid,
    output logic [ID_BITS-1:0] m_axi_arid, m_axi_awid,
    input logic [ID_BITS-1:0] m_axi_rid, m_axi_bid,
    output word_t m_axi_araddr, m_axi_awaddr,
    output logic [7:0] m_axi_arlen, m_axi_awlen,
    output logic [2:0] m_axi_arsize, m_axi_awsize,
    output logic [1:0] m_axi_arburst, m_axi_awburst,
    output logic [BITS-1:0] m_axi_wdata,
    output logic [BYTES-1:0] m_axi_wstrb,
    input logic [BITS-1:0] m_axi_rdata,
    input logic [1:0] m_axi_rresp, m_axi_bresp,

    output logic begin_valid,
    output word_t begin_slot, begin_hart, begin_group, begin_lds, begin_pds,
    output logic end_valid,
    output word_t end_slot,
    output logic retire_valid,
    output word_t retire_hart, retire_pc, retire_word,
    output logic retire_writes_x, retire_writes_v,
    output word_t retire_register, retire_x, retire_lanes,
    output vector_t retire_v,
    output logic retire_memory, retire_store,
    output word_t retire_bytes, retire_memory_lanes,
    output vector_t retire_addresses, retire_data,
    output word_t retire_mask, retire_depth
);
`ifndef FETCH_PORT
  logic fetch_valid, fetched_valid, fetched_error;
  warp_t fetch_id, fetched_id;
  word_t fetch_address, fetched_data;
`endif
  logic memory_valid, memory_write, answer_valid, answer_error;
  word_t memory_address;
  line_t memory_data, answer_data;
  bytes_t memory_strobe;
  word_t core_bugs, wrong;
  assign has_bugs = core_bugs + 5;
  assign wrong = bug > core_bugs ? bug - core_bugs : 0;
  simt simt (.has_bugs(core_bugs), .bug(wrong != 0 ? 0 : bug), .*);

  // Fetches wait here: a warp has one at most.
  /* verilator lint_off UNDRIVEN */
  logic waits[WARPS];
  word_t addresses[WARPS];
  /* verilator lint_on UNDRIVEN */
  logic any_waits;
  warp_t next;
  always_comb begin
    any_waits = 0;
    next = 0;
    for (int w = 0; w < WARPS; w++) if (waits[w]) {any_waits, next} = {1'b1, warp_t'(w)};
  end

  // The line that is under way; the design has one at a time.
  logic reads, asks, writes, bad;
  word_t address;
  line_t line;
  bytes_t strobe;
  int unsigned sent, got;
  int unsigned lane_of_beat;  // where a beat that is shorter than the data has its bytes
  assign lane_of_beat = BEAT < BYTES ? address % BYTES : 0;

  // A line goes before a fetch: warps that wait for the line fetch again and again. What is asked for stays until it is taken.
  logic asked, asked_line;
  warp_t asked_warp;
  assign m_axi_arvalid = asked;
`ifdef ONE_ID
  warp_t order[WARPS], first, last, arrived;  // warps whose instructions are under way
  assign arrived = order[first];
  assign m_axi_arid = asked_line ? ID_BITS'(1) << WARP_BITS : 0;
`else
  warp_t arrived;
  assign arrived = m_axi_rid[WARP_BITS-1:0];
  assign m_axi_arid = asked_line ? ID_BITS'(1) << WARP_BITS : ID_BITS'(asked_warp);
`endif
  assign m_axi_araddr = asked_line ? address : addresses[asked_warp];
  assign m_axi_arlen = asked_line ? 8'(BEATS - 1) : 0;
  assign m_axi_arsize = asked_line ? 3'($clog2(BEAT)) : 2;
  assign {m_axi_arburst, m_axi_awburst} = wrong == 1 ? 4'b0000 : 4'b0101;
  assign m_axi_awvalid = asks && writes;
  assign m_axi_awid = ID_BITS'(1) << WARP_BITS;
  assign m_axi_awaddr = wrong == 3 ? address | 32'hfff : address;
  assign m_axi_awlen = 8'(BEATS - 1);
  assign m_axi_awsize = 3'($clog2(BEAT) + (wrong == 2 ? 1 : 0));
  assign m_axi_wvalid = writes && sent < BEATS;
  assign m_axi_wlast = sent == BEATS - (wrong == 4 ? 2 : 1);
  assign m_axi_wdata = BITS'(line[sent*BEAT/4+:BEAT/4]) << (8 * lane_of_beat);
  assign m_axi_wstrb = BYTES'(strobe[sent*BEAT/4+:BEAT/4]) << lane_of_beat & ~(BYTES'(wrong == 5) << (BYTES - 1));
  assign m_axi_rready = 1;
  assign m_axi_bready = 1;

  always_ff @(posedge clock) begin
    answer_valid <= 0;
`ifndef FETCH_PORT
    fetched_valid <= 0;
    if (fetch_valid) begin
      waits[fetch_id] <= 1;
      addresses[fetch_id] <= fetch_address;
    end
    if (m_axi_rvalid && !m_axi_rid[WARP_BITS]) begin
      fetched_valid <= !reset;
      fetched_id <= arrived;
      fetched_error <= m_axi_rresp != 0;
      fetched_data <= 32'(m_axi_rdata >> (8 * (addresses[arrived] % BYTES)));
    end
`endif
`ifdef ONE_ID
    if (m_axi_rvalid && !m_axi_rid[WARP_BITS]) first <= first + 1;
    if (m_axi_arvalid && m_axi_arready && !asked_line) begin
      order[last] <= asked_warp;
      last <= last + 1;
    end
    if (reset) {first, last} <= 0;
`endif
    if (memory_valid) begin
      {asks, reads, writes, bad} <= {1'b1, !memory_write, memory_write, 1'b0};
      {address, line, strobe} <= {memory_address, memory_data, memory_strobe};
      {sent, got} <= 0;
    end
    if (!asked || m_axi_arready) begin
      asked <= 0;
      if (asks && reads) begin
        {asked, asked_line} <= 2'b11;
        asks <= 0;
      end else if (any_waits) begin
        {asked, asked_line, asked_warp} <= {1'b1, 1'b0, next};
        waits[next] <= 0;
      end
    end
    if (m_axi_awvalid && m_axi_awready) asks <= 0;
    if (m_axi_wvalid && m_axi_wready) sent <= sent + 1;
    if (m_axi_rvalid && m_axi_rid[WARP_BITS]) begin
      line[got*BEAT/4+:BEAT/4] <= (8*BEAT)'(m_axi_rdata >> (8 * lane_of_beat));
      got <= got + 1;
      bad <= bad || m_axi_rresp != 0;
      if (m_axi_rlast) {answer_valid, reads} <= 2'b10;
    end
    if (m_axi_bvalid) begin
      bad <= m_axi_bresp != 0;
      {answer_valid, writes} <= 2'b10;
    end
    if (reset) begin
      for (int w = 0; w < WARPS; w++) waits[w] <= 0;
      {asked, asks, reads, writes, answer_valid} <= 0;
    end
  end
  assign answer_data = line;
  assign answer_error = bad;
endmodule
