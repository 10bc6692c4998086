# both ./both 64
# gdb's non-stop mode: the user steps another work-item, past a condition that does not hold for it, and to its end.
break twice if $gid(0) == 3
run
# expect hit Breakpoint 1, twice (a=0x90000000, n=2) at
set schedule-multiple off
# Warp 1 has not begun: it comes to the breakpoint by a step of its own.
ventus workitem 40
stepi 5
# expect int i = get_global_id(0);
info threads
# expect * 2.1  Thread 1 "(40,0,0)" (group (0,0,0) warp 1 lane 8, active) twice
delete
tbreak 6
# expect Temporary breakpoint 2
continue
# expect "(32,0,0)" hit Temporary breakpoint 2, twice
# Warp 0 has the machine's turn.
ventus workitem 3
stepi
ventus workitem 40
stepi
# expect the work-item has ended
info threads
# expect Thread 1 "(0,0,0)" (group (0,0,0) warp 0 lane 0, active)
set schedule-multiple on
continue
# expect sum 12096
# expect exited normally]
