// A design of four lanes and one warp that knows six instructions, in lock step with the reference by way of DPI; with
// +wrong=N its instruction number N gives a wrong result. Its program squares the numbers of lanes and stores them.
module squares;
  import ventus_cosim::*;

  localparam int unsigned CODE = 'h8000_0000, DATA = 'h9000_0000, INSTRUCTIONS = 7;
  localparam bit [31:0] PROGRAM[INSTRUCTIONS] = '{
      'h900002b7,  // lui     x5, 0x90000
      'h5208a0d7,  // vid.v   v1
      'h9610a157,  // vmul.vv v2, v1, v1
      'h961130d7,  // vsll.vi v1, v1, 2
      'h0212c0d7,  // vadd.vx v1, v1, x5
      'h0020e07b,  // vsw12.v v2, 0(v1)
      'h0000400b   // endprg
  };

  chandle cosim;
  int wrong;
  bit clock = 0;
  int unsigned step = 0;
  bit [31:0] x5;
  bit [3:0][31:0] v1, v2;

  task automatic must(input int good);
    if (good != 0) return;
    if (ventus_cosim_metric(cosim, METRIC_DIFFERENCES) != 0) $display("%s", ventus_cosim_report(cosim));
    else $display("%s", ventus_cosim_error(cosim));
    $finish;
  endtask

  task automatic write_v(input int unsigned register, input bit [3:0][31:0] value);
    must(ventus_cosim_dut_v_set(cosim, 0, register, 'hf, lanes_t'(value)));
  endtask

  task automatic store;
    must(ventus_cosim_dut_bus(cosim, 0, BUS_STORE, 4, 'hf, lanes_t'(v1), lanes_t'(v2)));
  endtask

  // What instruction number `step` does, in all lanes at once.
  task automatic execute;
    bit [31:0] fault;
    fault = step == wrong ? 1 : 0;
    case (step)
      0: begin
        x5 = DATA + fault;
        must(ventus_cosim_dut_x_set(cosim, 0, 5, x5));
      end
      1: for (int i = 0; i < 4; i++) v1[i] = i;
      2: for (int i = 0; i < 4; i++) v2[i] = v1[i] * v1[i] + fault;
      3: for (int i = 0; i < 4; i++) v1[i] = v1[i] << 2;
      4: for (int i = 0; i < 4; i++) v1[i] = v1[i] + x5;
      5: begin
        v2[3] = v2[3] + fault;
        store();
      end
      default: ;
    endcase
    if (step == 2) write_v(2, v2);
    else if (step == 1 || step == 3 || step == 4) write_v(1, v1);
  endtask

  task automatic start;
    launch_t launch;
    lanes_t bytes;
    if ($value$plusargs("wrong=%d", wrong) == 0) wrong = -1;
    cosim = ventus_cosim_ref_init("", COSIM_X | COSIM_V | COSIM_MEMORY);
    bytes = '0;
    for (int i = 0; i < INSTRUCTIONS; i++) bytes[32 * i+:32] = PROGRAM[i];
    must(ventus_cosim_ref_memory_write(cosim, CODE, bytes, INSTRUCTIONS * 4));
    must(ventus_cosim_ref_memory_open(cosim, DATA, 4096));
    launch = '0;
    launch[LAUNCH_START_PC] = CODE;
    launch[LAUNCH_GROUPS_X] = 1;
    launch[LAUNCH_GROUPS_Y] = 1;
    launch[LAUNCH_GROUPS_Z] = 1;
    launch[LAUNCH_WARPS] = 1;
    launch[LAUNCH_THREADS] = 4;
    must(ventus_cosim_ref_launch(cosim, launch));
    must(ventus_cosim_dut_group_begin(cosim, 0, 0, 0, 0, 0));
    must(ventus_cosim_dut_warp_begin(cosim, 0, 0, 0, 0));
  endtask

  task automatic stop;
    must(ventus_cosim_dut_group_end(cosim, 0, 0));
    must(ventus_cosim_ref_launch_end(cosim));
    must(ventus_cosim_ref_memory_compare(cosim, DATA, lanes_t'(v2), 16));
    $display("equal: %0d instructions", ventus_cosim_metric(cosim, METRIC_RETIRED));
    ventus_cosim_ref_shutdown(cosim);
    $finish;
  endtask

  initial start();
  always #1 clock = !clock;
  always @(posedge clock) begin
    execute();
    must(ventus_cosim_dut_retire(cosim, 0, CODE + 4 * step, PROGRAM[step]));
    step = step + 1;
    if (step == INSTRUCTIONS) stop();
  end
endmodule
