// Local memory: the same port as memory outside, and the answer in the next cycle.
module local_memory
  import simt_pkg::*;
(
    input logic clock,
    input logic request, is_store,
    input word_t address,      // from 0 on
    input line_t data,
    input bytes_t strobe,
    output logic response, failed,
    output line_t answer
);
  localparam int unsigned LINES = LDS_BYTES / (LINE_WORDS * 4), FROM = $clog2(LINE_WORDS * 4);
  line_t lines[LINES];
  line_t line;
  logic [$clog2(LINES)-1:0] place;
  assign place = address[FROM+:$clog2(LINES)];

  always_comb begin
    line = lines[place];
    for (int w = 0; w < LINE_WORDS; w++) line[w] = blend(line[w], data[w], strobe[w]);
  end

  always_ff @(posedge clock) begin
    response <= request;
    failed <= address >= LDS_BYTES;
    answer <= lines[place];
    if (request && is_store && address < LDS_BYTES) lines[place] <= line;
  end
endmodule
