// The functions of ventus_cosim.h, for designs in SystemVerilog: import ventus_cosim::* and link libventus-cosim.
//
// A vector of 32 words is a packed one of 1024 bits, lane 0 in the lowest 32; a design with fewer lanes leaves the upper
// ones 0. Memory is written, read and compared in pieces of up to 128 bytes, the first one in the lowest bits. Return values:
// 1 done or equal, 0 failed or different. ventus_cosim.h explains each function.
package ventus_cosim;
  /* verilator lint_off UNUSEDPARAM */

  typedef bit [1023:0] lanes_t;

  // What the design reports, for ventus_cosim_ref_init.
  localparam int unsigned COSIM_X = 1, COSIM_V = 2, COSIM_MEMORY = 4, COSIM_SIMT = 8, COSIM_ALL = 15;

  // A launch, its fields in the lowest words: launch[LAUNCH_WARPS] = 2. The same numbers for ventus_cosim_ref_launch_field.
  typedef bit [12:0][31:0] launch_t;
  localparam int unsigned LAUNCH_START_PC = 0, LAUNCH_KNL = 1, LAUNCH_GROUPS_X = 2, LAUNCH_GROUPS_Y = 3,
    LAUNCH_GROUPS_Z = 4, LAUNCH_WARPS = 5, LAUNCH_THREADS = 6, LAUNCH_WORK_ITEMS = 7, LAUNCH_SGPRS = 8,
    LAUNCH_VGPRS = 9, LAUNCH_LDS_BYTES = 10, LAUNCH_PDS_BASE = 11, LAUNCH_PDS_BYTES = 12;

  // What an access is, for ventus_cosim_dut_bus.
  localparam int unsigned BUS_LOAD = 0, BUS_STORE = 1, BUS_ATOMIC = 2;

  // For ventus_cosim_metric.
  localparam int unsigned METRIC_RETIRED = 0, METRIC_COMPARED = 1, METRIC_TAKEN = 2, METRIC_TOLERATED = 3,
    METRIC_DIFFERENCES = 4;
  /* verilator lint_on UNUSEDPARAM */

  // The reference.
  import "DPI-C" function chandle ventus_cosim_ref_init(input string machine, input int unsigned reports);
  import "DPI-C" function void ventus_cosim_ref_shutdown(input chandle cosim);
  import "DPI-C" function string ventus_cosim_error(input chandle cosim);
  import "DPI-C" function int ventus_cosim_ref_case(input chandle cosim, input string metadata);
  import "DPI-C" function int ventus_cosim_ref_program_load(input chandle cosim, input string elf);
  import "DPI-C" function int ventus_cosim_ref_memory_open(input chandle cosim, input int unsigned addr,
    input longint unsigned size);
  import "DPI-C" function int ventus_cosim_ref_memory_write(input chandle cosim, input int unsigned addr,
    input lanes_t bytes, input longint unsigned size);
  import "DPI-C" function int ventus_cosim_ref_memory_read(input chandle cosim, input int unsigned addr,
    output lanes_t bytes, input longint unsigned size);
  import "DPI-C" function int ventus_cosim_ref_memory_compare(input chandle cosim, input int unsigned addr,
    input lanes_t bytes, input longint unsigned size);
  import "DPI-C" function int ventus_cosim_ref_last_groups(input chandle cosim, input int unsigned work_items,
    input int unsigned dimension);
  import "DPI-C" function int ventus_cosim_ref_launch(input chandle cosim, input launch_t launch);
  import "DPI-C" function int unsigned ventus_cosim_ref_launch_field(input chandle cosim, input int unsigned field);
  import "DPI-C" function int unsigned ventus_cosim_ref_word(input chandle cosim, input int unsigned addr);
  import "DPI-C" function int ventus_cosim_ref_launch_end(input chandle cosim);
  import "DPI-C" function int ventus_cosim_ref_tolerance(input chandle cosim, input string pattern, input int unsigned ulps);

  // The design.
  import "DPI-C" function int ventus_cosim_dut_group_begin(input chandle cosim, input int unsigned sm,
    input int unsigned slot, input int unsigned group, input int unsigned lds_base, input int unsigned pds_base);
  import "DPI-C" function int ventus_cosim_dut_warp_begin(input chandle cosim, input int unsigned hart,
    input int unsigned sm, input int unsigned slot, input int unsigned warp);
  import "DPI-C" function int ventus_cosim_dut_group_end(input chandle cosim, input int unsigned sm,
    input int unsigned slot);
  import "DPI-C" function int ventus_cosim_dut_x_set(input chandle cosim, input int unsigned hart,
    input int unsigned reg_, input int unsigned value);
  import "DPI-C" function int ventus_cosim_dut_v_set(input chandle cosim, input int unsigned hart,
    input int unsigned reg_, input int unsigned mask, input lanes_t values);
  import "DPI-C" function int ventus_cosim_dut_bus(input chandle cosim, input int unsigned hart, input int unsigned write,
    input int unsigned bytes, input int unsigned mask, input lanes_t addr, input lanes_t data);
  import "DPI-C" function int ventus_cosim_dut_simt_set(input chandle cosim, input int unsigned hart,
    input int unsigned mask, input int unsigned depth);
  import "DPI-C" function int ventus_cosim_dut_retire(input chandle cosim, input int unsigned hart, input int unsigned pc,
    input int unsigned word);

  // The reference alone.
  import "DPI-C" function int ventus_cosim_ref_step(input chandle cosim, input int unsigned hart);
  import "DPI-C" function int unsigned ventus_cosim_ref_written(input chandle cosim, output int unsigned reg_,
    output int unsigned mask);
  import "DPI-C" function int ventus_cosim_ref_ended(input chandle cosim, input int unsigned hart);

  // State of the reference, and what came of it.
  import "DPI-C" function int unsigned ventus_cosim_ref_pc(input chandle cosim, input int unsigned hart);
  import "DPI-C" function int unsigned ventus_cosim_ref_x(input chandle cosim, input int unsigned hart,
    input int unsigned reg_);
  import "DPI-C" function int unsigned ventus_cosim_ref_v(input chandle cosim, input int unsigned hart,
    input int unsigned reg_, input int unsigned lane);
  import "DPI-C" function int unsigned ventus_cosim_ref_mask(input chandle cosim, input int unsigned hart);
  import "DPI-C" function int ventus_cosim_ref_x_set(input chandle cosim, input int unsigned hart,
    input int unsigned reg_, input int unsigned value);
  import "DPI-C" function int ventus_cosim_ref_v_set(input chandle cosim, input int unsigned hart,
    input int unsigned reg_, input int unsigned lane, input int unsigned value);
  import "DPI-C" function string ventus_cosim_report(input chandle cosim);
  import "DPI-C" function longint unsigned ventus_cosim_metric(input chandle cosim, input int unsigned metric);

endpackage
