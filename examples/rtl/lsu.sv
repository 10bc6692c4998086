// The load-store unit: one memory instruction at a time, a line at a time.
//
// The addresses of all lanes are known at once; what costs time is how many lines (of 128 bytes) they touch. In each
// round the lowest lane that still waits names a line, and all waiting lanes whose addresses are in it are served by the same
// access: they are coalesced. 32 consecutive words take one access, 32 words of a column of a matrix take 32.
module lsu
  import simt_pkg::*;
(
    input logic clock, reset,
    input logic accept,               // this instruction begins; only when idle
    input warp_t warp,
    input word_t pc, word,
    input decoded_t insn,
    input mask_t active,
    input word_t x1, x2,
    input vector_t v1, v2, v3,
    input word_t pds, group_items, tid,  // of private memory: base, work-items of the warps of a group, the warp's first one
    input bug_t bug,
    output logic idle,

    output logic request, is_store,   // to memory: a line, and of a store the bytes that it writes
    output word_t address,
    output line_t data,
    output bytes_t strobe,
    input logic response, failed,     // failed: there is no memory
    input line_t answer,

    output logic done,                // the instruction has completed ...
    input logic taken,                // ... and its result goes to the registers
    output fault_t fault,
    output retired_t retired,
    output logic [1:0] retired_size,
    output logic retired_store, retired_scalar,
    output vector_t retired_addresses, retired_data
);
  typedef enum logic [1:0] {IDLE, ASK, WAIT, DONE} state_t;
  state_t state;
  decoded_t in;
  warp_t in_warp;
  word_t in_pc, in_word;
  mask_t lanes, pending, group;
  vector_t addresses, values;        // of a store the data, of a load the result

  // Where the instruction's accesses go. Private memory: the same word of consecutive work-items is consecutive, so that
  // all lanes' word k is one line.
  vector_t new_addresses, new_values;
  always_comb
    for (int l = 0; l < LANES; l++) begin
      word_t sum = (insn.space == SCALAR || insn.space == INDEXED ? x1 : v1[l]) + (insn.space == INDEXED ? v2[l] : insn.imm);
      new_addresses[l] = insn.space != PRIVATE ? sum
          : pds + (sum & ~32'd3) * (bug == BUG_PRIVATE ? LANES : group_items) + ((tid + l) << 2) + (sum & 32'd3);
      new_values[l] = cut(insn.space == SCALAR ? x2 : insn.space == INDEXED ? v3[l] : v2[l], insn.size);
    end

  function automatic logic is_aligned(word_t a, logic [1:0] size);
    return size == 0 || (size == 1 ? !a[0] : a[1:0] == 0);
  endfunction

  // What a load makes of the word in which its bytes are.
  function automatic word_t extract(word_t w, logic [1:0] at);
    word_t x = w >> {at, 3'b0};
    if (in.size == 0) return {{24{(in.is_signed || bug == BUG_EXTEND) && x[7]}}, x[7:0]};
    if (in.size == 1) return {{16{in.is_signed && x[15]}}, x[15:0]};
    return x;
  endfunction

  function automatic word_t cut(word_t w, logic [1:0] size);
    return size == 0 ? {24'b0, w[7:0]} : size == 1 ? {16'b0, w[15:0]} : w;
  endfunction

  // The bytes of its word that an access covers.
  function automatic logic [3:0] bytes_of(logic [1:0] at);
    case (in.size)
      0: return 4'b0001 << at;
      1: return bug == BUG_STROBE ? 4'b0011 : 4'b0011 << at;
      default: return 4'b1111;
    endcase
  endfunction

  // The next line, and who is served by it.
  localparam int unsigned LINE = $clog2(LINE_WORDS * 4);  // bits of an address within a line
  logic [3:0] covered;
  logic [LINE-3:0] place;
  always_comb begin
    covered = 0;
    place = 0;
    address = 0;
    group = 0;
    data = '0;
    strobe = '0;
    if (state == ASK || state == WAIT) begin
      for (int l = LANES - 1; l >= 0; l--) if (pending[l]) address = addresses[l];
      address[LINE-1:0] = 0;
      for (int l = 0; l < LANES; l++) begin
        group[l] = pending[l] && (addresses[l] ^ address) >> (bug == BUG_COALESCE ? LINE + 1 : LINE) == 0;
        if (group[l] && in.unit == STORE) begin  // of two lanes with one address, the higher one's data stay
          covered = bytes_of(addresses[l][1:0]);
          place = addresses[l][LINE-1:2];
          strobe[place] |= covered;
          data[place] = blend(data[place], values[l] << {addresses[l][1:0], 3'b0}, covered);
        end
      end
    end
  end
  assign request = state == ASK;
  assign is_store = in.unit == STORE;
  assign idle = state == IDLE;
  assign done = state == DONE;

  always_ff @(posedge clock) begin
    if (reset) begin
      state <= IDLE;
      fault <= FINE;
    end else
      case (state)
        IDLE:
        if (accept) begin
          in <= insn;
          {in_warp, in_pc, in_word} <= {warp, pc, word};
          lanes <= active;
          pending <= insn.space == SCALAR ? mask_t'(1) : active;
          state <= insn.space != SCALAR && active == 0 ? DONE : ASK;
          addresses <= new_addresses;
          values <= new_values;
          for (int l = 0; l < LANES; l++)
            if ((insn.space == SCALAR ? l == 0 : active[l]) && !is_aligned(new_addresses[l], insn.size)) fault <= BAD_ALIGNMENT;
        end
        ASK: state <= WAIT;
        WAIT:
        if (response) begin
          if (failed) fault <= NO_MEMORY;
          for (int l = 0; l < LANES; l++)
            if (group[l] && in.unit == LOAD) values[l] <= extract(answer[addresses[l][LINE-1:2]], addresses[l][1:0]);
          pending <= pending & ~group;
          state <= pending == group ? DONE : ASK;
        end
        DONE: if (taken) state <= IDLE;
      endcase
  end

  assign retired = '{warp: in_warp, pc: in_pc, word: in_word, result: in.result, rd: in.rd, x: values[0], v: values, lanes: lanes};
  assign retired_size = in.size;
  assign retired_store = in.unit == STORE;
  assign retired_scalar = in.space == SCALAR;
  assign retired_addresses = addresses;
  assign retired_data = values;
endmodule
