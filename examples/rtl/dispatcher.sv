// The dispatcher: puts the work-groups of a launch on slots, x fastest, and says what their control registers hold.
//
// Work-groups of a launch have one size, so that a slot is simple: slot k has the warps from k * warps on, and the local memory
// from k * (bytes of a group) on. As many slots are used as there is room for. A group ends with its last warp.
module dispatcher
  import simt_pkg::*;
(
    input logic clock, reset,
    input logic launch,                                // the launch begins; what follows stays until its end
    input word_t groups_x, groups_y, groups_z,
    input word_t group_warps, group_items,             // warps and work-items of a group
    input word_t last_items,                           // not 0: work-items of the last groups in this dimension
    input logic [1:0] last_of,
    input word_t lds_bytes, pds_base, pds_bytes, pds_groups,
    input logic finishes,                              // this warp has ended
    input warp_t finished_warp,
    input warp_t warp,                                 // whose place is asked for:
    output slot_t slot,
    output word_t wid, gid_x, gid_y, gid_z, group_lds, group_pds,
    output logic start,                                // a work-group begins
    output slot_t start_slot,
    output word_t start_group,                         // its number
    output warps_t start_warps,
    output mask_t start_masks[WARPS],
    output word_t start_lds, start_pds,
    output logic ends,                                 // a work-group has ended
    output slot_t ended_slot,
    output warps_t slots[SLOTS],                       // warps of each that have not
    output logic done,
    input bug_t bug
);
  localparam word_t LDS_BASE = 32'h7000_0000;

  logic more;                   // groups are left
  logic [SLOTS-1:0] used;
  word_t x, y, z, number;       // of the next group
  word_t lds_stride, pds_stride;
  word_t items, first, wids[WARPS];  // of the group that begins: its work-items, its first warp, the warps' numbers in it
  typedef struct packed {word_t x, y, z, lds, pds;} place_t;
  place_t places[SLOTS];
  slot_t slot_of[WARPS];
  word_t wid_of[WARPS];

  assign lds_stride = (lds_bytes + 1023) & ~32'd1023;
  assign pds_stride = pds_bytes * group_warps * LANES;
  assign slot = slot_of[warp];
  assign wid = wid_of[warp];
  assign {gid_x, gid_y, gid_z, group_lds, group_pds} = places[slot];
  assign done = !more && used == 0;

  function automatic logic fits(word_t k);
    return (k + 1) * group_warps <= WARPS && (k + 1) * lds_stride <= LDS_BYTES && k < pds_groups;
  endfunction

  function automatic logic is_last();
    return last_items != 0 &&
        (last_of == 0 ? x + 1 == groups_x : last_of == 1 ? y + 1 == groups_y : z + 1 == groups_z);
  endfunction

  always_comb begin
    start = 0;
    start_slot = 0;
    for (int k = SLOTS - 1; k >= 0; k--)
      if (more && !used[k] && fits(k)) begin
        start = 1;
        start_slot = slot_t'(k);
      end
    start_group = number;
    start_lds = LDS_BASE + (bug == BUG_LDS_BASE ? 0 : lds_stride * word_t'(start_slot));
    start_pds = pds_base + pds_stride * word_t'(start_slot);
    items = is_last() ? last_items : group_items;
    first = word_t'(start_slot) * group_warps;
    for (int w = 0; w < WARPS; w++) begin
      wids[w] = w - first;
      start_warps[w] = w >= first && wids[w] < group_warps;
      start_masks[w] = items >= (wids[w] + 1) * LANES || bug == BUG_LAST_WARP ? '1 : (mask_t'(1) << (items - wids[w] * LANES)) - 1;
    end

    ends = 0;
    ended_slot = 0;
    for (int k = 0; k < SLOTS; k++)
      if (used[k] && slots[k] == 0) begin
        ends = 1;
        ended_slot = slot_t'(k);
      end
  end

  always_ff @(posedge clock)
    if (reset) begin
      more <= 0;
      used <= 0;
      for (int k = 0; k < SLOTS; k++) slots[k] <= 0;
    end else begin
      if (launch) begin
        more <= 1;
        {x, y, z, number} <= 0;
      end
      if (ends) used[ended_slot] <= 0;
      if (finishes) slots[slot_of[finished_warp]][finished_warp] <= 0;
      if (start) begin
        used[start_slot] <= 1;
        slots[start_slot] <= start_warps;
        places[start_slot] <= '{x, y, z, start_lds, start_pds};
        for (int w = 0; w < WARPS; w++)
          if (start_warps[w]) begin
            slot_of[w] <= start_slot;
            wid_of[w] <= wids[w];
          end
        number <= number + 1;
        x <= x + 1 == groups_x ? 0 : x + 1;
        if (x + 1 == groups_x) y <= y + 1 == groups_y ? 0 : y + 1;
        if (x + 1 == groups_x && y + 1 == groups_y) z <= z + 1;
        more <= !(x + 1 == groups_x && y + 1 == groups_y && z + 1 == groups_z);
      end
    end
endmodule
